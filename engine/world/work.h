/* The state on its way through a step, by slot. The step reads the bodies' columns once, works
 * here, and writes back when nothing can fail any more: an error on the way leaves the world as it
 * was.
 *
 * A body is one cache line: the impact stage touches bodies in no order, and a line is what memory
 * hands out. Position and velocity are those of the body's own clock and of its own frame: a frame
 * falls with the body's acceleration a from the start of the substep, so that
 *     place(t) = x + v (t - clock) + a t^2 / 2,   speed(t) = v + a t,   t in [0, h] of the substep.
 * Two bodies with the same acceleration move in straight lines relative to each other. */
#ifndef KG_WORLD_WORK_H
#define KG_WORLD_WORK_H

#include "base/constants.h"
#include "base/memory.h"
#include "world/boundary.h"
#include "world/contact_set.h"

typedef struct kg_motion { /* two vectors of four: impact/neighbour_filter.c reads it so */
    double x[3];           /* m, at `clock`, in the frame */
    double clock;          /* s, since the start of the substep */
    double v[3];           /* m/s, in the frame */
    double radius;         /* m */
} kg_motion;

enum {
    KG_FRAME_INERTIAL = 0, /* a = 0: static, kinematic, or held by a resting contact */
    KG_FRAME_GRAVITY = 1,  /* a = the world's gravity */
    KG_FRAME_PER_BODY = 2, /* a = work.acceleration[slot], as from here on: its own */
    KG_FRAME_SLIDING = 3   /* what boundaries that it slides or rolls along leave of it
                              (resting/slide.c); and its spin is w + angular_acceleration t */
};

typedef struct kg_work {
    kg_motion *motion;
    double *w[3];
    float *q[4];
    uint8_t *frame; /* of this substep */
    double (
        *acceleration)[3]; /* m/s^2; room only when some body needs its own, or may fall asleep */
    float (*angular_acceleration)[3]; /* rad/s^2; room only where somebody slides */
    uint8_t *sleep_state;             /* see world/sleep_state.h */
    bool any_woken;                   /* some body is marked KG_WOKEN */
    bool groups_outdated;     /* bodies woke up: their contacts belong into the solver's groups */
    uint32_t *motion_version; /* changes with every change of motion: predictions carry it */
    uint32_t *impact_count;   /* of the body in this substep that count against its budget */
    kg_boundary_set *resting_boundaries; /* boundaries that the body rests on */
    uint32_t *contact_count;             /* resting contacts of the body */
    kg_contact_set contacts;             /* the world's own, lent for the step */
    uint32_t initial_contact_count;      /* how many there were */
    kg_contact_set
        contacts_backup; /* a copy of those, where they are put in order within the step */
    bool holds_contacts, has_backup;
    uint64_t budgets_exhausted;
    uint32_t
        row_capacity; /* there is room for; those behind the bodies are the impact stage's copies */
    uint32_t ghost_rows;                  /* rows wanted for these */
    double gravity[3], gravity_magnitude; /* m/s^2; its length */
    bool any_inert;       /* some body sleeps or has no mass, at the start of the tick */
    bool has_body_forces; /* bodies may have an acceleration of their own: by forces, or a gravity
                             scale */
    bool any_sleep_candidate; /* some body has been slow for long enough to sleep, after a tick */
    bool out_of_range;        /* some place or speed, after an advance */
    bool frame_is_shared;     /* no body has its own frame, and all have the same, while impacts are
                                 handled */
    bool all_lossless;    /* and no impact costs any energy or does anything but turn velocities */
    int32_t substeps;     /* of this tick */
    double substep_ratio; /* by which they are longer than those that the world is asked for */
    double rest_speed;    /* m/s; resting pairs that approach slower do not collide, see
                             kg_work_rest_speed */
    double nominal_substep_rate; /* 1/s; of those that the world is asked for */
    double exhausted_rest_speed; /* m/s; where a body has used up its budget of impacts these do
                                    not, either */
    kg_column columns[17];
} kg_work;

/* Rows for n bodies; what they held is lost. */
bool kg_work_reserve(kg_memory *memory, kg_work *work, size_t n, bool own_acceleration);
/* Rows of accelerations, as many as there are of the others. */
bool kg_work_reserve_accelerations(kg_memory *memory, kg_work *work);
/* And of what turns those that slide. */
bool kg_work_reserve_sliding(kg_memory *memory, kg_work *work);
void kg_work_free(kg_memory *memory, kg_work *work);
/* The contacts are lent for a step, which adds to them and marks those that end. Where it does more
 * they are copied before: false when out of memory. They go back as they are, or, from a step that
 * failed, as they were. */
void kg_work_take_contacts(kg_work *work, kg_contact_set *contacts);
bool kg_work_back_up_contacts(kg_memory *memory, kg_work *work);
void kg_work_return_contacts(kg_work *work, kg_contact_set *contacts, bool failed);

/* Resting pairs that approach slower than this do not collide, m/s; `radius` of the smaller, m. */
static inline double kg_work_rest_speed(const kg_work *work, double radius)
{
    double press = KG_REST_PENETRATION * radius * work->nominal_substep_rate;
    return press < work->rest_speed ? press : work->rest_speed;
}

static inline void kg_work_frame_acceleration(const kg_work *work, uint32_t slot, uint8_t frame,
                                              double a[3])
{
    const double *from = frame == KG_FRAME_GRAVITY ? work->gravity : NULL;
    if (frame >= KG_FRAME_PER_BODY) from = work->acceleration[slot];
    for (int k = 0; k < 3; ++k) a[k] = from ? from[k] : 0;
}

/* The acceleration of the body's frame in this substep. */
static inline void kg_work_acceleration(const kg_work *work, uint32_t slot, double a[3])
{
    kg_work_frame_acceleration(work, slot, work->frame[slot], a);
}

/* Does the body rest on boundaries, and on nothing else? */
static inline bool kg_work_rests_on_boundaries(const kg_work *work, uint32_t slot)
{
    uint32_t boundaries = kg_boundary_set_count(work->resting_boundaries[slot]);
    return boundaries && work->contact_count[slot] == boundaries;
}
/* The body's spin at t of the substep, rad/s. */
static inline void kg_work_spin_at(const kg_work *work, uint32_t slot, double t, double spin[3])
{
    bool slides = work->frame[slot] == KG_FRAME_SLIDING;
    for (int k = 0; k < 3; ++k)
        spin[k] = work->w[k][slot] + (slides ? (double)work->angular_acceleration[slot][k] * t : 0);
}

/* Velocity in the resting world frame at t of the substep, m/s. */
static inline void kg_work_velocity_at(const kg_work *work, uint32_t slot, double t, double v[3])
{
    double a[3];
    kg_work_acceleration(work, slot, a);
    for (int k = 0; k < 3; ++k) v[k] = work->motion[slot].v[k] + a[k] * t;
}

/* Keep place and velocity of a body with clock t that got another frame; `was` is the acceleration
 * of the old one, m/s^2. */
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

/* Place in the resting world frame at t of the substep. */
static inline void kg_work_position_at(const kg_work *work, uint32_t slot, double t,
                                       double place[3])
{
    const kg_motion *m = &work->motion[slot];
    double a[3], dt = t - m->clock;
    kg_work_acceleration(work, slot, a);
    for (int k = 0; k < 3; ++k) place[k] = m->x[k] + m->v[k] * dt + 0.5 * a[k] * t * t;
}

#endif
