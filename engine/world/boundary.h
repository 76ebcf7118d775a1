/* Boundaries: numbered features of infinite mass that bodies collide with or cross. Numbers 0 ... 5
 * are the faces of the box: 2 axis + side, side 1 is the high one. Planes follow. Features of
 * surfaces have numbers of their own; a body meets those of the triangles in its list.
 * A new kind adds numbers and a case in each function of boundary.c. Other places in the step that
 * distinguish kinds: impact/predict_straight.h (faces), and for features contact/contact_find.c,
 * contact/measure.c, impact/resolve.c, world/work.h.
 * Order: kg_boundary_gap and _sweep determine results, so their operations stay in order. */
#ifndef KG_WORLD_BOUNDARY_H
#define KG_WORLD_BOUNDARY_H

#include "kugel/events.h"
#include "world/contact_material.h"
#include "world/contact_set.h"
#include "world/surfaces.h"

struct kugel_world;
struct kg_motion;

typedef uint32_t kg_boundary;
enum { KG_BOUNDARY_FACES = 6 };

/* Features of surfaces: this plus 8 * triangle of the world + part (surfaces/mesh.h). */
#define KG_BOUNDARY_FEATURES 0x80000000u
static inline bool kg_boundary_is_feature(kg_boundary k) { return k >= KG_BOUNDARY_FEATURES; }
/* True for a facet of a mesh and for a shape. */
static inline bool kg_boundary_is_facet(kg_boundary k)
{
    return kg_boundary_is_feature(k) && (k - KG_BOUNDARY_FEATURES) % KG_PARTS == KG_PART_FACE;
}

/* kg_contact.with of a contact with a boundary. */
static inline uint8_t kg_boundary_contact_with(kg_boundary k)
{
    return kg_boundary_is_feature(k) ? KG_WITH_FEATURE : (uint8_t)k;
}

/* A set of faces and the first planes, a bit for each, iterated from the lowest number; the last
 * bit is free for the owner of a set. Further planes are features (world/surfaces.h). */
typedef uint64_t kg_boundary_set;
enum {
    KG_BOUNDARY_LIMIT = 8 * sizeof(kg_boundary_set) - 1,
    KG_SET_PLANES = KG_BOUNDARY_LIMIT - KG_BOUNDARY_FACES
};
/* Most planes of a world: searches are linear in their number. */
#define KG_PLANE_LIMIT 16384u
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

/* The planes of a world: reserve all, then add, which cannot fail. */
bool kg_boundary_reserve_planes(struct kugel_world *world, uint32_t count);
void kg_boundary_add_plane(struct kugel_world *world, const kugel_plane *plane);
void kg_boundary_remove_planes(struct kugel_world *world);

/* Walls, periodic faces and planes. */
kg_boundary_set kg_boundary_all(const struct kugel_world *world);
/* All but the faces: kg_boundary_besides_faces, inline in world.h. */
/* Walls and planes: bodies collide with them and rest on them. */
kg_boundary_set kg_boundary_solid(const struct kugel_world *world);
/* True for a periodic face: centres cross it. */
bool kg_boundary_is_periodic(const struct kugel_world *world, kg_boundary k);
/* Its name in events: kind, index of the face, plane or surface, triangle of the surface. */
typedef struct kg_boundary_name {
    kugel_target target;
    uint32_t index, triangle;
} kg_boundary_name;
kg_boundary_name kg_boundary_name_of(const struct kugel_world *world, kg_boundary k);
/* Name the target of an event: kugel_touch, kugel_impact or kugel_resting_contact. */
#define KG_NAME_TARGET(event, name_of)                                                             \
    do {                                                                                           \
        kg_boundary_name name = name_of;                                                           \
        (event)->target = name.target;                                                             \
        (event)->index = name.index;                                                               \
        (event)->triangle = name.triangle;                                                         \
    } while (0)
kg_contact_material kg_boundary_material(const struct kugel_world *world, kg_boundary k);

/* In a step, `t` is the time in the substep, s: surfaces may move. Between steps it is 0. */
/* Gap between the boundary and a sphere, m; below 0 where they overlap. KG_NEVER for a feature of a
 * surface that is not the nearest point of the surface to the centre. */
double kg_boundary_gap(const struct kugel_world *world, kg_boundary k, double t,
                       const double centre[3], double radius);
/* Unit normal into the boundary, at the point next to `centre`. */
void kg_boundary_normal(const struct kugel_world *world, kg_boundary k, double t,
                        const double centre[3], double normal[3]);
/* Both: the gap, and the normal. */
double kg_boundary_measure(const struct kugel_world *world, kg_boundary k, double t,
                           const double centre[3], double radius, double normal[3]);
/* The same of a resting contact between steps: where another part of the surface has become the
 * nearest, the gap is that to the plane, line or point of the feature. */
double kg_boundary_contact_gap(const struct kugel_world *world, kg_boundary k,
                               const double centre[3], double radius, double normal[3]);
