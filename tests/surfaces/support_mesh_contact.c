/* Checks of contacts and nearest features. */
#include "surfaces/support_mesh_contact.h"

#include <criterion/criterion.h>

#include "base/constants.h"
#include "geometry/sweep_linear.h"
#include "surfaces/oracle_mesh.h"

kg_mesh_path support_random_path(support_random *random, double away, bool parabolic)
{
    kg_mesh_path path = {.radius = pow(10, support_between(random, -3, -0.3)), .horizon = 1};
    double target[3];
    support_direction(random, away, path.x);
    support_direction(random, support_between(random, 0, 1), target);
    for (int k = 0; k < 3; ++k) path.v[k] = (target[k] - path.x[k]) * support_between(random, 1, 3);
    if (parabolic) {
        support_direction(random, support_between(random, 0, 20), path.a);
        for (int k = 0; k < 3; ++k) path.v[k] -= 0.25 * path.a[k];
    }
    return path;
}

static long double least_distance(const kg_mesh *mesh, const long double *x)
{
    long double least = INFINITY;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        if (mesh->collidable[t] & 1) least = fminl(least, oracle_distance(mesh, t, x));
    }
    return least;
}

double support_start_gap(const kg_mesh *mesh, const kg_mesh_path *path)
{
    oracle_vec x = {path->x[0], path->x[1], path->x[2]};
    return (double)(least_distance(mesh, x) - path->radius);
}

void support_expect_first_contact(const kg_mesh *mesh, const kg_mesh_path *path, double depth,
                                  const char *name)
{
    double normal[3];
    uint32_t feature = KG_NONE;
    double t = kg_mesh_cast(mesh, path, false, &feature, normal);
    long double until = t < KG_NEVER ? t : path->horizon;
    if (t < KG_NEVER) {
        oracle_vec x;
        oracle_position(path, t, x);
        long double gap = least_distance(mesh, x) - path->radius;
        cr_assert(fabsl(gap) < depth, "%s: gap %Lg at %.17g of feature %u", name, gap, t, feature);
        double at[3] = {(double)x[0], (double)x[1], (double)x[2]}, other[3], distance;
        distance = kg_mesh_feature_distance(mesh, feature, at, path->radius, other);
        cr_assert(fabs(distance - path->radius) < depth, "%s: feature distance %g", name, distance);
        for (int k = 0; k < 3; ++k)
            cr_assert(fabs(normal[k] - other[k]) * path->radius < 1e-9, "%s: normal", name);
        for (int k = 0; k < 3; ++k) x[k] += normal[k] * 1e-6L * path->radius;
        cr_assert(least_distance(mesh, x) < path->radius, "%s: the normal points away", name);
    }
    for (uint32_t i = 0; i < mesh->triangle_count; ++i) {
        if (!(mesh->collidable[i] & 1)) continue;
        long double first = oracle_contact(mesh, i, path, 0, until, depth);
        cr_assert(first >= until - 1e-12L, "%s: triangle %u at %.17Lg, cast %.17g", name, i, first,
                  t);
    }
}

void support_expect_nearest(const kg_mesh *mesh, const double x[3], double tolerance,
                            const char *name)
{
    kg_mesh_nearest best = {.distance = INFINITY}, nearest;
    kg_mesh_last_sharp last = {0};
    double found = INFINITY, normal[3];
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        if (!(mesh->collidable[t] & 1)) continue;
        kg_mesh_nearest_on_triangle(mesh, t, x, KG_NEVER, &last, &nearest);
        if (nearest.distance < best.distance) best = nearest;
        if (!nearest.is_nearest) continue;
        found = fmin(found, nearest.distance);
        double distance = kg_mesh_feature_distance(mesh, nearest.feature, x, 0, normal);
        if (mesh->one_sided && distance >= KG_NEVER) continue; /* behind by rounding */
        cr_assert(fabs(distance - nearest.distance) < 1e-9, "%s: feature %u has %g, nearest %g",
                  name, nearest.feature, distance, nearest.distance);
        for (int k = 0; k < 3 && distance > 1e-6; ++k) {
            double along = (nearest.point[k] - x[k]) / distance;
            cr_assert(fabs(normal[k] - along) < 1e-9 / fmin(distance, 1e-1), "%s: normal", name);
        }
    }
    cr_assert(found < best.distance + tolerance, "%s: nearest %.17g, found %.17g", name,
              best.distance, found);
}
