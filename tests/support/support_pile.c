/* The lattice of a pile, and loops over its pairs and faces. */
#include "support/support_pile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

support_scene support_pile(uint32_t side, uint32_t layers, double restitution,
                           support_random *random)
{
    support_scene scene = {.def = kugel_world_def_default()};
    support_scene_box(&scene, 1.1 * side, KUGEL_FACE_WALL);
    scene.def.bounds.faces[5] = KUGEL_FACE_OPEN;
    scene.def.bounds.restitution = 0, scene.def.bounds.friction = 0.5;
    scene.def.gravity[2] = -9.81;
    for (uint32_t i = 0; i < side * side * layers; ++i) {
        uint32_t at[3] = {i % side, i / side % side, i / side / side};
        double x[3];
        for (int k = 0; k < 3; ++k)
            x[k] = 0.55 + 1.1 * at[k] + support_between(random, -0.04, 0.04);
        kugel_body_def *ball = support_scene_add(&scene, x, NULL, 0.5, 1);
        ball->restitution = restitution, ball->friction = 0.5;
    }
    return scene;
}

double support_pile_in_walls(const support_scene *pile, const kugel_world *world)
{
    double *x = malloc(3 * (size_t)pile->count * sizeof *x), worst = 0;
    const kugel_bounds *bounds = &pile->def.bounds;
    kugel_world_read_arrays(world, pile->count, &(kugel_body_arrays){.position = x});
    for (uint32_t i = 0; i < pile->count; ++i) {
        for (int face = 0; face < 5; ++face) {
            double place = x[3 * i + face / 2];
            double gap = face & 1 ? bounds->max[face / 2] - place : place - bounds->min[face / 2];
            worst = fmax(worst, (0.5 - gap) / 0.5);
        }
    }
    free(x);
    return worst;
}

support_pile_figures support_pile_watch(const support_scene *pile, uint32_t every)
{
    support_pile_figures f = {0};
    kugel_world *world = support_scene_world(pile);
    kugel_stats stats;
    for (uint32_t tick = 1; tick <= 600; ++tick) {
        support_run(world, 1 / 60., 1);
        if (tick % every != 0) continue;
        support_overlaps now = support_all_overlaps(pile, world);
        f.mean = now.mean;
        f.most = fmax(now.worst, support_pile_in_walls(pile, world));
        if (f.most > f.worst) f.worst = f.most, f.worst_tick = tick;
    }
    kugel_world_stats(world, &stats);
    f.energy = support_kinetic_energy(world) / pile->count;
    for (uint32_t tick = 600; tick < 1800 && stats.asleep < pile->count; tick += 20) {
        support_run(world, 1 / 60., 20);
        kugel_world_stats(world, &stats);
    }
    f.awake = pile->count - (uint32_t)stats.asleep;
    kugel_world_destroy(world);
    fprintf(stderr,
            "%u balls: worst overlap %.3f %% in tick %u; mean %.4f %%, most %.3f %%, %.2g J a "
            "ball; %u awake after %.0f ticks\n",
            pile->count, 100 * f.worst, f.worst_tick, 100 * f.mean, 100 * f.most, f.energy, f.awake,
            stats.time * 60);
    return f;
}
