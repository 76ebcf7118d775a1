#include "world/sensor_pair.h"

#include <math.h>

#include "geometry/ballistic.h"
#include "geometry/sweep.h"
#include "world/world.h"

/* Of the places as they are, in whatever images. */
static kg_sight look(const kugel_world *world, uint32_t s, uint32_t b, double T)
{
    const kg_work *work = &world->work;
    double p[3], q[3], as[3], ab[3];
    kg_sight out = {.reach = work->motion[s].radius + work->motion[b].radius, .T = T};
    kg_place_at(work, s, T, p);
    kg_place_at(work, b, T, q);
    kg_acceleration(work, s, as);
    kg_acceleration(work, b, ab);
    for (int k = 0; k < 3; ++k) {
        out.a[k] = ab[k] - as[k];
        out.w[k] = work->motion[b].v[k] - work->motion[s].v[k] + out.a[k] * T;
        out.d[k] = q[k] - p[k];
    }
    return out;
}

/* 0: the axis is not periodic. */
static double period(const kugel_world *world, int axis)
{
    const kugel_bounds *bounds = &world->def.bounds;
    return bounds->faces[2 * axis] == KUGEL_FACE_PERIODIC ? bounds->max[axis] - bounds->min[axis] : 0;
}

kg_sight kg_look(const kugel_world *world, uint32_t s, uint32_t b, double T)
{
    kg_sight out = look(world, s, b, T);
    for (int k = 0; k < 3; ++k) out.d[k] = kg_world_nearest(world, k, out.d[k]);
    return out;
}

bool kg_sight_overlaps(const kg_sight *v)
{
    return v->d[0] * v->d[0] + v->d[1] * v->d[1] + v->d[2] * v->d[2] <= v->reach * v->reach;
}

static kg_sight later(const kg_sight *v, double by)
{
    kg_sight out = *v;
    out.T += by;
    for (int k = 0; k < 3; ++k) {
        out.d[k] += v->w[k] * by + 0.5 * v->a[k] * by * by;
        out.w[k] += v->a[k] * by;
    }
    return out;
}

/* First touch within `horizon`, or the last one before, in time turned round. */
static double sweep(const kg_sight *v, double horizon, bool back)
{
    double w[3];
    for (int k = 0; k < 3; ++k) w[k] = back ? -v->w[k] : v->w[k];
    bool straight = v->a[0] == 0 && v->a[1] == 0 && v->a[2] == 0;
    return straight ? kg_sweep_spheres(v->d, w, v->reach, horizon)
                    : kg_sweep_spheres_ballistic(v->d, w, v->a, v->reach, horizon);
}

/* ---- one image ---- */

static double cubic(const double c[4], double t) { return c[0] + t * (c[1] + t * (c[2] + t * c[3])); }

/* When the distance is greatest between two approaches, which only a bent way has; 0: never. Half the slope of
 * its square is d.w, a cubic that falls only between the zeros of its own slope, |w|^2 + d.a. */
static double find_farthest(const kg_sight *v, double span)
{
    double dw = 0, ww = 0, da = 0, wa = 0, aa = 0;
    for (int k = 0; k < 3; ++k) {
        dw += v->d[k] * v->w[k];
        ww += v->w[k] * v->w[k];
        da += v->d[k] * v->a[k];
        wa += v->w[k] * v->a[k];
        aa += v->a[k] * v->a[k];
    }
    double square = 9 * wa * wa - 6 * aa * (ww + da), c[4] = {dw, ww + da, 1.5 * wa, 0.5 * aa};
    if (!(square > 0)) return 0;
    double low = (-3 * wa - sqrt(square)) / (3 * aa), high = (-3 * wa + sqrt(square)) / (3 * aa);
    low = low > 0 ? low : 0;
    high = high < span ? high : span;
    if (!(cubic(c, low) > 0 && cubic(c, high) < 0)) return 0;
    for (int halving = 0; halving < 64; ++halving) {
        double middle = 0.5 * (low + high);
        if (cubic(c, middle) > 0) low = middle;
        else high = middle;
    }
    return low;
}

