#include "motion/motion.h"

#include <string.h>

#include "base/wide.h"
#include "grid/grid.h"
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

KG_INLINE void read_motions_any(kugel_world *world, uint32_t from, uint32_t to)
{
    static const double at_first[4] = {0, 0, 0, 0};
    enum { APART = sizeof(kg_motion) / sizeof(double) };
    const kg_bodies *bodies = &world->bodies;
    const double *const v[4] = {bodies->v[0], bodies->v[1], bodies->v[2], bodies->radius};
    uint32_t i = from;
    for (; i + 4 <= to; i += 4) {
        const double *const x[4] = {bodies->x[0] + i, bodies->x[1] + i, bodies->x[2] + i, at_first};
        kg_columns_to_lines4(x, 0, world->work.motion[i].x, APART);
        kg_columns_to_lines4(v, i, world->work.motion[i].v, APART);
    }
    for (; i < to; ++i) read_motion(world, i);
}

KG_WIDE_PASS(read_motions, (kugel_world *world, uint32_t from, uint32_t to), world, from, to)

static void read_bodies(kugel_world *world, uint32_t from, uint32_t to)
{
    const kg_bodies *bodies = &world->bodies;
    kg_work *work = &world->work;
    size_t n = to - from;
    KG_WIDEST(read_motions)(world, from, to);
    for (int k = 0; k < 3; ++k) memcpy(work->w[k] + from, bodies->w[k] + from, n * sizeof *work->w[k]);
    for (int k = 0; k < 4; ++k) memcpy(work->q[k] + from, bodies->q[k] + from, n * sizeof *work->q[k]);
    memcpy(work->calm + from, bodies->calm + from, n * sizeof *work->calm);
}

/* Was a body woken by a call, or may it, as a support that moves, wake some? */
static bool rouses(const kg_bodies *bodies, uint32_t i)
{
    return bodies->calm[i] == KG_WOKEN || bodies->type[i] == KUGEL_KINEMATIC;
}

static void read_range(kugel_world *world, uint32_t from, uint32_t to, double unused)
{
    bool roused = false, inert = false;
    (void)unused;
    if (from == to) return;
    read_bodies(world, from, to);
    for (uint32_t i = from; i < to; ++i) {
        roused |= rouses(&world->bodies, i);
        inert |= world->bodies.mass[i] == 0 || world->bodies.calm[i] == KG_ASLEEP;
    }
    kg_release_range(world, from, to, inert);
    if (roused) __atomic_store_n(&world->work.roused, true, __ATOMIC_RELAXED);
    if (inert) __atomic_store_n(&world->work.inert, true, __ATOMIC_RELAXED);
}

static void count_contacts(kugel_world *world)
{
    kg_work *work = &world->work;
    uint32_t n = world->bodies.count;
    if (n) memset(work->resting, 0, n * sizeof *work->resting);
    if (n) memset(work->contact_count, 0, n * sizeof *work->contact_count);
    for (uint32_t k = 0; k < work->contacts.count; ++k) {
        const kg_contact *c = &work->contacts.items[k];
        uint32_t a = world->bodies.slot[c->a];
        work->contact_count[a] += 1;
        if (c->other == KG_OTHER_BODY) work->contact_count[world->bodies.slot[c->b]] += 1;
        else work->resting[a] |= kg_boundary_set_of(c->other);
    }
}

kugel_status kg_motion_begin(kugel_world *world)
{
    kg_work *work = &world->work;
    uint32_t n = world->bodies.count, rows = work->rows;
    work->own = needs_own(world);
    if (!kg_work_reserve(&world->memory, work, (size_t)n + work->copies, work->own)) return KUGEL_ERROR_OUT_OF_MEMORY;
    kg_work_borrow(work, &world->contacts);
    const double *g = memcpy(work->gravity, world->def.gravity, sizeof work->gravity);
    work->pull = __builtin_sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    work->budgets_exhausted = 0;
    work->regroup = false;
    work->roused = work->inert = false;
    kg_for_bodies(world, read_range, 0);
    bool counted = world->grid->valid && work->rows <= rows; /* as the step before left them */
    if (!counted) count_contacts(world);
    return KUGEL_OK;
}
