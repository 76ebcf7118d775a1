/* Bad meshes neither crash nor lose contact: doubled vertices, triangles without an area, repeated
 * and turned triangles, T-junctions, slivers, edges of three triangles. */
#include <criterion/criterion.h>

#include <math.h>

#include "base/constants.h"
#include "geometry/sweep_linear.h"
#include "surfaces/support_mesh.h"
#include "surfaces/support_mesh_contact.h"

static const double *vertex(const support_shape *shape, uint32_t i)
{
    return shape->vertex + 3 * i;
}

static void turn(support_shape *shape, uint32_t t)
{
    uint32_t swap = shape->corner[3 * t];
    shape->corner[3 * t] = shape->corner[3 * t + 1];
    shape->corner[3 * t + 1] = swap;
}

/* A point of edge 0 of t, `off` beside it. */
static uint32_t add_on_edge(support_shape *shape, support_random *random, uint32_t t, double off)
{
    const uint32_t *corner = shape->corner + 3 * t;
    double s = support_between(random, 0.1, 0.9), p[3], beside[3];
    support_direction(random, off, beside);
    for (int k = 0; k < 3; ++k) {
        double a = vertex(shape, corner[0])[k], b = vertex(shape, corner[1])[k];
        p[k] = a + s * (b - a) + beside[k];
    }
    return support_add_vertex(shape, p[0], p[1], p[2]);
}

/* One of the faults at a random triangle. Splits leave the neighbour across edge 0 whole. */
static void spoil(support_shape *shape, support_random *random, bool turns)
{
    uint32_t t = support_below(random, shape->triangles), *corner = shape->corner + 3 * t;
    uint32_t a = corner[0], b = corner[1], c = corner[2], m;
    double off = support_below(random, 2) ? 0 : pow(10, support_between(random, -14, -11));
    switch (support_below(random, 5)) {
    case 0: /* a copy of a corner, within or just beyond the weld tolerance */
        m = support_add_vertex(shape, vertex(shape, a)[0] + off, vertex(shape, a)[1],
                               vertex(shape, a)[2]);
        corner[0] = m;
        break;
    case 1:
        support_add_triangle(shape, a, b, support_below(random, 2) ? b : a);
        break;
    case 2: /* repeated */
        support_add_triangle(shape, b, c, a);
        if (turns && support_below(random, 2)) turn(shape, shape->triangles - 1);
        break;
    case 3: /* a T-junction, at times closed by a sliver */
        m = add_on_edge(shape, random, t, off);
        corner[1] = m;
        support_add_triangle(shape, m, b, c);
        if (support_below(random, 2)) support_add_triangle(shape, a, b, m);
        break;
    default:
        if (turns) turn(shape, t);
    }
}

/* Facets and slivers may be 1e-10 of the extent off their planes. */
Test(mesh_degenerate, spoilt_meshes_do_not_lose_contact)
{
    support_random random = support_random_start("spoilt", 1);
    for (int trial = 0; trial < 600; ++trial) {
        support_shape *shape = support_shape_start();
        kg_memory memory;
        bool one_sided = trial % 4 == 0 && trial % 3 < 2; /* closed: paths come from the front */
        if (trial % 3 == 0) support_add_cube(shape, 0.8);
        if (trial % 3 == 1) support_add_icosphere(shape, 1, 1);
        if (trial % 3 == 2) support_add_floor(shape, &random, 3, 0.125);
        for (uint32_t n = support_below(&random, 30); n > 0; --n) spoil(shape, &random, !one_sided);
        kg_mesh mesh = support_build(&memory, shape, one_sided);
        for (int i = 0; i < 20; ++i) {
            kg_mesh_path path = support_random_path(&random, 3, i & 1);
            if (support_start_gap(&mesh, &path) < 1e-9) continue;
            support_expect_first_contact(&mesh, &path, 2e-9, "spoilt");
        }
        for (int i = 0; i < 20 && !one_sided; ++i) {
            double x[3];
            support_direction(&random, support_between(&random, 0, 2), x);
            support_expect_nearest(&mesh, x, 2e-9, "spoilt");
        }
        kg_mesh_free(&memory, &mesh);
    }
}

/* Its sides meet at angles of 1e-11: the tolerance of its region does not reach beyond the ends. */
Test(mesh_degenerate, faces_of_slivers_end_at_their_corners)
{
    support_shape *shape = support_shape_start();
    kg_memory memory;
    support_add_vertex(shape, 0, 0, 0);
    support_add_vertex(shape, 1, 0, 0);
    support_add_vertex(shape, 0.5, 1e-11, 0);
    support_add_triangle(shape, 0, 1, 2);
    kg_mesh mesh = support_build(&memory, shape, false);
    cr_assert_eq(mesh.report.dropped, 0);
    for (int i = 0; i < 3; ++i) {
        kg_mesh_path path = {{i == 0   ? -0.01
                              : i == 1 ? 1.01
                                       : 0.5,
                              0, 2},
                             {0, 0, -1},
                             {0, 0, 0},
                             0.5,
                             10};
        double normal[3],
            t = kg_mesh_sweep_part(&mesh, 0, KG_PART_FACE, &path, path.horizon, normal);
        cr_assert_eq(t, i < 2 ? KG_NEVER : 1.5);
    }
    kg_mesh_free(&memory, &mesh);
}

/* A fan of very many triangles around one vertex and around one edge. */
Test(mesh_degenerate, vertices_and_edges_of_many_triangles)
{
    enum { BLADES = 10000 };
    support_shape *shape = support_shape_start();
    kg_memory memory;
    uint32_t top = support_add_vertex(shape, 0, 0, 1), foot = support_add_vertex(shape, 0, 0, 0);
    for (int i = 0; i < BLADES; ++i) {
        double angle = 6.283185307179586 * i / BLADES;
        uint32_t v = support_add_vertex(shape, cos(angle), sin(angle), 0);
        if (i > 0) support_add_triangle(shape, top, v - 1, v);
        support_add_triangle(shape, top, foot, v);
    }
    kg_mesh mesh = support_build(&memory, shape, false);
    kg_mesh_path path = {{0, 0, 3}, {0, 0, -1}, {0, 0, 0}, 0.5, 10};
    uint32_t feature;
    double normal[3];
    cr_assert(fabs(kg_mesh_cast(&mesh, &path, false, &feature, normal) - 1.5) < 1e-12);
    cr_assert_eq(feature % KG_PARTS, KG_PART_VERTEX);
    path.x[0] = 0.4, path.a[2] = -2;
    support_expect_first_contact(&mesh, &path, 1e-9, "fan");
    kg_mesh_free(&memory, &mesh);
}
