/* Predictions in dense cells (grid/dense.h): what can a body meet next, and when does it leave its cell? Between them
 * such events are most of what a gas is: gathering, filtering and predicting are compiled as one pass, for each
 * width of vectors. Nothing falls and nothing rests here: predict.c, which knows the rest, says the same to the
 * last bit. Cost: some 1,000 instructions for all around a body. */
#include "grid/around.h"
#include "impact/traces.h"

/* Sums of the first three lanes of a and of b, in that order. */
KG_INLINE void sum3(const kg_double4 *a, const kg_double4 *b, double out[2])
{
    kg_double4 even = KG_SHUFFLE4(*a, *b, 0, 4, 2, 6), odd = KG_SHUFFLE4(*a, *b, 1, 5, 3, 7), first = even + odd;
    out[0] = first[0] + even[2];
    out[1] = first[1] + even[3];
}

/* kg_predict_pair of two that neither fall nor rest: operation by operation what kg_sweep_spheres does. */
KG_INLINE double predict_pair(const kugel_world *world, uint32_t i, uint32_t entry, double h)
{
    const kg_motion *mi = &world->work.motion[i], *mj = &world->work.motion[entry & KG_ENTRY_SLOT];
    double T = mi->clock > mj->clock ? mi->clock : mj->clock, dots[2], more[2], reach = mi->radius + mj->radius;
    kg_double4 xi, xj, vi, vj, shift;
    memcpy(&xi, mi->x, sizeof xi);
    memcpy(&xj, mj->x, sizeof xj);
    memcpy(&vi, mi->v, sizeof vi);
    memcpy(&vj, mj->v, sizeof vj);
    memcpy(&shift, world->grid->lattice.shift[entry >> KG_ENTRY_IMAGE_SHIFT], sizeof shift);
    kg_double4 d = (xj + vj * (T - mj->clock)) - (xi + vi * (T - mi->clock)) + shift, w = vj - vi, dw = d * w, dd = d * d, ww = w * w;
    sum3(&dw, &dd, dots);
    double b = dots[0], c = dots[1] - reach * reach;
    if (!(b < 0)) return KG_NEVER;
    if (c <= 0) return kg_predict_pair(world, i, entry, h); /* they touch */
    sum3(&ww, &ww, more);
    kg_double4 p = d - w * (b / more[0]), pp = p * p;
    sum3(&pp, &pp, dots);
    double s = reach * reach - dots[0];
    if (!(s >= 0)) return KG_NEVER;
    double t = c / (-b + sqrt(more[0] * s));
    if (!(t <= h - T)) return KG_NEVER;
    return t > 0 ? T + t : kg_predict_pair(world, i, entry, h);
}

KG_INLINE bool push(kugel_world *world, double time, uint32_t a, uint32_t b, uint32_t kind)
{
    const uint32_t *stamp = world->work.stamp;
    kg_event event = {time, a, b, stamp[a], kind == KG_EVENT_BODY ? stamp[b & KG_ENTRY_SLOT] : 0, kind, KG_NONE};
    return kg_queue_push(world, &event);
}

KG_INLINE bool predict_near(kugel_world *world, uint32_t i, uint32_t which, double now, double h, bool wide)
{
    const kg_dense *dense = &world->grid->dense;
    uint32_t entry[KG_DENSE_NEAR];
    uint32_t count = kg_gather(dense, i, which, entry, wide);
    count = kg_filter_eights(&world->impact->traces, i, entry, count, now, wide);
    for (uint32_t k = 0; k < count; ++k) {
        if (dense->filtered && !kg_grid_may_meet(world, i, entry[k] & KG_ENTRY_SLOT)) continue;
        double t = predict_pair(world, i, entry[k], h);
        if (t != KG_NEVER && !push(world, t, i, entry[k], KG_EVENT_BODY)) return false;
    }
    return true;
}

/* Faces along which the body's cell lies and that it surely does not come to before `until`, or moves away from, need
 * no look. The margin is far above rounding. */
