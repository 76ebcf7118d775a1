/* Work area: the state of a step in progress, by slot. The step reads the bodies once, changes this
 * copy, and writes it back when no error can follow.
 * The motion of a body is one cache line, because the impact stage accesses bodies at random. It is
 * stored at the body's clock, in a falling frame: a frame with the body's acceleration a, at rest
 * at the start of the substep. For t in [0, h] in the world's frame
 *     position(t) = x + v (t - clock) + a t^2 / 2,   velocity(t) = v + a t.
 * So bodies of equal acceleration move on straight lines relative to each other. */
#ifndef KG_WORLD_WORK_H
#define KG_WORLD_WORK_H

#include "base/bytes.h"
#include "base/constants.h"
#include "base/memory.h"
#include "base/vec.h"
#include "world/boundary.h"
#include "world/contact_set.h"
#include "world/resting_features.h"

typedef struct kg_motion { /* two vectors of four doubles, as impact/neighbour_filter.c reads it */
    double x[3];           /* m, at `clock`, in the frame */
    double clock;          /* s, since the start of the substep */
    double v[3];           /* m/s, in the frame */
    double radius;         /* m */
} kg_motion;

/* Kinds of frames, by the acceleration a of the frame. */
enum {
    /* a = 0: immovable or asleep; or without acceleration; or the solver's velocity already
     * includes the acceleration of the substep, as in resting contact */
    KG_FRAME_INERTIAL = 0,
    KG_FRAME_GRAVITY = 1,  /* a = the world's gravity */
    KG_FRAME_PER_BODY = 2, /* a = work.acceleration[slot]; also for all higher values */
    /* the body rests on boundaries alone and accelerates along them (resting/slide.c); its spin at
     * t is w + angular_acceleration t */
    KG_FRAME_SLIDING = 3
};

/* Indices of columns, as in the table of work.c. */
enum {
    KG_WORK_ALWAYS = 14, /* number of first columns, which always have a row for each body */
    /* acceleration and angular_acceleration follow: they have rows when needed */
    KG_WORK_CROSSINGS = KG_WORK_ALWAYS + 2, /* has rows in a world with periodic faces */
    KG_WORK_STARTS = KG_WORK_CROSSINGS + 1, /* has rows in a world with surfaces */
    KG_WORK_COLUMNS = KG_WORK_STARTS + 1
};

/* Rows of the columns, in their order. */
extern const kg_column_row kg_work_rows[KG_WORK_COLUMNS];

/* Counters of a body's impacts in this substep (resting/resting.h). */
typedef struct kg_impact_load {
    uint32_t impacts;  /* impacts that count against the budget */
    uint32_t crowding; /* crowded impacts less other lossy ones, at least 0 */
} kg_impact_load;

/* Growth of the radii in the tick (world/growth.h). */
typedef struct kg_growth {
    double rate;  /* 1/s, of the radii at the tick's end; 0: none */
    double until; /* s, the tick's end, from the substep's start */
} kg_growth;

/* Counters of the impacts of all bodies. A copy of the struct undoes counted impacts. */
typedef struct kg_impact_tally {
    uint64_t budgets_exhausted; /* times that a body exceeded its budget in this step */
    /* in this substep: */
    bool any_squeezed; /* a body reached KG_CROWDED_SQUEEZED, or a much heavier one pushes it far */
    bool any_pressed;  /* the approach of a crowded body would go far in the substep */
} kg_impact_tally;

