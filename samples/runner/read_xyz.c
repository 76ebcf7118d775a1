/* Reads bodies from extended XYZ. A block is a count, a line of key=value pairs and a line for each
 * body. The key Properties names the columns: pos, velo (or momenta), radius, mass, id ...; unknown
 * columns are left out. Columns of one meaning, as mass and masses, must have equal values. Without
 * Properties the columns are species, x, y, z. Lattice, Origin and pbc give the box. The tick of a
 * block is its key "tick", or its index. */
#include <string.h>

#include "body_table.h"
#include "text.h"

enum { WORDS = 128, SKIP = -1 };

/* What each word of a line is: a column or SKIP. */
typedef struct layout {
    int word[WORDS];
    size_t words;
} layout;

typedef struct property {
    const char *name;
    int first, parts;
} property;

static const property properties[] = {
    {"pos", COLUMN_X, 3},         {"velo", COLUMN_VX, 3},           {"vel", COLUMN_VX, 3},
    {"velocities", COLUMN_VX, 3}, {"momenta", COLUMN_PX, 3},        {"spin", COLUMN_WX, 3},
    {"radius", COLUMN_RADIUS, 1}, {"diameter", COLUMN_DIAMETER, 1}, {"mass", COLUMN_MASS, 1},
    {"masses", COLUMN_MASS, 1},   {"density", COLUMN_DENSITY, 1},   {"image", COLUMN_IX, 3},
    {"id", COLUMN_ID, 1}};

static int find_property(slice name, uint64_t parts)
{
    for (size_t k = 0; k < sizeof properties / sizeof *properties; ++k) {
        if (slice_is(name, properties[k].name) && parts == (uint64_t)properties[k].parts)
            return properties[k].first;
    }
    return SKIP;
}

/* "species:S:1:pos:R:3:..." */
static bool read_properties(const body_table *table, uint64_t line, slice text, layout *layout)
{
    slice name, kind, count;
    layout->words = 0;
    while (slice_field(&text, ':', &name)) {
        uint64_t parts;
        if (!slice_field(&text, ':', &kind) || !slice_field(&text, ':', &count) ||
            !slice_count(count, &parts) || parts < 1 || parts > WORDS - layout->words)
            return table_refuse(table, line, "Properties: must be NAME:TYPE:COUNT:...");
        bool number = slice_is(kind, "R") || slice_is(kind, "I");
        int first = number ? find_property(name, parts) : SKIP;
        for (uint64_t k = 0; k < parts; ++k)
            layout->word[layout->words++] = first == SKIP ? SKIP : first + (int)k;
    }
    return true;
}

/* Read the next key=value pair of the comment line. Values may be in quotes or braces. A word
 * without "=" is a key with an empty value. */
static bool next_pair(slice *rest, slice *key, slice *value)
{
    slice s = slice_trim(*rest);
    if (!s.size) return false;
    size_t n = 0;
    while (n < s.size && s.from[n] != '=' && s.from[n] != ' ' && s.from[n] != '\t') ++n;
    *key = (slice){s.from, n};
    *value = (slice){s.from + n, 0};
    if (n < s.size && s.from[n] == '=') {
        slice after = {s.from + n + 1, s.size - n - 1};
        char open = after.size ? after.from[0] : 0, close = open == '{' ? '}' : open;
        bool quoted = open == '"' || open == '\'' || open == '{';
        size_t from = quoted, to = from;
        while (to < after.size &&
               (quoted ? after.from[to] != close : after.from[to] != ' ' && after.from[to] != '\t'))
            ++to;
        *value = (slice){after.from + from, to - from};
        n += 1 + to + (quoted && to < after.size);
    }
    *rest = (slice){s.from + n, s.size - n};
    return true;
}

/* Parse `count` numbers, separated by spaces. */
static bool get_numbers(slice text, size_t count, double *numbers)
{
    size_t k = 0;
    for (slice word; slice_word(&text, &word); ++k) {
        if (k == count || !slice_number(word, &numbers[k])) return false;
    }
    return k == count;
}

/* Read Lattice: three vectors, of which the axes of a box are the diagonal. */
static bool read_lattice(const body_table *table, uint64_t line, slice text, file_box *box)
{
    double vectors[9];
    if (!get_numbers(text, 9, vectors))
        return table_refuse(table, line, "Lattice: must be nine numbers");
    for (int k = 0; k < 9; ++k) {
        if (k % 4 == 0) box->max[k / 4] = vectors[k];
        else box->tilted = box->tilted || vectors[k] != 0;
    }
    box->place = line;
    box->given = true;
    return true;
}

