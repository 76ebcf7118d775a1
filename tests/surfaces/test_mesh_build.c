/* For engine/surfaces/mesh_build.c and its parts: welding, edges, facets, collidable parts. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>

#include "base/constants.h"
#include "base/vec.h"
#include "surfaces/mesh_feature.h"
#include "surfaces/mesh_tree.h"
#include "surfaces/support_mesh.h"

static uint32_t count_parts(const kg_mesh *mesh, uint32_t first, uint32_t end)
{
    uint32_t n = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        for (uint32_t part = first; part < end; ++part) n += mesh->collidable[t] >> part & 1;
    }
    return n;
}

static uint32_t edges_of(const kg_mesh *mesh)
{
    return count_parts(mesh, KG_PART_EDGE, KG_PART_VERTEX);
}

static uint32_t vertices_of(const kg_mesh *mesh)
{
    return count_parts(mesh, KG_PART_VERTEX, KG_PART_END);
}

/* Only the border is collidable: 4 n edges and their vertices. */
Test(mesh_build, a_flat_floor_is_one_facet_with_an_exact_plane)
{
    support_random random = support_random_start("a_flat_floor", 1);
    for (int one_sided = 0; one_sided < 2; ++one_sided) {
        support_shape *shape = support_shape_start();
        kg_memory memory;
        support_add_floor(shape, &random, 100, 0.1);
        kg_mesh mesh = support_build(&memory, shape, one_sided);
        cr_assert_eq(mesh.report.facets, 1, "%u facets", mesh.report.facets);
        cr_assert_eq(mesh.report.dropped + mesh.report.welded + mesh.report.branching_edges, 0);
        cr_assert_eq(mesh.report.open_edges, 400);
        cr_assert_eq(edges_of(&mesh), 400, "%u edges", edges_of(&mesh));
        cr_assert_eq(vertices_of(&mesh), 400);
        for (int i = 0; i < 1000; ++i) {
            double normal[3],
                x[3] = {support_between(&random, 0, 100), support_between(&random, 0, 100),
                        support_between(&random, 0.2, 3)};
            uint32_t feature = KG_PARTS * mesh.facet[0];
            double distance = kg_mesh_feature_distance(&mesh, feature, x, 0, normal);
            cr_assert_eq(distance, x[2] - 0.1);
            cr_assert(normal[0] == 0 && normal[1] == 0 && normal[2] == -1);
        }
        kg_mesh_free(&memory, &mesh);
        cr_assert_eq(memory.used, 0);
    }
}

/* Vertices of a slanted floor are rounded: at most 2e-16 of the extent off the plane. */
Test(mesh_build, a_slanted_floor_is_one_facet)
{
    support_random random = support_random_start("a_slanted_floor", 2);
    support_shape *shape = support_shape_start();
    kg_memory memory;
    support_add_floor(shape, &random, 100, 0);
    for (uint32_t i = 0; i < shape->vertices; ++i) {
        double *p = shape->vertex + 3 * i;
        p[2] = 1e4 + 0.3 * p[0] - 0.7 * p[1];
    }
    kg_mesh mesh = support_build(&memory, shape, true);
    cr_assert_eq(mesh.report.facets, 1, "%u facets", mesh.report.facets);
    cr_assert_eq(edges_of(&mesh), 400);
    kg_mesh_free(&memory, &mesh);
}

/* Vertices that are rounded coarsely, as far from the origin or to floats, are off the plane of
 * their facet; searches rely on the bound. */
Test(mesh_build, no_vertex_is_farther_from_its_facet_than_the_thickness)
{
    support_random random = support_random_start("thickness", 4);
    double farthest = 0;
    for (int trial = 0; trial < 40; ++trial) {
        support_shape *shape = support_shape_start();
        kg_memory memory;
        double far = pow(10, support_between(&random, 2, 9));
        support_add_floor(shape, &random, 10, 0);
        for (uint32_t i = 0; i < shape->vertices; ++i) {
            shape->vertex[3 * i] += far;
            shape->vertex[3 * i + 2] += support_between(&random, 0, 8e-14) * far;
        }
        kg_mesh mesh = support_build(&memory, shape, true);
        for (uint32_t half = 0; half < 3 * mesh.triangle_count; ++half) {
            double normal[3];
            const double *x = mesh.vertex + 3 * (size_t)mesh.corner[half];
            double height = fabs(kg_mesh_height(&mesh, half / 3, x, normal));
            cr_assert_leq(height, mesh.facet_thickness, "trial %d, %g m away", trial, far);
            farthest = fmax(farthest, height / far);
        }
        kg_mesh_free(&memory, &mesh);
    }
    cr_assert_gt(farthest, 1e-14, "all facets are exact planes");
}

