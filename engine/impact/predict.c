/* Predictions: the next time at which a body meets a neighbour or a boundary, crosses a periodic
 * face, or leaves its skin. Two bodies are compared at the later of their clocks, so the time does
 * not depend on when the prediction is made. Also the predictor for Verlet lists. */
#include <math.h>

#include "base/compiler.h"
#include "geometry/sweep_ballistic.h"
#include "geometry/sweep_linear.h"
#include "impact/predict.h"
#include "resting/resting.h"
#include "world/growth.h"

/* Separation and relative velocity of j from i at time T, in their common frame. */
static inline void relative(const kg_motion *mi, const kg_motion *mj, double T, double d[3],
                            double w[3])
{
    double di = T - mi->clock, dj = T - mj->clock;
    for (int k = 0; k < 3; ++k) {
        d[k] = (mj->x[k] + mj->v[k] * dj) - (mi->x[k] + mi->v[k] * di);
        w[k] = mj->v[k] - mi->v[k];
    }
}

/* Find the acceleration of j relative to i, m/s^2. False when it is zero; `a` may be unset then. */
static inline bool relative_acceleration(const kg_work *work, uint32_t i, uint32_t j, double a[3])
{
    uint8_t fi = work->frame[i], fj = work->frame[j];
    if (fi == fj && fi < KG_FRAME_PER_BODY) return false;
    double ai[3], aj[3];
    kg_work_acceleration(work, i, ai);
    kg_work_acceleration(work, j, aj);
    kg_sub3(a, aj, ai);
    return !kg_is_zero3(a);
}

/* True when the bodies, `s` seconds after (d, w), approach at `limit` (m/s) or less: a resting
 * contact, or what rounding left of an impact at this time. */
static bool is_resting_approach(const double d[3], const double w[3], const double a[3], double s,
                                double limit)
{
    double approach = 0, distance = 0;
    for (int k = 0; k < 3; ++k) {
        double dk = d[k] + w[k] * s + 0.5 * a[k] * s * s;
        approach -= dk * (w[k] + a[k] * s);
        distance += dk * dk;
    }
    return approach <= limit * sqrt(distance);
}

/* m/s; the products of slower approaches with short distances underflow. */
static const double least_approach = 1e-140;

/* Bound of the rounding error of a body's velocity at t, in its frame and in the world's, m/s. An
 * impact with a smaller approach would be predicted again and again. */
static double velocity_tolerance_of(const kg_work *work, uint32_t i, double t)
{
    double a[3], sum = 0;
    kg_work_acceleration(work, i, a);
    for (int k = 0; k < 3; ++k) sum += fabs(work->motion[i].v[k]) + fabs(a[k]) * t;
    return KG_APPROACH_TOLERANCE * sum + least_approach;
}

/* True when the accelerations press the two together by more than rounding. */
static bool is_pulled(const double d[3], const double a[3])
{
    return kg_dot3(d, a) < -1e-9 * sqrt(kg_dot3(d, d) * kg_dot3(a, a));
}

/* Time after T until a pair whose radii grow touches, or KG_NEVER. With the relative rate g of the
 * reach, |d + w t| = reach (1 + g t) is |d + (w - g d) s| = reach at s = t / (1 + g t): without
 * acceleration a sweep with a constant reach. `w` becomes w - g d, so that d.w is the rate at which
 * the gap closes. */
static double sweep_growing(const kugel_world *world, uint32_t i, uint32_t j, double T,
                            const double d[3], double w[3], const double *a, double horizon)
{
    double reach = kg_growth_radius(world, i, T) + kg_growth_radius(world, j, T),
           speed = kg_growth_speed(world, i) + kg_growth_speed(world, j), g = speed / reach, t;
    if (a) t = kg_sweep_growing_spheres(d, w, a, reach, speed, horizon);
    kg_add_scaled3(w, w, -g, d);
    if (a) return t;
    double s = kg_sweep_spheres(d, w, reach, horizon / (1 + g * horizon));
    return s == KG_NEVER ? s : s / (1 - g * s);
}

/* predict_pair for the rare cases: different accelerations, resting, touching and growing pairs.
 * Resting pairs have the radii of the tick's end: position correction makes room. */
