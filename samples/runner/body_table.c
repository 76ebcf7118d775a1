/* See body_table.h. */
#include "body_table.h"

#include <float.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "arrays.h"

const char *const column_names[COLUMNS] = {[COLUMN_X] = "x",
                                           [COLUMN_Y] = "y",
                                           [COLUMN_Z] = "z",
                                           [COLUMN_VX] = "vx",
                                           [COLUMN_VY] = "vy",
                                           [COLUMN_VZ] = "vz",
                                           [COLUMN_WX] = "wx",
                                           [COLUMN_WY] = "wy",
                                           [COLUMN_WZ] = "wz",
                                           [COLUMN_QX] = "qx",
                                           [COLUMN_QY] = "qy",
                                           [COLUMN_QZ] = "qz",
                                           [COLUMN_QW] = "qw",
                                           [COLUMN_RADIUS] = "radius",
                                           [COLUMN_DIAMETER] = "diameter",
                                           [COLUMN_MASS] = "mass",
                                           [COLUMN_DENSITY] = "density",
                                           [COLUMN_RESTITUTION] = "restitution",
                                           [COLUMN_FRICTION] = "friction",
                                           [COLUMN_ROLLING_RESISTANCE] = "rolling_resistance",
                                           [COLUMN_TANGENTIAL_RESTITUTION] =
                                               "tangential_restitution",
                                           [COLUMN_GRAVITY_SCALE] = "gravity_scale",
                                           [COLUMN_TYPE] = "type",
                                           [COLUMN_CATEGORY] = "category",
                                           [COLUMN_MASK] = "mask",
                                           [COLUMN_SENSOR] = "sensor",
                                           [COLUMN_KIND] = "kind",
                                           [COLUMN_IX] = "ix",
                                           [COLUMN_IY] = "iy",
                                           [COLUMN_IZ] = "iz",
                                           [COLUMN_ID] = "id",
                                           [COLUMN_TICK] = "tick",
                                           [COLUMN_TIME] = "time",
                                           [COLUMN_PX] = "momenta",
                                           [COLUMN_PY] = "momenta",
                                           [COLUMN_PZ] = "momenta"};

/* Allowed values of each column. A column that is all 0 here allows +-LARGEST. */
typedef struct range {
    double low, high;
    bool positive; /* true: in (0, LARGEST]; low and high are unused */
    bool whole;    /* true: integers only */
} range;

static const range ranges[COLUMNS] = {[COLUMN_RADIUS] = {.positive = true},
                                      [COLUMN_DIAMETER] = {.positive = true},
                                      [COLUMN_MASS] = {.positive = true},
                                      [COLUMN_DENSITY] = {.positive = true},
                                      [COLUMN_RESTITUTION] = {0, 1},
                                      [COLUMN_FRICTION] = {0, 1e6},
                                      [COLUMN_ROLLING_RESISTANCE] = {0, 1e6},
                                      [COLUMN_TANGENTIAL_RESTITUTION] = {-1, 1},
                                      [COLUMN_GRAVITY_SCALE] = {-1e6, 1e6},
                                      [COLUMN_TYPE] = {0, KUGEL_KINEMATIC, .whole = true},
                                      [COLUMN_CATEGORY] = {0, UINT32_MAX, .whole = true},
                                      [COLUMN_MASK] = {0, UINT32_MAX, .whole = true},
                                      [COLUMN_SENSOR] = {0, 1, .whole = true},
                                      [COLUMN_KIND] = {0, KUGEL_KIND_COUNT - 1, .whole = true},
                                      [COLUMN_IX] = {INT32_MIN, INT32_MAX, .whole = true},
                                      [COLUMN_IY] = {INT32_MIN, INT32_MAX, .whole = true},
                                      [COLUMN_IZ] = {INT32_MIN, INT32_MAX, .whole = true},
                                      [COLUMN_ID] = {0, 9007199254740992.0, .whole = true},
                                      [COLUMN_TICK] = {0, 9007199254740992.0, .whole = true},
                                      [COLUMN_PX] = {-DBL_MAX, DBL_MAX},
                                      [COLUMN_PY] = {-DBL_MAX, DBL_MAX},
                                      [COLUMN_PZ] = {-DBL_MAX, DBL_MAX}};

bool table_refuse(const body_table *table, uint64_t place, const char *format, ...)
{
    char what[240], where[32] = "";
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (place)
        snprintf(where, sizeof where, table->rows_are_lines ? ":%llu" : ": row %llu",
                 (unsigned long long)(table->rows_are_lines ? place : place - 1));
    return refuse(table->complaint, EXIT_USAGE, "%s: bodies: %s%s: %s", table->scene, table->file,
                  where, what);
}

static void clear(body_table *table)
{
    for (int k = 0; k < COLUMNS; ++k) arrfree(table->values[k]);
    arrfree(table->places);
}

