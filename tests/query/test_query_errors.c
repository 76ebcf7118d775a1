/* For engine/query and api_query.c: bad arguments give an error and cleared results, a failed
 * allocation is an error that leaves the world intact, and several threads query a const world. */
#include <criterion/criterion.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "support/support_memory.h"
#include "support/support_scene.h"

static kugel_world *gas(kugel_face face, const kugel_allocator *allocator)
{
    support_random random = support_random_start("manners", 61);
    support_scene scene = support_scene_gas(5, 0.1, face, 3, &random);
    if (allocator) scene.def.allocator = *allocator;
    kugel_world *world = support_scene_world(&scene);
    support_scene_free(&scene);
    return world;
}

Test(manners, bad_arguments_are_refused)
{
    const double bad[3] = {0, NAN, 0}, far[3] = {0, 0, 1e16}, fine[3] = {1, 2, 3},
                 low[3] = {0, 0, 0}, none[3] = {0, 0, 0};
    kugel_world *world = gas(KUGEL_FACE_PERIODIC, NULL);
    kugel_ray ray = {{1, 1, 1}, {1, 0, 0}, 5}, rays[2] = {ray, {{0, 0, 0}, {NAN, 0, 0}, 1}};
    kugel_ray_hit hits[2];
    kugel_cast_hit cast;
    kugel_found found[4];
    size_t count = 7;
    bool any = true;
    const kugel_status no = KUGEL_ERROR_INVALID_ARGUMENT;
    cr_assert_eq(kugel_world_rays_closest(world, 2, rays, NULL, hits), no);
    cr_assert_eq(hits[0].body, KUGEL_NULL_BODY, "one bad ray makes the batch an error");
    cr_assert_eq(kugel_world_rays_closest(world, 0, NULL, NULL, NULL), KUGEL_OK);
    hits[0].body = hits[1].body = 1;
    cr_assert_eq(kugel_world_ray_closest(NULL, &ray, NULL, hits), no);
    cr_assert_eq(hits[0].body, KUGEL_NULL_BODY, "no world, no hit");
    hits[0].body = 1;
    cr_assert_eq(kugel_world_rays_closest(world, 2, NULL, NULL, hits), no);
    cr_assert(hits[0].body == KUGEL_NULL_BODY && hits[1].body == KUGEL_NULL_BODY,
              "no rays, no hits");
    cr_assert_eq(kugel_world_rays_closest(world, 2, rays, NULL, NULL), no);
    cr_assert_eq(kugel_world_ray_any(world, NULL, NULL, &any), no);
    cr_assert(!any);
    ray.t_max = -1;
    cr_assert_eq(kugel_world_ray_all(world, &ray, NULL, 2, hits, &count), no);
    cr_assert_eq(count, 0);
    ray.t_max = INFINITY;
    cr_assert_eq(kugel_world_ray_closest(world, &ray, NULL, hits), KUGEL_ERROR_LIMIT,
                 "without end through boxes");
    cr_assert_eq(kugel_world_cast_closest(world, &ray, 1, NULL, &cast), KUGEL_ERROR_LIMIT);
    ray.t_max = 1;
    cr_assert_eq(kugel_world_cast_closest(world, &ray, -1, NULL, &cast), no);
    cr_assert_eq(kugel_world_cast_closest(world, &ray, NAN, NULL, &cast), no);
    cr_assert_eq(kugel_world_overlap_sphere(world, bad, 1, NULL, 4, found, &count), no);
    cr_assert_eq(kugel_world_overlap_sphere(world, far, 1, NULL, 4, found, &count), no);
    cr_assert_eq(kugel_world_overlap_sphere(world, fine, 1, NULL, 4, NULL, &count), no);
    cr_assert_eq(kugel_world_overlap_sphere(world, fine, 1, NULL, 4, found, NULL), no);
    cr_assert_eq(kugel_world_overlap_box(world, fine, low, NULL, 4, found, &count), no);
    cr_assert_eq(kugel_world_overlap_ellipsoid(world, fine, none, NULL, NULL, 4, found, &count),
                 no);
    cr_assert_eq(kugel_world_nearest(world, fine, NAN, NULL, 4, found, &count), no);
    cr_assert_eq(kugel_world_plane_side(world, fine, 0, 0, NULL, 4, found, &count), no,
                 "not a unit normal");
    cr_assert_eq(kugel_world_plane_side(world, (double[3]){0, 0, 1}, 0, 2, NULL, 4, found, &count),
                 no);
    cr_assert_eq(kugel_world_overlap_sphere(world, fine, 1, NULL, 0, NULL, &count), KUGEL_OK,
                 "only the number");
    kugel_world_destroy(world);
}

