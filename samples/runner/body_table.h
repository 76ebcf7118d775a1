/* Bodies of a file on their way into a scene: readers add rows of columns, the table checks them
 * and makes bodies. In: the frames of the file, of which one is kept. Out: bodies in the order of
 * their ids, or of the rows. Cost O(rows), and a sort by id where a file is not sorted. */
#ifndef RUNNER_BODY_TABLE_H
#define RUNNER_BODY_TABLE_H

#include <math.h>

#include "scene.h"

/* Numbers of a body. COLUMN_TIME is read and not used. */
typedef enum column {
    COLUMN_X,
    COLUMN_Y,
    COLUMN_Z,
    COLUMN_VX,
    COLUMN_VY,
    COLUMN_VZ,
    COLUMN_WX, /* spin */
    COLUMN_WY,
    COLUMN_WZ,
    COLUMN_QX, /* orientation */
    COLUMN_QY,
    COLUMN_QZ,
    COLUMN_QW,
    COLUMN_RADIUS,
    COLUMN_DIAMETER,
    COLUMN_MASS,
    COLUMN_DENSITY,
    COLUMN_RESTITUTION,
    COLUMN_FRICTION,
    COLUMN_ROLLING_RESISTANCE,
    COLUMN_GRAVITY_SCALE,
    COLUMN_TYPE, /* kugel_body_type */
    COLUMN_CATEGORY,
    COLUMN_MASK,
    COLUMN_SENSOR, /* 0 or 1 */
    COLUMN_IX,     /* image, of periodic axes */
    COLUMN_IY,
    COLUMN_IZ,
    COLUMN_ID,
    COLUMN_TICK,
    COLUMN_TIME,
    COLUMNS
} column;

/* Name of each column, as in the header of a csv file. */
extern const char *const column_names[COLUMNS];

typedef struct body_table {
    const char *scene, *file; /* names in messages */
    bool rows_are_lines;      /* true: a row's place is a line; false: its index in the frame */
    bool one_tick;            /* true: only the frame of `tick` is kept; false: the last frame */
    uint64_t tick;
    complaint *complaint;
    bool found;              /* true: a frame is kept */
    double *values[COLUMNS]; /* stb_ds arrays; NULL: no such column; NAN: a default */
    uint64_t *places;        /* stb_ds array */
} body_table;

/* A row that is being read; NAN: not given. */
typedef struct table_row {
    double values[COLUMNS];
    uint64_t place;
} table_row;

static inline table_row table_row_at(uint64_t place)
{
    table_row row = {.place = place};
    for (int k = 0; k < COLUMNS; ++k) row.values[k] = NAN;
    return row;
}

/* Store a complaint about a place of the file, 0: about the whole. Always returns false. */
bool table_refuse(const body_table *table, uint64_t place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Begin the frame of a tick: true if its rows are to be added; it replaces an earlier frame. */
bool table_frame(body_table *table, uint64_t tick);
/* Set a number, which must be finite. */
bool table_set(const body_table *table, table_row *row, column column, double value);
bool table_add(body_table *table, const table_row *row);
/* Check the rows and append the bodies to the scene, with their places. */
bool table_finish(body_table *table, scene *scene);
void table_free(body_table *table);

/* The readers: add all frames of the file. */
typedef bool read_table(body_table *table, const char *data, size_t size);
read_table read_csv, read_npy, read_xyz, read_lammps_data, read_lammps_dump, read_gsd;

#endif
