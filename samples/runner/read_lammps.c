/* Reads bodies from LAMMPS: data files of atom_style sphere or atomic, and text dumps. Numbers are
 * in SI units (units si). The box, and columns for which bodies have no property, are skipped. */
#include <stdio.h>
#include <string.h>

#include "arrays.h"
#include "body_table.h"
#include "text.h"

enum { MOST_WORDS = 64, SKIP = -1 };

static int shown(slice s) { return s.size < 40 ? (int)s.size : 40; }

/* Set the columns of `layout` to the words of a line; words of SKIP are left out. false: a
 * complaint. */
static bool set_words(const body_table *table, slice line, const int *layout, size_t words,
                      table_row *row)
{
    size_t k = 0;
    for (slice word; k < words && slice_word(&line, &word); ++k) {
        double value;
        if (layout[k] == SKIP) continue;
        if (!slice_number(word, &value))
            return table_refuse(table, row->place, "%s: must be a number, got '%.*s'",
                                column_names[layout[k]], shown(word), word.from);
        if (!table_set(table, row, (column)layout[k], value)) return false;
    }
    for (slice word; slice_word(&line, &word);) ++k;
    return k == words || table_refuse(table, row->place, "has %zu words, needs %zu", k, words);
}

/* Find the columns of names like "id type x y z vx ...". */
static bool read_columns(const body_table *table, uint64_t line, slice names, int *layout,
                         size_t *words)
{
    static const struct {
        const char *name;
        column column;
    } known[] = {{"id", COLUMN_ID},
                 {"x", COLUMN_X},
                 {"y", COLUMN_Y},
                 {"z", COLUMN_Z},
                 {"vx", COLUMN_VX},
                 {"vy", COLUMN_VY},
                 {"vz", COLUMN_VZ},
                 {"omegax", COLUMN_WX},
                 {"omegay", COLUMN_WY},
                 {"omegaz", COLUMN_WZ},
                 {"radius", COLUMN_RADIUS},
                 {"diameter", COLUMN_DIAMETER},
                 {"ix", COLUMN_IX},
                 {"iy", COLUMN_IY},
                 {"iz", COLUMN_IZ},
                 {"mass", COLUMN_MASS},
                 {"density", COLUMN_DENSITY}};
    uint64_t seen = 0;
    *words = 0;
    for (slice name; slice_word(&names, &name);) {
        if (*words == MOST_WORDS)
            return table_refuse(table, line, "more than %d columns", MOST_WORDS);
        int to = SKIP;
        for (size_t k = 0; k < sizeof known / sizeof *known; ++k) {
            if (slice_is(name, known[k].name)) to = known[k].column;
        }
        if (to != SKIP && seen >> to & 1)
            return table_refuse(table, line, "%s: appears twice", column_names[to]);
        if (to != SKIP) seen |= (uint64_t)1 << to;
        layout[(*words)++] = to;
    }
    return (seen & 7) == 7 || table_refuse(table, line, "needs the columns x, y and z");
}

static bool read_atoms(body_table *table, text *text, slice names, uint64_t count, bool taken)
{
    int layout[MOST_WORDS];
    size_t words;
    if (!read_columns(table, text->line, names, layout, &words)) return false;
    for (uint64_t i = 0; i < count; ++i) {
        slice line;
        if (!text_line(text, &line))
            return table_refuse(table, text->line, "ends after %llu of %llu atoms",
                                (unsigned long long)i, (unsigned long long)count);
        table_row row = table_row_at(text->line);
        if (taken && (!set_words(table, line, layout, words, &row) || !table_add(table, &row)))
            return false;
    }
    return true;
}

/* The whole number on the next line. */
static bool get_count(const body_table *table, text *text, uint64_t *count)
{
    slice line;
    return (text_line(text, &line) && slice_count(slice_trim(line), count)) ||
           table_refuse(table, text->line, "must be a whole number");
}

bool read_lammps_dump(body_table *table, const char *data, size_t size)
{
    static const char atoms[] = "ITEM: ATOMS";
    text text = text_of(data, size);
    uint64_t tick = 0, count = 0;
    bool in_head = false; /* true: a frame has begun, and its atoms are to come */
    bool counted = false; /* true: the number of the frame's atoms is known */
    for (slice line; text_line(&text, &line);) {
        if (!in_head && !slice_trim(line).size) continue;
        if (!in_head && !slice_begins(line, "ITEM: "))
            return table_refuse(table, text.line,
                                table->found || text.line > 1
                                    ? "must begin with ITEM: behind the atoms"
                                    : "does not begin as a LAMMPS dump");
        in_head = true;
        if (slice_begins(line, "ITEM: TIMESTEP") && !get_count(table, &text, &tick)) return false;
        if (slice_begins(line, "ITEM: NUMBER OF ATOMS") &&
            !(counted = get_count(table, &text, &count)))
            return false;
        if (!slice_begins(line, atoms)) continue;
        if (!counted) return table_refuse(table, text.line, "needs ITEM: NUMBER OF ATOMS before");
        slice names = {line.from + strlen(atoms), line.size - strlen(atoms)};
        bool taken = table_frame(table, tick);
        if (!read_atoms(table, &text, names, count, taken)) return false;
        in_head = counted = false;
    }
    return !in_head || table_refuse(table, text.line, "ends before ITEM: ATOMS");
}

