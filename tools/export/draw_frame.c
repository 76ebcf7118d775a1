/* See draw_frame.h. */
#include "draw_frame.h"

#include <math.h>

#include "surface_place.h"

static const double grey[3] = {0.62, 0.64, 0.66}, steel[3] = {0.55, 0.62, 0.72};

/* The edges between faces of which one is closed. */
static void draw_box(picture *p, const frame_store *s)
{
    for (int corner = 0; corner < 8; ++corner) {
        for (int k = 0; k < 3; ++k) {
            double a[3], b[3];
            int l = (k + 1) % 3, m = (k + 2) % 3;
            bool open = s->faces[2 * l + (corner >> l & 1)] == KUGEL_FACE_OPEN &&
                        s->faces[2 * m + (corner >> m & 1)] == KUGEL_FACE_OPEN;
            if (corner >> k & 1 || open) continue;
            for (int i = 0; i < 3; ++i)
                a[i] = b[i] = corner >> i & 1 ? s->body_high[i] : s->body_low[i];
            b[k] = s->body_high[k];
            picture_line(p, a, b, grey);
        }
    }
}

/* @param hue 0: red, 2: green, 4: blue, 6: red again. */
static void set_hue(double hue, double colour[3])
{
    for (int k = 0; k < 3; ++k) {
        double away = fabs(hue - 2 * k);
        away = away > 3 ? 6 - away : away;
        colour[k] = 0.35 + 0.6 * (away < 1 ? 1 : away > 2 ? 0 : 2 - away);
    }
}

/* From blue at 0 to red at 1. */
static void set_scale(double value, double colour[3]) { set_hue(4 * (1 - value), colour); }

static void colour_of(const frame_store *store, const stored_frame *f, size_t i,
                      picture_colours colours, double colour[3])
{
    double hue = f->ids[i] * 0.61803398875, range = store->largest - store->smallest;
    switch (colours) {
    case PICTURE_BY_SPEED:
        if (f->speed[i] < 0) memcpy(colour, grey, sizeof grey);
        else set_scale(store->fastest > 0 ? f->speed[i] / store->fastest : 0, colour);
        return;
    case PICTURE_BY_RADIUS:
        set_scale(range > 0 ? (f->radius[i] - store->smallest) / range : 0, colour);
        return;
    case PICTURE_PLAIN:
        memcpy(colour, grey, sizeof grey);
        return;
    default: /* hues far from those of preceding ids */
        set_hue(6 * (hue - floor(hue)), colour);
    }
}

static void draw_surface(picture *p, const store_mesh *mesh, const store_place *place)
{
    kugel_surface_def def = {0};
    memcpy(def.position, place->position, sizeof def.position);
    memcpy(def.rotation, place->rotation, sizeof def.rotation);
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        double x[3][3];
        for (int k = 0; k < 3; ++k)
            surface_place(&def, mesh->vertices + 3 * (size_t)mesh->triangles[3 * (size_t)t + k],
                          x[k]);
        picture_triangle(p, x, steel, 0.35);
    }
}

/* Where an edge of the box, from corner a along axis k, meets the plane. */
static bool cut(const frame_store *s, const store_plane *plane, int corner, int k, double out[3])
{
    double height = -plane->offset;
    for (int i = 0; i < 3; ++i) {
        out[i] = corner >> i & 1 ? s->high[i] : s->low[i];
        height += plane->normal[i] * out[i];
    }
    double rise = plane->normal[k] * (s->high[k] - s->low[k]);
    double t = rise == 0 ? -1 : -height / rise;
    out[k] += t * (s->high[k] - s->low[k]);
    return t >= 0 && t <= 1;
}

/* The part of a plane within the box: a convex polygon. */
static void draw_plane(picture *p, const frame_store *s, const store_plane *plane)
{
    double points[12][3], angle[12], middle[3] = {0}, u[3], v[3];
    const double *n = plane->normal;
    int count = 0, least = fabs(n[0]) < fabs(n[1]) ? 0 : 1;
    if (fabs(n[2]) < fabs(n[least])) least = 2;
    for (int corner = 0; corner < 8; ++corner)
        for (int k = 0; k < 3; ++k)
            if (!(corner >> k & 1)) count += cut(s, plane, corner, k, points[count]);
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k) middle[k] += points[i][k] / count;
    for (int k = 0; k < 3; ++k) u[k] = (k == least) - n[k] * n[least];
    for (int k = 0; k < 3; ++k)
        v[k] = n[(k + 1) % 3] * u[(k + 2) % 3] - n[(k + 2) % 3] * u[(k + 1) % 3];
    for (int i = 0; i < count; ++i) {
        double x = 0, y = 0, here[3], a;
        memcpy(here, points[i], sizeof here);
        for (int k = 0; k < 3; ++k)
            x += u[k] * (here[k] - middle[k]), y += v[k] * (here[k] - middle[k]);
        a = atan2(y, x);
        int j = i;
        for (; j > 0 && angle[j - 1] > a; --j)
            angle[j] = angle[j - 1], memcpy(points[j], points[j - 1], sizeof here);
        angle[j] = a, memcpy(points[j], here, sizeof here);
    }
    for (int i = 0; i < count; ++i) {
        double x[3][3];
        memcpy(x[0], middle, sizeof middle);
        memcpy(x[1], points[i], sizeof x[1]), memcpy(x[2], points[(i + 1) % count], sizeof x[2]);
        picture_triangle(p, x, steel, 0.2);
    }
}

void draw_frame(picture *p, const frame_store *store, const stored_frame *f,
                picture_colours colours)
{
    picture_clear(p);
    draw_box(p, store);
    for (size_t i = 0; i < f->count; ++i) {
        double colour[3];
        colour_of(store, f, i, colours, colour);
        picture_sphere(p, f->position + 3 * i, (double)f->radius[i], colour);
    }
    for (uint32_t i = 0; i < f->plane_count; ++i) draw_plane(p, store, &f->planes[i]);
    for (uint32_t i = 0; i < f->surface_count; ++i)
        draw_surface(p, &store->meshes[f->places[i].mesh], &f->places[i]);
    picture_finish(p);
}
