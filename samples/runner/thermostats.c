/* See drives.h. */
#include <stdio.h>

#include "arrays.h"
#include "drives.h"
#include "refusal.h"

/* With what probability a body gets a new velocity. */
static double probability(const thermostat *t, const scene *scene)
{
    return t->rate * scene->dt * (double)t->span.every;
}

int thermostats_check(const char *name, const scene *scene)
{
    for (size_t i = 0; i < arrlenu(scene->thermostats); ++i) {
        double p = probability(&scene->thermostats[i], scene);
        if (p <= 1) continue;
        return complain(EXIT_USAGE,
                        "%s: thermostat[%zu].rate: rate * dt * every must be at most 1, got %.10g",
                        name, i, p);
    }
    return 0;
}

bool thermostats_are_due(const scene *scene, uint64_t tick)
{
    bool due = false;
    for (size_t i = 0; i < arrlenu(scene->thermostats); ++i)
        due = due || span_is_due(&scene->thermostats[i].span, tick);
    return due;
}

int thermostats_run(const char *name, const scene *scene, kugel_world *world, uint64_t tick)
{
    for (size_t i = 0; i < arrlenu(scene->thermostats); ++i) {
        const thermostat *t = &scene->thermostats[i];
        if (!span_is_due(&t->span, tick)) continue;
        kugel_status status =
            t->is_andersen
                ? kugel_world_draw_velocities(world, t->temperature, probability(t, scene), t->seed)
                : kugel_world_set_temperature(world, t->temperature);
        char where[48];
        snprintf(where, sizeof where, "thermostat[%zu]", i);
        if (status) return complain_refused(name, world, status, where);
    }
    return 0;
}
