/* Speeds below which a pair rests, in a step. They follow from the smaller radius of the pair
 * (resting/resting.h has all thresholds). */
#ifndef KG_WORLD_THRESHOLDS_H
#define KG_WORLD_THRESHOLDS_H

#include <math.h>

#include "base/vec.h"
#include "world/world.h"

/* Approach speed below which impacts do not bounce, m/s; `radius`: the smaller one of the
 * pair, m. By default it follows from the radius and gravity, so that pairs with lengths and times
 * scaled together behave alike. */
static inline double kg_bounce_threshold(const kugel_world *world, double radius)
{
    double given = world->def.bounce_threshold;
    if (given >= 0) return given;
    double squared = world->work.gravity_magnitude / KG_BOUNCE_SCALE * radius;
    return squared > 0 ? sqrt(squared) : 0.5 * radius / KG_SLEEP_TIME;
}

/* Approach speed of a resting pair above which it is struck, not pressed, m/s; `radius`: the
 * smaller one, m. */
static inline double kg_press_speed(const kugel_world *world, double radius)
{
    return kg_max(kg_bounce_threshold(world, radius) / world->work.substep_ratio,
                  world->work.fall_speed);
}

/* Approach speed at which a pair would go in by KG_REST_PENETRATION in a nominal substep, m/s. */
static inline double kg_path_speed(const kugel_world *world, double radius)
{
    const kg_work *work = &world->work;
    return KG_REST_PENETRATION * radius * work->substep_rate * work->substep_ratio;
}

/* Approach speed below which a resting pair does not collide, m/s; `radius`: the smaller one, m. */
static inline double kg_rest_speed(const kugel_world *world, double radius)
{
    return kg_min(kg_path_speed(world, radius), kg_press_speed(world, radius));
}

#endif
