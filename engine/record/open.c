/* Taking a snapshot apart and checking it. In: bytes that may be anything. Out: a view whose columns
 * lie inside the bytes; after validation every value is one that a world could hold. */
#include <string.h>

#include "base/bytes.h"
#include "record/snapshot.h"
#include "world/validate.h"

static kugel_status bad(kugel_error *error, const char *what, const char *why)
{
    return kg_error_set(error, KUGEL_ERROR_FORMAT, what, "%s", why);
}

/* ---- layout ---- */

typedef struct cursor {
    const uint8_t *at, *end;
    kg_snapshot_view *view;
    bool fits;
} cursor;

static void next_column(cursor *c, uint32_t which, uint32_t count, kg_kind kind)
{
    kg_column_view *column = &c->view->columns[which];
    c->fits = c->fits && kg_column_read(c->at, (size_t)(c->end - c->at), count, kind, column);
    if (c->fits) c->at += column->size;
}

static void next_fields(cursor *c, uint32_t which, const kg_field *fields, uint32_t n, uint32_t rows)
{
    for (uint32_t k = 0; k < n; ++k) {
        if (kg_field_is_saved(&fields[k], c->view->flags)) next_column(c, which + k, rows, fields[k].kind);
    }
}

static void next_live(cursor *c)
{
    kg_snapshot_view *view = c->view;
    size_t size = ((size_t)view->id_end + 7) / 8;
    if (view->bodies == view->id_end) return;
    c->fits = c->fits && size <= (size_t)(c->end - c->at);
    if (!c->fits) return;
    view->live = c->at;
    c->at += size;
}

static bool read_layout(kg_snapshot_view *view)
{
    cursor c = {view->data + KG_SNAPSHOT_HEAD, view->data + view->size, view, true};
    size_t planes = view->plane_count * (size_t)KG_PLANE_BYTES;
    if (planes > (size_t)(c.end - c.at)) return false;
    view->planes = c.at;
    c.at += planes;
    if (view->contacts) {
        next_column(&c, KG_VIEW_CONTACT_A, view->contacts, KG_U32);
        next_column(&c, KG_VIEW_CONTACT_B, view->contacts, KG_U32);
        next_column(&c, KG_VIEW_CONTACT_OTHER, view->contacts, KG_U8);
        next_fields(&c, KG_VIEW_CONTACT_FIELDS, kg_contact_fields, KG_CONTACT_FIELDS, view->contacts);
    }
    if (view->id_end) {
        next_column(&c, KG_VIEW_GENERATIONS, view->id_end, KG_U32);
        next_live(&c);
    }
    if (view->bodies) {
        next_fields(&c, KG_VIEW_BODY_FIELDS, kg_body_fields, KG_BODY_COLUMNS, view->bodies);
        next_fields(&c, KG_VIEW_MATERIAL_FIELDS, kg_material_fields, KG_MATERIAL_FIELDS, view->bodies);
    }
    return c.fits && c.at == c.end;
}

static void read_head(kg_snapshot_view *view)
{
    const uint8_t *data = view->data;
    view->tick = kg_get64(data + 32);
    view->time = kg_double(kg_get64(data + 40));
    view->impacts = kg_get64(data + 48);
    view->budgets = kg_get64(data + 56);
    view->bodies = kg_get32(data + 64);
    view->id_end = kg_get32(data + 68);
    view->contacts = kg_get32(data + 72);
    view->plane_count = kg_get32(data + 76);
    view->flags = kg_get32(data + 80);
    view->def = kg_world_def_read(data + KG_SNAPSHOT_DEF);
}

