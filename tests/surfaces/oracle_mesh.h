/* Distances from triangles and first contacts in long double, independent of the engine's code.
 * Each triangle is alone: the union of all triangles has the same first contact. */
#ifndef TEST_ORACLE_MESH_H
#define TEST_ORACLE_MESH_H

#include <math.h>

#include "surfaces/mesh.h"

typedef long double oracle_vec[3];

static inline long double oracle_dot(const long double *a, const long double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline long double oracle_segment_distance(const long double *a, const long double *b,
                                                  const long double *x)
{
    oracle_vec e, d;
    for (int k = 0; k < 3; ++k) e[k] = b[k] - a[k], d[k] = x[k] - a[k];
    long double s = oracle_dot(d, e) / oracle_dot(e, e);
    s = s < 0 ? 0 : s > 1 ? 1 : s;
    for (int k = 0; k < 3; ++k) d[k] -= s * e[k];
    return sqrtl(oracle_dot(d, d));
}

/* Distance from the plane of a triangle; INFINITY if the foot is outside. In the frame of the
 * longest edge p -> q: parts across it are small for slivers, so their rounding is, too. */
static inline long double oracle_face_distance(const long double *p, const long double *q,
                                               const long double *r, const long double *x)
{
    oracle_vec e, f, d;
    long double length, along_f, along_d, height, across = 0;
    for (int k = 0; k < 3; ++k) e[k] = q[k] - p[k], f[k] = r[k] - p[k], d[k] = x[k] - p[k];
    length = sqrtl(oracle_dot(e, e));
    for (int k = 0; k < 3; ++k) e[k] /= length;
    along_f = oracle_dot(f, e), along_d = oracle_dot(d, e);
    for (int k = 0; k < 3; ++k) f[k] -= along_f * e[k], d[k] -= along_d * e[k];
    height = sqrtl(oracle_dot(f, f));
    across = oracle_dot(d, f) / height;
    for (int k = 0; k < 3; ++k) d[k] -= across * f[k] / height;
    bool inside = across >= 0 && height * along_d >= across * along_f &&
                  height * (length - along_d) >= across * (length - along_f);
    return inside ? sqrtl(oracle_dot(d, d)) : (long double)INFINITY;
}

static inline long double oracle_distance(const kg_mesh *mesh, uint32_t triangle,
                                          const long double *x)
{
    oracle_vec p[3];
    long double best = INFINITY, longest = -1;
    int from = 0;
    for (int c = 0; c < 3; ++c) {
        for (int k = 0; k < 3; ++k)
            p[c][k] = mesh->vertex[3 * (size_t)mesh->corner[3 * triangle + c] + k];
    }
    for (int c = 0; c < 3; ++c) {
        long double square = 0;
        for (int k = 0; k < 3; ++k) {
            long double along = p[(c + 1) % 3][k] - p[c][k];
            square += along * along;
        }
        if (square > longest) longest = square, from = c;
        best = fminl(best, oracle_segment_distance(p[c], p[(c + 1) % 3], x));
    }
    return fminl(best, oracle_face_distance(p[from], p[(from + 1) % 3], p[(from + 2) % 3], x));
}

static inline void oracle_position(const kg_mesh_path *path, long double t, long double *x)
{
    for (int k = 0; k < 3; ++k) x[k] = path->x[k] + (path->v[k] + 0.5L * path->a[k] * t) * t;
}

static inline long double oracle_speed(const kg_mesh_path *path, long double t)
{
    oracle_vec v;
    for (int k = 0; k < 3; ++k) v[k] = path->v[k] + path->a[k] * t;
    return sqrtl(oracle_dot(v, v));
}

/* The first time in [from, to] at which the distance is at most the radius, by bisection of
 * intervals: a distance changes at most as fast as the centre moves. `depth` is the least overlap
 * that counts: a shallower graze may be missed. INFINITY without a contact. */
static inline long double oracle_contact(const kg_mesh *mesh, uint32_t triangle,
                                         const kg_mesh_path *path, long double from, long double to,
                                         long double depth)
{
    oracle_vec x;
    long double speed = fmaxl(oracle_speed(path, from), oracle_speed(path, to));
    long double middle = (from + to) / 2, half = (to - from) / 2;
    oracle_position(path, middle, x);
    long double gap = oracle_distance(mesh, triangle, x) - path->radius + depth;
    if (gap > speed * half) return INFINITY;
    if (half < 1e-15L) return gap <= 0 ? middle : INFINITY;
    long double first = oracle_contact(mesh, triangle, path, from, middle, depth);
    return first < INFINITY ? first : oracle_contact(mesh, triangle, path, middle, to, depth);
}

#endif
