/* Bulk reads agree with kugel_body_get. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "support/support_pile.h"
#include "support/support_scene.h"
#include "support/support_states.h"

enum { MOST = 700 }; /* more than two blocks of rows */

static void check_row(const kugel_body_arrays *a, uint32_t row, const kugel_body_state *s)
{
    cr_assert_eq(a->bodies[row], s->body);
    cr_assert(!memcmp(a->position + 3 * row, s->position, sizeof s->position));
    cr_assert(!memcmp(a->velocity + 3 * row, s->velocity, sizeof s->velocity));
    cr_assert(!memcmp(a->spin + 3 * row, s->spin, sizeof s->spin));
    cr_assert(!memcmp(a->rotation + 4 * row, s->rotation, sizeof s->rotation));
    cr_assert(a->radius[row] == s->radius && a->mass[row] == s->mass &&
              a->asleep[row] == s->asleep);
    cr_assert_eq(a->user_data[row], s->user_data);
}

static void check_arrays(const kugel_world *world)
{
    static kugel_body bodies[MOST];
    static double position[3 * MOST], velocity[3 * MOST], spin[3 * MOST], radius[MOST], mass[MOST];
    static double rotation[4 * MOST];
    static bool asleep[MOST];
    static uint64_t user_data[MOST];
    static kugel_body_state states[MOST];
    uint32_t count = support_read_states(world, MOST, states);
    kugel_body_arrays arrays = {.bodies = bodies,
                                .position = position,
                                .velocity = velocity,
                                .spin = spin,
                                .rotation = rotation,
                                .radius = radius,
                                .asleep = asleep,
                                .user_data = user_data,
                                .mass = mass};
    cr_assert_eq(kugel_world_read_arrays(world, MOST, &arrays), count);
    for (uint32_t row = 0; row < count; ++row) check_row(&arrays, row, &states[row]);
    memset(radius, 0, sizeof radius);
    kugel_body_arrays one = {.radius = radius};
    cr_assert_eq(kugel_world_read_arrays(world, 300, &one), count, "others are NULL");
    cr_assert(radius[299] != 0 && radius[300] == 0, "the capacity holds");
    cr_assert_eq(kugel_world_read_arrays(NULL, 1, &one), 0);
    cr_assert_eq(kugel_world_read_arrays(world, 1, NULL), 0);
}

/* First all ids have a row, then some are free. */
Test(read_arrays, agree_with_single_reads)
{
    support_random random = support_random_start("read_arrays", 1);
    support_scene scene = support_pile(8, 10, 0, &random);
    for (uint32_t i = 0; i < scene.count; ++i) scene.bodies[i].user_data = i * i;
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 1 / 60., 20);
    check_arrays(world);
    for (uint32_t id = 5; id < 100; id += 3) kugel_body_destroy(world, kugel_world_body(world, id));
    check_arrays(world);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}