/* Bodies 1e13 m apart along an open axis make cells of that width. A ray of a few metres in such a
 * cell visits only the images along the periodic axes that it reaches, so the query ends in time.
 */
Test(manners, short_rays_in_wide_cells_visit_few_images, .timeout = 20)
{
    support_scene scene = support_scene_start();
    support_scene_box(&scene, 10, KUGEL_FACE_PERIODIC);
    scene.def.bounds.faces[0] = scene.def.bounds.faces[1] = KUGEL_FACE_OPEN;
    for (int k = 0; k < 8; ++k) support_scene_add(&scene, (double[3]){k * 1e13, 5, 5}, NULL, 1, 1);
    support_scene_add(&scene, (double[3]){3, 5, 2}, NULL, 1, 1);
    kugel_world *world = support_scene_world(&scene);
    kugel_ray ray = {{-20, 5, 0.5}, {1, 0, 0.5}, 40};
    kugel_ray_hit hits[9];
    kugel_cast_hit casts[9];
    size_t count;
    cr_assert_eq(kugel_world_ray_all(world, &ray, NULL, 9, hits, &count), KUGEL_OK);
    cr_assert(count == 1 && kugel_body_id(hits[0].body) == 8 && hits[0].image[2] == 1, "%zu",
              count);
    cr_assert_eq(kugel_world_ray_closest(world, &ray, NULL, hits), KUGEL_OK);
    cr_assert_eq(kugel_body_id(hits[0].body), 8);
    cr_assert_eq(kugel_world_cast_all(world, &ray, 3.1, NULL, 9, casts, &count), KUGEL_OK);
    cr_assert_eq(count, 2);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* A region or path of more than a million boxes is an error, in any direction. */
Test(manners, too_many_boxes_are_refused, .timeout = 20)
{
    const double middle[3] = {1, 2, 3}, axes[3] = {900, 1, 800}, far[3] = {2000, 2000, 2000},
                 low[3] = {0, 0, 0};
    kugel_world *world = gas(KUGEL_FACE_PERIODIC, NULL);
    kugel_world_def def;
    kugel_world_get_def(world, &def);
    double length = def.bounds.max[0] - def.bounds.min[0], large[3], box[3];
    for (int k = 0; k < 3; ++k) large[k] = axes[k] * length, box[k] = far[k] * length;
    kugel_found found[4];
    kugel_cast_hit cast;
    size_t count;
    cr_assert_eq(kugel_world_overlap_sphere(world, middle, 100 * length, NULL, 4, found, &count),
                 KUGEL_ERROR_LIMIT);
    cr_assert_eq(kugel_world_overlap_ellipsoid(world, middle, large, NULL, NULL, 4, found, &count),
                 KUGEL_ERROR_LIMIT);
    cr_assert_eq(kugel_world_overlap_box(world, low, box, NULL, 4, found, &count),
                 KUGEL_ERROR_LIMIT);
    kugel_ray ray = {{1, 1, 1}, {length, 0, 0}, 1e4};
    cr_assert_eq(kugel_world_cast_closest(world, &ray, 10 * length, NULL, &cast),
                 KUGEL_ERROR_LIMIT);
    cr_assert_eq(kugel_world_cast_closest(world, &ray, 0.1, NULL, &cast), KUGEL_OK);
    cr_assert_eq(kugel_world_overlap_sphere(world, middle, 2 * length, NULL, 4, found, &count),
                 KUGEL_OK);
    kugel_world_destroy(world);
}

/* Each body is on exactly one side of a plane, that of kugel_plane_sphere. */
Test(manners, plane_sides_equal_the_pure_function)
{
    kugel_world *world = gas(KUGEL_FACE_WALL, NULL);
    const double normal[3] = {0.6, 0, 0.8}, offset = 8;
    static kugel_found found[600];
    size_t all = 0, count;
    for (int side = -1; side <= 1; ++side) {
        cr_assert_eq(kugel_world_plane_side(world, normal, offset, side, NULL, 600, found, &count),
                     KUGEL_OK);
        for (size_t k = 0; k < count; ++k) {
            kugel_body_state b;
            kugel_plane_gap gap;
            cr_assert_eq(kugel_body_get(world, found[k].body, &b), KUGEL_OK);
            kugel_plane_sphere(normal, offset, b.position, b.radius, &gap);
            cr_assert(gap.hit ? side == 0 : side == (gap.height > 0 ? 1 : -1));
            cr_assert(found[k].gap == gap.distance &&
                      (k == 0 || found[k].body > found[k - 1].body));
        }
        cr_assert(count > 0);
        all += count;
    }
    cr_assert_eq(all, kugel_world_body_count(world));
    kugel_world_destroy(world);
}

static long left;
static void *fail_allocate(void *user, size_t size)
{
    (void)user;
    return left-- > 0 ? malloc(size) : NULL;
}
static void *fail_reallocate(void *user, void *block, size_t old, size_t size)
{
    (void)user, (void)old;
    return left-- > 0 ? realloc(block, size) : NULL;
}
static void fail_free(void *user, void *block, size_t size)
{
    (void)user, (void)size;
    free(block);
}

/* Every failing allocation is an error of its query; the next query gives the right result. */
Test(manners, out_of_memory_is_an_error)
{
    const kugel_allocator hooks = {fail_allocate, fail_reallocate, fail_free, NULL};
    left = 1 << 30;
    kugel_world *world = gas(KUGEL_FACE_WALL, &hooks);
    kugel_ray ray = {{1, 1, 1}, {1, 1.1, 0.9}, 30};
    kugel_ray_hit hit, expected;
    kugel_status status;
    uint64_t hash = kugel_world_hash(world);
    int failures = 0;
    for (long room = 0;; ++room) {
        left = room;
        status = kugel_world_ray_closest(world, &ray, NULL, &hit);
        if (status == KUGEL_OK) break;
        cr_assert(status == KUGEL_ERROR_OUT_OF_MEMORY && hit.body == KUGEL_NULL_BODY);
        failures += 1;
    }
    left = 1 << 30;
    kugel_world *other = gas(KUGEL_FACE_WALL, NULL);
    kugel_world_ray_closest(other, &ray, NULL, &expected);
    cr_assert(failures >= 3 && hit.body && hit.body == expected.body &&
              hit.hit.t_enter == expected.hit.t_enter);
    cr_assert_eq(kugel_world_hash(world), hash, "queries change no state");
    /* later queries need no new memory */
    left = 0;
    kugel_body_set_position(world, hit.body, (double[3]){6, 6, 6});
    cr_assert_eq(kugel_world_ray_closest(world, &ray, NULL, &hit), KUGEL_OK);
    left = 1 << 30;
    kugel_world_destroy(world);
    kugel_world_destroy(other);
}

enum { THREADS = 4, QUERIES = 400 };

typedef struct job {
    const kugel_world *world;
    size_t sum[QUERIES];
} job;

static void *run_queries(void *data)
{
    job *j = data;
    for (int i = 0; i < QUERIES; ++i) {
        kugel_ray ray = {{0.01 * i, 3, 4}, {1, 0.003 * i, 0.1}, 20};
        static _Thread_local kugel_ray_hit hits[256];
        static _Thread_local kugel_found found[256];
        size_t rays, near;
        kugel_world_ray_all(j->world, &ray, NULL, 256, hits, &rays);
        kugel_world_nearest(j->world, ray.origin, 2, NULL, 256, found, &near);
        j->sum[i] = rays * 1000 + near + (rays ? kugel_body_id(hits[0].body) * 1000000 : 0);
    }
    return NULL;
}

/* All threads start without an index: one builds it, the others wait. The results equal those of
 * one thread. */
Test(manners, threads_get_the_results_of_one_thread)
{
    for (int round = 0; round < 10; ++round) {
        kugel_world *world = gas(round % 2 ? KUGEL_FACE_PERIODIC : KUGEL_FACE_WALL, NULL);
        pthread_t threads[THREADS];
        static job jobs[THREADS + 1];
        for (int t = 0; t < THREADS; ++t) {
            jobs[t].world = world;
            cr_assert_eq(pthread_create(&threads[t], NULL, run_queries, &jobs[t]), 0);
        }
        for (int t = 0; t < THREADS; ++t) pthread_join(threads[t], NULL);
        jobs[THREADS].world = world;
        run_queries(&jobs[THREADS]);
        for (int t = 0; t < THREADS; ++t)
            cr_assert(memcmp(jobs[t].sum, jobs[THREADS].sum, sizeof jobs[t].sum) == 0);
        kugel_world_destroy(world);
    }
}

enum { RAYS = 3000 };

typedef struct asker {
    const kugel_world *world;
    const kugel_ray *rays;
    const kugel_ray_hit *expected;
} asker;

static void *ask_rays(void *argument)
{
    const asker *a = argument;
    kugel_ray_hit *hits = malloc(RAYS * sizeof *hits);
    uintptr_t wrong = !hits;
    for (int round = 0; round < 10 && hits; ++round) {
        memset(hits, 0, RAYS * sizeof *hits);
        wrong += kugel_world_rays_closest(a->world, RAYS, a->rays, NULL, hits) != KUGEL_OK;
        for (int k = 0; k < RAYS; ++k)
            wrong += hits[k].body != a->expected[k].body ||
                     hits[k].hit.t_enter != a->expected[k].hit.t_enter;
    }
    free(hits);
    return (void *)wrong;
}

/* A batch has the hits of its single rays, also while several threads query one world. */
Test(manners, batches_on_threads_equal_single_rays)
{
    support_random random = support_random_start("manners", 62);
    support_scene scene = support_scene_gas(5, 0.1, KUGEL_FACE_PERIODIC, 3, &random);
    scene.def.tasks.threads = 4;
    kugel_world *world = support_scene_world(&scene);
    static kugel_ray rays[RAYS];
    static kugel_ray_hit expected[RAYS];
    uint32_t met = 0;
    for (int k = 0; k < RAYS; ++k) {
        for (int x = 0; x < 3; ++x) rays[k].origin[x] = support_between(&random, 0, 12);
        support_direction(&random, 1, rays[k].direction);
        rays[k].t_max = 8;
        cr_assert_eq(kugel_world_ray_closest(world, &rays[k], NULL, &expected[k]), KUGEL_OK);
        met += expected[k].body != KUGEL_NULL_BODY;
    }
    cr_assert(met > RAYS / 10 && met < RAYS, "%u rays hit", met);
    asker a = {world, rays, expected};
    pthread_t thread[3];
    for (int t = 0; t < 3; ++t) cr_assert_eq(pthread_create(&thread[t], NULL, ask_rays, &a), 0);
    for (int t = 0; t < 3; ++t) {
        void *wrong;
        pthread_join(thread[t], &wrong);
        cr_assert_null(wrong, "wrong hits");
    }
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* A query that finds no memory for the rows of new bodies leaves an index that no later call reads.
 * Fresh memory holds anything: the sanitizers fill it. */
Test(manners, calls_after_a_query_without_memory)
{
    enum { AT_FIRST = 3, MORE = 300 };
    uint64_t failures = 1;
    for (int k = 0; failures; ++k) {
        support_memory memory = {0};
        kugel_world_def def = kugel_world_def_default();
        kugel_body_def ball = kugel_body_def_default();
        kugel_ray ray = {{-5, 0, 0}, {1, 0, 0}, 1000};
        kugel_ray_hit hit;
        kugel_world *world;
        def.allocator = support_allocator(&memory);
        cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
        for (int i = 0; i < AT_FIRST + MORE; ++i) {
            if (i == AT_FIRST)
                cr_assert_eq(kugel_world_ray_closest(world, &ray, NULL, &hit), KUGEL_OK);
            ball.position[0] = 2 * i;
            cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
        }
        support_memory_arm(&memory, k);
        kugel_status status = kugel_world_ray_closest(world, &ray, NULL, &hit);
        failures = memory.failures;
        support_memory_arm(&memory, -1);
        cr_assert_eq(status, failures ? KUGEL_ERROR_OUT_OF_MEMORY : KUGEL_OK);
        for (uint32_t id = 0; id < MORE; ++id)
            cr_assert_eq(kugel_body_destroy(world, kugel_world_body(world, id)), KUGEL_OK);
        cr_assert_eq(kugel_world_ray_closest(world, &ray, NULL, &hit), KUGEL_OK);
        cr_assert_eq(hit.body, kugel_world_body(world, MORE), "allocation %d", k);
        kugel_world_destroy(world);
        cr_assert_eq(memory.bytes, 0);
    }
}
