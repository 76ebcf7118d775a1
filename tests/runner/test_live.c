/* The picture of a run in a terminal: complete at any size, redrawn in place. Only the last frame
 * and the summary stay. No picture where standard output is no terminal. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <time.h>

#include "runner/support_program.h"
#include "runner/support_terminal.h"

#define NONE ((const char *const[]){NULL})
#define ENVIRONMENT(...) ((const char *const[]){__VA_ARGS__, NULL})
#define ARGUMENTS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* A ball at rest in the middle of a box of 10 x 10 x 10 m. */
static const char one_ball[] = "{\"format\": \"kugel-scene\", \"version\": 1, \"ticks\": 2, "
                               "\"bounds\": {\"min\": [-5, -5, -5], \"max\": [5, 5, 5]}, "
                               "\"bodies\": [{\"position\": [0, 0, 0], \"radius\": 2}]}";

static support_terminal *run_in(int columns, int rows, const char *const *environment,
                                const char *const *arguments)
{
    support_terminal *t = support_terminal_start(columns, rows, environment, arguments);
    support_terminal_end(t);
    return t;
}

/* Expects the last frame's numbers and, directly below, the same summary as in a file. */
static void check_end(support_terminal *t, const char *numbers, const char *summary)
{
    const char *screen = support_screen(t), *at = strstr(screen, summary);
    cr_assert_eq(t->code, 0, "exit code %d:\n%s", t->code, screen);
    cr_assert(t->cursor, "the cursor is hidden at the end");
    cr_assert(at && at[strlen(summary)] == '\n' && !at[strlen(summary) + 1] && t->x == 0,
              "no summary at the end of\n%s", screen);
    const char *line = at - 1;
    while (line > screen && line[-1] != '\n') --line;
    cr_assert_eq(strncmp(line, numbers, strlen(numbers)), 0, "no '%s' above the summary:\n%s",
                 numbers, screen);
    cr_assert_leq(t->frames, 30 * t->seconds + 2, "%u frames in %g s", t->frames, t->seconds);
}

/* Number of braille dots or ASCII signs on the screen. */
static unsigned count_drawn(support_terminal *t, bool braille)
{
    unsigned found = 0;
    for (int y = 0; y < t->rows; ++y) {
        for (int x = 0; x < t->columns; ++x) {
            unsigned char first = (unsigned char)t->cell[y][x][0];
            found += braille ? first == 0xE2 : first && strchr("8@Oo|-_", first);
        }
    }
    return found;
}

Test(live, the_last_frame_stays_above_the_summary)
{
    support_program piped = RUN("pile", "--ticks", "40");
    support_terminal *t = run_in(80, 24, NONE, ARGUMENTS("pile", "--ticks", "40"));
    check_end(t, "tick 40/40  0.67 s  kinetic ", piped.out);
    cr_assert(strstr(support_screen(t), "  asleep 0\n"), "%s", support_screen(t));
    cr_assert_geq(t->frames, 2);
    cr_assert(t->coloured && !t->ascii);
    cr_assert_gt(count_drawn(t, true), 100, "%s", support_screen(t));
    support_terminal_free(t);
    support_program_free(&piped);
}

/* 24 rows: 10 m are 16 lines or 63 dots. The box is 32 of 79 cells wide, the ball 12. */
Test(live, a_box_and_a_ball)
{
    support_write_file("ball.json", one_ball);
    support_terminal *t = run_in(80, 24, NONE, ARGUMENTS("ball.json"));
    const char *corner = "⡏", *side = "⡇";
    int left = 0, right = 79, ball = 0;
    while (left < 79 && !t->cell[8][left][0]) ++left;
    while (right > 0 && !t->cell[8][right][0]) --right;
    cr_assert(strcmp(t->cell[8][left], side) == 0 || strcmp(t->cell[8][left], "⢸") == 0, "%s",
              support_screen(t));
    cr_assert(abs(left + right - 79) <= 2 && abs(right - left - 31) <= 1, "from %d to %d:\n%s",
              left, right, support_screen(t));
    for (int x = left + 1; x < right; ++x) ball += t->cell[8][x][0] != 0;
    cr_assert(ball >= 11 && ball <= 14, "%d cells wide:\n%s", ball, support_screen(t));
    cr_assert_str_eq(t->cell[8][(left + right) / 2], "⣿", "the ball is not filled:\n%s",
                     support_screen(t));
    cr_assert(t->cell[0][40][0] && t->cell[15][40][0] && corner, "no lid or no floor:\n%s",
              support_screen(t));
    cr_assert(!t->cell[2][40][0] && !t->cell[13][40][0], "%s", support_screen(t));
    support_terminal_free(t);
}

