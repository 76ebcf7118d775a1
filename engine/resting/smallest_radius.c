/* The smallest radius of the bodies that move, from which the length of substeps follows.
 * In: the state at the tick's start. Out: work.smallest_moving_radius. */
#include <math.h>

#include "resting/resting.h"
#include "world/sleep_state.h"

double kg_resting_smallest_moving_radius(const kg_bodies *bodies)
{
    double least = (double)INFINITY;
    bool any_sensor = kg_bodies_any_sensor(bodies);
    for (uint32_t i = 0; i < bodies->count; ++i) {
        if (bodies->radius[i] < least && bodies->mass[i] > 0 &&
            bodies->sleep_state[i] != KG_ASLEEP && !(any_sensor && kg_bodies_is_sensor(bodies, i)))
            least = bodies->radius[i];
    }
    return least;
}

void kg_resting_note_smallest_radius(kugel_world *world)
{
    double least = world->whole ? world->whole->smallest_moving_radius
                                : kg_resting_smallest_moving_radius(&world->bodies);
    world->work.smallest_moving_radius = kg_min(least, world->work.woken_radius);
}
