/* A ball that rolls onto a slightly higher piece of floor is lifted as by the edge of that step,
 * not by more: seams between meshes, planes and solid shapes, T-junctions, and bricks whose corners
 * are rounded to floats. A ball of radius r meets a step of height s at an angle phi with cos(phi)
 * = 1 - s / r. Without restitution it keeps the part of its velocity along the tangent, and rises
 * with v sin(phi) cos(phi). */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/support_scene.h"

enum { ROWS = 10, BRICKS = 24 };

static const double gravity = 9.81, tick = 1 / 60.;

/* The largest height that a ball may rise to: the step, the ballistic rise, and the rise until the
 * substep ends, since the floor supports the ball's weight until then. */
static double highest(double step, double speed, double radius, double substep)
{
    double cosine = 1 - step / radius, lift = speed * sqrt(1 - cosine * cosine) * cosine;
    return step + lift * lift / (2 * gravity) + lift * substep;
}

static kugel_surface_def quads(double *vertices, uint32_t *triangles, uint32_t count)
{
    kugel_surface_def def = kugel_surface_def_default();
    for (uint32_t i = 0; i < 6 * count; ++i)
        triangles[i] = i / 6 * 4 + (const uint32_t[]){0, 1, 2, 0, 2, 3}[i % 6];
    def.vertices = vertices, def.vertex_count = 4 * count;
    def.triangles = triangles, def.triangle_count = 2 * count;
    return def;
}

/* Write the corners of a rectangle at height z. */
static void set_quad(double *at, double x0, double x1, double y0, double y1, double z)
{
    const double corner[12] = {x0, y0, z, x1, y0, z, x1, y1, z, x0, y1, z};
    memcpy(at, corner, sizeof corner);
}

static void add_surface(kugel_world *world, const kugel_surface_def *def)
{
    cr_assert_eq(kugel_surface_create(world, def, NULL), KUGEL_OK);
}

static void add_quads(kugel_world *world, double *vertices, uint32_t count)
{
    uint32_t triangles[6 * 16];
    kugel_surface_def def = quads(vertices, triangles, count);
    add_surface(world, &def);
}

static void add_cylinder(kugel_world *world, double x, double top)
{
    kugel_surface_def def = kugel_surface_def_default();
    def.shape = KUGEL_SURFACE_CONE;
    def.size[0] = def.size[1] = 50, def.size[2] = 1;
    def.position[0] = x + 50, def.position[2] = top - 1;
    add_surface(world, &def);
}

/* The floor is at height 0 for x < 0, and at `step` for x > 0. */
typedef void add_floors(kugel_world *world, double step);

static void add_two_meshes(kugel_world *world, double step)
{
    double low[12], high[12];
    set_quad(low, -60, 0, -9, 9, 0);
    set_quad(high, 0, 60, -9, 9, step);
    add_quads(world, low, 1);
    add_quads(world, high, 1);
}

static void add_one_mesh(kugel_world *world, double step)
{
    double both[24];
    set_quad(both, -60, 0, -9, 9, 0);
    set_quad(both + 12, 0, 60, -9, 9, step);
    add_quads(world, both, 2);
}

/* The higher piece has seams of its own that end at the step. */
static void add_t_junctions(kugel_world *world, double step)
{
    double all[12 * 7];
    set_quad(all, -60, 0, -9, 9, 0);
    for (int k = 0; k < 6; ++k) set_quad(all + 12 * k + 12, 0, 60, 3 * k - 9, 3 * k - 6, step);
    add_quads(world, all, 7);
}

static void add_mesh_on_plane(kugel_world *world, double step)
{
    const support_plane plane = {.normal = {0, 0, 1}};
    double high[12];
    set_quad(high, 0, 60, -9, 9, step);
    cr_assert_eq(support_add_plane(world, &plane, NULL), KUGEL_OK);
    add_quads(world, high, 1);
}

static void add_cylinder_in_mesh(kugel_world *world, double step)
{
    double low[12];
    set_quad(low, -60, 60, -60, 60, 0);
    add_quads(world, low, 1);
    add_cylinder(world, 0, step);
}

static void add_cylinder_in_plane(kugel_world *world, double step)
{
    const support_plane plane = {.normal = {0, 0, 1}};
    cr_assert_eq(support_add_plane(world, &plane, NULL), KUGEL_OK);
    add_cylinder(world, 0, step);
}

static void add_box_in_plane(kugel_world *world, double step)
{
    const support_plane plane = {.normal = {0, 0, 1}};
    kugel_surface_def def = kugel_surface_def_default();
    def.shape = KUGEL_SURFACE_BOX;
    def.size[0] = 50, def.size[1] = 9, def.size[2] = 1;
    def.position[0] = 50, def.position[2] = step - 1;
    cr_assert_eq(support_add_plane(world, &plane, NULL), KUGEL_OK);
    add_surface(world, &def);
}