/* Columns of the sections. Images, the last three columns of atoms, and spins may be missing. */
static const int of_atomic[] = {COLUMN_ID, SKIP,      COLUMN_X,  COLUMN_Y,
                                COLUMN_Z,  COLUMN_IX, COLUMN_IY, COLUMN_IZ};
static const int of_sphere[] = {COLUMN_ID, SKIP,     COLUMN_DIAMETER, COLUMN_DENSITY, COLUMN_X,
                                COLUMN_Y,  COLUMN_Z, COLUMN_IX,       COLUMN_IY,      COLUMN_IZ};
static const int of_velocity[] = {COLUMN_ID, COLUMN_VX, COLUMN_VY, COLUMN_VZ,
                                  COLUMN_WX, COLUMN_WY, COLUMN_WZ};
enum { ATOMIC = 5, SPHERE = 7, IMAGES = 3, VELOCITY = 4, VELOCITY_AND_SPIN = 7 };

/* What was read of a data file. */
typedef struct data_file {
    table_row *rows;       /* [atom]; stb_ds array */
    uint64_t *types;       /* [atom], from 1; stb_ds array */
    double *masses;        /* [type - 1]; NAN: none; stb_ds array */
    uint64_t atoms, kinds; /* numbers of atoms and of types in the header */
    uint64_t moving;       /* number of atoms whose velocity was read */
    bool sphere;           /* true: atom_style sphere; false: atomic */
} data_file;

static size_t count_words(slice line)
{
    size_t words = 0;
    for (slice word; slice_word(&line, &word);) ++words;
    return words;
}

/* The line without its comment. */
static slice without_comment(slice line)
{
    const char *mark = line.size ? memchr(line.from, '#', line.size) : NULL;
    if (mark) line.size = (size_t)(mark - line.from);
    return slice_trim(line);
}

/* Set the atom_style: the comment behind the section's name, as "# sphere", or without a comment
 * the number of words in a line. */
static bool find_style(const body_table *table, uint64_t at, slice comment, slice line,
                       data_file *file)
{
    size_t words = count_words(without_comment(line));
    bool sphere = words == SPHERE || words == SPHERE + IMAGES;
    bool atomic = words == ATOMIC || words == ATOMIC + IMAGES;
    if (slice_is(comment, "sphere")) atomic = false;
    if (slice_is(comment, "atomic")) sphere = false;
    if (comment.size && !slice_is(comment, "sphere") && !slice_is(comment, "atomic"))
        sphere = atomic = false;
    file->sphere = sphere;
    if (sphere || atomic) return true;
    return table_refuse(table, at,
                        "Atoms: must be of atom_style sphere (id type diameter density "
                        "x y z) or atomic (id type x y z)");
}

static bool read_atom(const body_table *table, slice line, data_file *file, table_row *row)
{
    slice rest = line, word;
    uint64_t type = 0;
    for (int k = 0; k < 2; ++k) slice_word(&rest, &word);
    if (!file->kinds) return table_refuse(table, row->place, "needs a line N atom types before");
    if (!slice_count(word, &type) || type < 1 || type > file->kinds)
        return table_refuse(table, row->place, "type: must be in [1, %llu], got '%.*s'",
                            (unsigned long long)file->kinds, shown(word), word.from);
    arrput(file->types, type);
    size_t words = file->sphere ? SPHERE : ATOMIC;
    if (count_words(line) >= words + IMAGES) words += IMAGES;
    return set_words(table, line, file->sphere ? of_sphere : of_atomic, words, row);
}

static bool read_mass(const body_table *table, slice line, data_file *file, table_row *row)
{
    slice type, mass;
    uint64_t kind;
    double value;
    if (!slice_word(&line, &type) || !slice_word(&line, &mass) || !slice_count(type, &kind) ||
        kind < 1 || kind > file->kinds || !slice_number(mass, &value))
        return table_refuse(table, row->place, "Masses: must be a type in [1, %llu] and its mass",
                            (unsigned long long)file->kinds);
    if (!table_set(table, row, COLUMN_MASS, value)) return false;
    file->masses[kind - 1] = value;
    return true;
}

static int compare_ids(const void *a, const void *b)
{
    double p = ((const table_row *)a)->values[COLUMN_ID],
           q = ((const table_row *)b)->values[COLUMN_ID];
    return p < q ? -1 : p > q;
}

/* Store a velocity in the row of its atom. Velocities come after all atoms, in any order. */
static bool read_velocity(const body_table *table, slice line, data_file *file, table_row *row)
{
    size_t words = count_words(line) >= VELOCITY_AND_SPIN ? VELOCITY_AND_SPIN : VELOCITY;
    if (!set_words(table, line, of_velocity, words, row)) return false;
    size_t atoms = arrlenu(file->rows);
    table_row *atom = atoms ? bsearch(row, file->rows, atoms, sizeof *row, compare_ids) : NULL;
    if (!atom)
        return table_refuse(table, row->place, "Velocities: there is no atom %.10g",
                            row->values[COLUMN_ID]);
    if (!isnan(atom->values[COLUMN_VX]))
        return table_refuse(table, row->place, "Velocities: atom %.10g appears twice",
                            row->values[COLUMN_ID]);
    for (int k = COLUMN_VX; k <= COLUMN_WZ; ++k) atom->values[k] = row->values[k];
    ++file->moving;
    return true;
}

