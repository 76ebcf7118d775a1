/* kugel-replay diff: the first difference of two recordings, and the last impact before it. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/support_replay.h"
#include "support/support_plane.h"

Test(replay_diff, diff_identical)
{
    support_save_run("a", 50, true, 4);
    support_save_run("b", 50, false, 4);
    support_outcome o = REPLAY("diff", support_path("a"), support_path("b"));
    cr_assert_eq(o.code, 0, "%s", o.err);
    cr_assert_str_eq(o.out, "identical: 50 ticks\n");
    o = support_replay(support_path("a"), NULL,
                       (const char *const[]){"diff", support_path("b"), "-", NULL});
    cr_assert_eq(o.code, 0, "%s", o.err);
}

/* The push of tick 40 differs: body 1 differs from tick 41 on. With and without recorded states. */
Test(replay_diff, diff_different)
{
    for (int states = 0; states < 4; ++states) {
        support_save_run("a", SUPPORT_TICKS, states & 1, 4);
        support_save_run("b", SUPPORT_TICKS, states & 2, 4.5);
        support_outcome o = REPLAY("diff", support_path("a"), support_path("b"));
        cr_assert_eq(o.code, 1, "%s", o.err);
        cr_assert_eq(strncmp(o.out, "different at tick 41: body 1 position.z: ", 41), 0, "%s",
                     o.out);
        cr_assert_not_null(strstr(o.out, "in the first, "), "%s", o.out);
        cr_assert_not_null(strstr(o.out, "\nit took part in no impact in the 41 ticks before"),
                           "%s", o.out);
        cr_assert_str_empty(o.err);
    }
}

/* A ball that bounces on a floor; before tick 60 it is pushed. */
static void save_bounces(const char *name, double push)
{
    support_file file = {0};
    kugel_world_def def = kugel_world_def_default();
    kugel_body_def ball = kugel_body_def_default();
    kugel_recording_def recording = support_recording_def(&file, true);
    kugel_world *world;
    kugel_body body;
    def.gravity[2] = -9.81;
    ball.position[2] = 1.5;
    ball.restitution = 0.9;
    recording.keyframe_ticks = 20;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    cr_assert_eq(kugel_world_recording_start(world, &recording), KUGEL_OK);
    cr_assert_eq(support_add_plane(world, &(support_plane){{0, 0, 1}, 0, 0, 0.5}, NULL), KUGEL_OK);
    cr_assert_eq(kugel_body_create(world, &ball, &body), KUGEL_OK);
    for (int tick = 0; tick < 100; ++tick) {
        if (tick == 60) kugel_body_apply_impulse(world, body, (double[3]){push, 0, 0}, NULL);
        cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
    }
    cr_assert_eq(kugel_world_recording_stop(world), KUGEL_OK);
    kugel_world_destroy(world);
    support_save(name, &file);
    support_file_free(&file);
}

/* It falls 1 m in 0.4515 s: in tick 28, at 4.43 m/s, with 1 kg: (1 + 0.9) 4.43 = 8.416 N s. */
Test(replay_diff, a_difference_names_the_last_impact)
{
    save_bounces("a", 0);
    save_bounces("b", 1e-9);
    support_outcome o = REPLAY("diff", support_path("a"), support_path("b"));
    cr_assert_eq(o.code, 1);
    cr_assert_eq(strncmp(o.out, "different at tick 61: body 0 position.x: ", 41), 0, "%s", o.out);
    unsigned long long tick;
    double time, speed, impulse;
    const char *line = strstr(o.out, "its last impact");
    cr_assert_not_null(line, "%s", o.out);
    int n =
        sscanf(line,
               "its last impact before: in tick %llu, %lf s into it, with triangle 0 of surface "
               "0, at %lf m/s, "
               "impulse %lf N s",
               &tick, &time, &speed, &impulse);
    cr_assert_eq(n, 4, "%s", o.out);
    cr_assert_eq(tick, 28, "%s", o.out);
    cr_assert_float_eq(speed, 4.42945, 1e-5);
    cr_assert_float_eq(impulse, 8.41595, 2e-5);
}

Test(replay_diff, diff_of_other_lengths)
{
    support_save_run("a", 50, true, 4);
    support_save_run("b", 30, true, 4);
    support_outcome o = REPLAY("diff", support_path("a"), support_path("b"));
    cr_assert_eq(o.code, 1);
    cr_assert_not_null(strstr(o.out, "b ends after tick 30"), "%s", o.out);
}

/* One ball; its place and the gravity are given. */
static void save_start(const char *name, int ticks, double z, double gravity)
{
    support_file file = {0};
    kugel_world_def def = kugel_world_def_default();
    kugel_body_def ball = kugel_body_def_default();
    kugel_recording_def recording = support_recording_def(&file, true);
    kugel_world *world;
    def.gravity[2] = gravity;
    ball.position[2] = z;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    cr_assert_eq(kugel_world_recording_start(world, &recording), KUGEL_OK);
    cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
    for (int tick = 0; tick < ticks; ++tick)
        cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
    cr_assert_eq(kugel_world_recording_stop(world), KUGEL_OK);
    kugel_world_destroy(world);
    support_save(name, &file);
    support_file_free(&file);
}

/* The start is compared as well: the bodies, and where those are the same what else there is. */
Test(replay_diff, diff_of_the_start)
{
    for (int ticks = 0; ticks < 2; ++ticks) {
        save_start("a", ticks, 1, -9), save_start("b", ticks, 2, -9), save_start("c", ticks, 1, -8);
        support_outcome o = REPLAY("diff", support_path("a"), support_path("b"));
        cr_assert_eq(o.code, 1, "%s", o.err);
        cr_assert_eq(strncmp(o.out, "different at tick 0: body 0 position.z: 1 (", 43), 0, "%s",
                     o.out);
        cr_assert_eq(support_count_lines(o.out), 1, "%s", o.out);
        o = REPLAY("diff", support_path("a"), support_path("c"));
        cr_assert_eq(o.code, 1, "%s", o.err);
        const char *said = ticks ? "different at tick 1: body 0 position.z: "
                                 : "different at tick 0: state hash 0x";
        cr_assert_eq(strncmp(o.out, said, strlen(said)), 0, "%s", o.out);
    }
    save_start("b", 0, 1, -9);
    support_outcome o = REPLAY("diff", support_path("b"), support_path("b"));
    cr_assert(o.code == 0 && strcmp(o.out, "identical: 0 ticks\n") == 0, "%s%s", o.out, o.err);
}
