/* The golden scenes: their worlds, and their inputs before each tick. */
#undef KUGEL_PASS_SIZES /* of the flags with which tools/matrix compiles the engine */

#include "golden/support_golden.h"
#include "support/support_plane.h"

#include <string.h>

static uint64_t seed;

/* Random in [low, high), from 24 bits, so that it is equal on every target. */
static double between(double low, double high)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * ((double)(seed >> 40) / 16777216.0);
}

static void vector(double out[3], double size)
{
    for (int k = 0; k < 3; ++k) out[k] = between(-size, size);
}

static void box(kugel_world_def *def, double length, kugel_face face, double restitution,
                double friction)
{
    for (int k = 0; k < 3; ++k) def->bounds.min[k] = 0, def->bounds.max[k] = length;
    for (int f = 0; f < 6; ++f) def->bounds.faces[f] = face;
    def->bounds.restitution = restitution;
    def->bounds.friction = friction;
}

static void floor_at(kugel_world *world, double offset, double restitution, double friction)
{
    support_add_plane(world, &(support_plane){{0, 0, 1}, offset, restitution, friction}, NULL);
}

static kugel_body_def ball(double radius, double restitution, double friction)
{
    kugel_body_def def = kugel_body_def_default();
    def.radius = radius;
    def.mass = 4 * radius * radius * radius;
    def.restitution = restitution;
    def.friction = friction;
    return def;
}

static void place(kugel_body_def *def, double x, double y, double z)
{
    def->position[0] = x, def->position[1] = y, def->position[2] = z;
}

/* Adds side^3 bodies on a lattice, each moved by up to `jitter`. Radii are in [def.radius,
 * largest], or def.radius if that is larger. */
static void lattice(kugel_world *world, kugel_body_def def, uint32_t side, double step,
                    double jitter, double speed, double largest)
{
    double smallest = def.radius;
    for (uint32_t i = 0; i < side * side * side; ++i) {
        const uint32_t at[3] = {i % side, i / side % side, i / side / side};
        for (int k = 0; k < 3; ++k)
            def.position[k] = step * (at[k] + 0.5) + between(-jitter, jitter);
        vector(def.velocity, speed);
        if (def.friction > 0) vector(def.spin, speed);
        def.radius = largest > smallest ? between(smallest, largest) : smallest;
        kugel_body_create(world, &def, NULL);
    }
}

static void gas_define(kugel_world_def *def) { box(def, 12, KUGEL_FACE_WALL, 1, 0); }
static void gas_fill(kugel_world *world) { lattice(world, ball(0.5, 1, 0), 8, 1.5, 0.2, 9, 0); }

static void periodic_define(kugel_world_def *def) { box(def, 11, KUGEL_FACE_PERIODIC, 0, 0); }
static void periodic_fill(kugel_world *world)
{
    lattice(world, ball(0.3, 0.9, 0.3), 7, 1.5, 0.2, 6, 0.5);
}

static void pile_define(kugel_world_def *def)
{
    box(def, 3, KUGEL_FACE_WALL, 0.2, 0.4);
    def->bounds.max[2] = 20;
    def->gravity[2] = -9.81;
}
static void pile_fill(kugel_world *world)
{
    lattice(world, ball(0.25, 0.3, 0.5), 5, 0.6, 0.03, 0.5, 0);
}

static void cradle_define(kugel_world_def *def) { def->bounce_threshold = 0, def->slop = 0; }
static void cradle_fill(kugel_world *world)
{
    kugel_body_def def = ball(0.5, 1, 0);
    for (int i = 0; i < 5; ++i) place(&def, i, 0, 0), kugel_body_create(world, &def, NULL);
    place(&def, -4, 0, 0);
    def.velocity[0] = 3;
    kugel_body_create(world, &def, NULL);
    place(&def, 9, 0, 0);
    def.velocity[0] = -5;
    kugel_body_create(world, &def, NULL);
}