/* Rows of triangles over points that only one row has, turned at random, in a plane of any slope:
 * one facet, whose borders alone are collidable. */
Test(mesh_build, t_junctions_of_a_plane_do_not_collide)
{
    support_random random = support_random_start("junctions", 12);
    for (int trial = 0; trial < 200; ++trial) {
        support_shape *shape = support_shape_start();
        kg_memory memory;
        double u[3], v[3], d[3], scale = pow(10, support_between(&random, -3, 3));
        support_direction(&random, scale, u);
        support_direction(&random, scale, d);
        v[0] = (u[1] * d[2] - u[2] * d[1]) / scale, v[1] = (u[2] * d[0] - u[0] * d[2]) / scale,
        v[2] = (u[0] * d[1] - u[1] * d[0]) / scale;
        enum { ROWS = 6 };
        for (uint32_t row = 0; row < ROWS; ++row) {
            uint32_t count = 1 + support_below(&random, 8), before[2] = {0, 0};
            for (uint32_t k = 0; k <= count; ++k) {
                uint32_t now[2];
                double x = k == 0       ? 0
                           : k == count ? 1
                                        : (k + support_between(&random, -0.3, 0.3)) / count;
                for (uint32_t side = 0; side < 2; ++side) {
                    double y = (double)(row + side) / ROWS;
                    now[side] =
                        support_add_vertex(shape, d[0] + x * u[0] + y * v[0],
                                           d[1] + x * u[1] + y * v[1], d[2] + x * u[2] + y * v[2]);
                }
                if (k) {
                    support_add_triangle(shape, before[0], now[0], now[1]);
                    support_add_triangle(shape, before[0], now[1], before[1]);
                }
                before[0] = now[0], before[1] = now[1];
            }
        }
        kg_mesh mesh = support_build(&memory, shape, trial & 1);
        cr_assert_eq(mesh.report.facets, 1, "trial %d: %u facets", trial, mesh.report.facets);
        for (uint32_t h = 0; h < 3 * mesh.triangle_count; ++h) {
            const double *a = mesh.vertex + 3 * mesh.corner[h],
                         *b = mesh.vertex + 3 * mesh.corner[h % 3 == 2 ? h - 2 : h + 1];
            double square = 0, middle[2] = {0, 0};
            for (int k = 0; k < 3; ++k) {
                middle[0] += ((a[k] + b[k]) / 2 - d[k]) * u[k] / (scale * scale);
                middle[1] += ((a[k] + b[k]) / 2 - d[k]) * v[k];
                square += v[k] * v[k];
            }
            middle[1] /= square;
            bool border = middle[0] < 1e-9 || middle[0] > 1 - 1e-9 || middle[1] < 1e-9 ||
                          middle[1] > 1 - 1e-9;
            bool collides = mesh.collidable[h / 3] & 1u << (KG_PART_EDGE + h % 3);
            cr_assert_eq(collides, border, "trial %d: half-edge %u", trial, h);
        }
        kg_mesh_free(&memory, &mesh);
    }
}

Test(mesh_build, a_cube_has_6_facets_12_edges_8_vertices)
{
    for (int one_sided = 0; one_sided < 2; ++one_sided) {
        support_shape *shape = support_shape_start();
        kg_memory memory;
        support_add_cube(shape, 0.5);
        kg_mesh mesh = support_build(&memory, shape, one_sided);
        cr_assert_eq(mesh.report.facets, 6);
        cr_assert_eq(edges_of(&mesh), 12);
        cr_assert_eq(vertices_of(&mesh), 8);
        cr_assert_eq(mesh.report.open_edges + mesh.report.branching_edges, 0);
        cr_assert_eq(mesh.adjacent_start[8], 36, "18 edges with both ends");
        kg_mesh_free(&memory, &mesh);
    }
}

