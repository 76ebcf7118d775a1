/* Writes a snapshot (snapshot.h): header, surfaces, columns. In: a world between steps.
 * Out: bytes. Order: rows by id, so equal states give equal bytes. Cost: some passes over each
 * column. */
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "record/snapshot_surfaces.h"

uint64_t kg_snapshot_checksum(const uint8_t *data, size_t size)
{
    uint64_t head = XXH3_64bits(data, KG_SNAPSHOT_CHECKSUM);
    return XXH3_64bits_withSeed(data + KG_SNAPSHOT_CHECKSUM + 8, size - KG_SNAPSHOT_CHECKSUM - 8,
                                head);
}

static kg_snapshot_counts counts_of(const kugel_world *world, uint32_t flags)
{
    return (kg_snapshot_counts){.bodies = world->bodies.count,
                                .id_end = world->bodies.id_end,
                                .contacts = kg_world_contact_count(world),
                                .surfaces = world->surfaces.count,
                                .surface_indices = world->surfaces.indices.end,
                                .ends = (uint32_t)world->events.removed_count,
                                .exits = (uint32_t)world->events.left_count,
                                .pairs = world->pairs.count,
                                .flags = flags};
}

size_t kg_snapshot_bound(const kugel_world *world, bool with_meshes)
{
    kg_snapshot_counts counts = counts_of(world, KG_SNAPSHOT_LOADS | KG_SNAPSHOT_IMAGES);
    size_t size = KG_SNAPSHOT_HEADER + counts.pairs * (size_t)KG_PAIR_BYTES +
                  4 * (size_t)counts.surface_indices + counts.ends * (size_t)KG_END_BYTES +
                  counts.exits * (size_t)KG_EXIT_BYTES +
                  kg_snapshot_surfaces_size(&world->surfaces, !with_meshes) +
                  ((size_t)counts.id_end + 7) / 8;
    for (uint32_t c = 0; c < KG_VIEW_COLUMNS; ++c) {
        const kg_field *field = kg_snapshot_field(c);
        if (field->role != KG_ROLE_LOCAL)
            size += kg_snapshot_column_bound(kg_snapshot_rows(&counts, c), field->kind);
    }
    return size;
}

static uint8_t *write_live_bits(const kg_bodies *b, uint8_t *at, size_t size)
{
    memset(at, 0, size);
    for (uint32_t id = 0; id < b->id_end && size; ++id) {
        if (b->slot[id] != KG_NONE) at[id / 8] |= (uint8_t)(1 << id % 8);
    }
    return at + size;
}

/* Source of a column of bodies that has rows. With `one_material`, which is true if all bodies have
 * one material, a material's column has one row. */
static kg_column_source source_of(const kg_bodies *b, uint32_t column, bool one_material)
{
    const kg_field *field = kg_snapshot_field(column);
    kg_column_source s = {.kind = field->kind, .stride = kg_field_kind_size(field->kind)};
    s.end = s.count = b->id_end;
    if (column == KG_VIEW_GENERATIONS) {
        s.base = b->generation;
    } else {
        s.contiguous = column < KG_VIEW_MATERIAL_FIELDS;
        s.index = b->slot;
        s.count = b->count;
        if (s.contiguous) {
            s.base = kg_bodies_column(b, field);
            return s;
        }
        s.base = (const char *)b->materials + field->offset;
        s.stride = sizeof *b->materials;
        s.indirect = b->material;
        if (one_material) s.end = s.count = 1, s.index = NULL;
    }
    return s;
}

static kg_column_source source_of_contacts(kg_contact_walk *walk, uint32_t column, uint32_t count)
{
    const kg_field *field = kg_snapshot_field(column);
    return (kg_column_source){.contacts = walk,
                              .offset = field->offset,
                              .end = count,
                              .count = count,
                              .kind = field->kind};
}

static void write_head(const kugel_world *world, uint8_t *out, const kg_snapshot_counts *counts)
{
    memcpy(out, KG_SNAPSHOT_MAGIC, 8);
    kg_put32(out + 8, KUGEL_SNAPSHOT_FORMAT);
    kg_put32(out + 12, KUGEL_PHYSICS_EPOCH);
    kg_put64(out + 32, world->tick);
    kg_put64(out + 40, kg_canonical_bits(world->time));
    kg_put64(out + 48, world->impacts_total);
    kg_put64(out + 56, world->budgets_exhausted);
    kg_put32(out + 64, counts->bodies);
    kg_put32(out + 68, counts->id_end);
    kg_put32(out + 72, counts->contacts);
    kg_put32(out + 76, counts->flags);
    kg_put32(out + 80, counts->surfaces);
    kg_put32(out + 84, counts->surface_indices);
    kg_put64(out + 88, kg_canonical_bits(world->time_rest));
    kg_put32(out + 96, counts->ends);
    kg_put32(out + 100, counts->exits);
    kg_put32(out + 104, counts->pairs);
    kugel_world_def def = world->def;
    for (int k = 0; k < 3; ++k) def.gravity[k] += 0.0; /* -0 becomes +0 */
    kg_def_encode(kg_world_def_members, &def, out + KG_SNAPSHOT_DEF);
}

static uint8_t *write_indices(const kg_indices *set, uint8_t *at)
{
    for (uint32_t k = 0; k < set->end; ++k, at += 4) kg_put32(at, set->state[k]);
    return at;
}

size_t kg_snapshot_write(const kugel_world *world, bool with_meshes, uint8_t *out)
{
    const kg_bodies *b = &world->bodies;
    kg_snapshot_counts counts =
        counts_of(world, (kg_bodies_any_load(b) ? KG_SNAPSHOT_LOADS : 0u) |
                             (kg_bodies_any_image(b) ? KG_SNAPSHOT_IMAGES : 0u) |
                             (with_meshes ? 0u : KG_SNAPSHOT_NAMES));
    bool one_material =
        b->count && memcmp(b->material, b->material + 1, (b->count - 1) * sizeof *b->material) == 0;
    kg_contact_walk walk = kg_world_contacts(world);
    write_head(world, out, &counts);
    uint8_t *at = out + KG_SNAPSHOT_HEADER;
    KG_FOR_PAIRS(row, &world->pairs) at = kg_def_encode(kg_pair_members, row, at);
    at = write_indices(&world->surfaces.indices, at);
    for (uint32_t k = 0; k < counts.ends; ++k)
        at = kg_def_encode(kg_end_members, &world->events.removed[k], at);
    for (uint32_t k = 0; k < counts.exits; ++k)
        at = kg_def_encode(kg_exit_members, &world->events.left[k], at);
    at = kg_snapshot_surfaces_write(&world->surfaces, !with_meshes, at);
    for (uint32_t c = 0; c < KG_VIEW_COLUMNS; ++c) {
        if (kg_snapshot_rows(&counts, c)) {
            kg_column_source source = c < KG_VIEW_GENERATIONS
                                          ? source_of_contacts(&walk, c, counts.contacts)
                                          : source_of(b, c, one_material);
            at += kg_snapshot_column_write(at, &source);
        }
        if (c == KG_VIEW_GENERATIONS) at = write_live_bits(b, at, kg_snapshot_live_bytes(&counts));
    }
    size_t size = (size_t)(at - out);
    kg_put64(out + 16, size);
    kg_put64(out + KG_SNAPSHOT_CHECKSUM, kg_snapshot_checksum(out, size));
    return size;
}
