/* Boundaries: numbered faces and features of infinite mass that bodies collide with or cross. The
 * faces of the box have the numbers 0 ... 5: 2 axis + side, with side 1 the high one. Features of
 * surfaces begin at KG_BOUNDARY_FEATURES.
 * A new kind adds numbers and a case in each function of boundary.c.
 * Order: kg_boundary_gap and kg_boundary_sweep determine results: keep the order of operations. */
#ifndef KG_WORLD_BOUNDARY_H
#define KG_WORLD_BOUNDARY_H

#include "base/compiler.h"
#include "kugel/events.h"
#include "world/contact_material.h"
#include "world/contact_set.h"
#include "world/surfaces.h"

struct kugel_world;
struct kg_motion;

typedef uint32_t kg_boundary;
enum { KG_FACE_COUNT = 6 };

/* A feature of a surface has the number KG_BOUNDARY_FEATURES + 8 * triangle + part, with the number
 * of the triangle in the world (world/surfaces.h) and the part of surfaces/mesh.h. */
#define KG_BOUNDARY_FEATURES 0x80000000u
static inline bool kg_boundary_is_feature(kg_boundary k) { return k >= KG_BOUNDARY_FEATURES; }
/* True for a facet of a mesh and for a shape. */
static inline bool kg_boundary_is_facet(kg_boundary k)
{
    return kg_boundary_is_feature(k) && (k - KG_BOUNDARY_FEATURES) % KG_PARTS == KG_PART_FACE;
}

/* True for an edge or vertex of a mesh, and for a solid shape other than a plane: the normal into
 * it turns as a body passes. */
bool kg_boundary_is_curved(const struct kugel_world *world, kg_boundary k);

/* The value of kg_contact.with for a contact with a boundary. */
static inline uint8_t kg_boundary_contact_with(kg_boundary k)
{
    return kg_boundary_is_feature(k) ? KG_WITH_FEATURE : (uint8_t)k;
}

/* A set of faces: bit k for face k. The last bit is a flag for the owner of the set. */
typedef uint8_t kg_boundary_set;
#define KG_BOUNDARY_SET_FLAG ((kg_boundary_set)0x80)

static inline kg_boundary_set kg_boundary_set_of(kg_boundary k)
{
    return (kg_boundary_set)(1u << k);
}
static inline bool kg_boundary_set_has(kg_boundary_set set, kg_boundary k) { return set >> k & 1; }
/* Remove and return the lowest boundary of a set that is not empty. */
static inline kg_boundary kg_boundary_set_take(kg_boundary_set *set)
{
    kg_boundary k = (kg_boundary)kg_lowest_bit(*set);
    *set &= (kg_boundary_set)(*set - 1);
    return k;
}

/* Walls and periodic faces. */
kg_boundary_set kg_boundary_all(const struct kugel_world *world);
/* Walls, with which bodies collide. */
kg_boundary_set kg_boundary_solid(const struct kugel_world *world);
/* True for a periodic face: centres cross it. */
bool kg_boundary_is_periodic(const struct kugel_world *world, kg_boundary k);
/* The name of a boundary in events. */
typedef struct kg_boundary_name {
    kugel_target target;
    uint32_t index;    /* of the face or surface */
    uint32_t triangle; /* of the surface */
} kg_boundary_name;
kg_boundary_name kg_boundary_name_of(const struct kugel_world *world, kg_boundary k);
/* Write a name into an event: kugel_touch, kugel_impact or kugel_resting_contact. */
#define KG_NAME_TARGET(event, name_of)                                                             \
    do {                                                                                           \
        kg_boundary_name name = name_of;                                                           \
        (event)->target = name.target;                                                             \
        (event)->index = name.index;                                                               \
        (event)->triangle = name.triangle;                                                         \
    } while (0)
/* The surface of a feature. */
const kg_surface *kg_boundary_surface_of(const struct kugel_world *world, kg_boundary k);
kg_contact_material kg_boundary_material(const struct kugel_world *world, kg_boundary k);