/* Roll a ball over the seam. Returns its largest height over the lower floor. */
static double roll(add_floors *add, double step, double speed, double radius, double start,
                   double *substep)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_body_def ball = kugel_body_def_default();
    kugel_world *world;
    kugel_stats stats;
    double top = 0, most = 1;
    def.gravity[2] = -gravity;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    add(world, step);
    ball.radius = radius;
    ball.position[0] = start, ball.position[1] = 0.3, ball.position[2] = radius;
    ball.velocity[0] = speed, ball.spin[1] = speed / radius;
    cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
    for (int n = 0; n < 12; ++n) {
        kugel_body_state state;
        support_run(world, tick, 1);
        support_state(world, 0, &state);
        kugel_world_stats(world, &stats);
        top = fmax(top, state.position[2] - radius);
        most = fmin(most, (double)stats.substeps);
    }
    kugel_world_destroy(world);
    *substep = tick / most;
    return top;
}

/* Steps of 1e-12 to 1e-3 radii and none, at 0.1 to 30 m/s. */
Test(seams, a_low_step_lifts_a_ball_by_its_angle)
{
    static add_floors *const floors[] = {
        add_two_meshes,       add_one_mesh,          add_t_junctions, add_mesh_on_plane,
        add_cylinder_in_mesh, add_cylinder_in_plane, add_box_in_plane};
    support_random random = support_random_start("seams", 1);
    for (int trial = 0; trial < 1400; ++trial) {
        int kind = trial % 7;
        double radius = pow(10, support_between(&random, -2, 0)), substep,
               speed = pow(10, support_between(&random, -1, 1.5)),
               step = trial % 11 ? radius * pow(10, support_between(&random, -12, -3)) : 0,
               start = -speed * tick * support_between(&random, 2, 4);
        double top = roll(floors[kind], step, speed, radius, start, &substep);
        /* rounding of coordinates up to 60 m, and of the angle at a step near it */
        double bound = highest(step + 1e-13, speed, radius, substep) * 1.01 + 1e-9 * radius;
        cr_assert(top <= bound, "trial %d, floors %d: r %g, step %g, %g m/s from %g: %g above %g",
                  trial, kind, radius, step, speed, start, top, bound);
    }
}

/* Set the spin with which a ball rolls on a floor with the normal n. */
static void set_rolling_spin(const double n[3], kugel_body_def *ball)
{
    for (int k = 0; k < 3; ++k)
        ball->spin[k] = (n[(k + 1) % 3] * ball->velocity[(k + 2) % 3] -
                         n[(k + 2) % 3] * ball->velocity[(k + 1) % 3]) /
                        ball->radius;
}

/* Bricks in rows that are half a brick apart, on an oblique plane, all corners rounded to floats.
 * The ball crosses the rows, or rolls along them. A corner is at most `rounding` off the plane, so
 * steps are at most twice that. */
static void roll_over_bricks(double speed, bool across, bool separate)
{
    const double radius = 0.2,
                 n[3] = {0.2 / 1.063014581273465, 0.3 / 1.063014581273465, 1 / 1.063014581273465};
    double u[3] = {n[2], 0, -n[0]}, length = sqrt(u[0] * u[0] + u[2] * u[2]), w[3];
    for (int k = 0; k < 3; ++k) u[k] /= length;
    for (int k = 0; k < 3; ++k)
        w[k] = n[(k + 1) % 3] * u[(k + 2) % 3] - n[(k + 2) % 3] * u[(k + 1) % 3];
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    for (int k = 0; k < 3; ++k) def.gravity[k] = -gravity * n[k];
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    static double vertices[12 * ROWS * BRICKS];
    static uint32_t triangles[6 * ROWS * BRICKS];
    double off = 0, at[3];
    for (int q = 0; q < ROWS * BRICKS; ++q) {
        int row = q / BRICKS, brick = q % BRICKS;
        for (int corner = 0; corner < 4; ++corner) {
            double x = brick + (row & 1) * 0.5 + (corner == 1 || corner == 2),
                   y = (row + (corner > 1)) * 2, height = 0;
            for (int k = 0; k < 3; ++k) {
                at[k] = (double)(float)(x * u[k] + y * w[k]);
                vertices[12 * q + 3 * corner + k] = at[k];
                height += at[k] * n[k];
            }
            off = fmax(off, fabs(height));
        }
    }
    kugel_surface_def floor = quads(vertices, triangles, ROWS * BRICKS);
    uint32_t parts = separate ? ROWS * BRICKS : 1;
    for (uint32_t k = 0; k < parts; ++k) {
        kugel_surface_def part = floor;
        if (separate) {
            part.vertices = vertices + 12 * k, part.vertex_count = 4, part.triangle_count = 2;
        }
        add_surface(world, &part);
    }
    kugel_body_def ball = kugel_body_def_default();
    ball.radius = radius;
    double x = across ? 12.3 : 1.2, y = across ? 0.3 : 9.1, top = 0, substeps = 1e9;
    for (int k = 0; k < 3; ++k) {
        ball.position[k] = x * u[k] + y * w[k] + radius * n[k];
        ball.velocity[k] = speed * (across ? w[k] : u[k]);
    }
    set_rolling_spin(n, &ball);
    cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
    for (int k = 0; k < (int)(18 / speed / tick); ++k) {
        kugel_body_state state;
        kugel_stats stats;
        support_run(world, tick, 1);
        support_state(world, 0, &state);
        kugel_world_stats(world, &stats);
        double height = -radius;
        for (int i = 0; i < 3; ++i) height += state.position[i] * n[i];
        top = fmax(top, height);
        substeps = fmin(substeps, (double)stats.substeps);
    }
    kugel_world_destroy(world);
    double bound = highest(2 * off, speed, radius, tick / substeps) + off;
    cr_assert(top <= bound, "%g m/s, %s, %s: %g above %g", speed, across ? "across" : "along",
              separate ? "separate" : "one mesh", top, bound);
}

