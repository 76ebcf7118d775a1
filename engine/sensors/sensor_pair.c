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

/* The motion of a body relative to a sensor that is a body, at one time. */
typedef struct relative_motion {
    double d[3];  /* m, from the sensor's centre to the body's */
    double w[3];  /* m/s, velocity */
    double a[3];  /* m/s^2, acceleration */
    double reach; /* m, sum of the radii */
    double T;     /* s in the substep */
} relative_motion;

/* The path from the entry to the exit of an overlap. */
typedef struct passage {
    relative_motion in, out;
    bool continues;
} passage;

/* The relative motion from the stored positions, which may be in different periodic images. */
static relative_motion motion_of_stored_positions(const kugel_world *world, uint32_t s, uint32_t b,
                                                  double T)
{
    const kg_work *work = &world->work;
    double p[3], q[3], as[3], ab[3];
    relative_motion out = {.reach = work->motion[s].radius + work->motion[b].radius, .T = T};
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

static bool is_overlap(const relative_motion *v)
{
    return kg_dot3(v->d, v->d) <= v->reach * v->reach;
}

static kg_sensor_meeting meeting_of(const kugel_world *world, uint32_t s, const relative_motion *v)
{
    static const double up[3] = {0, 0, 1};
    kg_sensor_meeting m = {.T = v->T};
    kg_normalize3(m.normal, v->d, up);
    kg_work_position_at(&world->work, s, v->T, m.point);
    kg_add_scaled3(m.point, m.point, world->work.motion[s].radius, m.normal);
    m.speed = -kg_dot3(v->w, m.normal);
    return m;
}

kg_sensor_meeting kg_sensor_pair_meeting(const kugel_world *world, uint32_t s, uint32_t b, double T,
                                         double ends)
{
    if (kg_sensor_is_surface(s))
        return kg_sensor_surface_meeting(world, kg_sensor_surface_of(world, s), b, T, ends);
    relative_motion v = motion_of_stored_positions(world, s, b, T);
    for (int k = 0; k < 3; ++k) v.d[k] = kg_periodic_nearest_image(world, k, v.d[k]);
    return meeting_of(world, s, &v);
}

bool kg_sensor_pair_overlaps(const kugel_world *world, uint32_t s, uint32_t b, double T,
                             double ends, double depth)
{
    if (kg_sensor_is_surface(s))
        return kg_sensor_surface_meeting(world, kg_sensor_surface_of(world, s), b, T, ends).gap <=
               -depth;
    relative_motion v = motion_of_stored_positions(world, s, b, T);
    for (int k = 0; k < 3; ++k) v.d[k] = kg_periodic_nearest_image(world, k, v.d[k]);
    v.reach -= depth;
    return is_overlap(&v);
}

/* A path is at most |a| t^2 / 8 off its chord, and the distance from a chord's points at most that
 * from one of its ends. */
bool kg_sensor_pair_stays(const kugel_world *world, uint32_t s, uint32_t b, double from, double to)
{
    if (kg_sensor_is_surface(s)) return false;
    relative_motion p = motion_of_stored_positions(world, s, b, from),
                    q = motion_of_stored_positions(world, s, b, to);
    double bow = 0.125 * kg_length3(p.a) * (to - from) * (to - from),
           within = p.reach * (1 - 1e-9) - bow;
    return within > 0 && kg_max(kg_dot3(p.d, p.d), kg_dot3(q.d, q.d)) < within * within;
}

static relative_motion advanced_by(const relative_motion *v, double time)
{
    relative_motion out = *v;
    out.T += time;
    for (int k = 0; k < 3; ++k) {
        out.d[k] += v->w[k] * time + 0.5 * v->a[k] * time * time;
        out.w[k] += v->a[k] * time;
    }
    return out;
}

/* The time from v to the first touch in the next `horizon` s, or KG_NEVER. With `back`, the time
 * from the last touch in the `horizon` s before v to v. */
static double time_to_touch(const relative_motion *v, double horizon, bool back)
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
static double find_farthest_time(const relative_motion *v, double span)
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

/* A search for the overlaps of a pair. */
typedef struct search {
    const kugel_world *world;
    uint32_t sensor;
    kg_sensor_overlaps *overlaps;
} search;

/* Insert an overlap in the order of times of entry. */
static void insert(const search *f, const passage *p)
{
    kg_sensor_overlaps *all = f->overlaps;
    int k = all->count++;
    for (; k > 0 && all->items[k - 1].in.T > p->in.T; --k) all->items[k] = all->items[k - 1];
    all->items[k] = (kg_sensor_overlap){.in = meeting_of(f->world, f->sensor, &p->in),
                                        .out = meeting_of(f->world, f->sensor, &p->out),
                                        .continues = p->continues};
}

/* The exit: the last touch in the `span` s before the motion `outside`, at which the two are apart.
 * It is at the time `entry` or later. */
static relative_motion find_exit(const relative_motion *outside, double span, double entry)
{
    double by = time_to_touch(outside, span, true);
    relative_motion out =
        advanced_by(outside, by == KG_NEVER || outside->T - by < entry ? entry - outside->T : -by);
    if (out.T < entry) out.T = entry;
    return out;
}

/* Add the overlap from the first entry to the last exit, as two overlaps if the body leaves the
 * sensor in between. */
static void add_overlap(const search *f, passage *whole)
{
    double span = whole->out.T - whole->in.T, top = find_farthest_time(&whole->in, span);
    relative_motion between = advanced_by(&whole->in, top);
    double by =
        top == 0 || is_overlap(&between) ? KG_NEVER : time_to_touch(&between, span - top, false);
    if (by != KG_NEVER) {
        passage before = {.in = whole->in, .out = find_exit(&between, top, whole->in.T)};
        insert(f, &before);
        whole->in = advanced_by(&between, by);
    }
    insert(f, whole);
}

/* Add the overlaps with one image, on the path from `first` to `last`. */
static void find_image_overlaps(const search *f, const relative_motion *first,
                                const relative_motion *last)
{
    double span = last->T - first->T,
           by = is_overlap(first) ? 0 : time_to_touch(first, span, false);
    bool continues = is_overlap(last);
    if (by == KG_NEVER && !continues) return;
    passage whole = {.in = by == KG_NEVER ? *last : advanced_by(first, by),
                     .out = *last,
                     .continues = continues};
    if (!continues) whole.out = find_exit(last, span, whole.in.T);
    add_overlap(f, &whole);
}

/* The images along an axis that the path can bring within reach: those displaced by *from ... *to
 * lengths. Centres cross periodic faces only between paths. So the two centres are hardly more than
 * a length apart, and one image on either side is enough. A parabola is up to |a| t^2 / 8 off its
 * chord. */
static void find_image_range(const relative_motion *first, const relative_motion *last, int axis,
                             double length, int *from, int *to)
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
    if (kg_sensor_is_surface(s)) {
        kg_sensor_surface_find_overlaps(world, kg_sensor_surface_of(world, s), b, from, to,
                                        overlaps);
        return;
    }
    search f = {world, s, overlaps};
    relative_motion first = motion_of_stored_positions(world, s, b, from),
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
                relative_motion p = first, q = last;
                for (int k = 0; k < 3; ++k) {
                    p.d[k] += n[k] * length[k];
                    q.d[k] += n[k] * length[k];
                }
                find_image_overlaps(&f, &p, &q);
            }
        }
    }
}
