/* Checks positions, overlaps and energy of each state. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "cell_levels.h"

/* True while every contact is an impact. False once a body has come to rest: from then on the
 * contact solver holds it. */
static bool is_hard(const checker *checker)
{
    const kugel_world_def *world = &checker->scene->world;
    return world->slop == 0 && world->bounce_threshold == 0 && !checker->any_rest;
}

static void note_rests(checker *checker, const kugel_world *world, const kugel_stats *stats)
{
    size_t begins;
    kugel_world_begins(world, &begins);
    checker->any_rest = checker->any_rest || begins > 0 || stats->resting_contacts > 0;
}

static bool energy_is_conserved(const scene *scene)
{
    if (arrlenu(scene->forces) || arrlenu(scene->gravities) || arrlenu(scene->emitters) ||
        arrlenu(scene->drains))
        return false;
    for (int k = 0; k < 3; ++k) {
        bool periodic = scene->world.bounds.faces[2 * k] == KUGEL_FACE_PERIODIC;
        if (periodic && scene->world.gravity[k] != 0) return false;
    }
    for (size_t i = 0; i < arrlenu(scene->bodies); ++i) {
        if (scene->bodies[i].type == KUGEL_KINEMATIC) return false;
    }
    for (size_t i = 0; i < arrlenu(scene->surfaces); ++i) {
        const kugel_surface_def *def = &scene->surfaces[i].def;
        for (int k = 0; k < 3; ++k)
            if (def->velocity[k] != 0 || def->spin[k] != 0) return false;
    }
    return true;
}

void check_begin(checker *checker, const scene *scene, const kugel_world *world)
{
    const double *g = scene->world.gravity;
    double weight = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    *checker = (struct checker){.scene = scene, .checks_energy = energy_is_conserved(scene)};
    for (size_t i = 0; i < arrlenu(scene->bodies); ++i) {
        const kugel_body_def *b = &scene->bodies[i];
        if (b->type == KUGEL_DYNAMIC)
            checker->scale += b->mass * fabs(b->gravity_scale) * weight * b->radius;
    }
    check_allow(checker, world);
}

void check_allow(checker *checker, const kugel_world *world)
{
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    checker->energy = stats.kinetic_energy + stats.potential_energy;
    checker->scale += stats.kinetic_energy;
}

/* Share of the energy scale. An impact presses a resting ball into its support by up to 0.4 % of
 * its radius a substep; the position correction lifts it again. */
static double energy_tolerance(const checker *checker) { return is_hard(checker) ? 1e-6 : 4e-3; }

/* `parted` is the state of the previous tick: the tick in which the last overlap ends raises the
 * energy. */
static bool check_energy(checker *checker, const kugel_stats *stats, bool deep_overlaps_parted)
{
    double energy = stats->kinetic_energy + stats->potential_energy;
    double tolerance = checker->scale * energy_tolerance(checker);
    tolerance += 1e-13 * fabs(checker->energy); /* rounding at large heights */
    if (checker->checks_energy && deep_overlaps_parted && energy > checker->energy + tolerance) {
        return refuse(&checker->complaint, EXIT_INVARIANT, "energy rose from %.9g to %.9g J",
                      checker->energy, energy);
    }
    if (energy < checker->energy || !deep_overlaps_parted) checker->energy = energy;
    return true;
}

/* Bits of all values in one pass, which vectors take. */
static bool all_finite(const double *values, size_t count)
{
    static const uint64_t exponent = 0x7ff0000000000000;
    uint64_t found = 0;
    for (size_t i = 0; i < count; ++i) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        found |= (bits & exponent) == exponent;
    }
    return !found;
}

static bool check_finite(checker *checker, size_t n)
{
    const double *all = checker->columns[0];
    if (all_finite(all, 9 * n)) return true;
    size_t i = 0;
    while (all_finite(all + 3 * i, 3) && all_finite(all + 3 * (n + i), 3) &&
           all_finite(all + 3 * (2 * n + i), 3))
        ++i;
    return refuse(&checker->complaint, EXIT_INVARIANT, "body %u is not finite",
                  kugel_body_id(checker->bodies[i].body));
}

