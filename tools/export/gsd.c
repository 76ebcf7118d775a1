/* GSD 2.0, HOOMD's format, with its schema "hoomd" 1.4: gsd.hoomd.open(f).
 * A file is a head, arrays one after the other, their names, and an index of the arrays by frame
 * and name; the head says where names and index are, and is written last. HOOMD's numbers are
 * floats and its box is centred at the origin: positions are relative to the box's centre, which
 * log/center keeps, with time, ids and spins. Open faces: the box ends at the bodies. Resting
 * contacts of two bodies are bonds. */
#include "contact_rows.h"
#include "format.h"

enum { HEAD = 256, NAME = 64 /* bytes that the names' length is counted in */ };
enum { BYTE = 1, U32 = 3, U64 = 4, I8 = 5, I32 = 7, FLOAT = 9, DOUBLE = 10 }; /* GSD's types */

static const char *const names[] = {"configuration/step", "configuration/dimensions",
                                    "configuration/box",  "particles/N",
                                    "particles/position", "particles/velocity",
                                    "particles/mass",     "particles/diameter",
                                    "particles/image",    "bonds/N",
                                    "bonds/types",        "bonds/typeid",
                                    "bonds/group",        "log/time",
                                    "log/center",         "log/particles/id",
                                    "log/particles/spin"};
enum {
    STEP,
    DIMENSIONS,
    BOX,
    COUNT,
    POSITION,
    VELOCITY,
    MASS,
    DIAMETER,
    IMAGE,
    BOND_COUNT,
    BOND_TYPES,
    BOND_TYPE,
    BOND_GROUP,
    TIME,
    CENTER,
    ID,
    SPIN,
    NAMES
};

typedef struct entry {
    uint64_t frame, rows;
    int64_t place;
    uint32_t columns;
    uint16_t name;
    uint8_t type;
} entry;

typedef struct gsd {
    entry *index;
    size_t count, room;
    float *floats; /* of one array */
    size_t floats_room;
    contact_rows contacts;
} gsd;

static void write_u32(FILE *to, uint32_t x) { write_numbers(to, &x, 4, 1); }
static void write_u64(FILE *to, uint64_t x) { write_numbers(to, &x, 8, 1); }

static void write_text(FILE *to, const char *text, size_t room)
{
    size_t n = strlen(text);
    fwrite(text, 1, n, to);
    for (; n < room; ++n) fputc(0, to);
}

static void write_head(exporter *e, uint64_t index, uint64_t entries, uint64_t list,
                       uint64_t list_units)
{
    write_u64(e->to, 0x65df65df65df65df);
    write_u64(e->to, index);
    write_u64(e->to, entries);
    write_u64(e->to, list);
    write_u64(e->to, list_units);
    write_u32(e->to, 1u << 16 | 4); /* the schema's version */
    write_u32(e->to, 2u << 16);     /* GSD's */
    write_text(e->to, "kugel " KUGEL_VERSION_STRING, 64);
    write_text(e->to, "hoomd", 64);
    write_text(e->to, "", 80);
}

static bool begin(exporter *e)
{
    e->state = calloc(1, sizeof(gsd));
    if (e->state) write_head(e, 0, 0, 0, 0);
    return e->state;
}

static bool add_array(exporter *e, const frame *f, uint16_t name, uint8_t type, const void *values,
                      size_t size, uint64_t rows, uint32_t columns)
{
    gsd *g = e->state;
    if (g->count == g->room) {
        size_t room = g->room ? 2 * g->room : 256;
        entry *index = realloc(g->index, room * sizeof *index);
        if (!index) return errno = ENOMEM, false;
        g->index = index, g->room = room;
    }
    g->index[g->count++] = (entry){f->number, rows, ftell(e->to), columns, name, type};
    write_numbers(e->to, values, size, rows * columns);
    return true;
}

/* (values - from) * by as floats; `from` is for three columns. */
static bool add_floats(exporter *e, const frame *f, uint16_t name, const double *values,
                       uint32_t columns, const double from[3], double by)
{
    gsd *g = e->state;
    size_t n = f->rows->count * (size_t)columns;
    if (n > g->floats_room) {
        float *floats = realloc(g->floats, n * sizeof *floats);
        if (!floats) return errno = ENOMEM, false;
        g->floats = floats, g->floats_room = n;
    }
    for (size_t i = 0; i < n; ++i)
        g->floats[i] = (float)((values[i] - (columns == 3 ? from[i % 3] : 0)) * by);
    return add_array(e, f, name, FLOAT, g->floats, sizeof(float), f->rows->count, columns);
}