static void break_define(kugel_world_def *def)
{
    box(def, 6, KUGEL_FACE_WALL, 0.8, 0.1);
    def->gravity[2] = -9.81;
}
static void break_fill(kugel_world *world)
{
    kugel_body_def def = ball(0.1, 0.95, 0.06);
    def.rolling_resistance = 0.001;
    for (int row = 0; row < 6; ++row) {
        for (int i = 0; i <= row; ++i) {
            place(&def, 4 + 0.174 * row, 3 + 0.201 * (i - 0.5 * row), 0.1);
            kugel_body_create(world, &def, NULL);
        }
    }
    place(&def, 1, 3.02, 0.1);
    def.velocity[0] = 12;
    def.spin[1] = -30;
    kugel_body_create(world, &def, NULL);
}

static void mixed_define(kugel_world_def *def)
{
    def->gravity[0] = 0.5, def->gravity[2] = -9.81;
    def->linear_damping = 0.02, def->angular_damping = 0.05;
}
static void mixed_fill(kugel_world *world)
{
    floor_at(world, 0, 0.1, 0.6);
    support_add_plane(world, &(support_plane){{-0.6, 0, 0.8}, -2, 0.3, 0.2}, NULL);
    support_add_plane(world, &(support_plane){{0, 1, 0}, 0, 0.5, 0.2}, NULL);
    support_add_plane(world, &(support_plane){{0, -1, 0}, -3, 0.5, 0.2}, NULL);
    support_add_plane(world, &(support_plane){{1, 0, 0}, -3, 0.5, 0.2}, NULL);
    kugel_body_def def = ball(0.1, 0.4, 0.4);
    def.rolling_resistance = 0.02;
    for (int i = 0; i < 64; ++i) {
        def.radius = between(0.04, 0.3);
        def.mass = between(0.1, 8);
        place(&def, -2 + 0.7 * (i % 4), 0.4 + 0.7 * (i / 4 % 4), 0.5 + 0.65 * (i / 16));
        vector(def.spin, 5);
        kugel_body_create(world, &def, NULL);
    }
}

static void walls_define(kugel_world_def *def)
{
    box(def, 8, KUGEL_FACE_WALL, 0.9, 0.3);
    def->bounds.faces[0] = def->bounds.faces[1] = KUGEL_FACE_PERIODIC;
    def->bounds.faces[5] = KUGEL_FACE_OPEN;
    def->gravity[2] = -4;
    def->substeps = 3;
}
static void walls_fill(kugel_world *world)
{
    lattice(world, ball(0.3, 0.8, 0.2), 4, 2, 0.3, 5, 0.6);
}
static void walls_input(kugel_world *world, uint64_t tick)
{
    double push[3], turn[3];
    kugel_body body = kugel_world_body(world, (uint32_t)(tick * 7 % 64));
    vector(push, 40), vector(turn, 10);
    kugel_body_apply_force(world, body, push, NULL);
    kugel_body_apply_torque(world, body, turn);
}

static void bullets_define(kugel_world_def *def) { box(def, 40, KUGEL_FACE_WALL, 0.7, 0.2); }
static void bullets_fill(kugel_world *world)
{
    lattice(world, ball(0.6, 0.5, 0.3), 6, 2, 0, 0, 0);
    kugel_body_def def = ball(0.05, 0.6, 0.3);
    for (int i = 0; i < 12; ++i) {
        place(&def, 38, 0.6 + i, 1.1 + 0.9 * i);
        def.velocity[0] = -500.0 * (i + 1), def.velocity[1] = between(-20, 20);
        kugel_body_create(world, &def, NULL);
    }
}