static KG_NOINLINE double predict_special(const kugel_world *world, uint32_t i, uint32_t neighbour,
                                          double T, double d[3], double w[3], double h)
{
    const kg_work *work = &world->work;
    uint32_t j = neighbour & KG_NEIGHBOUR_SLOT;
    const kg_motion *mi = &work->motion[i], *mj = &work->motion[j];
    double a[3] = {0, 0, 0}, reach = mi->radius + mj->radius, s;
    bool resting = neighbour & KG_NEIGHBOUR_RESTING, accelerates;
    if ((accelerates = relative_acceleration(work, i, j, a))) {
        for (int k = 0; k < 3; ++k) {
            d[k] += 0.5 * a[k] * T * T;
            w[k] += a[k] * T;
        }
    }
    if (work->growth.rate > 0 && !resting)
        s = sweep_growing(world, i, j, T, d, w, accelerates ? a : NULL, h - T);
    else if (accelerates) s = kg_sweep_spheres_ballistic(d, w, a, reach, h - T);
    else s = kg_sweep_spheres(d, w, reach, h - T);
    if (s == KG_NEVER) return KG_NEVER;
    if (s == 0 || resting) {
        double radius = kg_min(mi->radius, mj->radius);
        double limit =
            velocity_tolerance_of(work, i, T + s) + velocity_tolerance_of(work, j, T + s);
        if (resting)
            limit = kg_max(limit, kg_max(kg_resting_collision_speed(world, i, radius),
                                         kg_resting_collision_speed(world, j, radius)));
        if (kg_resting_is_exhausted(world, i) || kg_resting_is_exhausted(world, j)) return KG_NEVER;
        /* a pair at relative rest has an event only if it is pressed together: the event begins or
         * continues a resting contact */
        if (is_resting_approach(d, w, a, s, limit)) return is_pulled(d, a) ? T + s : KG_NEVER;
    }
    return T + s;
}

/* Time of impact of a pair, or KG_NEVER. The fast path here suffices for most pairs, which separate
 * or miss. */
static inline double predict_pair(const kugel_world *world, uint32_t i, uint32_t neighbour,
                                  double h)
{
    const kg_work *work = &world->work;
    uint32_t j = neighbour & KG_NEIGHBOUR_SLOT, image = neighbour >> KG_NEIGHBOUR_IMAGE_SHIFT;
    const kg_motion *mi = &work->motion[i], *mj = &work->motion[j];
    double T = mi->clock > mj->clock ? mi->clock : mj->clock;
    double d[3], w[3];
    relative(mi, mj, T, d, w);
    if (image != KG_IMAGE_NONE) {
        double offset[3];
        kg_image_offset(world->grid->lattice, image, offset);
        for (int k = 0; k < 3; ++k) d[k] += offset[k];
    }
    bool special = (work->frame[i] | work->frame[j]) > KG_FRAME_GRAVITY ||
                   work->frame[i] != work->frame[j] || work->growth.rate > 0;
    if (special || (neighbour & KG_NEIGHBOUR_RESTING))
        return predict_special(world, i, neighbour, T, d, w, h);
    double s = kg_sweep_spheres(d, w, mi->radius + mj->radius, h - T);
    if (s == KG_NEVER) return KG_NEVER;
    return s > 0 ? T + s : predict_special(world, i, neighbour, T, d, w, h);
}

double kg_predict_pair(const kugel_world *world, uint32_t i, uint32_t neighbour, double h)
{
    return predict_pair(world, i, neighbour, h);
}

/* True if the body rests on the boundary or, if that is a facet, on another face in its plane. t: s
 * in the substep. */
static bool rests_on(const kugel_world *world, uint32_t i, kg_boundary boundary, double t)
{
    double x[3];
    if (kg_work_rests_on(&world->work, i, boundary)) return true;
    if (!kg_boundary_is_facet(boundary) || !world->work.contact_count[i]) return false;
    kg_work_position_at(&world->work, i, t, x);
    return kg_neighbours_rests_in_plane(world, i, boundary, t, x);
}

/* Time of the event that the sweep `hit` of a boundary found, or KG_NEVER where there is none, as
 * where the body rests on the boundary. `horizon`: time from the body's clock to the end of the
 * substep, s. */