/* A room: the same cube, faces inwards. Its edges are concave from the front. */
Test(mesh_build, edges_of_a_one_sided_room_do_not_collide)
{
    for (int one_sided = 0; one_sided < 2; ++one_sided) {
        support_shape *shape = support_shape_start();
        kg_memory memory;
        support_add_cube(shape, 0.5);
        for (uint32_t t = 0; t < shape->triangles; ++t) {
            uint32_t *corner = shape->corner + 3 * t, swap = corner[0];
            corner[0] = corner[1], corner[1] = swap;
        }
        kg_mesh mesh = support_build(&memory, shape, one_sided);
        cr_assert_eq(mesh.report.facets, 6);
        cr_assert_eq(edges_of(&mesh), one_sided ? 0 : 12);
        cr_assert_eq(vertices_of(&mesh), one_sided ? 0 : 8);
        kg_mesh_free(&memory, &mesh);
    }
}

/* Two-sided floors of mixed winding are one facet, too; one-sided ones are not. */
Test(mesh_build, winding_matters_on_one_sided_floors_only)
{
    support_random random = support_random_start("winding", 3);
    support_shape *shape = support_shape_start();
    kg_memory memory;
    support_add_floor(shape, &random, 20, 1);
    for (uint32_t t = 0; t < shape->triangles; ++t) {
        uint32_t *corner = shape->corner + 3 * t, swap = corner[0];
        if (t % 3 == 0) corner[0] = corner[1], corner[1] = swap;
    }
    kg_mesh mesh = support_build(&memory, shape, false);
    cr_assert_eq(mesh.report.facets, 1);
    cr_assert_eq(edges_of(&mesh), 80);
    kg_mesh_free(&memory, &mesh);
    mesh = support_build(&memory, shape, true);
    cr_assert(mesh.report.facets > 100);
    kg_mesh_free(&memory, &mesh);
}

/* Every corner has its own vertex, as in STL files; some are moved by rounding, some by -0. */
Test(mesh_build, equal_vertices_are_welded)
{
    support_shape *shape = support_shape_start();
    kg_memory memory;
    support_add_icosphere(shape, 2, 4);
    for (uint32_t i = 0; i < 3 * shape->vertices; ++i) {
        double *x = &shape->vertex[i];
        if (*x == 0) *x = i & 1 ? -0.0 : 0.0;
        else if (i % 7 == 0) *x *= 1 + 0x1p-52;
    }
    kg_mesh mesh = support_build(&memory, shape, true);
    cr_assert_eq(mesh.report.open_edges + mesh.report.branching_edges + mesh.report.dropped, 0);
    cr_assert_eq(shape->vertices - mesh.report.welded, mesh.triangle_count / 2 + 2, "Euler");
    cr_assert_eq(edges_of(&mesh), mesh.triangle_count / 2 * 3);
    for (uint32_t c = 0; c < 3 * mesh.triangle_count; ++c) cr_assert(mesh.corner[c] <= c);
    kg_mesh_free(&memory, &mesh);
}

Test(mesh_build, around_links_the_half_edges_of_an_edge)
{
    support_random random = support_random_start("around", 4);
    support_shape *shape = support_shape_start();
    kg_memory memory;
    support_add_soup(shape, &random, 300, true);
    kg_mesh mesh = support_build(&memory, shape, false);
    cr_assert(mesh.report.branching_edges > 10 && mesh.report.open_edges > 10);
    for (uint32_t h = 0; h < 3 * mesh.triangle_count; ++h) {
        if (!mesh.collidable[h / 3]) continue; /* a repeated triangle */
        uint32_t a = mesh.corner[h], b = mesh.corner[h % 3 == 2 ? h - 2 : h + 1], seen = 0, of = 0;
        uint32_t i = h;
        do {
            uint32_t c = mesh.corner[i], d = mesh.corner[i % 3 == 2 ? i - 2 : i + 1];
            cr_assert((c == a && d == b) || (c == b && d == a));
            seen += 1;
            i = mesh.radial_next[i];
        } while (i != h);
        for (uint32_t j = 0; j < 3 * mesh.triangle_count; ++j) {
            uint32_t c = mesh.corner[j], d = mesh.corner[j % 3 == 2 ? j - 2 : j + 1];
            if (!mesh.collidable[j / 3]) continue;
            of += (c == a && d == b) || (c == b && d == a);
        }
        cr_assert_eq(seen, of);
    }
    kg_mesh_free(&memory, &mesh);
}