/* In the functions below points are in the world. `t` is the time in the substep, s, at which the
 * poses of moving surfaces are taken; between steps it is 0. */
/* Gap between the boundary and a sphere, m; below 0 where they overlap. KG_NEVER for a feature that
 * is not the nearest part of its surface to the centre. */
double kg_boundary_gap(const struct kugel_world *world, kg_boundary k, double t,
                       const double centre[3], double radius);
/* Unit normal from `centre` into the boundary, at the boundary's nearest point. */
void kg_boundary_normal(const struct kugel_world *world, kg_boundary k, double t,
                        const double centre[3], double normal[3]);
/* kg_boundary_gap and kg_boundary_normal in one call: returns the gap. */
double kg_boundary_measure(const struct kugel_world *world, kg_boundary k, double t,
                           const double centre[3], double radius, double normal[3]);
/* Gap and normal of a resting contact, measured to the plane, line or point of a feature, also
 * where another part of the surface has become the nearest. */
double kg_boundary_contact_gap(const struct kugel_world *world, kg_boundary k, double t,
                               const double centre[3], double radius, double normal[3]);
/* The triangle at a point of a feature, by its number in the mesh: a facet consists of many. */
uint32_t kg_boundary_triangle_at(const struct kugel_world *world, kg_boundary k, double t,
                                 const double point[3]);
/* Velocity of the boundary at a point, m/s. */
void kg_boundary_velocity(const struct kugel_world *world, kg_boundary k, double t,
                          const double point[3], double velocity[3]);
/* The same with the tangent velocity of its surface: that of the material which friction drags
 * along. `normal`: unit, at the contact. */
void kg_boundary_material_velocity(const struct kugel_world *world, kg_boundary k, double t,
                                   const double point[3], const double normal[3],
                                   double velocity[3]);
/* True if the boundary is a feature of a surface that moves or has a tangent velocity. */
bool kg_boundary_moves(const struct kugel_world *world, kg_boundary k);
/* True if the boundary is a feature of a surface that has a spin. */
bool kg_boundary_turns(const struct kugel_world *world, kg_boundary k);
/* Upper bound, m/s, of the terms that sum to the boundary's velocity by its spin at a point: the
 * velocity is rounded by a share of this bound. 0 for a boundary without spin. */
double kg_boundary_turn_speed_bound(const struct kugel_world *world, kg_boundary k,
                                    const double point[3]);
/* True if the boundary collides with bodies of the material: no filter of a surface excludes it. */
bool kg_boundary_admits(const struct kugel_world *world, kg_boundary k,
                        const kg_material *material);

/* The impact of a sphere with a boundary. */
typedef struct kg_boundary_impact {
    double time;     /* s after the clock of the motion; KG_NEVER: no impact */
    double approach; /* m/s, at that time */
    /* m/s^2, away from the boundary; 0 if rounding alone makes it differ from 0 */
    double acceleration;
} kg_boundary_impact;

/* Sweep a sphere along its path for `horizon` s after its clock. `a`: acceleration of its falling
 * frame (world/work.h), m/s^2. `growth`: m/s, of the radius, >= 0. k: a face; for features there is
 * kg_boundary_sweep_triangle. */
kg_boundary_impact kg_boundary_sweep(const struct kugel_world *world, kg_boundary k,
                                     const struct kg_motion *motion, const double a[3],
                                     double radius, double growth, double horizon);

/* boundary_features.c: triangles of surfaces, by their numbers in the world. A shape is one
 * triangle. Points are in the world, and poses are those at the start of the substep, unless
 * stated. */

/* Flag of a triangle's number: it stands for its whole facet, whose borders are out of the body's
 * reach. Only the plane of the facet is tested. */
#define KG_WHOLE_FACET 0x80000000u

/* Distance of a point from a triangle, m; from a shape it is below 0 inside. */
double kg_boundary_distance(const struct kugel_world *world, uint32_t triangle,
                            const double point[3]);
