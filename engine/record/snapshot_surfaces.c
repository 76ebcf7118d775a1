/* Writes, parses, checks and compares the surfaces in the bytes of a snapshot
 * (snapshot_surfaces.h). */
#include "record/snapshot_surfaces.h"

#include <math.h>

#include "base/bytes.h"
#include "world/validate.h"

enum { HASH_BYTES = 8 };

uint64_t kg_surface_record_geometry_bytes(const kugel_surface_def *def, bool names)
{
    return names && def->shape == KUGEL_SURFACE_MESH ? HASH_BYTES : kg_def_mesh_bytes(def);
}

static uint8_t *put_geometry(const kg_surface *surface, const kugel_surface_def *def, bool names,
                             uint8_t *at)
{
    if (!names || kg_surface_is_solid(surface)) return kg_def_encode_mesh(def, at);
    kg_put64(at, surface->geometry_hash);
    return at + HASH_BYTES;
}

size_t kg_snapshot_surfaces_size(const kg_surfaces *set, bool names)
{
    size_t size = 0;
    for (uint32_t k = 0; k < set->end; ++k) {
        if (!set->items[k].used) continue;
        kugel_surface_def def = kg_surface_def(&set->items[k]);
        size += KG_SURFACE_RECORD_HEADER + (size_t)kg_surface_record_geometry_bytes(&def, names);
    }
    return size;
}

uint8_t *kg_snapshot_surfaces_write(const kg_surfaces *set, bool names, uint8_t *at)
{
    for (uint32_t k = 0; k < set->end; ++k) {
        if (!set->items[k].used) continue;
        kugel_surface_def def = kg_surface_def(&set->items[k]);
        kg_put32(at, k);
        kg_put32(at + 4, set->items[k].first_triangle);
        at = kg_def_encode(kg_surface_def_members, &def, at + 8);
        kg_put32(at, set->items[k].placed);
        at = put_geometry(&set->items[k], &def, names, at + 4);
    }
    return at;
}

/* Read the record at *at and move *at to its end; false if the record exceeds `end`. `names`: the
 * snapshot has the flag KG_SNAPSHOT_NAMES. */
static bool read_record(const uint8_t **at, const uint8_t *end, bool names,
                        kg_surface_record *record)
{
    const uint8_t *head = *at;
    if ((size_t)(end - head) < KG_SURFACE_RECORD_HEADER) return false;
    *record = (kg_surface_record){.index = kg_get32(head),
                                  .first_triangle = kg_get32(head + 4),
                                  .def = kg_def_decode_surface(head + 8),
                                  .placed = kg_get32(head + 8 + KG_SURFACE_DEF_BYTES),
                                  .head = head,
                                  .geometry = head + KG_SURFACE_RECORD_HEADER};
    uint64_t bytes = kg_surface_record_geometry_bytes(&record->def, names);
    if (bytes > (size_t)(end - record->geometry)) return false;
    *at = record->geometry + bytes;
    record->named = names && record->def.shape == KUGEL_SURFACE_MESH;
    if (record->named) return true;
    record->vertices = record->geometry;
    record->triangles = record->vertices + KG_VERTEX_BYTES * (size_t)record->def.vertex_count;
    return true;
}

bool kg_snapshot_surfaces_next(const kg_snapshot_view *view, const uint8_t **at,
                               kg_surface_record *record)
{
    bool names = view->counts.flags & KG_SNAPSHOT_NAMES;
    return *at < view->surfaces_end && read_record(at, view->surfaces_end, names, record);
}

uint64_t kg_surface_record_hash(const kg_surface_record *record)
{
    return record->named
               ? kg_get64(record->geometry)
               : kg_surface_hash_geometry(&record->def, record->vertices, record->triangles, true);
}

bool kg_snapshot_surfaces_open(kg_snapshot_view *view)
{
    const uint8_t *at = view->surfaces, *end = view->data + view->size;
    bool names = view->counts.flags & KG_SNAPSHOT_NAMES;
    kg_surface_record record;
    for (uint32_t k = 0; k < view->counts.surfaces; ++k) {
        if (!read_record(&at, end, names, &record)) return false;
    }
    view->surfaces_end = at;
    return true;
}

/* True if a world with this surface would write the surface's def in the same bytes. */
static bool head_is_canonical(const kg_surface_record *record)
{
    uint8_t encoded[KG_SURFACE_DEF_BYTES];
    kg_surface surface = {.mesh = {.vertex_count = record->def.vertex_count,
                                   .triangle_count = record->def.triangle_count,
                                   .one_sided = record->def.one_sided}};
    kg_surface_set(&surface, record->first_triangle, &record->def);
    kugel_surface_def def = kg_surface_def(&surface);
    kg_def_encode(kg_surface_def_members, &def, encoded);
    return memcmp(encoded, record->head + 8, sizeof encoded) == 0;
}

