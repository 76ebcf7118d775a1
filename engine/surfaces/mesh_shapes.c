/* Triangles of simple shapes. In: sizes. Out: vertices and triangles in arrays of the caller.
 * Cost O(vertices). Only + - * / and sqrt: the same bits on all machines. */
#include "geometry/geometry_common.h"
#include "kugel/mesh_shapes.h"

/* The caller's array of triangles, and how many are written. */
typedef struct writer {
    uint32_t *triangles, count;
} writer;

static void add_triangle(writer *w, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *to = w->triangles + 3 * (size_t)w->count++;
    to[0] = a, to[1] = b, to[2] = c;
}

/* Two triangles of the quad a, b, c, d, whose corners turn left seen from the front. */
static void add_quad(writer *w, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    add_triangle(w, a, b, c);
    add_triangle(w, a, c, d);
}

kugel_status kugel_mesh_rectangle(const double *corner, const double *a, const double *b,
                                  double *vertices, uint32_t *triangles)
{
    if (!corner || !a || !b || !vertices || !triangles || !kg_finite3(corner) || !kg_finite3(a) ||
        !kg_finite3(b))
        return KUGEL_ERROR_INVALID_ARGUMENT;
    double v[12];
    kg_copy3(v, corner);
    kg_add_scaled3(v + 3, corner, 1, a);
    kg_add_scaled3(v + 6, v + 3, 1, b);
    kg_add_scaled3(v + 9, corner, 1, b);
    memcpy(vertices, v, sizeof v);
    add_quad(&(writer){triangles, 0}, 0, 1, 2, 3);
    return KUGEL_OK;
}

/* Bit k of a vertex's number: the vertex is on the upper side of axis k. */
kugel_status kugel_mesh_box(const double *half, double *vertices, uint32_t *triangles)
{
    static const uint8_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    if (!half || !vertices || !triangles || !kg_finite3(half) ||
        !(half[0] > 0 && half[1] > 0 && half[2] > 0))
        return KUGEL_ERROR_INVALID_ARGUMENT;
    writer w = {triangles, 0};
    const double h[3] = {half[0], half[1], half[2]};
    for (uint32_t v = 0; v < 8; ++v)
        for (uint32_t k = 0; k < 3; ++k) vertices[3 * v + k] = v >> k & 1 ? h[k] : -h[k];
    for (int f = 0; f < 6; ++f) add_quad(&w, faces[f][0], faces[f][1], faces[f][2], faces[f][3]);
    return KUGEL_OK;
}

static bool is_height_field(const double *origin, double dx, double dy, uint32_t nx, uint32_t ny,
                            const double *heights)
{
    bool good = origin && heights && kg_finite3(origin) && dx > 0 && dy > 0 && kg_finite(dx) &&
                kg_finite(dy) && nx >= 2 && ny >= 2 && (uint64_t)nx * ny <= 1u << 26;
    for (size_t i = 0; good && i < (size_t)nx * ny; ++i) good = kg_finite(heights[i]);
    return good;
}

kugel_status kugel_mesh_height_field(const double *origin, double dx, double dy, uint32_t nx,
                                     uint32_t ny, const double *heights, double *vertices,
                                     uint32_t *triangles)
{
    if (!vertices || !triangles || !is_height_field(origin, dx, dy, nx, ny, heights))
        return KUGEL_ERROR_INVALID_ARGUMENT;
    writer w = {triangles, 0};
    for (uint32_t j = 0; j < ny; ++j) {
        for (uint32_t i = 0; i < nx; ++i) {
            size_t at = i + (size_t)nx * j;
            kg_set3(vertices + 3 * at, origin[0] + i * dx, origin[1] + j * dy,
                    origin[2] + heights[at]);
        }
    }
    for (uint32_t j = 0; j + 1 < ny; ++j) {
        for (uint32_t i = 0; i + 1 < nx; ++i) {
            uint32_t at = i + nx * j;
            add_quad(&w, at, at + 1, at + nx + 1, at + nx);
        }
    }
    return KUGEL_OK;
}

