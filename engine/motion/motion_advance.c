/* Advances every body to the end of the substep: the position of a body as one vector (x, y, z,
 * clock), rotations for four bodies at once. Then checks the range of positions and velocities,
 * returns centres that left walls or surfaces (containment.h), and wraps centres at
 * periodic faces.
 * In: motions, frames, spins. Out: motions in the world's frame, rotations. Cost: a pass over
 * the bodies. Order: none; bodies are independent, and threads share them. */
#include <math.h>
#include <string.h>

#include "base/compiler.h"
#include "base/rotation.h"
#include "base/wide.h"
#include "grid/neighbours.h"
#include "motion/containment.h"
#include "world/farthest.h"
#include "world/periodic.h"
#include "world/sleep_state.h"

enum { BODIES_AT_ONCE = 4 };

/* cos x and sin x / x from x^2 <= SMALL_ANGLE2 (Taylor), for scalars and vectors. The next terms
 * are below 2^-60. */
#define SMALL_ANGLE2 0.25
#define TERM(x2, n, rest) (1 - (x2) * (1. / ((n) * ((n)-1))) * (rest))
#define COSINE(x2)                                                                                 \
    TERM(x2, 2, TERM(x2, 4, TERM(x2, 6, TERM(x2, 8, TERM(x2, 10, TERM(x2, 12, TERM(x2, 14, 1)))))))
#define SINE(x2)                                                                                   \
    TERM(x2, 3, TERM(x2, 5, TERM(x2, 7, TERM(x2, 9, TERM(x2, 11, TERM(x2, 13, TERM(x2, 15, 1)))))))

/* The quaternions (w h sin x / 2 x, cos x) of the turns by the rotation vectors w h, with
 * half = w h / 2 and x = |half|. */
KG_INLINE void turns_of(const kg_double4 w[3], const kg_double4 half[3], double h,
                        kg_double4 turn[4])
{
    kg_mask4 large;
    KG_EACH (4) {
        kg_double4_lane x = KG_L(half[0]), y = KG_L(half[1]), z = KG_L(half[2]),
                        x2 = x * x + y * y + z * z, sine = SINE(x2);
        KG_L(turn[0]) = x * sine;
        KG_L(turn[1]) = y * sine;
        KG_L(turn[2]) = z * sine;
        KG_L(turn[3]) = COSINE(x2);
        KG_L(large) = ~KG_MASK(x2 <= SMALL_ANGLE2);
    }
    for (uint32_t bits = kg_movemask4(&large); bits; bits &= bits - 1) {
        int lane = kg_lowest_bit(bits);
        const double spin[3] = {KG_AT(w[0], lane), KG_AT(w[1], lane), KG_AT(w[2], lane)};
        double q[4];
        kg_rotation_turn(spin, h, q);
        for (int k = 0; k < 4; ++k) KG_AT(turn[k], lane) = q[k];
    }
}

/* next = turn q, normalised by the first terms of 1 / |q|. A turn changes the length by rounding
 * only, so the neglected terms are far below rounding; of an error e of a given rotation they
 * leave 3/2 e^2. A factor of all components does not influence the angle. */
KG_INLINE void turn_and_normalise(const kg_double4 turn[4], const kg_double4 q[4],
                                  kg_double4 next[4])
{
    KG_EACH (4) {
        kg_double4_lane t[4], p[4], n[4];
        for (int k = 0; k < 4; ++k) t[k] = KG_L(turn[k]), p[k] = KG_L(q[k]);
        n[3] = p[3] * t[3] - (t[0] * p[0] + t[1] * p[1] + t[2] * p[2]);
        for (int k = 0; k < 3; ++k) {
            int l = (k + 1) % 3, m = (k + 2) % 3;
            n[k] = p[k] * t[3] + ((t[l] * p[m] - t[m] * p[l]) + t[k] * p[3]);
        }
        kg_double4_lane length2 = n[0] * n[0] + n[1] * n[1] + n[2] * n[2] + n[3] * n[3];
        for (int k = 0; k < 4; ++k) KG_L(next[k]) = n[k] * (1.5 - 0.5 * length2);
    }
}

/* Advance the rotations of bodies i ... i + n - 1 by their spins w in the time h. n is a constant
 * of at most BODIES_AT_ONCE. The spin of a sliding body is that at the middle of the substep. A
 * body without spin keeps its bits. */
