/* Random scenes of ordinary use, and the properties that each of their ticks must have. One class
 * and seed give one scene. In: class and seed. Out: the first fault of each kind. A scene that
 * fails is shrunk to a smaller one with the same kind of fault (support_trial_shrink.c). */
#ifndef SUPPORT_TRIAL_H
#define SUPPORT_TRIAL_H

#include "support/support_scene.h"
#include "world/stopwatch.h"

typedef enum support_trial_class {
    SUPPORT_TRIAL_USUAL,    /* ticks of 1/240 to 1/20 s, no overlap at the start */
    SUPPORT_TRIAL_LONG,     /* ticks of 0.5 to 10 s, no overlap at the start */
    SUPPORT_TRIAL_VARYING,  /* ticks that change in length, no overlap at the start */
    SUPPORT_TRIAL_OVERLAPS, /* bodies created in overlap: one place, dense lattices, at random */
    SUPPORT_TRIAL_CLASSES
} support_trial_class;

typedef struct support_trial {
    support_trial_class class;
    support_scene scene;
    double *ticks; /* lengths, s */
    uint32_t tick_count;
} support_trial;

typedef enum support_fault_kind {
    SUPPORT_FAULT_STEP,   /* a step returns an error */
    SUPPORT_FAULT_FINITE, /* a position, velocity or spin is not finite */
    SUPPORT_FAULT_WALL,   /* a dynamic body's centre is outside a closed face or below a plane */
    SUPPORT_FAULT_ENERGY, /* energy rose above its bound, see support_trial_energy.c */
    SUPPORT_FAULT_DEEP,   /* an overlap is deeper than SUPPORT_TRIAL_DEEP */
    SUPPORT_FAULT_KINDS
} support_fault_kind;

/* Largest overlap in scenes of usual ticks with a bounce threshold, the default number of substeps
 * or at least 4, and without kinematic bodies, in radii of the smaller body: twice the 4 % of radii
 * of 1 : 2 that land (tools/docs/limits.md). */
#define SUPPORT_TRIAL_DEEP 0.08
/* Share of the energy scale by which energy may exceed its bound. */
#define SUPPORT_TRIAL_ENERGY 1e-4

typedef struct support_fault {
    bool found;
    uint32_t tick; /* its number, from 0 */
    uint32_t body; /* id; unused for energy */
    double value;  /* m outside; share of the energy scale above the bound; radii of overlap */
} support_fault;

typedef struct support_faults {
    support_fault first[SUPPORT_FAULT_KINDS];
    double gain; /* largest rise of energy above its bound, share of the scale */
    double deep; /* largest overlap after the start, radii */
} support_faults;

support_trial support_trial_make(support_trial_class class, uint64_t seed);
support_trial support_trial_copy(const support_trial *trial);
void support_trial_free(support_trial *trial);

/* Run the trial and find its faults. It ends at an error, an infinite value or an escape. */
support_faults support_trial_run(const support_trial *trial);
/* "wall", "energy" ... */
const char *support_fault_name(support_fault_kind kind);

/* Remove bodies, planes and ticks and simplify settings while the trial still has a fault of this
 * kind. */
void support_trial_shrink(support_trial *trial, support_fault_kind kind);
/* Print the trial as a scene of kugel-run, and what such a scene lacks as comments. */
void support_trial_print(const support_trial *trial);

/* Energy of a world and its bound. */
typedef struct support_energy {
    double scale;        /* J; 0 where energy is not checked */
    double least;        /* J, the bound: the least of energy - lifted so far */
    double up[3];        /* unit, against gravity; 0 without gravity */
    double g;            /* m/s^2 */
    double fall;         /* m/s, what gravity adds in the longest substep so far */
    double lift, lifted; /* J, work of moves without a velocity: in this tick, in those before */
    /* of the clock, see support_trial_energy.c */
    const kugel_world *world;
    uint64_t readings, stages[KG_STAGES];
    double before, after; /* J, potential energy at the last two readings */
    double end, next_end; /* J, that at the substep's end, as seen then */
    uint32_t advances;
    int32_t refinement;
    bool restarts; /* the stage of the last reading ended a try of the tick */
} support_energy;
support_energy support_energy_start(const support_scene *scene);
/* The clock for the world's def; then set energy->world. */
kugel_clock support_energy_clock(support_energy *energy);
/* `states`: the world's bodies in id order; dt of the last tick, s. @return the share of the scale
 * by which the energy exceeds the bound, negative below it. Then updates the bound. */
double support_energy_rise(support_energy *energy, const support_scene *scene,
                           const kugel_world *world, const kugel_body_state *states, double dt);

#endif
