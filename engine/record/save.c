/* Writing a snapshot. The buffer's end is scratch: contacts are put in order there, before the bodies'
 * columns, which come last and are far longer, reach it. */
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "record/snapshot.h"

enum { ALIGNMENT_SLACK = 4 };

uint64_t kg_snapshot_hash(const uint8_t *data, size_t size)
{
    uint64_t head = XXH3_64bits(data, KG_SNAPSHOT_CHECK);
    return XXH3_64bits_withSeed(data + KG_SNAPSHOT_CHECK + 8, size - KG_SNAPSHOT_CHECK - 8, head);
}

bool kg_field_is_saved(const kg_field *field, uint32_t flags)
{
    return field->role == KG_ROLE_STATE || field->role == KG_ROLE_CONSTANT ||
           (field->role == KG_ROLE_LOAD && (flags & KG_SNAPSHOT_LOADS));
}

static uint32_t find_flags(const kg_bodies *b)
{
    bool any = false;
    for (uint32_t i = 0; b->has_forces && i < b->count && !any; ++i) {
        for (int k = 0; k < 3; ++k) any = any || b->force[k][i] != 0 || b->torque[k][i] != 0;
    }
    return any ? KG_SNAPSHOT_LOADS : 0;
}

/* ---- room ---- */

static size_t fields_bound(const kg_field *fields, size_t n, size_t rows)
{
    size_t size = 0;
    for (size_t k = 0; k < n; ++k) {
        if (fields[k].role != KG_ROLE_LOCAL) size += kg_column_bound(rows, fields[k].kind);
    }
    return size;
}

static size_t scratch_size(const kugel_world *world)
{
    return ((size_t)world->bodies.id_end + 1 + 2 * (size_t)world->contacts.count) * 4 + ALIGNMENT_SLACK;
}

/* Of what lies in front of the bodies' columns. */
static size_t front_bound(const kugel_world *world)
{
    size_t contacts = world->contacts.count;
    return KG_SNAPSHOT_HEAD + world->plane_count * KG_PLANE_BYTES +
           kg_column_bound(world->bodies.count, KG_U32) + kg_column_bound(contacts, KG_U32) +
           fields_bound(kg_contact_fields, KG_CONTACT_FIELDS, contacts);
}

size_t kg_snapshot_bound(const kugel_world *world)
{
    const kg_bodies *b = &world->bodies;
    size_t rest = kg_column_bound(b->id_end, KG_U32) + ((size_t)b->id_end + 7) / 8 +
                  fields_bound(kg_body_fields, KG_BODY_COLUMNS, b->count) +
                  fields_bound(kg_material_fields, KG_MATERIAL_FIELDS, b->count);
    size_t scratch = scratch_size(world);
    return front_bound(world) + (rest > scratch ? rest : scratch);
}

/* ---- contacts ---- */

/* What scratch holds: first[id] the end of the contacts of the lower body `id` in `order`, their number
 * in the order of ids in counts, the other side of each in others (in the order of `order`). */
typedef struct ordered {
    uint32_t *first, *order, *others;
} ordered;

static uint32_t other_key(const kg_contact *c)
{
    return c->other == KG_OTHER_BODY ? c->b : KG_BOUNDARY_KEY | c->other;
}

/* Contacts of one body are few: put each where it belongs among them. */
static void insert(const kg_contact_set *set, uint32_t *order, uint32_t from, uint32_t at)
{
    uint32_t item = order[at], key = other_key(&set->items[item]);
    for (; at > from && other_key(&set->items[order[at - 1]]) > key; --at) order[at] = order[at - 1];
    order[at] = item;
}

