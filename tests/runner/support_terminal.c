/* Terminal emulator on a pseudo-terminal. */
#define _GNU_SOURCE
#include "runner/support_terminal.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runner/support_program.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void clear(support_terminal *t, int row, int from)
{
    memset(t->cell[row][from], 0, sizeof t->cell[row] - (size_t)from * sizeof t->cell[row][0]);
}

static void new_line(support_terminal *t)
{
    if (t->y < t->rows - 1) {
        t->y += 1;
        return;
    }
    memmove(t->cell[0], t->cell[1], (size_t)(t->rows - 1) * sizeof t->cell[0]);
    clear(t, t->rows - 1, 0);
}

static void put(support_terminal *t, const char *bytes, int size)
{
    if (t->x >= t->columns) {
        if (t->settling) return;
        cr_assert(t->cursor, "a frame wraps: '%.*s' in column %d of %d", size, bytes, t->x,
                  t->columns);
        t->x = 0;
        new_line(t);
    }
    memset(t->cell[t->y][t->x], 0, sizeof t->cell[0][0]);
    memcpy(t->cell[t->y][t->x], bytes, (size_t)size);
    if (size == 1 && *bytes == ' ') t->cell[t->y][t->x][0] = 0;
    t->x += 1;
    t->ascii = t->ascii && size == 1;
}

static void control(support_terminal *t, const char *parameters, char final)
{
    int n = atoi(parameters);
    if (final == 'A') {
        cr_assert(n >= 1 && (n <= t->y || t->settling), "%d lines up from line %d", n, t->y);
        t->y = n <= t->y ? t->y - n : 0;
    } else if (final == 'H' && !*parameters) {
        t->x = t->y = 0;
        t->settling = false;
    } else if (final == 'K' && !*parameters) {
        clear(t, t->y, t->x);
    } else if (final == 'J' && !*parameters) {
        clear(t, t->y, t->x);
        for (int row = t->y + 1; row < t->rows; ++row) clear(t, row, 0);
    } else if (final == 'm') {
        t->coloured = true;
    } else if (strcmp(parameters, "?25") == 0 && (final == 'l' || final == 'h')) {
        t->cursor = final == 'h';
        t->frames += final == 'l';
    } else {
        cr_assert_fail("control sequence %s%c", parameters, final);
    }
}

/* Size of the complete sequence or character at the start of `pending`; 0 if it is incomplete. */
static int complete_size(const support_terminal *t)
{
    const unsigned char *p = (const unsigned char *)t->pending;
    int size = t->pending_size;
    if (p[0] == '\033') {
        if (size < 3) return 0;
        cr_assert_eq(p[1], '[', "escape %c", p[1]);
        for (int i = 2; i < size; ++i) {
            if (p[i] >= '@') return i + 1;
        }
        return 0;
    }
    int wanted = p[0] < 0x80 ? 1 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    return size >= wanted ? wanted : 0;
}

static void take(support_terminal *t, char byte)
{
    cr_assert_lt(t->pending_size, (int)sizeof t->pending - 1);
    t->pending[t->pending_size++] = byte;
    t->pending[t->pending_size] = 0;
    int size = complete_size(t);
    if (!size) return;
    t->pending_size = 0;
    char last = t->pending[size - 1];
    if (t->pending[0] == '\033') {
        t->pending[size - 1] = 0;
        control(t, t->pending + 2, last);
    } else if (last == '\r') {
        t->x = 0;
    } else if (last == '\n') {
        new_line(t);
    } else {
        cr_assert((unsigned char)last >= ' ', "control character %d", last);
        put(t, t->pending, size);
    }
}

const char *support_screen(support_terminal *t)
{
    char *to = t->text;
    for (int row = 0; row <= t->y; ++row) {
        int length = t->columns;
        while (length > 0 && !t->cell[row][length - 1][0]) --length;
        for (int x = 0; x < length; ++x)
            to = stpcpy(to, t->cell[row][x][0] ? t->cell[row][x] : " ");
        to = stpcpy(to, "\n");
    }
    return t->text;
}

static void be_program(const char *const *environment, const char *const *arguments)
{
    char *argv[SUPPORT_ARGUMENTS + 2] = {"kugel-run"}, program[1024];
    setenv("TERM", "xterm", 1), setenv("LC_ALL", "C.UTF-8", 1);
    unsetenv("NO_COLOR"), unsetenv("COLUMNS"), unsetenv("LINES");
    for (; *environment; environment += 2) {
        if (*environment[1]) setenv(environment[0], environment[1], 1);
        else unsetenv(environment[0]);
    }
    for (int n = 0; arguments[n] && n < SUPPORT_ARGUMENTS; ++n) argv[n + 1] = (char *)arguments[n];
    bool replay = argv[1] && strcmp(argv[1], "kugel-replay") == 0;
    snprintf(program, sizeof program, "%s/%s", getenv("KUGEL_BUILD"),
             replay ? "tools/replay/kugel-replay" : "samples/kugel-run");
    if (chdir(support_folder()) == 0) execv(program, argv + replay);
    _exit(127);
}

support_terminal *support_terminal_start(int columns, int rows, const char *const *environment,
                                         const char *const *arguments)
{
    support_terminal *t = calloc(1, sizeof *t);
    struct winsize size = {.ws_col = (unsigned short)columns, .ws_row = (unsigned short)rows};
    cr_assert(t && columns <= SUPPORT_COLUMNS && rows <= SUPPORT_ROWS);
    support_folder(); /* of the parent process */
    t->columns = columns ? columns : 80, t->rows = rows ? rows : 24;
    t->cursor = t->ascii = true;
    t->code = -1;
    t->seconds = -now();
    t->pid = forkpty(&t->master, NULL, NULL, &size);
    cr_assert_geq(t->pid, 0, "no pseudo-terminal: %s", strerror(errno));
    if (t->pid == 0) be_program(environment, arguments);
    return t;
}

/* Reads output. false: the program has ended. */
static bool read_some(support_terminal *t)
{
    char bytes[4096];
    ssize_t size = read(t->master, bytes, sizeof bytes);
    for (ssize_t i = 0; i < size; ++i) take(t, bytes[i]);
    return size > 0; /* Linux returns EIO when the other end is closed */
}

void support_terminal_frames(support_terminal *t, unsigned frames)
{
    while (t->frames < frames && read_some(t)) continue;
    while (!t->cursor && read_some(t)) continue; /* until the last frame is complete */
}

void support_terminal_type(support_terminal *t, const char *keys)
{
    cr_assert_eq(write(t->master, keys, strlen(keys)), (ssize_t)strlen(keys));
}

void support_terminal_resize(support_terminal *t, int columns, int rows)
{
    struct winsize size = {.ws_col = (unsigned short)columns, .ws_row = (unsigned short)rows};
    cr_assert_eq(ioctl(t->master, TIOCSWINSZ, &size), 0);
    t->columns = columns, t->rows = rows;
    if (t->y >= rows) t->y = rows - 1;
    t->settling = true;
    while (t->settling && read_some(t)) continue;
}

void support_terminal_end(support_terminal *t)
{
    int status;
    while (read_some(t)) continue;
    while (waitpid(t->pid, &status, 0) < 0) cr_assert_eq(errno, EINTR);
    t->seconds += now();
    t->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void support_terminal_free(support_terminal *t)
{
    close(t->master);
    free(t);
}
