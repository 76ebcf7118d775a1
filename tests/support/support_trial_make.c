/* Generates the scenes of support_trial.h: 2 to 60 balls in a box of walls, with or without
 * gravity, slopes, friction, restitution, rolling resistance, spins, unlike radii and masses,
 * static and kinematic balls. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/support_shapes.h"
#include "support/support_trial.h"

static bool one_in(support_random *random, uint32_t n) { return support_below(random, n) == 0; }

static double pick(support_random *random, const double *values, uint32_t count)
{
    return values[support_below(random, count)];
}
#define PICK(random, ...)                                                                          \
    pick(random, (const double[]){__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}) / sizeof(double))

static double log_between(support_random *random, double low, double high)
{
    return low * exp(log(high / low) * support_uniform(random));
}

/* Parameters of the bodies of a scene. */
typedef struct mix {
    double radius;       /* m, the largest */
    double radius_ratio; /* of the largest to the smallest */
    double mass_ratio;   /* of the largest to the smallest; 0: one density */
    double speed, spin;  /* m/s and rad/s, the largest */
    double restitution, friction, rolling;
    bool uniform; /* true: all bodies have this material; false: random materials */
    bool statics, kinematics;
} mix;

static mix make_mix(support_random *random)
{
    mix m = {.radius = log_between(random, 0.05, 0.5)};
    m.radius_ratio = PICK(random, 1, 1, 2, 5);
    m.mass_ratio = PICK(random, 0, 1, 1, 10, 100);
    m.speed = PICK(random, 0, 1, 1, 5, 20);
    m.spin = PICK(random, 0, 0, 5, 50);
    m.restitution = PICK(random, 0, 0.3, 0.5, 0.9, 1);
    m.friction = PICK(random, 0, 0.3, 0.5, 1);
    m.rolling = PICK(random, 0, 0, 0.05, 0.3);
    m.uniform = one_in(random, 2);
    m.statics = one_in(random, 4);
    m.kinematics = one_in(random, 6);
    return m;
}

static void make_gravity(support_random *random, kugel_world_def *def)
{
    def->gravity[2] = -9.81;
    if (one_in(random, 6)) def->gravity[2] = 0;
    else if (one_in(random, 8))
        support_direction(random, support_between(random, 1, 20), def->gravity);
}

static void make_settings(support_random *random, kugel_world_def *def)
{
    if (!one_in(random, 3)) return; /* mostly defaults */
    def->substeps = (int32_t)PICK(random, 1, 2, 4, 4, 8);
    def->bounce_threshold = PICK(random, 0, 0.1, 0.5, 0.5, 2);
    def->slop = PICK(random, 0, 0.01, 0.01, 0.1);
    def->linear_damping = PICK(random, 0, 0, 0, 0.5, 10);
    def->angular_damping = PICK(random, 0, 0, 0, 0.5, 10);
    def->sleep = !one_in(random, 3);
    def->contact_iterations = (int32_t)PICK(random, 1, 1, 4);
    def->impact_budget = (int32_t)PICK(random, 256, 256, 16, 1);
}

/* A box for `count` balls of the largest radius in a loose lattice. */
static void make_bounds(support_random *random, kugel_bounds *bounds, uint32_t count, double radius)
{
    double edge = 2.3 * radius * cbrt(count) * support_between(random, 1, 1.6);
    for (int axis = 0; axis < 3; ++axis) {
        bounds->min[axis] = 0;
        bounds->max[axis] = fmax(2.5 * radius, edge * log_between(random, 0.6, 1.7));
    }
    for (int face = 0; face < 6; ++face) bounds->faces[face] = KUGEL_FACE_WALL;
    if (one_in(random, 4)) bounds->faces[5] = KUGEL_FACE_OPEN;
    bounds->restitution = PICK(random, 0, 0, 0.5, 0.9, 1);
    bounds->friction = PICK(random, 0, 0.3, 0.5, 1);
}

