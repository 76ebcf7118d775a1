/* The queries, with checked arguments. In: a world, its index open. Out: as in kugel/query.h. */
#ifndef KG_QUERY_QUERY_H
#define KG_QUERY_QUERY_H

#include "world/world.h"

/* A filter that is made ready for a query. */
typedef struct kg_seen {
    const kugel_world *world;
    kugel_filter filter;
    bool all; /* everybody passes */
} kg_seen;

kg_seen kg_filter_open(const kugel_world *world, const kugel_filter *filter);
bool kg_filter_passes(const kg_seen *seen, kugel_body body);

static inline bool kg_sees(const kg_seen *seen, kugel_body body)
{
    return seen->all || kg_filter_passes(seen, body);
}

/* ray.c, cast.c */
void kg_ray_closest(const kg_seen *seen, const kugel_ray *ray, kugel_ray_hit *hit);
/* Rays of a batch are begun one after the other and finished later: while one waits for memory others go
 * on. */
void kg_rays_closest(const kg_seen *seen, size_t count, const kugel_ray *rays, kugel_ray_hit *hits);
bool kg_ray_any(const kg_seen *seen, const kugel_ray *ray);
size_t kg_ray_all(const kg_seen *seen, const kugel_ray *ray, size_t capacity, kugel_ray_hit *hits);
void kg_cast_closest(const kg_seen *seen, const kugel_ray *ray, double radius, kugel_cast_hit *hit);
bool kg_cast_any(const kg_seen *seen, const kugel_ray *ray, double radius);
size_t kg_cast_all(const kg_seen *seen, const kugel_ray *ray, double radius, size_t capacity, kugel_cast_hit *hits);

/* overlap.c */
size_t kg_overlap_sphere(const kg_seen *seen, const double center[3], double radius, size_t capacity, kugel_found *found);
size_t kg_overlap_box(const kg_seen *seen, const double min[3], const double max[3], size_t capacity, kugel_found *found);
size_t kg_overlap_ellipsoid(const kg_seen *seen, const kugel_ellipsoid *ellipsoid, size_t capacity, kugel_found *found);
size_t kg_find_point(const kg_seen *seen, const double point[3], size_t capacity, kugel_found *found);

/* nearest.c, plane.c, ellipsoids.c */
size_t kg_nearest_bodies(const kg_seen *seen, const double point[3], double most, size_t capacity, kugel_found *found);
size_t kg_plane_side(const kg_seen *seen, const double normal[3], double offset, int side, size_t capacity,
                     kugel_found *found);
size_t kg_ray_ellipsoids(const kugel_world *world, const kugel_ray *ray, size_t capacity, kugel_ellipsoid_hit *hits);

#endif
