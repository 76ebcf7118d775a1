/* Rays against an ellipsoid.
 * In: origin, direction u, centre, semi-axes a, unit quaternion or NULL. Out: the roots t of
 * sum ((t u - m) / a)^2 = 1 in the ellipsoid's frame, m = centre - origin.
 * With x = m / a and v = u / a the ellipsoid is a unit sphere. Lagrange's identity gives the
 * discriminant v.v - |x cross v|^2. Each component of x cross v is that of m cross u over two
 * semi-axes; this form keeps its digits for long and flat shapes. Lengths are scaled by powers of
 * two against overflow. Cost: two square roots, and one for each normal. */
#include "geometry/ellipsoid.h"

#include "geometry/geometry_common.h"
#include "geometry/roots.h"

kugel_status kg_ellipsoid_make(kg_ellipsoid *e, const double semi_axes[3], const double *rotation,
                               bool *is_finite)
{
    static const double identity[4] = {0, 0, 0, 1};
    const double *q = rotation ? rotation : identity;
    *is_finite = false;
    if (semi_axes[0] < 0 || semi_axes[1] < 0 || semi_axes[2] < 0)
        return KUGEL_ERROR_INVALID_ARGUMENT;
    if (!kg_finite3(semi_axes) || !kg_finite3(q) || !kg_finite(q[3])) return KUGEL_OK;
    double qq = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (!kg_is_unit_square(qq)) return KUGEL_ERROR_INVALID_ARGUMENT;
    kg_rotation_rows(q, 2 / qq, e->world_to_frame);
    e->scale = kg_unit_scale(kg_max_abs3(semi_axes));
    kg_scale3(e->axes, semi_axes, e->scale);
    double axis_min = kg_max_abs3(e->axes) * KG_SEMI_AXIS_RATIO_MIN;
    for (int i = 0; i < 3; ++i) e->axes[i] = kg_max(e->axes[i], axis_min);
    *is_finite = true;
    return KUGEL_OK;
}

void kg_ellipsoid_to_frame(const kg_ellipsoid *e, const double a[3], double out[3])
{
    kg_set3(out, kg_dot3(e->world_to_frame[0], a), kg_dot3(e->world_to_frame[1], a),
            kg_dot3(e->world_to_frame[2], a));
}

void kg_ellipsoid_to_world(const kg_ellipsoid *e, const double a[3], double out[3])
{
    double sum[3];
    kg_scale3(sum, e->world_to_frame[0], a[0]);
    kg_add_scaled3(sum, sum, a[1], e->world_to_frame[1]);
    kg_add_scaled3(out, sum, a[2], e->world_to_frame[2]);
}

/* A line and an ellipsoid, in the ellipsoid's frame and in scaled lengths. The scaled semi-axes are
 * reach * e.axes, so division by e.axes makes the ellipsoid a sphere of radius `reach`. */
typedef struct quadric {
    kg_ellipsoid e;
    double m[3];     /* from the origin to the centre */
    double u[3];     /* direction */
    double reach;    /* a power of two */
    double b, vv, c; /* vv t^2 - 2 b t + c = 0 */
    double disc;     /* discriminant b^2 - vv c, in a form without cancellation */
    double scale;    /* scaled length / m */
    double to_t;     /* factor from t to the caller's t */
} quadric;

static void divide_by_axes(const quadric *g, const double a[3], double out[3])
{
    kg_set3(out, a[0] / g->e.axes[0], a[1] / g->e.axes[1], a[2] / g->e.axes[2]);
}

/* In: g->e, and m and u in the world. Sets the other members. */
static void make_quadric(quadric *g, const double m[3], const double u[3])
{
    const double *axes = g->e.axes;
    double longest = kg_max_abs3(axes) / g->e.scale;
    g->scale = kg_unit_scale(kg_max(kg_max_abs3(m), longest));
    double direction_scale = kg_unit_scale(kg_max_abs3(u));
    kg_scale3(g->m, m, g->scale);
    kg_scale3(g->u, u, direction_scale);
    kg_ellipsoid_to_frame(&g->e, g->m, g->m);
    kg_ellipsoid_to_frame(&g->e, g->u, g->u);
    g->reach = g->scale / g->e.scale;
    g->to_t = direction_scale / g->scale;
    double x[3], v[3], cross[3];
    divide_by_axes(g, g->m, x);
    divide_by_axes(g, g->u, v);
    kg_cross3(cross, g->m, g->u);
    kg_set3(cross, cross[0] / (axes[1] * axes[2]), cross[1] / (axes[2] * axes[0]),
            cross[2] / (axes[0] * axes[1]));
    g->b = kg_dot3(x, v);
    g->vv = kg_dot3(v, v);
    g->c = kg_dot3(x, x) - g->reach * g->reach;
    g->disc = g->vv * (g->reach * g->reach) - kg_dot3(cross, cross);
}

