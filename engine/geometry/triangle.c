/* The point of a triangle nearest to a point: the foot on the plane if it is inside, else the
 * nearest of the three edges, each clamped to its ends. Both are points of the triangle, and the
 * nearer one counts: rough normals of slivers do no harm (regions: C. Ericson, Real-Time Collision
 * Detection, 2005, section 5.1.5). */
#include "geometry/triangle.h"

#include "base/vec.h"

enum { FACE = 0, EDGE = 1, CORNER = 4 };

typedef kg_triangle_nearest candidate;

static void keep_nearer(candidate *best, const candidate *other)
{
    if (other->squared < best->squared) *best = *other;
}

static double squared_distance(const double a[3], const double b[3])
{
    double d[3];
    kg_sub3(d, a, b);
    return kg_dot3(d, d);
}

static candidate nearest_on_edge(const double *const corner[3], uint32_t k, const double x[3])
{
    const double *a = corner[k], *b = corner[(k + 1) % 3];
    double edge[3], d[3];
    kg_sub3(edge, b, a);
    kg_sub3(d, x, a);
    double along = kg_dot3(d, edge), length = kg_dot3(edge, edge);
    candidate c = {.part = EDGE + k};
    if (!(along > 0)) {
        c.part = CORNER + k;
        kg_copy3(c.point, a);
    } else if (along >= length) {
        c.part = CORNER + (k + 1) % 3;
        kg_copy3(c.point, b);
    } else {
        kg_add_scaled3(c.point, a, along / length, edge);
    }
    c.squared = squared_distance(c.point, x);
    return c;
}

/* The foot on the plane, from its barycentric coordinates; false outside of the triangle. */
static bool nearest_on_face(const double *const corner[3], const double x[3], candidate *c)
{
    double e[3], f[3], d[3], normal[3], across[3];
    kg_sub3(e, corner[1], corner[0]);
    kg_sub3(f, corner[2], corner[0]);
    kg_sub3(d, x, corner[0]);
    kg_cross3(normal, e, f);
    double area = kg_dot3(normal, normal);
    kg_cross3(across, d, f);
    double v = kg_dot3(across, normal) / area;
    kg_cross3(across, e, d);
    double w = kg_dot3(across, normal) / area;
    if (!(v >= 0 && w >= 0 && v + w <= 1)) return false;
    c->part = FACE;
    for (int k = 0; k < 3; ++k) c->point[k] = corner[0][k] + v * e[k] + w * f[k];
    c->squared = squared_distance(c->point, x);
    return true;
}

void kg_triangle_find_nearest(const double *const corner[3], const double x[3],
                              kg_triangle_nearest *nearest)
{
    candidate face, best = nearest_on_edge(corner, 0, x);
    for (uint32_t k = 1; k < 3; ++k) {
        candidate other = nearest_on_edge(corner, k, x);
        keep_nearer(&best, &other);
    }
    if (nearest_on_face(corner, x, &face)) keep_nearer(&best, &face);
    *nearest = best;
}
