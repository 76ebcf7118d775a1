/* Properties of moving spheres. A contact is right if the gap at its time is 0, no earlier time has
 * a gap below 0, and its point and normal are those of the sphere and the shape; each up to the
 * tolerance. Half of the starts slide: they begin at the contact of another motion. */
#include <kugel/geometry.h>
#include <math.h>
#include <string.h>

#include "geometry/support_properties.h"

/* A moving sphere and a shape at rest. */
typedef struct sweep_case {
    support_solid solid;
    double center[3], velocity[3], radius, dt;
    double other_radius, normal[3], rotation[4]; /* of the shape, if it has them */
    long double size;                            /* m, of the shape and the sphere */
} sweep_case;

typedef kugel_status sweep_function(const sweep_case *c, kugel_contact *contact);

static void note_case(const sweep_case *c)
{
    support_property_note("center", c->center, 3);
    support_property_note("velocity", c->velocity, 3);
    support_property_note("radius, dt, other_radius", (double[]){c->radius, c->dt, c->other_radius},
                          3);
    support_property_note("shape", c->solid.at[0], 9);
    support_property_note("size", c->solid.size, 3);
    support_property_note("normal, rotation", c->normal, 7);
}

static bool is_flat(support_solid_kind kind)
{
    return kind == SUPPORT_TRIANGLE || kind == SUPPORT_DISC || kind == SUPPORT_SEGMENT;
}

/* The centre at the contact less its radius along the normal is the point of contact, which is on
 * the shape. */
static const char *check_place(const sweep_case *c, const kugel_contact *contact, long double by)
{
    support_path path = {c->center, c->velocity};
    support_solid shape = c->solid;
    long double x[3], p[3], q = 0;
    shape.radius -= c->radius;
    support_path_position(&shape, &path, contact->time, x);
    support_solid_place(&shape, contact->point, p);
    for (int k = 0; k < 3; ++k) {
        long double d = x[k] - (long double)c->radius * contact->normal[k] - p[k];
        q += d * d;
    }
    SUPPORT_CHECK(fabsl(support_length(contact->normal) - 1) <= 4 * SUPPORT_UNIT);
    SUPPORT_CHECK(fabsl(support_level(&shape, p)) <= by);
    SUPPORT_CHECK(contact->touching || sqrtl(q) <= by);
    return NULL;
}

static const char *check_contact(const sweep_case *c, const kugel_contact *contact)
{
    support_path path = {c->center, c->velocity};
    const double *at = c->solid.at[0];
    bool plane = c->solid.kind == SUPPORT_HALF_SPACE;
    long double speed = support_length(c->velocity),
                scale = (plane ? support_length(c->center) + fabs(c->solid.size[0])
                               : support_distance(c->center, at)) +
                        c->size,
                by = support_tolerance(scale), reach = speed > 0 ? 4 * scale / speed : 0,
                end = fminl(c->dt, plane && reach < c->dt ? c->dt : reach),
                gap = support_level_at(&c->solid, &path, 0),
                on_path = support_tolerance(scale + end * speed);
    support_property_note("hit, touching, approaching, time, gap",
                          (double[]){contact->hit, contact->touching, contact->approaching,
                                     contact->time, contact->gap},
                          5);
    support_property_note("point, normal", contact->point, 6);
    bool inside = c->solid.kind == SUPPORT_ELLIPSOID && gap <= -c->solid.radius;
    SUPPORT_CHECK(inside || fabsl(contact->gap - gap) <= by);
    SUPPORT_CHECK(contact->touching ? gap <= by : gap >= -by);
    if (!contact->approaching && gap >= -by && !plane) /* it does not come nearer */
        SUPPORT_CHECK(
            support_level_at(&c->solid, &path, support_time_of_least(&c->solid, &path, 0, end)) >=
            gap - on_path);
    if (!contact->hit) {
        SUPPORT_CHECK(!contact->touching);
        SUPPORT_CHECK(support_stays_out(&c->solid, &path, 0, end, on_path));
        return NULL;
    }
    by = support_tolerance(scale + contact->time * speed) + 0x1p-1074L * speed;
    SUPPORT_CHECK(contact->time >= 0 && contact->time <= c->dt);
    SUPPORT_CHECK(!contact->touching || contact->time == 0);
    if (!contact->touching) {
        SUPPORT_CHECK(fabsl(support_level_at(&c->solid, &path, contact->time)) <= by);
        SUPPORT_CHECK(support_stays_out(&c->solid, &path, 0, contact->time, by));
    }
    long double place = by + support_tolerance(support_length(c->center) + support_length(at) +
                                               (plane ? 0 : support_length(c->solid.at[1])));
    if (contact->touching && is_flat(c->solid.kind)) return NULL;
    return check_place(c, contact, place);
}

