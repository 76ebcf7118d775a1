/* Trials: random scenes of ordinary use, and properties that must hold in each tick. In: class and
 * seed, which determine the scene. Out: the first fault of each kind. A failing scene can be shrunk
 * to a smaller one with the same kind of fault (support_trial_shrink.c). */
#ifndef SUPPORT_TRIAL_H
#define SUPPORT_TRIAL_H

#include "support/support_scene.h"
#include "world/stopwatch.h"

typedef enum support_trial_class {
    SUPPORT_TRIAL_USUAL,    /* ticks of 1/240 to 1/20 s, no overlap at the start */
    SUPPORT_TRIAL_LONG,     /* ticks of 0.5 to 10 s, no overlap at the start */
    SUPPORT_TRIAL_VARYING,  /* ticks that change in length, no overlap at the start */
    SUPPORT_TRIAL_OVERLAPS, /* bodies created in overlap: one place, dense lattices, at random */
    SUPPORT_TRIAL_MIXED,    /* usual ticks until piles settle; then every other one of 1e-30 s to
                             * 1e3 s; no overlap at the start */
    SUPPORT_TRIAL_SHAPES    /* usual ticks, the defaults, solid shapes or periodic faces, no overlap
                             * at the start */
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

/* Maximum overlap in radii of the smaller body. Checked in scenes of usual ticks, with a bounce
 * threshold, with default substeps or at least 4, and without kinematic bodies. It is twice the 4 %
 * that landing bodies with radii of 1 : 2 reach (tools/docs/limits.md). */
#define SUPPORT_TRIAL_DEEP 0.08
/* Share of the energy scale by which energy may exceed its bound. */
#define SUPPORT_TRIAL_ENERGY 1e-4

typedef struct support_fault {
    bool found;
    uint32_t tick; /* its number, from 0 */
    uint32_t body; /* id; unused for energy */
    double value;  /* wall: m outside; energy: share of the scale above the bound; deep: radii */
} support_fault;

typedef struct support_faults {
    support_fault first[SUPPORT_FAULT_KINDS];
    double gain; /* largest excess of energy over its bound, share of the scale */
    double deep; /* largest overlap after the start, radii of the smaller body */
} support_faults;

support_trial support_trial_make(support_trial_class class, uint64_t seed);
support_trial support_trial_copy(const support_trial *trial);
void support_trial_free(support_trial *trial);

/* Run the trial and find its faults. The run ends at an error, an infinite value or an escape. */
support_faults support_trial_run(const support_trial *trial);
/* "wall", "energy" ... */
const char *support_fault_name(support_fault_kind kind);

/* Remove bodies, planes and ticks and simplify settings while the trial still has a fault of this
 * kind. */
void support_trial_shrink(support_trial *trial, support_fault_kind kind);
/* Print the trial as a scene of kugel-run, and in extra lines what such a scene cannot say. */
void support_trial_print(const support_trial *trial);

/* Energy of a world and its bound. */
typedef struct support_energy {
    double scale;  /* J; 0: energy is not checked */
    double least;  /* J, the bound: minimum of energy - lifted so far */
    double up[3];  /* unit vector against gravity; 0 without gravity */
    double g;      /* m/s^2 */
    double fall;   /* m/s, velocity that gravity adds in the longest substep so far */
    double lift;   /* J, work of moves without velocity in this tick */
    double lifted; /* J, the same work in all earlier ticks */
    /* state of the clock, see support_trial_energy.c */
    const kugel_world *world;
    uint64_t readings, stages[KG_STAGES];
    double before, after; /* J, potential energy at the last two readings of the clock */
    double done;          /* J, `lift` of the places that have stepped in this tick */
    const double *rows;   /* the first row of the place that steps */
    uint64_t impacts;     /* time of impacts before it steps */
    double end, next_end; /* J, potential energy predicted there for the substep's end */
    uint32_t advances;    /* advance stages since the impacts */
    int32_t refinement;
    bool restarts; /* true: the last stage ended an attempt of the tick, which is repeated */
} support_energy;
support_energy support_energy_start(const support_scene *scene);
/* The clock for the world's def. Set energy->world when the world exists. */
kugel_clock support_energy_clock(support_energy *energy);
/* The excess of the energy over its bound, as a share of the scale; negative below the bound. Then
 * updates the bound. @param states the world's bodies by id. @param dt of the last tick, s. */
double support_energy_rise(support_energy *energy, const support_scene *scene,
                           const kugel_world *world, const kugel_body_state *states, double dt);

#endif
