/* --check accepts correct runs, and finds the overlaps of others. */
#include <check.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runner/support_program.h"
#include "support/support_random.h"
#include "support/support_states.h"

enum { MOST = 40 };

/* Initial overlaps lift the body as they end, from deep ones to those within the tolerance. */
Test(check, initial_overlaps_are_no_gain_of_energy)
{
    static const double heights[] = {0.25, 0.3,    0.4,    0.45,   0.475, 0.485,
                                     0.49, 0.4925, 0.4975, 0.4995, 0.5};
    for (size_t k = 0; k < 2 * sizeof heights / sizeof *heights; ++k) {
        char scene[256];
        snprintf(scene, sizeof scene,
                 "{\"format\": \"kugel-scene\", \"version\": 1, \"ticks\": 60, \"gravity\": [0, 0, "
                 "-9.81], "
                 "\"planes\": [{\"normal\": [0, 0, 1]}], \"bodies\": [{\"position\": [0, 0, %g], "
                 "\"velocity\": [0, 0, %d]}]}",
                 heights[k / 2], k % 2 ? -2 : 0);
        support_program run =
            support_kugel_run(scene, (const char *const[]){"-", "--quiet", "--check", NULL});
        cr_assert_eq(run.code, 0, "from %g m: %s", heights[k / 2], run.err);
        support_program_free(&run);
    }
}

static void expect_refusal(const char *scene, const char *note, const char *refusal)
{
    support_program run =
        support_kugel_run(scene, (const char *const[]){"-", "--quiet", "--check", NULL});
    cr_assert_eq(run.code, 3, "%s", run.err);
    cr_assert(strstr(run.err, note) && strstr(run.err, refusal), "%s", run.err);
    support_program_free(&run);
}

/* A belt drives the ball on it. */
Test(check, a_belt_may_add_energy)
{
    support_program run = support_kugel_run(
        "{\"format\": \"kugel-scene\", \"version\": 1, \"ticks\": 60, \"gravity\": [0, 0, -10], "
        "\"surfaces\": [{\"box\": {\"half\": [9, 9, 1]}, \"position\": [0, 0, -1], "
        "\"tangent_velocity\": [3, 0, 0]}], \"bodies\": [{\"position\": [0, 0, 0.5]}]}",
        (const char *const[]){"-", "--quiet", "--check", NULL});
    cr_assert_eq(run.code, 0, "%s", run.err);
    support_program_free(&run);
}

/* A one-sided disc presses body 0 into the floor, while body 1 begins inside of it. */
Test(check, a_body_that_begins_inside_a_surface_exempts_no_other)
{
    expect_refusal(
        "{\"format\": \"kugel-scene\", \"version\": 1, \"gravity\": [0, 0, -9.81], "
        "\"surfaces\": [{\"box\": {\"half\": [50, 50, 1]}, \"position\": [0, 0, -1], \"name\": "
        "\"floor\"}, {\"disc\": {\"radius\": 4}, \"sides\": 1, \"position\": [0, 0, 1], "
        "\"rotation\": [1, 0, 0, 0]}], \"bodies\": [{\"position\": [0, 0, 0.5]}, {\"position\": "
        "[20, 0, 0.2]}], \"motions\": [{\"surface\": 1, \"position\": [0, 0, 0.3], \"ticks\": "
        "60}]}",
        "note: bodies[1] begins inside surface:floor by 0.6 radii; ",
        "body 0 and surface:floor overlap by ");
}

/* A plate thinner than the body holds it inside. It sleeps, so that nothing changes after. */
Test(check, a_body_that_stays_inside_is_refused_in_the_end)
{
    expect_refusal("{\"format\": \"kugel-scene\", \"version\": 1, \"ticks\": 300, \"surfaces\": "
                   "[{\"box\": {\"half\": [5, 5, 0.1]}, \"name\": \"plate\"}], \"bodies\": "
                   "[{\"position\": [0, 0, 2]}, {\"position\": [3, 0, 0]}]}",
                   "note: bodies[1] begins inside surface:plate by 0.8 radii; ",
                   "tick 60: body 1 and surface:plate overlap by 0.8 radii");
}

/* The layers of a cluster part one after the other, from outside in. */
Test(check, clusters_have_time_to_part)
{
    support_program run = support_kugel_run(
        "{\"format\": \"kugel-scene\", \"version\": 1, \"ticks\": 400, \"gravity\": [0, 0, "
        "-9.81], \"planes\": [{\"normal\": [0, 0, 1]}], \"generators\": [{\"lattice\": "
        "{\"origin\": [0, 0, 0.4], \"spacing\": [0.8, 0.8, 0.8], \"count\": [8, 8, 8]}}]}",
        (const char *const[]){"-", "--quiet", "--check", NULL});
    cr_assert_eq(run.code, 0, "%s", run.err);
    cr_assert(strstr(run.err, ", the deepest overlap of 512 bodies; "), "%s", run.err);
    support_program_free(&run);
}