/* Adds slopes below the middle of the box. */
static void make_planes(support_random *random, support_scene *scene)
{
    uint32_t count = one_in(random, 2) ? 1 + support_below(random, 4) : 0;
    for (uint32_t k = 0; k < count; ++k) {
        support_plane *plane = &scene->planes[scene->plane_count++];
        double angle = support_between(random, 0.02, 1.2), turn = support_between(random, 0, 6.28);
        *plane = (support_plane){.normal = {sin(angle) * cos(turn), sin(angle) * sin(turn)},
                                 .restitution = PICK(random, 0, 0, 0.5, 1),
                                 .friction = PICK(random, 0, 0.3, 0.5, 1)};
        plane->normal[2] = cos(angle);
        const double *edge = scene->def.bounds.max;
        double middle = 0, least = fmin(edge[0], fmin(edge[1], edge[2]));
        for (int axis = 0; axis < 3; ++axis) middle += plane->normal[axis] * edge[axis] / 2;
        plane->offset = middle - support_between(random, 0.2, 0.5) * least;
    }
}

/* Adds one to three solid shapes. */
static void make_shapes(support_random *random, support_scene *scene)
{
    static const kugel_surface_shape kinds[] = {KUGEL_SURFACE_ELLIPSOID, KUGEL_SURFACE_CAPSULE,
                                                KUGEL_SURFACE_CONE};
    const double *edge = scene->def.bounds.max, least = fmin(edge[0], fmin(edge[1], edge[2]));
    scene->shape_count = 1 + support_below(random, 3);
    for (uint32_t k = 0; k < scene->shape_count; ++k) {
        kugel_surface_def *shape = &scene->shapes[k];
        double angle = support_between(random, 0, 3);
        *shape = kugel_surface_def_default();
        shape->shape = kinds[support_below(random, 3)];
        support_direction(random, sin(angle), shape->rotation);
        shape->rotation[3] = cos(angle);
        for (int axis = 0; axis < 3; ++axis) {
            shape->size[axis] = least * support_between(random, 0.1, 0.3);
            shape->position[axis] = edge[axis] * support_between(random, 0.2, 0.8);
        }
        shape->position[2] /= 2; /* in the lower half, where bodies rest on them */
        shape->restitution = PICK(random, 0, 0, 0.5, 1);
        shape->friction = PICK(random, 0, 0.3, 0.5, 1);
    }
}

/* Makes the sides of the box periodic. Their length must exceed four radii. Gravity along them is
 * removed, since it has no potential energy there. */
static void make_periodic(kugel_world_def *def, double radius)
{
    kugel_bounds *bounds = &def->bounds;
    for (int axis = 0; axis < 2; ++axis) {
        def->gravity[axis] = 0;
        bounds->max[axis] = fmax(bounds->max[axis], 4.5 * radius);
        bounds->faces[2 * axis] = bounds->faces[2 * axis + 1] = KUGEL_FACE_PERIODIC;
    }
}

/* True if the ball is within walls and planes and overlaps no shape and no other ball.
 * @param squeezed true: only the centre must be within walls and planes and outside of shapes. */
static bool fits(const support_scene *scene, const double x[3], double radius, bool squeezed)
{
    double clear = squeezed ? 0 : radius;
    for (int axis = 0; axis < 3; ++axis) {
        if (x[axis] < clear || x[axis] > scene->def.bounds.max[axis] - clear) return false;
    }
    for (uint32_t p = 0; p < scene->plane_count; ++p) {
        const double *n = scene->planes[p].normal;
        double height = n[0] * x[0] + n[1] * x[1] + n[2] * x[2] - scene->planes[p].offset;
        if (height <= clear + 1e-9) return false;
    }
    for (uint32_t k = 0; k < scene->shape_count; ++k)
        if (support_shape_distance(&scene->shapes[k], x) <= clear + 1e-9) return false;
    for (uint32_t i = 0; i < scene->count && !squeezed; ++i) {
        double q = 0, reach = radius + scene->bodies[i].radius;
        for (int axis = 0; axis < 3; ++axis)
            q += (x[axis] - scene->bodies[i].position[axis]) *
                 (x[axis] - scene->bodies[i].position[axis]);
        if (q < reach * reach * (1 + 1e-9)) return false;
    }
    return true;
}

