/* The sides of a closed mesh: points are separated if one is inside and the other outside. Points
 * inside are nearer to the centre than any triangle of a ball, points outside farther than all. */
#include <criterion/criterion.h>

#include "base/vec.h"
#include "support/support_mesh.h"
#include "support/support_random.h"
#include "surfaces/mesh.h"

/* Whether a mesh separates points at these distances from the centre, in random directions. */
static void expect(const kg_mesh *mesh, support_random *random, double from, double to,
                   bool separated)
{
    double x[3], y[3];
    for (int i = 0; i < 300; ++i) {
        support_direction(random, from, x);
        support_direction(random, to, y);
        cr_assert_eq(kg_mesh_separates(mesh, x, y), separated, "%g to %g", from, to);
    }
}

static kg_mesh build(kg_memory *memory, const support_mesh *ball, uint32_t triangles,
                     bool one_sided)
{
    kugel_allocator none = {0};
    kg_mesh mesh;
    kg_memory_init(memory, &none);
    cr_assert(kg_mesh_build(memory, NULL, &mesh, ball->vertices, ball->vertex_count,
                            ball->triangles, triangles, one_sided));
    return mesh;
}

/* Vertices are at 1 from the centre, and the middles of triangles above 0.9. */
Test(mesh_sides, of_a_closed_ball)
{
    support_random random = support_random_start("of_a_closed_ball", 11);
    support_mesh ball = support_mesh_ball(2, 1);
    for (int one_sided = 0; one_sided < 2; ++one_sided) {
        kg_memory memory;
        kg_mesh mesh = build(&memory, &ball, ball.triangle_count, one_sided);
        cr_assert(mesh.closed);
        expect(&mesh, &random, 1.5, 0.8, true);
        expect(&mesh, &random, 0.8, 1.5, !one_sided); /* the back does not stop a body */
        expect(&mesh, &random, 0.7, 0.8, false);
        expect(&mesh, &random, 1.5, 3, false); /* also through the whole ball */
        kg_mesh_free(&memory, &mesh);
    }
    support_mesh_free(&ball);
}

/* An open mesh, and one with a triangle turned around, have no sides. */
Test(mesh_sides, need_a_closed_mesh)
{
    support_random random = support_random_start("need_a_closed_mesh", 12);
    support_mesh ball = support_mesh_ball(2, 1);
    kg_memory memory[2];
    kg_mesh open = build(&memory[0], &ball, ball.triangle_count - 1, false);
    uint32_t *corner = ball.triangles, first = corner[0];
    corner[0] = corner[1], corner[1] = first;
    kg_mesh turned = build(&memory[1], &ball, ball.triangle_count, false);
    cr_assert(!open.closed && !turned.closed);
    expect(&open, &random, 1.5, 0.8, false);
    expect(&turned, &random, 1.5, 0.8, false);
    kg_mesh_free(&memory[0], &open);
    kg_mesh_free(&memory[1], &turned);
    support_mesh_free(&ball);
}
