/* Points and normals of touches: where the two are when it happens. In worlds of one substep a
 * contact that opens ends at the start of the tick, so the places before the step say exactly
 * where. One that begins at the start was there up to the pushing apart of those in one another
 * (the slop), one that begins later up to the way of a tick. */
#include <criterion/criterion.h>
#include <math.h>

#include "support/support_scene.h"

enum { COUNT = 120 };
static const double LENGTH = 6, DT = 1 / 120.;

/* Walls in x, periodic in y, a floor, and a tilted plane over half of it. */
static support_scene tumble(support_random *random)
{
    support_mix mix = {.count = COUNT,
                       .length = LENGTH,
                       .radius = {0.2, 0.4},
                       .mass = {1, 2},
                       .sigma = 1,
                       .face = KUGEL_FACE_WALL};
    support_scene scene = support_scene_mixed(&mix, random);
    scene.def.bounds.faces[2] = scene.def.bounds.faces[3] = KUGEL_FACE_PERIODIC;
    scene.def.bounce_threshold = 0.5, scene.def.slop = 0.01;
    scene.def.gravity[2] = -9.81;
    scene.def.bounds.min[2] = -3;
    scene.planes[scene.plane_count++] =
        (support_plane){.normal = {0.6, 0, 0.8}, .offset = -1, .friction = 0.5};
    for (uint32_t i = 0; i < scene.count; ++i)
        scene.bodies[i].restitution = 0.3, scene.bodies[i].friction = 0.5;
    return scene;
}

/* From a towards its target, by the shortest way across the periodic faces. */
static void way(const kugel_touch *t, const double *places, const double *radii,
                const support_scene *scene, double normal[3], double *gap)
{
    const double *a = places + 3 * kugel_body_id(t->a);
    double length = 0;
    if (t->target == KUGEL_TARGET_BODY) {
        const double *b = places + 3 * kugel_body_id(t->b);
        for (int k = 0; k < 3; ++k) normal[k] = b[k] - a[k];
        if (fabs(normal[1]) > LENGTH / 2) normal[1] -= copysign(LENGTH, normal[1]);
        for (int k = 0; k < 3; ++k) length += normal[k] * normal[k];
        length = sqrt(length);
        for (int k = 0; k < 3; ++k) normal[k] /= length;
        *gap = length - radii[kugel_body_id(t->b)];
    } else if (t->target == KUGEL_TARGET_FACE) {
        uint32_t axis = t->index / 2;
        for (uint32_t k = 0; k < 3; ++k) normal[k] = k != axis ? 0 : t->index & 1 ? 1 : -1;
        const kugel_bounds *bounds = &scene->def.bounds;
        *gap = t->index & 1 ? bounds->max[axis] - a[axis] : a[axis] - bounds->min[axis];
    } else {
        *gap = -scene->planes[t->index].offset;
        for (int k = 0; k < 3; ++k)
            normal[k] = -scene->planes[t->index].normal[k], *gap -= normal[k] * a[k];
    }
    *gap -= radii[kugel_body_id(t->a)];
}

typedef struct tally {
    int at_start[3], later[3]; /* by target */
    int across;                /* pairs across the periodic faces */
} tally;

static const double SLOP = 0.01 * 0.4; /* m, of two of the largest */

static void check(const kugel_touch *t, const double *places, const double *radii,
                  const support_scene *scene, double moves, tally *seen)
{
    const double *a = places + 3 * kugel_body_id(t->a), radius = radii[kugel_body_id(t->a)];
    double normal[3], gap, off = 0, turned = 0, unit = -1;
    way(t, places, radii, scene, normal, &gap);
    for (int k = 0; k < 3; ++k) {
        double away = t->point[k] - (a[k] + radius * t->normal[k]);
        if (k == 1) away -= LENGTH * rint(away / LENGTH); /* a may have crossed the face by then */
        off = fmax(off, fabs(away));
        turned = fmax(turned, fabs(t->normal[k] - normal[k]));
        unit += t->normal[k] * t->normal[k];
    }
    ++(t->time == 0 ? seen->at_start : seen->later)[t->target];
    seen->across += t->target == KUGEL_TARGET_BODY &&
                    fabs(places[3 * kugel_body_id(t->b) + 1] - a[1]) > LENGTH / 2;
    double turns = 2 * moves / 0.4; /* no two centres are nearer than 0.4 m but for the slop */
    cr_assert(fabs(unit) < 1e-12, "the normal is no unit vector: %g", unit);
    cr_assert(off <= moves + 1e-12, "%g m off a's surface", off);
    cr_assert(turned <= turns + 1e-12, "normal off by %g", turned);
    cr_assert(fabs(gap) < 0.05 + 2 * moves, "touches over a gap of %g m", gap);
}

static double fastest(const kugel_world *world)
{
    double most = 0;
    for (uint32_t i = 0; i < COUNT; ++i) {
        kugel_body_state s;
        support_state(world, i, &s);
        double vv = 0;
        for (int k = 0; k < 3; ++k) vv += s.velocity[k] * s.velocity[k];
        most = fmax(most, vv);
    }
    return sqrt(most);
}

Test(touches, points_and_normals_are_those_of_the_pair)
{
    support_random random = support_random_start("touches", 5);
    support_scene scene = tumble(&random);
    kugel_world *world = support_scene_world(&scene);
    double places[3 * COUNT], radii[COUNT];
    tally begun = {0}, ended = {0};
    for (uint32_t i = 0; i < COUNT; ++i) radii[i] = scene.bodies[i].radius;
    for (int tick = 0; tick < 600; ++tick) {
        if (tick == 300) kugel_world_set_gravity(world, (double[3]){3, 1, 4});
        kugel_world_read_arrays(world, COUNT, &(kugel_body_arrays){.position = places});
        double speed = fastest(world);
        support_run(world, DT, 1);
        double most = (fmax(speed, fastest(world)) * 2 + 10 * DT) * DT;
        size_t begins, ends;
        const kugel_touch *begin = kugel_world_begin_events(world, &begins),
                          *end = kugel_world_end_events(world, &ends);
        for (size_t k = 0; k < begins; ++k)
            check(&begin[k], places, radii, &scene, begin[k].time > 0 ? most : SLOP, &begun);
        for (size_t k = 0; k < ends; ++k) /* later: in the substeps of a crowded tick */
            check(&end[k], places, radii, &scene, end[k].time > 0 ? most : 0, &ended);
    }
    for (int target = 0; target < 3; ++target) {
        cr_assert(begun.later[target] > 0 && ended.at_start[target] > 0, "target %d: %d, %d",
                  target, begun.later[target], ended.at_start[target]);
    }
    cr_assert(begun.across > 0 && ended.across > 0);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}
