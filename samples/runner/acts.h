/* What a scene does to its world during the run: gravity, motions, drains, emitters, impulses,
 * forces. All of it goes through public calls, so recordings repeat it. Those of tick k act on the
 * state after k steps, in this order and by index; each depends on the tick only, so that a
 * restarted run repeats them. */
#ifndef RUNNER_ACTS_H
#define RUNNER_ACTS_H

#include "scene.h"
#include "schedule.h"

typedef struct acts {
    const char *name; /* of the scene */
    const scene *scene;
    kugel_world *world;
    schedule gravities, motions, stops, impulses;
    motion_stop *stop_items; /* stb_ds array */
    uint64_t *blocked;       /* of each emitter: bodies without a free place; stb_ds array */
    uint64_t left_out;       /* number of acts left out because the body was removed */
    char first_left_out[80]; /* the first of them: act, body, tick */
    /* what the acts of the last tick did */
    bool pushed;  /* changed velocities or gravity */
    bool changed; /* made or removed bodies */
    bool forced;  /* applied forces, which last until the next tick */
    bool *absent; /* of each force: its body was removed; stb_ds array */
} acts;

/* All memory that acts need beside that of the world. @param name of the scene. */
acts acts_make(const char *name, const scene *scene);
/* What was due before the world's tick is left out. @return 0, or an exit code after a message, as
 * acts_run. */
int acts_begin(acts *acts, kugel_world *world);
/* true: something acts on the state after `tick` steps, or the forces of the last tick end. */
bool acts_are_due(const acts *acts, uint64_t tick);
/* Act on the state after `tick` steps. @param pushes_only only impulses and forces. */
int acts_run(acts *acts, uint64_t tick, bool pushes_only);
/* Say how many bodies emitters could not place, and how many acts were left out because the body
 * was removed. */
void acts_report(const acts *acts);
void acts_end(acts *acts);

/* emitters.c */

/* Make bodies of its least and its largest radius in an empty world with the scene's settings: what
 * that refuses would end the run at a later tick. */
kugel_status emitter_try(const emitter *emitter, const scene *scene, kugel_world *empty);
/* Make the bodies of an emitter for this tick; blocked receives how many had no free place. */
kugel_status emitter_run(const emitter *emitter, const scene *scene, kugel_world *world,
                         uint64_t tick, uint64_t *blocked);
/* Remove the dynamic bodies in the drains that are due. `any` is set when there were some. */
bool drains_are_due(const scene *scene, uint64_t tick);
kugel_status drains_run(const scene *scene, kugel_world *world, uint64_t tick, bool *any);

#endif
