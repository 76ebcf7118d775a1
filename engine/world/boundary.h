/* Boundaries: numbered features of infinite mass that bodies collide with or cross. Numbers 0 ... 5
 * are the faces of the box, planes follow. Only this interface distinguishes the kinds: a new kind
 * adds numbers, a case in each function of boundary.c, and its part of API, snapshot and scene.
 * Order: kg_boundary_gap and _motion determine results, so their operations stay in order. */
#ifndef KG_WORLD_BOUNDARY_H
#define KG_WORLD_BOUNDARY_H

#include "kugel/events.h"
#include "world/surface.h"

struct kugel_world;

typedef uint32_t kg_boundary;
enum { KG_BOUNDARY_FACES = 6 };

/* A set of boundaries, iterated from the lowest number. Use the functions below only. */
typedef uint64_t kg_boundary_set;
/* Most boundaries of a world. */
#define KG_BOUNDARY_LIMIT 63u
/* A bit of a set that is free for its owner. */
#define KG_BOUNDARY_SET_FLAG ((kg_boundary_set)1 << 63)

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
/* All planes. */
kg_boundary_set kg_boundary_planes(const struct kugel_world *world);
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
/* Unit normal into the boundary. */
void kg_boundary_normal(const struct kugel_world *world, kg_boundary k, double normal[3]);
/* Of a centre at t on the path x + a t^2 / 2 with velocity v + a t: its distance from the boundary
 * (m), its speed and its acceleration away from it. The latter is 0 where the two are at right
 * angles but for rounding. */
void kg_boundary_motion(const struct kugel_world *world, kg_boundary k, const double x[3],
                        const double v[3], const double a[3], double t, double *distance,
                        double *speed, double *acceleration);

#endif