/* A gentle arch: neighbours are within the angle and the plane of each other, its ends are not. */
Test(mesh_build, facets_do_not_drift_along_a_curve)
{
    enum { STRIPS = 2000 };
    support_shape *shape = support_shape_start();
    kg_memory memory;
    for (int i = 0; i <= STRIPS; ++i) {
        double x = i / (double)STRIPS, z = 2e-5 * x * x;
        support_add_vertex(shape, x, 0, z);
        support_add_vertex(shape, x, 1, z);
    }
    for (uint32_t i = 0; i < STRIPS; ++i) {
        support_add_triangle(shape, 2 * i, 2 * i + 2, 2 * i + 1);
        support_add_triangle(shape, 2 * i + 1, 2 * i + 2, 2 * i + 3);
    }
    kg_mesh mesh = support_build(&memory, shape, false);
    cr_assert(mesh.report.facets > 100 && mesh.report.facets < STRIPS, "%u", mesh.report.facets);
    for (uint32_t t = 0; t < mesh.triangle_count; ++t) {
        double normal[3], distance, x[3] = {0};
        for (int c = 0; c < 3; ++c) {
            const double *p = mesh.vertex + 3 * mesh.corner[3 * t + c];
            for (int k = 0; k < 3; ++k) x[k] += p[k] / 3;
        }
        distance = kg_mesh_feature_distance(&mesh, KG_PARTS * mesh.facet[t], x, 1, normal);
        cr_assert(distance < 1.1e-10, "triangle %u is %g off its facet", t, distance);
    }
    kg_mesh_free(&memory, &mesh);
}

static void expect_same(const void *a, const void *b, size_t size)
{
    cr_assert(size == 0 || memcmp(a, b, size) == 0);
}

static void expect_same_mesh(const kg_mesh *a, const kg_mesh *b)
{
    size_t n = a->triangle_count, v = a->vertex_count;
    cr_assert_eq(memcmp(&a->report, &b->report, sizeof a->report), 0);
    cr_assert_eq(a->node_count, b->node_count);
    expect_same(a->vertex, b->vertex, 3 * v * sizeof *a->vertex);
    expect_same(a->corner, b->corner, 3 * n * sizeof *a->corner);
    expect_same(a->facet, b->facet, n * sizeof *a->facet);
    expect_same(a->radial_next, b->radial_next, 3 * n * sizeof *a->radial_next);
    expect_same(a->collidable, b->collidable, n);
    expect_same(a->adjacent_start, b->adjacent_start, (v + 1) * sizeof *a->adjacent_start);
    expect_same(a->adjacent, b->adjacent, a->adjacent_start[v] * sizeof *a->adjacent);
    expect_same(a->owner, b->owner, v * sizeof *a->owner);
    cr_assert_eq(a->leaf_count, b->leaf_count);
    expect_same(a->node, b->node, a->node_count * sizeof *a->node);
    expect_same(a->leaf, b->leaf, a->leaf_count * sizeof *a->leaf);
}

/* Twice from the same arrays, and from the arrays of the mesh. */
Test(mesh_build, building_again_gives_the_same_bytes)
{
    support_random random = support_random_start("building_again", 5);
    for (int trial = 0; trial < 50; ++trial) {
        support_shape *shape = support_shape_start();
        kg_memory memory;
        support_add_soup(shape, &random, 200, true);
        support_add_icosphere(shape, 1, 1);
        for (uint32_t i = 0; i < 3 * shape->vertices; ++i) {
            double noise = pow(10, support_between(&random, -14, -11));
            if (support_below(&random, 2)) shape->vertex[i] += noise;
        }
        kg_mesh one = support_build(&memory, shape, trial & 1), two, again;
        cr_assert(kg_mesh_build(&memory, NULL, &two, shape->vertex, shape->vertices, shape->corner,
                                shape->triangles, trial & 1));
        cr_assert(kg_mesh_build(&memory, NULL, &again, one.vertex, one.vertex_count, one.corner,
                                one.triangle_count, trial & 1));
        expect_same_mesh(&one, &two);
        expect_same_mesh(&one, &again);
        kg_mesh_free(&memory, &one);
        kg_mesh_free(&memory, &two);
        kg_mesh_free(&memory, &again);
        cr_assert_eq(memory.used, 0);
    }
}