static bool vertices_in_range(const kg_surface_record *record)
{
    size_t n = 3 * (size_t)record->def.vertex_count;
    bool bad = false;
    for (size_t k = 0; k < n; ++k) {
        uint64_t bits = kg_get64(record->vertices + 8 * k);
        bad |= !(fabs(kg_double_from_bits(bits)) <= KG_VALUE_LIMIT) | (bits == (uint64_t)1 << 63);
    }
    return !bad;
}

static bool triangles_in_range(const kg_surface_record *record)
{
    size_t n = 3 * (size_t)record->def.triangle_count;
    uint32_t last = 0;
    for (size_t k = 0; k < n; ++k) {
        uint32_t vertex = kg_get32(record->triangles + 4 * k);
        last = vertex > last ? vertex : last;
    }
    return n == 0 || last < record->def.vertex_count;
}

bool kg_surface_record_arrays_valid(const kg_surface_record *record, kugel_error *error)
{
    if (!vertices_in_range(record))
        kg_snapshot_error(error, "surface.vertices", "are out of range, or -0");
    else if (!triangles_in_range(record))
        kg_snapshot_error(error, "surface.triangles", "name vertices that do not exist");
    else return true;
    return false;
}

/* True if the numbers of the record's triangles are in range and no earlier record has one of them.
 * *end: in, the end of the numbers of all earlier records; out, the same with this record. */
static bool numbers_are_free(const kg_snapshot_view *view, const kg_surface_record *record,
                             uint32_t *end)
{
    const uint8_t *at = view->surfaces;
    uint32_t first = record->first_triangle, count = kg_surface_def_number_count(&record->def);
    kg_surface_record other;
    if (first > KG_MESH_TRIANGLE_LIMIT - count) return false;
    if (first >= *end) return *end = first + count, true;
    while (at < record->head && kg_snapshot_surfaces_next(view, &at, &other)) {
        if (first < other.first_triangle + kg_surface_def_number_count(&other.def) &&
            other.first_triangle < first + count)
            return false;
    }
    return true;
}

static kugel_status check_record(const kg_snapshot_view *view, const kg_surface_record *record,
                                 uint32_t *end, kugel_error *error)
{
    kugel_error why;
    if (kg_validate_surface_head(&record->def, &why))
        return kg_snapshot_error(error, why.argument, why.message);
    if (!head_is_canonical(record) || record->placed > record->def.sensor)
        return kg_snapshot_error(error, "surface",
                                 "is not as a world writes it: -0, or a flag that is none");
    if (kg_validate_shape(&record->def, &why))
        return kg_snapshot_error(error, why.argument, why.message);
    if (!record->named && !kg_surface_record_arrays_valid(record, error)) return KUGEL_ERROR_FORMAT;
    if (!numbers_are_free(view, record, end))
        return kg_snapshot_error(error, "surface.first_triangle",
                                 "is too high, or another surface has the triangle");
    return KUGEL_OK;
}

/* True if generations are within 1 ... KG_GENERATION_LIMIT, and as many indices are in use as there
 * are surfaces. */
static bool indices_fit(const kg_snapshot_view *view)
{
    uint32_t used = 0;
    for (uint32_t k = 0; k < view->counts.surface_indices; ++k) {
        uint32_t state = kg_snapshot_surface_state(view, k), generation = state & ~KG_INDEX_USED;
        if (!generation || generation > KG_GENERATION_LIMIT) return false;
        used += state != generation;
    }
    return used == view->counts.surfaces;
}

kugel_status kg_snapshot_surfaces_check(const kg_snapshot_view *view, kugel_error *error)
{
    if (!indices_fit(view))
        return kg_snapshot_error(error, "surfaces", "are not those whose indices are in use");
    const uint8_t *at = view->surfaces;
    kg_surface_record record;
    uint32_t end = 0;
    for (uint32_t next = 0; kg_snapshot_surfaces_next(view, &at, &record);
         next = record.index + 1) {
        if (record.index < next || !(kg_snapshot_surface_state(view, record.index) & KG_INDEX_USED))
            return kg_snapshot_error(error, "surface", "has an index out of order, or a free one");
        kugel_status status = check_record(view, &record, &end, error);
        if (status) return status;
    }
    return KUGEL_OK;
}

