/* Reads bodies from data files of LAMMPS: the sections Masses, Atoms and Velocities, labels of
 * types, and the box. Others are skipped. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "lammps.h"

/* The words of a line in Atoms behind the id. Hybrid styles have "type x y z" and what their styles
 * have besides, each once. */
static const struct {
    const char *name, *words;
} styles[] = {{"atomic", "type x y z"},
              {"charge", "type q x y z"},
              {"bond", "mol type x y z"},
              {"angle", "mol type x y z"},
              {"molecular", "mol type x y z"},
              {"full", "mol type q x y z"},
              {"dipole", "type q x y z mux muy muz"},
              {"sphere", "type diameter density x y z"},
              {"bpm/sphere", "mol type diameter density x y z"}};
enum { STYLES = sizeof styles / sizeof *styles, ATOMIC_WORDS = 5, IMAGES = 3 };

static const lammps_layout of_velocity = {{COLUMN_ID, COLUMN_VX, COLUMN_VY, COLUMN_VZ}, 4};
static const lammps_layout of_velocity_and_spin = {
    {COLUMN_ID, COLUMN_VX, COLUMN_VY, COLUMN_VZ, COLUMN_WX, COLUMN_WY, COLUMN_WZ}, 7};

/* A name of a type, in the data. */
typedef struct label {
    slice name;
    uint64_t type;
} label;