static bool mark_found(void *context, uint32_t triangle)
{
    ((uint8_t *)context)[triangle] += 1;
    return true;
}

/* A search near the box of each 16th triangle finds all triangles with a touching box, once. */
static void expect_right_tree(const kg_mesh *mesh, uint8_t *found)
{
    double low[3], high[3], other[2][3];
    for (uint32_t t = 0; t < mesh->triangle_count; t += 16) {
        memset(found, 0, mesh->triangle_count);
        kg_mesh_triangle_box(mesh, t, low, high);
        kg_mesh_find_near(mesh, low, high, 0, mark_found, found);
        for (uint32_t u = 0; u < mesh->triangle_count; ++u) {
            kg_mesh_triangle_box(mesh, u, other[0], other[1]);
            bool touch = true;
            for (int k = 0; k < 3; ++k) touch &= other[0][k] <= high[k] && low[k] <= other[1][k];
            cr_assert(found[u] == 1 || (found[u] == 0 && !touch), "triangle %u near %u", u, t);
        }
    }
}

/* An uneven floor and, at half its height, one in a plane, with unconnected triangles among them:
 * enough triangles to be built in tasks. */
static void add_large_shape(support_shape *shape, support_random *random)
{
    support_add_floor(shape, random, 60, 0);
    for (uint32_t i = 0; i < shape->vertices; i += 1 + support_below(random, 3))
        shape->vertex[3 * i + 2] = support_between(random, 0, 0.2);
    support_add_floor(shape, random, 60, 0.1);
    support_add_soup(shape, random, 2000, false);
}

Test(mesh_build, the_number_of_threads_changes_no_byte)
{
    support_random random = support_random_start("threads", 9);
    support_shape *shape = support_shape_start();
    kg_memory memory;
    add_large_shape(shape, &random);
    kg_mesh serial = support_build(&memory, shape, false), mesh;
    uint8_t *found = malloc(shape->triangles);
    for (uint32_t threads = 2; threads < 8; threads += 5) {
        const kugel_tasks hooks = {.threads = threads};
        kg_tasks *tasks;
        cr_assert_eq(kg_tasks_create(&memory, &hooks, &tasks), KUGEL_OK);
        cr_assert(kg_mesh_build(&memory, tasks, &mesh, shape->vertex, shape->vertices,
                                shape->corner, shape->triangles, false));
        expect_same_mesh(&serial, &mesh);
        kg_mesh_free(&memory, &mesh);
        kg_tasks_destroy(tasks);
    }
    expect_right_tree(&serial, found);
    free(found);
    kg_mesh_free(&memory, &serial);
    cr_assert_eq(memory.used, 0);
}

/* Rounded as in the build, where nearly equal areas count as equal. */
static float area_of(const kg_mesh *mesh, uint32_t t)
{
    double edge[2][3], cross[3];
    for (int k = 0; k < 2; ++k)
        kg_sub3(edge[k], mesh->vertex + 3 * (size_t)mesh->corner[3 * t + 1 + k],
                mesh->vertex + 3 * (size_t)mesh->corner[3 * t]);
    kg_cross3(cross, edge[0], edge[1]);
    return (float)kg_length3(cross);
}

