/* Surfaces of a world as a .vtp file of triangles, with the surface's index on each. */
#ifndef EXPORT_VTP_SURFACES_H
#define EXPORT_VTP_SURFACES_H

#include <kugel/kugel.h>
#include <stdio.h>

/* A value that changes when a surface is added, removed or placed elsewhere; 0 without
 * surfaces that have triangles. */
uint64_t vtp_surfaces_places(const kugel_world *world);
/* false: out of memory, or the stream's error is set. */
bool vtp_surfaces_write(FILE *to, const kugel_world *world, double time);

#endif