static bool check_place(checker *checker, const kugel_body_state *b, const double *position)
{
    static const char *const faces[6] = {"x-min", "x-max", "y-min", "y-max", "z-min", "z-max"};
    const kugel_bounds *bounds = &checker->scene->world.bounds;
    for (int k = 0; k < 3; ++k) {
        double x = position[k];
        for (int side = 0; side < 2; ++side) {
            double inside = side ? bounds->max[k] - x : x - bounds->min[k];
            if (inside >= 0 || bounds->faces[2 * k + side] == KUGEL_FACE_OPEN) continue;
            if (b->type != KUGEL_DYNAMIC) continue;
            return refuse(&checker->complaint, EXIT_INVARIANT,
                          "body %u escaped through %s: %c = %.17g", kugel_body_id(b->body),
                          faces[2 * k + side], "xyz"[k], x);
        }
    }
    return true;
}

/* The deepest overlap found so far, in radii of the smaller body. */
typedef struct deepest {
    const kugel_body_state *bodies, *me; /* as they were read first: without what changes */
    const double *position;              /* of me */
    double radius;                       /* of me */
    double depth;
    char what[64];
} deepest;

static bool meet(void *context, uint32_t index, double d2)
{
    deepest *d = context;
    const kugel_body_state *a = d->me, *b = &d->bodies[index];
    double small = a->radius < b->radius ? a->radius : b->radius;
    double reach = a->radius + b->radius - d->depth * small;
    if (d2 > reach * reach) return true; /* most are this far, and need no square root */
    bool still = a->type != KUGEL_DYNAMIC && b->type != KUGEL_DYNAMIC;
    if (a == b || still || a->sensor || b->sensor) return true;
    if (!(a->category & b->mask) || !(b->category & a->mask)) return true;
    double depth = (a->radius + b->radius - sqrt(d2)) / small;
    if (depth <= d->depth) return true;
    d->depth = depth;
    uint32_t i = kugel_body_id(a->body), j = kugel_body_id(b->body);
    snprintf(d->what, sizeof d->what, "bodies %u and %u", i < j ? i : j, i < j ? j : i);
    return true;
}

static void meet_boundary(deepest *d, double height, const char *name, size_t index)
{
    if (height >= (1 - d->depth) * d->radius) return; /* without a division for most */
    if (d->me->type != KUGEL_DYNAMIC || d->me->sensor) return;
    d->depth = 1 - height / d->radius;
    snprintf(d->what, sizeof d->what, "body %u and %s %zu", kugel_body_id(d->me->body), name,
             index);
}

static void meet_boundaries(deepest *d, const scene *scene)
{
    const kugel_bounds *bounds = &scene->world.bounds;
    for (size_t face = 0; face < 6; ++face) {
        size_t k = face / 2;
        double x = d->position[k];
        if (bounds->faces[face] != KUGEL_FACE_WALL) continue;
        meet_boundary(d, face % 2 ? bounds->max[k] - x : x - bounds->min[k], "wall", face);
    }
    for (size_t i = 0; i < arrlenu(scene->planes); ++i) {
        const double *n = scene->planes[i].normal, *x = d->position;
        double height = n[0] * x[0] + n[1] * x[1] + n[2] * x[2] - scene->planes[i].offset;
        meet_boundary(d, height, "plane", i);
    }
}

/* The nearest surface that is not farther than the radius. false: out of memory. */
static bool meet_surfaces(deepest *d, const scene *scene, const kugel_world *world)
{
    const kugel_body_state *b = d->me;
    kugel_filter filter = kugel_filter_default();
    kugel_found found;
    size_t count = 0;
    if (!arrlenu(scene->surfaces) || b->type != KUGEL_DYNAMIC || b->sensor) return true;
    filter.targets = KUGEL_TARGETS_SURFACES;
    filter.category = b->category, filter.mask = b->mask;
    if (kugel_world_nearest(world, d->position, b->radius, &filter, 1, &found, &count) != KUGEL_OK)
        return false;
    if (count) meet_boundary(d, found.gap, "surface", found.index);
    return true;
}

