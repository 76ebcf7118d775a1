/* Time of impact of a moving sphere with a part of a triangle. First the sphere is swept against
 * the whole plane, line or point. If the centre is outside the part's region at the time found,
 * each later interval of the path inside the region is swept separately. A region is an
 * intersection of half-spaces, so the ends of the intervals are roots of quadratics.
 * In: mesh, part, path. Out: time, normal. Cost: one sweep and one test of the region; at most two
 * more of each for each border of the region that the path crosses. */
#include "geometry/sweep_ballistic.h"
#include "geometry/sweep_linear.h"
#include "surfaces/mesh_feature.h"
#include "surfaces/mesh_times.h"

typedef struct sweep {
    kg_mesh_site site;
    const kg_mesh_path *path;
    double side;      /* 1: the sphere comes from the front of a face; -1: from its back */
    double tolerance; /* m, of the region */
    double until;     /* s, horizon of the times of impact */
    double last;      /* s, <= until; later times count as none */
} sweep;

/* Condition c[0] + c[1] t + c[2] t^2 >= 0 for times t at which the centre is in a half-space
 * widened by `slack` (m). */
static void half_space_of_time(const sweep *s, const kg_mesh_half_space *space, double slack,
                               double c[3])
{
    double d[3];
    kg_sub3(d, s->path->x, space->point);
    c[0] = kg_dot3(space->inward, d) + slack * kg_length3(space->inward);
    c[1] = kg_dot3(space->inward, s->path->v);
    c[2] = 0.5 * kg_dot3(space->inward, s->path->a);
}

/* The next half-space of the region as a condition in time; false after the last. The first
 * condition of a face is the sphere's side of the plane. *cursor starts at 0; later it is the
 * site's cursor + 1. */
static bool next_condition(const sweep *s, uint32_t *cursor, double c[3])
{
    kg_mesh_half_space space;
    bool face = s->site.part == KG_PART_FACE;
    uint32_t next = *cursor - 1;
    if (*cursor == 0 && face) {
        *cursor = 1;
        kg_copy3(space.point, s->site.point);
        kg_scale3(space.inward, s->site.along, s->side);
        half_space_of_time(s, &space, 0, c);
        return true;
    }
    if (*cursor == 0) next = 0;
    if (!kg_mesh_next_half_space(&s->site, &next, &space)) return false;
    *cursor = next + 1;
    half_space_of_time(s, &space, s->tolerance, c);
    return true;
}

/* The first time >= t at which the centre is in the region, or KG_NEVER. Each condition moves t at
 * most twice. */
static double enter_region(const sweep *s, double t)
{
    double before, c[3];
    do {
        before = t;
        for (uint32_t cursor = 0; next_condition(s, &cursor, c);) {
            kg_times times = kg_times_of(c);
            t = kg_times_begin(&times, t);
            if (t > s->until) return KG_NEVER;
        }
    } while (t > before);
    return t;
}

/* The time at which the centre, in the region at t, leaves the region. *again: the time at which it
 * returns to the half-space that it leaves first, or KG_NEVER. */
static double leave_region(const sweep *s, double t, double *again)
{
    double end = s->until, c[3];
    *again = KG_NEVER;
    for (uint32_t cursor = 0; next_condition(s, &cursor, c);) {
        kg_times times = kg_times_of(c);
        double back, out = kg_times_end(&times, t, &back);
        if (out < end) end = out, *again = back;
    }
    return end;
}

static void position_at(const kg_mesh_path *path, double t, double x[3])
{
    for (int k = 0; k < 3; ++k) x[k] = path->x[k] + (path->v[k] + 0.5 * path->a[k] * t) * t;
}

static bool is_in_region(const sweep *s, double t)
{
    double x[3], d[3];
    position_at(s->path, t, x);
    kg_sub3(d, x, s->site.point);
    if (s->site.part == KG_PART_FACE && s->side * kg_dot3(s->site.along, d) < 0) return false;
    return kg_mesh_site_contains(&s->site, x, s->tolerance);
}

/* Project d onto the plane perpendicular to an edge. d stays as it is for a vertex. */
static void remove_along(const kg_mesh_site *site, double d[3])
{
    if (site->part < KG_PART_VERTEX) kg_add_scaled3(d, d, -kg_dot3(d, site->along), site->along);
}