static void add(kg_stays *stays, const kg_stay *item)
{
    int k = stays->count++;
    for (; k > 0 && stays->items[k - 1].in.T > item->in.T; --k) stays->items[k] = stays->items[k - 1];
    stays->items[k] = *item;
}

/* The last touch before a time out of reach, and not before `entry`. */
static kg_sight find_exit(const kg_sight *outside, double span, double entry)
{
    double by = sweep(outside, span, true);
    kg_sight out = later(outside, by == KG_NEVER || outside->T - by < entry ? entry - outside->T : -by);
    if (out.T < entry) out.T = entry;
    return out;
}

/* From the first entry to the last exit; a bent way may be out of reach in between. */
static void add_parts(kg_stays *stays, kg_stay *whole)
{
    double span = whole->out.T - whole->in.T, top = find_farthest(&whole->in, span);
    kg_sight between = later(&whole->in, top);
    double by = top == 0 || kg_sight_overlaps(&between) ? KG_NEVER : sweep(&between, span - top, false);
    if (by != KG_NEVER) {
        kg_stay before = {.in = whole->in, .out = find_exit(&between, top, whole->in.T)};
        add(stays, &before);
        whole->in = later(&between, by);
    }
    add(stays, whole);
}

static void find_image(kg_stays *stays, const kg_sight *first, const kg_sight *last)
{
    double span = last->T - first->T, by = kg_sight_overlaps(first) ? 0 : sweep(first, span, false);
    bool lasts = kg_sight_overlaps(last);
    if (by == KG_NEVER && !lasts) return;
    kg_stay whole = {.in = by == KG_NEVER ? *last : later(first, by), .out = *last, .lasts = lasts};
    if (!lasts) whole.out = find_exit(last, span, whole.in.T);
    add_parts(stays, &whole);
}

/* ---- all images ---- */

/* Images along an axis, from ... to lengths away, that the way can bring within reach. Centres cross periodic
 * faces between ways, not on them: the two are never much more than a length apart, and one image on either
 * side is enough. A parabola leaves its chord by up to |a| t^2 / 8. */
static void find_images(const kg_sight *first, const kg_sight *last, int axis, double length, int *from, int *to)
{
    double p = first->d[axis], q = last->d[axis], t = last->T - first->T;
    double wide = first->reach + 0.125 * fabs(first->a[axis]) * t * t + 1e-9 * length;
    double low = (p < q ? p : q) - wide, high = (p < q ? q : p) + wide;
    *from = *to = 0;
    if (length == 0) return;
    *from = -1, *to = 1;
    while (*from <= 1 && high + *from * length < 0) ++*from;
    while (*to >= -1 && low + *to * length > 0) --*to;
}

void kg_find_stays(const kugel_world *world, uint32_t s, uint32_t b, double from, double to, kg_stays *stays)
{
    kg_sight first = look(world, s, b, from), last = look(world, s, b, to);
    int low[3], high[3], n[3];
    double length[3];
    stays->count = 0;
    for (int k = 0; k < 3; ++k) {
        length[k] = period(world, k);
        find_images(&first, &last, k, length[k], &low[k], &high[k]);
        if (low[k] > high[k]) return;
    }
    for (n[0] = low[0]; n[0] <= high[0]; ++n[0]) {
        for (n[1] = low[1]; n[1] <= high[1]; ++n[1]) {
            for (n[2] = low[2]; n[2] <= high[2]; ++n[2]) {
                kg_sight p = first, q = last;
                for (int k = 0; k < 3; ++k) {
                    p.d[k] += n[k] * length[k];
                    q.d[k] += n[k] * length[k];
                }
                find_image(stays, &p, &q);
            }
        }
    }
}