KG_INLINE void rotate(kg_work *work, uint32_t i, uint32_t n, double h)
{
    kg_double4 zero = {0}, w[3] = {zero, zero, zero}, half[3], turn[4], next[4];
    kg_double4 q[4] = {zero, zero, zero, zero};
    kg_mask4 turns = {0};
    for (int k = 0; k < 3; ++k) {
        memcpy(&w[k], &work->w[k][i], n * sizeof(double));
        KG_EACH (4) {
            KG_L(half[k]) = 0.5 * KG_L(w[k]) * h;
            KG_L(turns) |= KG_MASK(KG_L(half[k]) != 0);
        }
    }
    if (!kg_movemask4(&turns)) return;
    for (int k = 0; k < 4; ++k) memcpy(&q[k], &work->q[k][i], n * sizeof(double));
    turns_of(w, half, h, turn);
    turn_and_normalise(turn, q, next);
    for (int k = 0; k < 4; ++k) {
        KG_EACH (4)
            KG_L(q[k]) = KG_CHOOSE(kg_double4, kg_mask4, KG_L(turns), KG_L(next[k]), KG_L(q[k]));
        memcpy(&work->q[k][i], &q[k], n * sizeof(double));
    }
}

/* The substep, the range of positions, and what the world's gravity adds to a body in a falling
 * frame. */
typedef struct frame_motion {
    double h;
    kg_double4 low, high;       /* m, range of positions */
    kg_double4 offset;          /* a h^2 / 2 of the world's gravity, m */
    kg_double4 velocity_change; /* a h, m/s */
} frame_motion;

KG_INLINE void free_fall(const double a[3], double h, kg_double4 *offset,
                         kg_double4 *velocity_change)
{
    *offset = (kg_double4){0.5 * a[0] * h * h, 0.5 * a[1] * h * h, 0.5 * a[2] * h * h, 0};
    *velocity_change = (kg_double4){a[0] * h, a[1] * h, a[2] * h, 0};
}

/* Advance position and velocity. Clears the lanes of `*fits` where one of them leaves its range;
 * the fourth lane stays set. */
KG_INLINE void advance_position(kg_work *work, uint32_t i, const frame_motion *g, kg_mask4 *fits)
{
    kg_motion *m = &work->motion[i];
    kg_double4 x, v, offset = {0}, velocity_change = {0};
    if (work->frame[i] == KG_FRAME_GRAVITY)
        offset = g->offset, velocity_change = g->velocity_change;
    if (work->frame[i] >= KG_FRAME_PER_BODY)
        free_fall(work->acceleration[i], g->h, &offset, &velocity_change);
    memcpy(&x, m->x, sizeof x);
    memcpy(&v, m->v, sizeof v);
    KG_EACH (4) {
        KG_L(x) = KG_L(x) + KG_L(v) * (g->h - m->clock) + KG_L(offset);
        KG_L(v) += KG_L(velocity_change);
    }
    KG_AT(x, 3) = 0;
    KG_EACH (4)
        KG_L(*fits) &= KG_MASK((KG_L(x) <= KG_L(g->high)) & (KG_L(x) >= KG_L(g->low)) &
                               (KG_L(v) <= KG_VALUE_LIMIT) & (KG_L(v) >= -KG_VALUE_LIMIT));
    memcpy(m->x, &x, sizeof x);
    memcpy(m->v, &v, sizeof v);
}

KG_INLINE bool is_moving(const kugel_world *world, uint32_t i)
{
    return world->bodies.type[i] != KUGEL_STATIC && world->work.sleep_state[i] != KG_ASLEEP;
}

/* Add half of a substep's change of spin to a body that slides. */
static void add_half_spin_change(kg_work *work, uint32_t i, double h)
{
    for (int k = 0; k < 3 && work->frame[i] == KG_FRAME_SLIDING; ++k)
        work->w[k][i] += 0.5 * h * (double)work->angular_acceleration[i][k];
}

KG_INLINE void advance_body(kg_work *work, uint32_t i, const frame_motion *g, kg_mask4 *fits)
{
    advance_position(work, i, g, fits);
    add_half_spin_change(work, i, g->h);
    rotate(work, i, 1, g->h);
    add_half_spin_change(work, i, g->h);
    for (int k = 0; k < 3; ++k) {
        if (!(fabs(work->w[k][i]) <= KG_VALUE_LIMIT)) KG_AT(*fits, k) = 0;
    }
}

KG_INLINE void advance_four(kg_work *work, uint32_t i, const frame_motion *g, kg_mask4 *fits)
{
    for (uint32_t k = i; k < i + BODIES_AT_ONCE; ++k) advance_position(work, k, g, fits);
    for (int k = 0; k < 3; ++k) {
        kg_double4 w;
        memcpy(&w, &work->w[k][i], sizeof w);
        KG_EACH (4)
            KG_L(*fits) &= KG_MASK((KG_L(w) <= KG_VALUE_LIMIT) & (KG_L(w) >= -KG_VALUE_LIMIT));
    }
    rotate(work, i, BODIES_AT_ONCE, g->h);
}

