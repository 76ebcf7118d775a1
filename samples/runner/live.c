/* Draws the running world in the terminal; see live.h. */
#define _GNU_SOURCE
#include "live.h"
#include "read_states.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "signals.h"
#include "wall_clock.h"

static const double frame_time = 1.0 / 30; /* s */
enum {
    MOST_BODIES_DRAWN = 1000000, /* their states take some 200 MB */
    MOST_COLUMNS = 500,
    MOST_ROWS = 200, /* larger pictures are slow and show no more */
    SUMMARY = 6,     /* lines of the summary and the prompt below the last frame */
    FEW_ROWS = 10    /* smaller pictures leave no space for the summary */
};

static volatile sig_atomic_t continued;

static void on_continue(int signal) { continued = signal; }

static bool is_utf8(void)
{
    locale_t locale = newlocale(LC_CTYPE_MASK, "", 0);
    if (!locale) return false;
    bool utf8 = strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0;
    freelocale(locale);
    return utf8;
}

static int size_of(int reported, const char *variable, int otherwise)
{
    const char *text = getenv(variable);
    int given = reported > 0 ? reported : text ? atoi(text) : 0;
    return given > 0 ? given : otherwise;
}

static void get_size(int *columns, int *rows)
{
    struct winsize size = {0};
    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    *columns = size_of(size.ws_col, "COLUMNS", 80);
    *rows = size_of(size.ws_row, "LINES", 24);
    if (*columns > MOST_COLUMNS) *columns = MOST_COLUMNS;
    if (*rows > MOST_ROWS) *rows = MOST_ROWS;
}

/* True if the program is in the terminal's foreground, or standard output is no terminal. */
static bool in_foreground(void)
{
    pid_t group = tcgetpgrp(STDOUT_FILENO);
    return group < 0 || group == getpgrp();
}

/* Reopens the terminal, so that O_NONBLOCK affects only this descriptor. */
static int open_terminal(void)
{
    const char *name = ttyname(STDOUT_FILENO);
    int handle = name ? open(name, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC) : -1;
    return handle >= 0 ? handle : STDOUT_FILENO;
}

static void forget_frame(live *live)
{
    free(live->frame);
    live->frame = NULL;
    live->size = live->sent = 0;
}

/* Sends the rest of the frame, as far as the terminal accepts it. false: write error. */
static bool send_frame(live *live, bool wait)
{
    while (live->sent < live->size) {
        struct pollfd out = {.fd = live->terminal, .events = POLLOUT};
        if (poll(&out, 1, wait ? -1 : 0) < 0 && errno != EINTR) return false;
        if (out.revents == 0 && !wait) return true;
        ssize_t written = write(live->terminal, live->frame + live->sent, live->size - live->sent);
        if (written < 0 && errno != EAGAIN && errno != EINTR) return false;
        if (written > 0) live->sent += (size_t)written;
    }
    forget_frame(live);
    return true;
}

