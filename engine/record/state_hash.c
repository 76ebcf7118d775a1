/* Hashes the canonical state: tick, time, gravity, growth, pairs, surfaces, bodies, contacts. In: a
 * world between steps. Out: 64 bits, the same on every platform. The hashes of bodies and contacts
 * (world/row_hash.h) are added, so their order does not matter, tasks compute partial sums, and the
 * sums of what is aside stay. Allocates nothing. */
#include "base/bytes.h"
#include "base/compiler.h"
#include "base/hash.h"
#include "base/tasks.h"
#include "record/def_encoding.h"
#include "record/state_hash.h"
#include "world/guard.h"
#include "world/row_hash.h"

/* TASK_RANGE: rows of a task. The others: words of a hashed item. */
enum { TASK_RANGE = 4096, SURFACE_WORDS = 23, HEAD_WORDS = 11 };

/* A sum of the hashes of all bodies or contacts, to which tasks add. */
typedef struct hash_sum {
    const kugel_world *world;
    const kg_contact_set *contacts; /* unused for bodies */
    uint32_t roles;                 /* bits of the roles of columns that are hashed */
    uint32_t first, count;          /* rows, or all contacts */
    kg_shared_number sum;
} hash_sum;

static uint64_t double_word(double x) { return kg_little_endian64(kg_canonical_bits(x)); }

static uint64_t u32_pair_word(uint32_t low, uint32_t high)
{
    return kg_little_endian64((uint64_t)high << 32 | low);
}

/* Add the hashes of the bodies in task range `index` to the sum. */
static void hash_body_range(void *context, uint32_t index)
{
    hash_sum *t = context;
    uint32_t from = index * TASK_RANGE, end = kg_range_end(index, TASK_RANGE, t->count);
    uint64_t all = kg_hash_rows(&t->world->bodies, t->roles, t->first + from, end - from);
    KG_ATOMIC_ADD(&t->sum, all);
}

/* Add the hashes of the contacts in task range `index` to the sum. */
static void hash_contact_range(void *context, uint32_t index)
{
    hash_sum *t = context;
    uint32_t end = kg_range_end(index, TASK_RANGE, t->count);
    uint64_t all = kg_hash_contacts(t->contacts, index * TASK_RANGE, end);
    KG_ATOMIC_ADD(&t->sum, all);
}

static uint64_t sum_of(hash_sum *t, kg_task *range)
{
    kg_for_ranges(t->world, t->count / TASK_RANGE + (t->count % TASK_RANGE != 0), range, t);
    return t->sum;
}

/* The sum over the rows from `first` to `end`. */
static uint64_t sum_of_bodies(const kugel_world *world, uint32_t roles, uint32_t first,
                              uint32_t end)
{
    hash_sum t = {.world = world, .roles = roles, .first = first, .count = end - first};
    return sum_of(&t, hash_body_range);
}

static uint64_t sum_of_contacts(const kugel_world *world, const kg_contact_set *contacts)
{
    hash_sum t = {.world = world, .contacts = contacts, .count = contacts->count};
    return sum_of(&t, hash_contact_range);
}

/* Add a number to `hash`, which is returned for 0. */
static uint64_t hash_if_set(double number, uint64_t hash)
{
    return number != 0 ? kg_hash_mix(hash, double_word(number)) : hash;
}

/* Add the table of pairs to `hash`, which is returned if there are none. */
static uint64_t hash_pairs(const kg_pairs *pairs, uint64_t hash)
{
    KG_FOR_PAIRS(row, pairs)
    {
        const kg_contact_material *m = &row->material;
        const uint64_t words[] = {u32_pair_word(row->kinds[0], row->kinds[1]),
                                  double_word(m->restitution), double_word(m->friction),
                                  double_word(m->rolling_resistance)};
        hash =
            hash_if_set(m->tangential_restitution, XXH3_64bits_withSeed(words, sizeof words, hash));
    }
    return hash;
}

/* Add the surfaces, in index order, to `hash`, which covers the rest of the state, and then the
 * generations. If there were no surfaces so far `hash` is returned. */
static uint64_t hash_surfaces(const kugel_world *world, uint64_t hash)
{
    const kg_surfaces *set = &world->surfaces;
    for (uint32_t k = 0; k < set->end; ++k) {
        const kg_surface *s = &set->items[k];
        const kg_material *m = &s->material;
        if (!s->used) continue;
        uint64_t row[SURFACE_WORDS], *at = row;
        *at++ = u32_pair_word(k, s->first_triangle);
        for (int i = 0; i < 3; ++i) *at++ = double_word(s->position[i]);
        for (int i = 0; i < 4; ++i) *at++ = double_word(s->rotation[i]);
        for (int i = 0; i < 3; ++i) *at++ = double_word(s->velocity[i]);
        for (int i = 0; i < 3; ++i) *at++ = double_word(s->spin[i]);
        for (int i = 0; i < 3; ++i) *at++ = double_word(s->tangent_velocity[i]);
        *at++ = double_word(m->restitution);
        *at++ = double_word(m->friction);
        *at++ = double_word(m->rolling_resistance);
        *at++ = u32_pair_word(m->category, m->mask);
        *at++ = u32_pair_word(m->group, m->kind | (uint32_t)m->sensor << 31);
        *at++ = kg_little_endian64(s->geometry_hash);
        hash = hash_if_set(m->tangential_restitution, XXH3_64bits_withSeed(row, sizeof row, hash));
    }
    return kg_indices_hash(&set->indices, hash);
}