void kg_snapshot_surfaces_index(const kg_snapshot_view *view, kg_surface_directory *directory)
{
    const uint32_t max_ranges = sizeof directory->at / sizeof *directory->at;
    const uint8_t *from = view->surfaces, *at = from;
    uint32_t each = view->counts.surfaces / max_ranges + 1;
    kg_surface_record record;
    directory->count = 0;
    for (uint32_t k = 0; kg_snapshot_surfaces_next(view, &at, &record); ++k, from = at) {
        uint32_t entry = k / each, first = record.first_triangle,
                 end = first + kg_surface_def_number_count(&record.def);
        if (k % each == 0) {
            directory->at[entry] = from;
            directory->low[entry] = first, directory->high[entry] = end;
            directory->count = entry + 1;
        }
        if (first < directory->low[entry]) directory->low[entry] = first;
        if (end > directory->high[entry]) directory->high[entry] = end;
    }
}

/* True if a surface of range `entry` has the triangle. */
static bool range_has(const kg_snapshot_view *view, const kg_surface_directory *directory,
                      uint32_t entry, uint32_t triangle)
{
    const uint8_t *at = directory->at[entry], *end = entry + 1 < directory->count
                                                         ? directory->at[entry + 1]
                                                         : view->surfaces_end;
    kg_surface_record record;
    while (at < end && kg_snapshot_surfaces_next(view, &at, &record)) {
        if (triangle - record.first_triangle < kg_surface_def_number_count(&record.def))
            return true;
    }
    return false;
}

bool kg_snapshot_surfaces_have(const kg_snapshot_view *view, const kg_surface_directory *directory,
                               kg_boundary feature)
{
    if (!kg_boundary_is_feature(feature)) return false;
    uint32_t number = feature - KG_BOUNDARY_FEATURES, triangle = number / KG_PARTS;
    if (number % KG_PARTS >= KG_PART_VERTEX + 3) return false;
    for (uint32_t k = 0; k < directory->count; ++k) {
        if (triangle >= directory->low[k] && triangle < directory->high[k] &&
            range_has(view, directory, k, triangle))
            return true;
    }
    return false;
}

static bool records_differ(const kg_surface_record *p, const kg_surface_record *q,
                           kugel_divergence *out)
{
    if (p->index != q->index)
        return kg_snapshot_difference_set(out, p->index < q->index ? p->index : q->index, "surface",
                                          p->index < q->index, q->index < p->index);
    char name[32];
    double a, b;
    if (kg_def_surfaces_differ(&p->def, &q->def, name, &a, &b))
        return kg_snapshot_difference_set(out, p->index, name, a, b);
    if (p->first_triangle != q->first_triangle)
        return kg_snapshot_difference_set(out, p->index, "surface.first_triangle",
                                          p->first_triangle, q->first_triangle);
    if (p->placed != q->placed)
        return kg_snapshot_difference_set(out, p->index, "surface.placed", p->placed, q->placed);
    uint64_t bytes = kg_def_mesh_bytes(&p->def);
    bool same = p->named || q->named ? kg_surface_record_hash(p) == kg_surface_record_hash(q)
                                     : memcmp(p->vertices, q->vertices, (size_t)bytes) == 0;
    return !same && kg_snapshot_difference_set(out, p->index, "surface.geometry", 0, 1);
}

bool kg_snapshot_surfaces_differ(const kg_snapshot_view *p, const kg_snapshot_view *q,
                                 kugel_divergence *out)
{
    const uint8_t *p_at = p->surfaces, *q_at = q->surfaces;
    kg_surface_record a, b;
    if (p->counts.surfaces != q->counts.surfaces)
        return kg_snapshot_difference_set(out, 0, "surfaces", p->counts.surfaces,
                                          q->counts.surfaces);
    for (uint32_t k = 0; k < p->counts.surfaces; ++k) {
        kg_snapshot_surfaces_next(p, &p_at, &a);
        kg_snapshot_surfaces_next(q, &q_at, &b);
        if (records_differ(&a, &b, out)) return true;
    }
    for (uint32_t k = 0; k < p->counts.surface_indices || k < q->counts.surface_indices; ++k) {
        uint32_t x = kg_snapshot_surface_state(p, k), y = kg_snapshot_surface_state(q, k);
        if (x != y)
            return kg_snapshot_difference_set(out, k, "surface.generation", x & ~KG_INDEX_USED,
                                              y & ~KG_INDEX_USED);
    }
    return false;
}