/* The bonds of a frame: a type, and pairs of rows. A frame without bonds has no arrays of them. */
static bool add_bonds(exporter *e, const frame *f)
{
    contact_rows *contacts = &((gsd *)e->state)->contacts;
    static const char type[] = "contact";
    if (f->has_no_contacts) return true;
    if (!contact_rows_read(contacts, f->world)) return errno = ENOMEM, false;
    uint32_t *pairs = calloc(3 * contacts->count + 1, sizeof *pairs), n = 0;
    if (!pairs) return errno = ENOMEM, false;
    for (size_t i = 0; i < contacts->count; ++i) {
        const kugel_resting_contact *c = &contacts->rows[i];
        if (c->target != KUGEL_TARGET_BODY) continue;
        pairs[2 * n] = rows_find(f->rows, kugel_body_id(c->a));
        pairs[2 * n++ + 1] = rows_find(f->rows, c->index);
    }
    const uint32_t *types = pairs + 2 * contacts->count; /* all 0 */
    bool good = add_array(e, f, BOND_COUNT, U32, &n, 4, 1, 1) &&
                add_array(e, f, BOND_TYPES, I8, type, 1, 1, sizeof type) &&
                (!n || (add_array(e, f, BOND_TYPE, U32, types, 4, n, 1) &&
                        add_array(e, f, BOND_GROUP, U32, pairs, 4, n, 2)));
    free(pairs);
    return good;
}

static bool add(exporter *e, const frame *f)
{
    const row_set *rows = f->rows;
    const double origin[3] = {0, 0, 0};
    double center[3];
    float box[6] = {0};
    uint8_t dimensions = 3;
    for (int k = 0; k < 3; ++k)
        center[k] = 0.5 * (f->low[k] + f->high[k]), box[k] = (float)(f->high[k] - f->low[k]);
    return add_array(e, f, STEP, U64, &f->tick, 8, 1, 1) &&
           add_array(e, f, DIMENSIONS, BYTE, &dimensions, 1, 1, 1) &&
           add_array(e, f, BOX, FLOAT, box, 4, 6, 1) &&
           add_array(e, f, COUNT, U32, &rows->count, 4, 1, 1) &&
           add_floats(e, f, POSITION, rows->position, 3, center, 1) &&
           add_floats(e, f, VELOCITY, rows->velocity, 3, origin, 1) &&
           add_floats(e, f, MASS, rows->mass, 1, origin, 1) &&
           add_floats(e, f, DIAMETER, rows->radius, 1, origin, 2) &&
           add_array(e, f, IMAGE, I32, rows->image, 4, rows->count, 3) && add_bonds(e, f) &&
           add_array(e, f, TIME, DOUBLE, &f->time, 8, 1, 1) &&
           add_array(e, f, CENTER, DOUBLE, center, 8, 3, 1) &&
           add_array(e, f, ID, U32, rows->ids, 4, rows->count, 1) &&
           add_floats(e, f, SPIN, rows->spin, 3, origin, 1);
}

/* Names, index, head. The arrays were added in the order of frames and names, which the index must
 * have. */
static bool finish(exporter *e)
{
    const gsd *g = e->state;
    long list = ftell(e->to);
    size_t bytes = 0;
    for (int k = 0; k < NAMES; ++k) bytes += strlen(names[k]) + 1;
    size_t units = bytes / NAME + 1;
    for (int k = 0; k < NAMES; ++k) fwrite(names[k], 1, strlen(names[k]) + 1, e->to);
    write_text(e->to, "", units * NAME - bytes);
    long index = ftell(e->to);
    if (list < 0 || index < 0) return false;
    for (size_t i = 0; i < g->count; ++i) {
        const entry *a = &g->index[i];
        write_u64(e->to, a->frame);
        write_u64(e->to, a->rows);
        write_u64(e->to, (uint64_t)a->place);
        write_u32(e->to, a->columns);
        write_numbers(e->to, &a->name, 2, 1);
        fputc(a->type, e->to);
        fputc(0, e->to);
    }
    write_text(e->to, "", 32); /* an empty entry terminates the list */
    if (fseek(e->to, 0, SEEK_SET) != 0) return false;
    write_head(e, (uint64_t)index, g->count + 1, (uint64_t)list, units);
    return true;
}

static void release(exporter *e)
{
    gsd *g = e->state;
    if (g) free(g->index), free(g->floats), contact_rows_free(&g->contacts);
    free(g);
}

const export_format export_gsd = {.name = "gsd",
                                  .endings = {".gsd"},
                                  .details = true,
                                  .seeks = true,
                                  .begin = begin,
                                  .add = add,
                                  .finish = finish,
                                  .release = release};