/* Make the sums of what is aside unless they are there. Threads that do so at the same time store
 * the same values. */
static void ensure_sums_aside(const kugel_world *world)
{
    kg_aside *aside = (kg_aside *)(uintptr_t)&world->aside;
    if (atomic_load_explicit(&aside->hashed, memory_order_acquire)) return;
    const uint32_t state = 1u << KG_ROLE_STATE, present = kg_world_present(world);
    atomic_store_explicit(&aside->body_hashes,
                          sum_of_bodies(world, state, present, world->bodies.count),
                          memory_order_relaxed);
    atomic_store_explicit(&aside->contact_hashes, sum_of_contacts(world, &aside->contacts),
                          memory_order_relaxed);
    atomic_store_explicit(&aside->hashed, true, memory_order_release);
}

kg_hash_sums kg_state_hash_sums(const kugel_world *world)
{
    const kg_aside *aside = &world->aside;
    ensure_sums_aside(world);
    return (kg_hash_sums){world->bodies.count, kg_world_contact_count(world),
                          sum_of_bodies(world, 1u << KG_ROLE_STATE, 0, kg_world_present(world)) +
                              aside->body_hashes,
                          sum_of_contacts(world, &world->contacts) + aside->contact_hashes};
}

static uint64_t hash_materials(const kg_bodies *bodies, uint64_t hash)
{
    for (uint32_t k = 0; k < bodies->material_count; ++k) {
        const kg_material *material = &bodies->materials[k];
        hash = kg_hash_mix(hash, material->body_count);
        for (int f = 0; f < KG_MATERIAL_FIELDS && material->body_count; ++f) {
            const kg_field *field = &kg_material_fields[f];
            hash = kg_hash_mix(hash,
                               kg_field_bits((const char *)material + field->offset, field->kind));
        }
    }
    return kg_hash_avalanche(hash);
}

uint64_t kg_state_hash_of_constants(const kugel_world *world)
{
    const kg_bodies *bodies = &world->bodies;
    const uint32_t roles = 1u << KG_ROLE_CONSTANT | 1u << KG_ROLE_LOAD | 1u << KG_ROLE_IMAGE;
    uint64_t sum = sum_of_bodies(world, roles, 0, bodies->count);
    for (uint32_t i = 0; i < bodies->count; ++i)
        sum += kg_hash_avalanche(kg_hash_mix(bodies->id[i], bodies->material[i]));
    return sum;
}

uint64_t kg_state_hash_of_settings(const kugel_world *world)
{
    const kugel_pair_filter *filter = &world->pair_filter;
    uint8_t def[KG_WORLD_DEF_BYTES];
    kg_def_encode(kg_world_def_members, &world->def, def);
    uint64_t rest =
        kg_hash_mix(kg_hash_mix(world->bodies.id_end, filter->decide != NULL), filter->key);
    return hash_materials(&world->bodies, kg_hash_mix(rest, XXH3_64bits(def, sizeof def)));
}

uint64_t kg_state_hash_of_sums(const kugel_world *world, const kg_hash_sums *sums)
{
    const double *gravity = world->def.gravity;
    const uint64_t head[HEAD_WORDS] = {
        kg_little_endian64(world->tick),
        double_word(world->time),
        double_word(world->time_rest),
        double_word(gravity[0]),
        double_word(gravity[1]),
        double_word(gravity[2]),
        u32_pair_word(0, (uint32_t)sums->bodies),
        kg_little_endian64(sums->contacts),
        0,
        kg_little_endian64(sums->body_hashes),
        kg_little_endian64(sums->contact_hashes),
    };
    uint64_t hash = XXH3_64bits(head, sizeof head);
    hash = hash_if_set(world->def.growth, hash);
    return hash_surfaces(world, hash_pairs(&world->pairs, hash));
}

uint64_t kg_state_hash(const kugel_world *world)
{
    const kg_hash_sums sums = kg_state_hash_sums(world);
    return kg_state_hash_of_sums(world, &sums);
}

uint64_t kugel_world_hash(const kugel_world *world)
{
    if (kg_refuse_read(world)) return 0;
    kg_begin_reading(world); /* for the tasks */
    uint64_t hash = kg_state_hash(world);
    kg_end_reading(world);
    return hash;
}
