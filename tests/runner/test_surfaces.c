/* "surfaces" of a scene: each shape is where its keys say, and events name it. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/support_program.h"

/* The first impact of body 0. */
typedef struct first_impact {
    char b[80];
    double time, p[3], n[3], speed;
    int code;
} first_impact;

/* A ball of radius 0.5 with these keys, for a second, and these surfaces. */
static first_impact drop(const char *surfaces, const char *ball)
{
    char scene[4096];
    first_impact found = {.b = "none"};
    snprintf(scene, sizeof scene,
             "{\"format\": \"kugel-scene\", \"version\": 1, \"dt\": 0.01, \"ticks\": 100, "
             "\"surfaces\": [%s], \"bodies\": [{\"radius\": 0.5, %s}]}",
             surfaces, ball);
    support_program run =
        support_kugel_run(scene, (const char *const[]){"-", "--events", "e.csv", NULL});
    found.code = run.code;
    cr_assert_eq(run.code, 0, "%s", run.err);
    char *text = support_read_file("e.csv");
    const char *row = strstr(text, ",impact,0,");
    if (row) {
        while (row[-1] != '\n') --row;
        cr_assert_eq(sscanf(row, "%*u,%lf,impact,0,%79[^,],%lf,%lf,%lf,%lf,%lf,%lf,%lf",
                            &found.time, found.b, &found.p[0], &found.p[1], &found.p[2],
                            &found.n[0], &found.n[1], &found.n[2], &found.speed),
                     9, "%s", row);
    }
    free(text);
    support_program_free(&run);
    return found;
}

typedef struct shape_row {
    const char *json, *name;
    double top; /* m, the height at x = y = 0 */
} shape_row;

/* Shapes whose top at x = y = 0 is flat, a tip or a pole: the ball from above meets it there. */
static const shape_row shapes[] = {
    {"{\"box\": {\"half\": [1, 2, 0.25]}}", "surface:0", 0.25},
    {"{\"box\": {\"center\": [0.5, -1, 0.75], \"half\": [1, 2, 0.25]}, \"position\": [0, 0, -0.5]}",
     "surface:0", 0.5},
    {"{\"rectangle\": {\"corner\": [-1, -1, 0.5], \"edges\": [[3, 0, 0], [0, 3, 0]]}}", "surface:0",
     0.5},
    {"{\"rectangle\": {\"edges\": [[3, 0, 0], [0, 3, 0]]}, \"position\": [-1, -1, 0.25], "
     "\"name\": \"table top\"}",
     "surface:table top", 0.25},
    {"{\"disc\": {\"radius\": 1}}", "surface:0", 0},
    {"{\"disc\": {\"center\": [0.1, 0, -1], \"normal\": [0, 0, -7], \"radius\": 1, "
     "\"segments\": 5}}",
     "surface:0", -1},
    {"{\"capsule\": {\"from\": [0, 0, -3], \"to\": [0, 0, -1], \"radius\": 0.75}}", "surface:0",
     -0.25},
    {"{\"capsule\": {\"from\": [0, 0, 0], \"to\": [0, 0, 0], \"radius\": 0.75, "
     "\"segments\": 12}}",
     "surface:0", 0.75},
    {"{\"cylinder\": {\"from\": [0, 0, -3], \"to\": [0, 0, -1], \"radius\": 0.75}}", "surface:0",
     -1},
    {"{\"cylinder\": {\"from\": [0, 0, -3], \"to\": [0, 0, -1], \"radius\": 0.75, "
     "\"caps\": \"from\"}}",
     "surface:0", -3},
    {"{\"cone\": {\"from\": [0, 0, -3], \"to\": [0, 0, -1], \"radii\": [1, 0]}}", "surface:0", -1},
    {"{\"cone\": {\"from\": [0, 0, -3], \"to\": [0, 0, -1], \"radii\": [0.75, 4], "
     "\"caps\": \"from\"}}",
     "surface:0", -3},
    {"{\"heightfield\": {\"origin\": [-1, -1, -4], \"spacing\": [1, 2], \"size\": [3, 2], "
     "\"heights\": [1, 2, 3, 1, 2, 3]}, \"rotation\": [0, 0, 0.70710678118654752, "
     "0.70710678118654752]}",
     "surface:0", NAN},
    {"{\"mesh\": {\"vertices\": [[-1, -1, 0], [1, -1, 0], [0, 2, 0], [0, 0, 1]], "
     "\"triangles\": [[0, 1, 3], [1, 2, 3], [2, 0, 3]]}}",
     "surface:0", 1},
    {"{\"ellipsoid\": {\"semi_axes\": [1, 0.5, 0.25]}, \"position\": [0, 0, 0.1]}", "surface:0",
     0.35},
    {"{\"ellipsoid\": {\"semi_axes\": [0.25, 0.5, 1]}, \"rotation\": [0, 0.7071067811865476, 0, "
     "0.7071067811865476]}",
     "surface:0", 0.25},
    {"{\"capsule\": {\"from\": [-1, 0, 0.5], \"to\": [3, 0, 0.5], \"radius\": 0.25, \"solid\": "
     "true}}",
     "surface:0", 0.75},
    {"{\"capsule\": {\"from\": [0, 0, 0.5], \"to\": [0, 0, 0.5], \"radius\": 0.25, \"solid\": "
     "true}}",
     "surface:0", 0.75},
    {"{\"cylinder\": {\"from\": [0, 0, 0.25], \"to\": [0, 0, -1], \"radius\": 0.5, \"solid\": "
     "true}}",
     "surface:0", 0.25},
    {"{\"cone\": {\"from\": [0, -1, 0], \"to\": [0, 3, 0], \"radii\": [0.25, 0.25], \"solid\": "
     "true}, "
     "\"position\": [0, 0, 0.5]}",
     "surface:0", 0.75},
    {"{\"cone\": {\"from\": [0, 0, -1], \"to\": [0, 0, 0.5], \"radii\": [0.5, 0], \"solid\": "
     "true}, "
     "\"rotation\": [0, 0, 0.6, 0.8]}",
     "surface:0", 0.5},
};

