/* Scenes for behaviour tests: world def, planes, solid shapes and bodies as plain values, from
 * which both the engine and the oracle can start. Lengths in metres, angles in radians. */
#ifndef SUPPORT_SCENE_H
#define SUPPORT_SCENE_H

#include <kugel/kugel.h>

#include "support/support_plane.h"
#include "support/support_random.h"

typedef struct support_scene {
    kugel_world_def def;
    support_plane planes[8];
    uint32_t plane_count;
    kugel_surface_def shapes[4]; /* solid ones */
    uint32_t shape_count;
    kugel_body_def *bodies; /* [id] */
    uint32_t count, capacity;
} support_scene;

/* An empty hard-sphere world: threshold 0, slop 0, no gravity, one substep, all faces open. */
support_scene support_scene_start(void);
void support_scene_free(support_scene *scene);
/* A cube [0, length]^3 with six faces of one kind; walls are elastic and smooth. */
void support_scene_box(support_scene *scene, double length, kugel_face face);
/* Add a body with restitution 1 and friction 0, for the caller to change. The pointer is valid
 * until the next add. */
kugel_body_def *support_scene_add(support_scene *scene, const double position[3],
                                  const double velocity[3], double radius, double mass);

/* An elastic gas of 4 cells^3 spheres (radius 0.5, mass 1) on a face-centred lattice in a cube,
 * with packing fraction eta, Gaussian velocities of sigma (m/s) along each axis and total momentum
 * 0. Walls need eta <= 0.26. */
support_scene support_scene_gas(uint32_t cells, double eta, kugel_face face, double sigma,
                                support_random *random);

/* 6,075 spheres, 2 m apart in a tower of 18 x 18 x 150 m: packing fraction 0.065, sigma 5 m/s. High
 * enough for subdomains on two threads. */
support_scene support_scene_tower(kugel_face face, support_random *random);

/* Spheres at random places in a cube [0, length]^3. */
typedef struct support_mix {
    uint32_t count;
    double length, radius[2], mass[2]; /* m; ranges in m and kg */
    double sigma;                      /* m/s along each axis, Gaussian */
    kugel_face face;                   /* of all six faces */
} support_mix;
/* Places the spheres without overlaps; for low packing fractions. */
support_scene support_scene_mixed(const support_mix *mix, support_random *random);

/* Shift all bodies and bounds. */
void support_scene_shift(support_scene *scene, const double by[3]);

/* Create the world; fails the test on error. */
kugel_world *support_scene_world(const support_scene *scene);
/* As support_scene_world, with the share of the bodies of this rank; exchange NULL: all bodies. */
kugel_world *support_scene_share(const support_scene *scene, const kugel_exchange *exchange);
/* Step and assert success. */
void support_run(kugel_world *world, double dt, uint32_t ticks);
/* Read the state of a body, which must exist. */
void support_state(const kugel_world *world, uint32_t id, kugel_body_state *state);
/* Kinetic energy of translation and rotation, J. */
double support_kinetic_energy(const kugel_world *world);

/* Largest distance of a body from its initial place in the scene, m. */
double support_farthest(const support_scene *scene, const kugel_world *world);

/* Deepest overlap of two bodies, in radii of the smaller one; 0 without overlaps. Tests all pairs
 * through cells; `scene` gives radii and bounds, rows are ids. */
double support_worst_overlap(const support_scene *scene, const kugel_world *world);
typedef struct support_overlaps {
    double worst; /* in radii of the smaller body */
    double mean;  /* over all pairs that overlap */
    size_t pairs; /* number of pairs that overlap */
} support_overlaps;
/* As support_worst_overlap, for all pairs that overlap. */
support_overlaps support_all_overlaps(const support_scene *scene, const kugel_world *world);

#endif
