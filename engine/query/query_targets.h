/* Targets of queries that are not bodies. In: scope, and a line or volume. Out: calls of a visitor
 * for a line, kg_best_results for a volume.
 * Order of visits: walls by index, then surfaces near the line or volume. Cost: O(walls) +
 * O(log surfaces), and O(log triangles) for each surface near the line or volume. Surfaces without
 * an end are near all. */
#ifndef KG_QUERY_QUERY_TARGETS_H
#define KG_QUERY_QUERY_TARGETS_H

#include "query/best_results.h"
#include "query/query.h"
#include "query/query_walk_line.h"

/* A wall: the points with normal . x <= offset are solid. */
typedef struct kg_half_space {
    double normal[3]; /* unit */
    double offset;    /* m */
} kg_half_space;

static inline kg_half_space kg_query_wall(const kugel_world *world, uint32_t face)
{
    kg_half_space space = {0};
    uint32_t axis = face / 2;
    bool high = face & 1;
    space.normal[axis] = high ? -1 : 1;
    space.offset = high ? -world->def.bounds.max[axis] : world->def.bounds.min[axis];
    return space;
}

/* The place where a line meets a target. */
typedef struct kg_meeting {
    double time;   /* s; of a ray: t_enter */
    double radius; /* m, of the sphere that meets a body or wall; 0 for a ray */
    kugel_target target;
    uint32_t index;
    int32_t image[3]; /* of a body; else 0 */
    bool meets;       /* true: the line meets a target */
    kugel_body body;  /* null for other targets */
    /* of a surface: the triangle that a ray hits, or the number of the mesh's feature that a sphere
     * meets */
    uint32_t triangle;
    double normal[3]; /* of a surface: unit, on the line's side */
} kg_meeting;

/* A query along a line. */
typedef struct kg_line_query {
    const kg_query_scope *scope;
    const kugel_ray *ray;
    kg_line line; /* meetings beyond line.end do not count; a visitor may lower line.end */
    bool is_ray;  /* true: a ray; false: a moving sphere */
} kg_line_query;

/* query_line_targets.c: visits the targets that the line meets up to its end. */
typedef void kg_meeting_visit(void *context, const kg_meeting *meeting);
void kg_query_line_targets(const kg_line_query *query, kg_meeting_visit *visit, void *context);
/* The same for `count` rays of one scope, at most KG_QUERY_RAYS. A target of queries[i] is visited
 * with contexts[i]. */
enum { KG_QUERY_RAYS = 8 };
void kg_query_rays_targets(uint32_t count, const kg_line_query *const *queries,
                           kg_meeting_visit *visit, void *const *contexts);
/* Describes the hit at a meeting whose target is not a body. */
void kg_query_write_ray_hit(const kg_line_query *query, const kg_meeting *m, kugel_hit *hit);
void kg_query_write_cast_hit(const kg_line_query *query, const kg_meeting *m, kugel_cast_hit *hit);

/* A volume: a sphere, a box, or an ellipsoid. The members of the two others are 0 or NULL. */
typedef struct kg_volume {
    const double *center;                /* of a sphere, m */
    double radius;                       /* of a sphere, m; 0: a point */
    const double *min, *max;             /* of a box, m */
    const kg_query_ellipsoid *ellipsoid; /* an ellipsoid */
} kg_volume;

/* query_volume_targets.c: offers each target with a gap of at most max_gap (m), as kugel_found. If
 * `nearest` is true, results are in the order of gaps, and a target that would be dropped from them
 * need not be offered. */
void kg_query_volume_targets(const kg_query_scope *scope, const kg_volume *volume, double max_gap,
                             bool nearest, kg_best_results *results);

/* The order of kugel_found by target. */
static inline bool kg_query_found_precedes(const void *a, const void *b)
{
    const kugel_found *p = a, *q = b;
    return kg_query_key_precedes((kg_query_key){p->target, p->index, p->image},
                                 (kg_query_key){q->target, q->index, q->image});
}

/* query_overlap.c: sets point and normal of the bodies among found[count]. */
void kg_query_describe_bodies(const kugel_world *world, const kg_volume *volume, size_t count,
                              kugel_found *found);

#endif
