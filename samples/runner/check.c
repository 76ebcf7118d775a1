/* Checks positions, overlaps and energy of each state. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "rows.h"

/* True while every contact is an impact. False once a body has come to rest: from then on the
 * contact solver acts on it. */
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

static bool energy_is_conserved(const checker *checker, const kugel_world *world, size_t n)
{
    const scene *scene = checker->scene;
    if (arrlenu(scene->forces) || arrlenu(scene->gravities) || arrlenu(scene->emitters) ||
        arrlenu(scene->drains))
        return false;
    for (size_t i = 0; i < arrlenu(scene->motions); ++i)
        if (scene->motions[i].mover.is_surface) return false;
    for (int k = 0; k < 3; ++k) {
        bool periodic = scene->world.bounds.faces[2 * k] == KUGEL_FACE_PERIODIC;
        if (periodic && scene->world.gravity[k] != 0) return false;
    }
    for (size_t i = 0; i < n; ++i) {
        if (checker->bodies[i].type == KUGEL_KINEMATIC) return false;
    }
    for (uint32_t i = 0; i < kugel_world_surface_end(world); ++i) {
        kugel_surface_def def;
        if (kugel_world_get_surface(world, i, &def, NULL) != KUGEL_OK) continue; /* removed */
        for (int k = 0; k < 3; ++k)
            if (def.velocity[k] != 0 || def.spin[k] != 0) return false;
    }
    return true;
}

