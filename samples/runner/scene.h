/* A scene: the content of a scene file. Other programs write such files, so keys and defaults stay;
 * `kugel-run --help-scene` prints them. */
#ifndef RUNNER_SCENE_H
#define RUNNER_SCENE_H

#include <kugel/kugel.h>

#include "complaint.h"
#include "grains.h"

/* Room for a name in rows of events. */
enum { SCENE_NAME = 64 };

typedef struct ellipsoid {
    double center[3], semi_axes[3], rotation[4];
    char name[SCENE_NAME];
} ellipsoid;

typedef struct surface {
    kugel_surface_def def; /* its arrays are set when it is added to the world */
    double *vertices;      /* [3 * n], stb_ds array */
    uint32_t *triangles;   /* likewise */
    char *mesh_file;       /* the file with both, malloc'ed; NULL: the scene has them */
    char name[SCENE_NAME];
} surface;

typedef struct beam {
    uint64_t tick;                          /* must be first: schedule.h reads it */
    double origin[3], direction[3], length; /* direction is a unit vector */
} beam;

typedef struct impulse {
    uint64_t tick; /* must be first: schedule.h reads it */
    uint32_t body;
    double impulse[3];
} impulse;

/* Ticks at which something acts: from `tick` on, `ticks` of them, every `every`-th. */
typedef struct span {
    uint64_t tick, ticks, every;
} span;

static inline bool span_is_due(const span *span, uint64_t tick)
{
    return tick >= span->tick && tick - span->tick < span->ticks &&
           (tick - span->tick) % span->every == 0;
}

typedef struct force {
    span span;
    uint32_t body;
    double force[3], torque[3]; /* N, N m */
} force;

typedef struct gravity_change {
    uint64_t tick; /* must be first: schedule.h reads it */
    double gravity[3];
} gravity_change;

/* New velocity and spin, or a position (m) that the body reaches after `ticks`, where it stops. */
typedef struct motion {
    uint64_t tick; /* must be first: schedule.h reads it */
    uint64_t ticks;
    uint32_t body;
    bool has_velocity, has_spin, has_position;
    double velocity[3], spin[3], position[3];
} motion;

typedef struct motion_stop {
    uint64_t tick; /* must be first: schedule.h reads it */
    uint32_t body;
} motion_stop;

typedef struct emitter {
    span span;
    uint64_t count; /* bodies at each time */
    uint64_t seed;
    double min[3], max[3], velocity[3], spread; /* m; m/s, uniform in +-spread along each axis */
    grains grains;
} emitter;

/* Removes dynamic bodies with centres in a box, or behind a plane: normal . x < offset. */
typedef struct drain {
    span span;
    bool is_plane;
    double min[3], max[3], normal[3], offset;
} drain;

typedef struct lattice {
    double origin[3], spacing[3], jitter;
    uint32_t count[3];
    uint64_t seed;
} lattice;

typedef struct gas {
    uint32_t count;          /* 0: as many as reach the packing fraction */
    double packing_fraction; /* 0: what the count fills */
    bool own_radius;         /* the generator has a radius of its own */
    double speed_sigma;
    uint64_t seed;
} gas;

typedef struct generator {
    bool is_gas;
    lattice lattice;
    gas gas;
    grains grains; /* of its bodies */
} generator;

/* Limit of all values: the engine's limit for lengths, speeds and ticks. */
#define LARGEST 1e15
/* Limit of the bodies of a scene. */
enum { MOST_BODIES = 10000000 };

/* Growable arrays are stb_ds arrays. */
typedef struct scene {
    double dt;
    uint64_t ticks;
    kugel_world_def world;
    kugel_plane *planes;
    ellipsoid *ellipsoids;
    surface *surfaces;
    kugel_body_def defaults;
    grains grains; /* of the defaults; their radius and mass replace those of the def */
    radius_choice *choices;
    random_state listed_random; /* radii of the listed bodies that have none of their own */
    kugel_body_def *bodies;     /* those of "bodies", then those of the generators, by id */
    size_t listed;              /* number of bodies from "bodies" */
    char *bodies_file;          /* FILE or FILE@TICK in place of listed bodies; malloc'ed or NULL */
    uint64_t *body_places;      /* of the bodies from the file: lines, or rows from 1 */
    bool places_are_lines;
    generator *generators;
    size_t *generated; /* total number of bodies after each generator */
    beam *beams;
    impulse *impulses;
    force *forces;
    gravity_change *gravities;
    motion *motions;
    emitter *emitters;
    drain *drains;
} scene;

/* Read a scene from JSON text. `name` is the file's name in messages. false with a complaint. */
bool scene_parse(scene *scene, const char *text, size_t size, const char *name,
                 complaint *complaint);
/* A body of a generator, without a place: as the defaults say; a static one has no spin. */
kugel_body_def scene_generated_body(const scene *scene, const grains *grains, double radius);
/* Run the generators, which append bodies. `seed` (may be NULL) replaces the first one's seed, seed
 * + 1 the second one's, and so on. */
bool scene_generate(scene *scene, const uint64_t *seed, const char *name, complaint *complaint);
/* Key path of a body: "bodies[3]", "generators[1]: body 40", or "bodies: a.csv:17". */
enum { SCENE_PATH = 300 };
void scene_body_path(const scene *scene, size_t body, char path[SCENE_PATH]);
void scene_free(scene *scene);

extern const char scene_help[];

#endif
