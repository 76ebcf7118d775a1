/* Outputs of a run: rows, summary, files that are complete or absent. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/support_program.h"

#define HEAD "{\"format\": \"kugel-scene\", \"version\": 1, "
/* Two hard spheres, one in free fall and one that spins in place; dt is an exact binary number. */
static const char two[] =
    HEAD "\"dt\": 0.125, \"ticks\": 8, \"gravity\": [0, 0, -8], \"slop\": 0, "
         "\"bounce_threshold\": 0, \"bodies\": [{\"position\": [1, 2, 3], "
         "\"velocity\": [0.5, 0, 1]}, {\"position\": [9, 0, 0], \"spin\": [0, 0, 3], "
         "\"type\": \"kinematic\"}]}";
/* A ball that bounces off a plane and a wall and comes to rest. */
static const char bouncing[] =
    HEAD "\"ticks\": 120, \"gravity\": [0, 0, -10], "
         "\"bounds\": {\"min\": [-2, -2, -9], \"max\": [2, 2, 9], "
         "\"restitution\": 1, \"friction\": 0}, "
         "\"planes\": [{\"normal\": [0, 0, 1], \"restitution\": 0, \"friction\": 0}], "
         "\"bodies\": [{\"position\": [0, 0, 1.5], \"velocity\": [2, 0, 0], "
         "\"friction\": 0, \"restitution\": 0.5}]}";

/* Row k is the state after k steps, at time k dt; tick 0 is the start. In free fall the parabola is
 * exact: rows match the formula up to rounding, velocities (%.9g) to 1e-8. */
Test(outputs, trajectory_rows)
{
    support_program run =
        support_kugel_run(two, (const char *const[]){"-", "--csv", "t.csv", NULL});
    cr_assert_eq(run.code, 0, "%s", run.err);
    char *text = support_read_file("t.csv");
    cr_assert(text);
    cr_assert_eq(strncmp(text,
                         "tick,time,id,x,y,z,vx,vy,vz,wx,wy,wz\n0,0,0,1,2,3,0.5,0,1,0,0,0\n"
                         "0,0,1,9,0,0,0,0,0,0,0,3\n1,0.125,0,",
                         strlen("tick,time,id,x,y,z,vx,vy,vz,wx,wy,wz\n0,0,0,1,2,3,0.5,0,1,0,0,0\n"
                                "0,0,1,9,0,0,0,0,0,0,0,3\n1,0.125,0,")),
                 0, "%s", text);
    support_table t = support_parse_csv(text);
    cr_assert_eq(t.columns, 12);
    cr_assert_eq(t.rows, 18, "%zu rows for 2 bodies and 9 ticks", t.rows);
    for (size_t i = 0; i < t.rows; ++i) {
        const double *row = support_row(&t, i);
        double time = 0.125 * (double)(i / 2);
        cr_assert(row[0] == (double)(i / 2) && row[1] == time && row[2] == (double)(i % 2));
        if (i % 2) continue;
        cr_assert_float_eq(row[3], 1 + 0.5 * time, 1e-12);
        cr_assert_float_eq(row[5], 3 + time - 4 * time * time, 1e-12, "row %zu: z = %.17g", i,
                           row[5]);
        cr_assert_float_eq(row[8], 1 - 8 * time, 1e-8);
    }
    free(t.values);
    free(text);
    support_program_free(&run);
}

/* A static body ignores the default spin. */
Test(outputs, static_bodies_ignore_the_default_spin)
{
    support_program run = support_kugel_run(
        HEAD "\"ticks\": 1, \"defaults\": {\"spin\": [0, 0, 3]}, \"bodies\": [{\"position\": [0, "
             "0, 0], \"type\": \"static\"}, "
             "{\"position\": [2, 0, 0], \"type\": \"kinematic\"}, {\"position\": [4, 0, 0]}]}",
        (const char *const[]){"-", "--csv", "spins.csv", NULL});
    cr_assert_eq(run.code, 0, "%s", run.err);
    char *text = support_read_file("spins.csv");
    cr_assert(text);
    cr_assert(strstr(text, "\n0,0,0,0,0,0,0,0,0,0,0,0\n"), "%s", text);
    cr_assert(strstr(text, "\n0,0,1,2,0,0,0,0,0,0,0,3\n0,0,2,4,0,0,0,0,0,0,0,3\n"), "%s", text);
    free(text);
    support_program_free(&run);
}

