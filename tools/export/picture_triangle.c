/* Translucent triangles: clipped at the eye, then blended pixel by pixel. */
#include <math.h>
#include <string.h>

#include "picture.h"

/* A corner on the canvas: x to the right, y down, pixels; 1 / depth is linear over the triangle. */
typedef struct corner {
    double x, y, inverse_depth;
} corner;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Clip against a plane just before the eye. @return number of corners, up to 4. */
static int clip(const double in[3][3], double least, double out[4][3])
{
    int count = 0;
    for (int i = 0; i < 3; ++i) {
        const double *a = in[i], *b = in[(i + 1) % 3];
        bool a_in = a[2] >= least, b_in = b[2] >= least;
        if (a_in) memcpy(out[count++], a, sizeof out[0]);
        if (a_in == b_in) continue;
        double t = (least - a[2]) / (b[2] - a[2]);
        for (int k = 0; k < 3; ++k) out[count][k] = a[k] + t * (b[k] - a[k]);
        count += 1;
    }
    return count;
}

/* Twice the signed area of a, b and the point. Exactly opposite for the opposite edge, so that
 * triangles with a common edge share no pixel. */
static double side(const corner *a, const corner *b, double x, double y)
{
    bool swap = a->x > b->x || (a->x == b->x && a->y > b->y);
    const corner *p = swap ? b : a, *q = swap ? a : b;
    double area = (q->x - p->x) * (y - p->y) - (q->y - p->y) * (x - p->x);
    if (area == 0) area = 1e-300;
    return swap ? -area : area;
}

static void blend(picture *p, size_t pixel, const double colour[3], double opacity)
{
    for (size_t k = 0; k < 3; ++k) {
        uint8_t *at = &p->canvas[3 * pixel + k];
        *at = (uint8_t)(*at + opacity * (255 * colour[k] - *at) + 0.5);
    }
}

static int clamp(double x, int most) { return x < 0 ? 0 : x > most ? most : (int)x; }

/* One row of pixels. */
static void fill_row(picture *p, const corner c[3], double area, int y, const int span[2],
                     const double colour[3], double opacity)
{
    for (int x = span[0]; x <= span[1]; ++x) {
        double w[3], inverse = 0;
        bool inside = true;
        for (int k = 0; k < 3; ++k) {
            w[k] = side(&c[(k + 1) % 3], &c[(k + 2) % 3], x + 0.5, y + 0.5) / area;
            inside = inside && w[k] > 0;
        }
        if (!inside) continue;
        for (int k = 0; k < 3; ++k) inverse += w[k] * c[k].inverse_depth;
        size_t pixel = (size_t)y * 2 * (size_t)p->width + (size_t)x;
        if (1 / inverse < (double)p->depth[pixel]) blend(p, pixel, colour, opacity);
    }
}

static void fill(picture *p, const corner c[3], const double colour[3], double opacity)
{
    double area = side(&c[0], &c[1], c[2].x, c[2].y);
    double left = fmin(c[0].x, fmin(c[1].x, c[2].x)), right = fmax(c[0].x, fmax(c[1].x, c[2].x));
    double top = fmin(c[0].y, fmin(c[1].y, c[2].y)), low = fmax(c[0].y, fmax(c[1].y, c[2].y));
    if (!(fabs(area) > 1e-12) || right < 0 || low < 0) return;
    int span[2] = {clamp(left, 2 * p->width), clamp(right, 2 * p->width - 1)};
    int last = clamp(low, 2 * p->height - 1);
    for (int y = clamp(top, 2 * p->height); y <= last; ++y)
        fill_row(p, c, area, y, span, colour, opacity);
}

/* Share of light, from the angle between the triangle and a lamp above and left of the eye. */
static double light_of(const double corners[3][3])
{
    static const double lamp[3] = {-0.4, 0.7, -0.59}; /* camera's right, up and away; unit */
    double a[3], b[3], n[3];
    for (int k = 0; k < 3; ++k)
        a[k] = corners[1][k] - corners[0][k], b[k] = corners[2][k] - corners[0][k];
    for (int k = 0; k < 3; ++k)
        n[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    double length = sqrt(dot(n, n));
    return length > 0 ? 0.45 + 0.55 * fabs(dot(n, lamp)) / length : 1;
}

void picture_triangle(picture *p, const double corners[3][3], const double colour[3],
                      double opacity)
{
    double seen[3][3], clipped[4][3], largest = 0, lit[3];
    corner c[4];
    for (int i = 0; i < 3; ++i) {
        double d[3];
        for (int k = 0; k < 3; ++k) d[k] = corners[i][k] - p->eye[k];
        for (int k = 0; k < 3; ++k) seen[i][k] = dot(d, p->axes[k]);
        largest = fmax(largest, sqrt(dot(d, d)));
    }
    int count = clip(seen, 1e-4 * largest, clipped);
    double light = light_of(seen);
    for (int k = 0; k < 3; ++k) lit[k] = light * colour[k];
    for (int i = 0; i < count; ++i) {
        double scale = p->focal / clipped[i][2];
        c[i] = (corner){p->width + clipped[i][0] * scale, p->height - clipped[i][1] * scale,
                        1 / clipped[i][2]};
    }
    for (int i = 2; i < count; ++i) {
        const corner part[3] = {c[0], c[i - 1], c[i]};
        fill(p, part, lit, opacity);
    }
}
