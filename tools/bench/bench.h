/* kugel-bench: the same scenes for kugel and its peers, in one run. */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Spheres of one radius and mass in a box with its lower corner at 0. */
typedef struct scene {
    uint32_t count;
    double radius, mass, restitution, friction;
    double length[3]; /* of the box, m */
    bool open_top, periodic;
    double gravity;              /* along z, m/s^2 */
    double dt;                   /* s */
    double threshold, slop;      /* kugel's */
    int substeps;                /* kugel's; the peers run with their defaults */
    int sweeps;                  /* kugel's contact_iterations; 0: the default */
    double *position, *velocity; /* 3 a sphere */
} scene;

/* One engine with one scene in it. */
typedef struct peer {
    const char *name;
    void *(*open)(const scene *scene);
    void (*step)(void *engine, double dt);
    void (*read)(void *engine, double *position, double *velocity); /* 3 a sphere */
    void (*close)(void *engine);
} peer;

extern const peer peer_kugel;
#ifdef HAVE_ODE
extern const peer peer_ode;
#endif
#ifdef HAVE_BULLET
extern const peer peer_bullet;
#endif
/* Impacts so far and bytes held: kugel's. */
uint64_t kugel_impacts_of(void *engine);
double kugel_memory_of(void *engine);

/* scenes.c */
scene scene_gas(uint32_t count, double eta, bool periodic);
scene scene_pile(uint32_t count);
void scene_free(scene *scene);
/* Quality of a state. */
typedef struct quality {
    double energy;                /* J, of motion and height */
    double mean_depth, max_depth; /* radii, over overlapping pairs */
    uint32_t escaped;
} quality;
quality scene_quality(const scene *scene, const double *position, const double *velocity);
double now(void); /* s */

#ifdef __cplusplus
}
#endif
#endif
