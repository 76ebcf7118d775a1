/* One ray against many spheres, many rays against one sphere or ellipsoid: the entries alone.
 * In: arrays of doubles. Out: t_enter, or -1 for a miss; the bits of the single forms.
 * How: the forms without scaling, four lanes at a time, compiled once more for wider instructions.
 * Scaling by powers of two changes no bit while every number is 0 or of ordinary size; four of which
 * some number is not are done by the single form.
 * Cost: for spheres one square root and two divisions each, for ellipsoids twelve more divisions. */
#include "base/wide.h"
#include "geometry/ellipsoid.h"
#include "geometry/hit.h"
#include "geometry/ray.h"

/* ---- four lanes ---- */

/* Vectors from an array of triples; stride 0: one for all lanes. */
KG_INLINE void load3(const double *from, size_t stride, kg_double4 out[3])
{
    for (int k = 0; k < 3; ++k) {
        const double lanes[4] = {from[k], from[stride + k], from[2 * stride + k],
                                 from[3 * stride + k]};
        memcpy(&out[k], lanes, sizeof lanes);
    }
}

/* Lanes of -1 where all components are 0 or of a size whose products' squares fit a double. */
KG_INLINE void find_plain(const kg_double4 *x, int count, kg_mask4 *plain)
{
    *plain = (kg_mask4){-1, -1, -1, -1};
    for (int k = 0; k < count; ++k) {
        kg_mask4 up = (x[k] >= KG_PLAIN_LEAST) & (x[k] <= KG_PLAIN_MOST);
        kg_mask4 down = (x[k] <= -KG_PLAIN_LEAST) & (x[k] >= -KG_PLAIN_MOST);
        *plain &= up | down | (x[k] == 0);
    }
}

/* The lesser root of a line with a quadric, as kg_roots has it, where a ray from outside (c > 0) comes
 * near enough (s >= 0) and one from inside none; -1 elsewhere. */
KG_INLINE void store_entries(const kg_double4 *b, const kg_double4 *c, const kg_double4 *disc,
                             const kg_double4 *s, double *t_enter)
{
    kg_mask4 inside = *c <= 0, hit = (*b > 0) & (*s >= 0);
    kg_double4 root = (kg_double4)((*disc > 0) & (kg_mask4)*disc);
    for (int k = 0; k < 4; ++k) root[k] = sqrt(root[k]);
    kg_double4 near = *c / (*b + root), miss = {-1, -1, -1, -1};
    kg_double4 outside = (kg_double4)((hit & (kg_mask4)near) | (~hit & (kg_mask4)miss));
    kg_double4 t = (kg_double4)(~inside & (kg_mask4)outside);
    memcpy(t_enter, &t, sizeof t);
}

/* Rays and spheres as sphere.c has them; false: some number is not plain, t_enter is not to be used. */
KG_INLINE bool enter_spheres(const double *origin, const double *direction, size_t ray_stride,
                             const double *center, size_t center_stride, const double *radius,
                             size_t radius_stride, double *t_enter)
{
    kg_double4 o[3], x[7], p[3], *m = x, *u = x + 3; /* x: all that must be plain */
    kg_double4 r = {radius[0], radius[radius_stride], radius[2 * radius_stride],
                    radius[3 * radius_stride]};
    load3(origin, ray_stride, o);
    load3(direction, ray_stride, u);
    load3(center, center_stride, m);
    for (int k = 0; k < 3; ++k) m[k] -= o[k];
    x[6] = r;
    kg_double4 b = m[0] * u[0] + m[1] * u[1] + m[2] * u[2],
               uu = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    kg_double4 c = m[0] * m[0] + m[1] * m[1] + m[2] * m[2] - r * r, along = -(b / uu);
    for (int k = 0; k < 3; ++k) p[k] = m[k] + along * u[k];
    kg_double4 s = r * r - (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]), disc = uu * s;
    kg_mask4 plain;
    find_plain(x, 7, &plain);
    plain &= uu > 0;
    store_entries(&b, &c, &disc, &s, t_enter);
    return kg_bits4(&plain) == 15;
}

/* Rays and an ellipsoid as ellipsoid.c has them. */
KG_INLINE bool enter_ellipsoid(const double *origins, const double *directions,
                               const double *center, const kg_ellipsoid *e, double *t_enter)
{
    kg_double4 o[3], w[6], m[3], u[3], x[3], v[3], y[3]; /* w: all that must be plain */
    double reach = 1 / e->scale;
    load3(origins, 3, o);
    load3(directions, 3, w + 3);
    load3(center, 0, w);
    for (int k = 0; k < 3; ++k) w[k] -= o[k];
    for (int k = 0; k < 3; ++k) {
        const double *turn = e->turn[k];
        m[k] = turn[0] * w[0] + turn[1] * w[1] + turn[2] * w[2];
        u[k] = turn[0] * w[3] + turn[1] * w[4] + turn[2] * w[5];
        x[k] = m[k] / e->axes[k];
        v[k] = u[k] / e->axes[k];
    }
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        y[k] = (m[i] * u[j] - m[j] * u[i]) / e->axes[i] / e->axes[j];
    }
    kg_double4 b = x[0] * v[0] + x[1] * v[1] + x[2] * v[2],
               vv = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    kg_double4 c = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] - reach * reach;
    kg_double4 disc = vv * (reach * reach) - (y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
    kg_mask4 plain;
    find_plain(w, 6, &plain);
    plain &= vv > 0;
    store_entries(&b, &c, &disc, &disc, t_enter);
    return kg_bits4(&plain) == 15;
}

