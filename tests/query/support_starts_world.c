/* Worlds of starts (support_starts_world.h). Each world has the spheres and solid ellipsoids of
 * some starts, and each start's path is a ray and a cast in it. */
#include "query/support_starts_world.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/support_solids.h"
#include "geometry/support_starts.h"
#include "query/support_check.h"
#include "query/support_shields.h"

enum { BODIES = 28, ELLIPSOIDS = 4, STARTS = BODIES + ELLIPSOIDS };

/* Bounds of the numbers in a world. Directions near the least double are left out: t overflows. */
static bool fits(const support_start *s)
{
    long double speed = support_length(s->direction);
    if (speed > 0 && speed < 1e-100L) return false;
    for (int k = 0; k < 3; ++k) {
        if (!(fabs(s->center[k]) < 1e9 && fabs(s->origin[k]) < 1e9 && s->axes[k] > 1e-6))
            return false;
    }
    return true;
}

static support_start next_start(support_random *random, support_start_shape shape)
{
    for (;;) {
        support_start s = support_below(random, 2) ? support_start_slide(random, shape)
                                                   : support_start_any(random, shape, 4);
        if (fits(&s)) return s;
    }
}

/* The start's ball as a body; its radius is shared with the sphere that is cast at it. */
static double add_body(kugel_world *world, support_random *random, const support_start *s)
{
    kugel_body_def def = kugel_body_def_default();
    double share = support_below(random, 2) ? support_uniform(random) : 0;
    memcpy(def.position, s->center, sizeof def.position);
    def.type = KUGEL_STATIC;
    def.radius = (1 - share) * s->radius;
    cr_assert_eq(kugel_body_create(world, &def, NULL), KUGEL_OK);
    return share * s->radius;
}

static void add_shield(kugel_world *world, const support_start *s, support_shield *shield)
{
    *shield = (support_shield){.category = 1, .mask = 1};
    memcpy(shield->center, s->center, sizeof shield->center);
    memcpy(shield->axes, s->axes, sizeof shield->axes);
    memcpy(shield->rotation, s->rotation, sizeof shield->rotation);
    support_shield_add(world, shield);
}

static void check_world(support_random *random, support_brute *brute)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    support_shield shields[ELLIPSOIDS];
    support_start start[STARTS];
    double radius[STARTS] = {0};
    kugel_filter bodies = kugel_filter_default();
    bodies.targets = KUGEL_TARGETS_BODIES;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    for (int i = 0; i < STARTS; ++i) {
        bool body = i < BODIES;
        start[i] = next_start(random, body ? SUPPORT_STARTS_BALL : SUPPORT_STARTS_ELLIPSOID);
        if (body) radius[i] = add_body(world, random, &start[i]);
        else add_shield(world, &start[i], &shields[i - BODIES]);
    }
    brute->world = world;
    support_brute_set_images(brute, 0);
    for (int i = 0; i < STARTS; ++i) {
        kugel_ray ray = {.t_max = support_below(random, 4) ? INFINITY : 1};
        memcpy(ray.origin, start[i].origin, sizeof ray.origin);
        memcpy(ray.direction, start[i].direction, sizeof ray.direction);
        if (i < BODIES) support_check_ray(brute, &ray, &bodies);
        else support_shields_check_ray(brute, ELLIPSOIDS, shields, &ray, NULL);
        if (ray.t_max == INFINITY) ray.t_max = 1e6;
        if (i < BODIES) support_check_cast(brute, &ray, radius[i], &bodies);
        else support_shields_check_cast(brute, ELLIPSOIDS, shields, &ray, radius[i], NULL);
    }
    kugel_world_destroy(world);
}

void support_check_starts(const char *name, size_t count)
{
    const char *inputs = getenv("KUGEL_INPUTS");
    if (inputs) count = strtoull(inputs, NULL, 0);
    support_random random = support_random_start(name, 1);
    support_brute brute = {.name = name};
    for (size_t done = 0; done < count; done += STARTS) check_world(&random, &brute);
}