void table_free(body_table *table) { clear(table); }

bool table_frame(body_table *table, uint64_t tick)
{
    if (table->one_tick && tick != table->tick) return false;
    clear(table);
    table->box = (file_box){0};
    table->found = true;
    return true;
}

bool table_set(const body_table *table, table_row *row, column column, double value)
{
    const char *name = column_names[column];
    range in = ranges[column];
    if (!in.positive && in.low == in.high) in.low = -LARGEST, in.high = LARGEST;
    if (in.positive) in.high = LARGEST;
    if (!isfinite(value))
        return table_refuse(table, row->place, "%s: must be a finite number", name);
    if (in.positive && !(value > 0))
        return table_refuse(table, row->place, "%s: must be > 0, got %.10g", name, value);
    if (column == COLUMN_MASS && value < 0.999999e-30) /* a float of 1e-30 may be smaller */
        return table_refuse(table, row->place, "mass: must be >= 1e-30, got %.10g", value);
    if (value < in.low || value > in.high)
        return table_refuse(table, row->place, "%s: must be in [%.10g, %.10g], got %.10g", name,
                            in.low, in.high, value);
    if (in.whole && value != floor(value))
        return table_refuse(table, row->place, "%s: must be a whole number, got %.10g", name,
                            value);
    row->values[column] = value;
    return true;
}

/* A column is made when the first row has a value for it; earlier rows get NAN. */
bool table_add(body_table *table, const table_row *row)
{
    size_t rows = arrlenu(table->places);
    if (rows == MOST_BODIES) return table_refuse(table, 0, "more than %d bodies", MOST_BODIES);
    for (int k = 0; k < COLUMNS; ++k) {
        if (isnan(row->values[k]) && !table->values[k]) continue;
        while (arrlenu(table->values[k]) < rows) arrput(table->values[k], NAN);
        arrput(table->values[k], row->values[k]);
    }
    arrput(table->places, row->place);
    return true;
}

typedef struct key {
    double id;
    size_t row;
} key;

static int compare(const void *a, const void *b)
{
    const key *p = a, *q = b;
    return p->id < q->id ? -1 : p->id > q->id;
}

/* Rows in the order of ids, an stb_ds array. false: an id is missing or appears twice. */
static bool sort_rows(const body_table *table, key **keys)
{
    const double *ids = table->values[COLUMN_ID];
    size_t rows = arrlenu(table->places);
    for (size_t i = 0; i < rows; ++i) {
        key one = {ids ? ids[i] : (double)i, i};
        if (isnan(one.id)) return table_refuse(table, table->places[i], "id: is missing");
        arrput(*keys, one);
    }
    if (rows > 1 && ids) qsort(*keys, rows, sizeof **keys, compare);
    for (size_t i = 1; i < rows; ++i) {
        if ((*keys)[i].id != (*keys)[i - 1].id) continue;
        size_t a = (*keys)[i].row, b = (*keys)[i - 1].row;
        return table_refuse(table, table->places[a > b ? a : b], "id: %.10g appears twice",
                            (*keys)[i].id);
    }
    return true;
}

/* The value of a row, or `otherwise` if the file gives none. */
static double get(const body_table *table, size_t row, column column, double otherwise)
{
    const double *values = table->values[column];
    return values && !isnan(values[row]) ? values[row] : otherwise;
}

static bool has(const body_table *table, size_t row, column column)
{
    return !isnan(get(table, row, column, NAN));
}

static bool get_rotation(const body_table *table, size_t row, double q[4])
{
    double sum = 0;
    bool any = false;
    for (int k = 0; k < 4; ++k) {
        q[k] = get(table, row, (column)(COLUMN_QX + k), NAN);
        any = any || !isnan(q[k]);
        sum += q[k] * q[k];
    }
    if (any && isnan(sum))
        return table_refuse(table, table->places[row], "qx, qy, qz, qw: needs all four");
    if (!any) return memcpy(q, (double[4]){0, 0, 0, 1}, 4 * sizeof *q), true;
    if (fabs(sqrt(sum) - 1) <= 1e-6) return true;
    return table_refuse(table, table->places[row],
                        "qx, qy, qz, qw: must be a unit quaternion, its length is %.10g",
                        sqrt(sum));
}

/* Exports write a mass of 1e-30 kg, maybe rounded to a float, for static and kinematic bodies. */
static kugel_body_type get_type(const body_table *table, size_t row, kugel_body_type otherwise)
{
    bool infinite = get(table, row, COLUMN_MASS, 1) < 1.000001e-30, moves = false;
    if (has(table, row, COLUMN_TYPE) || !infinite)
        return (kugel_body_type)get(table, row, COLUMN_TYPE, otherwise);
    for (int k = 0; k < 6; ++k) moves = moves || get(table, row, (column)(COLUMN_VX + k), 0) != 0;
    for (int k = 0; k < 3; ++k) moves = moves || get(table, row, (column)(COLUMN_PX + k), 0) != 0;
    return moves ? KUGEL_KINEMATIC : KUGEL_STATIC;
}