static ordered order_contacts(const kugel_world *world, uint8_t *scratch)
{
    const kg_contact_set *set = &world->contacts;
    uint32_t ids = world->bodies.id_end;
    uintptr_t aligned = ((uintptr_t)scratch + ALIGNMENT_SLACK - 1) & ~(uintptr_t)(ALIGNMENT_SLACK - 1);
    uint32_t *first = (uint32_t *)aligned;
    ordered o = {first, first + ids + 1, first + ids + 1 + set->count};
    memset(o.first, 0, ((size_t)ids + 1) * sizeof *o.first);
    for (uint32_t k = 0; k < set->count; ++k) o.first[set->items[k].a + 1] += 1;
    for (uint32_t id = 0; id < ids; ++id) o.first[id + 1] += o.first[id];
    for (uint32_t k = 0; k < set->count; ++k) o.order[o.first[set->items[k].a]++] = k;
    /* now first[id] is the end of id's contacts, and its start is the end of those before */
    for (uint32_t id = 0; id < ids; ++id) {
        uint32_t from = id ? o.first[id - 1] : 0;
        for (uint32_t k = from + 1; k < o.first[id]; ++k) insert(set, o.order, from, k);
    }
    for (uint32_t k = 0; k < set->count; ++k) o.others[k] = other_key(&set->items[o.order[k]]);
    return o;
}

static uint8_t *write_contacts(const kugel_world *world, uint8_t *at, uint8_t *scratch)
{
    const kg_bodies *b = &world->bodies;
    const kg_contact_set *set = &world->contacts;
    if (!set->count) return at;
    ordered o = order_contacts(world, scratch);
    kg_source others = {.base = o.others, .stride = 4, .end = set->count, .count = set->count, .kind = KG_U32};
    at += kg_column_write(at, &others);
    for (int f = 0; f < KG_CONTACT_FIELDS; ++f) {
        const kg_field *field = &kg_contact_fields[f];
        if (!kg_field_is_saved(field, 0)) continue;
        kg_source s = {(const char *)set->items + field->offset, sizeof *set->items, o.order, NULL,
                       set->count, set->count, field->kind};
        at += kg_column_write(at, &s);
    }
    for (uint32_t id = b->id_end; id-- > 1;) o.first[id] -= o.first[id - 1]; /* ends become numbers */
    for (uint32_t id = 0, row = 0; id < b->id_end; ++id) {
        if (b->slot[id] != KG_NONE) o.first[row++] = o.first[id];
    }
    kg_source counts = {.base = o.first, .stride = 4, .end = b->count, .count = b->count, .kind = KG_U32};
    return at + kg_column_write(at, &counts);
}

/* ---- bodies ---- */

static uint8_t *write_ids(const kg_bodies *b, uint8_t *at)
{
    if (!b->id_end) return at;
    kg_source generations = {.base = b->generation, .stride = 4, .end = b->id_end, .count = b->id_end, .kind = KG_U32};
    at += kg_column_write(at, &generations);
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
    kg_source s = {.index = b->slot, .end = b->id_end, .count = b->count, .dense = true};
    for (int f = 0; f < KG_BODY_COLUMNS; ++f) {
        const kg_field *field = &kg_body_fields[f];
        if (!kg_field_is_saved(field, flags)) continue;
        s.base = kg_bodies_column(b, field);
        s.kind = field->kind;
        s.stride = kg_kind_size(s.kind);
        at += kg_column_write(at, &s);
    }
    bool one = memcmp(b->material, b->material + 1, (b->count - 1) * sizeof *b->material) == 0;
    s.via = b->material;
    s.stride = sizeof *b->materials;
    s.dense = false;
    if (one) s.end = s.count = 1, s.index = NULL; /* the first row speaks for all */
    for (int f = 0; f < KG_MATERIAL_FIELDS; ++f) {
        s.base = (const char *)b->materials + kg_material_fields[f].offset;
        s.kind = kg_material_fields[f].kind;
        at += kg_column_write(at, &s);
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
    kg_world_def_write(&def, out + KG_SNAPSHOT_DEF);
}

size_t kg_snapshot_write(const kugel_world *world, uint8_t *out, size_t room)
{
    uint32_t flags = find_flags(&world->bodies);
    write_head(world, out, flags);
    uint8_t *at = out + KG_SNAPSHOT_HEAD;
    for (uint32_t p = 0; p < world->plane_count; ++p, at += KG_PLANE_BYTES) kg_plane_write(&world->planes[p], at);
    at = write_contacts(world, at, out + room - scratch_size(world));
    at = write_ids(&world->bodies, at);
    at = write_bodies(&world->bodies, at, flags);
    size_t size = (size_t)(at - out);
    kg_put64(out + 16, size);
    kg_put64(out + KG_SNAPSHOT_CHECK, kg_snapshot_hash(out, size));
    return size;
}
