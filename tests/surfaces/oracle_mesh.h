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

static inline long double oracle_distance(const kg_mesh *mesh, uint32_t triangle,
                                          const long double *x)
{
    oracle_vec p[3], e, f, n, d;
    for (int c = 0; c < 3; ++c) {
        for (int k = 0; k < 3; ++k)
            p[c][k] = mesh->vertex[3 * (size_t)mesh->corner[3 * triangle + c] + k];
    }
    for (int k = 0; k < 3; ++k) e[k] = p[1][k] - p[0][k], f[k] = p[2][k] - p[0][k];
    for (int k = 0; k < 3; ++k)
        n[k] = e[(k + 1) % 3] * f[(k + 2) % 3] - e[(k + 2) % 3] * f[(k + 1) % 3];
    long double best = INFINITY;
    bool inside = true;
    for (int c = 0; c < 3; ++c) {
        oracle_vec s, across;
        for (int k = 0; k < 3; ++k) s[k] = p[(c + 1) % 3][k] - p[c][k], d[k] = x[k] - p[c][k];
        for (int k = 0; k < 3; ++k)
            across[k] = n[(k + 1) % 3] * s[(k + 2) % 3] - n[(k + 2) % 3] * s[(k + 1) % 3];
        inside = inside && oracle_dot(across, d) >= 0;
        best = fminl(best, oracle_segment_distance(p[c], p[(c + 1) % 3], x));
    }
    if (inside) best = fminl(best, fabsl(oracle_dot(n, d)) / sqrtl(oracle_dot(n, n)));
    return best;
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