static void churn_define(kugel_world_def *def)
{
    box(def, 6, KUGEL_FACE_WALL, 0.4, 0.4);
    def->gravity[2] = -9.81;
}
static void churn_fill(kugel_world *world)
{
    lattice(world, ball(0.2, 0.5, 0.4), 3, 2, 0.4, 2, 0.5);
}
static void churn_input(kugel_world *world, uint64_t tick)
{
    double to[3];
    kugel_body_def def = ball(between(0.1, 0.4), 0.3, 0.5);
    def.gravity_scale = between(0.5, 1.5);
    def.type = tick % 9 == 4 ? KUGEL_STATIC : KUGEL_DYNAMIC;
    for (int k = 0; k < 3; ++k)
        def.position[k] = between(k == 2 ? 3 : 1, 5); /* a loop fixes the order of the calls */
    kugel_body_create(world, &def, NULL);
    uint32_t end = kugel_world_id_end(world);
    if (tick % 2) kugel_body_destroy(world, kugel_world_body(world, (uint32_t)between(0, end)));
    vector(to, 3);
    if (tick % 3 == 0)
        kugel_body_set_velocity(world, kugel_world_body(world, (uint32_t)between(0, end)), to);
    if (tick % 5 == 0)
        kugel_body_set_spin(world, kugel_world_body(world, (uint32_t)between(0, end)), to);
    if (tick % 7 == 0)
        kugel_body_apply_impulse(world, kugel_world_body(world, (uint32_t)between(0, end)), to,
                                 NULL);
    if (tick == 30) kugel_world_set_gravity(world, (double[3]){2, 0, -8});
}

static void rest_define(kugel_world_def *def) { def->gravity[2] = -9.81; }
static void rest_fill(kugel_world *world)
{
    floor_at(world, 0, 0, 0.8);
    kugel_body_def def = ball(0.5, 0, 0.8);
    def.rolling_resistance = 0.05;
    for (int i = 0; i < 9; ++i)
        place(&def, 1.02 * (i % 3), 1.02 * (i / 3), 0.5), kugel_body_create(world, &def, NULL);
    for (int i = 0; i < 4; ++i)
        place(&def, 0.51 + 1.02 * (i % 2), 0.51 + 1.02 * (i / 2), 1.3),
            kugel_body_create(world, &def, NULL);
    place(&def, 1.02, 1.02, 2.1);
    kugel_body_create(world, &def, NULL);
}
static void rest_input(kugel_world *world, uint64_t tick)
{
    if (tick == 120)
        kugel_body_apply_impulse(world, kugel_world_body(world, 13), (double[3]){1.5, 0.2, 0},
                                 NULL);
}

static void movers_define(kugel_world_def *def)
{
    box(def, 8, KUGEL_FACE_WALL, 0.5, 0.5);
    def->gravity[2] = -9.81;
}
static void movers_fill(kugel_world *world)
{
    lattice(world, ball(0.25, 0.4, 0.5), 4, 1.5, 0.2, 1, 0.4);
    kugel_body_def def = ball(0.7, 0.4, 0.5);
    def.type = KUGEL_KINEMATIC;
    place(&def, 7, 7, 0.8);
    def.velocity[0] = -4;
    def.spin[2] = 6;
    kugel_body_create(world, &def, NULL);
    def = ball(1, 0.4, 0.5);
    def.type = KUGEL_STATIC;
    place(&def, 6.5, 2, 1);
    kugel_body_create(world, &def, NULL);
}
static void movers_input(kugel_world *world, uint64_t tick)
{
    double side = tick / 25 % 2 ? 4 : -4;
    kugel_body_set_velocity(world, kugel_world_body(world, 64),
                            (double[3]){side, tick / 50 % 2 ? 2 : -2, 0});
}

/* Very small values; detects flushed subnormals and other rounding modes. */
static void tiny_define(kugel_world_def *def)
{
    box(def, 1e-4, KUGEL_FACE_WALL, 0.99, 0.1);
    def->bounce_threshold = 0, def->slop = 0;
}
static void tiny_fill(kugel_world *world)
{
    kugel_body_def def = ball(4e-6, 0.97, 0.1);
    def.mass = 1e-30;
    lattice(world, def, 3, 3e-5, 1e-6, 1e-3, 0);
    def.spin[0] = 1e-310; /* subnormal */
    place(&def, 9.5e-5, 9.5e-5, 9.5e-5);
    kugel_body_create(world, &def, NULL);
}

