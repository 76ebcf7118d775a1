/* Projects bodies, bounds, planes, ellipsoids and surfaces onto a canvas. */
#include "side_view.h"

#include <math.h>

/* Maps metres to dots. */
typedef struct dots {
    double scale, left, bottom; /* dots a metre; position of (0, 0) m in dots */
} dots;

static double to_x(const dots *d, double x) { return d->left + x * d->scale; }
static double to_y(const dots *d, double y) { return d->bottom - y * d->scale; }

static double larger_side(const side_view *v)
{
    return fmax(v->high[0] - v->low[0], v->high[1] - v->low[1]);
}

static bool is_closed(const side_view *v, int k, int side)
{
    int axis = k ? v->up : v->right;
    return v->def.bounds.faces[2 * axis + side] != KUGEL_FACE_OPEN;
}

static double face(const side_view *v, int k, int side)
{
    const kugel_bounds *b = &v->def.bounds;
    int axis = k ? v->up : v->right;
    return side ? b->max[axis] : b->min[axis];
}

/* Extend the window to a wall or floor that is near the bodies. */
static void extend_to(side_view *v, int k, double place)
{
    double side = larger_side(v);
    if (place < v->low[k] && place >= v->low[k] - 2 * side) v->low[k] = place;
    if (place > v->high[k] && place <= v->high[k] + 2 * side) v->high[k] = place;
}

/* Extend the window to surfaces, on each side by at most its larger side. */
/* The plane of a surface; false if it is no plane. */
static bool get_plane(const kugel_world *world, uint32_t index, double normal[3], double *offset)
{
    kugel_surface_def def;
    return !kugel_surface_get(world, kugel_world_surface(world, index), &def, NULL) &&
           kugel_surface_def_get_plane(&def, normal, offset);
}

static void extend_to_surfaces(side_view *v, const kugel_world *world)
{
    double side = larger_side(v);
    for (int k = 0; k < 2; ++k) {
        double low, high;
        surface_view_extent(world, k ? v->up : v->right, &low, &high);
        if (low > high) continue;
        v->low[k] = fmin(v->low[k], fmax(low, v->low[k] - side));
        v->high[k] = fmax(v->high[k], fmin(high, v->high[k] + side));
    }
}

bool side_view_begin(side_view *v, const kugel_world *world, const kugel_body_state *bodies,
                     size_t count)
{
    kugel_world_def def;
    if (kugel_world_get_def(world, &def) != KUGEL_OK) return false;
    const double *g = def.gravity;
    bool falls = g[0] != 0 || g[1] != 0 || g[2] != 0;
    *v = (side_view){.def = def,
                     .up = falls ? 2 : 1,
                     .away = falls ? 1 : 2,
                     .towards = falls ? 1 : -1,
                     .low = {INFINITY, INFINITY},
                     .high = {-INFINITY, -INFINITY}};
    for (size_t i = 0; i < count; ++i) {
        const kugel_body_state *b = &bodies[i];
        for (int k = 0; k < 2; ++k) {
            double x = b->position[k ? v->up : v->right];
            v->low[k] = fmin(v->low[k], x - b->radius);
            v->high[k] = fmax(v->high[k], x + b->radius);
        }
    }
    for (int k = 0; k < 2 && count == 0; ++k) { /* without bodies: the box, or one metre */
        v->low[k] = is_closed(v, k, 0) ? face(v, k, 0) : is_closed(v, k, 1) ? face(v, k, 1) - 1 : 0;
        v->high[k] = is_closed(v, k, 1) ? face(v, k, 1) : v->low[k] + 1;
    }
    for (int k = 0; k < 2; ++k) {
        for (int side = 0; side < 2; ++side) {
            if (is_closed(v, k, side)) extend_to(v, k, face(v, k, side));
        }
    }
    for (uint32_t i = 0; i < kugel_world_surface_end(world); ++i) {
        double normal[3], offset;
        if (!get_plane(world, i, normal, &offset)) continue;
        for (int k = 0; k < 2; ++k) {
            double n = normal[k ? v->up : v->right];
            if (fabs(n) > 0.99) extend_to(v, k, offset / n);
        }
    }
    extend_to_surfaces(v, world);
    double clearance = 2 * larger_side(v);
    for (int k = 0; k < 2; ++k)
        v->limit_low[k] = v->low[k] - clearance, v->limit_high[k] = v->high[k] + clearance;
    return true;
}

