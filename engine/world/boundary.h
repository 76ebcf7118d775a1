/* Boundaries: everything that bodies meet besides bodies. A boundary is a numbered feature of
 * infinite mass; this is the only place that knows which kinds there are and where they lie. Today:
 * six faces of the box (0 ... 5) and planes (from 6 on). A new kind adds its numbers, a case in
 * each function of boundary.c, and its part of the API, the snapshot and the scene. Bits:
 * kg_boundary_gap, _along and _pull are part of the results; their order of operations is fixed. */
#ifndef KG_WORLD_BOUNDARY_H
#define KG_WORLD_BOUNDARY_H

#include "kugel/events.h"
#include "world/surface.h"

struct kugel_world;

typedef uint32_t kg_boundary;
enum { KG_BOUNDARY_FACES = 6 };

/* A set of boundaries, lowest number first. Used through the functions below only: how it is stored
 * is theirs. */
typedef uint64_t kg_boundary_set;
/* Boundaries of a world, at most: a set keeps one bit for its holder. */
#define KG_BOUNDARY_LIMIT 63u
/* In a set: no boundary, but a flag that the holder of the set may use. */
#define KG_BOUNDARY_SET_FLAG ((kg_boundary_set)1 << 63)

static inline kg_boundary_set kg_boundary_set_of(kg_boundary k) { return (kg_boundary_set)1 << k; }
static inline bool kg_boundary_set_has(kg_boundary_set set, kg_boundary k) { return set >> k & 1; }
static inline uint32_t kg_boundary_set_count(kg_boundary_set set)
{
    uint32_t count = 0;
    for (; set; set &= set - 1) ++count; /* few: no instruction that old processors lack */
    return count;
}
/* Take the lowest boundary out of a set that is not empty. */
static inline kg_boundary kg_boundary_set_take(kg_boundary_set *set)
{
    kg_boundary k = (kg_boundary)__builtin_ctzll(*set);
    *set &= *set - 1;
    return k;
}

/* Every face and plane that is not open: bodies meet it, or their centres cross it. */
kg_boundary_set kg_boundary_all(const struct kugel_world *world);
/* All planes: what has no place along an axis. */
kg_boundary_set kg_boundary_planes(const struct kugel_world *world);
/* Those that bodies bounce off and rest on. */
kg_boundary_set kg_boundary_solid(const struct kugel_world *world);
/* True for a periodic face: centres cross it. */
bool kg_boundary_is_periodic(const struct kugel_world *world, kg_boundary k);
/* As events name it; *index is the face or plane. */
kugel_target kg_boundary_target(kg_boundary k, uint32_t *index);
kg_surface kg_boundary_surface(const struct kugel_world *world, kg_boundary k);

/* Distance from the boundary of a sphere's surface, m, below 0 beyond it; radius 0: of the centre.
 */
double kg_boundary_gap(const struct kugel_world *world, kg_boundary k, const double centre[3],
                       double radius);
/* Unit normal into the boundary: the direction in which a body pushes it. */
void kg_boundary_normal(const struct kugel_world *world, kg_boundary k, double normal[3]);
/* Component of a velocity away from the boundary. */
double kg_boundary_along(const struct kugel_world *world, kg_boundary k, const double v[3]);
/* Component of an acceleration away from the boundary; 0 where the two are at right angles but for
 * rounding. */
double kg_boundary_pull(const struct kugel_world *world, kg_boundary k, const double a[3]);

#endif