/* Lower bound, m, of the path of a body to a collision with those parts of the triangle on which it
 * does not rest. Where this exceeds `most` (m), the result may be `most`. *rests: true if the body
 * rests on some part. */
double kg_boundary_clearance(const struct kugel_world *world, uint32_t triangle, uint32_t slot,
                             double most, bool *rests);
/* Set *k to the feature of a triangle that is nearest to a point. False if the triangle is farther
 * than `reach` (m), or if another part of the surface is nearer; for KG_WHOLE_FACET and a shape no
 * other part is. `last`: of earlier calls with the same point; empty at first. */
bool kg_boundary_nearest(const struct kugel_world *world, uint32_t triangle, const double point[3],
                         double reach, kg_mesh_last_sharp *last, kg_boundary *k);
/* The position of a point relative to the facet of a triangle. */
typedef struct kg_facet_side {
    double in_frame[3]; /* m, the point in the frame of the surface */
    double height;      /* m, over the facet's plane or a shape; < 0: behind it */
    double normal[3];   /* unit, of the front, in the world */
} kg_facet_side;
/* `pose`: of the surface, at the time of interest. */
kg_facet_side kg_boundary_side(const struct kugel_world *world, uint32_t triangle,
                               const kg_pose *pose, const double point[3]);
/* True if the point is over or under the triangle; always true for KG_WHOLE_FACET and a shape. */
bool kg_boundary_is_over(const struct kugel_world *world, uint32_t triangle,
                         const kg_facet_side *side);
/* The surface to which a triangle belongs. */
const kg_surface *kg_boundary_surface(const struct kugel_world *world, uint32_t triangle);
/* True for KG_WHOLE_FACET and a shape. */
static inline bool kg_boundary_is_unbounded(const struct kugel_world *world, uint32_t triangle)
{
    return triangle & KG_WHOLE_FACET || kg_surface_is_solid(kg_boundary_surface(world, triangle));
}
/* True if the triangle is a facet alone; also for KG_WHOLE_FACET and a shape. */
bool kg_boundary_is_whole_facet(const struct kugel_world *world, uint32_t triangle);
/* Gap between a sphere and a facet, m, if the triangle belongs to the facet and the centre is over
 * the triangle; else KG_NEVER. *normal: as from kg_boundary_normal. */
double kg_boundary_facet_gap(const struct kugel_world *world, kg_boundary facet, uint32_t triangle,
                             const double centre[3], double radius, double normal[3]);
/* The facet of a triangle, or of a shape. */
kg_boundary kg_boundary_facet(const struct kugel_world *world, uint32_t triangle);

/* The impacts of a sphere with a triangle: with its facet, and with the edges and vertices that it
 * owns. */
enum { KG_TRIANGLE_IMPACTS = 7 };
typedef struct kg_triangle_impacts {
    uint32_t count;
    kg_boundary boundary[KG_TRIANGLE_IMPACTS];
    kg_boundary_impact impact[KG_TRIANGLE_IMPACTS];
} kg_triangle_impacts;
/* Sweeps of one body against triangles, one after another. The caller sets the first group of
 * members and surface = NULL. */
typedef struct kg_triangle_sweep {
    const struct kg_motion *motion;
    double a[3];        /* m/s^2, of the body's falling frame */
    double from, until; /* s after the body's clock: parts out of reach in between are skipped */
    double horizon;     /* s after the body's clock: the end of the motion that is swept */

    bool without_facet; /* the facet of the next triangle, which has borders, needs no sweep */
    const kg_surface *surface; /* of the last triangle; NULL: none yet */
    /* in the frame of that surface */
    kg_mesh_path path;
    double own[3];          /* m/s^2, `a` without the terms that the frame's spin adds */
    double low[3], high[3]; /* m, the box of the sphere from `from` to `until` */
} kg_triangle_sweep;
/* Sweep a body against a triangle, as kg_boundary_sweep does against a face. */
void kg_boundary_sweep_triangle(const struct kugel_world *world, uint32_t triangle,
                                kg_triangle_sweep *sweep, kg_triangle_impacts *all);

#endif
