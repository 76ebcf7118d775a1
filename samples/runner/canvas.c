/* Rasterises lines and shaded discs; prints cells as braille or ASCII. */
#include "canvas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ACROSS = 2, DOWN = 4 };

void canvas_free(canvas *c)
{
    free(c->depth);
    free(c->ink);
    *c = (canvas){0};
}

bool canvas_reset(canvas *c, int columns, int lines)
{
    size_t dots = (size_t)columns * ACROSS * (size_t)lines * DOWN;
    if (columns != c->columns || lines != c->lines) {
        canvas_free(c);
        *c = (canvas){columns, lines, columns * ACROSS, lines * DOWN, NULL, NULL};
        c->depth = malloc(dots * sizeof *c->depth);
        c->ink = malloc(dots);
        if (!c->depth || !c->ink) return canvas_free(c), false;
    }
    memset(c->ink, INK_NONE, dots);
    for (size_t i = 0; i < dots; ++i) c->depth[i] = INFINITY;
    return true;
}

/* Liang-Barsky clipping: reduces [t[0], t[1]] to the part of a line between 0 and `end` along one
 * axis. false: no part is left. */
static bool clip_axis(double from, double step, double end, double t[2])
{
    if (step == 0) return from >= 0 && from < end;
    double in = -from / step, out = (end - from) / step;
    if (in > out) {
        double swap = in;
        in = out, out = swap;
    }
    if (in > t[0]) t[0] = in;
    if (out < t[1]) t[1] = out;
    return t[0] <= t[1];
}

void canvas_line(canvas *c, double x0, double y0, double x1, double y1, bool dashed)
{
    double t[2] = {0, 1}, dx = x1 - x0, dy = y1 - y0;
    if (!isfinite(dx) || !isfinite(dy)) return;
    if (!clip_axis(x0, dx, c->width, t) || !clip_axis(y0, dy, c->height, t)) return;
    int steps = (int)((t[1] - t[0]) * fmax(fabs(dx), fabs(dy))) + 1;
    for (int i = 0; i <= steps; ++i) {
        double at = t[0] + (t[1] - t[0]) * i / steps;
        double x = x0 + at * dx, y = y0 + at * dy;
        if (!(x >= 0 && x < c->width && y >= 0 && y < c->height)) continue;
        if (dashed && ((int)x + (int)y) / 2 % 2) continue;
        c->ink[(size_t)y * (size_t)c->width + (size_t)x] = INK_LINE;
    }
}

/* Ordered dithering with Bayer's 4 x 4 matrix. */
static bool is_lit(int x, int y, double shade)
{
    static const unsigned char order[4][4] = {
        {0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
    return order[y % 4][x % 4] + 0.5 >= 16 * shade;
}

static int clamp(double x, int max) { return x > 0 ? x < max ? (int)x : max : 0; }

void canvas_disc(canvas *c, double x, double y, double radius, double depth, double shade,
                 uint8_t ink)
{
    if (radius < 0.75) radius = 0.75; /* distant discs stay visible as a dot */
    double rim = radius < 2.5 ? radius : radius - 0.9;
    int right = clamp(x + radius + 1, c->width), bottom = clamp(y + radius + 1, c->height);
    for (int py = clamp(y - radius, c->height); py < bottom; ++py) {
        for (int px = clamp(x - radius, c->width); px < right; ++px) {
            double dx = px + 0.5 - x, dy = py + 0.5 - y, d2 = dx * dx + dy * dy;
            size_t i = (size_t)py * (size_t)c->width + (size_t)px;
            if (d2 > radius * radius) continue;
            double front = depth - sqrt(radius * radius - d2);
            if (!(front < c->depth[i])) continue;
            c->depth[i] = (float)front;
            c->ink[i] = d2 <= rim * rim && is_lit(px, py, shade) ? ink : INK_NONE;
        }
    }
}

typedef struct cell {
    unsigned dots; /* braille numbering: bit k of bits[] */
    unsigned lit;  /* number of dots that belong to discs */
    uint8_t ink;   /* of the nearest disc, or of a line */
} cell;

static const unsigned char bits[DOWN][ACROSS] = {
    {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

static cell read_cell(const canvas *c, int line, int column)
{
    cell cell = {0};
    float nearest = INFINITY;
    for (int y = 0; y < DOWN; ++y) {
        for (int x = 0; x < ACROSS; ++x) {
            size_t i = (size_t)(line * DOWN + y) * (size_t)c->width + (size_t)(column * ACROSS + x);
            if (c->ink[i] == INK_NONE) continue;
            cell.dots |= bits[y][x];
            cell.lit += c->ink[i] != INK_LINE;
            if (cell.ink != INK_NONE && !(c->depth[i] < nearest)) continue;
            nearest = c->depth[i];
            cell.ink = c->ink[i];
        }
    }
    return cell;
}

/* The ASCII character for a cell: discs by their number of dots, lines by the position of dots. */
static char ascii(const cell *cell)
{
    enum {
        LEFT = 0x47,
        RIGHT = 0xB8,
        UPPER_LEFT = 0x03,
        UPPER_RIGHT = 0x18,
        LOWER_LEFT = 0x44,
        LOWER_RIGHT = 0xA0
    };
    unsigned dots = cell->dots;
    if (cell->lit) return ".:-=oO8@"[cell->lit - 1];
    bool left = dots & LEFT, right = dots & RIGHT;
    int high = __builtin_popcount(dots & (UPPER_LEFT | UPPER_RIGHT)),
        low = __builtin_popcount(dots) - high;
    if (!dots) return ' ';
    if (left != right) return high && low ? '|' : high ? '\'' : '.';
    if (high >= 2 && low >= 2 && __builtin_popcount(dots) > 4) return '+';
    if (!high || !low) return low ? '_' : '-';
    return (dots & UPPER_LEFT) && (dots & LOWER_RIGHT) ? '\\' : '/';
}

static void print_cell(const cell *cell, bool braille, FILE *to)
{
    if (!cell->dots) fputc(' ', to);
    else if (!braille) fputc(ascii(cell), to);
    else
        fprintf(to, "\xE2%c%c", (int)(0xA0 + (cell->dots >> 6)),
                (int)(0x80 + (cell->dots & 0x3F))); /* U+2800 + dots */
}

void canvas_print(const canvas *c, int line, bool braille, bool colour, FILE *to)
{
    static const char *const codes[] = {"",   "2",  "",   "94",
                                        "96", "92", "93", "91"}; /* of inks; "": default colour */
    const char *now = "";
    int blanks = 0;
    for (int column = 0; column < c->columns; ++column) {
        cell cell = read_cell(c, line, column);
        if (!cell.dots) {
            blanks += 1;
            continue;
        }
        const char *wanted = colour ? codes[cell.ink] : "";
        for (; blanks > 0; --blanks) fputc(' ', to);
        if (wanted != now) fprintf(to, "\033[0%s%sm", *wanted ? ";" : "", wanted);
        now = wanted;
        print_cell(&cell, braille, to);
    }
    if (*now) fputs("\033[0m", to);
}
