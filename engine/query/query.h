/* The queries behind api/api_query.c. In: checked arguments and a world whose index is ready. Out:
 * as in kugel/query.h; functions that return size_t return the number of all results. */
#ifndef KG_QUERY_QUERY_H
#define KG_QUERY_QUERY_H

#include "kugel/body.h"
#include "world/boundary.h"
#include "world/world.h"

/* A world and the filter of one query. */
typedef struct kg_query_scope {
    const kugel_world *world;
    kugel_filter filter;
    bool bodies;                /* they are targets; the index is ready then */
    bool accepts_all;           /* every body passes the filter */
    kg_boundary_set boundaries; /* walls and planes that are targets */
    bool more_planes;           /* planes beyond those of a set are targets */
    bool surfaces;              /* they are targets; their tree is ready then */
    bool others;                /* there may be targets that are not bodies */
} kg_query_scope;

kg_query_scope kg_query_filter_open(const kugel_world *world, const kugel_filter *filter);
bool kg_query_filter_passes(const kg_query_scope *scope, kugel_body body);
/* False for an index that is free, too. */
bool kg_query_filter_passes_surface(const kg_query_scope *scope, uint32_t index);
bool kg_query_filter_has(const kugel_filter *filter, kugel_target target);
/* The number of registered ellipsoids that are targets. */
uint32_t kg_query_filter_ellipsoids(const kg_query_scope *scope);

static inline bool kg_query_accepts(const kg_query_scope *scope, kugel_body body)
{
    return scope->accepts_all || kg_query_filter_passes(scope, body);
}

/* A target: of a body the id and the image, of others the index. */
typedef struct kg_query_name {
    kugel_target target;
    uint32_t index;
    const int32_t *image;
} kg_query_name;

/* Order by kind, then index, then image. */
static inline bool kg_query_name_precedes(kg_query_name a, kg_query_name b)
{
    if (a.target != b.target) return a.target < b.target;
    if (a.index != b.index) return a.index < b.index;
    for (int k = 0; k < 3; ++k) {
        if (a.image[k] != b.image[k]) return a.image[k] < b.image[k];
    }
    return false;
}

/* query_line.c: rays (`radius` is NULL, hits are kugel_ray_hit), and spheres of a radius that move
 * along them (hits are kugel_cast_hit). */
void kg_query_line_closest(const kg_query_scope *scope, const kugel_ray *ray, const double *radius,
                           void *hit);
bool kg_query_line_any(const kg_query_scope *scope, const kugel_ray *ray, const double *radius);
size_t kg_query_line_all(const kg_query_scope *scope, const kugel_ray *ray, const double *radius,
                         size_t capacity, void *hits);
/* hits[i] belongs to rays[i]; several rays at once go through the tree of a mesh. */
void kg_query_rays_closest(const kg_query_scope *scope, size_t count, const kugel_ray *rays,
                           kugel_ray_hit *hits);

/* query_overlap.c */
size_t kg_query_overlap_sphere(const kg_query_scope *scope, const double center[3], double radius,
                               size_t capacity, kugel_found *found);
size_t kg_query_overlap_box(const kg_query_scope *scope, const double min[3], const double max[3],
                            size_t capacity, kugel_found *found);
size_t kg_query_overlap_ellipsoid(const kg_query_scope *scope, const kugel_ellipsoid *ellipsoid,
                                  size_t capacity, kugel_found *found);
size_t kg_query_overlap_point(const kg_query_scope *scope, const double point[3], size_t capacity,
                              kugel_found *found);

/* query_contacts.c: `contacts` as in kugel/body.h; for one body its index must be ready. */
size_t kg_query_body_contacts(const kugel_world *world, uint32_t id, size_t capacity,
                              kugel_resting_contact *contacts);
void kg_query_contact(const kugel_world *world, const kg_contact *contact,
                      kugel_resting_contact *out);

/* query_nearest.c, query_plane.c */
size_t kg_query_nearest(const kg_query_scope *scope, const double point[3], double most,
                        size_t capacity, kugel_found *found);
size_t kg_query_plane_side(const kg_query_scope *scope, const double normal[3], double offset,
                           int side, size_t capacity, kugel_found *found);

#endif