void side_view_follow(side_view *v, const kugel_body_state *bodies, size_t count)
{
    double step = 0.1 * larger_side(v);
    for (size_t i = 0; i < count; ++i) {
        const kugel_body_state *b = &bodies[i];
        for (int k = 0; k < 2; ++k) {
            double x = b->position[k ? v->up : v->right], low = x - b->radius, high = x + b->radius;
            if (low < v->low[k] && !(is_closed(v, k, 0) && v->low[k] <= face(v, k, 0)))
                v->low[k] = fmax(low - step, v->limit_low[k]);
            if (high > v->high[k] && !(is_closed(v, k, 1) && v->high[k] >= face(v, k, 1)))
                v->high[k] = fmin(high + step, v->limit_high[k]);
        }
    }
}

/* A closed face is a line between the adjacent faces, or to the edge of the window. */
static void draw_box(const side_view *v, const dots *d, canvas *canvas)
{
    for (int k = 0; k < 2; ++k) {
        double from = is_closed(v, !k, 0) ? face(v, !k, 0) : v->low[!k],
               to = is_closed(v, !k, 1) ? face(v, !k, 1) : v->high[!k];
        for (int side = 0; side < 2; ++side) {
            double at = face(v, k, side);
            if (!is_closed(v, k, side) || at < v->low[k] || at > v->high[k]) continue;
            int axis = k ? v->up : v->right;
            bool dashed = v->def.bounds.faces[2 * axis + side] == KUGEL_FACE_PERIODIC;
            if (k)
                canvas_line(canvas, to_x(d, from), to_y(d, at), to_x(d, to), to_y(d, at), dashed);
            else canvas_line(canvas, to_x(d, at), to_y(d, from), to_x(d, at), to_y(d, to), dashed);
        }
    }
}

/* Planes parallel to the line of sight: the line n . x = offset across the window. */
static void draw_planes(const side_view *v, const kugel_world *world, const dots *d, canvas *canvas)
{
    double length = 4 * larger_side(v);
    for (uint32_t i = 0; i < kugel_world_surface_end(world); ++i) {
        double normal[3], offset;
        if (!get_plane(world, i, normal, &offset) || fabs(normal[v->away]) > 1e-3) continue;
        double nx = normal[v->right], ny = normal[v->up];
        double cx = 0.5 * (v->low[0] + v->high[0]), cy = 0.5 * (v->low[1] + v->high[1]);
        double off = offset - nx * cx - ny * cy; /* from the window's centre to the line */
        double x = cx + off * nx, y = cy + off * ny;
        canvas_line(canvas, to_x(d, x - length * ny), to_y(d, y + length * nx),
                    to_x(d, x + length * ny), to_y(d, y - length * nx), false);
    }
}

/* Row `axis` of R S, where R is the rotation matrix of an ellipsoid and S holds its semi-axes. The
 * outline of the ellipsoid is an ellipse with the matrix R S S R^T restricted to the picture's
 * axes, because normals there lie in the picture plane. */