/* A sphere near a shape around the centre of the start. */
static sweep_case case_of(support_random *random, const support_start *s)
{
    sweep_case c = {.rotation = {0, 0, 0, 1}};
    double share = support_below(random, 6) ? support_uniform(random) : 0;
    memcpy(c.center, s->origin, sizeof c.center);
    memcpy(c.velocity, s->direction, sizeof c.velocity);
    c.radius = share * s->radius;
    c.other_radius = s->radius - c.radius;
    long double speed = support_length(s->direction);
    double pass =
        speed > 0 ? (double)((support_distance(s->origin, s->center) + s->radius) / speed) : 1;
    c.dt = support_below(random, 8)   ? fmin(4 * pass, 1e70)
           : support_below(random, 2) ? 0
                                      : pass * support_uniform(random);
    if (!isfinite(c.dt) || c.dt > 1e75) c.dt = 1e75;
    return c;
}

/* Let the sphere start at its contact and slide along the shape. */
static void slide(support_random *random, sweep_function *sweep, sweep_case *c)
{
    kugel_contact contact;
    sweep(c, &contact);
    if (!contact.hit) return;
    double along = 0, speed = (double)support_length(c->velocity);
    for (int k = 0; k < 3; ++k) c->center[k] += contact.time * c->velocity[k];
    support_direction(random, speed, c->velocity);
    for (int k = 0; k < 3; ++k) along += c->velocity[k] * contact.normal[k];
    for (int k = 0; k < 3; ++k) c->velocity[k] -= along * contact.normal[k];
}

static const char *check_sweep(support_random *random, sweep_function *sweep, sweep_case *c)
{
    kugel_contact contact;
    if (support_below(random, 2)) slide(random, sweep, c);
    note_case(c);
    SUPPORT_CHECK(sweep(c, &contact) == KUGEL_OK);
    return check_contact(c, &contact);
}

static kugel_status sweep_sphere(const sweep_case *c, kugel_contact *contact)
{
    return kugel_sweep_spheres(c->center, c->velocity, c->radius, c->solid.at[0], (double[3]){0},
                               c->other_radius, c->dt, contact);
}

static const char *check_sphere(support_random *random, const support_start *s)
{
    sweep_case c = case_of(random, s);
    c.solid = support_ball(s->center, (long double)c.radius + c.other_radius);
    c.size = c.solid.radius;
    return check_sweep(random, sweep_sphere, &c);
}

const char *support_property_sweep_spheres_at_rest(support_random *random)
{
    support_start s = support_start_any(random, SUPPORT_STARTS_BALL, 70);
    return check_sphere(random, &s);
}

const char *support_property_sweep_spheres_slide(support_random *random)
{
    support_start s = support_start_slide(random, SUPPORT_STARTS_BALL);
    return check_sphere(random, &s);
}

/* The relative motion of two spheres that both move: the bits of one that moves, and a point and
 * normal on the other. */
const char *support_property_sweep_spheres(support_random *random)
{
    support_start s = support_start_any(random, SUPPORT_STARTS_BALL, 70);
    sweep_case c = case_of(random, &s);
    double velocity_b[3], velocity_a[3];
    kugel_contact contact, alone;
    support_direction(random, (double)support_length(s.direction) * support_between(random, 0, 3),
                      velocity_b);
    for (int k = 0; k < 3; ++k) {
        velocity_a[k] = c.velocity[k] + velocity_b[k];
        c.velocity[k] = velocity_a[k] - velocity_b[k];
    }
    c.solid = support_ball(s.center, (long double)c.radius + c.other_radius);
    c.size = c.solid.radius;
    note_case(&c);
    support_property_note("velocity_b", velocity_b, 3);
    SUPPORT_CHECK(!kugel_sweep_spheres(c.center, velocity_a, c.radius, s.center, velocity_b,
                                       c.other_radius, c.dt, &contact));
    SUPPORT_CHECK(!sweep_sphere(&c, &alone));
    SUPPORT_CHECK(contact.hit == alone.hit && contact.time == alone.time &&
                  contact.gap == alone.gap && contact.touching == alone.touching);
    SUPPORT_CHECK(!memcmp(contact.normal, alone.normal, sizeof contact.normal));
    if (contact.hit)
        for (int k = 0; k < 3; ++k) {
            long double at = s.center[k] + (long double)velocity_b[k] * contact.time +
                             (long double)c.other_radius * contact.normal[k];
            SUPPORT_CHECK(fabsl(contact.point[k] - at) <=
                          support_tolerance(support_length(s.center) + c.other_radius +
                                            support_length(velocity_b) * contact.time));
        }
    return check_contact(&c, &alone);
}

