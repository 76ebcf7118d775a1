/* Entries of KG_WIDTH rays at once, 4 or 8, without the scaling by powers of two. A template
 * without an include guard: ray_batch.c includes this file once for each width. */
#include <string.h>

#include "base/wide_avx.h"
#include "geometry/ray_batch.h"
#include "geometry/ray_sphere.h"

#define doubles KG_LANES_NAME(doubles)
#define double_mask KG_LANES_NAME(double_mask)
#define load1 KG_LANES_NAME(load1)
#define load3 KG_LANES_NAME(load3)
#define take_square_roots KG_LANES_NAME(take_square_roots)
#define all_lanes_set KG_LANES_NAME(all_lanes_set)
#define find_unscaled KG_LANES_NAME(find_unscaled)
#define store_entries KG_LANES_NAME(store_entries)
#define enter_spheres KG_LANES_NAME(enter_spheres)
#define enter_ellipsoid KG_LANES_NAME(enter_ellipsoid)
#define enter_vector KG_LANES_NAME(enter_vector)
#define enter_range KG_LANES_NAME(enter_range)
#define enter_batch KG_LANES_NAME(enter_batch)

/* Vectors of KG_WIDTH lanes. */

#if KG_WIDTH == 4

typedef kg_double4 doubles;
typedef kg_mask4 double_mask;

/* Load a vector whose lanes are `stride` numbers apart; stride 0: one number for all lanes. */
KG_INLINE void load1(const double *from, size_t stride, doubles *out)
{
    const double lanes[4] = {from[0], from[stride], from[2 * stride], from[3 * stride]};
    memcpy(out, lanes, sizeof lanes);
}

/* Load triples as three vectors x, y, z. stride: 3, or 0 for one triple in all lanes. */
KG_INLINE void load3(const double *from, size_t stride, doubles out[3])
{
    for (int k = 0; k < 3; ++k) load1(from + k, stride, &out[k]);
}

KG_INLINE void take_square_roots(doubles *x)
{
    for (int k = 0; k < 4; ++k) (*x)[k] = sqrt((*x)[k]);
}

KG_INLINE bool all_lanes_set(const double_mask *mask) { return kg_movemask4(mask) == 0xf; }

#else

typedef kg_double8 doubles;
typedef kg_mask8d double_mask;

KG_INLINE void load1(const double *from, size_t stride, doubles *out)
{
    double x = *from;
    if (stride) *out = *(const kg_double8_unaligned *)from;
    else *out = (doubles){x, x, x, x, x, x, x, x};
}

/* Load whole vectors and sort their lanes by shuffles: gcc and clang would load lane by lane,
 * which takes longer. */
KG_INLINE void load3(const double *from, size_t stride, doubles out[3])
{
    if (!stride) {
        for (int k = 0; k < 3; ++k) load1(from + k, 0, &out[k]);
        return;
    }
    doubles a, b, c;
    load1(from, 1, &a);
    load1(from + 8, 1, &b);
    load1(from + 16, 1, &c);
    doubles x = __builtin_shufflevector(a, b, 0, 3, 6, 9, 12, 15, 0, 0);
    doubles y = __builtin_shufflevector(a, b, 1, 4, 7, 10, 13, 0, 0, 0);
    doubles z = __builtin_shufflevector(a, b, 2, 5, 8, 11, 14, 0, 0, 0);
    out[0] = __builtin_shufflevector(x, c, 0, 1, 2, 3, 4, 5, 10, 13);
    out[1] = __builtin_shufflevector(y, c, 0, 1, 2, 3, 4, 8, 11, 14);
    out[2] = __builtin_shufflevector(z, c, 0, 1, 2, 3, 4, 9, 12, 15);
}

KG_INLINE void take_square_roots(doubles *x) { kg_sqrt8_avx512(x); }

KG_INLINE bool all_lanes_set(const double_mask *mask) { return kg_movemask8d_avx512(mask) == 0xff; }

#endif

/* Set the lanes in which all x[count] are 0 or within the range of KG_UNSCALED_MIN and
 * KG_UNSCALED_MAX, in which squares of products fit a double. */
KG_INLINE void find_unscaled(const doubles *x, int count, double_mask *unscaled)
{
    *unscaled = x[0] == x[0];
    for (int k = 0; k < count; ++k) {
        double_mask up = (x[k] >= KG_UNSCALED_MIN) & (x[k] <= KG_UNSCALED_MAX);
        double_mask down = (x[k] <= -KG_UNSCALED_MIN) & (x[k] >= -KG_UNSCALED_MAX);
        *unscaled &= up | down | (x[k] == 0);
    }
}

/* Entries. */

/* Store the entry of each lane: 0 if the ray starts inside (c <= 0), the smaller root as in
 * kg_quadratic_roots if the ray hits (b > 0 and s >= 0), else -1. */
