/* Times at which a body enters and leaves a solid surface.
 * In: a surface that is a sensor, the path of a body. Out: overlaps, by time. How: see `find`.
 * Overlaps shorter than 2^-24 of the path may be missed, and those of surfaces that turn many times
 * in a path. Cost: two distances where bounds decide, about a hundred for a change of side. */
#include "base/vec.h"
#include "sensors/sensor_pair.h"
#include "world/surface_tree.h"

enum { DEPTH = 24, MOST_GAPS = 4096 };

/* The gap of a body, m, and its rate of change, m/s, at a time. */
typedef struct gap {
    double T, g, rate;
} gap;

typedef struct search {
    const kugel_world *world;
    const kg_surface *surface;
    uint32_t b;
    double bend; /* m/s^2, A */
    kg_sensor_overlaps *overlaps;
    bool inside; /* at the time that the search has reached */
    int gaps;    /* number of gaps found so far */
} search;

/* The velocity of the surface at a point in a pose. */
static void velocity_at(const kg_surface *surface, const kg_pose *pose, const double point[3],
                        double velocity[3])
{
    double arm[3];
    kg_sub3(arm, point, pose->origin);
    kg_cross3(velocity, surface->spin, arm);
    kg_add_scaled3(velocity, velocity, 1, surface->velocity);
}

kg_sensor_meeting kg_sensor_surface_meeting(const kugel_world *world, const kg_surface *surface,
                                            uint32_t b, double T, double ends)
{
    kg_sensor_meeting m = {.T = T};
    double x[3], v[3], own[3], height;
    kg_pose moved;
    const kg_pose *pose = &moved;
    if (ends > 0) moved = kg_surface_pose_at_tick_end(surface, ends);
    else pose = kg_surface_pose_at(surface, T, &moved);
    kg_work_position_at(&world->work, b, T, x);
    kg_work_velocity_at(&world->work, b, T, v);
    height = kg_surface_height(surface, pose, x, m.normal);
    velocity_at(surface, pose, x, own);
    kg_sub3(v, v, own);
    kg_add_scaled3(m.point, x, -height, m.normal);
    m.speed = -kg_dot3(m.normal, v);
    m.gap = height - world->work.motion[b].radius;
    return m;
}

static gap gap_at(search *f, double T)
{
    f->gaps += 1;
    kg_sensor_meeting m = kg_sensor_surface_meeting(f->world, f->surface, f->b, T, 0);
    return (gap){T, m.gap, -m.speed};
}

/* A bound of the acceleration of the body in the frame of the surface between two times. */
static double bend_of(const search *f, double from, double to)
{
    const kg_surface *s = f->surface;
    double x[3], v[3], a[3], spin = kg_length3(s->spin), span = to - from;
    kg_pose moved;
    kg_work_acceleration(&f->world->work, f->b, a);
    double pull = kg_length3(a);
    if (spin == 0) return pull;
    kg_work_position_at(&f->world->work, f->b, from, x);
    kg_work_velocity_at(&f->world->work, f->b, from, v);
    kg_sub3(x, x, kg_surface_pose_at(s, from, &moved)->origin);
    kg_sub3(v, v, s->velocity);
    double speed = kg_length3(v) + pull * span, far = kg_length3(x) + speed * span;
    return (pull + 2 * spin * (speed + spin * far) + spin * spin * far) * (1 + 1e-9);
}

/* Note that the body changes sides at a time. */
static void cross(search *f, double T)
{
    kg_sensor_overlaps *all = f->overlaps;
    kg_sensor_meeting m = kg_sensor_surface_meeting(f->world, f->surface, f->b, T, 0);
    if (f->inside) all->items[all->count++].out = m;
    else if (all->count == KG_SENSOR_OVERLAPS) return;
    else all->items[all->count] = (kg_sensor_overlap){.in = m};
    f->inside = !f->inside;
}

/* True if the bounds say that the body does not change sides between two times with equal sides. */
static bool stays(const search *f, const gap *l, const gap *r)
{
    double span = r->T - l->T, bow = f->bend * span * span;
    if (l->g <= 0) return kg_max(l->g, r->g) + bow / 8 <= 0;
    double least = l->g;
    if (r->rate <= 0) least = r->g;
    else if (l->rate < 0) { /* where the tangents meet */
        double at = (r->g - r->rate * span - l->g) / (l->rate - r->rate);
        at = kg_min(kg_max(at, 0), span);
        least = kg_max(l->g + l->rate * at, r->g - r->rate * (span - at));
    }
    return least - bow / 2 > 0;
}

/* Find the changes of sides between two times. Let g be the distance of the centre from the surface
 * less the radius, along the path in the frame of the surface. The distance is convex, so
 * g + A t^2 / 2 is convex, where A bounds the acceleration in the frame. Hence g is at most its
 * chord + A t^2 / 8, and at least its tangents - A t^2 / 2. An interval where neither bound decides
 * is halved; one with a change of side is bisected to the last bit. */
static void find(search *f, gap l, gap r, int depth)
{
    double T = 0.5 * (l.T + r.T);
    if ((l.g <= 0) == (r.g <= 0)) {
        if (depth >= DEPTH || f->gaps > MOST_GAPS || !(T > l.T && T < r.T) || stays(f, &l, &r))
            return;
        gap middle = gap_at(f, T);
        find(f, l, middle, depth + 1);
        find(f, middle, r, depth + 1);
        return;
    }
    gap from = l, to = r;
    for (; T > from.T && T < to.T; T = 0.5 * (from.T + to.T)) {
        gap middle = gap_at(f, T);
        if ((middle.g <= 0) == (l.g <= 0)) from = middle;
        else to = middle;
    }
    find(f, l, from, depth + 1);
    cross(f, to.T);
    find(f, to, r, depth + 1);
}

void kg_sensor_surface_find_overlaps(const kugel_world *world, const kg_surface *surface,
                                     uint32_t b, double from, double to,
                                     kg_sensor_overlaps *overlaps)
{
    search f = {.world = world, .surface = surface, .b = b, .overlaps = overlaps};
    overlaps->count = 0;
    f.bend = bend_of(&f, from, to);
    gap first = gap_at(&f, from), last = gap_at(&f, to);
    if (first.g <= 0) cross(&f, from);
    find(&f, first, last, 0);
    if (!f.inside) return;
    cross(&f, to);
    overlaps->items[overlaps->count - 1].continues = true;
}

bool kg_sensor_surface_box(const kg_surface *surface, double h, double low[3], double high[3])
{
    if (kg_is_zero3(surface->spin)) return kg_surface_bounding_box(surface, h, low, high);
    const double *origin = surface->pose.origin;
    double extent = kg_surface_extent(surface),
           wide = (1 + 1e-9) * (extent + kg_length3(surface->velocity) * h) +
                  1e-12 * kg_max_abs3(origin);
    for (int k = 0; k < 3; ++k) low[k] = origin[k] - wide, high[k] = origin[k] + wide;
    return extent < KG_VALUE_LIMIT;
}
