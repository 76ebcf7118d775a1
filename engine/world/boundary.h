/* Boundaries: numbered features of infinite mass that bodies collide with or cross. Numbers 0 ... 5
 * are the faces of the box: 2 axis + side, side 1 is the high one. Planes follow.
 * A new kind adds numbers and a case in each function of boundary.c. One other place in the step
 * distinguishes kinds: cell lists know which faces a body can reach (impact/predict_straight.h).
 * Order: kg_boundary_gap and _sweep determine results, so their operations stay in order. */
#ifndef KG_WORLD_BOUNDARY_H
#define KG_WORLD_BOUNDARY_H

#include "kugel/events.h"
#include "world/surface.h"

struct kugel_world;
struct kg_motion;

typedef uint32_t kg_boundary;
enum { KG_BOUNDARY_FACES = 6 };

/* A set of boundaries, a bit for each, iterated from the lowest number. Its width limits the planes
 * of a world; the last bit is free for the owner of a set. */
typedef uint64_t kg_boundary_set;
enum {
    KG_BOUNDARY_LIMIT = 8 * sizeof(kg_boundary_set) - 1,
    KG_PLANE_LIMIT = KG_BOUNDARY_LIMIT - KG_BOUNDARY_FACES
};
#define KG_BOUNDARY_SET_FLAG ((kg_boundary_set)1 << KG_BOUNDARY_LIMIT)

static inline kg_boundary_set kg_boundary_set_of(kg_boundary k) { return (kg_boundary_set)1 << k; }
static inline bool kg_boundary_set_has(kg_boundary_set set, kg_boundary k) { return set >> k & 1; }
static inline uint32_t kg_boundary_set_count(kg_boundary_set set)
{
    uint32_t count = 0;
    for (; set; set &= set - 1) ++count;
    return count;
}
/* Remove and return the lowest boundary of a set that is not empty. */
static inline kg_boundary kg_boundary_set_take(kg_boundary_set *set)
{
    kg_boundary k = (kg_boundary)__builtin_ctzll(*set);
    *set &= *set - 1;
    return k;
}

/* Walls, periodic faces and planes. */
kg_boundary_set kg_boundary_all(const struct kugel_world *world);
/* All but the faces. */
kg_boundary_set kg_boundary_besides_faces(const struct kugel_world *world);
/* Walls and planes: bodies collide with them and rest on them. */
kg_boundary_set kg_boundary_solid(const struct kugel_world *world);
/* True for a periodic face: centres cross it. */
bool kg_boundary_is_periodic(const struct kugel_world *world, kg_boundary k);
/* Its kind in events; *index becomes the index of the face or plane. */
kugel_target kg_boundary_target(kg_boundary k, uint32_t *index);
kg_surface kg_boundary_surface(const struct kugel_world *world, kg_boundary k);

/* Gap between the boundary and a sphere, m; below 0 where they overlap. */
double kg_boundary_gap(const struct kugel_world *world, kg_boundary k, const double centre[3],
                       double radius);
/* Unit normal into the boundary, at the point next to `centre`. */
void kg_boundary_normal(const struct kugel_world *world, kg_boundary k, const double centre[3],
                        double normal[3]);
/* A box from `low` to `high` whose points are at least `margin` away from every boundary, m; false
 * if the boundaries are not such that a box tells. */
bool kg_boundary_interior(const struct kugel_world *world, double margin, double low[3],
                          double high[3]);

/* Where a sphere meets a boundary. */
typedef struct kg_boundary_impact {
    double time;         /* s after the clock of the motion, or KG_NEVER */
    double approach;     /* m/s, at that time */
    double acceleration; /* m/s^2, away from the boundary; 0 if along it but for rounding */
} kg_boundary_impact;

/* Sweep a sphere along its path, with the acceleration `a` of its frame, for `horizon` s after its
 * clock. */
kg_boundary_impact kg_boundary_sweep(const struct kugel_world *world, kg_boundary k,
                                     const struct kg_motion *motion, const double a[3],
                                     double radius, double horizon);

#endif