typedef struct kg_work {
    /* by slot; the rows behind those of the bodies are ghosts of the impact stage */
    kg_motion *motion; /* with one more row, of a body that never moves */
    double *w[3];      /* rad/s */
    double *q[4];      /* unit quaternion x, y, z, w */
    uint8_t *frame;    /* KG_FRAME_..., of this substep */
    uint32_t *sleep_state;
    /* increases with each change of the motion; an event of an older version is stale */
    uint32_t *motion_version;
    kg_impact_load *impact_load;
    uint32_t *contact_count;             /* resting contacts of the body */
    kg_boundary_set *resting_boundaries; /* faces on which the body rests */
    double (*acceleration)[3];           /* m/s^2, of frames KG_FRAME_PER_BODY and above */
    float (*angular_acceleration)[3];    /* rad/s^2, of frames KG_FRAME_SLIDING */
    /* crossings of the max face less those of the min face of each axis in this tick */
    int32_t (*crossings)[3];
    /* position, m, at the start of the substep or after the last crossing of a periodic face in it,
     * and the time of that, s in the substep */
    double (*start)[4];
    uint32_t row_capacity;
    uint32_t ghost_rows; /* rows for ghosts that the impact stage needs */

    kg_resting_features resting_features; /* features of surfaces on which bodies rest */

    /* resting contacts, moved here from the world for the step */
    kg_contact_set contacts;
    kg_contact_set contacts_backup; /* the contacts at the start of the tick, if has_backup */
    uint32_t initial_contact_count; /* contacts at the start of the tick */
    bool holds_contacts;            /* true while the contacts are here */
    bool has_backup;

    /* constants of the tick */
    double gravity[3], gravity_magnitude; /* m/s^2 */
    /* m, of awake dynamic bodies that are not sensors, and of those that the tick wakes; infinity:
     * none */
    double smallest_moving_radius;
    /* m, of the bodies that this tick has woken so far, also before it was repeated; infinity:
     * none. If one is smaller than smallest_moving_radius, the tick is repeated */
    double woken_radius;
    int32_t substeps;
    bool substeps_limited; /* true when KG_SUBSTEPS_MAX limits the number of substeps */
    double substep_length; /* s */
    double substep_ratio;  /* length of a substep over that with the nominal number of substeps */

    kg_growth growth;

    /* constants of the substep; see resting/resting.h */
    double substep_rate; /* 1/s, 1 / length */
    double fall_speed;   /* m/s, twice what gravity adds in the substep */

    /* flags; each is true when its comment holds */
    bool has_crossings; /* some row of crossings may differ from 0, even after a failed step */
    /* some body is marked KG_WOKEN, or a kinematic body or moving surface may wake others */
    bool any_woken;
    bool any_mover;       /* some kinematic body moves, at the start of the tick */
    bool any_driven;      /* some body is driven at the tick's start (world/sleep_state.h) */
    bool groups_outdated; /* the solver's groups lack contacts of bodies that woke */
    bool woken_unseen;    /* bodies that woke have not looked for bodies aside yet */
    bool any_inert;       /* some body sleeps or has mass 0, at the start of the tick */
    bool any_locks;       /* some body has locked axes */
    bool has_own_damping; /* some body has damping besides that of the world */
    /* some body has a force, a torque, a gravity scale other than 1, or a lock along gravity */
    bool has_own_accelerations;
    bool any_sleep_candidate; /* some body has been slow for long enough to sleep */
    bool any_outside;         /* some body may have left the box or the range in an advance */
    bool out_of_range; /* some position, velocity or spin left the range in an advance or solve */
    bool frame_is_shared; /* in impacts all bodies have the same frame, inertial or gravity */
    bool all_lossless;    /* frame_is_shared holds and no impact loses energy */

    kg_impact_tally tally;
    int32_t refinement;       /* factor of substeps: above 1 while a crowded tick is repeated */
    bool subdomains_disabled; /* true while a tick is repeated without subdomains */
    kg_column columns[KG_WORK_COLUMNS];
} kg_work;

/* Statuses inside a step, besides the public ones. Each of them reverts the tick. */
/* Run the tick again, without subdomains or with more substeps (kg_step_try in step.c). */
#define KG_STEP_RETRY ((kugel_status)-1)
/* The tick has more events than def.step_event_limit: the step fails with KUGEL_ERROR_LIMIT. */
#define KG_STEP_EVENT_LIMIT ((kugel_status)-2)
/* An impact or a new contact needs bodies that a subdomain or a rank lacks: the tick runs again,
 * without subdomains or with all bodies on all ranks. */