Test(seams, rounded_bricks_lift_a_ball_by_their_rounding)
{
    const double speeds[] = {0.5, 2.2, 7.6, 16, 30};
    for (int k = 0; k < 5; ++k) {
        for (int kind = 0; kind < 4; ++kind) roll_over_bricks(speeds[k], kind & 1, kind & 2);
    }
}

/* A floor of solid boxes, side by side, with an oblique normal: tile (i, j) has its lowest corner
 * at i - 1, j - 1 in the frame of the floor. */
static void add_solid_tiles(kugel_world *world, const double rotation[4], double axis[3][3])
{
    for (int tile = 0; tile < 18 * 18; ++tile) {
        const double at[3] = {tile / 18 - 0.5, tile % 18 - 0.5, -0.5};
        kugel_surface_def def = kugel_surface_def_default();
        def.shape = KUGEL_SURFACE_BOX;
        for (int k = 0; k < 3; ++k) {
            def.size[k] = 0.5;
            def.position[k] = at[0] * axis[0][k] + at[1] * axis[1][k] + at[2] * axis[2][k];
        }
        memcpy(def.rotation, rotation, sizeof def.rotation);
        add_surface(world, &def);
    }
}

/* The axes of a frame with a rotation. */
static void set_axes(const double q[4], double axis[3][3])
{
    for (int k = 0; k < 3; ++k) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        axis[k][k] = 1 - 2 * (q[l] * q[l] + q[m] * q[m]);
        axis[k][l] = 2 * (q[k] * q[l] + q[m] * q[3]);
        axis[k][m] = 2 * (q[k] * q[m] - q[l] * q[3]);
    }
}

/* Along a seam, from corner to corner, and otherwise: no tile lifts the ball or lets it through.
 * Where another tile takes over within a substep of h, the ball may fall for two substeps, g h^2,
 * and the normal at an edge turns by v h / r, so that the weight's impulse, g h, changes the speed
 * by g h^2 / r of it. */
Test(seams, solid_boxes_side_by_side_are_one_floor)
{
    const double fall = gravity * tick * tick / 16; /* 4 substeps or more */
    support_random random = support_random_start("seams/tiles", 3);
    for (int trial = 0; trial < 60; ++trial) {
        double q[4], axis[3][3],
            along = 0, length = 0, speed = pow(10, support_between(&random, -1, 1.5)),
            radius = pow(10, support_between(&random, -1.5, 0)),
            turn = trial % 3 ? trial % 3 * atan(1) : support_between(&random, 0, 2 * atan(1)),
            place = trial % 4 ? 0 : support_between(&random, 0, 1);
        for (int k = 0; k < 4; ++k) q[k] = support_between(&random, -1, 1), length += q[k] * q[k];
        for (int k = 0; k < 4; ++k) q[k] = trial & 1 ? q[k] / sqrt(length) : k == 3;
        set_axes(q, axis);
        kugel_world_def def = kugel_world_def_default();
        kugel_body_def ball = kugel_body_def_default();
        kugel_world *world;
        ball.radius = radius;
        for (int k = 0; k < 3; ++k) {
            def.gravity[k] = -gravity * axis[2][k];
            ball.position[k] = place * axis[0][k] + radius * axis[2][k];
            ball.velocity[k] = speed * (cos(turn) * axis[0][k] + sin(turn) * axis[1][k]);
        }
        set_rolling_spin(axis[2], &ball);
        cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
        add_solid_tiles(world, q, axis);
        cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
        for (int n = 0; n < 60 && along < 15; ++n) {
            kugel_body_state state;
            double height = -radius, pace = 0;
            support_run(world, tick, 1);
            support_state(world, 0, &state);
            for (int k = 0; k < 3; ++k) height += state.position[k] * axis[2][k];
            for (int k = 0; k < 3; ++k) pace += state.velocity[k] * ball.velocity[k] / speed;
            along += pace * tick;
            cr_assert(height < 1e-6 * radius && height > -fall, "trial %d: %g at %g", trial, height,
                      along);
            cr_assert(fabs(pace / speed - 1) < 2 * fall / radius + 1e-5, "trial %d: %g", trial,
                      pace / speed - 1);
        }
        kugel_world_destroy(world);
    }
}
