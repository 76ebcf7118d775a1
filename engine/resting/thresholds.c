/* What a tick derives from the smallest moving radius: the default bounce threshold and the time
 * before sleep. Both follow from the radius and gravity, so worlds with lengths and ticks scaled
 * together behave alike.
 * In: the state at the tick's start. Out: constants of the tick in world->work. */
#include "resting/resting.h"

/* Smallest radius of a dynamic body, m; infinity if there is none. `with_sensors`: sensors
 * count. */
static double smallest_radius(const kg_bodies *bodies, bool with_sensors)
{
    double least = __builtin_inf();
    for (uint32_t i = 0; i < bodies->count; ++i) {
        if (bodies->radius[i] < least && bodies->mass[i] > 0 &&
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
    double g = work->gravity_magnitude > 0 ? work->gravity_magnitude : KG_USUAL_GRAVITY,
           radius = work->smallest_moving_radius;
    if (!(radius < __builtin_inf())) radius = smallest_radius(&world->bodies, true);
    if (!(radius < __builtin_inf())) radius = 0;
    work->bounce_threshold = __builtin_sqrt(g * radius / KG_BOUNCE_SCALE);
    work->sleep_time = __builtin_sqrt(KG_SLEEP_SCALE * radius / g);
}

void kg_resting_choose_thresholds(kugel_world *world)
{
    kg_work *work = &world->work;
    bool derives = world->def.bounce_threshold < 0;
    work->smallest_moving_radius = world->whole ? world->whole->smallest_moving_radius
                                                : kg_resting_smallest_moving_radius(&world->bodies);
    work->sleep_time = KG_SLEEP_TIME;
    if (derives) derive(world);
}