/* Read pbc, as "T T F": which axes are periodic. */
static bool read_periodic(const body_table *table, uint64_t line, slice text, file_box *box)
{
    int axes = 0;
    for (slice word; slice_word(&text, &word) && axes < 3; ++axes) {
        bool periodic = slice_is(word, "T") || slice_is(word, "True") || slice_is(word, "1");
        box->faces[2 * axes] = box->faces[2 * axes + 1] =
            periodic ? KUGEL_FACE_PERIODIC : KUGEL_FACE_WALL;
    }
    return axes == 3 || table_refuse(table, line, "pbc: must be three of T and F");
}

static bool read_comment(const body_table *table, uint64_t line, slice comment, layout *layout,
                         uint64_t *tick, file_box *box)
{
    double origin[3] = {0};
    static const struct layout plain = {{SKIP, COLUMN_X, COLUMN_Y, COLUMN_Z}, 4};
    *layout = plain;
    *box = (file_box){.has_faces = true};
    for (int k = 0; k < 6; ++k) box->faces[k] = KUGEL_FACE_PERIODIC; /* where pbc is missing */
    for (slice key, value; next_pair(&comment, &key, &value);) {
        if (slice_is(key, "Properties") && !read_properties(table, line, value, layout))
            return false;
        if (slice_is(key, "tick") && !slice_count(value, tick))
            return table_refuse(table, line, "tick: must be a whole number");
        if (slice_is(key, "Lattice") && !read_lattice(table, line, value, box)) return false;
        if (slice_is(key, "Origin") && !get_numbers(value, 3, origin))
            return table_refuse(table, line, "Origin: must be three numbers");
        if (slice_is(key, "pbc") && !read_periodic(table, line, value, box)) return false;
    }
    for (int k = 0; k < 3; ++k) box->min[k] += origin[k], box->max[k] += origin[k];
    return true;
}

static bool read_row(const body_table *table, slice line, const layout *layout, table_row *row)
{
    size_t k = 0;
    for (slice word; slice_word(&line, &word); ++k) {
        double value;
        if (k >= layout->words || layout->word[k] == SKIP) continue;
        if (!slice_number(word, &value))
            return table_refuse(table, row->place, "word %zu must be a number, got '%.*s'", k + 1,
                                word.size < 40 ? (int)word.size : 40, word.from);
        column to = (column)layout->word[k];
        double before = row->values[to];
        if (!isnan(before) && before != value)
            return table_refuse(table, row->place, "%s: appears twice, as %.10g and %.10g",
                                column_names[to], before, value);
        if (!table_set(table, row, to, value)) return false;
    }
    if (k == layout->words) return true;
    return table_refuse(table, row->place, "has %zu words, its block needs %zu", k, layout->words);
}

static bool read_block(body_table *table, text *text, uint64_t count, uint64_t index)
{
    layout layout;
    file_box box;
    slice line;
    uint64_t tick = index;
    if (!text_line(text, &line))
        return table_refuse(table, text->line, "needs a line of properties after the count");
    if (!read_comment(table, text->line, line, &layout, &tick, &box)) return false;
    bool taken = table_frame(table, tick);
    if (taken) table->box = box;
    for (uint64_t i = 0; i < count; ++i) {
        if (!text_line(text, &line))
            return table_refuse(table, text->line, "ends after %llu of %llu bodies",
                                (unsigned long long)i, (unsigned long long)count);
        table_row row = table_row_at(text->line);
        if (taken && (!read_row(table, line, &layout, &row) || !table_add(table, &row)))
            return false;
    }
    return true;
}

bool read_xyz(body_table *table, const char *data, size_t size)
{
    text text = text_of(data, size);
    uint64_t blocks = 0, count;
    for (slice line; text_line(&text, &line);) {
        line = slice_trim(line);
        if (!line.size) continue;
        if (!slice_count(line, &count))
            return table_refuse(table, text.line, "must be the number of bodies, got '%.*s'",
                                line.size < 40 ? (int)line.size : 40, line.from);
        if (!read_block(table, &text, count, blocks++)) return false;
    }
    return true;
}
