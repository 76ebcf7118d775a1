/* Reads the bodies into the work columns at the start of a tick.
 * In: bodies, contacts. Out: motions, spins, sleep states, numbers of contacts; the contacts move
 * to the work area. Order: none; bodies are independent, and threads share them. */
#include "base/compiler.h"
#include "motion/motion.h"

#include <string.h>

#include "grid/neighbours.h"
#include "world/locks.h"
#include "world/sleep_state.h"

static bool needs_own_accelerations(const kugel_world *world)
{
    if (world->bodies.has_forces) return true;
    for (uint32_t k = 0; k < world->bodies.material_count; ++k) {
        const kg_material *m = &world->bodies.materials[k];
        if (m->body_count && (m->gravity_scale != 1 || kg_locks_hold(m->locks, world->def.gravity)))
            return true;
    }
    return false;
}

static void read_motion(kugel_world *world, uint32_t i)
{
    const kg_bodies *bodies = &world->bodies;
    kg_motion *m = &world->work.motion[i];
    for (int k = 0; k < 3; ++k) {
        m->x[k] = bodies->x[k][i];
        m->v[k] = bodies->v[k][i];
    }
    m->clock = 0;
    m->radius = bodies->radius[i];
}

static void read_bodies(kugel_world *world, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; ++i) read_motion(world, i);
    kg_work_read_common(&world->work, &world->bodies, from, to);
}

/* True if a call woke the body, or if it may wake others as a moving support. */
static bool may_wake_bodies(const kg_bodies *bodies, uint32_t i)
{
    return bodies->sleep_state[i] == KG_WOKEN || bodies->type[i] == KUGEL_KINEMATIC;
}

static void read_range(kugel_world *world, uint32_t from, uint32_t to, double unused)
{
    bool any_woken = false, any_driven = false, any_inert = false, any_mover = false;
    (void)unused;
    if (from == to) return;
    read_bodies(world, from, to);
    for (uint32_t i = from; i < to; ++i) {
        any_woken |= may_wake_bodies(&world->bodies, i);
        any_driven |= kg_sleep_is_driven(&world->bodies, i);
        any_mover |=
            world->bodies.type[i] == KUGEL_KINEMATIC && !kg_bodies_is_motionless(&world->bodies, i);
        if (world->work.sleep_state[i] == KG_DRIVEN) world->work.sleep_state[i] = 0;
        any_inert |= world->bodies.mass[i] == 0 || world->bodies.sleep_state[i] == KG_ASLEEP;
    }
    kg_frame_set_free_range(world, from, to, any_inert);
    if (any_woken) KG_ATOMIC_STORE(&world->work.any_woken, true);
    if (any_mover) KG_ATOMIC_STORE(&world->work.any_mover, true);
    if (any_driven) KG_ATOMIC_STORE(&world->work.any_driven, true);
    if (any_inert) KG_ATOMIC_STORE(&world->work.any_inert, true);
}

/* Add a boundary on which the body rests. If a call put the body to sleep on a surface that moves
 * or drags, the step wakes it. False when out of memory. */
static bool add_resting_boundary(kugel_world *world, uint32_t slot, kg_boundary boundary)
{
    kg_work *work = &world->work;
    bool moves = kg_boundary_moves(world, boundary);
    work->any_woken |= moves && work->sleep_state[slot] == KG_ASLEEP;
    return kg_work_add_resting(&world->memory, work, slot, boundary, moves);
}

/* Count the contacts of each body, and collect the boundaries on which it rests. False when out of
 * memory. */
static bool count_contacts(kugel_world *world)
{
    kg_work *work = &world->work;
    uint32_t n = world->bodies.count;
    if (n) memset(work->resting_boundaries, 0, n * sizeof *work->resting_boundaries);
    if (n) memset(work->contact_count, 0, n * sizeof *work->contact_count);
    if (!kg_resting_features_clear(&world->memory, &work->resting_features,
                                   world->surfaces.count ? n : 0))
        return false;
    for (uint32_t k = 0; k < work->contacts.count; ++k) {
        const kg_contact *c = &work->contacts.items[k];
        uint32_t a = world->bodies.slot[c->a];
        work->contact_count[a] += 1;
        if (c->with == KG_WITH_BODY) work->contact_count[world->bodies.slot[c->b]] += 1;
        else if (!add_resting_boundary(world, a, c->b)) return false;
    }
    return true;
}

kugel_status kg_motion_begin(kugel_world *world)
{
    kg_work *work = &world->work;
    uint32_t n = world->bodies.count, rows = work->row_capacity;
    work->has_own_accelerations = needs_own_accelerations(world);
    work->any_locks = kg_bodies_any_locks(&world->bodies);
    work->has_own_damping = kg_bodies_any_damping(&world->bodies);
    if (!kg_work_reserve(&world->memory, work, (size_t)n + work->ghost_rows,
                         work->has_own_accelerations))
        return KUGEL_ERROR_OUT_OF_MEMORY;
    if (world->bodies.has_image_columns && !kg_work_reserve_crossings(&world->memory, work, n))
        return KUGEL_ERROR_OUT_OF_MEMORY;
    if (world->surfaces.count && !kg_work_reserve_starts(&world->memory, work, n))
        return KUGEL_ERROR_OUT_OF_MEMORY;
    kg_work_take_contacts(work, &world->contacts);
    kg_copy3(work->gravity, world->def.gravity);
    work->gravity_magnitude = kg_length3(work->gravity);
    work->tally.budgets_exhausted = 0;
    work->groups_outdated = false;
    work->any_woken = work->any_driven = work->any_inert = work->any_mover = false;
    kg_for_bodies(world, read_range, 0);
    /* The counts of contacts of the last step hold if the neighbours are valid, the columns were
     * not reallocated and the same surfaces move. Rows that ranks add or remove have no contacts.
     */
    bool counts_hold =
        kg_neighbours_valid(world) && work->row_capacity <= rows && !world->surfaces.any_started;
    world->surfaces.any_started = false;
    return counts_hold || count_contacts(world) ? KUGEL_OK : KUGEL_ERROR_OUT_OF_MEMORY;
}