/* A scene without bodies: the box is drawn. */
Test(live, an_empty_box)
{
    support_write_file("empty.json",
                       "{\"format\": \"kugel-scene\", \"version\": 1, \"ticks\": 1, "
                       "\"bounds\": {\"min\": [-5, -5, -5], \"max\": [5, 5, 5]}, \"bodies\": []}");
    support_terminal *t = run_in(80, 24, NONE, ARGUMENTS("empty.json"));
    cr_assert(t->code == 0 &&
                  strstr(support_screen(t),
                         "tick 1/1  0.02 s  kinetic 0 J  impacts 0  awake 0  asleep 0\n"),
              "%s", support_screen(t));
    cr_assert_gt(count_drawn(t, true), 80, "%s", support_screen(t));
    support_terminal_free(t);
}

Test(live, ascii_where_the_locale_is_not_utf_8)
{
    support_program piped = RUN("pile", "--ticks", "20");
    support_terminal *t = run_in(80, 24, ENVIRONMENT("LC_ALL", "C", "NO_COLOR", "1"),
                                 ARGUMENTS("pile", "--ticks", "20"));
    check_end(t, "tick 20/20", piped.out);
    cr_assert(t->ascii, "%s", support_screen(t));
    cr_assert(!t->coloured, "in spite of NO_COLOR");
    cr_assert_gt(count_drawn(t, false), 100, "%s", support_screen(t));
    support_terminal_free(t);
    support_program_free(&piped);
}

typedef struct window {
    int columns, rows;
    unsigned drawn; /* minimum number of cells */
} window;

/* The terminal fails the test when a line wraps or a frame is too large. */
Test(live, windows_of_any_size)
{
    static const window windows[] = {{20, 5, 8}, {0, 0, 100}, {300, 90, 500}, {7, 3, 1},
                                     {40, 2, 0}, {40, 1, 0},  {3, 24, 2},     {2, 8, 0}};
    for (size_t k = 0; k < sizeof windows / sizeof *windows; ++k) {
        const window *w = &windows[k];
        support_terminal *t = support_terminal_start(w->columns, w->rows, NONE,
                                                     ARGUMENTS("pile", "--ticks", "1000000000"));
        support_terminal_frames(t, 4);
        cr_assert_geq(t->frames, 4, "%d x %d:\n%s", w->columns, w->rows, support_screen(t));
        cr_assert_geq(count_drawn(t, true), w->drawn, "%d x %d:\n%s", w->columns, w->rows,
                      support_screen(t));
        if (w->columns >= 20 && w->rows > 1)
            cr_assert(strstr(support_screen(t), "tick "), "%d x %d", w->columns, w->rows);
        support_terminal_type(t, "\003");
        support_terminal_end(t);
        cr_assert(t->code == 0 && t->cursor, "%d x %d", w->columns, w->rows);
        support_terminal_free(t);
    }
}