static kugel_status sweep_plane(const sweep_case *c, kugel_contact *contact)
{
    return kugel_sweep_sphere_plane(c->center, c->velocity, c->radius, c->solid.at[0],
                                    c->solid.size[0], c->dt, contact);
}

const char *support_property_sweep_sphere_plane(support_random *random)
{
    support_start s = support_start_any(random, SUPPORT_STARTS_BALL, 70);
    sweep_case c = case_of(random, &s);
    c.solid.kind = SUPPORT_HALF_SPACE;
    support_normal(random, c.solid.at[0]);
    c.solid.radius = c.radius;
    for (int k = 0; k < 3; ++k) c.solid.size[0] += c.solid.at[0][k] * s.center[k];
    c.size = c.radius;
    return check_sweep(random, sweep_plane, &c);
}

static kugel_status sweep_ellipsoid(const sweep_case *c, kugel_contact *contact)
{
    return kugel_sweep_sphere_ellipsoid(c->center, c->velocity, c->radius, c->solid.at[0],
                                        c->solid.size, c->rotation, c->dt, contact);
}

/* A sphere near a solid with the semi-axes or half lengths of the start. */
static sweep_case case_with_axes(support_random *random, support_solid_kind kind)
{
    support_start s = support_start_any(random, SUPPORT_STARTS_ELLIPSOID, 70);
    double longest = fmax(s.axes[0], fmax(s.axes[1], s.axes[2]));
    s.radius = longest;
    sweep_case c = case_of(random, &s);
    c.radius *= support_below(random, 2) ? 0.1 : 1;
    c.solid = support_ellipsoid(kind, s.center, s.axes, s.rotation, c.radius);
    memcpy(c.rotation, s.rotation, sizeof c.rotation);
    c.size = longest + c.radius;
    return c;
}

const char *support_property_sweep_sphere_ellipsoid(support_random *random)
{
    sweep_case c = case_with_axes(random, SUPPORT_ELLIPSOID);
    return check_sweep(random, sweep_ellipsoid, &c);
}

static kugel_status sweep_box(const sweep_case *c, kugel_contact *contact)
{
    return kugel_sweep_sphere_oriented_box(c->center, c->velocity, c->radius, c->solid.at[0],
                                           c->solid.size, c->rotation, c->dt, contact);
}

const char *support_property_sweep_sphere_oriented_box(support_random *random)
{
    sweep_case c = case_with_axes(random, SUPPORT_BOX);
    return check_sweep(random, sweep_box, &c);
}

static kugel_status sweep_capsule(const sweep_case *c, kugel_contact *contact)
{
    return kugel_sweep_sphere_capsule(c->center, c->velocity, c->radius, c->solid.at[0],
                                      c->solid.at[1], c->other_radius, c->dt, contact);
}

const char *support_property_sweep_sphere_capsule(support_random *random)
{
    support_start s = support_start_any(random, SUPPORT_STARTS_BALL, 70);
    sweep_case c = case_of(random, &s);
    double q[3], length = s.radius * (support_below(random, 8) ? support_power(random, -3, 1) : 0);
    if (support_below(random, 2)) c.other_radius = 0;
    support_direction(random, length, q);
    for (int k = 0; k < 3; ++k) q[k] += s.center[k];
    c.solid = support_segment(s.center, q, (long double)c.radius + c.other_radius);
    c.size = c.solid.radius + length;
    return check_sweep(random, sweep_capsule, &c);
}

static kugel_status sweep_disc(const sweep_case *c, kugel_contact *contact)
{
    return kugel_sweep_sphere_disc(c->center, c->velocity, c->radius, c->solid.at[0], c->normal,
                                   c->solid.size[0], c->dt, contact);
}

const char *support_property_sweep_sphere_disc(support_random *random)
{
    support_start s = support_start_any(random, SUPPORT_STARTS_BALL, 70);
    sweep_case c = case_of(random, &s);
    support_normal(random, c.normal);
    c.solid = support_ball(s.center, c.radius);
    c.solid.kind = SUPPORT_DISC;
    c.solid.size[0] = support_below(random, 8) ? s.radius * support_power(random, -3, 1) : 0;
    long double length = support_length(c.normal);
    for (int k = 0; k < 3; ++k) c.solid.normal[k] = c.normal[k] / length;
    c.size = c.radius + c.solid.size[0];
    return check_sweep(random, sweep_disc, &c);
}

