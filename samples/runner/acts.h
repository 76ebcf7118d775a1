/* Acts of a scene on its world during the run: servos, gravity changes, motions, drains, emitters,
 * thermostats, impulses and forces. Acts are public calls, so recordings repeat them. Acts of tick
 * k change the state after k steps, kind by kind in the order above, then by index. They depend
 * only on the scene, the tick and the state, so a restarted run repeats them. */
#ifndef RUNNER_ACTS_H
#define RUNNER_ACTS_H

#include "scene.h"
#include "schedule.h"

typedef struct acts {
    const char *name; /* the scene's name, in messages */
    const scene *scene;
    kugel_world *world;
    uint64_t first_tick; /* at which the run begins: servos have acted there */
    schedule gravities, motions, stops, impulses;
    motion_stop *stop_items; /* stb_ds array */
    uint64_t *blocked;       /* by emitter: number of bodies without a free place; stb_ds array */
    uint64_t left_out;       /* number of acts left out because the body was removed */
    char first_left_out[80]; /* the first of them: act, body, tick */
    /* about the last acts_run */
    bool pushed;  /* true: velocities or gravity changed */
    bool changed; /* true: emitters or drains acted, so bodies may be new or removed */
    bool forced;  /* true: forces were applied, which last one tick */
    bool *absent; /* by force: true if its body was removed; stb_ds array */
    /* NULL, or a function that is true if the run is to end; emitters stop then */
    bool (*ends)(void);
    bool cut; /* true: an emitter stopped, so that the acts of the tick are not complete */
} acts;

/* Allocates all memory of the acts. @param name of the scene, in messages. */
acts acts_make(const char *name, const scene *scene);
/* Print a note on acts and beams that are due only after the run's last tick. An act of tick k acts
 * before step k + 1. */
void acts_note_late(const acts *acts);
/* Start at the world's tick, without the acts of earlier ticks, and check all acts.
 * @return 0, or an exit code after a message. */
int acts_begin(acts *acts, kugel_world *world);
/* true: an act is due at `tick`, or forces of the last tick end there. */
bool acts_are_due(const acts *acts, uint64_t tick);
/* Run the acts that are due at `tick`, up to an emitter that stops (`ends`). @return 0, or an exit
 * code after a message. */
int acts_run(acts *acts, uint64_t tick);
/* Let the servos act that act between the world's last step and the next one. Part of acts_run.
 * @param driven the world, or a clone of it. @return as acts_run. */
int acts_drive(const acts *acts, kugel_world *driven);
/* Print how many bodies emitters could not place, and how many acts were left out because their
 * bodies were removed. */
void acts_report(const acts *acts);
void acts_end(acts *acts);

/* emitters.c */

/* Check an emitter before the run: create a body of its smallest and one of its largest radius, at
 * its highest speed, in an empty world with the scene's settings. @return the error that would end
 * the run later. */
kugel_status emitter_try(const emitter *emitter, const scene *scene, kugel_world *empty);
/* Make the bodies of emitter `index` for this tick, and count those that had no free place. */
kugel_status emitter_run(acts *acts, size_t index, uint64_t tick);
bool drains_are_due(const scene *scene, uint64_t tick);
/* Remove the dynamic bodies in drains that are due; sets `any` if there are such bodies. */
kugel_status drains_run(const scene *scene, kugel_world *world, uint64_t tick, bool *any);

#endif