/* Also where a triangle continues a plane that does not continue its own, as slivers do. */
Test(mesh_build, a_facet_has_the_name_of_its_largest_triangle)
{
    support_random random = support_random_start("largest", 13);
    for (int trial = 0; trial < 400; ++trial) {
        support_shape *shape = support_shape_start();
        kg_memory memory;
        double noise = pow(10, support_between(&random, -14, -3));
        support_add_floor(shape, &random, 2 + support_below(&random, 10), 0);
        for (uint32_t i = 0; i < shape->vertices; ++i)
            shape->vertex[3 * i + 2] += support_between(&random, 0, noise);
        kg_mesh mesh = support_build(&memory, shape, trial & 1);
        for (uint32_t t = 0; t < mesh.triangle_count; ++t) {
            float area = area_of(&mesh, t), largest = area_of(&mesh, mesh.facet[t]);
            cr_assert(largest > area || (largest == area && mesh.facet[t] <= t),
                      "triangle %u is in the facet of %u, noise %g", t, mesh.facet[t], noise);
        }
        kg_mesh_free(&memory, &mesh);
    }
}

/* The plane of the sliver is inclined by rounding: a corner of the large triangle is 2.5 mm beside
 * it. The other two triangles are on a slope. */
Test(mesh_build, a_sliver_joins_a_larger_triangle_beside_its_own_plane)
{
    support_shape *shape = support_shape_start();
    kg_memory memory;
    support_add_vertex(shape, 0, 0, 0);
    support_add_vertex(shape, 1, 0, 0);
    support_add_vertex(shape, 0, 1, 0);
    support_add_vertex(shape, 0.5, -2e-9, 5e-12);
    support_add_vertex(shape, 0.5, -1, -0.3);
    support_add_triangle(shape, 0, 3, 1);
    support_add_triangle(shape, 0, 1, 2);
    support_add_triangle(shape, 0, 4, 3);
    support_add_triangle(shape, 3, 4, 1);
    kg_mesh mesh = support_build(&memory, shape, false);
    cr_assert(mesh.facet[0] == 1 && mesh.facet[1] == 1);
    cr_assert(mesh.facet[2] != 1 && mesh.facet[3] != 1);
    kg_mesh_free(&memory, &mesh);
}

static int allocations_left;

static void *allocate(void *user, size_t size)
{
    (void)user;
    return allocations_left-- > 0 ? malloc(size) : NULL;
}

static void release(void *user, void *block, size_t size)
{
    (void)user, (void)size;
    free(block);
}

Test(mesh_build, every_failed_allocation_leaves_an_empty_mesh)
{
    support_shape *shape = support_shape_start();
    const kugel_allocator hooks = {allocate, NULL, release, NULL};
    kg_memory memory;
    kg_mesh mesh;
    bool built = false;
    int n = 0;
    support_add_icosphere(shape, 1, 2);
    kg_memory_init(&memory, &hooks);
    for (; !built; ++n) {
        allocations_left = n;
        built = kg_mesh_build(&memory, NULL, &mesh, shape->vertex, shape->vertices, shape->corner,
                              shape->triangles, false);
        if (built) kg_mesh_free(&memory, &mesh);
        cr_assert_eq(memory.used, 0, "%zu bytes are left after failure %d", memory.used, n);
        cr_assert(mesh.node == NULL && mesh.triangle_count == 0 && mesh.columns[0].block == NULL);
    }
    cr_assert(n > 15, "%d allocations", n);
}

static bool count_visit(void *context, uint32_t triangle)
{
    (void)triangle;
    *(uint32_t *)context += 1;
    return true;
}

