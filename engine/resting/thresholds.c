/* What a tick derives from the smallest moving radius: the default bounce threshold, a speed for
 * sleep, rest and tolerances, and the time before sleep. Both follow from the radius and gravity,
 * so worlds with lengths and ticks scaled together behave alike. Without gravity the time is
 * KG_SLEEP_TIME. A body at the threshold travels half the radius in this time.
 * In: the state at the tick's start. Out: constants of the tick in world->work. */
#include "resting/resting.h"
#include "world/sleep_state.h"

/* Smallest radius of an awake dynamic body, m; infinity if there is none. `with_sensors`: sensors
 * count. */
static double smallest_radius(const kg_bodies *bodies, bool with_sensors)
{
    double least = __builtin_inf();
    for (uint32_t i = 0; i < bodies->count; ++i) {
        if (bodies->radius[i] < least && bodies->mass[i] > 0 &&
            bodies->sleep_state[i] != KG_ASLEEP &&
            (with_sensors || !kg_bodies_is_sensor(bodies, i)))
            least = bodies->radius[i];
    }
    return least;
}

double kg_resting_smallest_moving_radius(const kg_bodies *bodies)
{
    return smallest_radius(bodies, !kg_bodies_any_sensor(bodies));
}

/* Derive the bounce threshold and the time before sleep from the smallest radius. Sensors count
 * only if all dynamic bodies are sensors. */
static void derive(kugel_world *world)
{
    kg_work *work = &world->work;
    double radius = work->smallest_moving_radius, fall = work->gravity_magnitude / KG_BOUNCE_SCALE;
    if (!(radius < __builtin_inf())) radius = smallest_radius(&world->bodies, true);
    if (!(radius < __builtin_inf())) radius = 0;
    work->bounce_threshold =
        fall > 0 ? __builtin_sqrt(fall * radius) : 0.5 * radius / KG_SLEEP_TIME;
    if (radius > 0) work->sleep_time = 0.5 * radius / work->bounce_threshold;
}

void kg_resting_choose_thresholds(kugel_world *world)
{
    kg_work *work = &world->work;
    bool derives = world->def.bounce_threshold < 0;
    work->smallest_moving_radius = world->whole ? world->whole->smallest_moving_radius
                                                : kg_resting_smallest_moving_radius(&world->bodies);
    work->smallest_moving_radius = kg_min(work->smallest_moving_radius, work->woken_radius);
    work->sleep_time = KG_SLEEP_TIME;
    if (derives) derive(world);
}
