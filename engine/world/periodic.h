/* Periodic axes: their lengths, nearest images (minimum image convention), and whether two bodies
 * overlap. Cost: a few operations. */
#ifndef KG_WORLD_PERIODIC_H
#define KG_WORLD_PERIODIC_H

#include "world/world.h"

/* Length of a periodic axis, m; 0 where the axis is not periodic. */
double kg_periodic_length(const kugel_world *world, int axis);
/* True if some axis is periodic. */
bool kg_periodic_any(const kugel_world *world);
/* The shortest image, m, of a separation along an axis. The magnitude of `separation` (m) is below
 * 1.5 `length` (m). A length of 0 stands for an axis that is not periodic. */
static inline double kg_nearest_image(double separation, double length)
{
    if (separation > 0.5 * length) return separation - length;
    return separation < -0.5 * length ? separation + length : separation;
}
/* The shortest image, m, of a separation (m) of any magnitude along an axis of the world. */
double kg_periodic_nearest_image(const kugel_world *world, int axis, double separation);
/* Between steps each body has its centre in [min, max) along each periodic axis. Move a centre at
 * the max face of such axes to the min face, and count these crossings in `image`. */
void kg_periodic_wrap_faces(const kugel_world *world, double position[3], uint32_t image[3]);
/* Between steps: true if two bodies, given by slot, overlap in their nearest images. */
bool kg_periodic_bodies_overlap(const kugel_world *world, uint32_t a, uint32_t b);

#endif
