/* Batches of rays: one ray against many spheres, many rays against one sphere or one ellipsoid.
 * In: arrays of doubles. Out: t_enter, or -1 for a miss, with the bits of the functions for one
 * ray.
 * How: vectors of four rays, without the scaling by powers of two. Scaling changes no bit while
 * each number is 0 or within KG_UNSCALED_MIN ... KG_UNSCALED_MAX. A vector with another number is
 * computed ray by ray.
 * Cost: a square root and two divisions for each ray; 10 more divisions for an ellipsoid. */
#include <string.h>

#include "base/wide.h"
#include "geometry/ellipsoid.h"
#include "geometry/geometry_common.h"
#include "geometry/ray_sphere.h"

enum { LANES = 4 };

/* The arguments of a batch. A form does not use the members for the other solids. */
typedef struct ray_batch {
    const double *origin, *direction; /* of each ray; for RAY_SPHERES of the only ray */
    const double *center;             /* m, of the solids */
    const double *radius;             /* m, of the spheres */
    const double *semi_axes;          /* m, of the ellipsoid */
    const double *rotation;           /* of the ellipsoid; may be NULL */
    const kg_ellipsoid *ellipsoid;    /* its frame; NULL: computed ray by ray */
    double *t_enter;                  /* [count] */
} ray_batch;

typedef enum batch_form {
    RAY_SPHERES,   /* one ray against many spheres */
    RAYS_SPHERE,   /* many rays against one sphere */
    RAYS_ELLIPSOID /* many rays against one ellipsoid */
} batch_form;

/* Compute one ray alone. Few rays need this. */
static __attribute__((noinline)) void enter_one(const ray_batch *a, batch_form form, size_t i)
{
    kugel_hit hit;
    bool one_ray = form == RAY_SPHERES;
    const double *o = a->origin + (one_ray ? 0 : 3 * i), *u = a->direction + (one_ray ? 0 : 3 * i);
    if (form == RAYS_ELLIPSOID)
        kugel_ray_ellipsoid(o, u, a->center, a->semi_axes, a->rotation, &hit);
    else
        kugel_ray_sphere(o, u, a->center + (one_ray ? 3 * i : 0), a->radius[one_ray ? i : 0], &hit);
    a->t_enter[i] = hit.hit ? hit.t_enter : -1;
}

/* Load a vector from numbers `stride` apart; stride 0: one number for all lanes. */
KG_INLINE void load1(const double *from, size_t stride, kg_double4 *out)
{
    const double lanes[LANES] = {from[0], from[stride], from[2 * stride], from[3 * stride]};
    memcpy(out, lanes, sizeof lanes);
}

/* Load triples as three vectors x, y, z. stride: 3, or 0 for one triple in all lanes. */
KG_INLINE void load3(const double *from, size_t stride, kg_double4 out[3])
{
    for (int k = 0; k < 3; ++k) load1(from + k, stride, &out[k]);
}

/* Set the lanes in which all x[count] are 0 or within the range of KG_UNSCALED_MIN and
 * KG_UNSCALED_MAX, in which squares of products fit a double. */
KG_INLINE void find_unscaled(const kg_double4 *x, int count, kg_mask4 *unscaled)
{
    *unscaled = x[0] == x[0];
    for (int k = 0; k < count; ++k) {
        kg_mask4 up = (x[k] >= KG_UNSCALED_MIN) & (x[k] <= KG_UNSCALED_MAX);
        kg_mask4 down = (x[k] <= -KG_UNSCALED_MIN) & (x[k] >= -KG_UNSCALED_MAX);
        *unscaled &= up | down | (x[k] == 0);
    }
}

/* Store the entry of each lane: 0 if the ray starts inside (c <= 0), kg_entry_root if the ray hits
 * (b > 0 and s >= 0), else -1. */
