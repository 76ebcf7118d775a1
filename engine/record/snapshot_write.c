/* Writing of a snapshot: header, planes, contacts, ids and bodies, column by column. */
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "record/snapshot.h"

uint64_t kg_snapshot_hash(const uint8_t *data, size_t size)
{
    uint64_t head = XXH3_64bits(data, KG_SNAPSHOT_CHECKSUM);
    return XXH3_64bits_withSeed(data + KG_SNAPSHOT_CHECKSUM + 8, size - KG_SNAPSHOT_CHECKSUM - 8,
                                head);
}

bool kg_snapshot_saves_field(const kg_field *field, uint32_t flags)
{
    return field->role == KG_ROLE_STATE || field->role == KG_ROLE_CONSTANT ||
           (field->role == KG_ROLE_LOAD && (flags & KG_SNAPSHOT_LOADS));
}

static uint32_t find_flags(const kg_bodies *b)
{
    return kg_bodies_any_load(b) ? KG_SNAPSHOT_LOADS : 0;
}

/* ---- size ---- */

static size_t fields_bound(const kg_field *fields, size_t n, size_t rows)
{
    size_t size = 0;
    for (size_t k = 0; k < n; ++k) {
        if (fields[k].role != KG_ROLE_LOCAL) size += kg_snapshot_column_bound(rows, fields[k].kind);
    }
    return size;
}

size_t kg_snapshot_bound(const kugel_world *world)
{
    const kg_bodies *b = &world->bodies;
    size_t contacts = world->contacts.count;
    return KG_SNAPSHOT_HEADER + world->plane_count * KG_PLANE_BYTES +
           2 * kg_snapshot_column_bound(contacts, KG_U32) +
           kg_snapshot_column_bound(contacts, KG_U8) +
           fields_bound(kg_contact_fields, KG_CONTACT_FIELDS, contacts) +
           kg_snapshot_column_bound(b->id_end, KG_U32) + ((size_t)b->id_end + 7) / 8 +
           fields_bound(kg_body_fields, KG_BODY_COLUMNS, b->count) +
           fields_bound(kg_material_fields, KG_MATERIAL_FIELDS, b->count);
}

/* ---- contacts ---- */

static uint8_t *write_member(const kg_contact_set *set, uint8_t *at, size_t offset,
                             kg_field_kind kind)
{
    kg_column_source s = {.base = (const char *)set->items + offset,
                          .stride = sizeof *set->items,
                          .end = set->count,
                          .count = set->count,
                          .kind = kind};
    return at + kg_snapshot_column_write(at, &s);
}

static uint8_t *write_contacts(const kg_contact_set *set, uint8_t *at)
{
    if (!set->count) return at;
    at = write_member(set, at, offsetof(kg_contact, a), KG_U32);
    at = write_member(set, at, offsetof(kg_contact, b), KG_U32);
    at = write_member(set, at, offsetof(kg_contact, other), KG_U8);
    for (int f = 0; f < KG_CONTACT_FIELDS; ++f) {
        const kg_field *field = &kg_contact_fields[f];
        if (kg_snapshot_saves_field(field, 0))
            at = write_member(set, at, field->offset, field->kind);
    }
    return at;
}

/* ---- bodies ---- */

static uint8_t *write_ids(const kg_bodies *b, uint8_t *at)
{
    if (!b->id_end) return at;
    kg_column_source generations = {
        .base = b->generation, .stride = 4, .end = b->id_end, .count = b->id_end, .kind = KG_U32};
    at += kg_snapshot_column_write(at, &generations);
    if (b->count == b->id_end) return at;
    size_t size = ((size_t)b->id_end + 7) / 8;
    memset(at, 0, size);
    for (uint32_t id = 0; id < b->id_end; ++id) {
        if (b->slot[id] != KG_NONE) at[id / 8] |= (uint8_t)(1 << id % 8);
    }
    return at + size;
}

static uint8_t *write_bodies(const kg_bodies *b, uint8_t *at, uint32_t flags)
{
    if (!b->count) return at;
    kg_column_source s = {
        .index = b->slot, .end = b->id_end, .count = b->count, .contiguous = true};
    for (int f = 0; f < KG_BODY_COLUMNS; ++f) {
        const kg_field *field = &kg_body_fields[f];
        if (!kg_snapshot_saves_field(field, flags)) continue;
        s.base = kg_bodies_column(b, field);
        s.kind = field->kind;
        s.stride = kg_field_kind_size(s.kind);
        at += kg_snapshot_column_write(at, &s);
    }
    bool all_same = memcmp(b->material, b->material + 1, (b->count - 1) * sizeof *b->material) == 0;
    s.indirect = b->material;
    s.stride = sizeof *b->materials;
    s.contiguous = false;
    if (all_same) s.end = s.count = 1, s.index = NULL; /* one row gives a constant column */
    for (int f = 0; f < KG_MATERIAL_FIELDS; ++f) {
        s.base = (const char *)b->materials + kg_material_fields[f].offset;
        s.kind = kg_material_fields[f].kind;
        at += kg_snapshot_column_write(at, &s);
    }
    return at;
}

static void write_head(const kugel_world *world, uint8_t *out, uint32_t flags)
{
    memcpy(out, KG_SNAPSHOT_MAGIC, 8);
    kg_put32(out + 8, KUGEL_SNAPSHOT_FORMAT);
    kg_put32(out + 12, KUGEL_PHYSICS_EPOCH);
    kg_put64(out + 32, world->tick);
    kg_put64(out + 40, kg_canonical_bits(world->time));
    kg_put64(out + 48, world->impacts_total);
    kg_put64(out + 56, world->budgets_exhausted);
    kg_put32(out + 64, world->bodies.count);
    kg_put32(out + 68, world->bodies.id_end);
    kg_put32(out + 72, world->contacts.count);
    kg_put32(out + 76, world->plane_count);
    kg_put32(out + 80, flags);
    kg_put32(out + 84, 0);
    kugel_world_def def = world->def;
    for (int k = 0; k < 3; ++k) def.gravity[k] += 0.0; /* -0 becomes +0 */
    kg_def_encode_world(&def, out + KG_SNAPSHOT_DEF);
}

size_t kg_snapshot_write(const kugel_world *world, uint8_t *out)
{
    uint32_t flags = find_flags(&world->bodies);
    write_head(world, out, flags);
    uint8_t *at = out + KG_SNAPSHOT_HEADER;
    for (uint32_t p = 0; p < world->plane_count; ++p, at += KG_PLANE_BYTES)
        kg_def_encode_plane(&world->planes[p], at);
    at = write_contacts(&world->contacts, at);
    at = write_ids(&world->bodies, at);
    at = write_bodies(&world->bodies, at, flags);
    size_t size = (size_t)(at - out);
    kg_put64(out + 16, size);
    kg_put64(out + KG_SNAPSHOT_CHECKSUM, kg_snapshot_hash(out, size));
    return size;
}
