/* See support_shields.h. */
#include "query/support_shields.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "query/support_check.h"

static const double share = 1e-12; /* of the scale: the margin */

static double length_of(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static double distance(const double a[3], const double b[3])
{
    return length_of((double[3]){a[0] - b[0], a[1] - b[1], a[2] - b[2]});
}

void support_shield_add(kugel_world *world, support_shield *shield)
{
    kugel_surface_def def = kugel_surface_def_default();
    def.shape = KUGEL_SURFACE_ELLIPSOID;
    memcpy(def.position, shield->center, sizeof def.position);
    memcpy(def.size, shield->axes, sizeof def.size);
    memcpy(def.rotation, shield->rotation, sizeof def.rotation);
    def.category = shield->category, def.mask = shield->mask, def.group = shield->group;
    kugel_surface surface;
    cr_assert_eq(kugel_surface_create(world, &def, &surface), KUGEL_OK);
    shield->index = kugel_surface_index(surface);
}

bool support_shield_passes(const support_shield *s, const kugel_filter *filter)
{
    const kugel_filter all = kugel_filter_default(), *f = filter ? filter : &all;
    return support_has(f, KUGEL_TARGET_SURFACE) && (f->category & s->mask) &&
           (s->category & f->mask) && (!f->group || f->group != s->group) &&
           support_accepts(f, KUGEL_TARGET_SURFACE, s->index);
}

/* Of a sphere of this radius with its centre at x; m. */
static double margin_at(const support_shield *s, const double x[3], double radius)
{
    double longest = fmax(s->axes[0], fmax(s->axes[1], s->axes[2]));
    return share * (distance(x, s->center) + longest + radius);
}

/* Semi-axes that are longer by `by` (m). False if one would not be above 0. */
static bool grow(const support_shield *s, double by, double axes[3])
{
    bool any = true;
    for (int k = 0; k < 3; ++k) any = (axes[k] = s->axes[k] + by) > 0 && any;
    return any;
}

static double gap_at(const support_shield *s, const double x[3], double nearest_normal[3])
{
    kugel_overlap nearest;
    cr_assert_eq(kugel_ellipsoid_nearest(x, s->center, s->axes, s->rotation, &nearest), KUGEL_OK);
    memcpy(nearest_normal, nearest.normal, sizeof nearest.normal);
    return nearest.gap;
}

/* A point on the ellipsoid up to `by` (m), with the outward normal there. A point that is off turns
 * the normal by up to the strongest curvature, longest / shortest^2. */
static void check_place(const char *name, const support_shield *s, double by, const double x[3],
                        const double normal[3])
{
    double there[3], longest = fmax(s->axes[0], fmax(s->axes[1], s->axes[2])),
                     shortest = fmin(s->axes[0], fmin(s->axes[1], s->axes[2])), off = 0;
    by += share * 1e-3 * (length_of(x) + length_of(s->center)); /* places in the world */
    double gap = gap_at(s, x, there);
    cr_assert(fabs(gap) <= by, "%s: a point %g m off shield %u, margin %g", name, gap, s->index,
              by);
    for (int k = 0; k < 3; ++k) off += (normal[k] - there[k]) * (normal[k] - there[k]);
    cr_assert(fabs(length_of(normal) - 1) < 1e-12, "%s: normal of length %.17g", name,
              length_of(normal));
    cr_assert(sqrt(off) <= 2 * by * longest / (shortest * shortest) + 1e-12,
              "%s: normal of shield %u off by %g", name, s->index, sqrt(off));
}

void support_shield_check_ray(const char *name, const support_shield *s, const kugel_ray *ray,
                              const kugel_filter *filter, const kugel_ray_hit *hit)
{
    double axes[3], speed = length_of(ray->direction), margin = margin_at(s, ray->origin, 0),
                    near = speed > 0 ? margin / speed : 0;
    kugel_hit possible, certain = {0};
    bool passes = support_shield_passes(s, filter);
    (void)grow(s, margin, axes);
    kugel_ray_ellipsoid(ray->origin, ray->direction, INFINITY, s->center, axes, s->rotation,
                        &possible);
    if (grow(s, -margin, axes))
        kugel_ray_ellipsoid(ray->origin, ray->direction, INFINITY, s->center, axes, s->rotation,
                            &certain);
    if (!hit) {
        cr_assert(!passes || !certain.hit || certain.t_enter >= ray->t_max - near,
                  "%s: a ray misses shield %u, which it meets at %g", name, s->index,
                  certain.t_enter);
        return;
    }
    const kugel_hit *h = &hit->hit;
    double t = h->t_enter;
    cr_assert(passes && h->hit && t >= 0 && t <= ray->t_max && hit->triangle == 0, "%s", name);
    cr_assert(possible.hit && t >= possible.t_enter - near, "%s: shield %u at %g, not %g", name,
              s->index, t, possible.t_enter);
    cr_assert(!certain.hit || t <= certain.t_enter + near, "%s: shield %u at %g, not %g", name,
              s->index, t, certain.t_enter);
    cr_assert(h->t_exit == t && !memcmp(h->exit_point, h->point, sizeof h->point) &&
                  !memcmp(h->exit_normal, h->normal, sizeof h->normal),
              "%s: a shield has no exit", name);
    if (certain.started_inside) cr_assert(h->started_inside && t == 0, "%s: inside", name);
    if (!possible.started_inside) cr_assert(!h->started_inside, "%s: outside", name);
    if (!h->started_inside) check_place(name, s, margin, h->point, h->normal);
}

/* The change of the gap when the sphere at the start moves by `time`. Places are relative to the
 * centre: far from the origin the path is shorter than the roundings there. */
static double gap_change(const support_shield *s, const kugel_ray *ray, double time)
{
    support_shield at_origin = *s;
    double from[3], to[3], normal[3];
    for (int k = 0; k < 3; ++k) {
        from[k] = ray->origin[k] - s->center[k], to[k] = from[k] + time * ray->direction[k];
        at_origin.center[k] = 0;
    }
    return gap_at(&at_origin, to, normal) - gap_at(&at_origin, from, normal);
}

void support_shield_check_cast(const char *name, const support_shield *s, const kugel_ray *ray,
                               double radius, double slack, const kugel_filter *filter,
                               const kugel_cast_hit *hit)
{
    double axes[3], speed = length_of(ray->direction), margin = margin_at(s, ray->origin, radius),
                    near = speed > 0 ? margin / speed : 0;
    kugel_contact possible, certain = {0}, last;
    bool passes = support_shield_passes(s, filter);
    (void)grow(s, margin, axes);
    kugel_sweep_sphere_ellipsoid(ray->origin, ray->direction, radius, s->center, axes, s->rotation,
                                 ray->t_max, &possible);
    if (grow(s, -margin, axes))
        kugel_sweep_sphere_ellipsoid(ray->origin, ray->direction, radius, s->center, axes,
                                     s->rotation, ray->t_max, &certain);
    last = certain;
    double normal[3], distance = gap_at(s, ray->origin, normal),
                      smaller = fmin(distance - 1e-9 * radius, radius - slack);
    if (slack > 0 && smaller > 0 && grow(s, -margin, axes))
        kugel_sweep_sphere_ellipsoid(ray->origin, ray->direction, smaller, s->center, axes,
                                     s->rotation, ray->t_max, &last);
    /* the gap is convex along the path: its rate at the start lies between these two changes */
    double step = 1e6 * near;
    bool overlaps = certain.touching;
    bool closes = last.touching && gap_change(s, ray, step) < -margin;
    bool recedes = overlaps && gap_change(s, ray, -step) < -margin;
    if (!hit) {
        cr_assert(!passes || !last.hit || (last.touching && !closes) ||
                      last.time >= ray->t_max - near,
                  "%s: a sphere misses shield %u, which it meets at %g", name, s->index, last.time);
        return;
    }
    const kugel_contact *c = &hit->contact;
    cr_assert(passes && c->hit && c->time >= 0 && c->time <= ray->t_max && !recedes, "%s", name);
    cr_assert(possible.hit && c->time >= possible.time - near, "%s: shield %u at %g, not %g", name,
              s->index, c->time, possible.time);
    cr_assert(!last.hit || c->time <= (last.touching ? 0 : last.time + near),
              "%s: shield %u at %g, not %g", name, s->index, c->time, last.time);
    double gap = distance - radius;
    cr_assert(fabs(c->gap - gap) <= margin, "%s: gap %g of shield %u, not %g", name, c->gap,
              s->index, gap);
    if (!possible.touching) check_place(name, s, margin, c->point, c->normal);
}

void support_shield_check_found(const char *name, const support_shield *s, const double center[3],
                                double radius, double most, const kugel_filter *filter,
                                const kugel_found *found)
{
    double normal[3], margin = margin_at(s, center, radius), gap = gap_at(s, center, normal);
    bool passes = support_shield_passes(s, filter);
    if (!found) {
        cr_assert(!passes || gap - radius >= most - margin, "%s: shield %u at %g m is missed", name,
                  s->index, gap - radius);
        return;
    }
    cr_assert(passes && fabs(found->gap - (gap - radius)) <= margin,
              "%s: shield %u with a gap of %g m, not %g", name, s->index, found->gap, gap - radius);
    check_place(name, s, margin, found->point, found->normal);
}

static kugel_filter without_surfaces(const kugel_filter *filter)
{
    kugel_filter rest = filter ? *filter : kugel_filter_default();
    rest.targets &= ~(uint32_t)KUGEL_TARGETS_SURFACES;
    return rest;
}

enum { MOST_SHIELDS = 16 };

/* Takes the shields out of results: by_shield[i] is the result of shield i or NULL, `others` has
 * the rest in order. */
#define TAKE_SHIELDS(name, count, shields, results, result_count, by_shield, taken, others, rest)  \
    do {                                                                                           \
        (rest) = (taken) = 0;                                                                      \
        for (size_t n = 0; n < (count); ++n) (by_shield)[n] = NULL;                                \
        for (size_t r = 0; r < (result_count); ++r) {                                              \
            size_t n = 0;                                                                          \
            if ((results)[r].target != KUGEL_TARGET_SURFACE) {                                     \
                (others)[(rest)++] = (results)[r];                                                 \
                continue;                                                                          \
            }                                                                                      \
            while (n < (count) && (shields)[n].index != (results)[r].index) ++n;                   \
            cr_assert(n < (count) && !(by_shield)[n], "%s: surface %u", name, (results)[r].index); \
            (by_shield)[n] = &(results)[r], (taken) += 1;                                          \
        }                                                                                          \
    } while (0)

static bool in_order(double p, double q, kugel_target a, kugel_target b)
{
    return p < q || (p == q && a <= b);
}

size_t support_shields_check_ray(const support_brute *brute, size_t count,
                                 const support_shield *shields, const kugel_ray *ray,
                                 const kugel_filter *filter)
{
    static kugel_ray_hit hits[BRUTE_MOST], others[BRUTE_MOST], wanted[BRUTE_MOST];
    const kugel_ray_hit *by_shield[MOST_SHIELDS];
    kugel_ray_hit first;
    const kugel_filter rest = without_surfaces(filter);
    size_t all, other_count, wanted_count, taken;
    bool any;
    support_check_ray(brute, ray, &rest);
    cr_assert_eq(kugel_world_ray_all(brute->world, ray, filter, BRUTE_MOST, hits, &all), KUGEL_OK);
    kugel_world_ray_all(brute->world, ray, &rest, BRUTE_MOST, wanted, &wanted_count);
    TAKE_SHIELDS(brute->name, count, shields, hits, all, by_shield, taken, others, other_count);
    cr_assert(other_count == wanted_count && support_same_rays(others, wanted, other_count),
              "%s: other targets of a ray differ", brute->name);
    for (size_t n = 0; n < count; ++n)
        support_shield_check_ray(brute->name, &shields[n], ray, filter, by_shield[n]);
    for (size_t r = 1; r < all; ++r)
        cr_assert(in_order(hits[r - 1].hit.t_enter, hits[r].hit.t_enter, hits[r - 1].target,
                           hits[r].target),
                  "%s: order of a ray's hits", brute->name);
    kugel_world_ray_any(brute->world, ray, filter, &any);
    kugel_world_ray_closest(brute->world, ray, filter, &first);
    cr_assert(any == (all > 0) && first.hit.hit == any, "%s: any", brute->name);
    cr_assert(!any || support_same_rays(&first, hits, 1), "%s: closest", brute->name);
    return taken;
}

size_t support_shields_check_cast(const support_brute *brute, size_t count,
                                  const support_shield *shields, const kugel_ray *ray,
                                  double radius, const kugel_filter *filter)
{
    static kugel_cast_hit hits[BRUTE_MOST], others[BRUTE_MOST], wanted[BRUTE_MOST];
    const kugel_cast_hit *by_shield[MOST_SHIELDS];
    kugel_cast_hit first;
    const kugel_filter rest = without_surfaces(filter);
    const kugel_world *world = brute->world;
    size_t all, other_count, wanted_count, taken;
    bool any;
    double slack = support_surface_slack(world, ray, radius, filter);
    support_check_cast(brute, ray, radius, &rest);
    cr_assert_eq(kugel_world_cast_all(world, ray, radius, filter, BRUTE_MOST, hits, &all),
                 KUGEL_OK);
    kugel_world_cast_all(world, ray, radius, &rest, BRUTE_MOST, wanted, &wanted_count);
    TAKE_SHIELDS(brute->name, count, shields, hits, all, by_shield, taken, others, other_count);
    cr_assert(other_count == wanted_count && support_same_casts(others, wanted, other_count),
              "%s: other targets of a sphere differ", brute->name);
    for (size_t n = 0; n < count; ++n)
        support_shield_check_cast(brute->name, &shields[n], ray, radius, slack, filter,
                                  by_shield[n]);
    for (size_t r = 1; r < all; ++r)
        cr_assert(in_order(hits[r - 1].contact.time, hits[r].contact.time, hits[r - 1].target,
                           hits[r].target),
                  "%s: order of a sphere's hits", brute->name);
    kugel_world_cast_any(world, ray, radius, filter, &any);
    kugel_world_cast_closest(world, ray, radius, filter, &first);
    cr_assert(any == (all > 0) && first.contact.hit == any, "%s: any of a sphere", brute->name);
    cr_assert(!any || support_same_casts(&first, hits, 1), "%s: closest of a sphere", brute->name);
    return taken;
}

size_t support_shields_check_near(const support_brute *brute, size_t count,
                                  const support_shield *shields, const double center[3],
                                  double radius, const kugel_filter *filter)
{
    static kugel_found found[BRUTE_MOST], others[BRUTE_MOST], wanted[BRUTE_MOST];
    const kugel_found *by_shield[MOST_SHIELDS];
    const kugel_filter rest = without_surfaces(filter);
    const kugel_world *world = brute->world;
    size_t all, other_count, wanted_count, taken, met = 0;
    for (int nearest = 0; nearest < 2; ++nearest) {
        double most = nearest ? radius : 0, size = nearest ? 0 : radius;
        if (nearest) {
            kugel_world_nearest(world, center, most, &rest, BRUTE_MOST, wanted, &wanted_count);
            kugel_world_nearest(world, center, most, filter, BRUTE_MOST, found, &all);
        } else {
            kugel_world_overlap_sphere(world, center, size, &rest, BRUTE_MOST, wanted,
                                       &wanted_count);
            cr_assert_eq(
                kugel_world_overlap_sphere(world, center, size, filter, BRUTE_MOST, found, &all),
                KUGEL_OK);
        }
        TAKE_SHIELDS(brute->name, count, shields, found, all, by_shield, taken, others,
                     other_count);
        cr_assert(other_count == wanted_count && support_same_found(others, wanted, other_count),
                  "%s: other targets of a volume differ", brute->name);
        for (size_t n = 0; n < count; ++n)
            support_shield_check_found(brute->name, &shields[n], center, size, most, filter,
                                       by_shield[n]);
        for (size_t r = 1; r < all && nearest; ++r)
            cr_assert(
                in_order(found[r - 1].gap, found[r].gap, found[r - 1].target, found[r].target),
                "%s: order of the nearest", brute->name);
        met += taken;
    }
    return met;
}
