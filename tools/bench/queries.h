/* QUERIES: the same rays, casts and overlaps for kugel and Bullet, over static spheres. */
#ifndef QUERIES_H
#define QUERIES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A batch is all rays in one call, of kugel only. */
enum { QUERY_RAY, QUERY_CAST, QUERY_OVERLAP, QUERY_BATCH, QUERY_KINDS };

/* A query: a ray from `from` to `to`, a sphere cast along it, or the overlap of a sphere at
 * `from`. */
typedef struct query {
    double from[3], to[3], radius;
} query;

typedef struct query_engine {
    const char *name;
    void *(*open)(const double *position, size_t count, double radius);
    /* Answers n queries. @return the number of hits (rays, casts) or of bodies found (overlaps). */
    uint64_t (*ask)(void *engine, int kind, const query *queries, size_t n);
    void (*close)(void *engine);
} query_engine;

#ifdef HAVE_BULLET
extern const query_engine query_engine_bullet;
#endif

#ifdef __cplusplus
}
#endif
#endif