static kugel_status sweep_triangle(const sweep_case *c, kugel_contact *contact)
{
    return kugel_sweep_sphere_triangle(c->center, c->velocity, c->radius, c->solid.at[0],
                                       c->solid.at[1], c->solid.at[2], c->dt, contact);
}

/* Corners around the start's centre; flat: on a line, up to rounding. Many are along an axis, or on
 * a lattice. */
static void set_corners(support_random *random, const support_start *s, bool flat, double at[3][3])
{
    double e[3], f[3], size = s->radius * support_power(random, -1, 1),
                       share = support_between(random, -1, 2),
                       thin = support_below(random, 2) ? support_power(random, -18, 0) : 1;
    uint32_t kind = support_below(random, 6), axis = support_below(random, 3),
             turn = support_below(random, 3);
    support_direction(random, size, e);
    support_direction(random, size * support_power(random, -3, 0.5), f);
    for (uint32_t k = 0; k < 3; ++k) {
        if (kind < 2 && k != axis) e[k] = 0;
        if (kind == 2) e[k] = size * (support_below(random, 9) - 4.0), share = 0.5;
    }
    for (uint32_t k = 0; k < 3; ++k) {
        double along = flat || thin < 1 ? share * e[k] : 0, across = flat ? 0 : thin * f[k];
        at[turn][k] = s->center[k];
        at[(turn + 1) % 3][k] = s->center[k] + e[k];
        at[(turn + 2) % 3][k] = s->center[k] + along + across;
    }
}

static const char *check_triangle(support_random *random, bool flat)
{
    support_start s = support_start_any(random, SUPPORT_STARTS_BALL, 70);
    sweep_case c = case_of(random, &s);
    if (support_below(random, 2)) c.radius *= 0.1;
    c.solid = support_ball(s.center, c.radius);
    c.solid.kind = SUPPORT_TRIANGLE;
    set_corners(random, &s, flat, c.solid.at);
    c.size = c.radius + support_distance(c.solid.at[0], c.solid.at[1]) +
             support_distance(c.solid.at[0], c.solid.at[2]);
    return check_sweep(random, sweep_triangle, &c);
}

const char *support_property_sweep_sphere_triangle(support_random *random)
{
    return check_triangle(random, false);
}

const char *support_property_sweep_sphere_flat_triangle(support_random *random)
{
    return check_triangle(random, true);
}

/* The faces of a box from inside: each is a half-space. */
const char *support_property_sweep_sphere_box(support_random *random)
{
    support_start s = support_start_any(random, SUPPORT_STARTS_ELLIPSOID, 70);
    sweep_case c = case_of(random, &s);
    double low[3], high[3];
    kugel_contact contact;
    int face;
    c.radius *= support_power(random, -2, 0);
    for (int k = 0; k < 3; ++k) {
        low[k] = s.center[k] - s.axes[k], high[k] = s.center[k] + s.axes[k];
        if (support_below(random, 2)) c.center[k] = low[k] + c.radius;
    }
    note_case(&c);
    support_property_note("low", low, 3);
    support_property_note("high", high, 3);
    SUPPORT_CHECK(
        !kugel_sweep_sphere_box(c.center, c.velocity, c.radius, low, high, c.dt, &contact, &face));
    support_property_note("face, hit, time", (double[]){face, contact.hit, contact.time}, 3);
    long double by =
        support_tolerance(support_length(c.center) + support_length(low) + support_length(high) +
                          c.radius + support_length(c.velocity) * contact.time);
    SUPPORT_CHECK(contact.hit == (face >= 0));
    for (int f = 0; f < 6; ++f) {
        int k = f / 2;
        long double sign = f % 2 ? -1 : 1, speed = sign * c.velocity[k],
                    gap = sign * (c.center[k] - (long double)(f % 2 ? high[k] : low[k])) - c.radius,
                    then = gap + speed * (contact.hit ? contact.time : c.dt);
        if (f == face) {
            SUPPORT_CHECK(contact.normal[k] == sign && fabsl(contact.gap - gap) <= by);
            SUPPORT_CHECK(contact.touching ? gap <= by && contact.time == 0 : fabsl(then) <= by);
        }
        bool meets = speed < 0 && gap >= by; /* no face is met earlier */
        if (meets && contact.hit && contact.approaching) SUPPORT_CHECK(then >= -by);
        if (!contact.hit) SUPPORT_CHECK(gap >= -by && (speed >= 0 || then >= -by));
    }
    return NULL;
}