Test(outputs, every_k_th_tick)
{
    support_program run =
        support_kugel_run(two, (const char *const[]){"-", "--csv", "t.csv", "--every", "3", NULL});
    char *text = support_read_file("t.csv");
    support_table t = support_parse_csv(text);
    cr_assert_eq(t.rows, 6, "ticks 0, 3 and 6 of 2 bodies; got %zu rows", t.rows);
    for (size_t i = 0; i < t.rows; ++i) cr_assert_eq(support_row(&t, i)[0], (double)(i / 2 * 3));
    free(t.values);
    free(text);
    support_program_free(&run);
}

static void check_summary(const char *out)
{
    unsigned long long bodies, ticks, impacts, hash;
    double before, after;
    char line[5][128];
    for (size_t k = 0; k < 5; ++k) strcpy(line[4 - k], support_line_from_end(out, k));
    cr_assert_eq(sscanf(line[0], "bodies %llu", &bodies), 1, "%s", out);
    cr_assert_eq(sscanf(line[1], "ticks %llu", &ticks), 1, "%s", out);
    cr_assert_eq(sscanf(line[2], "impacts %llu", &impacts), 1, "%s", out);
    cr_assert_eq(sscanf(line[3], "energy %lf %lf", &before, &after), 2, "%s", out);
    cr_assert_eq(sscanf(line[4], "hash 0x%llx", &hash), 1, "%s", out);
    cr_assert_eq(strlen(line[4]), strlen("hash 0x0123456789abcdef"));
    cr_assert(bodies == 2 && ticks == 8 && impacts == 0);
    /* m (v^2 / 2 - g . x) = 0.5 * 1.25 + 8 * 3; the kinematic body counts for nothing */
    cr_assert_float_eq(before, 24.625, 1e-12);
    cr_assert_float_eq(after, 24.625, 1e-10);
}

Test(outputs, the_summary_is_last_on_stdout)
{
    support_program quiet = support_kugel_run(two, (const char *const[]){"-", "--quiet", NULL});
    support_program rows = support_kugel_run(two, (const char *const[]){"-", "--csv", "-", NULL});
    cr_assert(quiet.code == 0 && rows.code == 0);
    cr_assert_eq(support_count_lines(quiet.out), 5, "%s", quiet.out);
    cr_assert_eq(support_count_lines(rows.out), 5 + 19);
    check_summary(quiet.out);
    check_summary(rows.out);
    cr_assert_str_eq(strstr(rows.out, "bodies "), quiet.out, "outputs changed the result");
    cr_assert_str_empty(quiet.err);
    cr_assert_str_empty(rows.err, "a progress bar without a terminal: %s", rows.err);
    support_program_free(&quiet);
    support_program_free(&rows);
}

/* The text fields of an event row. */
typedef struct event {
    unsigned long long tick;
    double time, speed, impulse;
    char kind[16];
    unsigned a;
    char b[64];
    double p[3], n[3];
} event;

static bool next_event(const char **text, event *e)
{
    int used = 0;
    int fields = sscanf(*text, "%llu,%lf,%15[^,],%u,%63[^,],%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf%n",
                        &e->tick, &e->time, e->kind, &e->a, e->b, &e->p[0], &e->p[1], &e->p[2],
                        &e->n[0], &e->n[1], &e->n[2], &e->speed, &e->impulse, &used);
    if (fields != 13) return false;
    cr_assert_eq((*text)[used], '\n');
    *text += used + 1;
    return true;
}

/* A ball on a plane falls asleep, is kicked at tick 200, wakes and falls asleep again; without
 * sleep there are no such rows. No other body takes part: b is empty. */
