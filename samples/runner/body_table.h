/* A table of the bodies that a file holds: readers add rows, the table checks them and makes the
 * bodies of a scene. In: the frames of the file, of which one is kept. Out: bodies by id, or in the
 * order of the rows in a file without ids. Cost O(rows log rows) with ids, else O(rows). */
#ifndef RUNNER_BODY_TABLE_H
#define RUNNER_BODY_TABLE_H

#include <math.h>

#include "file_box.h"
#include "scene.h"

/* The columns of a row, one number each. COLUMN_TIME is read and ignored. */
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
    COLUMN_QX, /* rotation */
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
    COLUMN_TANGENTIAL_RESTITUTION,
    COLUMN_GRAVITY_SCALE,
    COLUMN_TYPE, /* kugel_body_type */
    COLUMN_CATEGORY,
    COLUMN_MASK,
    COLUMN_SENSOR, /* 0 or 1 */
    COLUMN_KIND,   /* of material */
    COLUMN_IX,     /* image, of periodic axes */
    COLUMN_IY,
    COLUMN_IZ,
    COLUMN_ID,
    COLUMN_TICK,
    COLUMN_TIME,
    NAMED_COLUMNS,             /* csv and npy files may name the columns above */
    COLUMN_PX = NAMED_COLUMNS, /* momentum; gives velocities that the row lacks */
    COLUMN_PY,
    COLUMN_PZ,
    COLUMNS
} column;

/* The name of each column in the header of a csv file, or in messages. */
extern const char *const column_names[COLUMNS];

typedef struct body_table {
    const char *scene, *file; /* names in messages */
    bool rows_are_lines;      /* true: a row's place is its line; false: 1 + its index */
    bool one_tick;            /* true: the frame of `tick` is kept; false: the last frame */
    uint64_t tick;
    complaint *complaint;
    bool found;              /* true: a frame is kept */
    file_box box;            /* of the frame */
    bool wraps;              /* true: positions beyond periodic faces are moved into the bounds */
    double *values[COLUMNS]; /* [row], stb_ds arrays; NULL: no such column; NAN: the default */
    uint64_t *places;        /* [row], in the file, for messages; stb_ds array */
} body_table;

/* One row while it is read. NAN: the file gives no value. */
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

/* Store a complaint about a place in the file, or about the whole file if `place` is 0. Always
 * returns false. */
bool table_refuse(const body_table *table, uint64_t place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Begin the frame of a tick. true: the frame is kept, its rows are to be added, and rows of earlier
 * frames are dropped. */
bool table_frame(body_table *table, uint64_t tick);
/* Set a value of the row after a check of its range. false: a complaint. */
bool table_set(const body_table *table, table_row *row, column column, double value);
bool table_add(body_table *table, const table_row *row);
/* Check the rows and append their bodies and places to the scene. false: a complaint. */
bool table_finish(body_table *table, scene *scene);
void table_free(body_table *table);

/* Readers, one for each format: each adds all frames of a file. false: a complaint. */
typedef bool read_table(body_table *table, const char *data, size_t size);
read_table read_csv, read_npy, read_xyz, read_lammps_data, read_lammps_dump, read_gsd;

#endif
