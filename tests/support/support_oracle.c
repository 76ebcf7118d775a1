/* Roots of polynomials in long double, and the loop over all pairs. */
#include "support/support_oracle.h"

#include <math.h>
#include <stdlib.h>

#define NEVER 1e300L

support_oracle support_oracle_start(const support_scene *scene)
{
    support_oracle oracle = {.scene = scene, .count = scene->count};
    oracle.bodies = calloc(scene->count + 1, sizeof *oracle.bodies);
    for (uint32_t i = 0; i < scene->count; ++i) {
        const kugel_body_def *def = &scene->bodies[i];
        support_oracle_body *body = &oracle.bodies[i];
        bool moves = def->type == KUGEL_DYNAMIC;
        for (int k = 0; k < 3; ++k) {
            body->x[k] = def->position[k];
            body->v[k] = def->velocity[k];
            body->w[k] = def->spin[k];
            body->g[k] = moves ? (long double)def->gravity_scale * scene->def.gravity[k] : 0;
        }
        body->radius = def->radius;
        body->inverse_mass = moves ? 1 / (long double)def->mass : 0;
        body->restitution = def->restitution;
        body->friction = def->friction;
        body->category = def->category, body->mask = def->mask;
    }
    return oracle;
}

void support_oracle_free(support_oracle *oracle)
{
    free(oracle->bodies);
    *oracle = (support_oracle){0};
}

static long double value(const long double *c, int degree, long double t)
{
    long double y = c[degree];
    for (int k = degree - 1; k >= 0; --k) y = y * t + c[k];
    return y;
}

/* The root between low and high by bisection to the last bit; the values there have opposite
 * signs. */
static long double bisect(const long double *c, int degree, long double low, long double high)
{
    bool rising = value(c, degree, low) < 0;
    for (;;) {
        long double middle = 0.5L * (low + high);
        if (middle <= low || middle >= high) return high;
        if ((value(c, degree, middle) < 0) == rising) low = middle;
        else high = middle;
    }
}

/* All sign changes of a polynomial in (0, end), ascending. The polynomial is monotone between roots
 * of its derivative, which are found first. */
static int sign_changes(const long double *c, int degree, long double end, long double *root)
{
    long double slope[8], turn[8];
    if (degree == 0) return 0;
    for (int k = 0; k < degree; ++k) slope[k] = (k + 1) * c[k + 1];
    int turns = sign_changes(slope, degree - 1, end, turn), roots = 0;
    turn[turns] = end;
    long double low = 0;
    for (int k = 0; k <= turns; ++k) {
        bool below = value(c, degree, low) < 0, above = value(c, degree, turn[k]) < 0;
        if (below != above) root[roots++] = bisect(c, degree, low, turn[k]);
        low = turn[k];
    }
    return roots;
}

/* Earliest t in [0, end] at which the gap c(t) falls to 0; t = 0 if the gap is at last 0 and
 * falling at the start. */
static long double first_fall(const long double *c, int degree, long double end)
{
    long double root[8];
    while (degree > 0 && c[degree] == 0) --degree;
    if (c[0] <= 0 && degree > 0 && c[1] < 0) return 0;
    int n = sign_changes(c, degree, end, root);
    bool positive = c[0] >= 0;
    for (int k = 0; k < n; ++k) {
        if (positive) return root[k];
        positive = true;
    }
    return NEVER;
}

/* Time of impact of a with an image of b: first root of |d + w t + g t^2 / 2|^2 - reach^2, where d,
 * w and g are the relative position, velocity and gravity. */
static long double time_to_image(const support_oracle_body *a, const support_oracle_body *b,
                                 const long double shift[3], long double end)
{
    long double reach = a->radius + b->radius, c[5] = {-reach * reach, 0, 0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        long double d = b->x[k] + shift[k] - a->x[k], w = b->v[k] - a->v[k], g = b->g[k] - a->g[k];
        c[0] += d * d;
        c[1] += 2 * d * w;
        c[2] += w * w + d * g;
        c[3] += w * g;
        c[4] += 0.25L * g * g;
    }
    if (c[3] != 0 || c[4] != 0 || c[2] <= 0) return first_fall(c, 4, end);
    if (c[1] >= 0) return NEVER;
    if (c[0] <= 0) return 0;
    long double disc = 0.25L * c[1] * c[1] - c[2] * c[0];
    if (disc < 0) return NEVER;
    long double t = c[0] / (-0.5L * c[1] + sqrtl(disc));
    return t <= end ? t : NEVER;
}

