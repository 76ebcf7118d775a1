/* See lammps.h. */
#include "lammps.h"

#include <string.h>

static const struct {
    const char *name;
    int column;
} known[] = {{"id", COLUMN_ID},          {"type", LAMMPS_TYPE},
             {"vx", COLUMN_VX},          {"vy", COLUMN_VY},
             {"vz", COLUMN_VZ},          {"omegax", COLUMN_WX},
             {"omegay", COLUMN_WY},      {"omegaz", COLUMN_WZ},
             {"radius", COLUMN_RADIUS},  {"diameter", COLUMN_DIAMETER},
             {"ix", COLUMN_IX},          {"iy", COLUMN_IY},
             {"iz", COLUMN_IZ},          {"mass", COLUMN_MASS},
             {"density", COLUMN_DENSITY}};

static const char *const forms[] = {"", "s", "u", "su"}; /* behind x, y and z; the first is best */
enum { FORMS = sizeof forms / sizeof *forms, NO_FORM = FORMS };

/* The form of a coordinate's name, or NO_FORM. */
static int form_of(slice name, int *axis)
{
    if (!name.size || name.from[0] < 'x' || name.from[0] > 'z') return NO_FORM;
    *axis = name.from[0] - 'x';
    for (int form = 0; form < FORMS; ++form) {
        if (slice_is((slice){name.from + 1, name.size - 1}, forms[form])) return form;
    }
    return NO_FORM;
}

static int column_of(slice name)
{
    for (size_t k = 0; k < sizeof known / sizeof *known; ++k) {
        if (slice_is(name, known[k].name)) return known[k].column;
    }
    return LAMMPS_SKIP;
}

bool lammps_find_columns(const body_table *table, uint64_t line, slice names, lammps_layout *layout)
{
    int best[3] = {NO_FORM, NO_FORM, NO_FORM}, form, axis;
    uint64_t seen = 0;
    layout->words = 0;
    for (slice rest = names, name; slice_word(&rest, &name);) {
        form = form_of(name, &axis);
        if (form < NO_FORM && form < best[axis]) best[axis] = form;
    }
    for (slice name; slice_word(&names, &name);) {
        if (layout->words == LAMMPS_WORDS)
            return table_refuse(table, line, "more than %d columns", LAMMPS_WORDS);
        int to = column_of(name);
        form = form_of(name, &axis);
        if (form < NO_FORM && form == best[axis]) to = COLUMN_X + axis;
        if (to >= 0 && seen >> to & 1)
            return table_refuse(table, line, "%s: appears twice", column_names[to]);
        if (to >= 0) seen |= (uint64_t)1 << to;
        layout->word[layout->words++] = to;
    }
    for (int k = 0; k < 3; ++k) {
        layout->scaled[k] = best[k] < NO_FORM && forms[best[k]][0] == 's';
        layout->unwrapped[k] = best[k] < NO_FORM && strchr(forms[best[k]], 'u');
    }
    return (seen & 7) == 7 || table_refuse(table, line,
                                           "needs the columns x, y and z, or xs, xu "
                                           "or xsu and so on");
}

bool lammps_set_words(const body_table *table, slice line, const lammps_layout *layout,
                      table_row *row)
{
    size_t k = 0;
    for (slice word; k < layout->words && slice_word(&line, &word); ++k) {
        double value;
        int to = layout->word[k];
        if (to < 0) continue;
        if (!slice_number(word, &value))
            return table_refuse(table, row->place, "%s: must be a number, got '%.*s'",
                                column_names[to], shown(word), word.from);
        int axis = to - COLUMN_X, turned = to - COLUMN_IX;
        if (axis >= 0 && axis < 3 && layout->scaled[axis])
            value = table->box.min[axis] + value * (table->box.max[axis] - table->box.min[axis]);
        if (turned >= 0 && turned < 3 && layout->unwrapped[turned]) continue;
        if (!table_set(table, row, (column)to, value)) return false;
    }
    for (slice word; slice_word(&line, &word);) ++k;
    return k == layout->words ||
           table_refuse(table, row->place, "has %zu words, needs %zu", k, layout->words);
}