Test(surfaces, each_shape_is_where_its_keys_say)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        first_impact hit = drop(shapes[i].json, "\"position\": [0, 0, 2], \"velocity\": [0, 0, "
                                                "-8]");
        cr_assert_str_eq(hit.b, shapes[i].name, "%s", shapes[i].json);
        if (isnan(shapes[i].top)) continue;
        /* 9 digits of the normal, 17 of the point */
        cr_assert(fabs(hit.p[2] - shapes[i].top) < 1e-12 && hit.n[2] == -1, "%s: z = %.17g",
                  shapes[i].json, hit.p[2]);
        cr_assert(fabs(hit.time - (1.5 - shapes[i].top) / 8) < 1e-12, "%.17g s", hit.time);
    }
}

/* Turned by a right angle about z, the slope along x is one along y: 45 degrees. */
Test(surfaces, a_height_field_turns_with_its_frame)
{
    const shape_row *field = &shapes[12];
    first_impact hit = drop(field->json, "\"position\": [0, 0, 0], \"velocity\": [0, 0, -8]");
    double root = sqrt(0.5);
    cr_assert(fabs(hit.n[0]) < 1e-9 && fabs(hit.n[1] - root) < 1e-9 && fabs(hit.n[2] + root) < 1e-9,
              "normal %g %g %g", hit.n[0], hit.n[1], hit.n[2]);
    /* the plane z = y - 2 is met when the centre is 0.5 from it: z = -2 + 0.5 sqrt 2 */
    cr_assert(fabs(hit.time - (2 - 0.5 * sqrt(2)) / 8) < 1e-12, "%.17g s", hit.time);
}

#define FLOOR "{\"rectangle\": {\"corner\": [-9, -9, 0], \"edges\": [[18, 0, 0], [0, 18, 0]]}"
#define DOWN "\"position\": [0, 0, 2], \"velocity\": [0, 0, -8]"
#define UP "\"position\": [0, 0, -2], \"velocity\": [0, 0, 8]"

Test(surfaces, one_side_lets_bodies_pass_from_behind)
{
    cr_assert_str_eq(drop(FLOOR ", \"sides\": 1}", DOWN).b, "surface:0");
    cr_assert_str_eq(drop(FLOOR ", \"sides\": 1}", UP).b, "none");
    cr_assert_str_eq(drop(FLOOR ", \"sides\": 2}", UP).b, "surface:0");
    cr_assert_str_eq(drop(FLOOR "}", UP).b, "surface:0");
}

Test(surfaces, category_and_mask_filter)
{
    cr_assert_str_eq(drop(FLOOR ", \"mask\": 4}", DOWN).b, "none");
    cr_assert_str_eq(drop(FLOOR ", \"mask\": 4}", DOWN ", \"category\": 4").b, "surface:0");
    cr_assert_str_eq(drop(FLOOR ", \"category\": 2}", DOWN ", \"mask\": 1").b, "none");
}

/* The speed after the impact is the restitution times the one before. */
Test(surfaces, restitution_is_that_of_the_surface)
{
    char scene[512];
    snprintf(scene, sizeof scene,
             "{\"format\": \"kugel-scene\", \"version\": 1, \"dt\": 0.01, \"ticks\": 30, "
             "\"surfaces\": [%s, \"restitution\": 0.25}], \"bodies\": [{" DOWN "}]}",
             FLOOR);
    support_program run =
        support_kugel_run(scene, (const char *const[]){"-", "--csv", "t.csv", "--check", NULL});
    cr_assert_eq(run.code, 0, "%s", run.err);
    support_table t = support_trajectory();
    double vz = support_row(&t, 30)[8]; /* has 9 digits */
    cr_assert(fabs(vz - 2) < 1e-8, "vz %g", vz);
    free(t.values);
    support_program_free(&run);
}

