#include "motion/motion.h"

#include <string.h>

#include "world/sleep.h"

static bool needs_own(const kugel_world *world)
{
    if (world->bodies.has_forces) return true;
    for (uint32_t k = 0; k < world->bodies.material_count; ++k) {
        const kg_material *m = &world->bodies.materials[k];
        if (m->users && m->gravity_scale != 1) return true;
    }
    return false;
}

static void read_body(kugel_world *world, uint32_t i)
{
    const kg_bodies *bodies = &world->bodies;
    kg_work *work = &world->work;
    kg_motion *m = &work->motion[i];
    for (int k = 0; k < 3; ++k) {
        m->x[k] = bodies->x[k][i];
        m->v[k] = bodies->v[k][i];
        work->w[k][i] = bodies->w[k][i];
    }
    for (int k = 0; k < 4; ++k) work->q[k][i] = bodies->q[k][i];
    m->clock = 0;
    m->radius = bodies->radius[i];
    work->resting[i] = 0;
    work->contact_count[i] = 0;
    work->calm[i] = bodies->calm[i];
}

/* Was a body woken by a call, or may it, as a support that moves, wake some? */
static bool rouses(const kg_bodies *bodies, uint32_t i)
{
    return bodies->calm[i] == KG_WOKEN || bodies->type[i] == KUGEL_KINEMATIC;
}

static void read_range(kugel_world *world, uint32_t from, uint32_t to, double unused)
{
    bool roused = false;
    (void)unused;
    for (uint32_t i = from; i < to; ++i) {
        read_body(world, i);
        roused |= rouses(&world->bodies, i);
    }
    kg_release_range(world, from, to);
    if (roused) __atomic_store_n(&world->work.roused, true, __ATOMIC_RELAXED);
}

kugel_status kg_motion_begin(kugel_world *world)
{
    kg_work *work = &world->work;
    uint32_t n = world->bodies.count;
    work->own = needs_own(world);
    if (!kg_work_reserve(&world->memory, work, (size_t)n + work->copies, work->own)) return KUGEL_ERROR_OUT_OF_MEMORY;
    kg_work_borrow(work, &world->contacts);
    memcpy(work->gravity, world->def.gravity, sizeof work->gravity);
    work->budgets_exhausted = 0;
    work->regroup = false;
    work->roused = false;
    kg_for_bodies(world, read_range, 0);
    for (uint32_t k = 0; k < work->contacts.count; ++k) {
        const kg_contact *c = &work->contacts.items[k];
        uint32_t a = world->bodies.slot[c->a];
        work->contact_count[a] += 1;
        if (c->other == KG_OTHER_BODY) work->contact_count[world->bodies.slot[c->b]] += 1;
        else work->resting[a] |= (uint64_t)1 << c->other;
    }
    return KUGEL_OK;
}