/* No triangle, one, equal ones, ones without an area. */
Test(mesh_build, degenerate_meshes_are_built)
{
    support_shape *shape = support_shape_start();
    kg_memory memory;
    kg_mesh mesh = support_build(&memory, shape, false);
    double low[3] = {-9, -9, -9}, high[3] = {9, 9, 9}, normal[3], x[3] = {0, 0, 1};
    kg_mesh_path path = {{0, 0, 2}, {0, 0, -1}, {0, 0, 0}, 0.5, 10};
    uint32_t feature, n = 0;
    cr_assert(kg_mesh_find_near(&mesh, low, high, 0, count_visit, &n) && n == 0);
    cr_assert_eq(kg_mesh_cast(&mesh, &path, false, &feature, normal), 1e300);
    cr_assert_eq(support_ray(&mesh, x, normal, 9, &feature, normal), 1e300);
    kg_mesh_free(&memory, &mesh);
    for (int i = 0; i < 9; ++i) support_add_vertex(shape, i % 3 - 1, i / 3 - 1, 0);
    for (uint32_t i = 0; i < 20; ++i) support_add_triangle(shape, 4, 4, i % 9);
    for (uint32_t i = 0; i < 20; ++i) support_add_triangle(shape, 0, 1, 2);
    mesh = support_build(&memory, shape, false);
    cr_assert_eq(mesh.report.dropped, 40);
    cr_assert_eq(mesh.node_count, 0);
    cr_assert_eq(kg_mesh_cast(&mesh, &path, false, &feature, normal), 1e300);
    cr_assert_eq(kg_mesh_feature_distance(&mesh, 0, x, 0, normal), 1e300);
    kg_mesh_free(&memory, &mesh);
    for (uint32_t i = 0; i < 20; ++i) support_add_triangle(shape, 0, i & 1 ? 2 : 7, i & 1 ? 7 : 2);
    for (int one_sided = 0; one_sided < 2; ++one_sided) { /* a front and a back, ten of each */
        mesh = support_build(&memory, shape, one_sided);
        uint32_t kept = one_sided ? 2 : 1;
        cr_assert_eq(mesh.report.dropped, 60 - kept);
        cr_assert_eq(mesh.report.branching_edges, 0);
        cr_assert_eq(mesh.report.open_edges, one_sided ? 0 : 3);
        cr_assert_eq(kg_mesh_cast(&mesh, &path, false, &feature, normal), 1.5);
        cr_assert_eq(feature, KG_PARTS * (one_sided ? 41 : 40));
        n = 0;
        cr_assert(kg_mesh_find_near(&mesh, low, high, 0, count_visit, &n) && n == kept);
        kg_mesh_free(&memory, &mesh);
    }
}

/* The lowest half-edge between the vertices of half-edge `half`, searched among all. */
static uint32_t lowest_half(const kg_mesh *mesh, uint32_t half)
{
    uint32_t a = kg_mesh_start(mesh, half), b = kg_mesh_end(mesh, half);
    for (uint32_t h = 0; h < 3 * mesh->triangle_count; ++h) {
        uint32_t c = kg_mesh_start(mesh, h), d = kg_mesh_end(mesh, h);
        if (kg_mesh_has_area(mesh, h / 3) && ((a == c && b == d) || (a == d && b == c))) return h;
    }
    return KG_NONE;
}

/* The lowest corner at the vertex of corner `corner`, searched among all. */
static uint32_t lowest_corner(const kg_mesh *mesh, uint32_t corner)
{
    for (uint32_t c = 0; c < 3 * mesh->triangle_count; ++c) {
        if (kg_mesh_has_area(mesh, c / 3) && mesh->corner[c] == mesh->corner[corner]) return c;
    }
    return KG_NONE;
}

/* Whether or not the triangle owns the part: numbers of parts that triangles share are those of the
 * lowest of them. */
Test(mesh_build, a_shared_part_has_the_number_of_its_owner)
{
    support_random random = support_random_start("owners", 15);
    for (uint32_t trial = 0; trial < 8; ++trial) {
        kg_memory memory;
        support_shape *shape = support_shape_start();
        support_add_soup(shape, &random, 150, trial & 1);
        if (trial & 2) support_add_icosphere(shape, 1, 2);
        kg_mesh mesh = support_build(&memory, shape, trial & 4);
        for (uint32_t i = 0; i < 3 * mesh.triangle_count; ++i) {
            if (!kg_mesh_has_area(&mesh, i / 3)) continue;
            uint32_t half = lowest_half(&mesh, i), corner = lowest_corner(&mesh, i);
            cr_assert_eq(kg_mesh_feature_of(&mesh, i / 3, KG_PART_EDGE + i % 3),
                         KG_PARTS * (half / 3) + KG_PART_EDGE + half % 3, "edge %u", i);
            cr_assert_eq(kg_mesh_feature_of(&mesh, i / 3, KG_PART_VERTEX + i % 3),
                         KG_PARTS * (corner / 3) + KG_PART_VERTEX + corner % 3, "vertex %u", i);
        }
        kg_mesh_free(&memory, &mesh);
    }
}