static double boundary_event(const kugel_world *world, uint32_t i, kg_boundary boundary,
                             kg_boundary_impact hit, double horizon)
{
    const kg_motion *m = &world->work.motion[i];
    if (hit.time == KG_NEVER) return KG_NEVER;
    double left = horizon - hit.time,
           path = (hit.approach + 0.5 * kg_max(-hit.acceleration, 0) * left) * left;
    bool resting = rests_on(world, i, boundary, m->clock + hit.time), pulled = hit.acceleration < 0,
         exhausted = kg_resting_is_exhausted(world, i),
         may_enter = kg_resting_may_enter(world, i, path, m->radius);
    if (resting && hit.approach <= kg_resting_collision_speed(world, i, m->radius) &&
        (exhausted || !pulled) && may_enter)
        return KG_NEVER;
    double t = m->clock + hit.time, turning = kg_boundary_turn_speed_bound(world, boundary, m->x),
           tolerance = velocity_tolerance_of(&world->work, i, t) + KG_APPROACH_TOLERANCE * turning;
    bool at_rest = hit.approach <= tolerance;
    if (at_rest && exhausted && may_enter)
        return KG_NEVER; /* a graze without an impulse would be met again and again */
    /* A body at relative rest that is pulled to the boundary has an event, which begins a contact.
     * Without a pull it has none if it touches already, and none with a facet in any case: on the
     * border of two triangles of the facet rounding decides whether they touch, and the result
     * would depend on the list of near triangles. */
    if (at_rest && !pulled && (hit.time == 0 || kg_boundary_is_facet(boundary))) return KG_NEVER;
    return t;
}

static double predict_boundary(const kugel_world *world, uint32_t i, kg_boundary boundary, double h)
{
    const kg_motion *m = &world->work.motion[i];
    double a[3], horizon = h - m->clock, radius = m->radius, growth = 0;
    kg_work_acceleration(&world->work, i, a);
    if (world->work.growth.rate > 0 && !kg_work_rests_on(&world->work, i, boundary)) {
        radius = kg_growth_radius(world, i, m->clock);
        growth = kg_growth_speed(world, i);
    }
    kg_boundary_impact hit = kg_boundary_sweep(world, boundary, m, a, radius, growth, horizon);
    return boundary_event(world, i, boundary, hit, horizon);
}

/* Time at which the centre crosses a periodic face, or KG_NEVER. */
static double predict_crossing(const kugel_world *world, uint32_t i, kg_boundary face, double h)
{
    const kg_motion *m = &world->work.motion[i];
    double a[3];
    kg_work_acceleration(&world->work, i, a);
    double t = kg_boundary_sweep(world, face, m, a, 0, 0, h - m->clock).time;
    return t == KG_NEVER ? KG_NEVER : m->clock + t;
}

/* The code of bound_skin_exit, compiled with and without a drift of list origins. */
KG_INLINE double bound_exit(const kugel_world *world, uint32_t i, double from, double h,
                            bool drifts)
{
    const kg_motion *m = &world->work.motion[i];
    const kg_grid *grid = world->grid;
    const kg_list_origin *origin = &grid->origin[i];
    double drifted = from - grid->drift_from, a[3], pp = 0, pv = 0, vv = 0, aa = 0;
    if (kg_grid_is_unlisted(grid, i)) return KG_NEVER;
    kg_work_acceleration(&world->work, i, a);
    for (int k = 0; k < 3; ++k) {
        double p = m->x[k] + m->v[k] * (from - m->clock) + 0.5 * a[k] * from * from - origin->x[k];
        double v = m->v[k] + a[k] * from;
        if (drifts) p -= grid->drift[k] * drifted, v -= grid->drift[k];
        pp += p * p;
        pv += p * v;
        vv += v * v;
        aa += a[k] * a[k];
    }
    double rest = h - from, skin = grid->skin * (1 - 1e-6);
    /* a straight path is inside when both its ends are */
    if (aa == 0 && pp < skin * skin && pp + rest * (2 * pv + rest * vv) < skin * skin)
        return KG_NEVER;
    /* the path leaves its tangent by a s^2 / 2: shorten the skin by this bow, and the time if the
     * bow is too long */
    if (aa > 0) {
        double pull = aa < KG_NEVER ? sqrt(aa) : 2 * kg_max_abs3(a); /* squares may overflow */
        double bow = 0.5 * pull * rest * rest, most = (1 - KG_LIST_ORIGIN_OFFSET) / 2 * skin;
        if (bow > most) rest *= sqrt(most / bow), bow = most;
        skin -= bow;
    }
    double slack = skin * skin - pp;
    if (slack <= 0) return from;
    /* s must not be 0 for speeds whose squares underflow, or list refreshes would never end */
    double root = sqrt(pv * pv + vv * slack), s = pv < 0 ? (root - pv) / vv : slack / (root + pv);
    if (!(s < rest)) s = rest;
    return from + s < h ? from + s : KG_NEVER;
}

static KG_NOINLINE double bound_drifting_exit(const kugel_world *world, uint32_t i, double from,
                                              double h)
{
    return bound_exit(world, i, from, h, true);
}

/* Lower bound of the time at which the body leaves its skin, s, or KG_NEVER; `from` if it is
 * outside at `from`. */
