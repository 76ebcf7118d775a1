/* Rays against the registered ellipsoids, by kugel_ray_ellipsoid. Order: t_enter, index.
 * Cost O(ellipsoids): worlds hold few. */
#include "query/query.h"
#include "query/best_results.h"

static bool precedes(const void *a, const void *b)
{
    const kugel_ellipsoid_hit *p = a, *q = b;
    if (p->hit.t_enter != q->hit.t_enter) return p->hit.t_enter < q->hit.t_enter;
    return p->index < q->index;
}

size_t kg_query_ray_ellipsoids(const kugel_world *world, const kugel_ray *ray, size_t capacity,
                               kugel_ellipsoid_hit *hits)
{
    kg_best_results results;
    kg_best_results_open(&results, hits, sizeof *hits, capacity, precedes);
    for (uint32_t k = 0; k < world->ellipsoid_count; ++k) {
        const kugel_ellipsoid *e = &world->ellipsoids[k];
        kugel_ellipsoid_hit hit = {.index = k};
        kugel_ray_ellipsoid(ray->origin, ray->direction, e->center, e->semi_axes, e->rotation,
                            &hit.hit);
        if (hit.hit.hit && hit.hit.t_enter <= ray->t_max) kg_best_results_offer(&results, &hit);
    }
    kg_best_results_sort(&results);
    return results.offered_count;
}