Test(outputs, sleep_rows)
{
    for (int on = 0; on < 2; ++on) {
        char scene[512];
        snprintf(scene, sizeof scene,
                 HEAD "\"ticks\": 400, \"gravity\": [0, 0, -10], \"sleep\": %s, \"planes\": "
                      "[{\"normal\": [0, 0, 1]}], "
                      "\"bodies\": [{\"position\": [0, 0, 0.5]}], "
                      "\"impulses\": [{\"tick\": 200, \"body\": 0, \"impulse\": [0, 0, 1]}]}",
                 on ? "true" : "false");
        support_program run =
            support_kugel_run(scene, (const char *const[]){"-", "--events", "e.csv", NULL});
        cr_assert_eq(run.code, 0, "%s", run.err);
        char *text = support_read_file("e.csv"), order[64] = "";
        for (const char *at = text; (at = strchr(at, '\n')) && *++at;) {
            unsigned long long tick;
            char kind[16];
            cr_assert_eq(sscanf(at, "%llu,%*[^,],%15[^,]", &tick, kind), 2);
            if (strcmp(kind, "sleep") && strcmp(kind, "wake")) continue;
            if (*kind == 'w') cr_assert(tick == 200 || tick == 201, "woken in tick %llu", tick);
            cr_assert(strstr(at, ",0,,0,0,0,0,0,0,0,0\n"), "%s", at);
            strcat(order, *kind == 's' ? "s" : "w");
        }
        cr_assert_str_eq(order, on ? "sws" : "");
        free(text);
        support_program_free(&run);
    }
}

/* An event at the end of a tick has the time of the state after it; rounding must not put it after
 * the next tick's first event. Balls from 60 heights fall asleep in many ticks. */
Test(outputs, times_never_decrease)
{
    char scene[8192] = HEAD "\"ticks\": 240, \"gravity\": [0, 0, -10], \"planes\": [{\"normal\": "
                            "[0, 0, 1]}], \"bodies\": [";
    for (int k = 0; k < 60; ++k) {
        size_t used = strlen(scene);
        snprintf(scene + used, sizeof scene - used, "%s{\"position\": [%d, 0, %g]}", k ? ", " : "",
                 3 * k, 0.5 + 0.05 * k);
    }
    strcat(scene, "]}");
    support_program run =
        support_kugel_run(scene, (const char *const[]){"-", "--events", "e.csv", NULL});
    cr_assert_eq(run.code, 0, "%s", run.err);
    char *text = support_read_file("e.csv");
    cr_assert(text);
    double last = 0;
    int sleeps = 0;
    for (const char *row = strchr(text, '\n') + 1; *row; row = strchr(row, '\n') + 1) {
        unsigned tick;
        double time;
        char kind[16];
        cr_assert_eq(sscanf(row, "%u,%lf,%15[a-z]", &tick, &time, kind), 3, "%.60s", row);
        cr_assert(time >= last && time <= tick * (1.0 / 60), "%.17g, then %.60s", last, row);
        last = time;
        sleeps += strcmp(kind, "sleep") == 0;
    }
    cr_assert_eq(sleeps, 60, "%d fell asleep", sleeps);
    free(text);
    support_program_free(&run);
}

/* First bounce: z falls by 1 m from rest in sqrt(0.2) s and hits the plane at sqrt(20) m/s; x
 * reaches the wall at 1.5 m after 0.75 s. Events of step k have tick k. */
