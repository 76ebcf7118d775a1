/* Reads bodies from text dumps of LAMMPS. Columns for which bodies have no property are skipped. */
#include <math.h>
#include <string.h>

#include "lammps.h"

/* The whole number on the next line. */
static bool get_count(const body_table *table, text *text, uint64_t *count)
{
    slice line;
    return (text_line(text, &line) && slice_count(slice_trim(line), count)) ||
           table_refuse(table, text->line, "must be a whole number");
}

/* Two letters for the faces of an axis: p, f, s or m. false: other ones. */
static bool set_faces(slice word, kugel_face faces[2])
{
    if (word.size != 2) return false;
    for (int k = 0; k < 2; ++k) {
        char c = word.from[k];
        if (!strchr("pfsm", c) || !c) return false;
        faces[k] = c == 'p' ? KUGEL_FACE_PERIODIC : c == 'f' ? KUGEL_FACE_WALL : KUGEL_FACE_OPEN;
    }
    return (faces[0] == KUGEL_FACE_PERIODIC) == (faces[1] == KUGEL_FACE_PERIODIC);
}

/* Read "BOX BOUNDS pp ff ss" or "BOX BOUNDS xy xz yz pp ff ss" and three lines: min, max and, with
 * xy xz yz, a tilt. A general box has "abc origin" and other lines; it counts as tilted. */
static bool read_box(const body_table *table, text *text, slice kinds, file_box *box)
{
    int axes = 0;
    *box = (file_box){.place = text->line, .given = true};
    for (slice word; slice_word(&kinds, &word);) {
        if (slice_is(word, "abc")) box->tilted = true;
        else if (axes < 3) axes += set_faces(word, box->faces + 2 * axes);
    }
    box->has_faces = axes == 3;
    for (int k = 0; k < 3; ++k) {
        slice line, low, high, tilt;
        double angle = 0;
        if (!text_line(text, &line) || !slice_word(&line, &low) || !slice_word(&line, &high) ||
            !slice_number(low, &box->min[k]) || !slice_number(high, &box->max[k]) ||
            (slice_word(&line, &tilt) && !slice_number(tilt, &angle)))
            return table_refuse(table, text->line, "box: must be the numbers min and max");
        box->tilted = box->tilted || angle != 0;
    }
    return true;
}

static bool read_atoms(body_table *table, text *text, slice names, uint64_t count, bool taken)
{
    lammps_layout layout;
    uint64_t head = text->line;
    if (!lammps_find_columns(table, head, names, &layout)) return false;
    bool scaled = layout.scaled[0] || layout.scaled[1] || layout.scaled[2];
    if (taken && scaled && !table->box.given)
        return table_refuse(table, head, "xs, ys, zs: need ITEM: BOX BOUNDS before");
    if (taken && !file_box_check(table, &table->box, scaled)) return false;
    for (uint64_t i = 0; i < count; ++i) {
        slice line;
        if (!text_line(text, &line))
            return table_refuse(table, text->line, "ends after %llu of %llu atoms",
                                (unsigned long long)i, (unsigned long long)count);
        table_row row = table_row_at(text->line);
        if (taken && (!lammps_set_words(table, line, &layout, &row) || !table_add(table, &row)))
            return false;
    }
    return true;
}

bool read_lammps_dump(body_table *table, const char *data, size_t size)
{
    static const char atoms[] = "ITEM: ATOMS", bounds[] = "ITEM: BOX BOUNDS";
    text text = text_of(data, size);
    file_box box = {0};
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
        slice kinds = {line.from + strlen(bounds), line.size - strlen(bounds)};
        if (slice_begins(line, bounds) && !read_box(table, &text, kinds, &box)) return false;
        if (!slice_begins(line, atoms)) continue;
        if (!counted) return table_refuse(table, text.line, "needs ITEM: NUMBER OF ATOMS before");
        slice names = {line.from + strlen(atoms), line.size - strlen(atoms)};
        bool taken = table_frame(table, tick);
        if (taken) table->box = box, table->wraps = true;
        if (!read_atoms(table, &text, names, count, taken)) return false;
        in_head = counted = false;
        box = (file_box){0};
    }
    return !in_head || table_refuse(table, text.line, "ends before ITEM: ATOMS");
}