kugel_status kg_snapshot_open(const void *data, size_t size, kg_snapshot_view *view, kugel_error *error)
{
    const uint8_t *bytes = data;
    *view = (kg_snapshot_view){.data = data, .size = size};
    if (size < KG_SNAPSHOT_HEAD || memcmp(bytes, KG_SNAPSHOT_MAGIC, 8) != 0) {
        return bad(error, "data", "is not a snapshot");
    }
    uint32_t format = kg_get32(bytes + 8), epoch = kg_get32(bytes + 12);
    if (kg_get64(bytes + 16) != size) return bad(error, "size", "is not the snapshot's: it was cut, or more follows");
    if (kg_get64(bytes + KG_SNAPSHOT_CHECK) != kg_snapshot_hash(bytes, size)) {
        return bad(error, "data", "is damaged: its check does not fit");
    }
    if (format != KUGEL_SNAPSHOT_FORMAT) {
        return kg_error_set(error, KUGEL_ERROR_FORMAT, "data", "has snapshot format %u, only %d is known", format,
                            KUGEL_SNAPSHOT_FORMAT);
    }
    if (epoch != KUGEL_PHYSICS_EPOCH) {
        return kg_error_set(error, KUGEL_ERROR_FORMAT, "data", "is of physics epoch %u, this is %d", epoch,
                            KUGEL_PHYSICS_EPOCH);
    }
    read_head(view);
    bool sane = view->bodies <= view->id_end && view->id_end <= KG_BODY_LIMIT && view->plane_count <= KG_PLANE_LIMIT &&
                view->flags <= KG_SNAPSHOT_LOADS && (view->bodies || !view->contacts);
    if (!sane) return bad(error, "data", "counts what no world can hold");
    return read_layout(view) ? KUGEL_OK : bad(error, "data", "holds other columns than it counts");
}

/* ---- values ---- */

/* The values that a column keeps; its rows are some of these. */
static uint32_t kept(const kg_column_view *view)
{
    return view->mode == 1 ? 1 : view->mode == 2 ? view->bytes[1] : view->count;
}

/* Are all numbers finite and within the limit? NaN fails every comparison. */
static bool in_range(const kg_column_view *view)
{
    uint32_t n = kept(view), bad = 0;
    if (view->kind == KG_F64) {
        for (uint32_t k = 0; k < n; ++k) {
            bad |= !(__builtin_fabs(kg_double(kg_get64(view->values + 8 * (size_t)k))) <= KG_VALUE_LIMIT);
        }
    } else if (view->kind == KG_F32) {
        for (uint32_t k = 0; k < n; ++k) {
            bad |= (kg_get32(view->values + 4 * (size_t)k) & 0x7f800000u) == 0x7f800000u;
        }
    }
    return !bad;
}

static kugel_status check_numbers(const kg_snapshot_view *view, uint32_t which, const kg_field *fields, uint32_t n,
                                  kugel_error *error)
{
    for (uint32_t k = 0; k < n; ++k) {
        const kg_column_view *column = &view->columns[which + k];
        if (column->bytes && !in_range(column)) return bad(error, fields[k].name, "is out of range");
    }
    return KUGEL_OK;
}

/* Set bits are as many as bodies; the last byte has none beyond the end; the last id was given once. */
static bool ids_fit(const kg_snapshot_view *view)
{
    uint32_t count = 0;
    if (!view->live) return true;
    for (uint32_t id = 0; id < view->id_end; ++id) count += view->live[id / 8] >> id % 8 & 1u;
    if (view->id_end % 8 && view->live[view->id_end / 8] >> view->id_end % 8) return false;
    return count == view->bodies;
}

static bool is_live(const kg_snapshot_view *view, uint32_t id)
{
    return id < view->id_end && (!view->live || (view->live[id / 8] >> id % 8 & 1));
}

/* Contacts name live bodies and boundaries that can be there, in the order of kg_contact_key. */
static bool contacts_fit(const kg_snapshot_view *view)
{
    const kg_column_view *columns = view->columns;
    uint64_t before = 0;
    for (uint32_t k = 0; k < view->contacts; ++k) {
        kg_contact c = {.a = (uint32_t)kg_column_bits(&columns[KG_VIEW_CONTACT_A], k)};
        c.b = (uint32_t)kg_column_bits(&columns[KG_VIEW_CONTACT_B], k);
        c.other = (uint8_t)kg_column_bits(&columns[KG_VIEW_CONTACT_OTHER], k);
        if (!is_live(view, c.a)) return false;
        if (c.other == KG_OTHER_BODY ? c.b <= c.a || !is_live(view, c.b)
                                     : c.b != c.other || c.other >= KG_OTHER_PLANE + view->plane_count) {
            return false;
        }
        if (k && kg_contact_key(&c) <= before) return false;
        before = kg_contact_key(&c);
    }
    return true;
}

