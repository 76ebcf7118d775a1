/* Worlds with surfaces: bodies that roll, pile up and sleep on a random terrain, and calls that
 * add, place, move and remove surfaces between the ticks. */
#ifndef SUPPORT_SURFACES_H
#define SUPPORT_SURFACES_H

#include <kugel/kugel.h>

#include "support/support_random.h"

enum { SUPPORT_TERRAIN_CELLS = 12 };

typedef struct support_terrain {
    double vertices[3 * (SUPPORT_TERRAIN_CELLS + 1) * (SUPPORT_TERRAIN_CELLS + 1)];
    uint32_t triangles[6 * SUPPORT_TERRAIN_CELLS * SUPPORT_TERRAIN_CELLS];
} support_terrain;

/* Hills of random heights up to `height` m over [-6, 6] x [-6, 6], and a def that uses them. */
kugel_surface_def support_terrain_make(support_terrain *terrain, support_random *random,
                                       double height);
/* A tetrahedron of edges of about 2 m around the origin, faces outwards. */
kugel_surface_def support_tetrahedron(void);

/* A terrain inside four walls, with a heap of `bodies` and a ball that rolls. */
kugel_world *support_surfaces_world(uint32_t bodies, const kugel_world_def *settings);
kugel_world_def support_surfaces_settings(void);
void support_surfaces_fill(kugel_world *world, uint32_t bodies);
/* Calls before the step of a tick: surfaces come, are placed, move, and go. */
void support_surfaces_calls(kugel_world *world, uint64_t tick);
/* Resting contacts with surfaces. */
uint32_t support_surface_contacts(const kugel_world *world);

#endif