static void outline_row(const ellipsoid *e, int axis, double row[3])
{
    const double *q = e->rotation, x = q[0], y = q[1], z = q[2], w = q[3];
    const double m[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                            {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                            {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    for (int k = 0; k < 3; ++k) row[k] = m[axis][k] * e->semi_axes[k];
}

static void draw_ellipsoids(const side_view *v, const dots *d, canvas *canvas)
{
    enum { PIECES = 64 };
    for (size_t i = 0; i < v->ellipsoid_count; ++i) {
        const ellipsoid *e = &v->ellipsoids[i];
        double r[3], u[3], rr = 0, ru = 0, uu = 0, x0 = 0, y0 = 0;
        outline_row(e, v->right, r), outline_row(e, v->up, u);
        for (int k = 0; k < 3; ++k) rr += r[k] * r[k], ru += r[k] * u[k], uu += u[k] * u[k];
        /* Cholesky factor: maps the unit circle to the ellipse */
        double a = sqrt(rr), b = ru / a, c = sqrt(fmax(uu - b * b, 0));
        for (int k = 0; k <= PIECES; ++k) {
            double angle = 2 * 3.14159265358979 * k / PIECES;
            double x = to_x(d, e->center[v->right] + a * cos(angle));
            double y = to_y(d, e->center[v->up] + b * cos(angle) + c * sin(angle));
            if (k) canvas_line(canvas, x0, y0, x, y, false);
            x0 = x, y0 = y;
        }
    }
}

static double speed_of(const kugel_body_state *b)
{
    const double *v = b->velocity;
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static uint8_t ink_of(const side_view *v, const kugel_body_state *b)
{
    double part = speed_of(b) / v->fastest * CANVAS_SPEEDS;
    if (b->type == KUGEL_STATIC) return INK_STILL;
    if (v->by_state) return b->asleep ? INK_SPEED : b->contacts ? INK_SPEED + 2 : INK_SPEED + 3;
    return (uint8_t)(INK_SPEED + (part < CANVAS_SPEEDS - 1 ? (int)part
                                  : part > 0               ? CANVAS_SPEEDS - 1
                                                           : 0));
}

/* Farther bodies are darker: at the far end three dots of four stay dark. */
static void draw_bodies(side_view *v, const dots *d, const kugel_body_state *bodies, size_t count,
                        canvas *canvas)
{
    double near = INFINITY, far = -INFINITY;
    for (size_t i = 0; i < count; ++i) {
        double depth = v->towards * bodies[i].position[v->away];
        near = fmin(near, depth), far = fmax(far, depth);
        v->fastest = fmax(v->fastest, speed_of(&bodies[i]));
    }
    double clearance = fmax(far - near, 0.25 * larger_side(v));
    for (size_t i = 0; i < count; ++i) {
        const kugel_body_state *b = &bodies[i];
        double depth = v->towards * b->position[v->away] - near;
        canvas_disc(canvas, to_x(d, b->position[v->right]), to_y(d, b->position[v->up]),
                    b->radius * d->scale, depth * d->scale, 0.75 * depth / clearance, ink_of(v, b));
    }
}

void side_view_end(side_view *v) { surface_view_free(&v->surfaces); }

bool side_view_draw(side_view *v, const kugel_world *world, const kugel_body_state *bodies,
                    size_t count, int columns, int lines, canvas *canvas)
{
    double wide = v->high[0] - v->low[0], high = v->high[1] - v->low[1];
    double scale = fmin((2 * columns - 1) / wide, (4 * lines - 1) / high);
    double needed = ceil((high * scale + 1) / 4);
    lines = needed < lines ? needed < 1 ? 1 : (int)needed : lines;
    if (!canvas_reset(canvas, columns, lines)) return false;
    if (!surface_view_read(&v->surfaces, world)) return false;
    if (!(scale > 0) || !isfinite(scale)) return true; /* extent beyond the range of numbers */
    dots d = {scale, 0.5 * canvas->width - scale * 0.5 * (v->low[0] + v->high[0]),
              0.5 * canvas->height + scale * 0.5 * (v->low[1] + v->high[1])};
    draw_box(v, &d, canvas);
    draw_planes(v, world, &d, canvas);
    draw_ellipsoids(v, &d, canvas);
    const projection p = {v->right, v->up, v->away, d.scale, d.left, d.bottom};
    surface_view_draw(&v->surfaces, world, &p, canvas);
    draw_bodies(v, &d, bodies, count, canvas);
    return true;
}
