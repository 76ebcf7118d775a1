/* QUERIES of the baselines: the same rays, casts and overlaps for kugel and Bullet, over static spheres. */
#ifndef QUERIES_H
#define QUERIES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ASK_RAY, ASK_CAST, ASK_OVERLAP, ASK_KINDS };

/* One question: a ray from `from` to `to`, the same for a sphere, or a sphere at `from`. */
typedef struct question {
    double from[3], to[3], radius;
} question;

typedef struct answerer {
    const char *name;
    void *(*open)(const double *position, size_t count, double radius);
    /* Answers n questions; sums up: bodies hit for rays and casts, bodies found for overlaps. */
    uint64_t (*ask)(void *engine, int kind, const question *questions, size_t n);
    void (*close)(void *engine);
} answerer;

#ifdef HAVE_BULLET
extern const answerer answerer_bullet;
#endif

#ifdef __cplusplus
}
#endif
#endif
