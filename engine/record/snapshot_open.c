/* Parses a snapshot. In: any bytes. Out: a view whose parts lie inside the bytes. Values are
 * checked in snapshot_validate.c. */
#include <string.h>

#include "base/bytes.h"
#include "record/snapshot_surfaces.h"
#include "world/world.h"

kugel_status kg_snapshot_error(kugel_error *error, const char *what, const char *why)
{
    return kg_error_set(error, KUGEL_ERROR_FORMAT, what, "%s", why);
}

const kg_field *kg_snapshot_field(uint32_t column)
{
    static const kg_field generation = {"generation", 0, KG_U32, KG_ROLE_CONSTANT};
    if (column < KG_VIEW_GENERATIONS) return &kg_contact_fields[column];
    if (column < KG_VIEW_BODY_FIELDS) return &generation;
    if (column < KG_VIEW_MATERIAL_FIELDS) return &kg_body_fields[column - KG_VIEW_BODY_FIELDS];
    return &kg_material_fields[column - KG_VIEW_MATERIAL_FIELDS];
}

uint32_t kg_snapshot_rows(const kg_snapshot_counts *counts, uint32_t column)
{
    uint8_t role = kg_snapshot_field(column)->role;
    if (role == KG_ROLE_LOCAL) return 0;
    if (role == KG_ROLE_IMAGE && !(counts->flags & KG_SNAPSHOT_IMAGES)) return 0;
    if (role == KG_ROLE_LOAD && !(counts->flags & KG_SNAPSHOT_LOADS)) return 0;
    if (column < KG_VIEW_GENERATIONS) return counts->contacts;
    return column < KG_VIEW_BODY_FIELDS ? counts->id_end : counts->bodies;
}

kg_pair_row kg_snapshot_pair(const kg_snapshot_view *view, uint32_t k)
{
    kg_pair_row row = {.given = true};
    kg_def_decode(kg_pair_members, view->pairs + k * (size_t)KG_PAIR_BYTES, &row);
    return row;
}

uint32_t kg_snapshot_surface_state(const kg_snapshot_view *view, uint32_t index)
{
    return index < view->counts.surface_indices
               ? kg_get32(view->surface_indices + 4 * (size_t)index)
               : 0;
}

size_t kg_snapshot_live_bytes(const kg_snapshot_counts *counts)
{
    return counts->bodies == counts->id_end ? 0 : ((size_t)counts->id_end + 7) / 8;
}

/* Find all parts behind the header; false unless they end at the end of the snapshot. */
static bool read_layout(kg_snapshot_view *view)
{
    const kg_snapshot_counts *counts = &view->counts;
    const uint8_t *at = view->data + KG_SNAPSHOT_HEADER, *end = view->data + view->size;
    size_t pairs = counts->pairs * (size_t)KG_PAIR_BYTES,
           indices = 4 * (size_t)counts->surface_indices,
           ends = counts->ends * (size_t)KG_END_BYTES,
           exits = counts->exits * (size_t)KG_EXIT_BYTES, live = kg_snapshot_live_bytes(counts);
    if (pairs + indices + ends + exits > (size_t)(end - at)) return false;
    view->pairs = at;
    view->surface_indices = at + pairs;
    view->ends = view->surface_indices + indices;
    view->exits = view->ends + ends;
    view->surfaces = view->exits + exits;
    if (!kg_snapshot_surfaces_open(view)) return false;
    at = view->surfaces_end;
    for (uint32_t c = 0; c < KG_VIEW_COLUMNS; ++c) {
        uint32_t rows = kg_snapshot_rows(counts, c);
        if (rows && !kg_snapshot_column_read(at, (size_t)(end - at), rows,
                                             kg_snapshot_field(c)->kind, &view->columns[c]))
            return false;
        at += view->columns[c].size;
        if (c != KG_VIEW_GENERATIONS || !live) continue;
        if (live > (size_t)(end - at)) return false;
        view->live = at;
        at += live;
    }
    return at == end;
}

kg_snapshot_counts kg_snapshot_read_counts(const uint8_t *header)
{
    return (kg_snapshot_counts){.bodies = kg_get32(header + 64),
                                .id_end = kg_get32(header + 68),
                                .contacts = kg_get32(header + 72),
                                .flags = kg_get32(header + 76),
                                .surfaces = kg_get32(header + 80),
                                .surface_indices = kg_get32(header + 84),
                                .ends = kg_get32(header + 96),
                                .exits = kg_get32(header + 100),
                                .pairs = kg_get32(header + 104)};
}

static void read_head(kg_snapshot_view *view)
{
    const uint8_t *data = view->data;
    view->tick = kg_get64(data + 32);
    view->time = kg_double_from_bits(kg_get64(data + 40));
    view->time_rest = kg_double_from_bits(kg_get64(data + 88));
    view->impacts = kg_get64(data + 48);
    view->budgets_exhausted = kg_get64(data + 56);
    view->physics_epoch = kg_get32(data + 12);
    view->counts = kg_snapshot_read_counts(data);
    view->def = kg_def_decode_world(data + KG_SNAPSHOT_DEF);
}

kugel_status kg_snapshot_open(const void *data, size_t size, kg_snapshot_view *view,
                              kugel_error *error)
{
    const uint8_t *bytes = data;
    *view = (kg_snapshot_view){.data = data, .size = size};
    if (size < KG_SNAPSHOT_HEADER || memcmp(bytes, KG_SNAPSHOT_MAGIC, 8) != 0)
        return kg_snapshot_error(error, "data", "is not a snapshot");
    uint32_t format = kg_get32(bytes + 8);
    if (kg_get64(bytes + 16) != size)
        return kg_snapshot_error(error, "size",
                                 "is not the snapshot's: it was cut, or more follows");
    if (kg_get64(bytes + KG_SNAPSHOT_CHECKSUM) != kg_snapshot_checksum(bytes, size))
        return kg_snapshot_error(error, "data", "is damaged: its check does not fit");
    if (format != KUGEL_SNAPSHOT_FORMAT)
        return kg_error_set(error, KUGEL_ERROR_FORMAT, "data",
                            "has snapshot format %u, only %d is known", format,
                            KUGEL_SNAPSHOT_FORMAT);
    read_head(view);
    const kg_snapshot_counts *n = &view->counts;
    bool counts_in_range =
        n->bodies <= n->id_end && n->id_end <= KG_BODY_LIMIT && n->surfaces <= n->surface_indices &&
        n->surface_indices <= KG_SURFACE_LIMIT && (n->flags & ~(uint32_t)KG_SNAPSHOT_FLAGS) == 0 &&
        n->contacts < KG_CONTACT_LIMIT && (n->bodies || !n->contacts) &&
        n->ends <= size / KG_END_BYTES && n->exits <= size / KG_EXIT_BYTES;
    if (!counts_in_range) return kg_snapshot_error(error, "data", "counts what no world can hold");
    return read_layout(view)
               ? KUGEL_OK
               : kg_snapshot_error(error, "data", "holds other columns than it counts");
}