KG_INLINE void store_entries(const doubles *b, const doubles *c, const doubles *disc,
                             const doubles *s, double *t_enter)
{
    double_mask inside = *c <= 0, hit = (*b > 0) & (*s >= 0);
    doubles root = (doubles)((*disc > 0) & (double_mask)*disc);
    take_square_roots(&root);
    doubles near = *c / (*b + root), miss = (doubles){0} - 1;
    doubles outside = (doubles)((hit & (double_mask)near) | (~hit & (double_mask)miss));
    doubles t = (doubles)(~inside & (double_mask)outside);
    memcpy(t_enter, &t, sizeof t);
}

/* Rays and spheres, with the operations of ray_sphere.c. True if no number needs scaling; else
 * t_enter is invalid. A stride of 0 means one ray, centre or radius for all lanes. */
KG_INLINE bool enter_spheres(const double *origin, const double *direction, size_t ray_stride,
                             const double *center, size_t center_stride, const double *radius,
                             size_t radius_stride, double *t_enter)
{
    doubles o[3], x[7], p[3], r, *m = x, *u = x + 3; /* x: the numbers to check */
    load1(radius, radius_stride, &r);
    load3(origin, ray_stride, o);
    load3(direction, ray_stride, u);
    load3(center, center_stride, m);
    for (int k = 0; k < 3; ++k) m[k] -= o[k];
    x[6] = r;
    doubles b = m[0] * u[0] + m[1] * u[1] + m[2] * u[2],
            uu = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    doubles c = m[0] * m[0] + m[1] * m[1] + m[2] * m[2] - r * r, along = -(b / uu);
    for (int k = 0; k < 3; ++k) p[k] = m[k] + along * u[k];
    doubles s = r * r - (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]), disc = uu * s;
    double_mask unscaled;
    find_unscaled(x, 7, &unscaled);
    unscaled &= uu > 0;
    store_entries(&b, &c, &disc, &s, t_enter);
    return all_lanes_set(&unscaled);
}

/* Rays and an ellipsoid, with the operations of ellipsoid.c. The result is as in enter_spheres. */
KG_INLINE bool enter_ellipsoid(const double *origins, const double *directions,
                               const double *center, const kg_ellipsoid *e, double *t_enter)
{
    doubles o[3], w[6], m[3], u[3], x[3], v[3], y[3]; /* w: the numbers to check */
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
        y[k] = (m[i] * u[j] - m[j] * u[i]) / e->axes[i] / e->axes[j];
    }
    doubles b = x[0] * v[0] + x[1] * v[1] + x[2] * v[2],
            vv = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    doubles c = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] - reach * reach;
    doubles disc = vv * (reach * reach) - (y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
    double_mask unscaled;
    find_unscaled(w, 6, &unscaled);
    unscaled &= vv > 0;
    store_entries(&b, &c, &disc, &disc, t_enter);
    return all_lanes_set(&unscaled);
}

/* A whole batch. */

/* Rays i ... i + KG_WIDTH - 1; false if some number needs scaling. */
KG_INLINE bool enter_vector(const kg_ray_batch *a, kg_ray_batch_form form, size_t i)
{
    double *t = a->t_enter + i;
    const double *o = a->origin + 3 * i, *u = a->direction + 3 * i;
    if (form == KG_RAY_BATCH_SPHERES)
        return enter_spheres(a->origin, a->direction, 0, a->center + 3 * i, 3, a->radius + i, 1, t);
    if (form == KG_RAY_BATCH_SPHERE) return enter_spheres(o, u, 3, a->center, 0, a->radius, 0, t);
    return a->ellipsoid && enter_ellipsoid(o, u, a->center, a->ellipsoid, t);
}

/* Rays from `from` to the end. If the last ones do not fill a vector, it begins earlier and
 * computes some rays twice. A batch below KG_WIDTH is computed ray by ray. */
KG_INLINE void enter_range(const kg_ray_batch *a, kg_ray_batch_form form, size_t from, size_t count)
{
    for (size_t next = from; next < count; next += KG_WIDTH) {
        size_t i = count - next >= KG_WIDTH ? next : count < KG_WIDTH ? 0 : count - KG_WIDTH;
        size_t end = count < KG_WIDTH ? count : i + KG_WIDTH;
        if (end == i + KG_WIDTH && enter_vector(a, form, i)) continue;
        for (; i < end; ++i) enter_one(a, form, i);
    }
}

/* The form is a constant in each call, so each form becomes a loop of its own. */
KG_INLINE void enter_batch(const kg_ray_batch *a, kg_ray_batch_form form, size_t from, size_t count)
{
    switch (form) {
    case KG_RAY_BATCH_SPHERES:
        enter_range(a, KG_RAY_BATCH_SPHERES, from, count);
        break;
    case KG_RAY_BATCH_SPHERE:
        enter_range(a, KG_RAY_BATCH_SPHERE, from, count);
        break;
    case KG_RAY_BATCH_ELLIPSOID:
        enter_range(a, KG_RAY_BATCH_ELLIPSOID, from, count);
        break;
    }
}