Test(outputs, event_rows)
{
    support_program run =
        support_kugel_run(bouncing, (const char *const[]){"-", "--events", "e.csv", NULL});
    cr_assert_eq(run.code, 0, "%s", run.err);
    char *text = support_read_file("e.csv");
    static const char head[] = "tick,time,kind,a,b,px,py,pz,nx,ny,nz,speed,impulse\n";
    cr_assert_eq(strncmp(text, head, sizeof head - 1), 0);
    const char *at = text + sizeof head - 1;
    double last = 0;
    event e, first = {0};
    unsigned planes = 0, walls = 0, begins = 0;
    while (next_event(&at, &e)) {
        cr_assert(e.time >= last, "not sorted by time");
        cr_assert(e.time * 60 <= (double)e.tick + 1e-9 && e.time * 60 >= (double)e.tick - 1 - 1e-9,
                  "tick %llu at %g s", e.tick, e.time);
        last = e.time;
        if (strcmp(e.kind, "begin") == 0 && strcmp(e.b, "plane:0") == 0) begins += 1;
        if (strcmp(e.kind, "impact") != 0) continue;
        if (strcmp(e.b, "plane:0") == 0 && planes++ == 0) first = e;
        if (strcmp(e.b, "wall:x-max") == 0 && walls++ == 0) {
            cr_assert_float_eq(e.time, 0.75, 1e-9);
            cr_assert(e.p[0] == 2 && e.n[0] == 1);
            cr_assert_float_eq(e.speed, 2, 1e-9);
        }
    }
    cr_assert_eq(*at, 0, "no event row: %s", at);
    cr_assert(planes > 0 && walls == 1 && begins > 0, "%s", text);
    cr_assert_float_eq(first.time, sqrt(0.2), 1e-9);
    cr_assert_float_eq(first.speed, sqrt(20), 1e-7, "%.9g has 9 digits", first.speed);
    cr_assert_float_eq(first.impulse, 1.5 * sqrt(20), 1e-7);
    cr_assert_float_eq(first.p[2], 0, 1e-12);
    cr_assert_eq(first.n[2], -1, "into the plane");
    free(text);
    support_program_free(&run);
}

/* Small balls come to rest in long substeps: contacts open at the start of one and close again at
 * once. */
static const char settling[] =
    "{\"format\": \"kugel-scene\", \"version\": 1, \"ticks\": 60, \"substeps\": 1, \"dt\": "
    "0.03333333333333333, \"bounce_threshold\": 0.2, \"gravity\": "
    "[0, 0, -9.81], "
    "\"bounds\": {\"min\": [0, 0, 0], \"max\": [0.0231, 0.0231, 3], \"faces\": [\"wall\", "
    "\"wall\", \"wall\", \"wall\", \"wall\", \"open\"]}, "
    "\"defaults\": {\"radius\": 0.003, \"restitution\": 0.6}, \"generators\": [{\"lattice\": "
    "{\"origin\": [0.0045, 0.0045, 0.0045], "
    "\"spacing\": [0.0069, 0.0069, 0.0078], \"count\": [3, 3, 5], \"jitter\": 0.0003, \"seed\": "
    "1}}]}";

/* Begin and end of a pair alternate, also at one time. */
Test(outputs, begins_and_ends_of_a_pair_alternate)
{
    enum { BODIES = 45, WALLS = 6, OTHERS = BODIES + WALLS };
    static bool rests[BODIES][OTHERS];
    static double changed[BODIES][OTHERS]; /* s */
    support_program run = support_kugel_run(
        settling, (const char *const[]){"-", "--events", "e.csv", "--quiet", NULL});
    cr_assert_eq(run.code, 0, "%s", run.err);
    char *text = support_read_file("e.csv");
    unsigned anew = 0;
    for (char *at = strchr(text, '\n'), *end; at && *++at; at = end) {
        event e;
        if ((end = strchr(at, '\n'))) *end = 0; /* sscanf scans up to the terminator */
        if (sscanf(at, "%*u,%lf,%15[^,],%u,%63[^,]", &e.time, e.kind, &e.a, e.b) != 4)
            continue; /* events of a single body */
        bool begin = strcmp(e.kind, "begin") == 0;
        if (!begin && strcmp(e.kind, "end") != 0) continue;
        size_t b = 0;
        static const char *const walls[WALLS] = {"wall:x-min", "wall:x-max", "wall:y-min",
                                                 "wall:y-max", "wall:z-min", "wall:z-max"};
        while (b < WALLS && strcmp(e.b, walls[b]) != 0) ++b;
        b = b < WALLS ? BODIES + b : strtoul(e.b, NULL, 10);
        cr_assert(e.a < BODIES && b < OTHERS);
        cr_assert_neq(rests[e.a][b], begin, "%u and %s: %s twice, at %.17g s", e.a, e.b, e.kind,
                      e.time);
        anew += begin && e.time > 0 && changed[e.a][b] == e.time;
        rests[e.a][b] = begin;
        changed[e.a][b] = e.time;
    }
    cr_assert_gt(anew, 0, "no pair ends and begins anew at one time");
    free(text);
    support_program_free(&run);
}

