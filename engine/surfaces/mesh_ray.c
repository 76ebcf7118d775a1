/* The first triangle on a ray, watertight at shared edges (S. Woop, C. Benthin, I. Wald,
 * "Watertight ray/triangle intersection", JCGT 2(1), 2013): corners are sheared into the ray's
 * frame, where an edge has the same bits for both its triangles. Boxes are tested in floats and
 * widened by more than their rounding.
 * Cost: O(log n) for ordinary meshes, mostly memory latency. To hide it, rays take turns
 * (kg_mesh_flight). */
#include "surfaces/mesh_ray.h"

#include "base/compiler.h"
#include "base/wide.h"
#include "geometry/sweep_linear.h"
#include "surfaces/mesh_feature.h"
#include "surfaces/mesh_tree.h"

/* A ray on its way through the tree. */
typedef struct flight {
    kg_mesh_ray_task *ray; /* its results are the first hit so far */
    double shear[3];
    int x, y, z; /* axes; z: the one along which the direction is largest */
    kg_mesh_flight flight;
} flight;

static void set_shear(flight *f, const double direction[3])
{
    f->z = 0;
    for (int k = 1; k < 3; ++k) {
        if (kg_abs(direction[k]) > kg_abs(direction[f->z])) f->z = k;
    }
    f->x = (f->z + 1) % 3, f->y = (f->z + 2) % 3;
    kg_set3(f->shear, direction[f->x] / direction[f->z], direction[f->y] / direction[f->z],
            1 / direction[f->z]);
}

/* Test the triangles of a leaf at once. Bit i of the result: the ray meets triangle i, at parameter
 * t[i], which is in [0, last]. An empty place has three equal corners, which no ray meets: the
 * parameter is 0 / 0. */
KG_INLINE uint32_t meet_leaf(const flight *f, const kg_mesh *mesh, const kg_mesh_leaf *leaf,
                             double last, double t[4])
{
    const double *origin = f->ray->origin;
    kg_double4 x[3], y[3], z[3], at;
    kg_mask4 meets;
    for (uint32_t k = 0; k < 3; ++k) {
        const double *p[4];
        for (uint32_t i = 0; i < 4; ++i) p[i] = kg_mesh_vertex(mesh, leaf->corner[i][k]);
        x[k] = (kg_double4){p[0][f->x], p[1][f->x], p[2][f->x], p[3][f->x]};
        y[k] = (kg_double4){p[0][f->y], p[1][f->y], p[2][f->y], p[3][f->y]};
        z[k] = (kg_double4){p[0][f->z], p[1][f->z], p[2][f->z], p[3][f->z]};
    }
    KG_EACH (4) {
        kg_double4_lane a[3], b[3], c[3], u[3];
        for (int k = 0; k < 3; ++k) {
            c[k] = KG_L(z[k]) - origin[f->z];
            a[k] = KG_L(x[k]) - origin[f->x] - f->shear[0] * c[k];
            b[k] = KG_L(y[k]) - origin[f->y] - f->shear[1] * c[k];
            c[k] *= f->shear[2];
        }
        u[0] = a[1] * b[2] - b[1] * a[2];
        u[1] = a[2] * b[0] - b[2] * a[0];
        u[2] = a[0] * b[1] - b[0] * a[1];
        kg_double4_lane met = (u[0] * c[0] + u[1] * c[1] + u[2] * c[2]) / (u[0] + u[1] + u[2]);
        kg_mask4_lane some_below = (u[0] < 0) | (u[1] < 0) | (u[2] < 0),
                      some_above = (u[0] > 0) | (u[1] > 0) | (u[2] > 0);
        KG_L(meets) = KG_MASK(~(some_below & some_above) & (met >= 0) & (met <= last));
        KG_L(at) = met;
    }
    memcpy(t, &at, sizeof at);
    return kg_movemask4(&meets);
}

KG_VARIANTS(uint32_t, meet_leaf,
            (const flight *f, const kg_mesh *mesh, const kg_mesh_leaf *leaf, double last,
             double *t),
            (f, mesh, leaf, last, t))

/* Note that the ray meets triangle i of a leaf at parameter t. Of triangles with equal parameters
 * the lowest is chosen, so the order of the walk does not matter. The normal is that of the
 * facet. */
static void note_hit(flight *f, const kg_mesh *mesh, const kg_mesh_leaf *leaf, uint32_t i, double t)
{
    kg_mesh_ray_task *ray = f->ray;
    uint32_t triangle = leaf->triangle[i] & ~KG_MESH_NAMES_FACET;
    double normal[3];
    if (t > ray->t || (t == ray->t && triangle > ray->triangle)) return;
    bool names_facet = leaf->triangle[i] & KG_MESH_NAMES_FACET;
    kg_mesh_corners_normal(
        mesh, names_facet ? leaf->corner[i] : &mesh->corner[3 * mesh->facet[triangle]], normal);
    bool back = kg_dot3(normal, ray->direction) > 0;
    if (back && mesh->one_sided) return;
    ray->t = t;
    ray->triangle = triangle;
    kg_scale3(ray->normal, normal, back ? -1 : 1);
}

static void test_leaf(void *context, const kg_mesh_leaf *leaf)
{
    flight *f = context;
    const kg_mesh *mesh = f->flight.mesh;
    double t[4], last = kg_min(f->ray->limit, f->ray->t);
    uint32_t met = KG_WIDEST(meet_leaf)(f, mesh, leaf, last, t);
    for (; met; met &= met - 1) {
        int i = kg_lowest_bit(met);
        note_hit(f, mesh, leaf, (uint32_t)i, t[i]);
    }
    if (f->ray->t < f->ray->limit) kg_mesh_flight_limit(&f->flight, f->ray->t);
}

/* Begin the walk of a ray; false if it needs none: no direction, or no triangle. */
static bool start(flight *f, const kg_mesh *mesh, kg_mesh_ray_task *ray)
{
    ray->t = KG_NEVER;
    if (kg_is_zero3(ray->direction) || !mesh->node_count) return false;
    f->ray = ray;
    set_shear(f, ray->direction);
    kg_mesh_flight_start(&f->flight, mesh, ray->origin, ray->direction, 0, ray->limit);
    return true;
}

void kg_mesh_rays(const kg_mesh *mesh, uint32_t count, kg_mesh_ray_task *rays)
{
    flight flights[KG_MESH_RAYS], *flying[KG_MESH_RAYS];
    uint32_t active = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (start(&flights[i], mesh, &rays[i])) flying[active++] = &flights[i];
    }
    while (active) {
        for (uint32_t i = 0; i < active;) {
            if (kg_mesh_flight_advance(&flying[i]->flight, test_leaf, flying[i])) ++i;
            else flying[i] = flying[--active];
        }
    }
}