typedef enum section { NO_SECTION, OTHER, MASSES, ATOMS, VELOCITIES } section;

/* The section that a line begins: its name begins with a capital letter. */
static section section_of(slice name)
{
    static const char *const names[] = {
        [MASSES] = "Masses", [ATOMS] = "Atoms", [VELOCITIES] = "Velocities"};
    for (int k = MASSES; k <= VELOCITIES; ++k) {
        if (slice_is(name, names[k])) return (section)k;
    }
    return name.size && name.from[0] >= 'A' && name.from[0] <= 'Z' ? OTHER : NO_SECTION;
}

/* Read "1000 atoms" or "2 atom types"; other lines are left out. */
static bool read_header(const body_table *table, uint64_t at, slice line, data_file *file)
{
    slice count, rest = line;
    uint64_t n;
    slice_word(&rest, &count);
    rest = slice_trim(rest);
    if (!slice_is(rest, "atoms") && !slice_is(rest, "atom types")) return true;
    if (!slice_count(count, &n))
        return table_refuse(table, at, "must begin with a whole number, got '%.*s'", shown(count),
                            count.from);
    if (n > MOST_BODIES) return table_refuse(table, at, "more than %d bodies", MOST_BODIES);
    if (slice_is(rest, "atoms")) return file->atoms = n, true;
    file->kinds = n;
    while (arrlenu(file->masses) < n) arrput(file->masses, NAN);
    return true;
}

/* Sort rows and types by id. COLUMN_TIME holds the type of each row meanwhile. */
static void sort_atoms(data_file *file)
{
    size_t atoms = arrlenu(file->rows);
    for (size_t i = 0; i < atoms; ++i) file->rows[i].values[COLUMN_TIME] = (double)file->types[i];
    if (atoms) qsort(file->rows, atoms, sizeof *file->rows, compare_ids);
    for (size_t i = 0; i < atoms; ++i) {
        file->types[i] = (uint64_t)file->rows[i].values[COLUMN_TIME];
        file->rows[i].values[COLUMN_TIME] = NAN;
    }
}

static bool read_item(const body_table *table, section section, slice line, slice style,
                      uint64_t at, data_file *file)
{
    table_row row = table_row_at(at);
    switch (section) {
    case MASSES:
        return read_mass(table, line, file, &row);
    case VELOCITIES:
        return read_velocity(table, line, file, &row);
    case ATOMS:
        if (!arrlenu(file->rows) && !find_style(table, at, style, line, file)) return false;
        if (!read_atom(table, line, file, &row)) return false;
        arrput(file->rows, row);
        if (arrlenu(file->rows) == file->atoms) sort_atoms(file);
        return arrlenu(file->rows) <= file->atoms ||
               table_refuse(table, at, "Atoms: more than %llu", (unsigned long long)file->atoms);
    default:
        return true;
    }
}

static bool read_sections(const body_table *table, text *text, data_file *file)
{
    section section = NO_SECTION;
    slice style = {0}, line;
    text_line(text, &line); /* the first line is a title */
    while (text_line(text, &line)) {
        slice bare = without_comment(line);
        if (!bare.size) continue;
        enum section next = section_of(bare);
        if (next != NO_SECTION) {
            const char *mark = memchr(line.from, '#', line.size);
            size_t comment = mark ? (size_t)(line.from + line.size - mark) - 1 : 0;
            if (next == ATOMS) style = slice_trim((slice){mark ? mark + 1 : line.from, comment});
            section = next;
        } else if (section == NO_SECTION
                       ? !read_header(table, text->line, bare, file)
                       : !read_item(table, section, bare, style, text->line, file)) {
            return false;
        }
    }
    if (arrlenu(file->rows) != file->atoms)
        return table_refuse(table, text->line, "ends after %zu of %llu atoms", arrlenu(file->rows),
                            (unsigned long long)file->atoms);
    return !file->moving || file->moving == file->atoms ||
           table_refuse(table, text->line, "Velocities: there are %llu for %llu atoms",
                        (unsigned long long)file->moving, (unsigned long long)file->atoms);
}

bool read_lammps_data(body_table *table, const char *data, size_t size)
{
    data_file file = {0};
    text text = text_of(data, size);
    bool good = read_sections(table, &text, &file);
    if (good && arrlenu(file.rows)) table_frame(table, 0);
    for (size_t i = 0; i < arrlenu(file.rows) && good; ++i) {
        double mass = file.masses[file.types[i] - 1];
        if (!file.sphere) file.rows[i].values[COLUMN_MASS] = mass;
        good = table_add(table, &file.rows[i]);
    }
    arrfree(file.rows);
    arrfree(file.types);
    arrfree(file.masses);
    return good;
}