static double bound_skin_exit(const kugel_world *world, uint32_t i, double from, double h)
{
    return world->grid->drift_path > 0 ? bound_drifting_exit(world, i, from, h)
                                       : bound_exit(world, i, from, h, false);
}

static bool push_if_due(kugel_world *world, double time, uint32_t a, uint32_t b, uint32_t kind)
{
    return time == KG_NEVER || kg_queue_push_predicted(world, time, a, b, kind);
}

bool kg_predict_boundaries(kugel_world *world, uint32_t i, kg_boundary_set near, double h)
{
    while (near) {
        kg_boundary k = kg_boundary_set_take(&near);
        bool periodic = kg_boundary_is_periodic(world, k);
        if (!periodic && world->bodies.mass[i] == 0)
            continue; /* kinematic bodies are not stopped */
        double t = periodic ? predict_crossing(world, i, k, h) : predict_boundary(world, i, k, h);
        if (!push_if_due(world, t, i, k, periodic ? KG_EVENT_CROSSING : KG_EVENT_BOUNDARY))
            return false;
    }
    return true;
}

/* True if the body rests on the facet, at the place where its contact was measured, and surely has
 * no event with it up to the sweep's end: boundary_event finds none for an approach so slow. The
 * margins are above the rounding of its approach, so that the result does not depend on whether
 * the measurement is known. */
static bool stays_on(const kugel_world *world, uint32_t i, kg_boundary facet,
                     const kg_triangle_sweep *sweep)
{
    const kg_motion *m = &world->work.motion[i];
    const kg_resting_feature *item =
        kg_resting_features_find(&world->work.resting_features, i, facet);
    if (!item || item->moves || m->clock > 0 || kg_boundary_is_curved(world, facet) ||
        !kg_resting_feature_is_measured_at(item, m->x))
        return false;
    double along = kg_dot3(sweep->a, item->normal), left = sweep->horizon,
           approach = kg_dot3(m->v, item->normal) + kg_max(along, 0) * left +
                      1e-9 * (kg_length3(m->v) + kg_length3(sweep->a) * left),
           path = (approach + 0.5 * kg_max(along, 0) * left) * left;
    bool pulled = along > 0.5e-9 * kg_length3(sweep->a);
    return approach < kg_resting_collision_speed(world, i, m->radius) &&
           (!pulled || kg_resting_is_exhausted(world, i)) &&
           kg_resting_may_enter(world, i, path, m->radius * (1 - 1e-9));
}

/* An edge, vertex or shape that was met before `now` was hidden then: else the event would have
 * changed the motion. It is not predicted again, since its place may be out of the present skin. */
static bool predict_triangle(kugel_world *world, uint32_t i, uint32_t triangle, double now,
                             kg_triangle_sweep *sweep)
{
    kg_triangle_impacts all;
    kg_boundary facet = kg_boundary_facet(world, triangle);
    sweep->without_facet = stays_on(world, i, facet, sweep);
    if (sweep->without_facet && kg_boundary_is_unbounded(world, triangle)) return true;
    kg_boundary_sweep_triangle(world, triangle, sweep, &all);
    for (uint32_t k = 0; k < all.count; ++k) {
        double t = boundary_event(world, i, all.boundary[k], all.impact[k], sweep->horizon);
        if (t < now && kg_boundary_is_curved(world, all.boundary[k])) continue;
        if (!push_if_due(world, t, i, all.boundary[k], KG_EVENT_BOUNDARY)) return false;
    }
    return true;
}

/* Push the next events of the body, inside its skin at `now`, with the surfaces. Events after the
 * end of the window, and after the body leaves its skin, are left out, since they are predicted
 * later. */
static bool predict_surfaces(kugel_world *world, uint32_t i, double now, double skin_exit, double h)
{
    const kg_motion *m = &world->work.motion[i];
    double x[3], end[3], until = world->impact->until;
    if (world->bodies.mass[i] == 0) return true;
    if (skin_exit < until) until = skin_exit;
    kg_triangle_sweep sweep = {
        .motion = m, .from = now - m->clock, .until = until - m->clock, .horizon = h - m->clock};
    kg_work_acceleration(&world->work, i, sweep.a);
    kg_work_position_at(&world->work, i, now, x);
    kg_work_position_at(&world->work, i, until, end);
    double left = until - now, bow = 0.125 * kg_length3(sweep.a) * left * left;
    uint32_t triangle;
    kg_near_triangles near = kg_neighbours_triangles_on(world, i, x, end, m->radius + bow);
    while (kg_near_triangles_next(&near, &triangle)) {
        if (!predict_triangle(world, i, triangle, now, &sweep)) return false;
    }
    return true;
}