/* What was read of a data file. */
typedef struct data_file {
    table_row *rows; /* [atom]; stb_ds array */
    uint64_t *types; /* [atom], from 1; stb_ds array */
    double *masses;  /* [type - 1]; NAN: none; stb_ds array */
    label *labels;   /* sorted by name where `sorted` is true; stb_ds array */
    bool sorted;
    uint64_t atoms, kinds; /* numbers of atoms and of types in the header */
    uint64_t moving;       /* number of atoms whose velocity was read */
    lammps_layout layout;  /* of the atoms */
    bool massive;          /* true: the masses of types count, as atoms have no density */
    bool edges[3];         /* true: the header has this axis of the box */
    file_box box;
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

/* Append the words of a style that are not in `names` yet. false: an unknown style. */
static bool add_style(slice style, char *names, size_t size)
{
    for (int k = 0; k < STYLES; ++k) {
        if (!slice_is(style, styles[k].name)) continue;
        slice rest = {styles[k].words, strlen(styles[k].words)};
        for (slice word; slice_word(&rest, &word);) {
            char spaced[24];
            size_t used = strlen(names);
            snprintf(spaced, sizeof spaced, " %.*s ", (int)word.size, word.from);
            if (!strstr(names, spaced)) snprintf(names + used, size - used, "%s", spaced + 1);
        }
        return true;
    }
    return false;
}

/* Find the layout of an atom_style: the comment behind the section's name, as "# hybrid sphere
 * charge". Without a comment lines of five words are of style atomic. */
static bool find_style(const body_table *table, uint64_t at, slice comment, size_t words,
                       data_file *file)
{
    char names[256] = " id ";
    slice rest = comment, style = {"atomic", 6};
    if (!comment.size && words != ATOMIC_WORDS)
        return table_refuse(table, at,
                            "Atoms: lines of %zu words need the atom_style behind the name of the "
                            "section, as Atoms # sphere: words of several styles are as many",
                            words);
    if (comment.size) slice_word(&rest, &style);
    bool hybrid = slice_is(style, "hybrid");
    if (hybrid) add_style((slice){"atomic", 6}, names, sizeof names);
    if (hybrid && !slice_word(&rest, &style))
        return table_refuse(table, at,
                            "Atoms: atom_style hybrid needs its styles, as # hybrid sphere charge");
    do {
        if (add_style(style, names, sizeof names)) continue;
        return table_refuse(table, at,
                            "Atoms: atom_style %.*s cannot be read: must be atomic, charge, bond, "
                            "angle, molecular, full, dipole, sphere, bpm/sphere or hybrid of these",
                            shown(style), style.from);
    } while (slice_word(&rest, &style) && hybrid);
    file->massive = !strstr(names, " density ");
    return lammps_find_columns(table, at, (slice){names, strlen(names)}, &file->layout);
}

static int compare_labels(const void *a, const void *b)
{
    const slice *p = &((const label *)a)->name, *q = &((const label *)b)->name;
    int order = memcmp(p->from, q->from, p->size < q->size ? p->size : q->size);
    return order ? order : (p->size > q->size) - (p->size < q->size);
}

/* A type: a number or a label. */
static bool get_type(const body_table *table, uint64_t at, slice word, data_file *file,
                     uint64_t *type)
{
    if (!file->kinds) return table_refuse(table, at, "needs a line N atom types before");
    size_t labels = arrlenu(file->labels);
    if (labels && !file->sorted) qsort(file->labels, labels, sizeof *file->labels, compare_labels);
    file->sorted = true;
    label wanted = {word, 0}, *found = NULL;
    if (labels) found = bsearch(&wanted, file->labels, labels, sizeof wanted, compare_labels);
    if (found) return *type = found->type, true;
    return (slice_count(word, type) && *type >= 1 && *type <= file->kinds) ||
           table_refuse(table, at, "type: must be in [1, %llu]%s, got '%.*s'",
                        (unsigned long long)file->kinds, labels ? " or a label" : "", shown(word),
                        word.from);
}

/* A line of Atom Type Labels: a type and its name. */
static bool read_label(const body_table *table, slice line, data_file *file, uint64_t at)
{
    slice number, name;
    uint64_t type;
    if (!slice_word(&line, &number) || !slice_word(&line, &name) || !slice_count(number, &type) ||
        type < 1 || type > file->kinds || (name.from[0] >= '0' && name.from[0] <= '9'))
        return table_refuse(table, at, "Atom Type Labels: must be a type in [1, %llu] and its name",
                            (unsigned long long)file->kinds);
    arrput(file->labels, ((label){name, type}));
    file->sorted = false;
    return true;
}

static bool read_atom(const body_table *table, slice line, data_file *file, table_row *row)
{
    size_t words = count_words(line), k = 0;
    uint64_t type = 0;
    for (slice rest = line, word; k < file->layout.words && slice_word(&rest, &word); ++k) {
        if (file->layout.word[k] == LAMMPS_TYPE && !get_type(table, row->place, word, file, &type))
            return false;
    }
    lammps_layout layout = file->layout;
    for (int axis = 0; axis < 3 && words >= file->layout.words + IMAGES; ++axis)
        layout.word[layout.words++] = COLUMN_IX + axis;
    if (!lammps_set_words(table, line, &layout, row)) return false;
    arrput(file->types, type);
    return true;
}

static bool read_mass(const body_table *table, slice line, data_file *file, table_row *row)
{
    slice type, mass;
    uint64_t kind;
    double value;
    if (!slice_word(&line, &type) || !slice_word(&line, &mass) || !slice_number(mass, &value))
        return table_refuse(table, row->place, "Masses: must be a type and its mass");
    if (!get_type(table, row->place, type, file, &kind)) return false;
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
    bool spins = count_words(line) >= of_velocity_and_spin.words;
    if (!lammps_set_words(table, line, spins ? &of_velocity_and_spin : &of_velocity, row))
        return false;
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

typedef enum section { NO_SECTION, OTHER, LABELS, MASSES, ATOMS, VELOCITIES } section;

/* The section that a line begins. Its name begins with a capital letter, and does not end with a
 * number, as lines of Masses with labels do. */
static section section_of(slice name)
{
    static const char *const names[] = {[LABELS] = "Atom Type Labels",
                                        [MASSES] = "Masses",
                                        [ATOMS] = "Atoms",
                                        [VELOCITIES] = "Velocities"};
    for (int k = LABELS; k <= VELOCITIES; ++k) {
        if (slice_is(name, names[k])) return (section)k;
    }
    double number;
    slice last = name;
    bool capital = name.size && name.from[0] >= 'A' && name.from[0] <= 'Z';
    for (slice rest = name, word; slice_word(&rest, &word);) last = word;
    return capital && !slice_number(last, &number) ? OTHER : NO_SECTION;
}

/* Read "0 10 xlo xhi", "0 0 0 xy xz yz" and "1 0 0 avec", the last of a box in general axes. Other
 * lines are left out. */
static bool read_box(const body_table *table, uint64_t at, slice line, data_file *file)
{
    slice words[6];
    double numbers[3];
    size_t count = 0, read = 0;
    for (slice rest = line; count < 6 && slice_word(&rest, &words[count]); ++count) {
        if (read == count && read < 3) read += slice_number(words[count], &numbers[read]);
    }
    bool tilts = count == 6 && slice_is(words[3], "xy");
    if (count == 4 && slice_is(words[3], "avec")) file->box.tilted = true;
    if (tilts && read == 3) file->box.tilted = numbers[0] || numbers[1] || numbers[2];
    if (file->box.tilted && !file->box.place) file->box.place = at;
    if (tilts && read < 3) return table_refuse(table, at, "xy xz yz: must be three numbers");
    for (int k = 0; k < 3 && count == 4; ++k) {
        if (!slice_is(words[2], (const char *const[]){"xlo", "ylo", "zlo"}[k])) continue;
        if (read < 2)
            return table_refuse(table, at, "%clo %chi: must be two numbers", "xyz"[k], "xyz"[k]);
        file->box.min[k] = numbers[0];
        file->box.max[k] = numbers[1];
        file->edges[k] = true;
    }
    file->box.given = file->edges[0] && file->edges[1] && file->edges[2];
    return true;
}

/* Read "1000 atoms", "2 atom types" or a line of the box. */
static bool read_header(const body_table *table, uint64_t at, slice line, data_file *file)
{
    slice count, rest = line;
    uint64_t n;
    slice_word(&rest, &count);
    rest = slice_trim(rest);
    if (!slice_is(rest, "atoms") && !slice_is(rest, "atom types"))
        return read_box(table, at, line, file);
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
    case LABELS:
        return read_label(table, line, file, at);
    case MASSES:
        return read_mass(table, line, file, &row);
    case VELOCITIES:
        return read_velocity(table, line, file, &row);
    case ATOMS:
        if (!arrlenu(file->rows) && !find_style(table, at, style, count_words(line), file))
            return false;
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
    if (good && arrlenu(file.rows) && table_frame(table, 0))
        table->box = file.box, table->wraps = true;
    for (size_t i = 0; i < arrlenu(file.rows) && good; ++i) {
        double mass = file.masses[file.types[i] - 1];
        if (file.massive) file.rows[i].values[COLUMN_MASS] = mass;
        good = table_add(table, &file.rows[i]);
    }
    arrfree(file.rows);
    arrfree(file.types);
    arrfree(file.labels);
    arrfree(file.masses);
    return good;
}