/* ---- all of a batch ---- */

/* The arguments of all three; there is one of what the function's name has in the singular. */
typedef struct batch {
    const double *origin, *direction, *center, *radius, *semi_axes, *rotation;
    const kg_ellipsoid *ellipsoid; /* NULL: only the single form will do */
    double *t_enter;
} batch;

typedef enum form { RAY_SPHERES, RAYS_SPHERE, RAYS_ELLIPSOID } form;

static void enter_one(const batch *a, form form, size_t i)
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

KG_INLINE bool enter_four(const batch *a, form form, size_t i)
{
    double *t = a->t_enter + i;
    const double *o = a->origin + 3 * i, *u = a->direction + 3 * i;
    if (form == RAY_SPHERES)
        return enter_spheres(a->origin, a->direction, 0, a->center + 3 * i, 3, a->radius + i, 1, t);
    if (form == RAYS_SPHERE) return enter_spheres(o, u, 3, a->center, 0, a->radius, 0, t);
    return a->ellipsoid && enter_ellipsoid(o, u, a->center, a->ellipsoid, t);
}

KG_INLINE void enter_all(const batch *a, form form, size_t count)
{
    for (size_t next = 0; next < count; next += 4) {
        size_t i = count - next >= 4 ? next
                   : count < 4       ? 0
                                     : count - 4; /* some twice: count is no multiple of 4 */
        size_t end = count < 4 ? count : i + 4;
        if (end == i + 4 && enter_four(a, form, i)) continue;
        for (; i < end; ++i) enter_one(a, form, i);
    }
}

#ifdef KG_AVX2
KG_AVX2 static void ray_spheres_avx2(const batch *a, size_t count)
{
    enter_all(a, RAY_SPHERES, count);
}
KG_AVX2 static void rays_sphere_avx2(const batch *a, size_t count)
{
    enter_all(a, RAYS_SPHERE, count);
}
KG_AVX2 static void rays_ellipsoid_avx2(const batch *a, size_t count)
{
    enter_all(a, RAYS_ELLIPSOID, count);
}
#endif

static kugel_status enter_any(const batch *a, form form, size_t count)
{
#ifdef KG_AVX2
    static void (*const wide[])(const batch *, size_t) = {ray_spheres_avx2, rays_sphere_avx2,
                                                          rays_ellipsoid_avx2};
    if (KG_HAS_AVX2) {
        wide[form](a, count);
        return KUGEL_OK;
    }
#endif
    if (form == RAY_SPHERES) enter_all(a, RAY_SPHERES, count);
    else if (form == RAYS_SPHERE) enter_all(a, RAYS_SPHERE, count);
    else enter_all(a, RAYS_ELLIPSOID, count);
    return KUGEL_OK;
}

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
    batch a = {.origin = origin,
               .direction = direction,
               .center = centers,
               .radius = radii,
               .t_enter = t_enter};
    return enter_any(&a, RAY_SPHERES, count);
}

kugel_status kugel_rays_sphere(size_t count, const double *origins, const double *directions,
                               const double center[3], double radius, double *t_enter)
{
    bool bad = !center || (count && (!origins || !directions || !t_enter)) || radius < 0;
    if (bad) return refuse(count, t_enter);
    batch a = {.origin = origins,
               .direction = directions,
               .center = center,
               .radius = &radius,
               .t_enter = t_enter};
    return enter_any(&a, RAYS_SPHERE, count);
}

kugel_status kugel_rays_ellipsoid(size_t count, const double *origins, const double *directions,
                                  const double center[3], const double semi_axes[3],
                                  const double rotation[4], double *t_enter)
{
    kg_ellipsoid e;
    bool made, bad = !center || !semi_axes || (count && (!origins || !directions || !t_enter));
    if (bad || kg_ellipsoid_make(&e, semi_axes, rotation, &made)) return refuse(count, t_enter);
    bool sphere = semi_axes[0] == semi_axes[1] && semi_axes[1] == semi_axes[2];
    if (made && sphere)
        return kugel_rays_sphere(count, origins, directions, center, semi_axes[0], t_enter);
    bool plain = made && e.scale >= KG_PLAIN_LEAST && e.scale <= KG_PLAIN_MOST;
    batch a = {.origin = origins,
               .direction = directions,
               .center = center,
               .semi_axes = semi_axes,
               .rotation = rotation,
               .ellipsoid = plain ? &e : NULL,
               .t_enter = t_enter};
    return enter_any(&a, RAYS_ELLIPSOID, count);
}