/* Inelastic hard spheres come to rest as well; then the contact solver holds them. */
Test(check, hard_spheres_may_rest)
{
    static const double restitutions[] = {0, 0.5, 0.9};
    for (size_t k = 0; k < sizeof restitutions / sizeof *restitutions; ++k) {
        char scene[512];
        snprintf(scene, sizeof scene,
                 "{\"format\": \"kugel-scene\", \"version\": 1, \"ticks\": 300, \"gravity\": [0, "
                 "0, -9.81], \"slop\": 0, "
                 "\"bounce_threshold\": 0, \"planes\": [{\"normal\": [0.6, 0, 0.8]}, {\"normal\": "
                 "[-0.6, 0, 0.8]}], "
                 "\"defaults\": {\"restitution\": %g}, \"bodies\": [{\"position\": [0, 0, 3]}, "
                 "{\"position\": [0, 0, 4.5]}, "
                 "{\"position\": [0.3, 0.1, 5.5], \"radius\": 0.3, \"mass\": 0.3}]}",
                 restitutions[k]);
        support_program run =
            support_kugel_run(scene, (const char *const[]){"-", "--quiet", "--check", NULL});
        cr_assert_eq(run.code, 0, "restitution %g: %s", restitutions[k], run.err);
        support_program_free(&run);
    }
}

/* The tolerance scales with the weight: ten times the gravity scale in a tenth of the gravity is
 * the same pile. */
Test(check, the_tolerance_includes_the_gravity_scale)
{
    static const double scales[] = {1, 10, 100, -10};
    for (size_t k = 0; k < sizeof scales / sizeof *scales; ++k) {
        char scene[512];
        snprintf(scene, sizeof scene,
                 "{\"format\": \"kugel-scene\", \"version\": 1, \"ticks\": 120, \"gravity\": [0, "
                 "0, %g], "
                 "\"bounds\": {\"min\": [0, 0, 0], \"max\": [5, 5, 8]}, \"defaults\": "
                 "{\"gravity_scale\": %g}, "
                 "\"generators\": [{\"lattice\": {\"origin\": [0.65, 0.65, 0.65], \"spacing\": "
                 "[1.1, 1.1, 1.1], "
                 "\"count\": [4, 4, 3], \"jitter\": 0.02}}]}",
                 -9.81 / scales[k], scales[k]);
        support_program run =
            support_kugel_run(scene, (const char *const[]){"-", "--quiet", "--check", NULL});
        cr_assert_eq(run.code, 0, "scale %g: %s", scales[k], run.err);
        support_program_free(&run);
    }
}

/* Bodies pass a one-sided mesh from behind, fast and slow. */
Test(check, bodies_pass_one_sided_meshes)
{
    static const double speeds[] = {0.3, 4, 30};
    for (size_t k = 0; k < sizeof speeds / sizeof *speeds; ++k) {
        char scene[512];
        snprintf(scene, sizeof scene,
                 "{\"format\": \"kugel-scene\", \"version\": 1, \"ticks\": 900, \"surfaces\": "
                 "[{\"disc\": {\"radius\": 5}, \"sides\": 1}], \"bodies\": [{\"position\": [0, 0, "
                 "-3], \"velocity\": [0, 0, %g]}]}",
                 speeds[k]);
        support_program run =
            support_kugel_run(scene, (const char *const[]){"-", "--quiet", "--check", NULL});
        cr_assert_eq(run.code, 0, "%g m/s: %s", speeds[k], run.err);
        support_program_free(&run);
    }
}

/* Eight one-sided discs are nearer to a ball than the floor and the ceiling that press it. */
Test(check, finds_an_overlap_behind_many_nearer_surfaces)
{
    char scene[4096];
    int used = snprintf(scene, sizeof scene,
                        "{\"format\": \"kugel-scene\", \"version\": 1, \"ticks\": 120, "
                        "\"bodies\": [{\"position\": [0, 0, 0.6]}], \"surfaces\": [");
    for (int k = 1; k <= 8; ++k)
        used += snprintf(scene + used, sizeof scene - (size_t)used,
                         "{\"disc\": {\"radius\": 4}, \"sides\": 1, \"position\": [0, 0, 0.00%d], "
                         "\"rotation\": [1, 0, 0, 0]}, {\"disc\": {\"radius\": 4}, \"sides\": 1, "
                         "\"position\": [0, 0, 1.19%d], \"velocity\": [0, 0, -0.2]}, ",
                         k, k);
    snprintf(scene + used, sizeof scene - (size_t)used,
             "{\"box\": {\"half\": [5, 5, 1]}, \"position\": [0, 0, -1]}, {\"box\": {\"half\": "
             "[5, 5, 1]}, \"position\": [0, 0, 2.2], \"velocity\": [0, 0, -0.2]}]}");
    support_program run =
        support_kugel_run(scene, (const char *const[]){"-", "--quiet", "--check", NULL});
    cr_assert_eq(run.code, 3, "%s", run.err);
    cr_assert(strstr(run.err, "body 0 and surface:16 overlap"), "%s", run.err);
    support_program_free(&run);
}