#define KG_STEP_INEXACT ((kugel_status)-3)
/* More pairs of bodies overlap deeply than kg_grid_pair_limit: the step fails with
 * KUGEL_ERROR_LIMIT. */
#define KG_STEP_PAIR_LIMIT ((kugel_status)-4)

/* Reserve n rows of the columns that always have rows and, if `own_acceleration`, of acceleration.
 * Contents are lost. This and the next functions return false when out of memory. */
bool kg_work_reserve(kg_memory *memory, kg_work *work, size_t n, bool own_acceleration);
/* Reserve acceleration and angular_acceleration for all rows. */
bool kg_work_reserve_sliding(kg_memory *memory, kg_work *work);
/* Reserve n rows of crossings, all 0. */
bool kg_work_reserve_crossings(kg_memory *memory, kg_work *work, size_t n);
/* Reserve n rows of `start`. */
bool kg_work_reserve_starts(kg_memory *memory, kg_work *work, size_t n);
/* Copy the rows [from, to) of the columns that work area and bodies have alike (common_columns of
 * work.c) from the bodies, and back to them; from < to. */
void kg_work_read_common(kg_work *work, const kg_bodies *bodies, uint32_t from, uint32_t to);
void kg_work_write_common(const kg_work *work, kg_bodies *bodies, uint32_t from, uint32_t to);
/* Between steps: lend the memory of the motions as scratch memory of at least `words` words of 64
 * bits. NULL when out of memory. */
uint64_t *kg_work_lend(kg_memory *memory, kg_work *work, size_t words);
/* Free the rows, between steps. */
void kg_work_free_rows(kg_memory *memory, kg_work *work);
void kg_work_free(kg_memory *memory, kg_work *work);
/* Move the world's contacts here at the start of a step. The step may then append contacts and mark
 * those that end. */
void kg_work_take_contacts(kg_work *work, kg_contact_set *contacts);
/* Make a backup, unless there is one. Required before the step changes the order or the impulses of
 * contacts. False when out of memory. */
bool kg_work_back_up_contacts(kg_memory *memory, kg_work *work);
/* Move the contacts back to the world. After a failed step they are as they were before it. */
void kg_work_return_contacts(kg_work *work, kg_contact_set *contacts, bool failed);

/* Acceleration of the body's frame in this substep, m/s^2. */
static inline void kg_work_acceleration(const kg_work *work, uint32_t slot, double a[3])
{
    uint8_t frame = work->frame[slot];
    const double *from = frame == KG_FRAME_GRAVITY ? work->gravity : NULL;
    if (frame >= KG_FRAME_PER_BODY) from = work->acceleration[slot];
    for (int k = 0; k < 3; ++k) a[k] = from ? from[k] : 0;
}

/* Count a crossing of a periodic face: +1 at max, -1 at min. Tasks may count different bodies. */
static inline void kg_work_count_crossing(kg_work *work, uint32_t slot, int axis, int32_t way)
{
    work->crossings[slot][axis] += way;
}

/* Set where the path of a body starts in this image, `x` in m at time t (s in the substep). */
static inline void kg_path_start_set(kg_work *work, uint32_t slot, const double x[3], double t)
{
    for (int k = 0; k < 3; ++k) work->start[slot][k] = x[k];
    work->start[slot][3] = t;
}

/* True if the body has a resting contact with the boundary. */
static inline bool kg_work_rests_on(const kg_work *work, uint32_t slot, kg_boundary k)
{
    return kg_boundary_is_feature(k)
               ? kg_resting_features_find(&work->resting_features, slot, k) != NULL
               : kg_boundary_set_has(work->resting_boundaries[slot], k);
}

