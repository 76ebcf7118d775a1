/* Times at which a body enters and leaves a sensor.
 * In: two motions, a range of time. Out: overlaps, by time of entry.
 * How: for each periodic image a forward sweep finds the first entry, and a backward sweep from the
 * end finds the last exit. On a parabola the body may leave the sensor and come back in between;
 * the overlap is then split at the farthest point. Cost: two sweeps for each image; four where it
 * splits. */
#include "sensors/sensor_pair.h"

#include "base/vec.h"
#include "geometry/sweep_ballistic.h"
#include "geometry/sweep_linear.h"
#include "world/periodic.h"

/* The relative motion from the stored positions, which may be in different periodic images. */
static kg_relative_motion motion_of_stored_positions(const kugel_world *world, uint32_t s,
                                                     uint32_t b, double T)
{
    const kg_work *work = &world->work;
    double p[3], q[3], as[3], ab[3];
    kg_relative_motion out = {.reach = work->motion[s].radius + work->motion[b].radius, .T = T};
    kg_work_position_at(work, s, T, p);
    kg_work_position_at(work, b, T, q);
    kg_work_acceleration(work, s, as);
    kg_work_acceleration(work, b, ab);
    for (int k = 0; k < 3; ++k) {
        out.a[k] = ab[k] - as[k];
        out.w[k] = work->motion[b].v[k] - work->motion[s].v[k] + out.a[k] * T;
        out.d[k] = q[k] - p[k];
    }
    return out;
}

kg_relative_motion kg_sensor_pair_motion(const kugel_world *world, uint32_t s, uint32_t b, double T)
{
    kg_relative_motion out = motion_of_stored_positions(world, s, b, T);
    for (int k = 0; k < 3; ++k) out.d[k] = kg_periodic_nearest_image(world, k, out.d[k]);
    return out;
}

bool kg_sensor_pair_overlaps(const kg_relative_motion *v)
{
    return kg_dot3(v->d, v->d) <= v->reach * v->reach;
}

static kg_relative_motion advanced_by(const kg_relative_motion *v, double time)
{
    kg_relative_motion out = *v;
    out.T += time;
    for (int k = 0; k < 3; ++k) {
        out.d[k] += v->w[k] * time + 0.5 * v->a[k] * time * time;
        out.w[k] += v->a[k] * time;
    }
    return out;
}

/* The time from v to the first touch in the next `horizon` s, or KG_NEVER. With `back`, the time
 * from the last touch in the `horizon` s before v to v. */
static double time_to_touch(const kg_relative_motion *v, double horizon, bool back)
{
    double w[3];
    for (int k = 0; k < 3; ++k) w[k] = back ? -v->w[k] : v->w[k];
    return kg_is_zero3(v->a) ? kg_sweep_spheres(v->d, w, v->reach, horizon)
                             : kg_sweep_spheres_ballistic(v->d, w, v->a, v->reach, horizon);
}

static double cubic(const double c[4], double t)
{
    return c[0] + t * (c[1] + t * (c[2] + t * c[3]));
}

/* The time from v, up to `span` s, at which the distance on a parabola has a maximum; 0 if there is
 * none. Half the derivative of the squared distance is d.w, a cubic in time. It falls only between
 * the zeros of its derivative, |w|^2 + d.a. */
static double find_farthest_time(const kg_relative_motion *v, double span)
{
    double dw = kg_dot3(v->d, v->w), ww = kg_dot3(v->w, v->w), da = kg_dot3(v->d, v->a);
    double wa = kg_dot3(v->w, v->a), aa = kg_dot3(v->a, v->a);
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

/* Insert an overlap in the order of times of entry. */
static void insert(kg_sensor_overlaps *overlaps, const kg_sensor_overlap *item)
{
    int k = overlaps->count++;
    for (; k > 0 && overlaps->items[k - 1].in.T > item->in.T; --k)
        overlaps->items[k] = overlaps->items[k - 1];
    overlaps->items[k] = *item;
}

/* The exit: the last touch in the `span` s before the motion `outside`, at which the two are apart.
 * It is at the time `entry` or later. */
static kg_relative_motion find_exit(const kg_relative_motion *outside, double span, double entry)
{
    double by = time_to_touch(outside, span, true);
    kg_relative_motion out =
        advanced_by(outside, by == KG_NEVER || outside->T - by < entry ? entry - outside->T : -by);
    if (out.T < entry) out.T = entry;
    return out;
}

/* Add the overlap from the first entry to the last exit, as two overlaps if the body leaves the
 * sensor in between. */
static void add_overlap(kg_sensor_overlaps *overlaps, kg_sensor_overlap *whole)
{
    double span = whole->out.T - whole->in.T, top = find_farthest_time(&whole->in, span);
    kg_relative_motion between = advanced_by(&whole->in, top);
    double by = top == 0 || kg_sensor_pair_overlaps(&between)
                    ? KG_NEVER
                    : time_to_touch(&between, span - top, false);
    if (by != KG_NEVER) {
        kg_sensor_overlap before = {.in = whole->in, .out = find_exit(&between, top, whole->in.T)};
        insert(overlaps, &before);
        whole->in = advanced_by(&between, by);
    }
    insert(overlaps, whole);
}

/* Add the overlaps with one image, on the path from `first` to `last`. */
static void find_image_overlaps(kg_sensor_overlaps *overlaps, const kg_relative_motion *first,
                                const kg_relative_motion *last)
{
    double span = last->T - first->T,
           by = kg_sensor_pair_overlaps(first) ? 0 : time_to_touch(first, span, false);
    bool continues = kg_sensor_pair_overlaps(last);
    if (by == KG_NEVER && !continues) return;
    kg_sensor_overlap whole = {.in = by == KG_NEVER ? *last : advanced_by(first, by),
                               .out = *last,
                               .continues = continues};
    if (!continues) whole.out = find_exit(last, span, whole.in.T);
    add_overlap(overlaps, &whole);
}

/* The images along an axis that the path can bring within reach: those displaced by *from ... *to
 * lengths. Centres cross periodic faces only between paths. So the two centres are hardly more than
 * a length apart, and one image on either side is enough. A parabola is up to |a| t^2 / 8 off its
 * chord. */
static void find_image_range(const kg_relative_motion *first, const kg_relative_motion *last,
                             int axis, double length, int *from, int *to)
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

void kg_sensor_pair_find_overlaps(const kugel_world *world, uint32_t s, uint32_t b, double from,
                                  double to, kg_sensor_overlaps *overlaps)
{
    kg_relative_motion first = motion_of_stored_positions(world, s, b, from),
                       last = motion_of_stored_positions(world, s, b, to);
    int low[3], high[3], n[3];
    double length[3];
    overlaps->count = 0;
    for (int k = 0; k < 3; ++k) {
        length[k] = kg_periodic_length(world, k);
        find_image_range(&first, &last, k, length[k], &low[k], &high[k]);
        if (low[k] > high[k]) return;
    }
    for (n[0] = low[0]; n[0] <= high[0]; ++n[0]) {
        for (n[1] = low[1]; n[1] <= high[1]; ++n[1]) {
            for (n[2] = low[2]; n[2] <= high[2]; ++n[2]) {
                kg_relative_motion p = first, q = last;
                for (int k = 0; k < 3; ++k) {
                    p.d[k] += n[k] * length[k];
                    q.d[k] += n[k] * length[k];
                }
                find_image_overlaps(overlaps, &p, &q);
            }
        }
    }
}
