/* kugel-replay on recordings with a pair filter: states are written, playing is refused. */
#include <criterion/criterion.h>
#include <kugel/kugel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/support_replay.h"
#include "support/support_plane.h"

enum { TICKS = 40, FILTER_TICK = 10, KEY = 7 };
static const double dt = 1 / 64.;

static bool ids_differ_by_two(void *user, uint64_t key, kugel_pair *pair)
{
    (void)user;
    return key == KEY && kugel_body_id(pair->b) - kugel_body_id(pair->a) == 2;
}

/* Three balls that fall onto each other, in a box that may be periodic along x. */
static kugel_world *make_world(bool periodic)
{
    kugel_world_def def = kugel_world_def_default();
    def.gravity[2] = -10;
    def.bounds.min[0] = -5, def.bounds.max[0] = 5;
    def.bounds.faces[0] = def.bounds.faces[1] = periodic ? KUGEL_FACE_PERIODIC : KUGEL_FACE_OPEN;
    kugel_world *world;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    cr_assert_eq(support_add_plane(world, &(support_plane){.normal = {0, 0, 1}}, NULL), KUGEL_OK);
    for (int i = 0; i < 3; ++i) {
        kugel_body_def ball = kugel_body_def_default();
        ball.position[0] = 0.1 * i, ball.position[2] = 0.6 + 1.2 * i;
        cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
    }
    return world;
}

/* The rows of a tick as csv, appended to `text`. */
static void add_rows(char *text, const kugel_world *world, int tick)
{
    double x[9], v[9], w[9];
    uint32_t ids[3],
        n = kugel_world_read_arrays(
            world, 3, &(kugel_body_arrays){.ids = ids, .position = x, .velocity = v, .spin = w});
    char *at = text + strlen(text);
    for (uint32_t i = 0; i < n; ++i) {
        at += sprintf(at, "%d,%.17g,%u", tick, (tick + 1) * dt, ids[i]);
        for (uint32_t k = 0; k < 3; ++k) at += sprintf(at, ",%.17g", x[3 * i + k]);
        for (uint32_t k = 0; k < 3; ++k) at += sprintf(at, ",%.9g", v[3 * i + k]);
        for (uint32_t k = 0; k < 3; ++k) at += sprintf(at, ",%.9g", w[3 * i + k]);
        at += sprintf(at, "\n");
    }
}

/* Record a run that has made a step already. Its filter is set FILTER_TICK ticks later. `table`
 * receives all recorded ticks, `last` the last one. */
static void save_run(const char *name, bool states, bool periodic, char *table, char *last)
{
    support_file file = {0};
    kugel_world *world = make_world(periodic);
    kugel_recording_def def = support_recording_def(&file, states);
    const kugel_pair_filter filter = {.decide = ids_differ_by_two, .key = KEY};
    cr_assert_eq(kugel_world_step(world, dt), KUGEL_OK);
    cr_assert_eq(kugel_world_recording_start(world, &def), KUGEL_OK);
    strcpy(table, "tick,time,id,x,y,z,vx,vy,vz,wx,wy,wz\n");
    strcpy(last, table);
    for (int tick = 0;; ++tick) {
        add_rows(table, world, tick);
        if (tick == TICKS) break;
        if (tick == FILTER_TICK) kugel_world_set_pair_filter(world, &filter);
        cr_assert_eq(kugel_world_step(world, dt), KUGEL_OK);
    }
    add_rows(last, world, TICKS);
    cr_assert_eq(kugel_world_recording_stop(world), KUGEL_OK);
    kugel_world_destroy(world);
    support_save(name, &file);
    support_file_free(&file);
}

static char table[1 << 16], last[1 << 12];

Test(replay_pair_filter, states_are_written)
{
    save_run("a", true, false, table, last);
    support_outcome o = REPLAY("export", support_path("a"), "-o", support_path("a.csv"));
    cr_assert_eq(o.code, 0, "%s", o.err);
    char *got = support_read_file("a.csv");
    cr_assert_str_eq(got, table);
    free(got);
    o = REPLAY("seek", support_path("a"), "40");
    cr_assert_eq(o.code, 0, "%s", o.err);
    cr_assert_str_eq(o.out, last);
    o = REPLAY("export", support_path("a"), "-o", support_path("a.xyz"));
    cr_assert_eq(o.code, 0, "%s", o.err);
    cr_assert_not_null(strstr(REPLAY("info", support_path("a")).out, "\npair filter yes\n"));
}

Test(replay_pair_filter, playing_is_refused)
{
    save_run("a", true, false, table, last);
    support_outcome o = REPLAY("verify", support_path("a"));
    support_check_refused(&o, 2, "from tick 11: its pair filter (key 7) is code of the program");
    o = REPLAY("view", support_path("a"), "-o", support_path("page"));
    support_check_refused(&o, 2, "view: ");
    cr_assert_neq(access(support_path("page"), F_OK), 0);
}

Test(replay_pair_filter, what_states_lack_is_refused)
{
    save_run("a", false, false, table, last);
    support_outcome o = REPLAY("export", support_path("a"), "-o", support_path("a.csv"));
    support_check_refused(&o, 2, "no states");
    o = REPLAY("seek", support_path("a"), "40");
    support_check_refused(&o, 2, "no states");
    save_run("b", true, true, table, last);
    o = REPLAY("export", support_path("b"), "-o", support_path("b.xyz"));
    support_check_refused(&o, 2, "no images");
    o = REPLAY("export", support_path("b"), "-o", support_path("b.contacts.csv"));
    support_check_refused(&o, 2, "states have no contacts");
    o = REPLAY("export", support_path("b"), "-o", support_path("b.csv"));
    cr_assert_eq(o.code, 0, "%s", o.err);
    cr_assert_neq(access(support_path("b.xyz"), F_OK), 0);
}

Test(replay_pair_filter, recordings_are_compared)
{
    save_run("a", true, false, table, last);
    save_run("b", true, false, table, last);
    support_outcome o = REPLAY("diff", support_path("a"), support_path("b"));
    cr_assert_eq(o.code, 0, "%s", o.err);
    cr_assert_str_eq(o.out, "identical: 40 ticks\n");
}
