#include "motion/motion.h"

#include <string.h>

#include "grid/grid.h"

static void clear_loads(kg_bodies *bodies)
{
    for (int k = 0; k < 3; ++k) {
        memset(bodies->force[k], 0, bodies->count * sizeof(double));
        memset(bodies->torque[k], 0, bodies->count * sizeof(double));
    }
    bodies->has_forces = false;
}

static void write_range(kugel_world *world, uint32_t from, uint32_t to, double unused)
{
    kg_bodies *bodies = &world->bodies;
    const kg_work *work = &world->work;
    (void)unused;
    for (uint32_t i = from; i < to; ++i) {
        const kg_motion *m = &work->motion[i];
        for (int k = 0; k < 3; ++k) {
            bodies->x[k][i] = m->x[k];
            bodies->v[k][i] = m->v[k];
            bodies->w[k][i] = work->w[k][i];
        }
        for (int k = 0; k < 4; ++k) bodies->q[k][i] = work->q[k][i];
        bodies->calm[i] = work->calm[i];
    }
}

void kg_motion_pass(kugel_world *world, double dt)
{
    kg_event_set events = world->events.published;
    world->events.published = world->events.pending;
    world->events.pending = events;
    world->tick += 1;
    world->time += dt;
}

void kg_motion_commit(kugel_world *world, double dt)
{
    kg_bodies *bodies = &world->bodies;
    kg_work *work = &world->work;
    kg_for_bodies(world, write_range, 0);
    if (bodies->has_forces) clear_loads(bodies);
    if (bodies->count) memset(bodies->fresh, 0, bodies->count);
    kg_work_return(work, &world->contacts, false);
    kg_motion_pass(world, dt);
    world->impacts_total += world->events.published.impacts_seen;
    world->budgets_exhausted += work->budgets_exhausted;
}

void kg_motion_revert(kugel_world *world)
{
    kg_work_return(&world->work, &world->contacts, true);
    world->grid->valid = false; /* what it describes did not come to pass */
}
