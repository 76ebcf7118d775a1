/* Servos: m dv/dt = force - drag v + what the bodies push, along the direction. Drag acts at the
 * new velocity, so any drag is stable. In: the sums of impulses of the last step. Out: velocities
 * of the surfaces. Cost: O(pairs that exchanged impulses). */
#include <stdio.h>
#include <stdlib.h>

#include "arrays.h"
#include "drives.h"
#include "make_world.h"
#include "motions.h"
#include "refusal.h"

/* True if the servo has a surface. A plane gives it the direction. */
static bool find(const kugel_world *world, const scene *scene, const servo *s, double direction[3],
                 kugel_surface_def *def)
{
    double offset;
    if (kugel_surface_get(world, world_moved(world, scene, &s->target), def, NULL)) return false;
    for (int k = 0; k < 3; ++k) direction[k] = s->direction[k];
    return s->target.kind != MOVES_PLANE || kugel_surface_def_get_plane(def, direction, &offset);
}

int servos_begin(const char *name, const scene *scene, kugel_world *world)
{
    kugel_surface_def def;
    double direction[3];
    for (size_t i = 0; i < arrlenu(scene->servos); ++i) {
        const servo *s = &scene->servos[i];
        const char *what = mover_names[s->target.kind];
        if (!find(world, scene, s, direction, &def))
            return complain(EXIT_USAGE, "%s: servo[%zu].%s: %s %u does not exist", name, i, what,
                            what, s->target.index);
        kugel_world_sum_impulses(world, true);
    }
    return 0;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* N s, along the direction, that bodies gave the surface in the last step. */
static double pushed(const kugel_impulse_sum *sums, size_t count, uint32_t surface,
                     const double direction[3])
{
    double sum = 0;
    for (size_t i = 0; i < count; ++i)
        if (sums[i].target == KUGEL_TARGET_SURFACE && sums[i].index == surface)
            sum += dot(sums[i].impulse, direction);
    return sum;
}

static kugel_status drive(kugel_world *world, const scene *scene, const servo *s,
                          const kugel_impulse_sum *sums, size_t count)
{
    kugel_surface_def def;
    double direction[3];
    if (!find(world, scene, s, direction, &def)) return KUGEL_OK;
    kugel_surface surface = world_moved(world, scene, &s->target);
    double push = s->force * scene->dt;
    push += pushed(sums, count, kugel_surface_index(surface), direction);
    double v = (s->mass * dot(def.velocity, direction) + push) / (s->mass + s->drag * scene->dt);
    if (v > s->speed) v = s->speed;
    if (v < -s->speed) v = -s->speed;
    double more = v - dot(def.velocity, direction); /* across, its motion stays */
    for (int k = 0; k < 3; ++k) direction[k] = def.velocity[k] + more * direction[k];
    return kugel_surface_set_motion(world, surface, direction, def.spin);
}

int servos_run(const char *name, const scene *scene, const kugel_world *world, kugel_world *driven,
               uint64_t tick)
{
    size_t servos = arrlenu(scene->servos), count = 0;
    kugel_status status = servos ? kugel_world_impulse_sums(world, 0, NULL, &count) : KUGEL_OK;
    kugel_impulse_sum *sums = count ? malloc(count * sizeof *sums) : NULL;
    if (count && !sums) status = KUGEL_ERROR_OUT_OF_MEMORY;
    if (count && sums) status = kugel_world_impulse_sums(world, count, sums, &count);
    char where[48] = "servo";
    for (size_t i = 0; i < servos && !status; ++i) {
        snprintf(where, sizeof where, "servo[%zu]", i);
        if (span_is_due(&scene->servos[i].span, tick))
            status = drive(driven, scene, &scene->servos[i], sums, count);
    }
    free(sums);
    return status ? complain_refused(name, driven, status, where) : 0;
}
