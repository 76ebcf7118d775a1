/* A body that passes another body or a surface without touching it moves on the bits of a free
 * body, and the step reports nothing of the pair. A body that passes a little nearer touches.
 * Environment: KUGEL_WORLDS, the number of passes; KUGEL_SEED, the first seed. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/support_mesh.h"
#include "support/support_scene.h"
#include "support/support_turn.h"

enum { PASSES = 4000, TOUCHES = 2000, TICKS_BEFORE = 6, TICKS = 12 };
static const double dt = 1 / 60., gravity = 9.81;

/* What a body passes. */
typedef enum partner {
    STATIC_BALL,
    KINEMATIC_BALL,
    DYNAMIC_BALL,
    SLEEPING_BALL,
    ELLIPSOID,
    CAPSULE,
    CYLINDER, /* its side */
    DISC,     /* the rim of a flat cylinder */
    CONE,     /* the rim of its base */
    MESH_EDGE,
    MESH_VERTEX,
    OPEN_EDGE, /* the border of a sheet */
    PARTNERS
} partner;

/* How the pair moves. */
typedef enum manner {
    STRAIGHT, /* no gravity */
    FALLING,  /* gravity bends the path away from what rests */
    OVER_TOP, /* over a ball, along a parabola that gravity bends towards it */
    ROLLING,  /* both balls on a floor */
    MANNERS
} manner;

typedef struct pass {
    partner partner;
    manner manner;
    double size, radius, speed, clearance, restitution, friction; /* size: m, of the partner */
    double phase;                         /* ticks, from the start to the nearest approach */
    double point[3], normal[3], along[3]; /* on the partner, where the path is nearest */
    double gravity[3], rotation[4];
    kugel_surface_def surface;
    support_mesh mesh;
} pass;