static bool predict_neighbour(kugel_world *world, uint32_t i, uint32_t neighbour, double h)
{
    return push_if_due(world, predict_pair(world, i, neighbour, h), i, neighbour, KG_EVENT_BODY);
}

/* Push the events of the body with the candidates in a node. `each_once`: skip pairs that the other
 * body tests. */
static bool predict_candidates(kugel_world *world, uint32_t i, const kg_list_node *node,
                               bool each_once, double h)
{
    uint32_t candidates = kg_filter_neighbours(world, i, node, world->impact->until);
    for (; candidates; candidates &= candidates - 1) {
        uint32_t neighbour = node->neighbour[kg_lowest_bit(candidates)];
        if (each_once && kg_other_tests_pair(world, i, neighbour & KG_NEIGHBOUR_SLOT)) continue;
        if (!predict_neighbour(world, i, neighbour, h)) return false;
    }
    return true;
}

/* Predict the impacts with surfaces and the exit from the Verlet skin. A body that is outside of
 * its skin, as contacts may move it, gets a new list first: the plane of a whole facet may be near
 * where the facet is not. */
static bool predict_surfaces_and_skin_exit(kugel_world *world, uint32_t i, double now, double h)
{
    double t = bound_skin_exit(world, i, now, world->impact->until);
    bool surfaces = world->surfaces.count && t > now;
    return (!surfaces || predict_surfaces(world, i, now, t, h)) &&
           push_if_due(world, t, i, 0, KG_EVENT_EXIT);
}

static KG_NOINLINE bool predict_body(kugel_world *world, uint32_t i, double now, double h,
                                     bool each_once)
{
    kg_candidates candidates;
    kg_candidates_begin(&candidates, world, i);
    for (const kg_list_node *node; (node = kg_candidates_next(&candidates));) {
        if (!predict_candidates(world, i, node, each_once, h)) return false;
    }
    return kg_predict_boundaries(world, i, kg_neighbours_boundaries(world, i), h) &&
           predict_surfaces_and_skin_exit(world, i, now, h);
}

static bool begin_list_window(kugel_world *world)
{
    kg_impact_stage *stage = world->impact;
    stage->quantised.used = false;
    if (stage->from == 0) kg_grid_spend_clearance(world, stage->h);
    return kg_neighbours_update_listings(world, stage->from, stage->until, stage->h);
}

static bool predict_lists(kugel_world *world, uint32_t from, uint32_t to, double now, double h)
{
    bool ok = true;
    for (uint32_t i = kg_neighbours_next_active(world->grid, from, to); i < to && ok;
         i = kg_neighbours_next_active(world->grid, i + 1, to)) {
        ok = predict_body(world, i, now, h, true);
    }
    return ok;
}

static bool predict_after_change(kugel_world *world, uint32_t i, double now, double h)
{
    if (!kg_neighbours_update_listing(world, i, now, world->impact->until, h)) return false;
    KG_ASSERT(kg_neighbours_list_holds(world, i, now));
    return predict_body(world, i, now, h, false);
}

static bool predict_after_collision(kugel_world *world, uint32_t i, uint32_t j, double now,
                                    double h)
{
    return predict_after_change(world, i, now, h) && predict_after_change(world, j, now, h);
}

/* The motion is unchanged, so only new candidates and new boundaries are predicted, and the
 * surfaces for the new skin. */
static bool predict_after_skin_exit(kugel_world *world, const kg_event *e, double h)
{
    uint32_t i = e->a;
    kg_boundary_set known = kg_neighbours_boundaries(world, i);
    if (!kg_neighbours_refresh(world, i, e->time, h)) return false;
    KG_ASSERT(kg_neighbours_list_holds(world, i, e->time));
    for (uint32_t k = 0; k < world->grid->added_count; ++k) {
        if (!predict_neighbour(world, i, world->grid->added[k], h)) return false;
    }
    return kg_predict_boundaries(world, i, kg_neighbours_boundaries(world, i) & ~known, h) &&
           predict_surfaces_and_skin_exit(world, i, e->time, h);
}

static bool predict_after_crossing(kugel_world *world, const kg_event *e, double h)
{
    if (!kg_neighbours_refresh(world, e->a, e->time, h)) return false;
    KG_ASSERT(kg_neighbours_list_holds(world, e->a, e->time));
    return predict_body(world, e->a, e->time, h, false);
}

const kg_predictor kg_list_predictor = {
    .begin_window = begin_list_window,
    .predict = predict_lists,
    .body = predict_after_change,
    .pair = predict_after_collision,
    .exit = predict_after_skin_exit,
    .crossing = predict_after_crossing,
};