Test(live, a_window_that_changes_its_size)
{
    support_terminal *t =
        support_terminal_start(100, 40, NONE, ARGUMENTS("gas", "--ticks", "1000000000"));
    static const window windows[] = {{40, 20, 0}, {120, 30, 0}, {60, 50, 0}};
    support_terminal_frames(t, 3);
    for (size_t k = 0; k < sizeof windows / sizeof *windows; ++k) {
        support_terminal_resize(t, windows[k].columns, windows[k].rows);
        support_terminal_frames(t, t->frames + 2);
        const char *screen = support_screen(t), *numbers = strstr(screen, "tick ");
        cr_assert(numbers && !strstr(numbers + 1, "tick "), "%s", screen);
        const char *keys = strchr(numbers, '\n') + 1;
        cr_assert_eq(strncmp(keys, "real time", 9), 0, "no keys below:\n%s", screen);
        cr_assert_eq(strcspn(keys, "\n") + 2, strlen(keys), "it is not the last line:\n%s", screen);
    }
    support_terminal_type(t, "\003");
    support_terminal_end(t);
    cr_assert_eq(t->code, 0);
    support_terminal_free(t);
}

Test(live, an_interrupt_leaves_a_complete_screen)
{
    support_terminal *t = support_terminal_start(
        80, 24, NONE, ARGUMENTS("pile", "--ticks", "1000000000", "--record", "r.kugel"));
    support_terminal_frames(t, 3);
    support_terminal_type(t, "\003");
    support_terminal_end(t);
    const char *screen = support_screen(t), *numbers = strstr(screen, "\ntick "),
               *summary = strstr(screen, "\nbodies 1024\nticks ");
    unsigned long long shown, ran;
    cr_assert(t->code == 0 && t->cursor && t->x == 0, "exit code %d:\n%s", t->code, screen);
    cr_assert(numbers && summary && numbers < summary, "%s", screen);
    cr_assert_eq(sscanf(numbers, " tick %llu", &shown), 1);
    cr_assert_eq(sscanf(summary, " bodies 1024 ticks %llu", &ran), 1);
    cr_assert_eq(shown, ran, "%s", screen);
    support_terminal_free(t);
    t = NULL;
    support_program verified =
        support_run_program("tools/replay/kugel-replay", ARGUMENTS("verify", "r.kugel"));
    cr_assert_eq(verified.code, 0, "%s", verified.err);
    support_program_free(&verified);
}

/* Read frames until the screen contains a text. */
static void wait_for(support_terminal *t, const char *text)
{
    for (int k = 0; k < 600 && !strstr(support_screen(t), text); ++k)
        support_terminal_frames(t, t->frames + 1);
    cr_assert(strstr(support_screen(t), text), "no '%s':\n%s", text, support_screen(t));
}

static unsigned long long tick_of(support_terminal *t)
{
    unsigned long long tick = 0;
    const char *line = strstr(support_screen(t), "\ntick ");
    cr_assert(line && sscanf(line, " tick %llu", &tick) == 1, "%s", support_screen(t));
    return tick;
}

/* A paused run stays where it is; each '.' is one tick more. The keys change no bit. */
Test(live, keys_pause_and_step, .timeout = 120)
{
    support_terminal *t = support_terminal_start(
        120, 30, NONE, ARGUMENTS("pile", "--ticks", "1000000000", "--record", "k.kugel"));
    support_terminal_frames(t, 3);
    wait_for(t, "real time  space: pause  .: step");
    support_terminal_type(t, " ");
    wait_for(t, "paused  space: go on");
    unsigned long long paused = tick_of(t);
    for (unsigned long long k = 1; k <= 3; ++k) {
        char next[32];
        snprintf(next, sizeof next, "\ntick %llu/", paused + k);
        support_terminal_type(t, ".");
        wait_for(t, next);
        cr_assert(strstr(support_screen(t), "paused"), "%s", support_screen(t));
    }
    support_terminal_type(t, "\003"); /* it also ends a paused run */
    support_terminal_end(t);
    cr_assert(t->code == 0 && tick_of(t) == paused + 3, "%s", support_screen(t));
    cr_assert(!strstr(support_screen(t), "paused"), "%s", support_screen(t));
    support_terminal_free(t);
    support_program verified =
        support_run_program("tools/replay/kugel-replay", ARGUMENTS("verify", "k.kugel"));
    cr_assert_eq(verified.code, 0, "%s", verified.err);
    support_program_free(&verified);
}

