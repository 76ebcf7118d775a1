#include "motion/motion.h"

#include <string.h>

static void clear_loads(kg_bodies *bodies)
{
    for (int k = 0; k < 3; ++k) {
        memset(bodies->force[k], 0, bodies->count * sizeof(double));
        memset(bodies->torque[k], 0, bodies->count * sizeof(double));
    }
    bodies->has_forces = false;
}

void kg_motion_commit(kugel_world *world, double dt)
{
    kg_bodies *bodies = &world->bodies;
    kg_work *work = &world->work;
    for (uint32_t i = 0; i < bodies->count; ++i) {
        const kg_motion *m = &work->motion[i];
        for (int k = 0; k < 3; ++k) {
            bodies->x[k][i] = m->x[k];
            bodies->v[k][i] = m->v[k];
            bodies->w[k][i] = work->w[k][i];
        }
        for (int k = 0; k < 4; ++k) bodies->q[k][i] = work->q[k][i];
    }
    if (bodies->has_forces) clear_loads(bodies);
    kg_contact_set swap = world->contacts;
    world->contacts = work->contacts;
    work->contacts = swap;
    kg_event_set events = world->events.published;
    world->events.published = world->events.pending;
    world->events.pending = events;
    world->tick += 1;
    world->time += dt;
    world->impacts_total += work->impacts_done;
    world->budgets_exhausted += work->budgets_exhausted;
}
