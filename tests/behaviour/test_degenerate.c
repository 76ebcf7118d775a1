/* Degenerate input has a bounded cost: repeated triangles act as one, triangles around one edge
 * take memory in proportion to their number, and a step with bodies heaped at one place is refused
 * before its pairs take memory. Work is counted in contacts, pairs and bytes, not in time. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants.h"
#include "support/support_scene.h"

/* Bytes of a world: at present, and the most so far. */
typedef struct bytes {
    size_t now, most;
} bytes;

static void count(bytes *b, size_t added, size_t removed)
{
    b->now += added - removed;
    b->most = b->now > b->most ? b->now : b->most;
}

static void *count_allocate(void *user, size_t size)
{
    count(user, size, 0);
    return malloc(size);
}

static void *count_reallocate(void *user, void *block, size_t old_size, size_t new_size)
{
    count(user, new_size, old_size);
    return realloc(block, new_size);
}

static void count_free(void *user, void *block, size_t size)
{
    count(user, 0, size);
    free(block);
}

static kugel_world *start(bytes *b)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    def.gravity[2] = -9.81;
    def.allocator = (kugel_allocator){count_allocate, count_reallocate, count_free, b};
    *b = (bytes){0};
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    return world;
}

static void add_ball(kugel_world *world, double x, double y, double z, double radius)
{
    kugel_body_def ball = kugel_body_def_default();
    ball.position[0] = x, ball.position[1] = y, ball.position[2] = z;
    ball.radius = radius;
    cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
}

static uint32_t resting_contacts(const kugel_world *world)
{
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    return (uint32_t)stats.resting_contacts;
}

