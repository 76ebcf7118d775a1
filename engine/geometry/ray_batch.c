/* Batches of rays: one ray against many spheres, many rays against one sphere or one ellipsoid.
 * In: arrays of doubles. Out: t_enter, or -1 for a miss, with the bits of the functions for one
 * ray.
 * How: ray_batch_lanes.h computes 4 or 8 rays at a time, without the scaling by powers of two.
 * Scaling changes no bit while each number is 0 or within KG_UNSCALED_MIN ... KG_UNSCALED_MAX. A
 * vector with another number is computed ray by ray. Vectors of 4 are compiled for the build's
 * instructions and for AVX2, vectors of 8 for AVX-512.
 * Cost: a square root and two divisions for each ray; 12 more divisions for an ellipsoid. */
#include "base/wide.h"
#include "geometry/ray_batch.h"
#include "geometry/geometry_common.h"
#include "geometry/ray_sphere.h"

/* One ray. Never inlined: in functions compiled for AVX-512, gcc may fuse multiplications and
 * additions of vectorised code, which changes bits. */
__attribute__((noinline)) static void enter_one(const kg_ray_batch *a, kg_ray_batch_form form,
                                                size_t i)
{
    kugel_hit hit;
    bool one_ray = form == KG_RAY_BATCH_SPHERES;
    const double *o = a->origin + (one_ray ? 0 : 3 * i), *u = a->direction + (one_ray ? 0 : 3 * i);
    if (form == KG_RAY_BATCH_ELLIPSOID)
        kugel_ray_ellipsoid(o, u, a->center, a->semi_axes, a->rotation, &hit);
    else
        kugel_ray_sphere(o, u, a->center + (one_ray ? 3 * i : 0), a->radius[one_ray ? i : 0], &hit);
    a->t_enter[i] = hit.hit ? hit.t_enter : -1;
}

#define KG_WIDTH 4
#include "geometry/ray_batch_lanes.h"
#undef KG_WIDTH

KG_VARIANTS(void, enter_batch_4,
            (const kg_ray_batch *a, kg_ray_batch_form form, size_t from, size_t count),
            (a, form, from, count))

#ifdef KG_HAS_AVX512
KG_AVX512_BEGIN
#define KG_WIDTH 8
#include "geometry/ray_batch_lanes.h"
#undef KG_WIDTH
/* For the table of functions: enter_batch_8 is always inlined. */
static void enter_avx512(const kg_ray_batch *a, kg_ray_batch_form form, size_t from, size_t count)
{
    enter_batch_8(a, form, from, count);
}
KG_AVX512_END
#endif

kg_ray_batch_width kg_ray_batch_widest(void)
{
#ifdef KG_HAS_AVX512
    if (KG_HAS_AVX2 && KG_HAS_AVX512) return KG_RAY_BATCH_AVX512;
#endif
#ifdef KG_HAS_AVX2
    if (KG_HAS_AVX2) return KG_RAY_BATCH_AVX2;
#endif
    return KG_RAY_BATCH_BASE;
}

void kg_ray_batch_enter(const kg_ray_batch *a, kg_ray_batch_form form, size_t count,
                        kg_ray_batch_width width)
{
    static void (*const by_width[])(const kg_ray_batch *, kg_ray_batch_form, size_t, size_t) = {
        enter_batch_4_base,
#ifdef KG_HAS_AVX2
        enter_batch_4_avx2,
#endif
#ifdef KG_HAS_AVX512
        enter_avx512,
#endif
    };
    size_t from = 0;
#ifdef KG_HAS_AVX512
    if (width == KG_RAY_BATCH_AVX512) {
        size_t remaining = count % 8;
        from = remaining > 4 && count > 8 ? count : count - remaining;
        if (from) by_width[width](a, form, 0, from);
        /* for the last rays, at most four, and for batches of fewer than eight */
        width = KG_RAY_BATCH_AVX2;
    }
#endif
    if (from < count) by_width[width](a, form, from, count);
}

bool kg_ray_batch_unscaled(const kg_ellipsoid *e)
{
    return e->scale >= KG_UNSCALED_MIN && e->scale <= KG_UNSCALED_MAX;
}

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
    kg_ray_batch a = {.origin = origin,
                      .direction = direction,
                      .center = centers,
                      .radius = radii,
                      .t_enter = t_enter};
    kg_ray_batch_enter(&a, KG_RAY_BATCH_SPHERES, count, kg_ray_batch_widest());
    return KUGEL_OK;
}

kugel_status kugel_rays_sphere(size_t count, const double *origins, const double *directions,
                               const double center[3], double radius, double *t_enter)
{
    bool bad = !center || (count && (!origins || !directions || !t_enter)) || radius < 0;
    if (bad) return refuse(count, t_enter);
    kg_ray_batch a = {.origin = origins,
                      .direction = directions,
                      .center = center,
                      .radius = &radius,
                      .t_enter = t_enter};
    kg_ray_batch_enter(&a, KG_RAY_BATCH_SPHERE, count, kg_ray_batch_widest());
    return KUGEL_OK;
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
    kg_ray_batch a = {.origin = origins,
                      .direction = directions,
                      .center = center,
                      .semi_axes = semi_axes,
                      .rotation = rotation,
                      .ellipsoid = is_finite && kg_ray_batch_unscaled(&e) ? &e : NULL,
                      .t_enter = t_enter};
    kg_ray_batch_enter(&a, KG_RAY_BATCH_ELLIPSOID, count, kg_ray_batch_widest());
    return KUGEL_OK;
}