/* A pile that comes to rest and then uses fewer substeps, except after the impulses. */
static void settled_define(kugel_world_def *def)
{
    box(def, 7.15, KUGEL_FACE_WALL, 0, 0.5);
    def->bounds.max[2] = 20;
    def->gravity[2] = -9.81;
    def->sleep = false;
}
static void settled_fill(kugel_world *world)
{
    kugel_body_def def = ball(0.5, 0, 0.5);
    def.rolling_resistance = 0.1;
    lattice(world, def, 7, 1.02, 0.009, 0, 0);
}
static void settled_input(kugel_world *world, uint64_t tick)
{
    for (uint32_t id = 330; id < 343 && tick == 70; ++id) {
        kugel_body_apply_impulse(world, kugel_world_body(world, id),
                                 (double[3]){between(-1, 1), between(-1, 1), 1}, NULL);
    }
}

/* A heavy ball on many light ones, whose load causes sweeps of normal impulses only. */
static void unlike_define(kugel_world_def *def)
{
    box(def, 3.2, KUGEL_FACE_WALL, 0, 0.5);
    def->bounds.max[2] = 20;
    def->gravity[2] = -9.81;
}
static void unlike_fill(kugel_world *world)
{
    lattice(world, ball(0.25, 0.2, 0.5), 6, 0.53, 0.01, 0.2, 0);
    kugel_body_def def = ball(0.9, 0.2, 0.5);
    def.mass = 40;
    place(&def, 1.5, 1.6, 4.2);
    kugel_body_create(world, &def, NULL);
}

/* Enough bodies for several threads. */
static void threads_define(kugel_world_def *def)
{
    box(def, 26, KUGEL_FACE_WALL, 0.9, 0.1), def->gravity[2] = -9.81;
}
static void threads_fill(kugel_world *world)
{
    lattice(world, ball(0.4, 0.8, 0.2), 17, 1.5, 0.3, 5, 0);
}

/* Unlike balls in a cube that turns around a capsule, on the defaults of thresholds and substeps; a
 * plate comes up from below. */
static void surfaces_define(kugel_world_def *def)
{
    def->bounce_threshold = KUGEL_BOUNCE_BY_SIZE;
    def->gravity[2] = -9.81;
}
static void add_box(kugel_world *world, const double half[3], const double position[3],
                    const double velocity[3], const double spin[3])
{
    double vertices[3 * KUGEL_MESH_BOX_VERTICES];
    uint32_t triangles[3 * KUGEL_MESH_BOX_TRIANGLES];
    kugel_surface_def def = kugel_surface_def_default();
    kugel_mesh_box(half, vertices, triangles);
    def.vertices = vertices, def.vertex_count = KUGEL_MESH_BOX_VERTICES;
    def.triangles = triangles, def.triangle_count = KUGEL_MESH_BOX_TRIANGLES;
    memcpy(def.position, position, sizeof def.position);
    memcpy(def.velocity, velocity, sizeof def.velocity);
    memcpy(def.spin, spin, sizeof def.spin);
    kugel_surface_create(world, &def, NULL);
}
static void surfaces_fill(kugel_world *world)
{
    lattice(world, ball(0.1, 0.3, 0.5), 5, 0.36, 0.02, 1, 0.14);
    const double none[3] = {0};
    add_box(world, (double[3]){1.2, 1, 1.2}, (double[3]){0.9, 0.9, 0.9}, none,
            (double[3]){0, 1.5, 0.1});
    add_box(world, (double[3]){1, 1, 0.1}, (double[3]){0.9, 0.9, -1.6}, (double[3]){0, 0, 0.3},
            none);
    kugel_surface_def capsule = kugel_surface_def_default();
    capsule.shape = KUGEL_SURFACE_CAPSULE;
    capsule.size[0] = 0.15, capsule.size[1] = 0.3;
    for (int k = 0; k < 3; ++k) capsule.position[k] = 0.9;
    capsule.position[2] = 0.2;
    kugel_surface_create(world, &capsule, NULL);
}