KG_INLINE void store_entries(const kg_double4 *b, const kg_double4 *c, const kg_double4 *disc,
                             const kg_double4 *s, const kg_double4 *closest, double *t_enter)
{
    kg_mask4 inside = *c <= 0, hit = (*b > 0) & (*s >= 0);
    kg_double4 root = *disc; /* NaN where it is below 0: a miss */
    for (int k = 0; k < LANES; ++k) root[k] = sqrt(root[k]);
    kg_double4 near = *c / (*b + root), miss = (kg_double4){0} - 1;
    kg_mask4 before = near < *closest;
    near = (kg_double4)((before & (kg_mask4)near) | (~before & (kg_mask4)*closest));
    kg_double4 outside = (kg_double4)((hit & (kg_mask4)near) | (~hit & (kg_mask4)miss));
    kg_double4 t = (kg_double4)(~inside & (kg_mask4)outside);
    memcpy(t_enter, &t, sizeof t);
}

/* Rays and spheres, with the operations of ray_sphere.c. True if no number needs scaling; else
 * t_enter is invalid. A stride of 0 means one ray, centre or radius for all lanes. */
KG_INLINE bool enter_spheres(const double *origin, const double *direction, size_t ray_stride,
                             const double *center, size_t center_stride, const double *radius,
                             size_t radius_stride, double *t_enter)
{
    kg_double4 o[3], x[7], p[3], r, *m = x, *u = x + 3; /* x: the numbers to check */
    load1(radius, radius_stride, &r);
    load3(origin, ray_stride, o);
    load3(direction, ray_stride, u);
    load3(center, center_stride, m);
    for (int k = 0; k < 3; ++k) m[k] -= o[k];
    x[6] = r;
    kg_double4 b = m[0] * u[0] + m[1] * u[1] + m[2] * u[2],
               uu = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    kg_double4 c = m[0] * m[0] + m[1] * m[1] + m[2] * m[2] - r * r, closest = b / uu,
               along = -closest;
    for (int k = 0; k < 3; ++k) p[k] = m[k] + along * u[k];
    kg_double4 s = r * r - (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]), disc = uu * s;
    kg_mask4 unscaled;
    find_unscaled(x, 7, &unscaled);
    unscaled &= uu > 0;
    store_entries(&b, &c, &disc, &s, &closest, t_enter);
    return kg_movemask4(&unscaled) == 0xf;
}

/* Rays and an ellipsoid, with the operations of ellipsoid.c. The result is as in enter_spheres. */
KG_INLINE bool enter_ellipsoid(const double *origins, const double *directions,
                               const double *center, const kg_ellipsoid *e, double *t_enter)
{
    kg_double4 o[3], w[6], m[3], u[3], x[3], v[3], y[3]; /* w: the numbers to check */
    double reach = 1 / e->scale;
    load3(origins, 3, o);
    load3(directions, 3, w + 3);
    load3(center, 0, w);
    for (int k = 0; k < 3; ++k) w[k] -= o[k];
    for (int k = 0; k < 3; ++k) {
        const double *row = e->world_to_frame[k];
        m[k] = row[0] * w[0] + row[1] * w[1] + row[2] * w[2];
        u[k] = row[0] * w[3] + row[1] * w[4] + row[2] * w[5];
        x[k] = m[k] / e->axes[k];
        v[k] = u[k] / e->axes[k];
    }
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        y[k] = (m[i] * u[j] - m[j] * u[i]) / (e->axes[i] * e->axes[j]);
    }
    kg_double4 b = x[0] * v[0] + x[1] * v[1] + x[2] * v[2],
               vv = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    kg_double4 c = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] - reach * reach;
    kg_double4 disc = vv * (reach * reach) - (y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
    kg_mask4 unscaled;
    find_unscaled(w, 6, &unscaled);
    unscaled &= vv > 0;
    kg_double4 closest = b / vv;
    store_entries(&b, &c, &disc, &disc, &closest, t_enter);
    return kg_movemask4(&unscaled) == 0xf;
}

/* Rays i ... i + LANES - 1; false if some number needs scaling. */
KG_INLINE bool enter_vector(const ray_batch *a, batch_form form, size_t i)
{
    double *t = a->t_enter + i;
    const double *o = a->origin + 3 * i, *u = a->direction + 3 * i;
    if (form == RAY_SPHERES)
        return enter_spheres(a->origin, a->direction, 0, a->center + 3 * i, 3, a->radius + i, 1, t);
    if (form == RAYS_SPHERE) return enter_spheres(o, u, 3, a->center, 0, a->radius, 0, t);
    return a->ellipsoid && enter_ellipsoid(o, u, a->center, a->ellipsoid, t);
}

