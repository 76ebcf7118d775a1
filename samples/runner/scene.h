/* A scene as read from JSON, and how it becomes a world. The format is a contract with other programs;
 * `kugel-run --help-scene` prints every key with its default. */
#ifndef RUNNER_SCENE_H
#define RUNNER_SCENE_H

#include <kugel/kugel.h>

typedef struct ellipsoid {
    double center[3], semi_axes[3], rotation[4];
    char name[64];
} ellipsoid;

typedef struct beam {
    uint64_t tick;
    double origin[3], direction[3], length;
} beam;

typedef struct impulse {
    uint64_t tick;
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

/* Growable arrays are stb_ds'. */
typedef struct scene {
    double dt;
    uint64_t ticks;
    kugel_world_def world;
    kugel_plane *planes;
    ellipsoid *ellipsoids;
    kugel_body_def defaults;
    kugel_body_def *bodies; /* of "bodies", then of the generators */
    generator *generators;
    beam *beams;
    impulse *impulses;
} scene;

/* A message for people: where and what. Kept in one place so that it fits one line. */
typedef struct complaint {
    char text[512];
} complaint;

bool refuse(complaint *complaint, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Read a scene from JSON text; `name` is the file's for messages. false with a complaint. */
bool scene_parse(scene *scene, const char *text, size_t size, const char *name, complaint *complaint);
/* Run the generators: bodies are appended. `seed` replaces theirs when not NULL (plus its index). */
bool scene_generate(scene *scene, const uint64_t *seed, const char *name, complaint *complaint);
void scene_free(scene *scene);

extern const char scene_help[];

#endif
