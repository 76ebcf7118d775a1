/* Hashes the canonical state: tick, time, gravity, planes, surfaces, bodies, contacts. In: a world
 * between steps. Out: 64 bits, the same on every platform. The hashes of bodies and contacts are
 * added, so their order does not matter and tasks compute partial sums. The hash of a body starts
 * with its handle. Each word w of its KG_ROLE_STATE columns (world/fields.h; -0 as +0) gives
 * h = (h ^ w) * (2^21 + 1), a bijection of shift and add that vectorises. An avalanche function
 * follows, so that each bit of the input changes about half of the bits. Allocates nothing. */
#include "base/bytes.h"
#include "base/hash.h"
#include "base/tasks.h"
#include "record/def_encoding.h"
#include "record/state_hash.h"
#include "world/guard.h"

/* BLOCK: rows hashed together. TASK_RANGE: rows of a task. The others: words of a hashed item. */
enum { BLOCK = 256, TASK_RANGE = 16 * BLOCK, PLANE_WORDS = 6, SURFACE_WORDS = 20, HEAD_WORDS = 11 };

/* A sum of the hashes of all bodies or contacts, to which tasks add. */
typedef struct hash_sum {
    const kugel_world *world;
    const kg_contact_set *contacts; /* unused for bodies */
    uint32_t roles;                 /* bits of the roles of columns that are hashed */
    kg_shared_number sum;
} hash_sum;

static uint64_t double_word(double x) { return kg_little_endian64(kg_canonical_bits(x)); }

static uint64_t u32_pair_word(uint32_t low, uint32_t high)
{
    return kg_little_endian64((uint64_t)high << 32 | low);
}

static inline uint64_t mix(uint64_t h, uint64_t word)
{
    h ^= word;
    return h + (h << 21);
}

static inline uint64_t avalanche(uint64_t h)
{
    h ^= h >> 37;
    h *= 0x165667919e3779f9u;
    h ^= h >> 29;
    h *= 0x9e3779b97f4a7c15u;
    return h ^ h >> 32;
}

/* Mix rows [from, from + n) of a column into hash[0 ... n - 1]. Iterations are independent. */
static void mix_column(uint64_t *restrict hash, const void *column, kg_field_kind kind,
                       uint32_t from, uint32_t n)
{
    const double *f64 = (const double *)column + from;
    const float *f32 = (const float *)column + from;
    const uint32_t *u32 = (const uint32_t *)column + from;
    const uint8_t *u8 = (const uint8_t *)column + from;
    if (kind == KG_F64) {
        for (uint32_t i = 0; i < n; ++i) hash[i] = mix(hash[i], kg_field_bits(&f64[i], KG_F64));
    } else if (kind == KG_F32) {
        for (uint32_t i = 0; i < n; ++i) hash[i] = mix(hash[i], kg_field_bits(&f32[i], KG_F32));
    } else if (kind == KG_U32) {
        for (uint32_t i = 0; i < n; ++i) hash[i] = mix(hash[i], u32[i]);
    } else {
        for (uint32_t i = 0; i < n; ++i) hash[i] = mix(hash[i], u8[i]);
    }
}

/* Add the hashes of the bodies in task range `index` to the sum. */
static void hash_body_range(void *context, uint32_t index)
{
    hash_sum *t = context;
    const kg_bodies *b = &t->world->bodies;
    uint64_t hash[BLOCK], all = 0;
    uint32_t end = kg_range_end(index, TASK_RANGE, b->count);
    for (uint32_t from = index * TASK_RANGE; from < end; from += BLOCK) {
        uint32_t n = end - from < BLOCK ? end - from : BLOCK;
        for (uint32_t i = 0; i < n; ++i) {
            uint32_t id = b->id[from + i];
            hash[i] = mix(0, (uint64_t)b->generation[id] << 32 | id);
        }
        for (uint32_t k = 0; k < KG_BODY_COLUMNS; ++k) {
            const kg_field *f = &kg_body_fields[k];
            if (!(t->roles >> f->role & 1) || kg_bodies_lack_column(b, (int)k)) continue;
            mix_column(hash, kg_bodies_column(b, f), f->kind, from, n);
        }
        for (uint32_t i = 0; i < n; ++i) all += avalanche(hash[i]);
    }
    __atomic_fetch_add(&t->sum, all, __ATOMIC_RELAXED);
}

/* Add the hashes of the contacts in task range `index` to the sum. Hashed are the bodies, or body
 * and boundary, and the KG_ROLE_STATE fields. */