static double mass_of(support_random *random, const mix *m, double radius)
{
    if (m->mass_ratio == 0) return pow(radius / m->radius, 3);
    return log_between(random, 1, m->mass_ratio);
}

static void add_body(support_random *random, support_scene *scene, const mix *m, const double x[3],
                     double radius)
{
    double v[3] = {0, 0, 0};
    if (m->speed > 0) support_direction(random, m->speed * support_uniform(random), v);
    kugel_body_def *body = support_scene_add(scene, x, v, radius, mass_of(random, m, radius));
    body->restitution = m->uniform ? m->restitution : PICK(random, 0, 0.3, 0.5, 0.9, 1);
    body->friction = m->uniform ? m->friction : PICK(random, 0, 0.3, 0.5, 1);
    body->rolling_resistance = m->uniform ? m->rolling : PICK(random, 0, 0, 0.05, 0.3);
    support_random other = {random->state ^ 0x9e3779b97f4a7c15u};
    body->tangential_restitution = PICK(&other, 0, 0, 0, -1, -0.5, 0.5, 1);
    if (m->spin > 0) support_direction(random, m->spin * support_uniform(random), body->spin);
    if (m->kinematics && one_in(random, 6)) body->type = KUGEL_KINEMATIC;
    else if (m->statics && one_in(random, 6)) body->type = KUGEL_STATIC;
    for (int axis = 0; axis < 3; ++axis) {
        if (body->type == KUGEL_KINEMATIC) body->velocity[axis] *= 0.2;
        if (body->type == KUGEL_STATIC) body->velocity[axis] = body->spin[axis] = 0;
    }
}

static void add_apart(support_random *random, support_scene *scene, const mix *m, uint32_t count)
{
    for (uint32_t i = 0, tries = 0; i < count && tries < 3000; ++tries) {
        double x[3], radius = m->radius / support_between(random, 1, m->radius_ratio);
        for (int axis = 0; axis < 3; ++axis)
            x[axis] = support_between(random, 0, scene->def.bounds.max[axis]);
        if (!fits(scene, x, radius, false)) continue;
        add_body(random, scene, m, x, radius);
        i += 1;
    }
}

/* Adds overlapping bodies of one of three kinds: 0 at one place, 1 on a lattice with a spacing of
 * 0.4 to 0.98 diameters, 2 at random places. */
static void add_in_overlap(support_random *random, support_scene *scene, const mix *m,
                           uint32_t count)
{
    uint32_t kind = support_below(random, 3), side = (uint32_t)ceil(cbrt(count));
    double from[3], spacing = 2 * m->radius * support_between(random, 0.4, 0.98);
    if (kind == 0) spacing = PICK(random, 0, 0, 1e-9, 0.01) * m->radius;
    for (int axis = 0; axis < 3; ++axis)
        from[axis] = support_between(random, 0, scene->def.bounds.max[axis]);
    if (kind == 1 && one_in(random, 2)) from[0] = from[1] = from[2] = m->radius / 2;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t at[3] = {i % side, i / side % side, i / side / side};
        double x[3], radius = m->radius / support_between(random, 1, m->radius_ratio);
        for (int axis = 0; axis < 3; ++axis) {
            x[axis] = from[axis] + spacing * at[axis];
            if (kind == 2) x[axis] = support_between(random, 0, scene->def.bounds.max[axis]);
        }
        if (fits(scene, x, radius, true)) add_body(random, scene, m, x, radius);
    }
}

static double next_tick(support_random *random, uint32_t kind, uint32_t number, double base)
{
    switch (kind) {
    case 0:
        return base * support_between(random, 0.9, 1.1);
    case 1:
        return base * support_between(random, 0.5, 1.5);
    case 2:
        return base * (number % 2 ? 2 : 1);
    case 3:
        return log_between(random, 0.5e-3, 105e-3);
    default:
        return base;
    }
}