/* Cosine and sine of x in [0, pi / 4] by their Taylor series; omitted terms are below 1e-17. */
static void small_angle(double x, double *cosine, double *sine)
{
    double x2 = x * x, c = 1, s = 1;
    for (int n = 16; n >= 2; n -= 2) {
        c = 1 - c * x2 / (n * (n - 1));
        s = 1 - s * x2 / (n * (n + 1));
    }
    *cosine = c, *sine = s * x;
}

/* Cosine and sine of 2 pi k / n, k <= n. The octant is found in integers: quarter turns are exact
 * and mirrored angles have the same bits. */
static void circle_point(uint32_t k, uint32_t n, double *cosine, double *sine)
{
    uint64_t quarter = (uint64_t)4 * k / n, rest = (uint64_t)4 * k % n; /* rest / n quarters */
    bool swapped = 2 * rest > n;
    double c, s, angle = 1.5707963267948966 * (double)(swapped ? n - rest : rest) / n;
    small_angle(angle, &c, &s);
    if (2 * rest == n) c = s = 0.70710678118654752;
    double x = swapped ? s : c, y = swapped ? c : s;
    *cosine = quarter % 4 == 0 ? x : quarter % 4 == 1 ? -y : quarter % 4 == 2 ? -x : y;
    *sine = quarter % 4 == 0 ? y : quarter % 4 == 1 ? x : quarter % 4 == 2 ? -y : -x;
}

/* A right-handed frame. */
typedef struct frame {
    double axis[3][3];
} frame;

/* Make a frame whose axis[2] has this direction. False for a direction of length 0 or not
 * finite. */
static bool make_frame(frame *f, const double direction[3])
{
    if (kg_is_zero3(direction) || !kg_finite3(direction)) return false;
    kg_normalize3(f->axis[2], direction, direction);
    kg_axes_across(f->axis[2], f->axis[0], f->axis[1]);
    return true;
}

/* A ring of vertices around the point center + height axis[2]. */
static void write_ring(double *vertices, const frame *f, const double center[3], double height,
                       double radius, uint32_t segments)
{
    for (uint32_t k = 0; k < segments; ++k) {
        double c, s, *v = vertices + 3 * (size_t)k;
        circle_point(k, segments, &c, &s);
        kg_add_scaled3(v, center, height, f->axis[2]);
        kg_add_scaled3(v, v, radius * c, f->axis[0]);
        kg_add_scaled3(v, v, radius * s, f->axis[1]);
    }
}

/* A fan of triangles between a ring and a point above the ring, or below it if `down`. */
static void add_fan(writer *w, uint32_t ring, uint32_t segments, uint32_t point, bool down)
{
    for (uint32_t k = 0; k < segments; ++k) {
        uint32_t a = ring + k, b = ring + (k + 1) % segments;
        add_triangle(w, down ? b : a, down ? a : b, point);
    }
}

/* Quads between a lower and an upper ring; their fronts are outside. */
static void add_sides(writer *w, uint32_t lower, uint32_t upper, uint32_t segments)
{
    for (uint32_t k = 0; k < segments; ++k) {
        uint32_t next = (k + 1) % segments;
        add_quad(w, lower + k, lower + next, upper + next, upper + k);
    }
}

static bool is_segments(uint32_t segments)
{
    return segments >= KUGEL_MESH_SEGMENTS_MIN && segments <= KUGEL_MESH_SEGMENTS_MAX;
}

static bool is_radius(double radius) { return radius >= 0 && kg_finite(radius); }

kugel_status kugel_mesh_disc(const double *center, const double *normal, double radius,
                             uint32_t segments, double *vertices, uint32_t *triangles)
{
    frame f;
    if (!center || !normal || !vertices || !triangles || !kg_finite3(center) ||
        !is_radius(radius) || radius == 0 || !is_segments(segments) || !make_frame(&f, normal))
        return KUGEL_ERROR_INVALID_ARGUMENT;
    writer w = {triangles, 0};
    kg_copy3(vertices + 3 * (size_t)segments, center);
    write_ring(vertices, &f, vertices + 3 * (size_t)segments, 0, radius, segments);
    add_fan(&w, 0, segments, segments, false);
    return KUGEL_OK;
}