/* Largest index of an image along an axis that can be hit within `end`. */
static int images(const support_oracle *oracle, const support_oracle_body *a,
                  const support_oracle_body *b, int axis, long double end)
{
    const kugel_bounds *bounds = &oracle->scene->def.bounds;
    if (bounds->faces[2 * axis] != KUGEL_FACE_PERIODIC) return 0;
    long double length = (long double)bounds->max[axis] - bounds->min[axis];
    long double travel =
        fabsl(b->v[axis] - a->v[axis]) * end + 0.5L * fabsl(b->g[axis] - a->g[axis]) * end * end;
    return (int)floorl((length + travel + a->radius + b->radius) /
                       length); /* |separation| <= length */
}

static long double time_to_body(const support_oracle *oracle, uint32_t i, uint32_t j,
                                long double end)
{
    const support_oracle_body *a = &oracle->bodies[i], *b = &oracle->bodies[j];
    const kugel_bounds *bounds = &oracle->scene->def.bounds;
    if (a->inverse_mass + b->inverse_mass == 0 || !(a->category & b->mask) ||
        !(b->category & a->mask))
        return NEVER;
    long double best = NEVER, length[3];
    int last[3];
    for (int k = 0; k < 3; ++k) {
        last[k] = images(oracle, a, b, k, end);
        length[k] = (long double)bounds->max[k] - bounds->min[k];
    }
    for (int z = -last[2]; z <= last[2]; ++z) {
        for (int y = -last[1]; y <= last[1]; ++y) {
            for (int x = -last[0]; x <= last[0]; ++x) {
                int at[3] = {x, y, z};
                long double shift[3];
                for (int k = 0; k < 3; ++k) shift[k] = last[k] ? at[k] * length[k] : 0;
                long double t = time_to_image(a, b, shift, best < end ? best : end);
                if (t < best) best = t;
            }
        }
    }
    return best;
}

static long double time_to_face(const support_oracle *oracle, uint32_t i, int face, long double end)
{
    const support_oracle_body *a = &oracle->bodies[i];
    const kugel_bounds *bounds = &oracle->scene->def.bounds;
    int axis = face / 2;
    long double into = face & 1 ? 1 : -1, at = face & 1 ? bounds->max[axis] : bounds->min[axis];
    if (bounds->faces[face] != KUGEL_FACE_WALL || a->inverse_mass == 0) return NEVER;
    long double c[3] = {into * (at - a->x[axis]) - a->radius, -into * a->v[axis],
                        -0.5L * into * a->g[axis]};
    return first_fall(c, 2, end);
}

static long double time_to_plane(const support_oracle *oracle, uint32_t i, uint32_t plane,
                                 long double end)
{
    const support_oracle_body *a = &oracle->bodies[i];
    const support_plane *p = &oracle->scene->planes[plane];
    if (a->inverse_mass == 0) return NEVER;
    long double length = 0, c[3] = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        length += (long double)p->normal[k] * p->normal[k];
        c[0] += p->normal[k] * a->x[k];
        c[1] += p->normal[k] * a->v[k];
        c[2] += 0.5L * p->normal[k] * a->g[k];
    }
    length = sqrtl(length);
    for (int k = 0; k < 3; ++k) c[k] /= length;
    c[0] -= p->offset + a->radius;
    return first_fall(c, 2, end);
}