/* Four balls and a sensor: two start inside, one at rest and one on its way out; one passes
 * through; one passes at exactly the touching distance. The sign of speed tells entering from
 * leaving. */
Test(outputs, sensor_rows)
{
    static const char gate[] =
        HEAD "\"dt\": 0.125, \"ticks\": 32, \"bodies\": [{\"position\": [0, 0, 0], \"type\": "
             "\"static\", \"sensor\": true, \"radius\": 1}, "
             "{\"position\": [0, 0.25, 0], \"radius\": 0.125}, {\"position\": [0.5, 0, 0.5], "
             "\"velocity\": [1, 0, 0], \"radius\": 0.125}, "
             "{\"position\": [-0.75, -0.5, 0], \"velocity\": [1, 0, 0], \"radius\": 0.125}, "
             "{\"position\": [-2, 0, -1.125], \"velocity\": [1, 0, 0], \"radius\": 0.125}]}";
    static const char *const expected[] = {"", "0 ", "0 - ", "+ - ", "0 -0 "};
    support_program run =
        support_kugel_run(gate, (const char *const[]){"-", "--events", "e.csv", NULL});
    cr_assert_eq(run.code, 0, "%s", run.err);
    char *text = support_read_file("e.csv"), found[5][32] = {""};
    const char *at = strchr(text, '\n') + 1;
    for (event e; next_event(&at, &e);) {
        unsigned long b = strtoul(e.b, NULL, 10);
        cr_assert(strcmp(e.kind, "sensor") == 0 && e.a == 0 && b < 5 && strlen(found[b]) < 16, "%s",
                  text);
        strcat(found[b], e.speed > 0 ? "+ " : e.speed < 0 ? "- " : signbit(e.speed) ? "-0 " : "0 ");
    }
    for (int b = 0; b < 5; ++b) cr_assert_str_eq(found[b], expected[b], "body %d; %s", b, text);
    free(text);
    support_program_free(&run);
}

/* A solid box as an area: a ball flies through it, another lies in it. a: the body, b: the name. */
Test(outputs, area_rows)
{
    static const char scene[] =
        HEAD "\"dt\": 0.125, \"ticks\": 16, \"surfaces\": [{\"box\": {\"half\": [1, 1, 1], "
             "\"center\": [0, 0, 5], \"solid\": true}, \"sensor\": true, "
             "\"name\": \"zone\"}], "
             "\"bodies\": [{\"position\": [-3, 0, 5], \"velocity\": [4, 0, 0], \"radius\": 0.5}, "
             "{\"position\": [0, 0, 6.25], \"radius\": 0.5}]}";
    static const struct {
        uint32_t body;
        double time, speed;
    } expected[] = {{1, 0, 0}, {0, 0.375, 4}, {0, 1.125, -4}};
    support_program run =
        support_kugel_run(scene, (const char *const[]){"-", "--events", "e.csv", NULL});
    cr_assert_eq(run.code, 0, "%s", run.err);
    char *text = support_read_file("e.csv");
    const char *at = strchr(text, '\n') + 1;
    uint32_t k = 0;
    for (event e; next_event(&at, &e); ++k)
        cr_assert(k < 3 && strcmp(e.kind, "sensor") == 0 && strcmp(e.b, "surface:zone") == 0 &&
                      e.a == expected[k].body && fabs(e.time - expected[k].time) < 1e-12 &&
                      e.speed == expected[k].speed,
                  "%s", text);
    cr_assert_eq(k, 3u);
    free(text);
    support_program_free(&run);
}

/* Two balls, three impacts: b is a body's id, and the summary counts the rows. */
Test(outputs, the_number_of_events_equals_the_summary)
{
    support_program run = RUN("cradle", "--events", "e.csv", "--quiet");
    char *text = support_read_file("e.csv");
    const char *at = strchr(text, '\n') + 1;
    unsigned long long impacts = 0, said = 0;
    for (event e; next_event(&at, &e);) {
        char *end;
        impacts += strcmp(e.kind, "impact") == 0;
        unsigned long b = strtoul(e.b, &end, 10);
        if (e.b[0] >= '0' && e.b[0] <= '9')
            cr_assert(!*end && e.a < b && b < 7, "%u, %s", e.a, e.b);
    }
    cr_assert_eq(sscanf(support_line_from_end(run.out, 2), "impacts %llu", &said), 1);
    cr_assert(impacts == said && said > 0, "%llu rows, %llu in the summary", impacts, said);
    free(text);
    support_program_free(&run);
}