/* A frame whose axis[2] points from `from` to `to`. */
static bool axis_frame(frame *f, const double *from, const double *to)
{
    double along[3];
    if (!from || !to || !kg_finite3(from) || !kg_finite3(to)) return false;
    kg_sub3(along, to, from);
    return make_frame(f, along);
}

/* Vertices in order: the ring at `from`, the ring at `to`, both centres. */
kugel_status kugel_mesh_cone(const double *from, const double *to, double radius_from,
                             double radius_to, uint32_t segments, kugel_mesh_caps caps,
                             double *vertices, uint32_t *triangles, uint32_t *triangle_count)
{
    frame f;
    uint32_t n = segments;
    if (!vertices || !triangles || !is_radius(radius_from) || !is_radius(radius_to) ||
        (radius_from == 0 && radius_to == 0) || !is_segments(n) || (uint32_t)caps > 3 ||
        !axis_frame(&f, from, to))
        return KUGEL_ERROR_INVALID_ARGUMENT;
    writer w = {triangles, 0};
    const double ends[2][3] = {{from[0], from[1], from[2]}, {to[0], to[1], to[2]}};
    write_ring(vertices, &f, ends[0], 0, radius_from, n);
    write_ring(vertices + 3 * (size_t)n, &f, ends[1], 0, radius_to, n);
    memcpy(vertices + 6 * (size_t)n, ends, sizeof ends);
    if (radius_from == 0) add_fan(&w, n, n, 2 * n, true);
    else if (radius_to == 0) add_fan(&w, 0, n, 2 * n + 1, false);
    else add_sides(&w, 0, n, n);
    if (caps & KUGEL_MESH_CAPS_FROM && radius_from > 0) add_fan(&w, 0, n, 2 * n, true);
    if (caps & KUGEL_MESH_CAPS_TO && radius_to > 0) add_fan(&w, n, n, 2 * n + 1, false);
    if (triangle_count) *triangle_count = w.count;
    return KUGEL_OK;
}

/* Vertices in order: the lower pole, segments / 2 rings from low to high, the upper pole. Ring j of
 * a half sphere has the latitude 2 pi j / segments. */
kugel_status kugel_mesh_capsule(const double *from, const double *to, double radius,
                                uint32_t segments, double *vertices, uint32_t *triangles)
{
    frame f;
    uint32_t n = segments, quarter = n / 4, top = 1 + 2 * quarter * n;
    if (!vertices || !triangles || !from || !to || !is_radius(radius) || radius == 0 ||
        !is_segments(n) || n % 4 != 0)
        return KUGEL_ERROR_INVALID_ARGUMENT;
    const double ends[2][3] = {{from[0], from[1], from[2]}, {to[0], to[1], to[2]}};
    bool sphere = from[0] == to[0] && from[1] == to[1] && from[2] == to[2];
    const double upwards[3] = {0, 0, 1};
    if (!kg_finite3(ends[0]) || !(sphere ? make_frame(&f, upwards) : axis_frame(&f, from, to)))
        return KUGEL_ERROR_INVALID_ARGUMENT;
    writer w = {triangles, 0};
    for (uint32_t ring = 0; ring < 2 * quarter; ++ring) {
        bool upper = ring >= quarter;
        double c, s;
        circle_point(upper ? ring - quarter : quarter - 1 - ring, n, &c, &s);
        write_ring(vertices + 3 + 3 * (size_t)ring * n, &f, ends[upper],
                   upper ? radius * s : -radius * s, radius * c, n);
        if (ring) add_sides(&w, 1 + (ring - 1) * n, 1 + ring * n, n);
    }
    kg_add_scaled3(vertices, ends[0], -radius, f.axis[2]);
    kg_add_scaled3(vertices + 3 * (size_t)top, ends[1], radius, f.axis[2]);
    add_fan(&w, 1, n, 0, true);
    add_fan(&w, top - n, n, top, false);
    return KUGEL_OK;
}