/* Lengths of ticks of SUPPORT_TRIAL_MIXED, s. */
static void make_mixed_ticks(support_random *random, support_trial *trial, double base)
{
    uint32_t usual = (uint32_t)(5 / base);
    trial->tick_count = usual + 120;
    trial->ticks = malloc(trial->tick_count * sizeof *trial->ticks);
    if (!trial->ticks) abort();
    for (uint32_t k = 0; k < trial->tick_count; ++k) {
        bool is_usual = k < usual || one_in(random, 2);
        trial->ticks[k] = is_usual ? base : log_between(random, 1e-30, 1e3);
    }
}

static void make_ticks(support_random *random, support_trial *trial)
{
    double base = PICK(random, 1 / 240., 1 / 120., 1 / 60., 1 / 60., 1 / 30., 1 / 20.);
    bool overlaps = trial->class == SUPPORT_TRIAL_OVERLAPS;
    if (trial->class == SUPPORT_TRIAL_MIXED) {
        make_mixed_ticks(random, trial, base);
        return;
    }
    bool lasts = trial->class == SUPPORT_TRIAL_LONG || (overlaps && one_in(random, 4));
    if (lasts) base = log_between(random, 0.5, 10);
    uint32_t kind = trial->class == SUPPORT_TRIAL_VARYING ? support_below(random, 4) : 4;
    trial->tick_count = 60 + support_below(random, 180);
    if (lasts) trial->tick_count = 4 + (uint32_t)fmin(16, 30 / base);
    trial->ticks = malloc(trial->tick_count * sizeof *trial->ticks);
    if (!trial->ticks) abort();
    for (uint32_t k = 0; k < trial->tick_count; ++k)
        trial->ticks[k] = next_tick(random, kind, k, base);
}

support_trial support_trial_make(support_trial_class class, uint64_t seed)
{
    /* the factor 4 keeps the scenes of earlier seeds; the last class begins at the seed after */
    support_random random = {(seed * 4 + class + 1) * 0xd1342543de82ef95u};
    support_trial trial = {.class = class, .scene = {.def = kugel_world_def_default()}};
    mix m = make_mix(&random);
    if (class == SUPPORT_TRIAL_LONG) { /* fewer impacts in a tick */
        m.radius = fmax(m.radius, 0.2);
        m.speed = fmin(m.speed, 5);
    }
    if (class == SUPPORT_TRIAL_MIXED) m.speed = fmin(m.speed, 1), m.restitution *= 0.5;
    if (class == SUPPORT_TRIAL_SHAPES) m.kinematics = false;
    uint32_t count = 2 + support_below(&random, one_in(&random, 3) ? 59 : 12);
    make_gravity(&random, &trial.scene.def);
    if (class != SUPPORT_TRIAL_SHAPES) make_settings(&random, &trial.scene.def);
    make_bounds(&random, &trial.scene.def.bounds, count, m.radius);
    if (class != SUPPORT_TRIAL_SHAPES) make_planes(&random, &trial.scene);
    else if (one_in(&random, 4)) make_periodic(&trial.scene.def, m.radius);
    else make_shapes(&random, &trial.scene);
    if (class == SUPPORT_TRIAL_OVERLAPS) add_in_overlap(&random, &trial.scene, &m, count);
    else add_apart(&random, &trial.scene, &m, count);
    make_ticks(&random, &trial);
    return trial;
}

support_trial support_trial_copy(const support_trial *trial)
{
    support_trial copy = *trial;
    copy.scene.bodies = malloc((trial->scene.count + 1) * sizeof *copy.scene.bodies);
    copy.ticks = malloc((trial->tick_count + 1) * sizeof *copy.ticks);
    if (!copy.scene.bodies || !copy.ticks) abort();
    memcpy(copy.ticks, trial->ticks, trial->tick_count * sizeof *copy.ticks);
    if (trial->scene.count)
        memcpy(copy.scene.bodies, trial->scene.bodies,
               trial->scene.count * sizeof *copy.scene.bodies);
    copy.scene.capacity = trial->scene.count + 1;
    return copy;
}

void support_trial_free(support_trial *trial)
{
    support_scene_free(&trial->scene);
    free(trial->ticks);
    *trial = (support_trial){0};
}
