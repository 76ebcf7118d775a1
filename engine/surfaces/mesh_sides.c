/* The sides of a closed mesh. In: two points. Out: whether the mesh is between them. Cost: two
 * rays. */
#include "base/vec.h"
#include "geometry/sweep_linear.h"
#include "surfaces/mesh_feature.h"
#include "surfaces/mesh_ray.h"

/* True if a ray met the front of a triangle. */
static bool met_front(const kg_mesh *mesh, const kg_mesh_ray_task *ray)
{
    double front[3];
    kg_mesh_corners_normal(mesh, mesh->corner + 3 * (size_t)ray->triangle, front);
    return kg_dot3(front, ray->normal) > 0;
}

/* The side of each point is that of the first triangle that the line meets from the point. */
bool kg_mesh_separates(const kg_mesh *mesh, const double from[3], const double to[3])
{
    if (!mesh->closed) return false;
    kg_mesh both_sides = *mesh; /* a one-sided mesh would let rays pass through backs */
    both_sides.one_sided = false;
    kg_mesh_ray_task rays[2] = {{.limit = 1}, {.limit = 1}};
    for (int k = 0; k < 3; ++k) {
        rays[0].origin[k] = from[k], rays[0].direction[k] = to[k] - from[k];
        rays[1].origin[k] = to[k], rays[1].direction[k] = from[k] - to[k];
    }
    kg_mesh_rays(&both_sides, 2, rays);
    if (rays[0].t >= KG_NEVER || rays[1].t >= KG_NEVER) return false;
    bool from_front = met_front(mesh, &rays[0]), to_front = met_front(mesh, &rays[1]);
    return from_front != to_front && (from_front || !mesh->one_sided);
}
