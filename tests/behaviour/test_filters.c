/* Category, mask and group decide which pairs collide; a change takes effect in the next step. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/support_scene.h"

typedef struct filter_row {
    char name[24];
    uint32_t category[2], mask[2], group[2];
    bool meet;
} filter_row;

static kugel_world *two_balls(const filter_row *row)
{
    support_scene scene = support_scene_start();
    for (int k = 0; k < 2; ++k) {
        kugel_body_def *def = support_scene_add(&scene, (double[3]){k ? 2 : -2, 0, 0},
                                                (double[3]){k ? -4 : 4, 0, 0}, 0.5, 1);
        def->category = row->category[k], def->mask = row->mask[k], def->group = row->group[k];
    }
    kugel_world *world = support_scene_world(&scene);
    support_scene_free(&scene);
    return world;
}

Test(filters, decide_which_pairs_collide)
{
    static const filter_row table[] = {
        {"defaults", {1, 1}, {~0u, ~0u}, {0, 0}, true},
        {"masked by one", {1, 2}, {~0u, 2}, {0, 0}, false},
        {"masked by the other", {1, 2}, {1, ~0u}, {0, 0}, false},
        {"both want", {1, 2}, {2, 1}, {0, 0}, true},
        {"no category", {0, 1}, {~0u, ~0u}, {0, 0}, false},
        {"one group", {1, 1}, {~0u, ~0u}, {7, 7}, false},
        {"two groups", {1, 1}, {~0u, ~0u}, {7, 8}, true},
        {"a group and none", {1, 1}, {~0u, ~0u}, {7, 0}, true},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
        kugel_world *world = two_balls(&table[i]);
        support_run(world, 0.1, 10);
        kugel_body_state state;
        support_state(world, 0, &state);
        cr_assert_eq(state.velocity[0] < 0, table[i].meet, "%s", table[i].name);
        cr_assert_eq(state.group, table[i].group[0]);
        kugel_world_destroy(world);
    }
}

/* The filter changes after a step in which the pair was near. */
Test(filters, take_effect_in_the_next_step)
{
    for (int late = 0; late < 2; ++late) {
        const filter_row row = {"", {1, 1}, {~0u, ~0u}, {late, late}, true};
        kugel_world *world = two_balls(&row);
        support_run(world, 0.1, 3); /* now 0.6 m apart */
        for (uint32_t id = 0; id < 2; ++id) {
            cr_assert_eq(kugel_body_set_filter(world, kugel_world_body(world, id), 1, ~0u, !late),
                         KUGEL_OK);
        }
        support_run(world, 0.1, 2);
        kugel_body_state state;
        support_state(world, 0, &state);
        cr_assert_eq(state.velocity[0] < 0, late == 1, "group %d before", late);
        kugel_world_destroy(world);
    }
    cr_assert_eq(kugel_body_set_filter(NULL, 0, 1, 1, 0), KUGEL_ERROR_INVALID_ARGUMENT);
}

static bool append(void *user, const void *data, size_t size)
{
    struct {
        char *bytes;
        size_t size;
    } *to = user;
    to->bytes = realloc(to->bytes, to->size + size);
    memcpy(to->bytes + to->size, data, size);
    to->size += size;
    return true;
}

/* A ball that rests (and sleeps) on a shelf falls when the shelf's filter changes. The recording
 * replays, and a snapshot taken before the fall continues with the same bits. */
Test(filters, end_resting_contacts_and_are_recorded_and_saved)
{
    kugel_world_def def = kugel_world_def_default();
    def.gravity[2] = -10;
    kugel_world *world, *copy;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    struct {
        char *bytes;
        size_t size;
    } file = {0};
    kugel_recording_def recording = kugel_recording_def_default();
    recording.write = append, recording.user = &file;
    cr_assert_eq(kugel_world_recording_start(world, &recording), KUGEL_OK);
    kugel_body_def shelf = kugel_body_def_default(), ball = shelf;
    shelf.type = KUGEL_STATIC;
    ball.position[2] = 1.0001;
    ball.group = 3;
    kugel_body bodies[2];
    kugel_body_create(world, &shelf, &bodies[0]);
    kugel_body_create(world, &ball, &bodies[1]);
    support_run(world, 1 / 60., 120);
    kugel_body_state state;
    support_state(world, 1, &state);
    cr_assert(state.contacts == 1 && fabs(state.position[2] - 1) < 1e-3, "it rests");
    cr_assert_eq(kugel_body_set_filter(world, bodies[0], 1, ~0u, 3), KUGEL_OK);
    support_state(world, 1, &state);
    cr_assert_eq(state.contacts, 0);
    cr_assert_eq(kugel_world_clone(world, &copy), KUGEL_OK);
    support_run(world, 1 / 60., 60);
    support_run(copy, 1 / 60., 60);
    support_state(world, 1, &state);
    cr_assert(fabs(state.position[2] - (1 - 5)) < 0.05, "it fell for a second: %g",
              state.position[2]);
    cr_assert_eq(kugel_world_hash(world), kugel_world_hash(copy));
    cr_assert_eq(kugel_world_recording_stop(world), KUGEL_OK);
    kugel_player *player;
    cr_assert_eq(kugel_player_open(file.bytes, file.size, NULL, NULL, 1, &player, NULL), KUGEL_OK);
    kugel_play play;
    while ((play = kugel_player_step(player, NULL)) == KUGEL_PLAY_TICK) {}
    cr_assert_eq(play, KUGEL_PLAY_END);
    kugel_player_close(player);
    kugel_world_destroy(copy);
    kugel_world_destroy(world);
    free(file.bytes);
}
