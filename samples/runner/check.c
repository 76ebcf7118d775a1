/* --check: what a right run never does. Tolerances: in a pure hard-sphere scene (slop 0, threshold 0)
 * overlaps up to 1e-5 of the smaller radius and energy up to 1e-6 of its scale; with resting contacts
 * 5 % of the smaller radius (the solver takes penetration back over some substeps) and 1e-3. */
#include <math.h>
#include <stdlib.h>

#include "arrays.h"
#include "cells.h"
#include "run.h"

static bool is_exact(const scene *scene)
{
    return scene->world.slop == 0 && scene->world.bounce_threshold == 0;
}

static double energy_of(const kugel_world *world)
{
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    return stats.kinetic_energy + stats.potential_energy;
}

/* Energy means nothing where something moves bodies from outside or potential energy jumps. */
static bool energy_means(const scene *scene)
{
    for (int k = 0; k < 3; ++k) {
        if (scene->world.gravity[k] != 0 && scene->world.bounds.faces[2 * k] == KUGEL_FACE_PERIODIC) return false;
    }
    for (size_t i = 0; i < arrlenu(scene->bodies); ++i) {
        if (scene->bodies[i].type == KUGEL_KINEMATIC) return false;
    }
    return true;
}

void check_begin(checker *checker, const scene *scene, const kugel_world *world)
{
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    const double *g = scene->world.gravity;
    double weight = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]), drop = 0;
    for (size_t i = 0; i < arrlenu(scene->bodies); ++i) drop += scene->bodies[i].mass * weight * scene->bodies[i].radius;
    *checker = (struct checker){.energy = stats.kinetic_energy + stats.potential_energy,
                                .scale = stats.kinetic_energy + drop, .energy_means = energy_means(scene)};
}

void check_allow(checker *checker, const kugel_world *world)
{
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    checker->energy = stats.kinetic_energy + stats.potential_energy;
    checker->scale += stats.kinetic_energy;
}

static bool check_energy(checker *checker, const scene *scene, const kugel_world *world)
{
    double energy = energy_of(world), tolerance = checker->scale * (is_exact(scene) ? 1e-6 : 1e-3) + 1e-12;
    if (checker->energy_means && checker->apart && energy > checker->energy + tolerance) {
        snprintf(checker->what, sizeof checker->what, "energy rose from %.9g to %.9g J", checker->energy, energy);
        return false;
    }
    if (energy < checker->energy || !checker->apart) checker->energy = energy;
    return true;
}

static bool check_places(checker *checker, const scene *scene, const kugel_body_state *b)
{
    const kugel_bounds *bounds = &scene->world.bounds;
    double slack = b->radius * (is_exact(scene) ? 1e-5 : 0.05);
    for (int k = 0; k < 3; ++k) {
        double x = b->position[k];
        if (!isfinite(x) || !isfinite(b->velocity[k]) || !isfinite(b->spin[k])) {
            snprintf(checker->what, sizeof checker->what, "body %u is not finite", kugel_body_id(b->body));
            return false;
        }
        if (b->type != KUGEL_DYNAMIC) continue;
        for (int side = 0; side < 2; ++side) {
            kugel_face face = bounds->faces[2 * k + side];
            double inside = side ? bounds->max[k] - x : x - bounds->min[k];
            double limit = face == KUGEL_FACE_WALL ? (checker->apart ? b->radius - slack : 0) : 0;
            if (face == KUGEL_FACE_OPEN || inside >= limit) continue;
            snprintf(checker->what, sizeof checker->what, "body %u is outside the bounds: %c = %.17g", kugel_body_id(b->body),
                     "xyz"[k], x);
            return false;
        }
    }
    return true;
}

/* The deepest overlap, in smaller radii. */
typedef struct deepest {
    const kugel_body_state *bodies;
    const kugel_body_state *me;
    double depth;
    uint32_t other;
} deepest;

static bool measure(void *context, uint32_t index, double d2)
{
    deepest *d = context;
    const kugel_body_state *a = d->me, *b = &d->bodies[index];
    if (a == b || (a->mass == 0 && b->mass == 0) || a->sensor || b->sensor) return true;
    if (!(a->category & b->mask) || !(b->category & a->mask)) return true;
    double small = a->radius < b->radius ? a->radius : b->radius;
    double depth = (a->radius + b->radius - sqrt(d2)) / small;
    if (depth > d->depth) d->depth = depth, d->other = kugel_body_id(b->body);
    return true;
}

static bool check_overlaps(checker *checker, const scene *scene, const kugel_body_state *bodies, uint32_t n)
{
    cells cells;
    double largest = 0, tolerance = is_exact(scene) ? 1e-5 : 0.05;
    const kugel_bounds *b = &scene->world.bounds;
    for (uint32_t i = 0; i < n; ++i) largest = bodies[i].radius > largest ? bodies[i].radius : largest;
    if (n == 0 || !cells_open(&cells, n, 2 * largest)) return true;
    for (int k = 0; k < 3; ++k) {
        cells.low[k] = b->min[k];
        cells.length[k] = b->faces[2 * k] == KUGEL_FACE_PERIODIC ? b->max[k] - b->min[k] : 0;
    }
    for (uint32_t i = 0; i < n; ++i) cells_add(&cells, bodies[i].position);
    deepest worst = {.bodies = bodies, .depth = 0};
    uint32_t who = 0;
    for (uint32_t i = 0; i < n; ++i) {
        double before = worst.depth;
        worst.me = &bodies[i];
        cells_near(&cells, bodies[i].position, measure, &worst);
        if (worst.depth > before) who = kugel_body_id(bodies[i].body);
    }
    cells_close(&cells);
    if (worst.depth <= tolerance) return checker->apart = true;
    if (!checker->apart) return true; /* the scene began with overlaps that are still parting */
    snprintf(checker->what, sizeof checker->what, "bodies %u and %u overlap by %.3g radii", who, worst.other, worst.depth);
    return false;
}

bool check_tick(checker *checker, const scene *scene, const kugel_world *world)
{
    uint32_t n = 0, end = kugel_world_id_end(world);
    kugel_body_state *bodies = malloc(end * sizeof *bodies + 1);
    if (!bodies) {
        snprintf(checker->what, sizeof checker->what, "out of memory while checking");
        return false;
    }
    bool ok = true;
    for (uint32_t id = 0; id < end && ok; ++id) {
        if (kugel_body_get(world, kugel_world_body(world, id), &bodies[n])) continue;
        ok = check_places(checker, scene, &bodies[n++]);
    }
    ok = ok && check_overlaps(checker, scene, bodies, n) && check_energy(checker, scene, world);
    free(bodies);
    return ok;
}
