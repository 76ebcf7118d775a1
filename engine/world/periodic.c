/* Periodic axes: lengths, nearest images, overlaps (periodic.h). */
#include "world/periodic.h"

double kg_periodic_length(const kugel_world *world, int axis)
{
    const kugel_bounds *bounds = &world->def.bounds;
    return bounds->faces[2 * axis] == KUGEL_FACE_PERIODIC ? bounds->max[axis] - bounds->min[axis]
                                                          : 0;
}

bool kg_periodic_any(const kugel_world *world)
{
    const kugel_face *faces = world->def.bounds.faces;
    return faces[0] == KUGEL_FACE_PERIODIC || faces[2] == KUGEL_FACE_PERIODIC ||
           faces[4] == KUGEL_FACE_PERIODIC;
}

double kg_periodic_nearest_image(const kugel_world *world, int axis, double separation)
{
    /* Adding and then subtracting this rounds a number of magnitude below 2^51 to a whole one. */
    static const double whole = 0x1.8p52;
    double length = kg_periodic_length(world, axis);
    if (length > 0 && kg_abs(separation) > 1.5 * length)
        separation -= length * (separation / length + whole - whole);
    return kg_nearest_image(separation, length);
}

void kg_periodic_wrap_faces(const kugel_world *world, double position[3], uint32_t image[3])
{
    const kugel_bounds *bounds = &world->def.bounds;
    for (int k = 0; k < 3; ++k) {
        if (bounds->faces[2 * k] != KUGEL_FACE_PERIODIC || position[k] != bounds->max[k]) continue;
        position[k] = bounds->min[k];
        image[k] += 1;
    }
}

bool kg_periodic_bodies_overlap(const kugel_world *world, uint32_t a, uint32_t b)
{
    const kg_bodies *bodies = &world->bodies;
    double reach = bodies->radius[a] + bodies->radius[b], distance2 = 0;
    for (int k = 0; k < 3; ++k) {
        double d = kg_periodic_nearest_image(world, k, bodies->x[k][a] - bodies->x[k][b]);
        distance2 += d * d;
    }
    return distance2 < reach * reach;
}