static void hash_contact_range(void *context, uint32_t index)
{
    hash_sum *t = context;
    const kg_contact_set *set = t->contacts;
    uint64_t all = 0;
    uint32_t end = kg_range_end(index, TASK_RANGE, set->count);
    for (uint32_t k = index * TASK_RANGE; k < end; ++k) {
        const kg_contact *c = &set->items[k];
        if (c->ended) continue; /* by a call; of those aside: given back */
        uint64_t hash = mix(mix(0, (uint64_t)c->a << 32 | c->b), c->with);
        for (uint32_t f = 0; f < KG_CONTACT_FIELDS; ++f) {
            const kg_field *field = &kg_contact_fields[f];
            if (field->role != KG_ROLE_STATE) continue;
            hash = mix(hash, kg_field_bits((const char *)c + field->offset, field->kind));
        }
        all += avalanche(hash);
    }
    __atomic_fetch_add(&t->sum, all, __ATOMIC_RELAXED);
}

static uint64_t sum_of_bodies(const kugel_world *world, uint32_t roles)
{
    uint32_t count = world->bodies.count;
    hash_sum t = {world, NULL, roles, 0};
    kg_for_ranges(world, count / TASK_RANGE + (count % TASK_RANGE != 0), hash_body_range, &t);
    return t.sum;
}

static uint64_t sum_of_contacts(const kugel_world *world, const kg_contact_set *contacts)
{
    uint32_t count = contacts->count;
    hash_sum t = {world, contacts, 0, 0};
    kg_for_ranges(world, count / TASK_RANGE + (count % TASK_RANGE != 0), hash_contact_range, &t);
    return t.sum;
}

/* Hash of the planes, in index order. */
static uint64_t hash_planes(const kugel_world *world)
{
    uint64_t hash = 0;
    for (uint32_t p = 0; p < world->plane_count; ++p) {
        const kugel_plane *plane = &world->planes[p];
        uint64_t row[PLANE_WORDS] = {double_word(plane->normal[0]),   double_word(plane->normal[1]),
                                     double_word(plane->normal[2]),   double_word(plane->offset),
                                     double_word(plane->restitution), double_word(plane->friction)};
        hash = XXH3_64bits_withSeed(row, sizeof row, hash);
    }
    return hash;
}

/* Add the surfaces, in index order, to `hash`, which covers the rest of the state. Without surfaces
 * `hash` is returned. */
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
        *at++ = double_word(m->restitution);
        *at++ = double_word(m->friction);
        *at++ = double_word(m->rolling_resistance);
        *at++ = u32_pair_word(m->category, m->mask);
        *at++ = u32_pair_word(m->group, 0);
        *at++ = kg_little_endian64(s->geometry_hash);
        hash = XXH3_64bits_withSeed(row, sizeof row, hash);
    }
    return hash;
}

kg_hash_sums kg_state_hash_sums(const kugel_world *world)
{
    return (kg_hash_sums){
        world->bodies.count,
        world->contacts.count - world->contacts.ended_count + world->aside.contact_count,
        sum_of_bodies(world, 1u << KG_ROLE_STATE),
        sum_of_contacts(world, &world->contacts) + sum_of_contacts(world, &world->aside.contacts)};
}

static uint64_t hash_materials(const kg_bodies *bodies, uint64_t hash)
{
    for (uint32_t k = 0; k < bodies->material_count; ++k) {
        const kg_material *material = &bodies->materials[k];
        hash = mix(hash, material->body_count);
        for (int f = 0; f < KG_MATERIAL_FIELDS && material->body_count; ++f) {
            const kg_field *field = &kg_material_fields[f];
            hash = mix(hash, kg_field_bits((const char *)material + field->offset, field->kind));
        }
    }
    return avalanche(hash);
}

uint64_t kg_state_hash_of_constants(const kugel_world *world)
{
    const kg_bodies *bodies = &world->bodies;
    const uint32_t roles = 1u << KG_ROLE_CONSTANT | 1u << KG_ROLE_LOAD | 1u << KG_ROLE_IMAGE;
    uint64_t sum = sum_of_bodies(world, roles);
    for (uint32_t i = 0; i < bodies->count; ++i)
        sum += avalanche(mix(bodies->id[i], bodies->material[i]));
    return sum;
}

uint64_t kg_state_hash_of_settings(const kugel_world *world)
{
    const kugel_pair_filter *filter = &world->pair_filter;
    uint8_t def[KG_WORLD_DEF_BYTES];
    kg_def_encode(kg_world_def_members, &world->def, def);
    uint64_t rest = mix(mix(world->bodies.id_end, filter->decide != NULL), filter->key);
    return hash_materials(&world->bodies, mix(rest, XXH3_64bits(def, sizeof def)));
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
        u32_pair_word(world->plane_count, (uint32_t)sums->bodies),
        kg_little_endian64(sums->contacts),
        kg_little_endian64(hash_planes(world)),
        kg_little_endian64(sums->body_hashes),
        kg_little_endian64(sums->contact_hashes),
    };
    return hash_surfaces(world, XXH3_64bits(head, sizeof head));
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
