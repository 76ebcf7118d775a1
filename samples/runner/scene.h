/* A scene as read from JSON, and how it becomes a world. The format is a contract with other
 * programs; `kugel-run --help-scene` prints every key with its default. */
#ifndef RUNNER_SCENE_H
#define RUNNER_SCENE_H

#include <kugel/kugel.h>

#include "complaint.h"

typedef struct ellipsoid {
    double center[3], semi_axes[3], rotation[4];
    char name[64];
} ellipsoid;

typedef struct beam {
    uint64_t tick;                          /* first: the schedule reads it */
    double origin[3], direction[3], length; /* direction is unit here */
} beam;

typedef struct impulse {
    uint64_t tick; /* first: the schedule reads it */
    uint32_t body;
    double impulse[3];
} impulse;

typedef struct lattice {
    double origin[3], spacing[3], jitter;
    uint32_t count[3];
    uint64_t seed;
} lattice;

typedef struct gas {
    uint32_t count;
    double packing_fraction, speed_sigma;
    uint64_t seed;
} gas;

typedef struct generator {
    bool is_gas;
    lattice lattice;
    gas gas;
} generator;

/* Values beyond this are refused everywhere: the engine's limit for lengths, speeds and ticks. */
#define LARGEST 1e15
/* A scene may ask for so many bodies in all. */
enum { MOST_BODIES = 10000000 };

/* Growable arrays are stb_ds'. */
typedef struct scene {
    double dt;
    uint64_t ticks;
    kugel_world_def world;
    kugel_plane *planes;
    ellipsoid *ellipsoids;
    kugel_body_def defaults;
    kugel_body_def *bodies; /* of "bodies", then of the generators, in the order of ids */
    size_t listed;          /* how many of them come from "bodies" */
    generator *generators;
    size_t *generated; /* after each generator, how many bodies there are */
    beam *beams;
    impulse *impulses;
} scene;

/* Read a scene from JSON text; `name` is the file's for messages. false with a complaint. */
bool scene_parse(scene *scene, const char *text, size_t size, const char *name,
                 complaint *complaint);
/* Run the generators: bodies are appended. `seed` (may be NULL) replaces that of the first one,
 * seed + 1 that of the second ... */
bool scene_generate(scene *scene, const uint64_t *seed, const char *name, complaint *complaint);
/* The key path of a body: "bodies[3]", or "generators[1]: body 40". */
void scene_body_path(const scene *scene, size_t body, char path[48]);
void scene_free(scene *scene);

extern const char scene_help[];

#endif