/* A one-sided disc, which is not tested, presses a ball into a floor that is a surface. The last of
 * the contacts of a body that the solver meets gives way least: here the disc. Names are those of
 * events. */
Test(check, names_what_overlaps)
{
    const char *scene =
        "{\"format\": \"kugel-scene\", \"version\": 1, \"bodies\": [{\"position\": [0, 0, 0.5]}], "
        "\"surfaces\": [{\"disc\": {\"radius\": 1}, \"name\": \"floor\"}, {\"disc\": {\"radius\": "
        "4}, "
        "\"sides\": 1, \"position\": [0, 0, 1], \"rotation\": [1, 0, 0, 0]}], \"motions\": "
        "[{\"surface\": 1, \"position\": [0, 0, 0.7], \"ticks\": 60}]}";
    support_program run =
        support_kugel_run(scene, (const char *const[]){"-", "--quiet", "--check", NULL});
    cr_assert(run.code == 3 && strstr(run.err, ": body 0 and surface:floor overlap by "), "%s",
              run.err);
    support_program_free(&run);
}

/* The message about the deepest overlap in radii of the smaller body, "" if none is above 1e-5. */
static void find_deepest(const kugel_world *world, double length, char said[64])
{
    static kugel_body_state bodies[MOST];
    uint32_t n = support_read_states(world, MOST, bodies);
    double deepest = 1e-5;
    said[0] = 0;
    for (uint32_t i = 0; i < n; ++i) {
        for (uint32_t j = i + 1; j < n; ++j) {
            double small = fmin(bodies[i].radius, bodies[j].radius), sum = 0;
            for (int k = 0; k < 3; ++k) {
                double d = fabs(bodies[i].position[k] - bodies[j].position[k]);
                if (k < 2) d = fmin(d, length - d);
                sum += d * d;
            }
            double depth = (bodies[i].radius + bodies[j].radius - sqrt(sum)) / small;
            if (depth <= deepest) continue;
            deepest = depth;
            snprintf(said, 64, "bodies %u and %u overlap by %.3g radii",
                     kugel_body_id(bodies[i].body), kugel_body_id(bodies[j].body), depth);
        }
    }
}

/* Bodies jump anywhere between two ticks; some are removed, and others made. */
Test(check, finds_the_deepest_overlap_of_brute_force)
{
    support_random random = support_random_start("check", 7);
    const double length = 10;
    scene scene = {.world = kugel_world_def_default()};
    kugel_bounds *bounds = &scene.world.bounds;
    for (int k = 0; k < 4; ++k) bounds->faces[k] = KUGEL_FACE_PERIODIC;
    for (int k = 0; k < 3; ++k) bounds->max[k] = length;
    scene.world.slop = scene.world.bounce_threshold = 0;
    kugel_world *world;
    cr_assert_eq(kugel_world_create(&scene.world, &world), KUGEL_OK);
    checker checker = {.scene = &scene};
    cr_assert(check_tick(&checker, world)); /* no overlap */
    size_t violations = 0;
    for (int tick = 0; tick < 400; ++tick) {
        static kugel_body_state bodies[MOST];
        uint32_t n = support_read_states(world, MOST, bodies);
        for (uint32_t i = 0; i < n; ++i) {
            double place[3], stretch = support_uniform(&random) < 0.1 ? 1e6 : 1;
            for (int k = 0; k < 3; ++k)
                place[k] = support_uniform(&random) * length * (k < 2 ? 1 : stretch);
            cr_assert_eq(kugel_body_set_position(world, bodies[i].body, place), KUGEL_OK);
        }
        if (n && tick % 3 == 0) {
            kugel_body_destroy(world, bodies[support_below(&random, n)].body);
            check_forget(&checker);
        }
        if (n < MOST && tick % 2 == 0) {
            kugel_body_def def = kugel_body_def_default();
            def.radius = pow(10, support_between(&random, -1.5, 0.1));
            def.position[2] = -20 - tick;
            cr_assert_eq(kugel_body_create(world, &def, NULL), KUGEL_OK);
            check_forget(&checker);
        }
        char said[64];
        find_deepest(world, length, said);
        bool good = check_tick(&checker, world);
        cr_assert_eq(good, !said[0], "tick %d: %s", tick, said);
        if (!good) cr_assert_str_eq(checker.complaint.text, said, "tick %d", tick);
        violations += !good;
    }
    cr_assert(violations > 100 && violations < 380, "%zu", violations);
    check_end(&checker);
    kugel_world_destroy(world);
}