/* The default is real time: 30 ticks of 1/60 s take 0.5 s. */
Test(live, runs_in_real_time, .timeout = 120)
{
    support_write_file("slow.json", "{\"format\": \"kugel-scene\", \"version\": 1, \"ticks\": 30, "
                                    "\"bodies\": [{\"position\": [0, 0, 0]}]}");
    support_terminal *t = run_in(120, 30, NONE, ARGUMENTS("slow.json"));
    cr_assert(t->code == 0 && t->seconds > 0.4, "%g s", t->seconds);
    support_terminal_free(t);
}

/* q ends the run after its tick; files are complete. */
Test(live, q_quits_and_help_is_shown, .timeout = 120)
{
    support_terminal *t = support_terminal_start(
        80, 30, NONE, ARGUMENTS("pile", "--ticks", "1000000000", "--record", "k.kugel"));
    wait_for(t, "q: quit  ?: help");
    support_terminal_type(t, "?");
    wait_for(t, "\n.: one tick, then pause\n");
    wait_for(t, "\nr: real time  f: full speed\n");
    cr_assert_gt(count_drawn(t, true), 50, "%s", support_screen(t));
    support_terminal_type(t, "f");
    wait_for(t, "\nfull speed\n");
    support_terminal_type(t, "?");
    wait_for(t, "full speed  space: pause");
    unsigned long long seen = tick_of(t);
    support_terminal_type(t, "q");
    support_terminal_end(t);
    cr_assert(t->code == 0 && tick_of(t) >= seen && t->cursor, "%s", support_screen(t));
    cr_assert(strstr(support_screen(t), "\nhash 0x"), "%s", support_screen(t));
    support_terminal_free(t);
    support_program verified =
        support_run_program("tools/replay/kugel-replay", ARGUMENTS("verify", "k.kugel"));
    cr_assert_eq(verified.code, 0, "%s", verified.err);
    support_program_free(&verified);
}

/* A recording of 40 ticks, from tick 10 on. */
Test(live, recordings_are_played, .timeout = 120)
{
    support_program recorded = RUN("pile", "--ticks", "40", "--quiet", "--record", "k.kugel");
    cr_assert_eq(recorded.code, 0, "%s", recorded.err);
    support_program_free(&recorded);
    support_terminal *t =
        run_in(80, 24, NONE, ARGUMENTS("kugel-replay", "play", "k.kugel", "--tick", "10"));
    cr_assert(t->code == 0 && t->seconds > 0.4, "%d, %g s: %s", t->code, t->seconds,
              support_screen(t));
    cr_assert_eq(strncmp(strstr(support_screen(t), "tick 40/40"), "tick 40/40  0.67 s", 18), 0);
    cr_assert_gt(count_drawn(t, true), 100, "%s", support_screen(t));
    support_terminal_free(t);
    support_program piped =
        support_run_program("tools/replay/kugel-replay", ARGUMENTS("play", "k.kugel"));
    cr_assert(piped.code == 2 && strstr(piped.err, "play: standard output is not a terminal"));
    support_program_free(&piped);
}

/* A quarter of real time: 30 ticks of 1/60 s take 2 s. */
Test(live, keys_set_the_pace, .timeout = 120)
{
    support_write_file("slow.json", "{\"format\": \"kugel-scene\", \"version\": 1, "
                                    "\"ticks\": 100000, \"bodies\": [{\"position\": [0, 0, 0]}]}");
    support_terminal *t = support_terminal_start(120, 30, NONE, ARGUMENTS("slow.json"));
    support_terminal_type(t, " "); /* before it ends */
    wait_for(t, "paused");
    for (int k = 0; k < 40; ++k) support_terminal_type(t, "-");
    support_terminal_type(t, " ");
    wait_for(t, "1/256 of real time");
    for (int k = 0; k < 6; ++k) support_terminal_type(t, "+");
    wait_for(t, "1/4 of real time");
    struct timespec from, to;
    unsigned long long first = tick_of(t);
    clock_gettime(CLOCK_MONOTONIC, &from);
    while (tick_of(t) < first + 30) support_terminal_frames(t, t->frames + 1);
    clock_gettime(CLOCK_MONOTONIC, &to);
    double took = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
    cr_assert_geq(took, 1.5, "30 ticks in %g s", took); /* longer on a busy machine */
    for (int k = 0; k < 20; ++k) support_terminal_type(t, "+");
    support_terminal_end(t); /* at full speed again */
    cr_assert_eq(t->code, 0);
    support_terminal_free(t);
}