static uint32_t faces_ahead(const kugel_world *world, uint32_t i, uint32_t along)
{
    const double margin = 1 + 1e-9;
    const kg_motion *m = &world->work.motion[i];
    const kugel_bounds *bounds = &world->def.bounds;
    double left = (world->impact->until - m->clock) * margin;
    for (uint32_t faces = along; faces; faces &= faces - 1) {
        uint32_t face = (uint32_t)__builtin_ctz(faces), axis = face / 2;
        double gap = face & 1 ? bounds->max[axis] - m->x[axis] : m->x[axis] - bounds->min[axis], u = face & 1 ? -m->v[axis] : m->v[axis];
        if (u >= 0 || gap - m->radius * margin > -u * left) along &= ~(1u << face);
    }
    return along;
}

KG_INLINE bool predict_others(kugel_world *world, uint32_t i, uint32_t along, uint64_t planes, double now, double h)
{
    uint32_t face;
    if (along) planes |= faces_ahead(world, i, along);
    if (planes && !kg_predict_boundaries(world, i, planes, h)) return false;
    double t = kg_leaves(&world->grid->dense, &world->work.motion[i], world->grid->dense.place[i].cell, &face);
    t = t > now ? t : now;
    return t >= world->impact->until || push(world, t, i, face, KG_EVENT_SKIN);
}

KG_INLINE bool predict_all(kugel_world *world, uint32_t i, double now, double h, bool later_only, bool wide)
{
    const kg_dense *dense = &world->grid->dense;
    uint64_t planes = (((uint64_t)1 << world->plane_count) - 1) << KG_OTHER_PLANE;
    if (!later_only) kg_trace_body(world, i);
    return predict_near(world, i, later_only ? KG_DENSE_LATER : KG_DENSE_ALL, now, h, wide) &&
           predict_others(world, i, dense->place[i].along & dense->closed, planes, now, h);
}

KG_INLINE bool predict_crossed(kugel_world *world, uint32_t i, uint32_t face, double now, double h, bool wide)
{
    const kg_dense *dense = &world->grid->dense;
    return predict_near(world, i, face, now, h, wide) &&
           predict_others(world, i, dense->place[i].along & dense->closed & 1u << face, 0, now, h);
}

/* ---- one for each width; no function holds both, or each call would pay for the registers of the larger ---- */

#ifdef KG_AVX2
KG_AVX2 static bool predict_all_avx2(kugel_world *world, uint32_t i, double now, double h, bool later_only)
{
    return predict_all(world, i, now, h, later_only, true);
}

KG_AVX2 static bool predict_crossed_avx2(kugel_world *world, uint32_t i, uint32_t face, double now, double h)
{
    return predict_crossed(world, i, face, now, h, true);
}

KG_AVX2 static uint32_t filter_avx2(const kg_traces *t, uint32_t i, uint32_t *entry, uint32_t count, double now)
{
    return kg_filter_eights(t, i, entry, count, now, true);
}
#endif

static __attribute__((noinline)) bool predict_all_any(kugel_world *world, uint32_t i, double now, double h, bool later_only)
{
    return predict_all(world, i, now, h, later_only, false);
}

static __attribute__((noinline)) bool predict_crossed_any(kugel_world *world, uint32_t i, uint32_t face, double now, double h)
{
    return predict_crossed(world, i, face, now, h, false);
}

static uint32_t filter_any(const kg_traces *t, uint32_t i, uint32_t *entry, uint32_t count, double now)
{
    return kg_filter_eights(t, i, entry, count, now, false);
}

#ifdef KG_AVX2
#define WIDEST(name) (KG_HAS_AVX2 ? name##_avx2 : name##_any)
#else
#define WIDEST(name) name##_any
#endif

bool kg_predict_in_cells(kugel_world *world, uint32_t i, double now, double h, bool later_only)
{
    return WIDEST(predict_all)(world, i, now, h, later_only);
}

bool kg_predict_crossed(kugel_world *world, uint32_t i, uint32_t face, double now, double h)
{
    return WIDEST(predict_crossed)(world, i, face, now, h);
}

uint32_t kg_filter_traces(const kugel_world *world, uint32_t i, uint32_t *entry, uint32_t count, double now)
{
    return WIDEST(filter)(&world->impact->traces, i, entry, count, now);
}
#undef WIDEST
