/* Steps, with checks of status, time, bodies and events, and a comparison with a clone. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "calls.h"

/* Processor seconds of a sanitized step beyond which it is a failure. */
enum { SLOWEST_STEP = 20 };

/* Longest path of a surface in a step, in radii. */
enum { MOST_RADII = 10000 };

static bool is_centre_inside(const calls *c, const double x[3])
{
    const kugel_bounds *bounds = &c->def.bounds;
    for (int face = 0; face < 6; ++face) {
        double limit = face & 1 ? bounds->max[face / 2] : bounds->min[face / 2];
        if (bounds->faces[face] == KUGEL_FACE_OPEN) continue;
        if (face & 1 ? x[face / 2] > limit : x[face / 2] < limit) return false;
    }
    return true;
}

/* True if the vectors are equal, where -0 equals +0: a step adds 0 to values of immovable
 * bodies. */
static bool same_vector(const double a[3], const double b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* True if a static body has not moved. From the max face of a periodic axis it may continue on the
 * min face, up to rounding, which is the same place. */
static bool same_place(const calls *c, const kugel_body_state *now, const kugel_body_state *old)
{
    bool same = true;
    for (int k = 0; k < 3; ++k) {
        double low = c->def.bounds.min[k], high = c->def.bounds.max[k];
        bool crossed = (uint32_t)now->image[k] == (uint32_t)old->image[k] + 1 &&
                       old->position[k] == high &&
                       fabs(now->position[k] - low) <= 1e-15 * (fabs(low) + fabs(high));
        same &= now->position[k] == old->position[k] || crossed;
    }
    return same;
}

/* @param was the model before the step. */
static void check_bodies(calls *c, const model *was)
{
    for (uint32_t i = 0; i < c->model.count; ++i) {
        const kugel_body_state *now = &c->model.bodies[i], *old = &was->bodies[i];
        uint32_t id = kugel_body_id(old->body);
        FUZZ_CHECK(now->body == old->body, "step: body %u has another handle", id);
        FUZZ_CHECK(fuzz_is_vector(now->position) && fuzz_is_vector(now->velocity) &&
                       fuzz_is_vector(now->spin),
                   "step: body %u is out of range", id);
        double q = 0;
        for (int k = 0; k < 4; ++k) q += now->rotation[k] * now->rotation[k];
        FUZZ_CHECK(fabs(q - 1) < 1e-4, "step: body %u has a rotation of length %g", id, sqrt(q));
        bool is_static = now->type == KUGEL_STATIC;
        FUZZ_CHECK(!is_static || same_place(c, now, old), "step: static body %u moved", id);
        FUZZ_CHECK(now->type == KUGEL_DYNAMIC || same_vector(now->velocity, old->velocity),
                   "step: the velocity of body %u changed", id);
        FUZZ_CHECK(now->type != KUGEL_DYNAMIC || !is_centre_inside(c, old->position) ||
                       is_centre_inside(c, now->position),
                   "step: the centre of body %u is outside at %.17g %.17g %.17g", id,
                   now->position[0], now->position[1], now->position[2]);
    }
}

static bool is_unit(const double n[3])
{
    return fabs(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1) < 1e-9;
}

/* @param ends true: end events, whose body may have been destroyed by a call before the step. */
static void check_touches(const kugel_world *world, const kugel_touch *touches, size_t count,
                          double dt, bool ends)
{
    for (size_t i = 0; i < count; ++i) {
        const kugel_touch *t = &touches[i];
        FUZZ_CHECK(t->time >= 0 && t->time <= dt, "touch: time %g of %g", t->time, dt);
        FUZZ_CHECK(i == 0 || touches[i - 1].time <= t->time, "touches: order");
        FUZZ_CHECK(kugel_body_is_valid(world, t->a) || (ends && t->time == 0), "touch: no body a");
        FUZZ_CHECK((t->target == KUGEL_TARGET_BODY) == (t->b != KUGEL_NULL_BODY), "touch: target");
        FUZZ_CHECK(is_unit(t->normal), "touch: the normal is not unit");
    }
}

static void check_sleeps(const kugel_world *world, const kugel_rest *rests, size_t count, double dt)
{
    for (size_t i = 0; i < count; ++i) {
        FUZZ_CHECK(rests[i].time >= 0 && rests[i].time <= dt, "sleep: time %g", rests[i].time);
        FUZZ_CHECK(i == 0 || rests[i - 1].time <= rests[i].time, "sleeps: order");
        FUZZ_CHECK(kugel_body_is_valid(world, rests[i].body), "sleep: no body");
    }
}

static void check_events(const kugel_world *world, double dt)
{
    size_t count;
    const kugel_impact *impacts = kugel_world_impact_events(world, &count);
    for (size_t i = 0; i < count; ++i) {
        const kugel_impact *p = &impacts[i];
        FUZZ_CHECK(p->time >= 0 && p->time <= dt, "impact: time %g of %g", p->time, dt);
        FUZZ_CHECK(i == 0 || impacts[i - 1].time <= p->time, "impacts: order");
        FUZZ_CHECK(kugel_body_is_valid(world, p->a), "impact: no body a");
        FUZZ_CHECK((p->target == KUGEL_TARGET_BODY) == (p->b != KUGEL_NULL_BODY), "impact: target");
        FUZZ_CHECK(p->speed >= 0 && p->impulse >= 0 && isfinite(p->impulse),
                   "impact: speed %g, impulse %g", p->speed, p->impulse);
        FUZZ_CHECK(is_unit(p->normal), "impact: the normal is not unit");
    }
    const kugel_touch *touches = kugel_world_begin_events(world, &count);
    check_touches(world, touches, count, dt, false);
    touches = kugel_world_end_events(world, &count);
    check_touches(world, touches, count, dt, true);
    const kugel_rest *rests = kugel_world_sleep_events(world, &count);
    check_sleeps(world, rests, count, dt);
    rests = kugel_world_wake_events(world, &count);
    check_sleeps(world, rests, count, dt);
    const kugel_sensor_event *sensed = kugel_world_sensor_events(world, &count);
    for (size_t i = 0; i < count; ++i) {
        const kugel_sensor_event *s = &sensed[i];
        FUZZ_CHECK(s->time >= 0 && s->time <= dt, "sensor: time %g of %g", s->time, dt);
        FUZZ_CHECK(i == 0 || sensed[i - 1].time <= s->time, "sensor events: order");
        FUZZ_CHECK(s->entered ? s->speed >= 0 : s->speed <= 0, "sensor: speed %g", s->speed);
        FUZZ_CHECK(is_unit(s->normal), "sensor: the normal is not unit");
    }
}

static kugel_status timed_step(kugel_world *world, double dt)
{
    clock_t begin = clock();
    kugel_status status = kugel_world_step(world, dt);
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    FUZZ_CHECK(seconds < SLOWEST_STEP, "a step of %g s took %g s", dt, seconds);
    return status;
}

/* Steps a clone, whose caches are new, and compares all bits. */
static void check_clone(calls *c, kugel_world *clone, kugel_status status, double dt)
{
    kugel_status same = timed_step(clone, dt);
    FUZZ_CHECK(same == status, "step: %s, of the clone %s", kugel_status_text(status),
               kugel_status_text(same));
    bytes other = {0};
    bytes_save(&other, clone);
    if (!bytes_equal(&c->now, &other)) {
        kugel_divergence d = {0};
        kugel_snapshot_difference(c->now.data, c->now.size, other.data, other.size, &d);
        fuzz_fail(__FILE__, __LINE__, "step: body %u %s is %.17g, of the clone %.17g", d.body,
                  d.field, d.expected, d.found);
    }
    bytes_free(&other);
    kugel_world_destroy(clone);
}

static double longest(const double v[3]) { return fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2]))); }