Test(live, keys_choose_colours, .timeout = 120)
{
    support_terminal *t = support_terminal_start(120, 30, ENVIRONMENT("NO_COLOR", "1"),
                                                 ARGUMENTS("pile", "--ticks", "1000000000"));
    wait_for(t, "c: colours (none)");
    cr_assert(!t->coloured);
    support_terminal_type(t, "c");
    wait_for(t, "c: colours (speed)");
    support_terminal_type(t, "c");
    wait_for(t, "c: colours (state)");
    cr_assert(t->coloured);
    support_terminal_type(t, "\003");
    support_terminal_end(t);
    cr_assert_eq(t->code, 0);
    support_terminal_free(t);
}

/* Keys arrive at once during the run, and lines with an echo after it. */
Test(live, the_terminal_is_left_as_it_was, .timeout = 120)
{
    static const char *const ticks[] = {"1000000000", "20"};
    for (int k = 0; k < 2; ++k) {
        support_terminal *t =
            support_terminal_start(120, 30, NONE, ARGUMENTS("pile", "--ticks", ticks[k]));
        struct termios mode;
        if (k == 0) {
            wait_for(t, "space: pause");
            cr_assert_eq(tcgetattr(t->master, &mode), 0);
            cr_assert_eq(mode.c_lflag & (ICANON | ECHO), 0);
            support_terminal_type(t, "\003");
        }
        support_terminal_end(t);
        cr_assert_eq(tcgetattr(t->master, &mode), 0);
        cr_assert_eq(mode.c_lflag & (ICANON | ECHO), ICANON | ECHO, "run %d", k);
        support_terminal_free(t);
    }
}

/* The terminal is not read: the run still reaches its last tick. */
Test(live, a_blocked_terminal_does_not_stop_the_run, .timeout = 120)
{
    char path[128], line[512];
    snprintf(path, sizeof path, "%s/rows", support_folder());
    cr_assert_eq(mkfifo(path, 0600), 0);
    support_terminal *t = support_terminal_start(
        200, 60, NONE, ARGUMENTS("gas", "--ticks", "2000", "--csv", "rows", "--every", "100"));
    FILE *rows = fopen(path, "r");
    cr_assert(rows);
    while (fgets(line, sizeof line, rows) && strncmp(line, "2000,", 5) != 0) continue;
    cr_assert_eq(strncmp(line, "2000,", 5), 0, "it ends with %s", line);
    fclose(rows);
    support_terminal_end(t);
    cr_assert(t->code == 4 || strstr(support_screen(t), "tick 2000/2000"), "%s",
              support_screen(t)); /* 4: rows remained in the pipe */
    cr_assert(t->cursor);
    support_terminal_free(t);
}

/* An error is printed on its own line below the picture. */
Test(live, an_error_stands_below_the_picture)
{
    support_terminal *t =
        run_in(80, 24, NONE, ARGUMENTS("gas", "--ticks", "100", "--csv", "/dev/full"));
    const char *screen = support_screen(t);
    cr_assert(t->code == 4 && t->cursor && t->x == 0, "exit code %d:\n%s", t->code, screen);
    cr_assert(strstr(screen, "\ntick 0/100  ") &&
                  strstr(screen, "\nkugel-run: --csv: /dev/full: cannot be written"),
              "%s", screen);
    support_terminal_free(t);
}

typedef struct silence {
    const char *environment[3], *arguments[6];
} silence;