/* Set the limit and the scale of the energy from the first state. */
static void begin_energy(checker *checker, const kugel_world *world, size_t n)
{
    const double *g = checker->scene->world.gravity;
    double weight = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    checker->checks_energy = energy_is_conserved(checker, world, n);
    for (size_t i = 0; i < n; ++i) {
        const kugel_body_state *b = &checker->bodies[i];
        if (b->type == KUGEL_DYNAMIC)
            checker->scale += b->mass * fabs(b->gravity_scale) * weight * b->radius;
    }
    check_allow(checker, world);
    checker->begun = true;
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

/* @param deep_overlaps_parted its value after the previous tick: the tick in which the last deep
 * overlap ends still raises the energy. */
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

/* True if no exponent has all bits set: adding 1 to such an exponent carries into the sign. The
 * loop has no branches, so compilers vectorise it. */
static bool all_finite(const double *values, size_t count)
{
    static const uint64_t exponent = 0x7ff0000000000000, one = 0x0010000000000000;
    uint64_t found = 0;
    for (size_t i = 0; i < count; ++i) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        found |= (bits & exponent) + one;
    }
    return found >> 63 == 0;
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

/* The box that closed faces, or walls only, enclose; infinite where such a face is missing. */
typedef struct box {
    double min[3], max[3];
} box;

static box box_of(const kugel_bounds *bounds, bool walls_only)
{
    box box;
    for (int k = 0; k < 3; ++k) {
        double *side[2] = {&box.min[k], &box.max[k]};
        for (int i = 0; i < 2; ++i) {
            kugel_face face = bounds->faces[2 * k + i];
            bool open = face == KUGEL_FACE_OPEN || (walls_only && face != KUGEL_FACE_WALL);
            *side[i] = open ? i ? INFINITY : -INFINITY : i ? bounds->max[k] : bounds->min[k];
        }
    }
    return box;
}

static bool check_place(checker *checker, const kugel_body_state *b, const double *x,
                        const box *closed)
{
    static const char *const faces[6] = {"x-min", "x-max", "y-min", "y-max", "z-min", "z-max"};
    for (int k = 0; k < 3 && b->type == KUGEL_DYNAMIC; ++k) {
        if (x[k] >= closed->min[k] && x[k] <= closed->max[k]) continue;
        return refuse(&checker->complaint, EXIT_INVARIANT, "body %u escaped through %s: %c = %.17g",
                      kugel_body_id(b->body), faces[2 * k + (x[k] > closed->max[k])], "xyz"[k],
                      x[k]);
    }
    return true;
}

static bool check_places(checker *checker, size_t n)
{
    box closed = box_of(&checker->scene->world.bounds, false);
    const double *positions = checker->columns[0];
    bool outside = false;
    for (size_t i = 0; i < n; ++i) {
        const double *x = positions + 3 * i;
        for (int k = 0; k < 3; ++k) outside |= x[k] < closed.min[k] || x[k] > closed.max[k];
    }
    for (size_t i = 0; i < n && outside; ++i)
        if (!check_place(checker, &checker->bodies[i], positions + 3 * i, &closed)) return false;
    return true;
}

/* The deepest overlap found so far, in radii of the smaller body. */
typedef struct deepest {
    const kugel_body_state *bodies; /* only their constant values are used */
    const double *radius;           /* of the bodies, m */
    double depth;
    kugel_target target; /* what body a overlaps */
    uint32_t a, b;       /* the body's id; that of the other one, or the target's index */
} deepest;

static void measure_pair(void *context, uint32_t i, uint32_t j, double d2)
{
    deepest *d = context;
    double r = d->radius[i], s = d->radius[j], small = r < s ? r : s;
    double reach = r + s - d->depth * small;
    if (d2 > reach * reach) return; /* most pairs end here, without a square root */
    const kugel_body_state *a = &d->bodies[i], *b = &d->bodies[j];
    bool still = a->type != KUGEL_DYNAMIC && b->type != KUGEL_DYNAMIC;
    if (still || a->sensor || b->sensor) return;
    if (!(a->category & b->mask) || !(b->category & a->mask)) return;
    if (a->group && a->group == b->group) return;
    double depth = (r + s - sqrt(d2)) / small;
    if (depth <= d->depth) return;
    d->depth = depth;
    uint32_t k = kugel_body_id(a->body), l = kugel_body_id(b->body);
    d->target = KUGEL_TARGET_BODY;
    d->a = k < l ? k : l;
    d->b = k < l ? l : k;
}

static void measure_boundary(deepest *d, uint32_t body, double height, kugel_target target,
                             size_t index)
{
    const kugel_body_state *b = &d->bodies[body];
    double depth = 1 - height / d->radius[body];
    if (depth <= d->depth || b->type != KUGEL_DYNAMIC || b->sensor) return;
    d->depth = depth;
    d->target = target;
    d->a = kugel_body_id(b->body);
    d->b = (uint32_t)index;
}

static void measure_boundaries(deepest *d, uint32_t body, const double *x, const box *walls,
                               const scene *scene)
{
    double reach = (1 - d->depth) * d->radius[body]; /* farther boundaries overlap less */
    for (size_t k = 0; k < 3; ++k) {
        double low = x[k] - walls->min[k], high = walls->max[k] - x[k];
        if (low < reach) measure_boundary(d, body, low, KUGEL_TARGET_FACE, 2 * k);
        if (high < reach) measure_boundary(d, body, high, KUGEL_TARGET_FACE, 2 * k + 1);
    }
    for (size_t i = 0; i < arrlenu(scene->planes); ++i) {
        const double *n = scene->planes[i].normal;
        double height = n[0] * x[0] + n[1] * x[1] + n[2] * x[2] - scene->planes[i].offset;
        if (height < reach) measure_boundary(d, body, height, KUGEL_TARGET_PLANE, i);
    }
}

/* Bodies pass a one-sided mesh from behind. */
static bool is_one_sided(const kugel_world *world, uint32_t surface)
{
    kugel_surface_def def;
    kugel_world_get_surface(world, surface, &def, NULL);
    return def.shape == KUGEL_SURFACE_MESH && def.one_sided;
}

/* Test the nearest surface within the radius that is not one-sided.
 * @param found a place for each surface. false: out of memory. */
static bool measure_surfaces(deepest *d, uint32_t body, const double *position,
                             const kugel_world *world, kugel_found *found)
{
    const kugel_body_state *b = &d->bodies[body];
    kugel_filter filter = kugel_filter_default();
    size_t count = 0, surfaces = kugel_world_surface_end(world);
    if (b->type != KUGEL_DYNAMIC || b->sensor) return true;
    filter.targets = KUGEL_TARGETS_SURFACES;
    filter.category = b->category, filter.mask = b->mask, filter.group = b->group;
    if (kugel_world_nearest(world, position, b->radius, &filter, surfaces, found, &count) !=
        KUGEL_OK)
        return false;
    size_t i = 0;
    while (i < count && is_one_sided(world, found[i].index)) ++i;
    if (i < count) measure_boundary(d, body, found[i].gap, KUGEL_TARGET_SURFACE, found[i].index);
    return true;
}

/* True if the scene has walls or planes. */
static bool has_walls_or_planes(const box *walls, const scene *scene)
{
    bool any = arrlenu(scene->planes) > 0;
    for (int k = 0; k < 3; ++k) any |= isfinite(walls->min[k]) || isfinite(walls->max[k]);
    return any;
}

static bool find_deepest(checker *checker, deepest *worst, const kugel_world *world, uint32_t n)
{
    const scene *scene = checker->scene;
    const double *positions = checker->columns[0];
    box walls = box_of(&scene->world.bounds, true);
    size_t surfaces = kugel_world_surface_end(world);
    kugel_found *found = malloc(surfaces * sizeof *found + 1);
    bool bounded = has_walls_or_planes(&walls, scene), good = found;
    for (uint32_t i = 0; i < n && good && (bounded || surfaces); ++i) {
        const double *x = positions + 3 * (size_t)i;
        if (bounded) measure_boundaries(worst, i, x, &walls, scene);
        if (surfaces) good = measure_surfaces(worst, i, x, world, found);
    }
    if (good) sphere_pairs_find(&checker->pairs, positions, measure_pair, worst);
    free(found);
    return good;
}

static bool check_overlaps(checker *checker, const kugel_world *world, uint32_t n)
{
    const scene *scene = checker->scene;
    deepest worst = {.bodies = checker->bodies, .radius = checker->radius};
    if (n && !find_deepest(checker, &worst, world, n))
        return refuse(&checker->complaint, EXIT_RESOURCES, "out of memory");
    /* when overlaps end, they lift both bodies: half the tolerance for each */
    if (worst.depth <= 0.5 * energy_tolerance(checker)) checker->deep_overlaps_parted = true;
    if (worst.depth <= (is_hard(checker) ? 1e-5 : 0.02 + scene->world.slop)) {
        checker->overlaps_parted = true;
        return true;
    }
    if (!checker->overlaps_parted) return true;
    char name[TARGET_NAME];
    target_name(name, scene, worst.target, worst.b);
    bool two = worst.target == KUGEL_TARGET_BODY;
    return refuse(&checker->complaint, EXIT_INVARIANT, "%s %u and %s overlap by %.3g radii",
                  two ? "bodies" : "body", worst.a, name, worst.depth);
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
    return sphere_pairs_open(&checker->pairs, &checker->scene->world.bounds, checker->radius,
                             (uint32_t)n);
}

/* Read the motions. false: the last step changed none, as when all bodies sleep. */
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
    if (!checker->begun) begin_energy(checker, world, n);
    if (!read_motion(checker, world, n) && !first) return true; /* checked before */
    bool good = check_finite(checker, n), deep_overlaps_parted = checker->deep_overlaps_parted;
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    note_rests(checker, world, &stats);
    return good && check_places(checker, n) && check_overlaps(checker, world, n) &&
           check_energy(checker, &stats, deep_overlaps_parted);
}

void check_forget(checker *checker)
{
    free(checker->bodies);
    free(checker->columns[0]);
    free(checker->columns[1]);
    free(checker->radius);
    sphere_pairs_close(&checker->pairs);
    checker->bodies = NULL;
    checker->columns[0] = checker->columns[1] = checker->radius = NULL;
}

int check_run(checker *checker, const kugel_world *world, const char *name, uint64_t tick)
{
    if (check_tick(checker, world)) return 0;
    return complain(checker->complaint.code, "%s: tick %llu: %s", name, (unsigned long long)tick,
                    checker->complaint.text);
}

void check_end(checker *checker) { check_forget(checker); }