/* Add a boundary on which a body rests; `moves`: the boundary moves. False when out of memory. */
static inline bool kg_work_add_resting(kg_memory *memory, kg_work *work, uint32_t slot,
                                       kg_boundary k, bool moves)
{
    if (kg_boundary_is_feature(k))
        return kg_resting_features_add(memory, &work->resting_features, slot, k, moves);
    work->resting_boundaries[slot] |= kg_boundary_set_of(k);
    return true;
}

/* Remove a boundary on which a body rests. */
static inline void kg_work_remove_resting(kg_work *work, uint32_t slot, kg_boundary k)
{
    if (kg_boundary_is_feature(k)) kg_resting_features_remove(&work->resting_features, slot, k);
    else work->resting_boundaries[slot] &= ~kg_boundary_set_of(k);
}

/* Number of boundaries on which the body rests. */
static inline uint32_t kg_work_count_resting(const kg_work *work, uint32_t slot)
{
    return kg_count_bits(work->resting_boundaries[slot]) +
           kg_resting_features_count(&work->resting_features, slot);
}
/* Iterates over the boundaries on which the body rests. */
static inline kg_resting_iterator kg_work_resting(const kg_work *work, uint32_t slot)
{
    return kg_resting_iterator_begin(work->resting_boundaries[slot], &work->resting_features, slot);
}

/* True if the body rests on boundaries alone, and none of them moves. */
static inline bool kg_work_rests_on_boundaries(const kg_work *work, uint32_t slot)
{
    uint32_t boundaries = kg_work_count_resting(work, slot);
    return boundaries && work->contact_count[slot] == boundaries &&
           !kg_resting_features_any_moves(&work->resting_features, slot);
}

/* Spin at time t (s) in the substep, rad/s. */
static inline void kg_work_spin_at(const kg_work *work, uint32_t slot, double t, double spin[3])
{
    bool slides = work->frame[slot] == KG_FRAME_SLIDING;
    for (int k = 0; k < 3; ++k)
        spin[k] = work->w[k][slot] + (slides ? (double)work->angular_acceleration[slot][k] * t : 0);
}

/* Velocity in the world's frame at time t (s) in the substep, m/s. */
static inline void kg_work_velocity_at(const kg_work *work, uint32_t slot, double t, double v[3])
{
    double a[3];
    kg_work_acceleration(work, slot, a);
    for (int k = 0; k < 3; ++k) v[k] = work->motion[slot].v[k] + a[k] * t;
}

/* After a change of a body's frame: adapt its motion, with clock t, so that position and velocity
 * in the world stay the same. `was`: acceleration of the former frame, m/s^2. */
static inline void kg_work_change_frame(kg_work *work, uint32_t slot, const double was[3], double t)
{
    kg_motion *m = &work->motion[slot];
    double a[3];
    kg_work_acceleration(work, slot, a);
    for (int k = 0; k < 3; ++k) {
        m->x[k] += 0.5 * (was[k] - a[k]) * t * t;
        m->v[k] += (was[k] - a[k]) * t;
    }
    work->frame_is_shared = false;
}

/* Position in the world's frame at time t (s) in the substep, m. */
static inline void kg_work_position_at(const kg_work *work, uint32_t slot, double t,
                                       double place[3])
{
    const kg_motion *m = &work->motion[slot];
    double a[3], dt = t - m->clock;
    kg_work_acceleration(work, slot, a);
    for (int k = 0; k < 3; ++k) place[k] = m->x[k] + m->v[k] * dt + 0.5 * a[k] * t * t;
}

static inline bool kg_is_in_range(double x) { return kg_abs(x) <= KG_VALUE_LIMIT; }

/* True if velocity and spin of a body are within +-KG_VALUE_LIMIT; NaN is not. */
static inline bool kg_work_speeds_are_in_range(const kg_work *work, uint32_t slot)
{
    bool fits = true;
    for (int k = 0; k < 3; ++k) {
        fits &= kg_is_in_range(work->motion[slot].v[k]);
        fits &= kg_is_in_range(work->w[k][slot]);
    }
    return fits;
}

#endif