/* The velocity of the file, or its momentum over the mass, which the file or the scene gives. */
static bool get_velocity(const body_table *table, size_t row, bool has_mass, kugel_body_def *def)
{
    table_row moved = table_row_at(table->places[row]);
    for (int k = 0; k < 3; ++k) {
        column v = (column)(COLUMN_VX + k), p = (column)(COLUMN_PX + k);
        if (!has(table, row, v) && has(table, row, p)) {
            if (!has_mass)
                return table_refuse(table, moved.place,
                                    "momenta: needs a mass, of the file or of defaults");
            if (!table_set(table, &moved, v, get(table, row, p, 0) / def->mass)) return false;
            def->velocity[k] = moved.values[v];
        } else def->velocity[k] = get(table, row, v, def->velocity[k]);
    }
    return true;
}

static bool make_body(const body_table *table, scene *scene, size_t row)
{
    kugel_body_def def = scene->defaults;
    grains grains = scene->grains;
    uint64_t place = table->places[row];
    def.type = get_type(table, row, def.type);
    if (def.type == KUGEL_STATIC)
        memset(def.spin, 0, sizeof def.spin); /* static bodies ignore the default spin */
    for (int k = 0; k < 3; ++k) {
        def.position[k] = get(table, row, (column)(COLUMN_X + k), NAN);
        if (isnan(def.position[k]))
            return table_refuse(table, place, "%s: is missing", column_names[COLUMN_X + k]);
        def.spin[k] = get(table, row, (column)(COLUMN_WX + k), def.spin[k]);
        if (scene->world.bounds.faces[2 * k] != KUGEL_FACE_PERIODIC) continue;
        def.image[k] = (int32_t)get(table, row, (column)(COLUMN_IX + k), 0);
        if (table->wraps && !file_box_wrap(&scene->world.bounds, k, &def))
            return table_refuse(table, place, "%s: is more than 2^31 - 1 images outside the bounds",
                                column_names[COLUMN_X + k]);
    }
    if (!get_rotation(table, row, def.rotation)) return false;
    if (has(table, row, COLUMN_MASS) && has(table, row, COLUMN_DENSITY))
        return table_refuse(table, place, "density: replaces mass: give one of them");
    if (has(table, row, COLUMN_RADIUS) && has(table, row, COLUMN_DIAMETER))
        return table_refuse(table, place, "diameter: replaces radius: give one of them");
    double radius = get(table, row, COLUMN_RADIUS, get(table, row, COLUMN_DIAMETER, 0) / 2);
    if (!(radius > 0)) radius = radii_draw(&grains.radii, scene->choices, &scene->listed_random);
    if (has(table, row, COLUMN_MASS)) grains.density = 0;
    grains.mass = get(table, row, COLUMN_MASS, grains.mass);
    grains.density = get(table, row, COLUMN_DENSITY, grains.density);
    grains_set(&grains, radius, &def);
    bool has_mass = grains.given || has(table, row, COLUMN_MASS) || has(table, row, COLUMN_DENSITY);
    if (!get_velocity(table, row, has_mass, &def)) return false;
    def.restitution = get(table, row, COLUMN_RESTITUTION, def.restitution);
    def.friction = get(table, row, COLUMN_FRICTION, def.friction);
    def.rolling_resistance = get(table, row, COLUMN_ROLLING_RESISTANCE, def.rolling_resistance);
    def.tangential_restitution =
        get(table, row, COLUMN_TANGENTIAL_RESTITUTION, def.tangential_restitution);
    def.gravity_scale = get(table, row, COLUMN_GRAVITY_SCALE, def.gravity_scale);
    def.category = (uint32_t)get(table, row, COLUMN_CATEGORY, def.category);
    def.mask = (uint32_t)get(table, row, COLUMN_MASK, def.mask);
    def.sensor = get(table, row, COLUMN_SENSOR, def.sensor) != 0;
    def.kind = (uint32_t)get(table, row, COLUMN_KIND, def.kind);
    arrput(scene->bodies, def);
    arrput(scene->body_places, place);
    return true;
}

bool table_finish(body_table *table, scene *scene)
{
    if (!table->found && table->one_tick)
        return table_refuse(table, 0, "has no tick %llu", (unsigned long long)table->tick);
    if (!table->found) return table_refuse(table, 0, "holds no bodies");
    if (!file_box_use(table, scene)) return false;
    key *keys = NULL;
    bool good = sort_rows(table, &keys);
    for (size_t i = 0; i < arrlenu(keys) && good; ++i) good = make_body(table, scene, keys[i].row);
    arrfree(keys);
    return good;
}