/* Appends a part if it fits; a part that does not fit ends the line. */
static void add(char *line, size_t *room, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void add(char *line, size_t *room, const char *format, ...)
{
    char part[64];
    va_list args;
    va_start(args, format);
    size_t length = (size_t)vsnprintf(part, sizeof part, format, args);
    va_end(args);
    if (length > *room || length >= sizeof part) {
        *room = 0;
        return;
    }
    strcat(line, part);
    *room -= length;
}

static void print_numbers(const live *live, const kugel_world *world, size_t room, FILE *to)
{
    char line[512] = "";
    kugel_stats stats;
    kugel_energy sums;
    kugel_world_stats(world, &stats);
    kugel_world_energy(world, &sums);
    unsigned long long awake = 0, asleep = stats.asleep;
    for (uint32_t i = 0; i < live->count; ++i)
        awake += live->bodies[i].type == KUGEL_DYNAMIC && !live->bodies[i].asleep;
    if (room >= sizeof line) room = sizeof line - 1;
    add(line, &room, "tick %llu", (unsigned long long)stats.tick);
    add(line, &room, "/%llu", (unsigned long long)live->ticks);
    add(line, &room, "  %.2f s", stats.time);
    add(line, &room, "  kinetic %.3g J", sums.kinetic);
    add(line, &room, "  impacts %llu", (unsigned long long)stats.impacts_total);
    add(line, &room, "  awake %llu", awake);
    add(line, &room, "  asleep %llu", asleep);
    fputs(line, to);
}

/* The keys: in one line as many as fit, or each with its help in a line of its own. */
static void print_keys(live *live, size_t room, FILE *to)
{
    char line[512] = "", part[LIVE_KEYS_PARTS][LIVE_KEYS_TEXT];
    live_keys_text(&live->keys, part);
    for (int k = 0; k < LIVE_KEYS_PARTS; ++k) {
        if (live->keys.help) fprintf(to, "%.*s\033[K\n", (int)room, part[k]);
        else if (part[k][0]) add(line, &room, "%s%s", k ? "  " : "", part[k]);
    }
    if (!live->keys.help) fprintf(to, "%s\033[K\n", line);
    live->drawn += live->keys.help ? LIVE_KEYS_PARTS : 1;
}

/* Number of lines of the picture in a terminal with this number of rows. Below the picture there is
 * space for the numbers, the cursor and, in a tall terminal, the summary. */
static int picture_lines(int rows)
{
    int beside = rows - 2 - SUMMARY;
    if (beside < FEW_ROWS) beside = rows - 2 < FEW_ROWS ? rows - 2 : FEW_ROWS;
    return beside;
}

/* @param last true: the last frame, without the line of keys, because the summary follows there */
static bool print_frame(live *live, const kugel_world *world, bool last, FILE *to)
{
    int columns, rows, lines;
    get_size(&columns, &rows);
    lines = picture_lines(rows);
    if (live->keys.help && !last && lines > rows - 2 - LIVE_KEYS_PARTS)
        lines = rows - 2 - LIVE_KEYS_PARTS;
    columns -= 1; /* a full last column makes some terminals wrap */
    fputs("\033[?25l", to);
    if (live->drawn && (columns != live->columns || rows != live->rows))
        fputs("\033[H", to); /* positions have changed */
    else if (live->drawn) fprintf(to, "\033[%dA\r", live->drawn);
    live->columns = columns, live->rows = rows, live->drawn = 0;
    if (columns > 0 && lines > 0) {
        live->view.by_state = live->keys.colours == COLOURS_STATE;
        if (!side_view_draw(&live->view, world, live->bodies, live->count, columns, lines,
                            &live->canvas))
            return false;
        for (; live->drawn < live->canvas.lines; ++live->drawn) {
            canvas_print(&live->canvas, live->drawn, live->braille,
                         live->keys.colours != COLOURS_NONE, to);
            fputs("\033[K\n", to);
        }
    }
    if (columns > 0 && rows > 1) {
        print_numbers(live, world, (size_t)columns, to);
        fputs("\033[K\n", to);
        live->drawn += 1;
    }
    int key_lines = live->keys.help ? LIVE_KEYS_PARTS : 1;
    if (live->keys.on && !last && columns > 0 && live->drawn + key_lines < rows)
        print_keys(live, (size_t)columns, to);
    fputs("\033[J\033[?25h", to);
    return true;
}

/* false: out of memory. */
static bool read_bodies(live *live, const kugel_world *world)
{
    uint32_t count = kugel_world_body_count(world);
    if (count > live->capacity || !live->bodies) {
        kugel_body_state *more = realloc(live->bodies, count * sizeof *more + 1);
        if (!more) return false;
        live->bodies = more;
        live->capacity = count;
    }
    live->count = count;
    read_states(world, live->bodies);
    return true;
}

/* @param last true: the last frame, which is sent as a whole, however slow the terminal is */
static bool draw(live *live, const kugel_world *world, bool last)
{
    FILE *to = open_memstream(&live->frame, &live->size);
    if (!to) return false;
    if (continued) live->drawn = 0; /* the shell has written in between */
    continued = 0;
    if (!read_bodies(live, world)) return false;
    side_view_follow(&live->view, live->bodies, live->count);
    bool good = print_frame(live, world, last, to);
    good = fclose(to) == 0 && good;
    return good && send_frame(live, last);
}

static void stop(live *live)
{
    forget_frame(live);
    live_keys_end(&live->keys);
    free(live->bodies);
    canvas_free(&live->canvas);
    side_view_end(&live->view);
    live->bodies = NULL;
    if (live->on && live->terminal != STDOUT_FILENO) close(live->terminal);
    live->on = false;
}

bool live_is_possible(const kugel_world *world)
{
    const char *terminal = getenv("TERM");
    return isatty(STDOUT_FILENO) && terminal && *terminal && strcmp(terminal, "dumb") != 0 &&
           kugel_world_body_count(world) <= MOST_BODIES_DRAWN;
}

void live_begin(live *live, const live_source *source, const kugel_world *world)
{
    const char *no_colour = getenv("NO_COLOR");
    *live = (struct live){.ticks = source->ticks};
    if (!read_bodies(live, world)) return;
    live->on = true;
    live->terminal = open_terminal();
    live->braille = is_utf8();
    live_keys_begin(&live->keys, isatty(STDOUT_FILENO) && source->keys,
                    no_colour && *no_colour ? COLOURS_NONE : COLOURS_SPEED);
    live_keys_wait(&live->keys, 0, in_foreground());
    struct sigaction action = {.sa_handler = on_continue, .sa_flags = SA_RESTART};
    sigaction(SIGCONT, &action, NULL);
    if (!side_view_begin(&live->view, world, live->bodies, live->count)) {
        stop(live);
        return;
    }
    live->view.ellipsoids = source->ellipsoids;
    live->view.ellipsoid_count = source->ellipsoid_count;
    live_show(live, world);
}

bool live_wait(live *live, const kugel_world *world, double dt)
{
    static const double longest = 0.1; /* s between tests of signals and of the window's size */
    if (!live->on || !live->keys.on) return true;
    double delay = live_keys_delay(&live->keys);
    bool due = delay > 0 || wall_clock_now() >= live->keys_next;
    for (; due && !signals_interrupted() && !live->keys.quit; due = delay > 0) {
        if (live_keys_wait(&live->keys, fmin(delay, longest), in_foreground())) live->next = 0;
        live->keys_next = wall_clock_now() + frame_time;
        delay = live_keys_delay(&live->keys);
        if (delay > 0) live_show(live, world);
    }
    live_keys_tick(&live->keys, dt);
    return !live->keys.quit;
}

void live_show(live *live, const kugel_world *world)
{
    if (!live->on) return;
    double start = wall_clock_now();
    if (start < live->next || !in_foreground()) return;
    bool good = send_frame(live, false);
    if (good && !live->frame) good = draw(live, world, false);
    double cost = wall_clock_now() - start;
    live->next = start + (10 * cost > frame_time ? 10 * cost : frame_time);
    if (!good) stop(live);
}

/* Finishes the frame that is being sent, then draws the last one: the summary follows below. */
void live_end(live *live, const kugel_world *world, bool failed)
{
    if (live->on && in_foreground() && send_frame(live, true) && !failed) draw(live, world, true);
    stop(live);
}