/* Balls in a tube between two discs that close it stay inside. */
Test(surfaces, a_drum_of_cylinder_and_caps_holds_its_balls)
{
    support_program run = support_kugel_run(
        "{\"format\": \"kugel-scene\", \"version\": 1, \"ticks\": 240, \"gravity\": [0, 0, -9.81], "
        "\"surfaces\": [{\"cylinder\": {\"from\": [-1, 0, 0], \"to\": [1, 0, 0], \"radius\": 2}}], "
        "\"generators\": [{\"lattice\": {\"origin\": [-0.6, -0.9, -0.9], \"spacing\": [0.3, 0.3, "
        "0.3], \"count\": [5, 7, 7], \"jitter\": 0.02}}], \"defaults\": {\"radius\": 0.12}}",
        (const char *const[]){"-", "--csv", "t.csv", "--every", "240", "--check", NULL});
    cr_assert_eq(run.code, 0, "%s", run.err);
    support_table t = support_trajectory();
    for (size_t i = 0; i < t.rows; ++i) {
        const double *row = support_row(&t, i);
        cr_assert(fabs(row[3]) <= 1 && hypot(row[4], row[5]) <= 2, "body %g at %g %g %g", row[2],
                  row[3], row[4], row[5]);
    }
    free(t.values);
    support_program_free(&run);
}

/* One triangle has three corners on a line; the other three share an edge. */
Test(surfaces, notes_name_what_a_mesh_cannot_do)
{
    support_program run = support_kugel_run(
        "{\"format\": \"kugel-scene\", \"version\": 1, \"ticks\": 1, \"surfaces\": [{\"disc\": "
        "{\"radius\": 1}}, {\"mesh\": {\"vertices\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [2, 0, 0], "
        "[0, 0, 1], [0, 0, -1]], \"triangles\": [[0, 1, 2], [0, 1, 3], [0, 1, 4], [0, 1, 5]]}}], "
        "\"bodies\": [{\"position\": [0, 0, 5]}]}",
        (const char *const[]){"-", NULL});
    cr_assert_eq(run.code, 0, "%s", run.err);
    cr_assert_str_eq(
        run.err, "kugel-run: -: note: surfaces[1]: 1 of 4 triangles have no area or are repeated, "
                 "and never collide\n"
                 "kugel-run: -: note: surfaces[1]: 1 edge has more than two triangles\n");
    support_program_free(&run);
}

/* The sides of a capsule around one point have no length. That is no fault of the scene. */
Test(surfaces, a_sphere_of_triangles_has_no_note)
{
    support_program run = support_kugel_run(
        "{\"format\": \"kugel-scene\", \"version\": 1, \"ticks\": 1, \"bodies\": [], \"surfaces\": "
        "[{\"capsule\": {\"from\": [1, 2, 3], \"to\": [1, 2, 3], \"radius\": 1}}, {\"capsule\": "
        "{\"from\": [0, 0, 0], \"to\": [0, -0.0, 0], \"radius\": 0.3, \"segments\": 12}}]}",
        (const char *const[]){"-", NULL});
    cr_assert_eq(run.code, 0, "%s", run.err);
    cr_assert_str_eq(run.err, "");
    support_program_free(&run);
}

/* A belt along x is one for each kind of shape, whatever frame the shape has of its own, and turns
 * with the rotation of the surface: a ball on it reaches 2/7 of its speed. */
Test(surfaces, tangent_velocities_are_in_the_frame_of_the_rotation)
{
    static const char *const shapes[] = {
        "\"rectangle\": {\"corner\": [-9, -9, 0], \"edges\": [[18, 0, 0], [0, 18, 0]]}",
        "\"capsule\": {\"from\": [-9, 0, -1], \"to\": [9, 0, -1], \"radius\": 1}",
        "\"box\": {\"half\": [9, 9, 1], \"center\": [0, 0, -1]}"};
    for (int k = 0; k < 6; ++k) {
        char scene[2048];
        snprintf(scene, sizeof scene,
                 "{\"format\": \"kugel-scene\", \"version\": 1, \"dt\": 0.005, \"ticks\": 200, "
                 "\"gravity\": [0, 0, -9.81], \"surfaces\": [{%s, \"friction\": 0.5, "
                 "\"rotation\": %s, \"tangent_velocity\": [0.7, 0, 0]}], "
                 "\"bodies\": [{\"radius\": 0.5, \"position\": [0, 0, 0.5]}]}",
                 shapes[k % 3], k < 3 ? "[0, 0, 0, 1]" : "[0, 0, 1, 0]");
        support_program run =
            support_kugel_run(scene, (const char *const[]){"-", "--quiet", "--csv", "t.csv", NULL});
        cr_assert_eq(run.code, 0, "%s", run.err);
        char *text = support_read_file("t.csv"), *row = strstr(text, "\n200,");
        double v[6], expected = k < 3 ? 0.2 : -0.2;
        cr_assert(row && sscanf(row, "\n200,%*[^,],0,%lf,%lf,%lf,%lf,%lf,%lf", &v[0], &v[1], &v[2],
                                &v[3], &v[4], &v[5]) == 6,
                  "%s", text);
        cr_assert(fabs(v[3] - expected) < 1e-4 && fabs(v[4]) < 1e-4, "%s: %g m/s, not %g",
                  shapes[k % 3], v[3], expected);
        free(text);
        support_program_free(&run);
    }
}