static bool find_deepest(deepest *worst, const scene *scene, const kugel_world *world,
                         const double *positions, const double *radius, uint32_t n)
{
    cell_levels levels;
    if (!cell_levels_open(&levels, &scene->world.bounds, radius, n, 1, 2)) return false;
    for (uint32_t i = 0; i < n; ++i) cell_levels_add(&levels, i, positions + 3 * (size_t)i);
    bool good = cell_levels_sort(&levels);
    for (uint32_t i = 0; i < n && good; ++i) {
        worst->me = &worst->bodies[i];
        worst->position = positions + 3 * (size_t)i;
        worst->radius = radius[i];
        cell_levels_near_once(&levels, worst->position, radius[i], meet, worst);
        meet_boundaries(worst, scene);
        good = meet_surfaces(worst, scene, world);
    }
    cell_levels_close(&levels);
    return good;
}

static bool check_overlaps(checker *checker, const kugel_world *world,
                           const kugel_body_state *bodies, uint32_t n)
{
    const scene *scene = checker->scene;
    deepest worst = {.bodies = bodies};
    if (n && !find_deepest(&worst, scene, world, checker->columns[0], checker->radius, n))
        return refuse(&checker->complaint, EXIT_RESOURCES, "out of memory");
    /* the end of an overlap lifts each body by the rest of m g r */
    if (worst.depth <= 0.5 * energy_tolerance(checker)) checker->deep_overlaps_parted = true;
    if (worst.depth <= (is_hard(checker) ? 1e-5 : 0.02 + scene->world.slop)) {
        checker->overlaps_parted = true;
        return true;
    }
    if (!checker->overlaps_parted) return true;
    return refuse(&checker->complaint, EXIT_INVARIANT, "%s overlap by %.3g radii", worst.what,
                  worst.depth);
}

/* Read all bodies once, and again after check_forget. false: out of memory. */
static bool read_first(checker *checker, const kugel_world *world, size_t n)
{
    checker->bodies = malloc(n * sizeof *checker->bodies + 1);
    for (int k = 0; k < 2; ++k) checker->columns[k] = calloc(9 * n + 1, sizeof(double));
    checker->radius = malloc(n * sizeof *checker->radius + 1);
    if (!checker->bodies || !checker->columns[0] || !checker->columns[1] || !checker->radius)
        return false;
    kugel_world_read_states(world, (uint32_t)n, checker->bodies);
    for (size_t i = 0; i < n; ++i) checker->radius[i] = checker->bodies[i].radius;
    return true;
}

/* Read what a step changes. false: it changed nothing, as when all bodies sleep. */
static bool read_motion(checker *checker, const kugel_world *world, size_t n)
{
    double *now = checker->columns[1], *velocity = now + 3 * n, *spin = velocity + 3 * n;
    kugel_world_read(world, (uint32_t)n, NULL, now, velocity, spin);
    if (memcmp(now, checker->columns[0], 9 * n * sizeof *now) == 0) return false;
    checker->columns[1] = checker->columns[0];
    checker->columns[0] = now;
    return true;
}

bool check_tick(checker *checker, const kugel_world *world)
{
    uint32_t n = kugel_world_body_count(world);
    bool first = !checker->bodies;
    if (first && !read_first(checker, world, n))
        return refuse(&checker->complaint, EXIT_RESOURCES, "out of memory");
    if (!read_motion(checker, world, n) && !first) return true; /* checked before */
    bool good = check_finite(checker, n), deep_overlaps_parted = checker->deep_overlaps_parted;
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    note_rests(checker, world, &stats);
    for (uint32_t i = 0; i < n && good; ++i)
        good = check_place(checker, &checker->bodies[i], checker->columns[0] + 3 * (size_t)i);
    return good && check_overlaps(checker, world, checker->bodies, n) &&
           check_energy(checker, &stats, deep_overlaps_parted);
}

void check_forget(checker *checker)
{
    free(checker->bodies);
    free(checker->columns[0]);
    free(checker->columns[1]);
    free(checker->radius);
    checker->bodies = NULL;
    checker->columns[0] = checker->columns[1] = checker->radius = NULL;
}

void check_end(checker *checker) { check_forget(checker); }
