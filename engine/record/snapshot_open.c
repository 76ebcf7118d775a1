/* Parsing of a snapshot. In: any bytes. Out: a view whose columns lie inside the bytes; their
 * values are checked in snapshot_validate.c. */
#include <string.h>

#include "base/bytes.h"
#include "record/snapshot.h"
#include "world/world.h"

static kugel_status format_error(kugel_error *error, const char *what, const char *why)
{
    return kg_error_set(error, KUGEL_ERROR_FORMAT, what, "%s", why);
}

/* ---- layout ---- */

typedef struct cursor {
    const uint8_t *at, *end;
    kg_snapshot_view *view;
    bool fits;
} cursor;

static void next_column(cursor *c, uint32_t which, uint32_t count, kg_field_kind kind)
{
    kg_snapshot_column *column = &c->view->columns[which];
    c->fits =
        c->fits && kg_snapshot_column_read(c->at, (size_t)(c->end - c->at), count, kind, column);
    if (c->fits) c->at += column->size;
}

static void next_fields(cursor *c, uint32_t which, const kg_field *fields, uint32_t n,
                        uint32_t rows)
{
    for (uint32_t k = 0; k < n; ++k) {
        if (kg_snapshot_saves_field(&fields[k], c->view->flags))
            next_column(c, which + k, rows, fields[k].kind);
    }
}

static void next_live_bits(cursor *c)
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
    cursor c = {view->data + KG_SNAPSHOT_HEADER, view->data + view->size, view, true};
    size_t planes = view->plane_count * (size_t)KG_PLANE_BYTES;
    if (planes > (size_t)(c.end - c.at)) return false;
    view->planes = c.at;
    c.at += planes;
    if (view->contacts) {
        next_column(&c, KG_VIEW_CONTACT_A, view->contacts, KG_U32);
        next_column(&c, KG_VIEW_CONTACT_B, view->contacts, KG_U32);
        next_column(&c, KG_VIEW_CONTACT_OTHER, view->contacts, KG_U8);
        next_fields(&c, KG_VIEW_CONTACT_FIELDS, kg_contact_fields, KG_CONTACT_FIELDS,
                    view->contacts);
    }
    if (view->id_end) {
        next_column(&c, KG_VIEW_GENERATIONS, view->id_end, KG_U32);
        next_live_bits(&c);
    }
    if (view->bodies) {
        next_fields(&c, KG_VIEW_BODY_FIELDS, kg_body_fields, KG_BODY_COLUMNS, view->bodies);
        next_fields(&c, KG_VIEW_MATERIAL_FIELDS, kg_material_fields, KG_MATERIAL_FIELDS,
                    view->bodies);
    }
    return c.fits && c.at == c.end;
}

static void read_head(kg_snapshot_view *view)
{
    const uint8_t *data = view->data;
    view->tick = kg_get64(data + 32);
    view->time = kg_double_from_bits(kg_get64(data + 40));
    view->impacts = kg_get64(data + 48);
    view->budgets_exhausted = kg_get64(data + 56);
    view->bodies = kg_get32(data + 64);
    view->id_end = kg_get32(data + 68);
    view->contacts = kg_get32(data + 72);
    view->plane_count = kg_get32(data + 76);
    view->flags = kg_get32(data + 80);
    view->def = kg_def_decode_world(data + KG_SNAPSHOT_DEF);
}

kugel_status kg_snapshot_open(const void *data, size_t size, kg_snapshot_view *view,
                              kugel_error *error)
{
    const uint8_t *bytes = data;
    *view = (kg_snapshot_view){.data = data, .size = size};
    if (size < KG_SNAPSHOT_HEADER || memcmp(bytes, KG_SNAPSHOT_MAGIC, 8) != 0) {
        return format_error(error, "data", "is not a snapshot");
    }
    uint32_t format = kg_get32(bytes + 8), epoch = kg_get32(bytes + 12);
    if (kg_get64(bytes + 16) != size)
        return format_error(error, "size", "is not the snapshot's: it was cut, or more follows");
    if (kg_get64(bytes + KG_SNAPSHOT_CHECKSUM) != kg_snapshot_hash(bytes, size)) {
        return format_error(error, "data", "is damaged: its check does not fit");
    }
    if (format != KUGEL_SNAPSHOT_FORMAT) {
        return kg_error_set(error, KUGEL_ERROR_FORMAT, "data",
                            "has snapshot format %u, only %d is known", format,
                            KUGEL_SNAPSHOT_FORMAT);
    }
    if (epoch != KUGEL_PHYSICS_EPOCH) {
        return kg_error_set(error, KUGEL_ERROR_FORMAT, "data", "is of physics epoch %u, this is %d",
                            epoch, KUGEL_PHYSICS_EPOCH);
    }
    read_head(view);
    bool counts_in_range = view->bodies <= view->id_end && view->id_end <= KG_BODY_LIMIT &&
                           view->plane_count <= KG_PLANE_LIMIT &&
                           view->flags <= KG_SNAPSHOT_LOADS && view->contacts < KG_CONTACT_LIMIT &&
                           (view->bodies || !view->contacts);
    if (!counts_in_range) return format_error(error, "data", "counts what no world can hold");
    return read_layout(view) ? KUGEL_OK
                             : format_error(error, "data", "holds other columns than it counts");
}
