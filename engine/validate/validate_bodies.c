/* Claims about bodies: rows and ids name each other, materials count their bodies, values are
 * finite and in their ranges, sleeping bodies are at rest. In a step also the work area. */
#include "validate/claims.h"
#include "world/row_hash.h"

#ifdef KG_ASSERTIONS
#include "world/periodic.h"
#include "world/sleep_state.h"

static bool is_finite(double x) { return x - x == 0; }

/* A row and its id name each other, and its material exists. */
static bool check_names(const kugel_world *world, uint32_t i, kg_fault *fault)
{
    const kg_bodies *b = &world->bodies;
    uint32_t id = b->id[i];
    KG_CLAIM(id < b->id_end && b->slot[id] == i, "slot[id] is the row of the body: row %u, id %u",
             i, id);
    KG_CLAIM(b->generation[id] > 0, "a handle in use is not 0: id %u", id);
    KG_CLAIM(b->material[i] < b->material_count && b->materials[b->material[i]].body_count > 0,
             "a body's material is in use: id %u", id);
    return true;
}

static bool check_values(const kugel_world *world, uint32_t i, kg_fault *fault)
{
    const kg_bodies *b = &world->bodies;
    uint32_t id = b->id[i];
    for (int k = 0; k < KG_BODY_COLUMNS; ++k) {
        const kg_field *field = &kg_body_fields[k];
        if (field->kind != KG_F64 || kg_bodies_lack_column(b, k)) continue;
        KG_CLAIM(is_finite(((const double *)kg_bodies_column(b, field))[i]), "%s is finite: id %u",
                 field->name, id);
    }
    double q2 = 0;
    for (int k = 0; k < 4; ++k) q2 += b->q[k][i] * b->q[k][i];
    KG_CLAIM(q2 > 0.99 && q2 < 1.01, "rotations are unit quaternions: id %u, length^2 %g", id, q2);
    KG_CLAIM(b->type[i] <= KUGEL_KINEMATIC && b->placed[i] <= 1, "type and placed exist: id %u",
             id);
    KG_CLAIM(b->radius[i] > 0 && (b->mass[i] > 0) == (b->type[i] == KUGEL_DYNAMIC),
             "radii are positive, dynamic bodies alone have a finite mass: id %u", id);
    return true;
}

static bool is_at_rest(const kugel_world *world, uint32_t i)
{
    const kg_bodies *b = &world->bodies;
    if (kg_validate_in_step(world)) return kg_sleep_is_motionless(&world->work, i);
    for (int k = 0; k < 3; ++k) {
        if (b->v[k][i] != 0 || b->w[k][i] != 0) return false;
    }
    return true;
}

static bool check_sleep(const kugel_world *world, uint32_t i, kg_fault *fault)
{
    const kg_bodies *b = &world->bodies;
    uint32_t state = kg_validate_in_step(world) ? world->work.sleep_state[i] : b->sleep_state[i];
    KG_CLAIM(state <= KG_DRIVEN, "sleep states exist: id %u, %u", b->id[i], state);
    KG_CLAIM(b->type[i] == KUGEL_DYNAMIC || state == 0 ||
                 (b->type[i] == KUGEL_KINEMATIC && state == KG_DRIVEN),
             "only dynamic bodies sleep: id %u, state %u", b->id[i], state);
    KG_CLAIM(state != KG_ASLEEP || is_at_rest(world, i), "a sleeping body is at rest: id %u",
             b->id[i]);
    KG_CLAIM(!kg_bodies_is_disabled(b, i) ||
                 (is_at_rest(world, i) && !b->contact_count[i] &&
                  (state == KG_ASLEEP) == (b->type[i] == KUGEL_DYNAMIC)),
             "a disabled body is at rest without contacts: id %u, state %u", b->id[i], state);
    return true;
}

/* Between steps a centre is in [min, max) of periodic axes. */
static bool check_place(const kugel_world *world, uint32_t i, kg_fault *fault)
{
    const kugel_bounds *bounds = &world->def.bounds;
    for (int k = 0; k < 3; ++k) {
        double x = world->bodies.x[k][i];
        KG_CLAIM(bounds->faces[2 * k] != KUGEL_FACE_PERIODIC ||
                     (x >= bounds->min[k] && x < bounds->max[k]),
                 "centres are in [min, max) of a periodic axis: id %u, axis %d, %g",
                 world->bodies.id[i], k, x);
    }
    return true;
}

static bool check_work(const kugel_world *world, uint32_t i, kg_fault *fault)
{
    const kg_work *work = &world->work;
    const kg_motion *m = &work->motion[i];
    uint32_t id = world->bodies.id[i];
    KG_CLAIM(m->radius == world->bodies.radius[i], "a motion has the body's radius: id %u", id);
    KG_CLAIM(work->frame[i] <= KG_FRAME_SLIDING, "frames exist: id %u, %d", id, work->frame[i]);
    KG_CLAIM(m->clock >= 0, "clocks are in the substep: id %u, %g s", id, m->clock);
    return true;
}

