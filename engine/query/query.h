/* The queries, with checked arguments. In: a world, its index open. Out: as in kugel/query.h. */
#ifndef KG_QUERY_QUERY_H
#define KG_QUERY_QUERY_H

#include "world/world.h"

/* A filter that is made ready for a query. */
typedef struct kg_query_scope {
    const kugel_world *world;
    kugel_filter filter;
    bool accepts_all; /* every body passes */
} kg_query_scope;

kg_query_scope kg_query_filter_open(const kugel_world *world, const kugel_filter *filter);
bool kg_query_filter_passes(const kg_query_scope *scope, kugel_body body);

static inline bool kg_query_accepts(const kg_query_scope *scope, kugel_body body)
{
    return scope->accepts_all || kg_query_filter_passes(scope, body);
}

/* query_ray.c, query_cast.c */
void kg_query_ray_closest(const kg_query_scope *scope, const kugel_ray *ray, kugel_ray_hit *hit);
/* Rays of a batch are begun one after the other and finished later: while one waits for memory
 * others go on. */
void kg_query_rays_closest(const kg_query_scope *scope, size_t count, const kugel_ray *rays,
                           kugel_ray_hit *hits);
bool kg_query_ray_any(const kg_query_scope *scope, const kugel_ray *ray);
size_t kg_query_ray_all(const kg_query_scope *scope, const kugel_ray *ray, size_t capacity,
                        kugel_ray_hit *hits);
void kg_query_cast_closest(const kg_query_scope *scope, const kugel_ray *ray, double radius,
                           kugel_cast_hit *hit);
bool kg_query_cast_any(const kg_query_scope *scope, const kugel_ray *ray, double radius);
size_t kg_query_cast_all(const kg_query_scope *scope, const kugel_ray *ray, double radius,
                         size_t capacity, kugel_cast_hit *hits);

/* query_overlap.c */
size_t kg_query_overlap_sphere(const kg_query_scope *scope, const double center[3], double radius,
                               size_t capacity, kugel_found *found);
size_t kg_query_overlap_box(const kg_query_scope *scope, const double min[3], const double max[3],
                            size_t capacity, kugel_found *found);
size_t kg_query_overlap_ellipsoid(const kg_query_scope *scope, const kugel_ellipsoid *ellipsoid,
                                  size_t capacity, kugel_found *found);
size_t kg_query_overlap_point(const kg_query_scope *scope, const double point[3], size_t capacity,
                              kugel_found *found);

/* query_nearest.c, query_plane.c, query_ellipsoids.c */
size_t kg_query_nearest(const kg_query_scope *scope, const double point[3], double most,
                        size_t capacity, kugel_found *found);
size_t kg_query_plane_side(const kg_query_scope *scope, const double normal[3], double offset,
                           int side, size_t capacity, kugel_found *found);
size_t kg_query_ray_ellipsoids(const kugel_world *world, const kugel_ray *ray, size_t capacity,
                               kugel_ellipsoid_hit *hits);

#endif