/* From the centre at time t to the nearest point of the plane, line or point. */
static void separation_at(const sweep *s, double t, double d[3])
{
    double x[3];
    position_at(s->path, t, x);
    kg_sub3(d, s->site.point, x);
    if (s->site.part == KG_PART_FACE) {
        kg_scale3(d, s->site.along, kg_dot3(d, s->site.along));
    } else {
        remove_along(&s->site, d);
    }
}

static double close_face(const sweep *s, double from, double until)
{
    double x[3], v[3], d[3];
    const double *normal = s->site.along;
    position_at(s->path, from, x);
    kg_add_scaled3(v, s->path->v, from, s->path->a);
    kg_sub3(d, x, s->site.point);
    return kg_sweep_plane_ballistic(s->side * kg_dot3(normal, d) - s->path->radius,
                                    s->side * kg_dot3(normal, v),
                                    s->side * kg_dot3(normal, s->path->a), until - from);
}

static double close_edge_or_vertex(const sweep *s, double from, double until)
{
    double d[3], w[3], a[3];
    separation_at(s, from, d);
    kg_add_scaled3(w, s->path->v, from, s->path->a);
    kg_scale3(w, w, -1);
    kg_scale3(a, s->path->a, -1);
    remove_along(&s->site, w);
    remove_along(&s->site, a);
    double radius = s->path->radius;
    if (kg_is_zero3(a)) return kg_sweep_spheres(d, w, radius, until - from);
    return s->last < until && !kg_sweep_comes_within(d, w, a, radius, s->last - from)
               ? KG_NEVER
               : kg_sweep_spheres_ballistic(d, w, a, radius, until - from);
}

/* The earliest time in [from, until] at which the gap to the whole plane, line or point is <= 0 and
 * shrinks. */
static double close_gap(const sweep *s, double from, double until)
{
    double t = s->site.part == KG_PART_FACE ? close_face(s, from, until)
                                            : close_edge_or_vertex(s, from, until);
    if (t >= KG_NEVER) return KG_NEVER;
    return from + t < until ? from + t : until;
}

static bool is_in_front(const sweep *s, double t)
{
    double x[3];
    position_at(s->path, t, x);
    return kg_mesh_is_in_front(&s->site, x, s->tolerance);
}

/* The earliest time >= `from` at which the sphere meets the site: the gap is <= 0 and shrinks, and
 * the centre is in the region. close_gap ignores the region, so its time is a lower bound. */
static double meet(const sweep *s, double from)
{
    double t = close_gap(s, from, s->until);
    if (t >= KG_NEVER || t > s->last) return KG_NEVER;
    if (is_in_region(s, t) && is_in_front(s, t)) return t;
    for (double begin = enter_region(s, t); begin <= s->last && begin < KG_NEVER;
         begin = enter_region(s, begin)) {
        double again, end = leave_region(s, begin, &again);
        double met = close_gap(s, begin, end);
        if (met < KG_NEVER && is_in_front(s, met)) return met <= s->last ? met : KG_NEVER;
        if (again > s->until || again <= begin) return KG_NEVER;
        begin = again;
    }
    return KG_NEVER;
}

/* The sphere meets a two-sided face from the side on which its centre is. The centre may pass the
 * plane beside the triangle, turn, and meet the face from the other side. */
static double meet_face(sweep *s)
{
    const kg_mesh_path *path = s->path;
    double d[3];
    s->side = 1;
    if (s->site.mesh->one_sided) return meet(s, 0);
    const double *normal = s->site.along;
    kg_sub3(d, path->x, s->site.point);
    double height = kg_dot3(normal, d), speed = kg_dot3(normal, path->v);
    if (height < 0) s->side = -1;
    double t = meet(s, 0), change = s->side * kg_dot3(normal, path->a);
    if (!(change > 0) || !(s->side * speed < 0)) return t;
    double crossing = kg_sweep_plane_ballistic(s->side * height, s->side * speed, change,
                                               t < s->until ? t : s->until);
    if (crossing >= KG_NEVER) return t;
    sweep other = *s;
    other.side = -s->side;
    other.until = t < s->until ? t : s->until;
    double back = meet(&other, crossing);
    if (back < t) {
        s->side = other.side;
        return back;
    }
    return t;
}