/* Set the range of positions: inside the faces, and at most KG_VALUE_LIMIT. Planes are tested
 * separately. */
static void position_range(const kugel_world *world, frame_motion *g)
{
    const kugel_bounds *bounds = &world->def.bounds;
    g->low = g->high = (kg_double4){0};
    for (int k = 0; k < 3; ++k) {
        bool open[2] = {bounds->faces[2 * k] == KUGEL_FACE_OPEN,
                        bounds->faces[2 * k + 1] == KUGEL_FACE_OPEN};
        KG_AT(g->low, k) = open[0] ? -KG_VALUE_LIMIT : bounds->min[k];
        KG_AT(g->high, k) = open[1] ? KG_VALUE_LIMIT : bounds->max[k];
    }
}

KG_INLINE void advance(kugel_world *world, uint32_t from, uint32_t to, double h)
{
    kg_work *work = &world->work;
    kg_mask4 fits = {-1, -1, -1, -1};
    frame_motion g = {.h = h};
    free_fall(work->gravity, h, &g.offset, &g.velocity_change);
    position_range(world, &g);
    for (uint32_t i = from; i < to;) {
        bool four = i + BODIES_AT_ONCE <= to;
        for (uint32_t k = i; k < i + BODIES_AT_ONCE && four; ++k)
            four = is_moving(world, k) && work->frame[k] != KG_FRAME_SLIDING;
        if (four) advance_four(work, i, &g, &fits);
        else if (is_moving(world, i)) advance_body(work, i, &g, &fits);
        i += four ? BODIES_AT_ONCE : 1;
    }
    if (kg_movemask4(&fits) != 0xf) KG_ATOMIC_STORE(&work->any_outside, true);
}

KG_VARIANTS(void, advance, (kugel_world * world, uint32_t from, uint32_t to, double h),
            (world, from, to, h))

/* Wrap centres at periodic faces. The impact stage handles the crossings, but rounding can leave a
 * centre on or just past a face. Then neighbour lists become invalid, since they hold images
 * relative to the old position. */
static void wrap_range(kugel_world *world, uint32_t from, uint32_t to, double unused)
{
    const kugel_bounds *bounds = &world->def.bounds;
    bool moved = false;
    (void)unused;
    for (int axis = 0; axis < 3; ++axis) {
        if (bounds->faces[2 * axis] != KUGEL_FACE_PERIODIC) continue;
        double low = bounds->min[axis], high = bounds->max[axis], length = high - low;
        for (uint32_t i = from; i < to; ++i) {
            double *x = &world->work.motion[i].x[axis];
            if (*x >= low && *x < high) continue;
            int32_t crossing = *x < low ? -1 : 1;
            *x = *x < low ? *x + length : *x - length;
            if (!(*x >= low && *x < high)) {
                *x = low;
                /* a centre below low by less than rounding does not cross */
                crossing = crossing < 0 ? 0 : 1;
            }
            kg_work_count_crossing(&world->work, i, axis, crossing);
            moved = true;
        }
    }
    if (!moved) return;
    KG_ATOMIC_STORE(&world->work.has_crossings, true);
    kg_neighbours_invalidate(world);
}

static void find_out_of_range(kugel_world *world, uint32_t from, uint32_t to, double unused)
{
    kg_work *work = &world->work;
    bool fits = true;
    (void)unused;
    for (uint32_t i = from; i < to; ++i) {
        for (int k = 0; k < 3; ++k) fits &= kg_is_in_range(work->motion[i].x[k]);
        fits &= kg_work_speeds_are_in_range(work, i);
    }
    if (!fits) KG_ATOMIC_STORE(&work->out_of_range, true);
}

kugel_status kg_motion_advance(kugel_world *world, double h)
{
    kg_work *work = &world->work;
    work->any_outside = work->out_of_range = false;
    kg_for_bodies(world, KG_WIDEST(advance), h);
    if (work->any_outside) kg_for_bodies(world, find_out_of_range, 0);
    if (work->out_of_range) return KUGEL_ERROR_LIMIT;
    if (work->any_outside || world->surfaces.count) kg_motion_contain(world, h);
    if (kg_periodic_any(world)) kg_for_bodies(world, wrap_range, 0);
    if (world->farthest) kg_for_bodies(world, kg_farthest_note, 0);
    return KUGEL_OK;
}
