/* Reads bodies from GSD, the format of HOOMD, with the schema "hoomd": positions, velocities,
 * diameters, masses, rotations, images and the box; also ids, spins and the centre of the box,
 * which kugel-run adds. The tick of a frame is its configuration/step, by default 0. An array that
 * a frame lacks is taken from frame 0, if both have the same number of bodies. If frame 0 lacks it,
 * too, the scene's defaults are used, not those of HOOMD. */
#include <string.h>

#include "binary.h"
#include "body_table.h"
#include "text.h"

enum { HEAD = 256, ENTRY = 32, NAME = 64 };

static const char *const names[] = {
    "configuration/step", "particles/N",           "particles/position", "particles/velocity",
    "particles/diameter", "particles/orientation", "particles/mass",     "particles/image",
    "log/particles/id",   "log/particles/spin",    "log/center",         "configuration/box"};
enum {
    STEP,
    COUNT,
    POSITION,
    VELOCITY,
    DIAMETER,
    ROTATION,
    MASS,
    IMAGE,
    ID,
    SPIN,
    CENTER,
    BOX,
    NAMES
};

/* The array of a name in a frame. */
typedef struct array {
    bool listed;      /* true: the index has it */
    const char *data; /* NULL: the array is missing or cannot be read */
    uint64_t rows;
    uint32_t columns;
    number_type type;
} array;

typedef struct gsd {
    const char *data;
    size_t size;
    uint64_t index, entries; /* the index: its first byte, and its number of entries */
    int id[NAMES];           /* ids of the names in the file; -1: the file lacks the name */
} gsd;

static bool refuse_file(const body_table *table, const char *why)
{
    return table_refuse(table, 0, "is not a GSD file that can be read: %s", why);
}

static bool get_type(uint8_t code, number_type *type)
{
    static const number_type types[] = {{'u', 1, 0}, {'u', 2, 0}, {'u', 4, 0}, {'u', 8, 0},
                                        {'i', 1, 0}, {'i', 2, 0}, {'i', 4, 0}, {'i', 8, 0},
                                        {'f', 4, 0}, {'f', 8, 0}};
    if (code < 1 || code > sizeof types / sizeof *types) return false;
    *type = types[code - 1];
    return true;
}

/* Read the list of names. In version 1 names have `fixed` length, 64 bytes; in version 2 each ends
 * with a 0. */
static void find_names(gsd *g, uint64_t list, size_t bytes, bool fixed)
{
    const char *at = g->data + list, *end = at + bytes;
    for (int k = 0; k < NAMES; ++k) g->id[k] = -1;
    for (int id = 0; at < end && *at; ++id) {
        size_t most = fixed ? NAME : (size_t)(end - at), length = strnlen(at, most);
        for (int k = 0; k < NAMES; ++k) {
            if (slice_is((slice){at, length}, names[k])) g->id[k] = id;
        }
        at += fixed ? NAME : length + (length < most);
    }
}

static bool read_head(const body_table *table, gsd *g)
{
    const char *data = g->data;
    if (g->size < HEAD || binary_u64(data) != 0x65df65df65df65df)
        return refuse_file(table, "it does not begin as one");
    g->index = binary_u64(data + 8);
    g->entries = binary_u64(data + 16);
    uint64_t list = binary_u64(data + 24), units = binary_u64(data + 32);
    uint32_t version = binary_u32(data + 44) >> 16;
    if (version < 1 || version > 2) return refuse_file(table, "its version is neither 1 nor 2");
    if (strncmp(data + 112, "hoomd", NAME) != 0)
        return refuse_file(table, "its schema is not hoomd");
    if (g->index > g->size || g->entries > (g->size - g->index) / ENTRY || list > g->size ||
        units > (g->size - list) / NAME)
        return refuse_file(table, "it ends before its index");
    find_names(g, list, (size_t)units * NAME, version == 1);
    return true;
}

/* Read entry k of the index. false: entry k - 1 was the last. */
static bool get_entry(const gsd *g, uint64_t k, uint64_t *frame, int *name, array *array)
{
    if (k == g->entries) return false;
    const char *at = g->data + g->index + k * ENTRY;
    uint64_t place = binary_u64(at + 16);
    if (place == 0) return false;
    *frame = binary_u64(at);
    *name = (unsigned char)at[28] | (unsigned char)at[29] << 8;
    *array = (struct array){true, NULL, binary_u64(at + 8), binary_u32(at + 24), {0}};
    if (!get_type((uint8_t)at[30], &array->type)) return true;
    uint64_t row = (uint64_t)array->columns * array->type.size;
    if (place <= g->size && row > 0 && array->rows <= (g->size - place) / row)
        array->data = g->data + place;
    return true;
}

/* The arrays of a frame. */
static void find_arrays(const gsd *g, uint64_t wanted, array arrays[NAMES])
{
    array found;
    uint64_t frame;
    int name;
    memset(arrays, 0, NAMES * sizeof *arrays);
    for (uint64_t k = 0; get_entry(g, k, &frame, &name, &found); ++k) {
        for (int n = 0; n < NAMES && frame == wanted; ++n) {
            if (g->id[n] == name) arrays[n] = found;
        }
    }
}

static double number_at(const array *a, uint64_t index)
{
    return binary_number(a->data + index * a->type.size, a->type);
}

static bool check_readable(const body_table *table, int name, const array *a)
{
    return !a->listed || a->data ||
           table_refuse(table, 0, "%s: is cut off, or of an unknown type", names[name]);
}

