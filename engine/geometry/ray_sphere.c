/* Rays and lines against a sphere.
 * In: origin o, direction u, centre, radius r. Out: the roots t of |m - t u| = r, m = centre - o.
 * The discriminant is u.u (r^2 - p^2), where p = m - (m.u / u.u) u is the part of m perpendicular
 * to the line. This form keeps its digits for a small sphere far away (E. Haines et al., "Precision
 * improvements for ray/sphere intersection", Ray Tracing Gems, 2019, chapter 7). Lengths and
 * directions are scaled by powers of two against overflow. Cost: one square root, and three for
 * each point of entry or exit. */
#include "base/dispatch.h"
#include "geometry/geometry_common.h"
#include "geometry/ray_sphere.h"

/* A line and a sphere, in scaled lengths. */
typedef struct line {
    double m[3];    /* from the origin to the centre */
    double u[3];    /* direction */
    double r;       /* radius */
    double b;       /* m.u */
    double uu;      /* u.u */
    double closest; /* b / uu, the closest approach; 0 without a direction */
    double c;       /* m.m - r r; at most 0: the origin is inside */
    double s;       /* r r - p.p, p the part of m perpendicular to u; below 0: the line misses */
    double scale;   /* scaled length / m */
    double to_t;    /* factor from t to the caller's t */
} line;

/* False if a number is NaN or infinite. */
static bool make_line(line *l, const double origin[3], const double direction[3],
                      const double center[3], double radius)
{
    kg_sub3(l->m, center, origin);
    if (!kg_finite3(l->m) || !kg_finite3(direction) || !kg_finite(radius)) return false;
    l->scale = kg_unit_scale(kg_max(kg_max_abs3(l->m), radius));
    double direction_scale = kg_unit_scale(kg_max_abs3(direction));
    kg_scale3(l->m, l->m, l->scale);
    kg_scale3(l->u, direction, direction_scale);
    l->r = radius * l->scale;
    l->to_t = direction_scale / l->scale;
    l->b = kg_dot3(l->m, l->u);
    l->uu = kg_dot3(l->u, l->u);
    l->c = kg_dot3(l->m, l->m) - l->r * l->r;
    double p[3]; /* the part of m perpendicular to u */
    l->closest = l->uu > 0 ? l->b / l->uu : 0;
    kg_add_scaled3(p, l->m, -l->closest, l->u);
    l->s = l->r * l->r - kg_dot3(p, p);
    return true;
}

/* Both roots are 0 for a zero direction. */
KG_INLINE void line_roots(const line *l, double *enter, double *leave)
{
    *enter = *leave = 0;
    if (l->uu > 0) kg_quadratic_roots(l->b, l->uu, l->c, l->uu * l->s, l->closest, enter, leave);
}

/* The surface point where the line enters (side -1) or leaves (side +1), at t of the scaled line:
 * the point of the line, moved onto the surface along the line from the centre. */
static void surface_point(const line *l, const double center[3], double radius, double t,
                          double side, double point[3], double normal[3])
{
    double along[3], out[3];
    kg_scale3(along, l->u, side);
    if (l->r > 0) {
        for (int k = 0; k < 3; ++k) out[k] = t * l->u[k] - l->m[k];
        kg_normalize3(normal, out, along);
    } else { /* a point as the sphere: outward is along the ray */
        kg_normalize3(normal, along, kg_fallback_normal);
    }
    kg_add_scaled3(point, center, radius, normal);
}

static void fill_hit(kugel_hit *hit, const line *l, const double origin[3], const double center[3],
                     double radius, double enter, double leave)
{
    hit->hit = true;
    hit->started_inside = l->c <= 0;
    hit->t_enter = hit->started_inside ? 0 : enter * l->to_t;
    hit->t_exit = leave * l->to_t;
    if (hit->started_inside) { /* the normal of the concentric sphere through the start */
        double out[3];
        kg_scale3(out, l->m, -1);
        kg_normalize3(hit->normal, out, kg_fallback_normal);
        kg_copy3(hit->point, origin);
    } else {
        surface_point(l, center, radius, enter, -1, hit->point, hit->normal);
    }
    if (l->uu > 0) {
        surface_point(l, center, radius, leave, 1, hit->exit_point, hit->exit_normal);
    } else {
        kg_copy3(hit->exit_point, hit->point);
        kg_copy3(hit->exit_normal, hit->normal);
    }
    kg_clear_nonfinite_hit(hit);
}

/* A ray from outside hits if it points towards the centre and its line meets the sphere. */
static bool ray_meets_sphere(const line *l) { return l->c <= 0 || (l->b > 0 && l->s >= 0); }

bool kg_ray_sphere_enter(const double origin[3], const double direction[3], const double center[3],
                         double radius, double *enter)
{
    line l;
    if (!make_line(&l, origin, direction, center, radius) || !ray_meets_sphere(&l)) return false;
    double near, far;
    line_roots(&l, &near, &far);
    *enter = l.c <= 0 ? 0 : near * l.to_t;
    return kg_finite(*enter) && kg_finite(far * l.to_t);
}

kugel_status kugel_ray_sphere(const double origin[3], const double direction[3], double t_max,
                              const double center[3], double radius, kugel_hit *hit)
{
    if (!hit) return KUGEL_ERROR_INVALID_ARGUMENT;
    *hit = (kugel_hit){0};
    if (!origin || !direction || !center || t_max < 0 || radius < 0)
        return KUGEL_ERROR_INVALID_ARGUMENT;
    line l;
    if (isnan(t_max) || !make_line(&l, origin, direction, center, radius)) return KUGEL_OK;
    if (ray_meets_sphere(&l)) {
        double enter, leave;
        line_roots(&l, &enter, &leave);
        fill_hit(hit, &l, origin, center, radius, enter, leave);
    }
    double end[3];
    kugel_hit at_end;
    if (l.c <= 0 || !kg_may_end_on(hit, origin, direction, t_max, end)) return KUGEL_OK;
    kugel_ray_sphere(end, kg_zero3, 0, center, radius, &at_end);
    kg_end_hit(hit, &at_end, t_max);
    return KUGEL_OK;
}

kugel_status kugel_line_sphere(const double origin[3], const double direction[3],
                               const double center[3], double radius, kugel_line_hit *hit)
{
    if (!hit) return KUGEL_ERROR_INVALID_ARGUMENT;
    *hit = (kugel_line_hit){0};
    if (!origin || !direction || !center || radius < 0) return KUGEL_ERROR_INVALID_ARGUMENT;
    line l;
    if (!make_line(&l, origin, direction, center, radius)) return KUGEL_OK;
    if (l.c > 0 && (!(l.uu > 0) || !(l.s >= 0))) return KUGEL_OK;
    double enter, leave;
    line_roots(&l, &enter, &leave);
    enter *= l.to_t, leave *= l.to_t;
    if (kg_finite(enter) && kg_finite(leave)) *hit = (kugel_line_hit){true, enter, leave};
    return KUGEL_OK;
}