static void check_no_leftovers(void)
{
    cr_assert_eq(support_count_files("t.csv"), 0, "a trajectory, or its temporary file, was left");
    cr_assert_eq(support_count_files("e.csv"), 0);
    cr_assert_eq(support_count_files("s.csv"), 0);
    cr_assert_eq(support_count_files("r.kugel"), 0);
}

Test(outputs, a_failed_run_leaves_nothing)
{
    support_program run = RUN("gas", "--ticks", "5", "--csv", "t.csv", "--events", "e.csv",
                              "--record", "no/such/folder/r.kugel");
    cr_assert(support_complains(&run, 4, "--record: no/such/folder/r.kugel: No such file"));
    cr_assert_str_empty(run.out);
    check_no_leftovers();
    support_program_free(&run);
    support_write_file("bad.json",
                       HEAD "\"bodies\": [{\"position\": [0, 0, 0]}, {\"position\": [0, 0, "
                            "0], \"type\": \"static\", \"velocity\": [1, 0, 0]}]}");
    run = RUN("bad.json", "--csv", "t.csv", "--events", "e.csv", "--series", "s.csv", "--record",
              "r.kugel");
    cr_assert(support_complains(&run, 2, "bodies[1].velocity"));
    check_no_leftovers();
    support_program_free(&run);
}

Test(outputs, a_failed_run_keeps_the_file_of_the_last_one)
{
    support_write_file("t.csv", "precious\n");
    support_program run = RUN("gas", "--ticks", "2", "--csv", "t.csv", "--events", "no/such/e.csv");
    cr_assert_eq(run.code, 4);
    char *text = support_read_file("t.csv");
    cr_assert_str_eq(text, "precious\n");
    cr_assert_eq(support_count_files("t.csv"), 1);
    free(text);
    support_program_free(&run);
}

Test(outputs, permissions_follow_the_umask)
{
    struct stat info;
    char path[128];
    mode_t mask = umask(027);
    support_program run = RUN("gas", "--ticks", "1", "--csv", "t.csv");
    umask(mask);
    snprintf(path, sizeof path, "%s/t.csv", support_folder());
    cr_assert_eq(stat(path, &info), 0);
    cr_assert_eq(info.st_mode & 0777, 0640, "mode %o", info.st_mode & 0777);
    support_program_free(&run);
}

Test(outputs, an_existing_file_keeps_its_permissions)
{
    struct stat info;
    char path[128];
    snprintf(path, sizeof path, "%s/t.csv", support_folder());
    support_write_file("t.csv", "private\n");
    cr_assert_eq(chmod(path, 0600), 0);
    support_program run = RUN("gas", "--ticks", "1", "--csv", "t.csv");
    cr_assert_eq(run.code, 0, "%s", run.err);
    cr_assert_eq(stat(path, &info), 0);
    cr_assert_eq(info.st_mode & 0777, 0600, "mode %o", info.st_mode & 0777);
    support_program_free(&run);
}

Test(outputs, a_read_only_file_is_not_replaced)
{
    char path[128];
    snprintf(path, sizeof path, "%s/t.csv", support_folder());
    support_write_file("t.csv", "precious\n");
    cr_assert_eq(chmod(path, 0444), 0);
    if (access(path, W_OK) == 0) cr_skip_test("root may write read-only files");
    support_program run = RUN("gas", "--ticks", "1", "--csv", "t.csv");
    cr_assert(support_complains(&run, 4, "--csv: t.csv: Permission denied"));
    char *text = support_read_file("t.csv");
    cr_assert_str_eq(text, "precious\n");
    cr_assert_eq(support_count_files("t.csv"), 1);
    free(text);
    support_program_free(&run);
}