/* Ids that are not in use are free; below free_id_lower_bound none is free. */
static bool check_free_ids(const kugel_world *world, kg_fault *fault)
{
    const kg_bodies *b = &world->bodies;
    uint32_t live = 0;
    KG_CLAIM(b->free_id_lower_bound <= b->id_end, "free_id_lower_bound is at most id_end");
    for (uint32_t id = 0; id < b->id_end; ++id) {
        bool is_free = b->slot[id] == KG_NONE;
        live += !is_free;
        KG_CLAIM(!is_free || id >= b->free_id_lower_bound ||
                     b->generation[id] == KG_GENERATION_LIMIT,
                 "no id below free_id_lower_bound is free: id %u", id);
    }
    KG_CLAIM(live == b->count, "each id in use has a row: %u ids, %u rows", live, b->count);
    return true;
}

/* Each material counts its bodies. */
static bool check_materials(const kugel_world *world, kg_fault *fault)
{
    const kg_bodies *b = &world->bodies;
    for (uint32_t k = 0; k < b->material_count; ++k) {
        uint32_t bodies = 0;
        for (uint32_t i = 0; i < b->count; ++i) bodies += b->material[i] == k;
        KG_CLAIM(bodies == b->materials[k].body_count, "materials count their bodies: %u, %u of %u",
                 k, b->materials[k].body_count, bodies);
    }
    return true;
}

/* Bodies aside are at rest, in a bucket, and not wanted. */
static bool check_aside(const kugel_world *world, kg_fault *fault)
{
    const kg_aside *aside = &world->aside;
    const kg_bodies *b = &world->bodies;
    uint32_t present = kg_world_present(world), in_levels = 0, in_buckets = 0;
    for (uint32_t i = present; i < b->count; ++i) {
        KG_CLAIM(is_at_rest(world, i) && !b->placed[i] &&
                     (b->mass[i] == 0 || b->sleep_state[i] == KG_ASLEEP),
                 "a body aside is at rest: id %u", b->id[i]);
        KG_CLAIM(!aside->wanted[b->id[i]], "no body aside is wanted: id %u", b->id[i]);
    }
    for (int e = 0; e < 2 * KG_ASIDE_EXPONENT; ++e) in_levels += aside->level_count[e];
    for (uint32_t k = 0; aside->bucket && k <= aside->bucket_mask; ++k) {
        for (uint32_t id = aside->bucket[k]; id != KG_NONE; id = aside->next[id]) {
            KG_CLAIM(b->slot[id] >= present, "buckets have bodies aside alone: id %u", id);
            in_buckets += 1;
        }
    }
    uint64_t hashes = kg_hash_rows(b, 1u << KG_ROLE_STATE, present, aside->count);
    KG_CLAIM(!aside->hashed || aside->body_hashes == hashes, "the hashes of rows aside are summed");
    KG_CLAIM(in_levels == aside->count && in_buckets == aside->count,
             "levels and buckets have each body aside: %u, %u of %u", in_levels, in_buckets,
             aside->count);
    return true;
}

/* The indices in use are those of surfaces. */
static bool check_surface_indices(const kugel_world *world, kg_fault *fault)
{
    const kg_surfaces *set = &world->surfaces;
    uint32_t used = 0;
    for (uint32_t k = 0; k < set->indices.end; ++k) {
        bool has = kg_indices_has(&set->indices, k);
        used += has;
        KG_CLAIM(has == (k < set->end && set->items[k].used), "an index in use has a surface: %u",
                 k);
    }
    KG_CLAIM(used == set->count, "each surface has an index: %u of %u", used, set->count);
    return true;
}

bool kg_validate_bodies(const kugel_world *world, kg_fault *fault)
{
    const kg_bodies *b = &world->bodies;
    bool in_step = kg_validate_in_step(world), whole = !world->whole && !b->absent_count;
    for (uint32_t i = 0; i < b->count; ++i) {
        if (!check_names(world, i, fault) || !check_sleep(world, i, fault)) return false;
        if (in_step ? !check_work(world, i, fault)
                    : !check_values(world, i, fault) || !check_place(world, i, fault))
            return false;
    }
    if (world->aside.hidden || !whole) return true; /* a step changes neither ids nor materials */
    return check_free_ids(world, fault) && check_surface_indices(world, fault) &&
           check_aside(world, fault) &&
           (b->count * (uint64_t)b->material_count > 4 * KG_VALIDATED_PAIRS ||
            check_materials(world, fault));
}

bool kg_validate_sleep_counts(const kugel_world *world, kg_fault *fault)
{
    const kg_bodies *b = &world->bodies;
    kg_bodies counted = *b;
    if (world->aside.hidden || world->whole || b->absent_count) return true;
    kg_sleep_count(&counted);
    KG_CLAIM(counted.asleep_count == b->asleep_count && counted.woken_count == b->woken_count,
             "sleeping bodies are counted: %u of %u, woken %u of %u", b->asleep_count,
             counted.asleep_count, b->woken_count, counted.woken_count);
    return true;
}
#endif
