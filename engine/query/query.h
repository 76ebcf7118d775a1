/* The queries behind api/api_query.c. In: checked arguments, and a world whose indices of the
 * targets are ready (query_plane.c needs none). Out: as in kugel/query.h. A size_t result is the
 * number of all results; at most `capacity` of them are written. */
#ifndef KG_QUERY_QUERY_H
#define KG_QUERY_QUERY_H

#include "kugel/body.h"
#include "world/boundary.h"
#include "world/world.h"

/* A world and the filter of one query. */
typedef struct kg_query_scope {
    const kugel_world *world;
    kugel_filter filter;
    bool find_bodies;      /* bodies are targets */
    bool accepts_all;      /* every body passes the filter */
    kg_boundary_set walls; /* walls that are targets */
    bool find_surfaces;    /* surfaces are targets */
    bool find_others;      /* some target other than a body may exist */
} kg_query_scope;

/* True if the default function made the filter, or if it is NULL. */
bool kg_query_filter_is_valid(const kugel_filter *filter);
/* Set *scope; the filter is valid, NULL for the default filter. The scope is not returned by value,
 * because the copy would have to wait for the stores of its members. */
void kg_query_filter_open(kg_query_scope *scope, const kugel_world *world,
                          const kugel_filter *filter);
/* True if the host's callback, if there is one, accepts a target that passes all other tests. */
bool kg_query_filter_accepts(const kg_query_scope *scope, kugel_target target, uint32_t index);
/* True if a body passes all tests of the filter, the host's callback last. */
bool kg_query_filter_passes(const kg_query_scope *scope, kugel_body body);
/* True if a surface has this index, surfaces are targets, and the surface passes the filter but for
 * the host's callback. */
bool kg_query_filter_passes_surface(const kg_query_scope *scope, uint32_t index);
/* True if the filter selects this kind of targets. */
bool kg_query_filter_has(const kugel_filter *filter, kugel_target target);

/* True if a body passes the filter; bodies must be targets. */
static inline bool kg_query_accepts(const kg_query_scope *scope, kugel_body body)
{
    return scope->accepts_all || kg_query_filter_passes(scope, body);
}

/* The sort key of a target. */
typedef struct kg_query_key {
    kugel_target target;  /* its kind */
    uint32_t index;       /* as in kugel_target: of a body the id */
    const int32_t *image; /* of a body: its periodic image; of other targets 0, 0, 0 */
} kg_query_key;

/* The order of targets: by kind, then index, then image. */
static inline bool kg_query_key_precedes(kg_query_key a, kg_query_key b)
{
    if (a.target != b.target) return a.target < b.target;
    if (a.index != b.index) return a.index < b.index;
    for (int k = 0; k < 3; ++k) {
        if (a.image[k] != b.image[k]) return a.image[k] < b.image[k];
    }
    return false;
}

/* query_line.c: queries along a ray. With a NULL radius hits are kugel_ray_hit. Else a sphere of
 * this radius (m) moves along the ray, and hits are kugel_cast_hit. */
void kg_query_line_closest(const kg_query_scope *scope, const kugel_ray *ray, const double *radius,
                           void *hit);
bool kg_query_line_any(const kg_query_scope *scope, const kugel_ray *ray, const double *radius);
size_t kg_query_line_all(const kg_query_scope *scope, const kugel_ray *ray, const double *radius,
                         size_t capacity, void *hits);
/* kg_query_line_closest for many rays: hits[i] belongs to rays[i]. Up to KG_QUERY_RAYS rays visit
 * the tree of a mesh together. */
void kg_query_rays_closest(const kg_query_scope *scope, size_t count, const kugel_ray *rays,
                           kugel_ray_hit *hits);

/* An ellipsoid in which a query finds targets. */
typedef struct kg_query_ellipsoid {
    double center[3];    /* m */
    double semi_axes[3]; /* m, >= 0, the longest > 0 */
    double rotation[4];  /* unit quaternion x, y, z, w */
} kg_query_ellipsoid;

/* query_overlap.c: targets that touch a volume. */
size_t kg_query_overlap_sphere(const kg_query_scope *scope, const double center[3], double radius,
                               size_t capacity, kugel_found *found);
size_t kg_query_overlap_box(const kg_query_scope *scope, const double min[3], const double max[3],
                            size_t capacity, kugel_found *found);
size_t kg_query_overlap_ellipsoid(const kg_query_scope *scope, const kg_query_ellipsoid *ellipsoid,
                                  size_t capacity, kugel_found *found);

/* query_contacts.c: the contacts of a body as in kugel_body_contacts. The index of contacts must be
 * ready (kg_contact_index_ensure). */
size_t kg_query_body_contacts(const kugel_world *world, uint32_t id, size_t capacity,
                              kugel_resting_contact *contacts);
/* Describes one contact of the world, with the bodies in their stored order. */
void kg_query_contact(const kugel_world *world, const kg_contact *contact,
                      kugel_resting_contact *out);

/* query_nearest.c: the targets nearest to a point, with gaps of at most max_gap, m. Returns the
 * number written; the capacity must be at least 1. */
size_t kg_query_nearest(const kg_query_scope *scope, const double point[3], double max_gap,
                        size_t capacity, kugel_found *found);
/* query_near.c: call visit(context, slot) for each body that may touch a sphere; radius: m. */
typedef void kg_query_slot_visit(void *context, uint32_t slot);
void kg_query_visit_near(const kugel_world *world, const double center[3], double radius,
                         kg_query_slot_visit *visit, void *context);
/* query_plane.c: the bodies on a side of a plane, as kugel_world_plane_side. */
size_t kg_query_plane_side(const kg_query_scope *scope, const double normal[3], double offset,
                           int side, size_t capacity, kugel_found *found);

#endif