/* A triangle, `times` as often, each with vertices of its own and turned in all six ways. */
static kugel_surface_info add_repeated(kugel_world *world, uint32_t times)
{
    static const double place[3][3] = {{-1, -1, 0}, {1, -1, 0.1}, {0, 1, 0.05}};
    static const uint8_t order[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                        {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    kugel_surface_def def = kugel_surface_def_default();
    kugel_surface_info info;
    double *vertices = malloc(9 * times * sizeof *vertices);
    uint32_t *triangles = malloc(3 * times * sizeof *triangles);
    for (uint32_t i = 0; i < 3 * times; ++i) {
        memcpy(vertices + 3 * i, place[i % 3], sizeof *place);
        triangles[i] = i / 3 * 3 + order[i / 3 % 6][i % 3];
    }
    def.vertex_count = 3 * times, def.triangle_count = times;
    def.vertices = vertices, def.triangles = triangles;
    cr_assert_eq(kugel_surface_create(world, &def, NULL), KUGEL_OK);
    cr_assert_eq(kugel_surface_get(world, kugel_world_surface(world, 0), &def, &info), KUGEL_OK);
    free(vertices);
    free(triangles);
    return info;
}

/* The same triangle 10,000 times is the same surface: a ball that lands on it, rolls down over its
 * edge and falls has the same bits. */
Test(degenerate, repeated_triangles_act_as_one)
{
    bytes one_bytes, many_bytes;
    kugel_world *one = start(&one_bytes), *many = start(&many_bytes);
    const uint32_t times = 10000;
    kugel_surface_info info = add_repeated(one, 1), same = add_repeated(many, times);
    cr_assert_eq(same.dropped, times - 1);
    cr_assert_eq(same.facets, info.facets);
    cr_assert_eq(same.open_edges, info.open_edges);
    cr_assert_eq(same.branching_edges, 0);
    add_ball(one, 0, 0, 0.3, 0.2);
    add_ball(many, 0, 0, 0.3, 0.2);
    for (int tick = 0; tick < 180; ++tick) {
        kugel_body_state a, b;
        support_run(one, 1 / 60., 1);
        support_run(many, 1 / 60., 1);
        support_state(one, 0, &a);
        support_state(many, 0, &b);
        cr_assert_eq(memcmp(a.position, b.position, sizeof a.position), 0, "tick %d", tick);
        cr_assert_eq(memcmp(a.spin, b.spin, sizeof a.spin), 0, "tick %d", tick);
        cr_assert_eq(a.contacts, b.contacts);
    }
    kugel_world_destroy(one);
    kugel_world_destroy(many);
}

/* A ball on the back of a book of `pages` pages that open downwards: one contact, with their common
 * edge. Returns the bytes of the world. */
static size_t rest_on_book(uint32_t pages)
{
    bytes b;
    kugel_world *world = start(&b);
    kugel_surface_def def = kugel_surface_def_default();
    double *vertices = calloc(3 * (pages + 2), sizeof *vertices);
    uint32_t *triangles = malloc(3 * pages * sizeof *triangles);
    vertices[0] = -1, vertices[3] = 1;
    for (uint32_t i = 0; i < pages; ++i) {
        double angle = 3.141592653589793 * (1.1 + 0.8 * (i + 0.5) / pages);
        vertices[3 * i + 7] = cos(angle), vertices[3 * i + 8] = sin(angle);
        triangles[3 * i] = 0, triangles[3 * i + 1] = 1, triangles[3 * i + 2] = i + 2;
    }
    def.vertex_count = pages + 2, def.triangle_count = pages;
    def.vertices = vertices, def.triangles = triangles;
    cr_assert_eq(kugel_surface_create(world, &def, NULL), KUGEL_OK);
    add_ball(world, 0, 0, 0.2001, 0.2);
    support_run(world, 1 / 60., 6);
    cr_assert_eq(resting_contacts(world), 1);
    kugel_world_destroy(world);
    free(vertices);
    free(triangles);
    return b.most;
}

Test(degenerate, pages_of_a_book_take_memory_in_proportion)
{
    size_t some = rest_on_book(2500), more = rest_on_book(10000);
    cr_assert_lt(more, 5 * some, "%zu, %zu bytes", some, more);
}

/* Bodies within a small part of their radius. At first the step is refused, with no more memory
 * than the pairs up to the limit take; when most are gone it succeeds. */
Test(degenerate, bodies_at_one_place_are_refused_above_the_limit)
{
    support_random random = support_random_start("heap", 1);
    for (uint32_t n = 1000; n <= 8000; n *= 2) {
        bytes b;
        kugel_world *world = start(&b);
        for (uint32_t i = 0; i < n; ++i) {
            double x[3];
            support_direction(&random, support_between(&random, 0, 0.05), x);
            add_ball(world, x[0], x[1], x[2], 0.5);
        }
        uint64_t before = kugel_world_hash(world);
        cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_ERROR_LIMIT);
        cr_assert_str_eq(kugel_world_last_error(world)->argument, "bodies");
        cr_assert_eq(kugel_world_hash(world), before);
        /* of a pair: two neighbours in lists and a contact, in columns that double */
        size_t limit = KG_PAIRS_BASE + (size_t)KG_PAIRS_PER_BODY * n;
        cr_assert_lt(b.most, 512 * limit, "%u bodies: %zu bytes", n, b.most);
        for (uint32_t id = 300; id < n; ++id)
            kugel_body_destroy(world, kugel_world_body(world, id));
        support_run(world, 1 / 60., 1);
        kugel_world_destroy(world);
    }
}

/* Clusters of 20 bodies at each of many places are within the limit: a step has all their pairs. */
Test(degenerate, clusters_of_bodies_part)
{
    bytes b;
    kugel_world *world = start(&b);
    for (uint32_t i = 0; i < 4000; ++i)
        add_ball(world, 3 * (i / 20 % 15), 3 * (i / 300), 0.01 * (i % 20), 0.5);
    support_run(world, 1 / 60., 1);
    cr_assert_eq(resting_contacts(world), 4000 / 20 * 190);
    kugel_world_destroy(world);
}