/* Upper bound of the distance of bodies and triangles from the origin of a surface, m. */
static double distance_of(const calls *c, const kugel_surface_def *surface)
{
    double most = 20;
    for (uint32_t i = 0; i < c->model.count; ++i) {
        double d[3];
        for (int k = 0; k < 3; ++k) d[k] = c->model.bodies[i].position[k] - surface->position[k];
        most = fmax(most, 20 + 2 * longest(d));
    }
    return most;
}

bool calls_is_too_fast(const calls *c, double dt)
{
    double speed = 0, radius = INFINITY;
    for (uint32_t k = 0; k < SURFACE_INDICES; ++k) {
        kugel_surface_def def;
        if (kugel_surface_get(c->world, kugel_world_surface(c->world, k), &def, NULL)) continue;
        speed = fmax(speed, longest(def.velocity) + longest(def.spin) * distance_of(c, &def));
    }
    for (uint32_t i = 0; i < c->model.count; ++i) {
        radius = fmin(radius, c->model.bodies[i].radius);
    }
    return speed * dt > MOST_RADII * radius;
}

void calls_step(calls *c)
{
    uint8_t length = fuzz_byte(&c->in);
    double dt =
        length < 240 ? (1 + length % 16) / 240. * (length < 200 ? 1 : 16) : fuzz_number(&c->in);
    bool clones = length & 16, valid = dt > 0 && dt <= VALUE_LIMIT;
    if (c->steps >= MOST_STEPS || (valid && calls_is_too_fast(c, dt))) return;
    c->steps += (1 + clones) * (c->def.substeps ? 1 : MOST_STEPS / FEW_STEPS);
    kugel_world *clone = NULL;
    if (clones) {
        failing_memory_disarm(&c->memory);
        FUZZ_CHECK(!kugel_world_clone(c->world, &clone), "step: the world cannot be cloned");
    }
    model was = c->model;
    calls_begin(c);
    kugel_status status = timed_step(c->world, dt);
    bool stepped = calls_end(c, status, valid, true, "step");
    if (stepped) {
        calls_adopt(c);
        c->recorded_ticks += 1;
        FUZZ_CHECK(c->model.count == was.count && c->model.tick == was.tick + 1 &&
                       /* each time is a rounded sum of ticks */
                       fabs(c->model.time - was.time - dt) <= 0x1p-52 * c->model.time,
                   "step: %u bodies, tick %u, time %g", c->model.count, (unsigned)c->model.tick,
                   c->model.time);
        check_bodies(c, &was);
        check_events(c->world, dt);
        calls_compare(c, "step");
    }
    if (clones) check_clone(c, clone, status, dt);
    kugel_energy sums;
    kugel_world_energy(c->world, &sums);
    FUZZ_CHECK(!isnan(sums.kinetic) && !isnan(sums.potential), "stats: NaN");
}
