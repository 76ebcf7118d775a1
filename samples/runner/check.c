/* Checks positions, overlaps and energy of each state. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "read_states.h"
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
    kugel_world_begin_events(world, &begins);
    checker->any_rest = checker->any_rest || begins > 0 || stats->resting_contacts > 0;
}

static bool energy_is_conserved(const checker *checker, const kugel_world *world, size_t n)
{
    const scene *scene = checker->scene;
    if (arrlenu(scene->forces) || arrlenu(scene->gravities) || arrlenu(scene->emitters) ||
        arrlenu(scene->drains) || arrlenu(scene->servos) || scene->world.growth > 0)
        return false;
    for (size_t i = 0; i < arrlenu(scene->motions); ++i)
        if (scene->motions[i].mover.kind != MOVES_BODY) return false;
    for (int k = 0; k < 3; ++k) {
        bool periodic = scene->world.bounds.faces[2 * k] == KUGEL_FACE_PERIODIC;
        if (periodic && scene->world.gravity[k] != 0) return false;
    }
    for (size_t i = 0; i < n; ++i) {
        if (checker->bodies[i].type == KUGEL_KINEMATIC) return false;
    }
    for (uint32_t i = 0; i < kugel_world_surface_end(world); ++i) {
        kugel_surface_def def;
        if (kugel_surface_get(world, kugel_world_surface(world, i), &def, NULL) != KUGEL_OK)
            continue; /* removed */
        for (int k = 0; k < 3; ++k)
            if (def.velocity[k] != 0 || def.spin[k] != 0 || def.tangent_velocity[k] != 0)
                return false;
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
    kugel_energy sums;
    kugel_world_energy(world, &sums);
    checker->energy = sums.kinetic + sums.potential;
    checker->scale += sums.kinetic;
}

/* Share of the energy scale. An impact presses a resting ball into its support by up to 0.4 % of
 * its radius a substep; the position correction lifts it again. */
static double energy_tolerance(const checker *checker) { return is_hard(checker) ? 1e-6 : 4e-3; }

/* @param deep_overlaps_parted its value after the previous tick: the tick in which the last deep
 * overlap ends still raises the energy. */
static bool check_energy(checker *checker, const kugel_world *world, bool deep_overlaps_parted)
{
    kugel_energy sums;
    kugel_world_energy(world, &sums);
    double energy = sums.kinetic + sums.potential;
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

check_box check_box_of(const kugel_bounds *bounds, bool walls_only)
{
    check_box box;
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
                        const check_box *closed)
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
    check_box closed = check_box_of(&checker->scene->world.bounds, false);
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

static bool check_overlaps(checker *checker, const kugel_world *world, uint32_t n)
{
    const scene *scene = checker->scene;
    const exemptions *exempt = &checker->exempt;
    double limit = is_hard(checker) ? 1e-5 : 0.02 + scene->world.slop;
    deepest worst;
    if (!deepest_find(checker, world, n, limit, &worst))
        return refuse(&checker->complaint, EXIT_RESOURCES, "out of memory");
    /* when overlaps end, they lift both bodies: half the tolerance for each */
    if ((worst.depth <= 0.5 * energy_tolerance(checker) && !exempt->count) ||
        kugel_world_tick(world) >= exempt->until)
        checker->deep_overlaps_parted = true;
    if (worst.depth <= limit) return true;
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
    read_states(world, checker->bodies);
    for (size_t i = 0; i < n; ++i) checker->radius[i] = checker->bodies[i].radius;
    return sphere_pairs_open(&checker->pairs, &checker->scene->world.bounds, checker->radius,
                             (uint32_t)n);
}

/* Read the motions. false: the last step changed none, as when all bodies sleep. */
static bool read_motion(checker *checker, const kugel_world *world, size_t n)
{
    double *now = checker->columns[1], *velocity = now + 3 * n, *spin = velocity + 3 * n;
    kugel_world_read_arrays(
        world, (uint32_t)n,
        &(kugel_body_arrays){.position = now, .velocity = velocity, .spin = spin});
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
    bool moved = read_motion(checker, world, n);
    if (!moved && !first && !checker->exempt.count) return true; /* checked before */
    bool good = check_finite(checker, n), deep_overlaps_parted = checker->deep_overlaps_parted;
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    note_rests(checker, world, &stats);
    return good && check_places(checker, n) && check_overlaps(checker, world, n) &&
           check_energy(checker, world, deep_overlaps_parted);
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
    bool good = check_tick(checker, world);
    deepest_report(checker, name);
    if (good) return 0;
    return complain(checker->complaint.code, "%s: tick %llu: %s", name, (unsigned long long)tick,
                    checker->complaint.text);
}

void check_end(checker *checker)
{
    check_forget(checker);
    free(checker->exempt.of);
    checker->exempt.of = NULL;
}