/* All rays of a batch. If the last rays do not fill a vector, that vector begins earlier and
 * computes some rays twice. A batch below LANES is computed ray by ray. */
KG_INLINE void enter_all(const ray_batch *a, batch_form form, size_t count)
{
    for (size_t next = 0; next < count; next += LANES) {
        size_t i = count - next >= LANES ? next : count < LANES ? 0 : count - LANES;
        size_t end = count < LANES ? count : i + LANES;
        if (end == i + LANES && enter_vector(a, form, i)) continue;
        for (; i < end; ++i) enter_one(a, form, i);
    }
}

/* The form is a constant in each call, so each form becomes a loop of its own. */
KG_INLINE void enter_batch(const ray_batch *a, batch_form form, size_t count)
{
    if (form == RAY_SPHERES) enter_all(a, RAY_SPHERES, count);
    else if (form == RAYS_SPHERE) enter_all(a, RAYS_SPHERE, count);
    else enter_all(a, RAYS_ELLIPSOID, count);
}

KG_VARIANTS(void, enter_batch, (const ray_batch *a, batch_form form, size_t count),
            (a, form, count))

/* Clear the results of invalid arguments: all are misses. */
static kugel_status refuse(size_t count, double *t_enter)
{
    for (size_t i = 0; t_enter && i < count; ++i) t_enter[i] = -1;
    return KUGEL_ERROR_INVALID_ARGUMENT;
}

kugel_status kugel_ray_spheres(const double origin[3], const double direction[3], size_t count,
                               const double *centers, const double *radii, double *t_enter)
{
    bool bad = !origin || !direction || (count && (!centers || !radii || !t_enter));
    for (size_t i = 0; !bad && i < count; ++i) bad = radii[i] < 0;
    if (bad) return refuse(count, t_enter);
    ray_batch a = {.origin = origin,
                   .direction = direction,
                   .center = centers,
                   .radius = radii,
                   .t_enter = t_enter};
    KG_WIDEST(enter_batch)(&a, RAY_SPHERES, count);
    return KUGEL_OK;
}

kugel_status kugel_rays_sphere(size_t count, const double *origins, const double *directions,
                               const double center[3], double radius, double *t_enter)
{
    bool bad = !center || (count && (!origins || !directions || !t_enter)) || radius < 0;
    if (bad) return refuse(count, t_enter);
    ray_batch a = {.origin = origins,
                   .direction = directions,
                   .center = center,
                   .radius = &radius,
                   .t_enter = t_enter};
    KG_WIDEST(enter_batch)(&a, RAYS_SPHERE, count);
    return KUGEL_OK;
}

/* True if the size of the ellipsoid is in the range in which scaling changes no bit. */
static bool is_unscaled(const kg_ellipsoid *e)
{
    return e->scale >= KG_UNSCALED_MIN && e->scale <= KG_UNSCALED_MAX;
}

kugel_status kugel_rays_ellipsoid(size_t count, const double *origins, const double *directions,
                                  const double center[3], const double semi_axes[3],
                                  const double rotation[4], double *t_enter)
{
    kg_ellipsoid e;
    bool is_finite, bad = !center || !semi_axes || (count && (!origins || !directions || !t_enter));
    if (bad || kg_ellipsoid_make(&e, semi_axes, rotation, &is_finite))
        return refuse(count, t_enter);
    if (is_finite && kg_is_sphere(semi_axes))
        return kugel_rays_sphere(count, origins, directions, center, semi_axes[0], t_enter);
    ray_batch a = {.origin = origins,
                   .direction = directions,
                   .center = center,
                   .semi_axes = semi_axes,
                   .rotation = rotation,
                   .ellipsoid = is_finite && is_unscaled(&e) ? &e : NULL,
                   .t_enter = t_enter};
    KG_WIDEST(enter_batch)(&a, RAYS_ELLIPSOID, count);
    return KUGEL_OK;
}