static void set_normal(const sweep *s, double t, double normal[3])
{
    double d[3], fallback[3];
    if (s->site.part == KG_PART_FACE) {
        kg_scale3(normal, s->site.along, -s->side);
        return;
    }
    kg_mesh_site face;
    kg_mesh_set_site(&face, s->site.mesh, s->site.triangle, KG_PART_FACE);
    kg_scale3(fallback, face.along, -1);
    separation_at(s, t, d);
    kg_normalize3(normal, d, fallback);
}

double kg_mesh_sweep_part(const kg_mesh *mesh, uint32_t triangle, uint32_t part,
                          const kg_mesh_path *path, double last, double normal[3])
{
    if (!(mesh->collidable[triangle] & 1u << part)) return KG_NEVER;
    /* half of what kg_mesh_feature_distance allows at the contact, so that a part that a sweep
     * meets also counts as nearest there; of a face twice what kg_mesh_is_over allows, so that a
     * face that hides an edge is met itself */
    double reach = part == KG_PART_FACE ? path->radius : 0;
    sweep s = {.path = path,
               .side = 1,
               .tolerance = 0.5 * kg_mesh_tolerance(mesh, path->x, reach),
               .until = path->horizon,
               .last = last < path->horizon ? last : path->horizon};
    kg_mesh_set_site(&s.site, mesh, triangle, part);
    double t = part == KG_PART_FACE ? meet_face(&s) : meet(&s, 0);
    if (t < KG_NEVER) set_normal(&s, t, normal);
    return t;
}

/* The side of each edge of a triangle on which a path lies, seen on the plane of its facet. */
typedef struct passage {
    const kg_mesh *mesh;
    double ends[2][3]; /* m, of the path */
    double normal[3];  /* unit, of the facet */
    double turn;       /* 1, or -1 if the corners of the triangle turn right around the normal */
    double margin;     /* m */
} passage;

/* 1: both ends of the path are inside of the edge, by more than the margin; -1: both are outside;
 * else 0. */
static int side_of_edge(const passage *p, uint32_t half)
{
    double edge[3], inward[3], d[3], inside[2];
    kg_mesh_along(p->mesh, half, edge);
    kg_cross3(inward, p->normal, edge);
    for (int end = 0; end < 2; ++end) {
        kg_sub3(d, p->ends[end], kg_mesh_vertex(p->mesh, kg_mesh_start(p->mesh, half)));
        inside[end] = p->turn * kg_dot3(inward, d);
    }
    double low = kg_min(inside[0], inside[1]), high = kg_max(inside[0], inside[1]),
           least = p->margin * p->margin * kg_dot3(edge, edge);
    if (low > 0) return low * low > least;
    return high < 0 && high * high > least ? -1 : 0;
}

uint32_t kg_mesh_parts_on_path(const kg_mesh *mesh, uint32_t triangle, const kg_mesh_path *path,
                               double from, double until)
{
    uint32_t parts = kg_mesh_collidable_parts(mesh, triangle);
    passage p = {.mesh = mesh, .turn = 1};
    position_at(path, from, p.ends[0]);
    position_at(path, until, p.ends[1]);
    double height = kg_abs(kg_mesh_height(mesh, triangle, p.ends[0], p.normal)),
           bow = 0.125 * kg_length3(path->a) * (until - from) * (until - from);
    p.margin = bow + 4 * kg_mesh_tolerance(mesh, p.ends[0], kg_max(height, path->radius));
    if (kg_mesh_shares_facet(mesh, triangle)) {
        double own[3];
        kg_mesh_corners_normal(mesh, mesh->corner + 3 * (size_t)triangle, own);
        p.turn = kg_dot3(own, p.normal);
        if (kg_abs(p.turn) < 0.5) return parts; /* a sliver that stands out of its facet */
        p.turn = p.turn < 0 ? -1 : 1;
    }
    bool stays = true;
    for (uint32_t k = 0; k < 3; ++k) {
        int side = side_of_edge(&p, 3 * triangle + k);
        if (side > 0) parts &= ~(1u << (KG_PART_EDGE + k));
        if (side < 0) parts &= ~(1u << KG_PART_FACE);
        stays = stays && side > 0;
    }
    return stays ? parts & 1u << KG_PART_FACE : parts;
}
