/* kugel-bench: the same scenes for kugel and its peers, in one run. What its parts share. */
#ifndef BENCH_H
#define BENCH_H

#include <kugel/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- scenes ---- */

/* Spheres in a box with its lower corner at 0. */
typedef struct scene {
    uint32_t count;
    double radius, mass; /* of all, where the columns below are NULL */
    double *radii, *masses;
    uint8_t *collision_group; /* only bodies of different teams meet; NULL: all do */
    double restitution, friction;
    double length[3]; /* of the box, m */
    bool open_top, periodic, boundless;
    bool continuous;             /* the peers' continuous detection is on */
    double gravity;              /* along z, m/s^2 */
    double dt;                   /* s */
    double threshold, slop;      /* kugel's */
    int substeps;                /* kugel's; the peers run with their defaults */
    int sweeps;                  /* kugel's contact_iterations; 0: the default */
    kugel_tasks tasks;           /* kugel's; 0 threads: one */
    double *position, *velocity; /* 3 a sphere */
} scene;

/* Spheres of radius 0.5 and mass 1 in 4 substeps of 1/60 s, all at 0; `state` of random.h begins
 * anew. */
scene scene_make(uint32_t count);
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
double scene_kinetic(const scene *scene, const double *velocity); /* J */

/* ---- engines ---- */

/* Two bodies of the last step that pushed each other. */
typedef struct contact_event {
    uint32_t a, b; /* a < b */
    double time;   /* s from the start of the step; NAN where the engine does not tell */
} contact_event;

/* One engine with one scene in it. */
typedef struct peer {
    const char *name;
    void *(*open)(const scene *scene);
    void (*step)(void *engine, double dt);
    void (*read)(void *engine, double *position, double *velocity); /* 3 a sphere */
    /* In the order of time where they have times. Returns how many; no more than `room` are
     * written. */
    size_t (*contact_events)(void *engine, contact_event *out, size_t room);
    void (*empty)(void *engine); /* destroy the bodies one by one; NULL: `close` does */
    void (*close)(void *engine);
} peer;

enum { PEERS_MOST = 3 };
extern const peer *peers[];           /* kugel, and those that are built in; NULL at the end */
bool peers_exclude(const char *name); /* one of them takes no part; false: it is none, or kugel */
extern const peer peer_kugel, peer_bullet, peer_ode;

/* Of kugel's worlds. */
uint64_t kugel_impacts_of(void *engine);
double kugel_memory_of(void *engine); /* bytes */
kugel_step_times kugel_times_of(void *engine);

/* ---- what to run ---- */

typedef struct bench_options {
    bool quick, large;
    double per_tick; /* impacts a sphere and tick; 0: several, the best of which counts */
    double eta;      /* of exact gases; 0: several */
    uint32_t size;   /* 0: several */
    uint32_t peers;  /* most spheres for other engines in GAS and PILE */
} bench_options;

void bench_gas(const bench_options *chosen);
void bench_pile(const bench_options *chosen);
void bench_bullets(const bench_options *chosen);
void bench_headon(const bench_options *chosen);
void bench_queries(const bench_options *chosen);
void bench_create(const bench_options *chosen);
void bench_snapshot(const bench_options *chosen);
void bench_exact(const bench_options *chosen);
void bench_lattice(const bench_options *chosen);
void bench_threads(const bench_options *chosen);
void bench_solver(const bench_options *chosen);
void bench_stages(const bench_options *chosen);

#ifdef __cplusplus
}
#endif
#endif