/* Places inside the periodic axes, bodies small enough for their images: the step counts on it. */
static bool periodic_axes_fit(const kg_snapshot_view *view, double radius)
{
    const kugel_bounds *bounds = &view->def.bounds;
    for (uint32_t axis = 0; axis < 3; ++axis) {
        if (bounds->faces[2 * axis] != KUGEL_FACE_PERIODIC) continue;
        const kg_column_view *x = &view->columns[KG_VIEW_BODY_FIELDS + axis];
        if (!(bounds->max[axis] - bounds->min[axis] > 4 * radius)) return false;
        for (uint32_t r = 0; r < view->bodies; ++r) {
            double at = kg_double(kg_column_bits(x, r));
            if (!(at >= bounds->min[axis] && at <= bounds->max[axis])) return false;
        }
    }
    return true;
}

/* Infinite mass is for those that are not dynamic, and for them alone. */
static kugel_status check_bodies(const kg_snapshot_view *view, kugel_error *error)
{
    const kg_column_view *columns = &view->columns[KG_VIEW_BODY_FIELDS], *mass = NULL, *type = NULL, *radius = NULL;
    for (uint32_t k = 0; k < KG_BODY_COLUMNS; ++k) {
        uint32_t at = kg_body_fields[k].offset;
        if (at == offsetof(kg_bodies, mass)) mass = &columns[k];
        if (at == offsetof(kg_bodies, type)) type = &columns[k];
        if (at == offsetof(kg_bodies, radius)) radius = &columns[k];
    }
    double least = KG_VALUE_LIMIT, most = 0;
    for (uint32_t k = 0; k < kept(radius); ++k) {
        double r = kg_double(kg_get64(radius->values + 8 * (size_t)k));
        least = r < least ? r : least;
        most = r > most ? r : most;
    }
    if (!(least >= KG_RADIUS_MIN)) return bad(error, "radius", "is too small");
    if (!periodic_axes_fit(view, most)) return bad(error, "bounds", "do not hold the bodies along a periodic axis");
    uint32_t rows = type->mode == 1 && mass->mode == 1 ? 1 : view->bodies;
    for (uint32_t r = 0; r < rows; ++r) {
        uint64_t t = kg_column_bits(type, r), m = kg_column_bits(mass, r);
        if (t > KUGEL_KINEMATIC) return bad(error, "type", "is not known");
        if (t == KUGEL_DYNAMIC ? !(kg_double(m) >= KG_MASS_MIN) : m != 0) return bad(error, "mass", "is out of range");
    }
    uint32_t flag = 0;
    while (kg_material_fields[flag].offset != offsetof(kg_material, sensor)) ++flag;
    const kg_column_view *sensor = &view->columns[KG_VIEW_MATERIAL_FIELDS + flag];
    for (uint32_t r = 0; r < (sensor->mode == 1 ? 1 : view->bodies); ++r) {
        if (kg_column_bits(sensor, r) > 1) return bad(error, "sensor", "is neither true nor false");
    }
    return KUGEL_OK;
}

static kugel_status check_world(const kg_snapshot_view *view, kugel_error *error)
{
    kugel_error why;
    kugel_status status = kg_check_world_def(&view->def, &why);
    if (!(view->time >= 0) || !(view->time <= 1e300)) return bad(error, "time", "is out of range");
    for (uint32_t p = 0; p < view->plane_count && !status; ++p) {
        kugel_plane plane = kg_plane_read(view->planes + p * (size_t)KG_PLANE_BYTES);
        status = kg_check_plane(&plane, &why);
    }
    return status ? bad(error, why.argument, why.message) : KUGEL_OK;
}

kugel_status kg_snapshot_validate(const kg_snapshot_view *view, kugel_error *error)
{
    kugel_status status = check_world(view, error);
    if (!status) status = check_numbers(view, KG_VIEW_CONTACT_FIELDS, kg_contact_fields, KG_CONTACT_FIELDS, error);
    if (!status) status = check_numbers(view, KG_VIEW_BODY_FIELDS, kg_body_fields, KG_BODY_COLUMNS, error);
    if (!status) status = check_numbers(view, KG_VIEW_MATERIAL_FIELDS, kg_material_fields, KG_MATERIAL_FIELDS, error);
    if (!status && view->bodies) status = check_bodies(view, error);
    if (!status && !ids_fit(view)) status = bad(error, "ids", "are not as many as bodies");
    if (!status && !contacts_fit(view)) status = bad(error, "contacts", "name what is not there, or are out of order");
    return status;
}
