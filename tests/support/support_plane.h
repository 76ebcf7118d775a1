/* Planes for tests, as plain values. */
#ifndef SUPPORT_PLANE_H
#define SUPPORT_PLANE_H

#include "kugel/kugel.h"

/* The points with normal . x >= offset are free. */
typedef struct support_plane {
    double normal[3], offset, restitution, friction;
} support_plane;

/* Add a plane that collides with all bodies. @param surface may be NULL. */
static inline kugel_status support_add_plane(kugel_world *world, const support_plane *plane,
                                             kugel_surface *surface)
{
    kugel_surface_def def = kugel_surface_def_plane(plane->normal, plane->offset);
    def.restitution = plane->restitution, def.friction = plane->friction;
    def.category = 0xffffffffu;
    return kugel_surface_create(world, &def, surface);
}

#endif
