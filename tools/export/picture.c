/* See picture.h. */
#include "picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int background = 246; /* of 255 */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

bool picture_make(picture *p, int width, int height)
{
    size_t pixels = (size_t)width * (size_t)height;
    *p = (picture){.width = width, .height = height};
    p->rgb = malloc(3 * pixels);
    p->canvas = malloc(4 * 3 * pixels);
    p->depth = malloc(4 * pixels * sizeof *p->depth);
    return p->rgb && p->canvas && p->depth;
}

void picture_free(picture *p)
{
    free(p->rgb);
    free(p->canvas);
    free(p->depth);
    *p = (picture){0};
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static void normalise(double a[3])
{
    double length = sqrt(dot(a, a));
    for (int k = 0; k < 3; ++k) a[k] /= length;
}

/* Turn the camera: `from` is the direction towards the eye, of any length. */
static void turn(picture *p, const double from[3])
{
    static const double ups[2][3] = {{0, 0, 1}, {0, 1, 0}};
    double *right = p->axes[0], *up = p->axes[1], *away = p->axes[2];
    for (int k = 0; k < 3; ++k) away[k] = -from[k];
    normalise(away);
    cross(away, ups[fabs(away[2]) > 0.9999], right);
    normalise(right);
    cross(right, away, up);
}

/* Move the eye back until all corners are within 92 % of the picture. */
static void fit(picture *p, const double low[3], const double high[3])
{
    const double *away = p->axes[2];
    double center[3], distance = 0;
    for (int k = 0; k < 3; ++k) center[k] = 0.5 * (low[k] + high[k]);
    for (int corner = 0; corner < 8; ++corner) {
        double d[3];
        for (int k = 0; k < 3; ++k) d[k] = (corner >> k & 1 ? high[k] : low[k]) - center[k];
        double x = fabs(dot(d, p->axes[0])) / (0.92 * p->width),
               y = fabs(dot(d, p->axes[1])) / (0.92 * p->height);
        double back = p->focal * (x > y ? x : y) - dot(d, away);
        distance = back > distance ? back : distance;
    }
    for (int k = 0; k < 3; ++k) p->eye[k] = center[k] - distance * away[k];
}

void picture_look_at(picture *p, const double low[3], const double high[3],
                     const picture_look *look)
{
    static const double oblique[3] = {0.36, -0.86, 0.36};
    double from[3];
    p->focal = 2.4 * p->height;
    memcpy(from, look->has_direction ? look->direction : oblique, sizeof from);
    for (int k = 0; k < 3 && look->has_eye; ++k) from[k] = look->eye[k] - look->target[k];
    turn(p, from);
    if (look->has_eye) memcpy(p->eye, look->eye, sizeof p->eye);
    else fit(p, low, high);
}

void picture_clear(picture *p)
{
    size_t pixels = 4 * (size_t)p->width * (size_t)p->height;
    memset(p->canvas, background, 3 * pixels);
    for (size_t i = 0; i < pixels; ++i) p->depth[i] = INFINITY;
}

/* Camera coordinates: right, up, depth. */
static void to_camera(const picture *p, const double a[3], double out[3])
{
    double d[3] = {a[0] - p->eye[0], a[1] - p->eye[1], a[2] - p->eye[2]};
    for (int k = 0; k < 3; ++k) out[k] = dot(d, p->axes[k]);
}

static void plot(picture *p, int x, int y, double depth, const double colour[3], double light)
{
    if (x < 0 || y < 0 || x >= 2 * p->width || y >= 2 * p->height) return;
    size_t i = (size_t)y * 2 * (size_t)p->width + (size_t)x;
    if (!(depth < p->depth[i])) return;
    p->depth[i] = (float)depth;
    for (int k = 0; k < 3; ++k) p->canvas[3 * i + (size_t)k] = (uint8_t)(255 * colour[k] * light);
}

static int clamp(double x, int most) { return x < 0 ? 0 : x > most ? most : (int)x; }

/* Draw a sphere as a disc, ignoring the perspective stretch at the edges. */
void picture_sphere(picture *p, const double center[3], double radius, const double colour[3])
{
    static const double lamp[3] = {-0.4, 0.7,
                                   0.59}; /* camera's right and up, and towards the eye; unit */
    double c[3];
    to_camera(p, center, c);
    if (!(c[2] > 2 * radius)) return; /* behind the eye or too near */
    double scale = p->focal / c[2], x = p->width + c[0] * scale, y = p->height - c[1] * scale,
           r = radius * scale;
    if (r < 1) r = 1; /* at least one pixel */
    int right = clamp(x + r, 2 * p->width - 1), bottom = clamp(y + r, 2 * p->height - 1);
    for (int py = clamp(y - r, 2 * p->height); py <= bottom; ++py) {
        for (int px = clamp(x - r, 2 * p->width); px <= right; ++px) {
            double nx = (px + 0.5 - x) / r, ny = (y - py - 0.5) / r, rest = 1 - nx * nx - ny * ny;
            if (rest < 0) continue;
            double nz = sqrt(rest), lit = nx * lamp[0] + ny * lamp[1] + nz * lamp[2];
            plot(p, px, py, c[2] - radius * nz, colour, 0.35 + 0.65 * (lit > 0 ? lit : 0));
        }
    }
}

/* A line two canvas pixels wide; not drawn if an end is behind the camera. */
void picture_line(picture *p, const double a[3], const double b[3], const double colour[3])
{
    double from[3], to[3];
    to_camera(p, a, from);
    to_camera(p, b, to);
    if (!(from[2] > 0 && to[2] > 0)) return;
    double x = p->width + from[0] * p->focal / from[2],
           y = p->height - from[1] * p->focal / from[2];
    double dx = p->width + to[0] * p->focal / to[2] - x,
           dy = p->height - to[1] * p->focal / to[2] - y;
    int steps = 1 + (int)fmax(fabs(dx), fabs(dy));
    for (int i = 0; i <= steps; ++i) {
        double t = (double)i / steps, depth = 1 / ((1 - t) / from[2] + t / to[2]);
        for (int k = 0; k < 4; ++k)
            plot(p, (int)(x + t * dx) + k % 2, (int)(y + t * dy) + k / 2, depth, colour, 1);
    }
}

void picture_finish(picture *p)
{
    size_t row = 2 * 3 * (size_t)p->width;
    for (size_t y = 0; y < (size_t)p->height; ++y) {
        for (size_t i = 0; i < 3 * (size_t)p->width; ++i) {
            const uint8_t *four = p->canvas + 2 * y * row + i / 3 * 6 + i % 3;
            p->rgb[y * 3 * (size_t)p->width + i] =
                (uint8_t)((four[0] + four[3] + four[row] + four[row + 3] + 2) / 4);
        }
    }
}