/* The outward unit normal in the world. `out`: the point, from the centre in the frame. */
static void gradient(const quadric *g, const double out[3], double normal[3])
{
    double over[3];
    divide_by_axes(g, out, over);
    divide_by_axes(g, over, over);
    kg_normalize3(over, over, kg_fallback_normal);
    kg_ellipsoid_to_world(&g->e, over, normal);
}

/* The surface point where the line enters or leaves, at t of the scaled line: the point of the
 * line, moved onto the surface along the gradient. With x the point over the semi-axes, x.x -
 * reach^2 is 0 on the surface and 2 x / a is its gradient; the step is Newton's. A step along the
 * line from the centre would move the point of a flat shape by its rounding over the flatness. */
static void surface_point(const quadric *g, const double center[3], double t, double point[3],
                          double normal[3])
{
    double out[3], over[3], slope[3];
    for (int k = 0; k < 3; ++k) out[k] = t * g->u[k] - g->m[k];
    divide_by_axes(g, out, over);
    divide_by_axes(g, over, slope);
    double excess = kg_dot3(over, over) - g->reach * g->reach, steep = kg_dot3(slope, slope);
    if (steep > 0) kg_add_scaled3(out, out, -0.5 * excess / steep, slope);
    gradient(g, out, normal);
    kg_ellipsoid_to_world(&g->e, out, out);
    kg_add_scaled3(point, center, 1 / g->scale, out);
}

static void fill_hit(kugel_hit *hit, const quadric *g, const double origin[3],
                     const double center[3])
{
    double enter = 0, leave = 0;
    if (g->vv > 0) kg_quadratic_roots(g->b, g->vv, g->c, g->disc, g->b / g->vv, &enter, &leave);
    hit->hit = true;
    hit->started_inside = g->c <= 0;
    hit->t_enter = hit->started_inside ? 0 : enter * g->to_t;
    hit->t_exit = leave * g->to_t;
    if (hit->started_inside) {
        double out[3];
        kg_scale3(out, g->m, -1);
        gradient(g, out, hit->normal);
        kg_copy3(hit->point, origin);
    } else {
        surface_point(g, center, enter, hit->point, hit->normal);
    }
    if (g->vv > 0) {
        surface_point(g, center, leave, hit->exit_point, hit->exit_normal);
    } else {
        kg_copy3(hit->exit_point, hit->point);
        kg_copy3(hit->exit_normal, hit->normal);
    }
    kg_clear_nonfinite_hit(hit);
}

kugel_status kugel_ray_ellipsoid(const double origin[3], const double direction[3], double t_max,
                                 const double center[3], const double semi_axes[3],
                                 const double rotation[4], kugel_hit *hit)
{
    if (!hit) return KUGEL_ERROR_INVALID_ARGUMENT;
    *hit = (kugel_hit){0};
    if (!origin || !direction || !center || !semi_axes || t_max < 0)
        return KUGEL_ERROR_INVALID_ARGUMENT;
    quadric g;
    bool is_finite;
    kugel_status status = kg_ellipsoid_make(&g.e, semi_axes, rotation, &is_finite);
    if (!is_finite) return status;
    if (kg_is_sphere(semi_axes))
        return kugel_ray_sphere(origin, direction, t_max, center, semi_axes[0], hit);
    double m[3], end[3];
    kg_sub3(m, center, origin);
    if (!kg_finite3(m) || !kg_finite3(direction) || isnan(t_max)) return KUGEL_OK;
    make_quadric(&g, m, direction);
    if (g.c <= 0 || (g.b > 0 && g.disc >= 0)) fill_hit(hit, &g, origin, center);
    kugel_hit at_end;
    if (g.c <= 0 || !kg_may_end_on(hit, origin, direction, t_max, end)) return KUGEL_OK;
    kugel_ray_ellipsoid(end, kg_zero3, 0, center, semi_axes, rotation, &at_end);
    kg_end_hit(hit, &at_end, t_max);
    return KUGEL_OK;
}
