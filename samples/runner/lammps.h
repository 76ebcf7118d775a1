/* Words in lines of LAMMPS files. Numbers are in SI units (units si). */
#ifndef RUNNER_LAMMPS_H
#define RUNNER_LAMMPS_H

#include "body_table.h"
#include "text.h"

enum { LAMMPS_WORDS = 64, LAMMPS_SKIP = -1, LAMMPS_TYPE = -2 };

/* What each word of a line is: a column, or one of LAMMPS_SKIP and LAMMPS_TYPE. */
typedef struct lammps_layout {
    int word[LAMMPS_WORDS];
    size_t words;
    /* Axes whose coordinates are in units of the box ("xs", "xsu"), and axes whose coordinates
     * count crossings of periodic faces ("xu", "xsu"). */
    bool scaled[3], unwrapped[3];
} lammps_layout;

static inline int shown(slice s) { return s.size < 40 ? (int)s.size : 40; }

/* Find the columns of names like "id type x y z vx ...". Of several coordinates of an axis one is
 * read: x, xs, xu or xsu, in this order. @param line for messages. false: a complaint. */
bool lammps_find_columns(const body_table *table, uint64_t line, slice names,
                         lammps_layout *layout);
/* Set the columns of a layout to the words of a line. false: a complaint. */
bool lammps_set_words(const body_table *table, slice line, const lammps_layout *layout,
                      table_row *row);

#endif