/* Balls roll and bounce down a slope of boxes beside each other. */
static void tiles_define(kugel_world_def *def)
{
    def->gravity[0] = 1.5, def->gravity[1] = 0.7, def->gravity[2] = -9.7;
}
static void tiles_fill(kugel_world *world)
{
    const double none[3] = {0}, half[3] = {0.5, 0.5, 0.1};
    for (int k = 0; k < 36; ++k)
        add_box(world, half, (double[3]){k % 6 + 0.5, k / 6 + 0.5, -0.1}, none, none);
    kugel_body_def def = ball(0.2, 0.4, 0.5);
    for (int k = 0; k < 25; ++k) {
        place(&def, k % 5 + 0.7, k / 5 + 0.6, k % 3 ? 0.2 : 0.5);
        for (int axis = 0; axis < 2; ++axis) def.velocity[axis] = between(-2, 2);
        kugel_body_create(world, &def, NULL);
    }
}

/* A pile of balls of which each has other locks, beside balls without. */
static void locks_fill(kugel_world *world)
{
    kugel_body_def def = ball(0.25, 0.3, 0.5);
    def.rolling_resistance = 0.05;
    for (uint32_t k = 0; k < 128; ++k) {
        const uint32_t at[3] = {k % 5, k / 5 % 5, k / 25};
        for (int axis = 0; axis < 3; ++axis)
            def.position[axis] = 0.6 * (at[axis] + 0.5) + between(-0.03, 0.03);
        vector(def.velocity, 0.5);
        vector(def.spin, 0.5);
        def.locks = k % 3 ? k % 64 : 0;
        kugel_body_create(world, &def, NULL);
    }
}

const golden_scene golden_scenes[GOLDEN_SCENES] = {
    {"gas", 60, 1 / 64., gas_define, gas_fill, NULL},
    {"periodic", 60, 1 / 64., periodic_define, periodic_fill, NULL},
    {"pile", 120, 1 / 60., pile_define, pile_fill, NULL},
    {"cradle", 150, 1 / 60., cradle_define, cradle_fill, NULL},
    {"break", 150, 1 / 60., break_define, break_fill, NULL},
    {"mixed", 120, 1 / 60., mixed_define, mixed_fill, NULL},
    {"walls", 100, 1 / 60., walls_define, walls_fill, walls_input},
    {"bullets", 40, 1 / 240., bullets_define, bullets_fill, NULL},
    {"churn", 120, 1 / 60., churn_define, churn_fill, churn_input},
    {"rest", 200, 1 / 60., rest_define, rest_fill, rest_input},
    {"movers", 120, 1 / 60., movers_define, movers_fill, movers_input},
    {"settled", 120, 1 / 60., settled_define, settled_fill, settled_input},
    {"tiny", 60, 1 / 60., tiny_define, tiny_fill, NULL},
    {"unlike", 60, 1 / 60., unlike_define, unlike_fill, NULL},
    {"threads", 6, 1 / 60., threads_define, threads_fill, NULL},
    {"surfaces", 64, 1 / 60., surfaces_define, surfaces_fill, NULL},
    {"tiles", 60, 1 / 60., tiles_define, tiles_fill, NULL},
    {"locks", 60, 1 / 60., pile_define, locks_fill, NULL},
};

kugel_world_def golden_def(const golden_scene *scene)
{
    kugel_world_def def = kugel_world_def_default();
    def.bounce_threshold = 0.5; /* some scenes have other radii than 0.5 m */
    scene->define(&def);
    return def;
}

kugel_world *golden_start(const golden_scene *scene, const kugel_tasks *tasks)
{
    kugel_world_def def = golden_def(scene);
    kugel_world *world;
    seed = 1;
    if (tasks) def.tasks = *tasks;
    if (kugel_world_create(&def, &world)) return NULL;
    scene->fill(world);
    if (kugel_world_last_error(world)->status == KUGEL_OK) return world;
    kugel_world_destroy(world);
    return NULL;
}

void golden_input(const golden_scene *scene, kugel_world *world)
{
    seed =
        kugel_world_tick(world) * 0x9e3779b97f4a7c15u + 1; /* inputs are a function of the tick */
    if (scene->input) scene->input(world, kugel_world_tick(world));
}

bool golden_step(const golden_scene *scene, kugel_world *world)
{
    golden_input(scene, world);
    return kugel_world_step(world, scene->dt) == KUGEL_OK;
}