static void cross(const long double a[3], const long double b[3], long double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static long double dot(const long double a[3], const long double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Velocity of the surface point at `arm` from the centre. */
static void surface_velocity(const support_oracle_body *body, const long double arm[3],
                             long double out[3])
{
    cross(body->w, arm, out);
    for (int k = 0; k < 3; ++k) out[k] += body->v[k];
}

static void push(support_oracle_body *body, const long double arm[3], const long double impulse[3])
{
    long double moment[3];
    if (body->inverse_mass == 0) return;
    cross(arm, impulse, moment);
    for (int k = 0; k < 3; ++k) {
        body->v[k] += impulse[k] * body->inverse_mass;
        body->w[k] += moment[k] * body->inverse_mass / (0.4L * body->radius * body->radius);
    }
}

/* The impact law. @param n unit vector from a to b */
static void collide(support_oracle_body *a, support_oracle_body *b, const long double n[3],
                    long double restitution, long double friction, support_oracle_impact *impact)
{
    long double arm_a[3], arm_b[3], va[3], vb[3], slip[3], impulse[3], back[3];
    for (int k = 0; k < 3; ++k) arm_a[k] = a->radius * n[k], arm_b[k] = -b->radius * n[k];
    surface_velocity(a, arm_a, va);
    surface_velocity(b, arm_b, vb);
    for (int k = 0; k < 3; ++k) slip[k] = vb[k] - va[k];
    long double approach = -dot(slip, n), reduced = 1 / (a->inverse_mass + b->inverse_mass);
    for (int k = 0; k < 3; ++k) slip[k] += approach * n[k];
    long double length = sqrtl(dot(slip, slip)),
                normal_impulse = (1 + restitution) * reduced * approach;
    long double friction_impulse = 2.0L / 7 * reduced * length;
    if (friction_impulse > friction * normal_impulse) friction_impulse = friction * normal_impulse;
    for (int k = 0; k < 3; ++k) {
        impulse[k] = normal_impulse * n[k] - (length > 0 ? friction_impulse * slip[k] / length : 0);
        back[k] = -impulse[k];
    }
    push(b, arm_b, impulse);
    push(a, arm_a, back);
    impact->speed = approach;
    impact->impulse = normal_impulse;
}

/* Unit vector from a to the nearest image of b, which is the one that touches. */
static void normal_to(const support_oracle *oracle, uint32_t i, uint32_t j, long double n[3])
{
    const support_oracle_body *a = &oracle->bodies[i], *b = &oracle->bodies[j];
    const kugel_bounds *bounds = &oracle->scene->def.bounds;
    long double length = 0;
    for (int k = 0; k < 3; ++k) {
        n[k] = b->x[k] - a->x[k];
        long double box = (long double)bounds->max[k] - bounds->min[k];
        if (bounds->faces[2 * k] == KUGEL_FACE_PERIODIC) n[k] -= box * rintl(n[k] / box);
        length += n[k] * n[k];
    }
    length = sqrtl(length);
    for (int k = 0; k < 3; ++k) n[k] /= length;
}

static void apply(support_oracle *oracle, support_oracle_impact *impact)
{
    support_oracle_body *a = &oracle->bodies[impact->a];
    const kugel_bounds *bounds = &oracle->scene->def.bounds;
    support_oracle_body wall = {.restitution = bounds->restitution, .friction = bounds->friction};
    support_oracle_body *b = &wall;
    long double n[3] = {0, 0, 0};
    if (impact->target == KUGEL_TARGET_BODY) {
        b = &oracle->bodies[impact->b];
        normal_to(oracle, impact->a, impact->b, n);
    } else if (impact->target == KUGEL_TARGET_FACE) {
        n[impact->b / 2] = impact->b & 1 ? 1 : -1;
    } else {
        const support_plane *plane = &oracle->scene->planes[impact->b];
        long double length = 0;
        for (int k = 0; k < 3; ++k) length += (long double)plane->normal[k] * plane->normal[k];
        for (int k = 0; k < 3; ++k) n[k] = -plane->normal[k] / sqrtl(length);
        wall.restitution = plane->restitution, wall.friction = plane->friction;
    }
    long double restitution = a->restitution > b->restitution ? a->restitution : b->restitution;
    collide(a, b, n, restitution, sqrtl(a->friction * b->friction), impact);
}

static void advance(support_oracle *oracle, long double t)
{
    const kugel_bounds *bounds = &oracle->scene->def.bounds;
    for (uint32_t i = 0; i < oracle->count; ++i) {
        support_oracle_body *body = &oracle->bodies[i];
        for (int k = 0; k < 3; ++k) {
            body->x[k] += t * (body->v[k] + 0.5L * t * body->g[k]);
            body->v[k] += t * body->g[k];
            if (bounds->faces[2 * k] != KUGEL_FACE_PERIODIC) continue;
            long double length = (long double)bounds->max[k] - bounds->min[k];
            body->x[k] -= length * floorl((body->x[k] - bounds->min[k]) / length);
        }
    }
    oracle->time += t;
}

/* Keeps the earlier impact. At equal times the first candidate stays, because candidates come in
 * the order of impacts. */
static void offer(support_oracle_impact *best, long double t, kugel_target target, uint32_t a,
                  uint32_t b)
{
    if (t < best->time)
        *best = (support_oracle_impact){.time = t, .target = target, .a = a, .b = b};
}

bool support_oracle_next(support_oracle *oracle, long double until, support_oracle_impact *impact)
{
    long double end = until - oracle->time;
    support_oracle_impact best = {.time = NEVER};
    for (uint32_t i = 0; i < oracle->count; ++i) {
        for (uint32_t j = i + 1; j < oracle->count; ++j) {
            long double horizon = best.time < end ? best.time : end;
            offer(&best, time_to_body(oracle, i, j, horizon), KUGEL_TARGET_BODY, i, j);
        }
    }
    for (uint32_t i = 0; i < oracle->count; ++i) {
        for (uint32_t face = 0; face < 6; ++face) {
            offer(&best, time_to_face(oracle, i, (int)face, end), KUGEL_TARGET_FACE, i, face);
        }
    }
    for (uint32_t i = 0; i < oracle->count; ++i) {
        for (uint32_t plane = 0; plane < oracle->scene->plane_count; ++plane) {
            offer(&best, time_to_plane(oracle, i, plane, end), KUGEL_TARGET_SURFACE, i, plane);
        }
    }
    if (!(best.time <= end)) {
        advance(oracle, end);
        return false;
    }
    advance(oracle, best.time);
    best.time = oracle->time;
    apply(oracle, &best);
    *impact = best;
    return true;
}