/* The triangle of a surface's feature at a point: a flat part may consist of many. */
uint32_t kg_boundary_triangle_at(const struct kugel_world *world, kg_boundary k, double t,
                                 const double point[3]);
/* Velocity of the boundary at a point, m/s. */
void kg_boundary_velocity(const struct kugel_world *world, kg_boundary k, double t,
                          const double point[3], double velocity[3]);
/* True for a feature of a surface that moves. */
bool kg_boundary_moves(const struct kugel_world *world, kg_boundary k);
/* False for a feature of a surface whose filter excludes the material. */
bool kg_boundary_admits(const struct kugel_world *world, kg_boundary k,
                        const kg_material *material);
/* A box from `low` to `high` whose points are at least `margin` (m) away from every face. False if
 * the world has planes. Surfaces are not considered. */
bool kg_boundary_interior(const struct kugel_world *world, double margin, double low[3],
                          double high[3]);

/* Where a sphere meets a boundary. */
typedef struct kg_boundary_impact {
    double time;         /* s after the clock of the motion, or KG_NEVER */
    double approach;     /* m/s, at that time */
    double acceleration; /* m/s^2, away from the boundary; 0 if along it but for rounding */
} kg_boundary_impact;

/* Sweep a sphere along its path, with the acceleration `a` of its frame, for `horizon` s after its
 * clock. k: a face or a plane of the set; kg_boundary_sweep_triangle sweeps features. */
kg_boundary_impact kg_boundary_sweep(const struct kugel_world *world, kg_boundary k,
                                     const struct kg_motion *motion, const double a[3],
                                     double radius, double horizon);

/* Triangles of surfaces, by their numbers in the world; a shape has one. */

/* Flag of a number: the whole facet of the triangle, where its borders are out of reach. Only its
 * plane is tested. */
#define KG_WHOLE_FACET 0x80000000u

/* Distance of a point from a triangle, m. */
double kg_boundary_distance(const struct kugel_world *world, uint32_t triangle,
                            const double point[3]);
/* Lower bound, m, of the path on which a body comes to touch a part of the triangle that it does
 * not rest on. */
double kg_boundary_clearance(const struct kugel_world *world, uint32_t triangle, uint32_t slot);
/* The feature of a triangle that is nearest to a point; true if none of the surface is nearer. */
bool kg_boundary_nearest(const struct kugel_world *world, uint32_t triangle, const double point[3],
                         kg_boundary *k);
/* Where a point is beside the facet of a triangle of a surface at `pose`. */
typedef struct kg_facet_side {
    double in_frame[3]; /* m, the point */
    double height;      /* m, over the plane; < 0: behind it */
    double normal[3];   /* unit, of the front, in the world */
} kg_facet_side;
kg_facet_side kg_boundary_side(const struct kugel_world *world, uint32_t triangle,
                               const kg_pose *pose, const double point[3]);
/* True if the point is over or under the triangle. */
bool kg_boundary_is_over(const struct kugel_world *world, uint32_t triangle,
                         const kg_facet_side *side);
const kg_surface *kg_boundary_surface(const struct kugel_world *world, uint32_t triangle);
/* Gap between a sphere and a facet, m, if a triangle is of this facet and the sphere is over it;
 * else KG_NEVER. The normal is as that of kg_boundary_normal. At the start of a substep. */
double kg_boundary_facet_gap(const struct kugel_world *world, kg_boundary facet, uint32_t triangle,
                             const double centre[3], double radius, double normal[3]);
/* The facet of a triangle, or of a shape. */
kg_boundary kg_boundary_facet(const struct kugel_world *world, uint32_t triangle);

/* What a sphere meets of a triangle: its facet, and the edges and vertices that it owns. */
enum { KG_TRIANGLE_IMPACTS = 7 };
typedef struct kg_triangle_impacts {
    uint32_t count;
    kg_boundary boundary[KG_TRIANGLE_IMPACTS];
    kg_boundary_impact impact[KG_TRIANGLE_IMPACTS];
} kg_triangle_impacts;
/* Sweeps of one body against triangles, one after another. */
typedef struct kg_triangle_sweep {
    const struct kg_motion *motion;
    double a[3]; /* m/s^2 */
    /* s, after the body's clock. Times of impact are computed for a motion that holds up to
     * `horizon`; what the body cannot touch from `from` to `until` is left out. */
    double from, until, horizon;
    /* in the frame of the last triangle's surface, NULL before the first triangle */
    const kg_surface *surface;
    kg_mesh_path path;
    double own[3];          /* m/s^2, the acceleration without that of the frame */
    double low[3], high[3]; /* m, around all places of the sphere from `from` to `until` */
} kg_triangle_sweep;
/* As kg_boundary_sweep. */
void kg_boundary_sweep_triangle(const struct kugel_world *world, uint32_t triangle,
                                kg_triangle_sweep *sweep, kg_triangle_impacts *all);

#endif