/* Fill in missing arrays of a frame from frame 0, then check all. Out: the number of bodies. */
static bool complete(const body_table *table, array arrays[NAMES], const array first[NAMES],
                     uint64_t *bodies)
{
    static const uint32_t columns[NAMES] = {1, 1, 3, 3, 1, 4, 1, 3, 1, 3, 1, 1};
    const array *count = arrays[COUNT].listed ? &arrays[COUNT] : &first[COUNT];
    if (!check_readable(table, COUNT, count)) return false;
    double number = count->data && count->rows ? number_at(count, 0) : 0;
    if (!(number >= 0 && number <= MOST_BODIES))
        return table_refuse(table, 0, "%s: must be in [0, %d]", names[COUNT], MOST_BODIES);
    *bodies = (uint64_t)number;
    for (int k = POSITION; k < NAMES; ++k) {
        uint64_t rows = k == CENTER ? 3 : k == BOX ? 6 : *bodies;
        if (!arrays[k].listed && first[k].rows == rows) arrays[k] = first[k];
        const array *a = &arrays[k];
        if (!check_readable(table, k, a)) return false;
        bool wrong = a->rows != rows || a->columns != columns[k];
        if (a->data && wrong)
            return table_refuse(table, 0, "%s: must have %llu rows of %u", names[k],
                                (unsigned long long)rows, columns[k]);
    }
    return arrays[POSITION].data || *bodies == 0 ||
           table_refuse(table, 0, "%s: is missing", names[POSITION]);
}

/* Copy row `index` of an array to columns from `first` on. In HOOMD quaternions begin with w. */
static bool set_array(const body_table *table, table_row *row, const array *a, column first,
                      uint64_t index, const array *center)
{
    for (uint32_t k = 0; a->data && k < a->columns; ++k) {
        uint32_t to = a->columns == 4 ? (k + 3) % 4 : k;
        double value = number_at(a, index * a->columns + k);
        if (center && center->data) value += number_at(center, k);
        if (!table_set(table, row, (column)(first + to), value)) return false;
    }
    return true;
}

/* The box around the origin, or around the centre that kugel-run adds. HOOMD's are periodic. */
static file_box box_of(const array *size, const array *center)
{
    file_box box = {.given = size->data, .has_faces = true};
    for (uint64_t k = 0; k < 3 && size->data; ++k) {
        double half = number_at(size, k) / 2, middle = center->data ? number_at(center, k) : 0;
        box.min[k] = middle - half;
        box.max[k] = middle + half;
        box.tilted = box.tilted || number_at(size, 3 + k) != 0;
        box.faces[2 * k] = box.faces[2 * k + 1] = KUGEL_FACE_PERIODIC;
    }
    return box;
}

static bool add_frame(body_table *table, array arrays[NAMES], const array first[NAMES])
{
    static const struct {
        int array;
        column first;
    } columns[] = {{VELOCITY, COLUMN_VX}, {DIAMETER, COLUMN_DIAMETER}, {ROTATION, COLUMN_QX},
                   {MASS, COLUMN_MASS},   {IMAGE, COLUMN_IX},          {ID, COLUMN_ID},
                   {SPIN, COLUMN_WX}};
    uint64_t bodies = 0;
    if (!complete(table, arrays, first, &bodies)) return false;
    table->box = box_of(&arrays[BOX], &arrays[CENTER]);
    for (uint64_t i = 0; i < bodies; ++i) {
        table_row row = table_row_at(i + 1);
        if (!set_array(table, &row, &arrays[POSITION], COLUMN_X, i, &arrays[CENTER])) return false;
        for (size_t k = 0; k < sizeof columns / sizeof *columns; ++k) {
            if (!set_array(table, &row, &arrays[columns[k].array], columns[k].first, i, NULL))
                return false;
        }
        if (!table_add(table, &row)) return false;
    }
    return true;
}

/* The step in an array, or `otherwise` if it is not listed; NAN if it cannot be read. */
static double step_of(const array *a, double otherwise)
{
    if (!a->listed) return otherwise;
    return a->data && a->rows ? number_at(a, 0) : NAN;
}

/* Find the frame of the wanted tick, or the last frame. false: there is none. Entries of the index
 * are in the order of frames. A frame without a step has the step of frame 0, by default 0. */
static bool find_frame(const gsd *g, const body_table *table, const array *first, uint64_t *wanted)
{
    array found;
    uint64_t frame, next = 0;
    int name;
    bool any = false, more = get_entry(g, 0, &frame, &name, &found);
    double usual = step_of(first, 0), step = usual;
    for (uint64_t k = 1; more; ++k) {
        if (name == g->id[STEP]) step = step_of(&found, usual);
        more = get_entry(g, k, &next, &name, &found);
        if (more && next == frame) continue;
        if (!table->one_tick || step == (double)table->tick) *wanted = frame, any = true;
        step = usual;
        frame = next;
    }
    return any;
}

bool read_gsd(body_table *table, const char *data, size_t size)
{
    gsd g = {.data = data, .size = size};
    array first[NAMES], arrays[NAMES];
    uint64_t frame = 0;
    if (!read_head(table, &g)) return false;
    find_arrays(&g, 0, first);
    if (!find_frame(&g, table, &first[STEP], &frame)) return true;
    find_arrays(&g, frame, arrays);
    table_frame(table, table->tick);
    return add_frame(table, arrays, first);
}