Test(live, nothing_is_drawn_unless_requested)
{
    static const silence rows[] = {{{NULL}, {"cradle", "--quiet"}},
                                   {{NULL}, {"cradle", "--live=off", "--quiet"}},
                                   {{NULL}, {"cradle", "--live", "off"}},
                                   {{"TERM", "dumb"}, {"cradle", "--quiet"}},
                                   {{"TERM", ""}, {"cradle"}},
                                   {{NULL}, {"cradle", "--events", "-"}},
                                   {{NULL}, {"cradle", "--ticks", "0"}}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        support_terminal *t = run_in(100, 80, rows[k].environment, rows[k].arguments);
        cr_assert(t->code == 0 && t->frames == 0 && t->ascii && !t->coloured, "row %zu:\n%s", k,
                  support_screen(t));
        support_terminal_free(t);
    }
}

/* The picture changes no result; a pipe receives it only when requested. */
Test(live, pipes_receive_no_picture)
{
    support_program plain = RUN("cradle", "--ticks", "50", "--record", "a.kugel");
    support_program on = RUN("cradle", "--ticks", "50", "--record", "b.kugel", "--live=on");
    cr_assert(plain.code == 0 && on.code == 0);
    cr_assert_eq(support_count_lines(plain.out), 5, "%s", plain.out);
    cr_assert(!strchr(plain.out, '\033') && !*plain.err);
    size_t drawn = on.out_size - plain.out_size;
    cr_assert(on.out_size > plain.out_size && strcmp(on.out + drawn, plain.out) == 0, "%s", on.out);
    support_program same = support_run_program("/usr/bin/cmp", ARGUMENTS("a.kugel", "b.kugel"));
    cr_assert_eq(same.code, 0, "the recordings differ: %s", same.out);
    support_program_free(&plain), support_program_free(&on), support_program_free(&same);
}

/* Bodies at the limits of position, and planes and ellipsoids beyond them. */
Test(live, bodies_at_the_limits_of_position)
{
    static const char *const places[] = {"1e6", "1e12", "9e14"};
    for (size_t k = 0; k < sizeof places / sizeof *places; ++k) {
        char scene[512];
        snprintf(scene, sizeof scene,
                 "{\"format\": \"kugel-scene\", \"version\": 1, \"ticks\": 5, \"planes\": "
                 "[{\"normal\": [0.6, 0.8, 0], \"offset\": -1e15}], "
                 "\"ellipsoids\": [{\"center\": [1e15, 0, 0], \"semi_axes\": [1e15, 1e-6, 1]}], "
                 "\"bodies\": [{\"position\": [-%s, 0, 0], \"velocity\": [-1e9, 0, 0]}, "
                 "{\"position\": [%s, %s, 1], \"velocity\": [1e9, 3, 0]}]}",
                 places[k], places[k], places[k]);
        support_write_file("far.json", scene);
        support_terminal *t = run_in(80, 24, NONE, ARGUMENTS("far.json"));
        const char *screen = support_screen(t);
        cr_assert(t->cursor && t->code == 0 && strstr(screen, "tick 5/5"), "%s", screen);
        support_terminal_free(t);
    }
}

/* A cylinder seen from the side has its outline and no more: two upright and two level lines. */
Test(live, a_surface_has_its_outline)
{
    support_write_file("drum.json",
                       "{\"format\": \"kugel-scene\", \"version\": 1, \"ticks\": 2, \"gravity\": "
                       "[0, 0, -1], \"bodies\": [{\"position\": [0, 0, 0], \"radius\": 1}], "
                       "\"surfaces\": [{\"cylinder\": {\"from\": [0, 0, -3], \"to\": [0, 0, 3], "
                       "\"radius\": 3}}]}");
    support_terminal *t = run_in(80, 24, NONE, ARGUMENTS("drum.json"));
    unsigned upright = 0;
    for (int y = 2; y < 6; ++y) { /* lines above the ball */
        unsigned drawn = 0;
        for (int x = 0; x < 80; ++x) drawn += (unsigned char)t->cell[y][x][0] == 0xE2;
        upright += drawn == 2;
    }
    cr_assert_geq(upright, 3, "%s", support_screen(t));
    support_terminal_free(t);
}
