/* kugel-bench: the same scenes for kugel and other engines (peers) in one run. Shared
 * declarations. */
#ifndef BENCH_H
#define BENCH_H

#include <kugel/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Triangles at rest, two-sided. */
typedef struct floor_mesh {
    uint32_t vertex_count, triangle_count;
    double *vertices;    /* [3 * vertex_count], m */
    uint32_t *triangles; /* [3 * triangle_count] */
} floor_mesh;

/* A box that moves: up and down as a sine, and about the vertical. */
typedef struct mover {
    double half[3];     /* m */
    double position[3]; /* m, at the start */
    double height;      /* m, amplitude */
    double pulse;       /* rad/s, of the sine */
    double spin;        /* rad/s */
} mover;
enum { MOVERS_MOST = 2 };

/* Spheres in a box with its lower corner at 0. */
typedef struct scene {
    uint32_t count;
    double radius, mass; /* of all spheres if the columns below are NULL */
    double *radii, *masses;
    uint8_t *collision_group; /* only bodies of different groups collide; NULL: all do */
    double restitution, friction;
    double length[3];            /* of the box, m */
    bool open_top;               /* true: the box has no lid */
    bool periodic;               /* true: all faces are periodic */
    bool boundless;              /* true: there is no box */
    bool continuous;             /* true: the peers use continuous detection */
    double gravity;              /* along z, m/s^2 */
    double dt;                   /* s */
    double threshold, slop;      /* of kugel */
    int substeps;                /* of kugel; the peers use their defaults */
    bool defaults;               /* true: kugel has its default threshold, slop and substeps */
    bool sleeps;                 /* true: bodies of kugel fall asleep */
    bool untimed;                /* true: kugel has no clock for its stages */
    int sweeps;                  /* contact_iterations of kugel; 0: default */
    kugel_tasks tasks;           /* of kugel; 0 threads: one */
    double *position, *velocity; /* 3 a sphere */
    double *spin;                /* 3 a sphere, rad/s; NULL: none spins */
    floor_mesh floor;            /* without triangles: none; the caller frees it */
    mover movers[MOVERS_MOST];   /* in a scene with a floor */
    uint32_t mover_count;
} scene;

/* Room for a floor of cells x cells squares of two triangles each, which the caller sets. */
floor_mesh floor_make(uint32_t cells);
/* Divide all squares along the same diagonal; vertices are row by row. */
void floor_set_squares(floor_mesh *floor, uint32_t cells);
void floor_free(floor_mesh *floor);
/* Spheres of radius 0.5 and mass 1 at the origin, with dt 1/60 s in 4 substeps. Restarts the random
 * numbers of random.h. */
scene scene_make(uint32_t count);
scene scene_gas(uint32_t count, double eta, bool periodic);
scene scene_pile(uint32_t count);
/* Multiplies all lengths of a scene by `scale`; density, gravity and tick stay. */
void scene_scale(scene *scene, double scale);
void scene_free(scene *scene);

/* Quality of a state. */
typedef struct quality {
    double energy;                /* J, of motion and height */
    double mean_depth, max_depth; /* radii, over overlapping pairs */
    uint32_t escaped;
} quality;
quality scene_quality(const scene *scene, const double *position, const double *velocity);
double scene_kinetic(const scene *scene, const double *velocity); /* J */

/* A pair of bodies in contact in the last step. */
typedef struct contact_event {
    uint32_t a, b; /* a < b */
    double time;   /* s from the start of the step; NAN if the engine does not report it */
} contact_event;

/* An engine with one scene. */
typedef struct peer {
    const char *name;
    void *(*open)(const scene *scene);
    void (*step)(void *engine, double dt);
    /* Let a mover rise, m/s, and spin, rad/s, in the next step of dt. */
    void (*move)(void *engine, uint32_t index, double rise, double spin, double dt);
    void (*read)(void *engine, double *position, double *velocity); /* 3 a sphere */
    /* Ordered by time if times are reported. Writes at most `room` and returns the number. */
    size_t (*contact_events)(void *engine, contact_event *out, size_t room);
    /* destroys the bodies one by one; NULL: only `close` is available */
    void (*empty)(void *engine);
    void (*close)(void *engine);
} peer;

/* Move the movers of a scene in the next step, which starts at `time`, s. */
void scene_move(const scene *scene, const peer *peer, void *engine, double time);

enum { PEERS_MOST = 3 };
/* kugel, then the other engines of this build; ends with NULL */
extern const peer *peers[];
/* excludes an engine; false if it does not exist or is kugel */
bool peers_exclude(const char *name);
extern const peer peer_kugel, peer_bullet, peer_ode;

/* Of kugel's worlds only. */
uint64_t kugel_impacts_of(void *engine);
kugel_stats kugel_stats_of(void *engine);
/* Sum over the last step's impacts of two bodies: impulse times distance of the centres, J. */
double kugel_virial_of(void *engine, const scene *scene);
double kugel_memory_of(void *engine); /* bytes */
kugel_step_times kugel_times_of(void *engine);

typedef struct bench_options {
    bool quick, large;
    double per_tick;  /* impacts a sphere and tick, of EXACT; 0: several values */
    double eta;       /* packing fraction of exact gases; 0: several */
    uint32_t size;    /* 0: several */
    uint32_t peers;   /* largest scene of other engines in GAS, PILE, MIXED and SIZE */
    double cap;       /* s, time limit of another engine in a scene of MIXED and SIZE */
    const char *mix;  /* MIXED: only this mixture; NULL: all */
    double latency;   /* us, of a message in RANKS */
    double bandwidth; /* GB/s, of a rank in RANKS */
} bench_options;

void bench_gas(const bench_options *chosen);
void bench_pile(const bench_options *chosen);
void bench_mesh(const bench_options *chosen);
void bench_hills(const bench_options *chosen);
void bench_level(const bench_options *chosen);
void bench_small(const bench_options *chosen);
void bench_roll(const bench_options *chosen);
void bench_bullets(const bench_options *chosen);
void bench_awake(const bench_options *chosen);
void bench_local(const bench_options *chosen);
void bench_headon(const bench_options *chosen);
void bench_queries(const bench_options *chosen);
void bench_create(const bench_options *chosen);
void bench_reads(const bench_options *chosen);
void bench_snapshot(const bench_options *chosen);
void bench_exact(const bench_options *chosen);
void bench_lattice(const bench_options *chosen);
void bench_threads(const bench_options *chosen);
void bench_ranks(const bench_options *chosen);
void bench_solver(const bench_options *chosen);
void bench_surfaces(const bench_options *chosen);
void bench_rest(const bench_options *chosen);
void bench_mixed(const bench_options *chosen);
bool bench_has_mixture(const char *name); /* of the piles, or "gas" */
void bench_mixed_gas(const bench_options *chosen);
void bench_size(const bench_options *chosen);
void bench_stages(const bench_options *chosen);

#ifdef __cplusplus
}
#endif
#endif
