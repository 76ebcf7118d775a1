/* Scenes for behaviour tests: world def, planes and bodies as plain values, so that engine and
 * oracle can take the same scene. Lengths in metres, angles in radians. */
#ifndef SUPPORT_SCENE_H
#define SUPPORT_SCENE_H

#include <kugel/kugel.h>

#include "support/support_random.h"

typedef struct support_scene {
    kugel_world_def def;
    kugel_plane planes[8];
    uint32_t plane_count;
    kugel_body_def *bodies; /* in the order of creation: the row is the id */
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
 * packing fraction eta; Gaussian speeds, sigma per component; total momentum 0. Walls need eta <=
 * 0.26. */
support_scene support_scene_gas(uint32_t cells, double eta, kugel_face face, double sigma,
                                support_random *random);

/* 6,075 spheres, 2 m apart in a tower of 18 x 18 x 150 m, packing 0.07, sigma 5. High enough for
 * subdomains on two threads. */
support_scene support_scene_tower(kugel_face face, support_random *random);

/* `count` spheres at random places without overlap in a cube [0, length]^3 of the given faces,
 * radii in [r_low, r_high], masses in [m_low, m_high], Gaussian speeds. For low packings. */
typedef struct support_mix {
    uint32_t count;
    double length, radius[2], mass[2], sigma;
    kugel_face face;
} support_mix;
support_scene support_scene_mixed(const support_mix *mix, support_random *random);

/* Shift all bodies and bounds. */
void support_scene_shift(support_scene *scene, const double by[3]);

/* Create the world; fails the test on error. */
kugel_world *support_scene_world(const support_scene *scene);
/* The same, with a share of the bodies for this rank; exchange NULL: all. */
kugel_world *support_scene_share(const support_scene *scene, const kugel_exchange *exchange);
/* Step, asserting success. */
void support_run(kugel_world *world, double dt, uint32_t ticks);
void support_state(const kugel_world *world, uint32_t id, kugel_body_state *state);
/* J, of rotation too. */
double support_kinetic_energy(const kugel_world *world);

/* Largest distance of a body from its place in the scene, m. */
double support_farthest(const support_scene *scene, const kugel_world *world);

/* Deepest overlap of two bodies, in radii of the smaller one; 0 without overlaps. Tests all pairs
 * through cells; `scene` gives radii and bounds, rows are ids. */
double support_worst_overlap(const support_scene *scene, const kugel_world *world);
/* The same, with the mean over all pairs that overlap. */
typedef struct support_overlaps {
    double worst, mean; /* in radii */
    size_t pairs;
} support_overlaps;
support_overlaps support_all_overlaps(const support_scene *scene, const kugel_world *world);

#endif
