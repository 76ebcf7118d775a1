/* Ends a tick: writes the work columns back, or drops them.
 * In: work area, pending events. Out: bodies, surfaces, contacts, published events, tick and time;
 * after a failure the world as it was. It cannot fail. Order: none; bodies are independent, and
 * threads share them. */
#include "motion/motion.h"

#include <math.h>
#include <string.h>

#include "grid/neighbours.h"
#include "world/moves.h"
#include "world/sleep_state.h"

static void clear_forces(kg_bodies *bodies)
{
    for (int k = 0; k < 3; ++k) {
        memset(bodies->force[k], 0, bodies->count * sizeof(double));
        memset(bodies->torque[k], 0, bodies->count * sizeof(double));
    }
    bodies->has_forces = false;
}

/* A component of a dynamic body's velocity becomes 0 if its square underflows. Otherwise a body
 * could count as moving by its components and as resting by its squared speed. */
static double drop_tiny(double speed, double mass)
{
    return fabs(speed) < KG_SPEED_MIN && mass > 0 ? 0 : speed;
}

static void write_motion(kugel_world *world, uint32_t i)
{
    kg_bodies *bodies = &world->bodies;
    const kg_motion *m = &world->work.motion[i];
    for (int k = 0; k < 3; ++k) {
        bodies->x[k][i] = m->x[k];
        bodies->v[k][i] = drop_tiny(m->v[k], bodies->mass[i]);
    }
}

static void write_range(kugel_world *world, uint32_t from, uint32_t to, double unused)
{
    kg_bodies *bodies = &world->bodies;
    const kg_work *work = &world->work;
    size_t n = to - from;
    (void)unused;
    if (from == to) return;
    for (uint32_t i = from; i < to; ++i) write_motion(world, i);
    kg_work_write_common(work, bodies, from, to);
    memcpy(bodies->contact_count + from, work->contact_count + from,
           n * sizeof *work->contact_count);
}

/* Add the crossings of periodic faces to the image numbers, and set the crossings to 0. */
static void count_images(kugel_world *world, uint32_t from, uint32_t to, double unused)
{
    kg_bodies *bodies = &world->bodies;
    int32_t(*crossings)[3] = world->work.crossings;
    (void)unused;
    for (uint32_t i = from; i < to; ++i) {
        for (int k = 0; k < 3; ++k) {
            bodies->image[k][i] += (uint32_t)crossings[i][k];
            crossings[i][k] = 0;
        }
    }
}

/* Add dt to the time, a compensated sum (D. Knuth, "The Art of Computer Programming", volume 2,
 * 4.2.2, theorem B): what rounding takes from `time` is kept in time_rest. */
static void add_time(kugel_world *world, double dt)
{
    double a = world->time, b = dt + world->time_rest, sum = a + b, added = sum - a;
    world->time_rest = (a - (sum - added)) + (b - added);
    world->time = sum;
}

void kg_motion_finish_tick(kugel_world *world, double dt)
{
    kg_event_log_publish(&world->events);
    world->events.published.sums_dt = world->sums_impulses ? dt : 0;
    world->substeps_taken = (uint64_t)world->work.substeps;
    world->tick += 1;
    add_time(world, dt);
    if (world->bodies.count) memset(world->bodies.placed, 0, world->bodies.count);
    const kg_surfaces *set = &world->surfaces;
    for (uint32_t k = 0; k < set->sensor_count; ++k) set->items[set->sensors[k]].placed = false;
    kg_moves_note_step(world);
}

void kg_motion_write(kugel_world *world)
{
    kg_bodies *bodies = &world->bodies;
    kg_work *work = &world->work;
    kg_for_bodies(world, write_range, 0);
    if (bodies->has_image_columns &&
        (work->has_crossings || world->events.pending.crossing_count > 0))
        kg_for_bodies(world, count_images, 0);
    work->has_crossings = false;
    kg_work_return_contacts(work, &world->contacts, false);
}

void kg_motion_end(kugel_world *world, double dt)
{
    if (world->bodies.has_forces) clear_forces(&world->bodies);
    kg_surfaces_commit(&world->surfaces, dt);
    kg_motion_finish_tick(world, dt);
    kg_sleep_count_events(&world->bodies, &world->events.published);
    world->impacts_total += world->events.published.handled_impact_count;
}

void kg_motion_commit(kugel_world *world, double dt)
{
    kg_motion_write(world);
    kg_motion_end(world, dt);
    world->budgets_exhausted += world->work.tally.budgets_exhausted;
    world->substeps_limited += world->work.substeps_limited;
}

void kg_motion_revert(kugel_world *world)
{
    world->work.has_crossings = true;
    kg_work_return_contacts(&world->work, &world->contacts, true);
    kg_surfaces_revert(&world->surfaces);
    kg_neighbours_invalidate(world);
}