static double log_between(support_random *random, double low, double high)
{
    return exp(support_between(random, log(low), log(high)));
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* A random unit vector at a right angle to n. */
static void right_angle(support_random *random, const double n[3], double out[3])
{
    double d[3];
    support_direction(random, 1, d);
    double along = dot(d, n), length = 0;
    for (int k = 0; k < 3; ++k) d[k] -= along * n[k];
    length = sqrt(dot(d, d));
    if (length < 0.1) right_angle(random, n, out);
    else
        for (int k = 0; k < 3; ++k) out[k] = d[k] / length;
}

static void set3(double out[3], double x, double y, double z)
{
    out[0] = x, out[1] = y, out[2] = z;
}

static void normalise(double n[3])
{
    double length = sqrt(dot(n, n));
    for (int k = 0; k < 3; ++k) n[k] /= length;
}

/* A convex solid lies behind the plane through its point with the normal: choose both, in the frame
 * of the partner. */
static void choose_point(support_random *random, pass *p)
{
    double *n = p->normal, *x = p->point, s = p->size, *size = p->surface.size;
    support_direction(random, 1, n);
    double level = sqrt(n[0] * n[0] + n[1] * n[1]), c = support_between(random, -0.8, 0.8);
    switch (p->partner) {
    case ELLIPSOID: {
        double sum = 0;
        for (int k = 0; k < 3; ++k) size[k] = s * support_between(random, 0.4, 1);
        for (int k = 0; k < 3; ++k) sum += size[k] * size[k] * n[k] * n[k];
        for (int k = 0; k < 3; ++k) x[k] = size[k] * size[k] * n[k] / sqrt(sum);
        break;
    }
    case CAPSULE:
        size[0] = 0.5 * s, size[1] = s;
        if (support_below(random, 2)) n[2] = 0, normalise(n);
        for (int k = 0; k < 3; ++k) x[k] = size[0] * n[k];
        x[2] += n[2] != 0 ? copysign(size[1], n[2]) : c * size[1];
        break;
    case CYLINDER:
        size[0] = size[1] = 0.5 * s, size[2] = s;
        n[2] = 0, normalise(n);
        set3(x, size[0] * n[0], size[0] * n[1], c * size[2]);
        break;
    case DISC:
        size[0] = size[1] = s, size[2] = 0.02 * s;
        set3(x, s * n[0] / level, s * n[1] / level, copysign(size[2], n[2]));
        break;
    case CONE: /* n is flatter than the normal of the side, so the base's rim is nearest */
        size[0] = s, size[1] = 0.2 * s, size[2] = s;
        n[2] = -fabs(n[2]);
        set3(x, s * n[0] / level, s * n[1] / level, -s);
        break;
    case MESH_EDGE: /* of an octahedron */
        set3(x, s * (0.5 + c / 2), s * (0.5 - c / 2), 0);
        set3(n, 1, 1, c);
        normalise(n);
        break;
    case MESH_VERTEX:
        set3(x, s, 0, 0);
        set3(n, 1, c, 0.9 * n[2]);
        normalise(n);
        break;
    case OPEN_EDGE:
        set3(x, s, 0.7 * c * s, 0);
        set3(n, 0.3 + fabs(c), 0, n[2]);
        normalise(n);
        break;
    default:
        for (int k = 0; k < 3; ++k) x[k] = s * n[k];
    }
}

static void choose_surface(support_random *random, pass *p)
{
    static const kugel_surface_shape shapes[PARTNERS] = {[ELLIPSOID] = KUGEL_SURFACE_ELLIPSOID,
                                                         [CAPSULE] = KUGEL_SURFACE_CAPSULE,
                                                         [CYLINDER] = KUGEL_SURFACE_CONE,
                                                         [DISC] = KUGEL_SURFACE_CONE,
                                                         [CONE] = KUGEL_SURFACE_CONE};
    double q2 = 0;
    if (p->partner == MESH_EDGE || p->partner == MESH_VERTEX)
        p->mesh = support_mesh_ball(0, p->size);
    if (p->partner == OPEN_EDGE) p->mesh = support_mesh_floor(1, 2 * p->size, 0, random);
    p->surface = p->mesh.vertices ? support_mesh_def(&p->mesh) : kugel_surface_def_default();
    p->surface.shape = shapes[p->partner];
    choose_point(random, p);
    for (int k = 0; k < 4; ++k)
        p->rotation[k] = support_gauss(random), q2 += p->rotation[k] * p->rotation[k];
    for (int k = 0; k < 4; ++k) p->surface.rotation[k] = p->rotation[k] /= sqrt(q2);
    support_turn(p->rotation, p->point, p->point);
    support_turn(p->rotation, p->normal, p->normal);
    p->surface.restitution = p->restitution, p->surface.friction = p->friction;
}

/* Gravity for the manner, and a path that it bends as the manner says. */
static void choose_path(support_random *random, pass *p)
{
    if (p->partner >= ELLIPSOID && p->manner > FALLING) p->manner = FALLING;
    if (p->partner == SLEEPING_BALL) p->manner = ROLLING; /* it needs a floor */
    if (p->manner == FALLING) {
        support_direction(random, gravity, p->gravity);
        if (dot(p->gravity, p->normal) < 0)
            for (int k = 0; k < 3; ++k) p->gravity[k] = -p->gravity[k];
    }
    if (p->manner == OVER_TOP) {
        /* the parabola is flatter than the circle */
        p->speed = fmax(p->speed, sqrt(1.5 * gravity * (p->size + p->radius)));
        for (int k = 0; k < 3; ++k) p->gravity[k] = -gravity * p->normal[k];
    }
    if (p->manner == ROLLING) {
        p->size = p->radius;
        p->clearance = copysign(fmax(fabs(p->clearance), 1e-5 * p->radius), p->clearance);
        p->normal[2] = 0, normalise(p->normal);
        for (int k = 0; k < 3; ++k) p->point[k] = p->size * p->normal[k];
        p->gravity[2] = -gravity;
        set3(p->along, -p->normal[1], p->normal[0], 0);
    } else {
        right_angle(random, p->normal, p->along);
    }
}

/* `sign`: 1 for a miss, -1 for a touch. */
static pass random_pass(support_random *random, partner partner, double sign)
{
    pass p = {.partner = partner,
              .manner = (manner)support_below(random, MANNERS),
              .radius = log_between(random, 0.005, 0.5),
              .speed = log_between(random, 0.01, 30),
              .restitution = support_below(random, 3) / 2.,
              .friction = support_below(random, 2) * 0.5,
              .phase = support_between(random, 2, TICKS_BEFORE)};
    p.size = p.radius * log_between(random, 0.3, 3);
    p.clearance = sign * log_between(random, 1e-6, 1e-2) * p.radius;
    choose_surface(random, &p);
    choose_path(random, &p);
    return p;
}

/* Position and velocity of the passing body at the start, relative to the partner's. */
static void start_of(const pass *p, double x[3], double v[3])
{
    bool both_fall = p->partner == DYNAMIC_BALL || p->manner == ROLLING;
    double t = p->phase * dt;
    for (int k = 0; k < 3; ++k) {
        double a = both_fall ? 0 : p->gravity[k];
        x[k] = p->point[k] + (p->radius + p->clearance) * p->normal[k] -
               p->speed * t * p->along[k] + 0.5 * a * t * t;
        v[k] = p->speed * p->along[k] - a * t;
    }
}

/* Add the ball that is passed; a sleeping one first falls asleep on the floor. */
static void add_ball(kugel_world *world, const pass *p, const double place[3], const double v[3])
{
    kugel_body_def def = kugel_body_def_default();
    memcpy(def.position, place, sizeof def.position);
    memcpy(def.velocity, v, sizeof def.velocity);
    def.radius = p->size;
    def.restitution = p->restitution, def.friction = p->friction;
    def.category = 2;
    if (p->partner == STATIC_BALL) def.type = KUGEL_STATIC;
    if (p->partner == KINEMATIC_BALL) def.type = KUGEL_KINEMATIC;
    cr_assert_eq(kugel_body_create(world, &def, NULL), KUGEL_OK);
    if (p->partner != SLEEPING_BALL) return;
    support_run(world, dt, 1);
    cr_assert_eq(kugel_body_sleep(world, kugel_world_body(world, 0)), KUGEL_OK);
}

/* The world of a pass. `meets`: false where filters let the two pass through each other. */
static kugel_world *world_of(const pass *p, bool meets)
{
    static const double drifting[3] = {3, -2, 1}, still[3] = {0};
    bool rolls = p->manner == ROLLING;
    const double *drift = p->partner == KINEMATIC_BALL && !rolls ? drifting : still;
    support_scene scene = {.def = kugel_world_def_default()};
    memcpy(scene.def.gravity, p->gravity, sizeof p->gravity);
    if (rolls) scene.planes[scene.plane_count++] = (support_plane){.normal = {0, 0, 1}};
    double x[3], v[3], height = rolls ? p->radius : 0;
    start_of(p, x, v);
    kugel_world *world = support_scene_world(&scene);
    kugel_surface_def surface = p->surface;
    surface.category = 2;
    if (p->partner < ELLIPSOID) add_ball(world, p, (double[3]){0, 0, height}, drift);
    else cr_assert_eq(kugel_surface_create(world, &surface, NULL), KUGEL_OK);
    kugel_body_def def = kugel_body_def_default();
    for (int k = 0; k < 3; ++k) def.position[k] = x[k], def.velocity[k] = v[k] + drift[k];
    def.position[2] += height;
    def.radius = p->radius;
    def.restitution = p->restitution, def.friction = rolls ? 0.5 : p->friction;
    if (rolls) set3(def.spin, -v[1] / p->radius, v[0] / p->radius, 0);
    if (!meets) def.mask = ~2u;
    cr_assert_eq(kugel_body_create(world, &def, NULL), KUGEL_OK);
    support_scene_free(&scene);
    return world;
}

/* True for the floor on which the body rolls. */
static bool is_floor(const kugel_world *world, kugel_target target, uint32_t index)
{
    kugel_surface_def def;
    if (target != KUGEL_TARGET_SURFACE) return false;
    kugel_surface surface = kugel_world_surface(world, index);
    cr_assert_eq(kugel_surface_get(world, surface, &def, NULL), KUGEL_OK);
    return def.category == 0xffffffffu;
}

/* Number of events of the last step that name the partner. */
static size_t events_of_pair(const kugel_world *world)
{
    size_t impacts, begins, wakes, found = 0;
    const kugel_impact *impact = kugel_world_impact_events(world, &impacts);
    const kugel_touch *begin = kugel_world_begin_events(world, &begins);
    kugel_world_wake_events(world, &wakes);
    for (size_t k = 0; k < impacts; ++k)
        found += !is_floor(world, impact[k].target, impact[k].index);
    for (size_t k = 0; k < begins; ++k) found += !is_floor(world, begin[k].target, begin[k].index);
    return found + wakes;
}

static bool same_body(const kugel_world *a, const kugel_world *b, uint32_t id)
{
    kugel_body_state s, t;
    support_state(a, id, &s), support_state(b, id, &t);
    return !memcmp(s.position, t.position, sizeof s.position) &&
           !memcmp(s.velocity, t.velocity, sizeof s.velocity) &&
           !memcmp(s.spin, t.spin, sizeof s.spin) && s.asleep == t.asleep;
}

static void report(uint64_t seed, const pass *p, const char *what)
{
    fprintf(stderr,
            "KUGEL_SEED=%llu KUGEL_WORLDS=1: %s; partner %d, manner %d, radii %g and %g, %g m/s, "
            "clearance %g radii, restitution %g, friction %g\n",
            (unsigned long long)seed, what, p->partner, p->manner, p->radius, p->size, p->speed,
            p->clearance / p->radius, p->restitution, p->friction);
}

/* True when the pass leaves no trace. */
static bool leaves_no_trace(uint64_t seed, const pass *p)
{
    kugel_world *world = world_of(p, true), *free_world = world_of(p, false);
    uint32_t bodies = p->partner < ELLIPSOID ? 2 : 1;
    const char *trace = NULL;
    for (int tick = 0; tick < TICKS && !trace; ++tick) {
        support_run(world, dt, 1), support_run(free_world, dt, 1);
        if (events_of_pair(world)) trace = "an event";
        for (uint32_t id = 0; id < bodies && !trace; ++id)
            if (!same_body(world, free_world, id)) trace = "another path";
    }
    if (trace) report(seed, p, trace);
    kugel_world_destroy(world), kugel_world_destroy(free_world);
    return !trace;
}

static bool touches(uint64_t seed, const pass *p)
{
    kugel_world *world = world_of(p, true);
    size_t events = 0;
    for (int tick = 0; tick < TICKS; ++tick)
        support_run(world, dt, 1), events += events_of_pair(world);
    if (!events) report(seed, p, "no touch");
    kugel_world_destroy(world);
    return events;
}

/* A contact that is open may act only on a path that touches. A ball comes to rest at a static one,
 * without gravity, and then parts by less than the slop. From there it passes at a clearance, at
 * any speed, on a straight line: errors are rounding of a few steps. */
static bool passes_again(uint64_t seed, support_random *random, bool shape)
{
    support_scene scene = {.def = kugel_world_def_default()};
    double r = log_between(random, 0.01, 1), gap = 0.002 * r * support_between(random, 0.1, 4),
           clearance = gap * support_between(random, 0.01, 0.9),
           speed = log_between(random, 0.1, 30), cosine = (2 * r + clearance) / (2 * r + gap),
           place[3], error = 0;
    kugel_surface_def sphere = kugel_surface_def_default();
    if (!shape) support_scene_add(&scene, (double[3]){0}, NULL, r, 1)->type = KUGEL_STATIC;
    support_scene_add(&scene, (double[3]){2.001 * r}, (double[3]){-0.1 * r}, r, 1);
    for (uint32_t k = 0; k < scene.count; ++k) scene.bodies[k].restitution = 0;
    kugel_world *world = support_scene_world(&scene);
    sphere.shape = KUGEL_SURFACE_ELLIPSOID;
    set3(sphere.size, r, r, r);
    if (shape) cr_assert_eq(kugel_surface_create(world, &sphere, NULL), KUGEL_OK);
    support_run(world, dt, 2);
    kugel_body ball = kugel_world_body(world, shape ? 0 : 1);
    kugel_body_state s;
    kugel_body_get(world, ball, &s);
    cr_assert_eq(s.contacts, 1, "the ball does not rest");
    set3(place, 2 * r + gap, 0, 0);
    const double part[3] = {(place[0] - s.position[0]) / dt},
                 v[3] = {-speed * sqrt(1 - cosine * cosine), speed * cosine, 0};
    kugel_body_set_velocity(world, ball, part);
    support_run(world, dt, 1);
    kugel_body_get(world, ball, &s);
    cr_assert_eq(s.contacts, 1, "the contact ended");
    kugel_body_set_velocity(world, ball, v);
    support_run(world, dt, 5);
    memcpy(place, s.position, sizeof place);
    kugel_body_get(world, ball, &s);
    for (int k = 0; k < 3; ++k) error = fmax(error, fabs(s.position[k] - place[k] - 5 * dt * v[k]));
    kugel_world_destroy(world);
    support_scene_free(&scene);
    if (error > 1e-12 * (r + speed))
        fprintf(stderr,
                "KUGEL_SEED=%llu KUGEL_WORLDS=1: off by %g m; radius %g, %g m/s, gap %g, clearance "
                "%g radii\n",
                (unsigned long long)seed, error, r, speed, gap / r, clearance / r);
    return error <= 1e-12 * (r + speed);
}

static uint64_t count_of(uint64_t usual)
{
    const char *worlds = getenv("KUGEL_WORLDS");
    return worlds ? strtoull(worlds, NULL, 0) : usual;
}

Test(near_misses, a_miss_leaves_no_trace)
{
    uint64_t first = support_random_start("near_misses", 1).state, failed = 0,
             count = count_of(PASSES);
    for (uint64_t seed = first; seed < first + count; ++seed) {
        support_random random = {seed};
        pass p = random_pass(&random, (partner)(seed % PARTNERS), 1);
        failed += !leaves_no_trace(seed, &p);
        support_mesh_free(&p.mesh);
    }
    cr_assert_eq(failed, 0, "%llu of %llu passes", (unsigned long long)failed,
                 (unsigned long long)count);
}

/* True when the path of a pass begins outside the partner, by more than rounding. */
static bool begins_outside(const pass *p)
{
    double x[3], v[3];
    start_of(p, x, v);
    if (p->partner < ELLIPSOID) return sqrt(dot(x, x)) - p->size - p->radius > 1e-9 * p->radius;
    return p->speed * p->phase * dt > 3 * p->size + 2 * p->radius;
}

Test(near_misses, a_graze_touches)
{
    uint64_t first = support_random_start("grazes", 1).state, failed = 0, tried = 0,
             count = count_of(TOUCHES);
    for (uint64_t seed = first; seed < first + count; ++seed) {
        support_random random = {seed};
        pass p = random_pass(&random, (partner)(seed % PARTNERS), -1);
        if (begins_outside(&p)) tried += 1, failed += !touches(seed, &p);
        support_mesh_free(&p.mesh);
    }
    fprintf(stderr, "grazes: %llu paths begin outside\n", (unsigned long long)tried);
    cr_assert_eq(failed, 0, "%llu of %llu grazes", (unsigned long long)failed,
                 (unsigned long long)tried);
}

Test(near_misses, an_open_contact_acts_only_on_touching_paths)
{
    uint64_t first = support_random_start("open_contacts", 1).state, failed = 0,
             count = count_of(TOUCHES);
    for (uint64_t seed = first; seed < first + count; ++seed) {
        support_random random = {seed};
        failed += !passes_again(seed, &random, seed & 1);
    }
    cr_assert_eq(failed, 0, "%llu of %llu passes", (unsigned long long)failed,
                 (unsigned long long)count);
}
