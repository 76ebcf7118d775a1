/* The resting-contact stage, at the start of a substep: which pairs rest, and the impulses that
 * hold them. Sequential impulses (Catto 2005) with accumulated, warm-started normal and friction
 * impulses; a gap inside the slop may close at most within the substep (speculative constraint);
 * penetration is taken back by moving bodies, never by velocity, so that it cannot add energy that
 * stays.
 *
 * Contacts are solved in groups of eight that share no moving body, calculated as lanes of vectors
 * in float; the state stays double and takes over the difference that the solve made. Both bodies
 * of a contact feel the same impulse. Through a tick the impulses live in the groups, and go back
 * to the contacts at its end. */
#ifndef KG_CONTACT_CONTACT_H
#define KG_CONTACT_CONTACT_H

#include "grid/neighbours.h"
#include "resting/resting.h"
#include "world/sleep_state.h"

enum { KG_LANES = 8 };

/* Eight contacts that share no moving body: six cache lines, of which a sweep writes three. An
 * empty lane touches, twice what never moves. What follows from the bodies alone is not kept: large
 * piles wait for these bytes. */
typedef struct kg_contact_group {
    uint32_t a[KG_LANES], b[KG_LANES]; /* slots; the body count stands for what never moves */
    float normal[3][KG_LANES];         /* unit, a to b or into the boundary */
    float gap[KG_LANES];               /* m, below 0: penetration */
    float friction[KG_LANES];
    float impulse[KG_LANES];             /* N s, along the normal */
    float friction_impulse[3][KG_LANES]; /* N s, friction */
    float torsional_impulse[KG_LANES];   /* N m s, friction about the normal, of this substep */
} kg_contact_group;

/* What rolling resistance adds to a group; kept only while some surface has it. */
typedef struct kg_contact_rolling {
    float rolling_arm[KG_LANES]; /* m, coefficient times effective radius */
    float inertia[KG_LANES];     /* kg m^2, effective about any axis */
    float impulse[3][KG_LANES];  /* N m s */
} kg_contact_rolling;

/* Which contacts a group holds. */
typedef struct kg_contact_group_info {
    double mass_ratio; /* largest of two of its bodies in contact */
    uint32_t first;    /* in stage->order */
    uint8_t count;
    uint8_t boundary;                 /* bit k: lane k is a face or plane */
    uint8_t asleep;                   /* bit k: the bodies of lane k sleep */
    uint8_t ended;                    /* bit k: the contact of lane k opened in this tick */
    uint8_t immovable_a, immovable_b; /* bit k: the body of lane k cannot be moved */
    bool has_friction;                /* some lane has friction */
    uint8_t may_be_open;              /* bit k: the gap of lane k may exceed the slop */
    uint8_t other[KG_LANES];          /* of the contacts */
} kg_contact_group_info;

/* A body while its contacts are solved, by slot. */
typedef struct kg_solver_body {
    float v[4]; /* m/s; the last: inverse mass, 1/kg */
    float u[4]; /* m/s, spin times radius; the last: inverse radius, 1/m */
} kg_solver_body;

/* What the solve leaves for a body besides its velocities, by slot: how far it is pushed. */
typedef struct kg_position_correction {
    float x[4]; /* m; the last: inverse mass, 1/kg */
} kg_position_correction;

/* Some groups, of whole blocks. Those of one colour share no body that can be moved. */
typedef struct kg_task_range {
    uint32_t first;         /* group */
    uint32_t groups_before; /* groups with contacts before it: where task ranges end is no matter of
                               which are empty */
    float speed_change;     /* m/s, the largest of a closing speed in a sweep */
    float energy_gain;      /* J, what the warm start adds to the kinetic energy */
} kg_task_range;

/* The contacts of one block, in the order. */
typedef struct kg_contact_block {
    uint64_t key;
    uint32_t first;       /* in the order */
    uint32_t first_group; /* its first; behind its last some may be empty */
    uint32_t used_groups; /* groups that are not */
} kg_contact_block;

/* 27 of blocks; the last: contacts whose bodies are farther apart than neighbouring blocks. */
enum { KG_COLOUR_UNBLOCKED = 27, KG_COLOURS = 28 };

typedef struct kg_contact_stage {
    kg_contact_group *groups;
    kg_contact_rolling *rolling; /* NULL: no surface resists rolling */
    kg_contact_group_info *group_info;
    uint32_t *order; /* contacts, as items of the set, in the order of their lanes, and what begins
                        there */
    uint32_t group_count;
    kg_task_range *task_ranges;
    uint32_t task_range_count, colour_count;
    uint32_t colour_first_range[KG_COLOURS +
                                1]; /* first task range of each colour that there is, and the end */
    uint32_t ranged_group_count; /* groups in task ranges; those that came since are taken one after
                                    the other */
    bool parallel;               /* task ranges may run at once */
    kg_lattice lattice;          /* of the blocks */
    int32_t block_min[3];        /* block coordinates of bodies in contact */
    int block_bits[3];           /* of the coordinates above block_min */
    int32_t (
        *body_block)[3]; /* by slot: the block that the body lay in when contacts were arranged */
    kg_contact_block *blocks;
    uint32_t block_count;
    bool order_reused; /* this tick's order is, for the most part, that of the tick before */
    bool any_block_changed, any_block_without_key; /* since then: some body went to another block;
                                                      to one that has no key */
    bool all_in_groups; /* nobody slept when contacts were arranged: all are in groups */
    uint32_t previous_count, begun_count; /* contacts that were arranged in the tick before, and
                                             that began in it: behind the others in the order */
    uint32_t ordered_count;               /* contacts that are in the order */
    bool any_ended;                       /* some contact has */
    uint32_t sinking_count; /* contacts that were deep when they were measured, and became deeper
                               (KG_DEEP_PENETRATION) */
    kg_solver_body *bodies; /* one more than there are bodies: what never moves */
    kg_position_correction *corrections;
    uint8_t *supported;          /* by slot: 1 when some contact pushes the body */
    uint8_t *begins_contact;     /* by slot, before that and in its place: 1 when the body begins to
                                    rest on something */
    bool any_on_boundaries_only; /* some body rests on boundaries alone (resting/slide.c) */
    bool masses_loaded;          /* bodies and shifts know the inverse masses and radii */
    double mass_ratio;           /* largest of two bodies in contact */
    double largest_radius, smallest_radius,
        smallest_solid_radius; /* radii, m; of what is no sensor */
    bool impulses_nominal; /* impulses in the groups are still those of the substeps that the world
                              is asked for */
    uint64_t awake_count, fast_count; /* bodies, at the start of a tick (substeps.c) */
    kg_column columns[10];
} kg_contact_stage;

enum {
    KG_CONTACT_COLUMN_GROUPS,
    KG_CONTACT_COLUMN_ROLLING,
    KG_CONTACT_COLUMN_GROUP_INFO,
    KG_CONTACT_COLUMN_BODIES,
    KG_CONTACT_COLUMN_CORRECTIONS,
    KG_CONTACT_COLUMN_SUPPORTED,
    KG_CONTACT_COLUMN_TASK_RANGES,
    KG_CONTACT_COLUMN_ORDER,
    KG_CONTACT_COLUMN_BODY_BLOCK,
    KG_CONTACT_COLUMN_BLOCKS
};

/* In the order: a group, block, colour begins. */
#define KG_ORDER_GROUP_START 0x80000000u
#define KG_ORDER_BLOCK_START 0x40000000u
#define KG_ORDER_COLOUR_START 0x20000000u
#define KG_ORDER_ITEM_MASK (KG_CONTACT_LIMIT - 1)
#define KG_ORDER_REMOVED UINT32_MAX /* the contact has ended */
static inline uint32_t kg_contact_item(const kg_contact_stage *stage,
                                       const kg_contact_group_info *info, int lane)
{
    return stage->order[info->first + (uint32_t)lane] & KG_ORDER_ITEM_MASK;
}

/* The impulses of a group times `share`. */
static inline void kg_contact_scale_impulses(kg_contact_stage *stage, uint32_t group, float share)
{
    kg_contact_group *g = &stage->groups[group];
    kg_contact_rolling *r = stage->rolling ? &stage->rolling[group] : NULL;
    for (int lane = 0; lane < KG_LANES; ++lane) g->impulse[lane] *= share;
    for (int k = 0; k < 3; ++k) {
        for (int lane = 0; lane < KG_LANES; ++lane) g->friction_impulse[k][lane] *= share;
        for (int lane = 0; lane < KG_LANES && r; ++lane) r->impulse[k][lane] *= share;
    }
}

/* The smaller radius of a contact, m; what never moves has none. */
static inline float kg_contact_smaller_radius(const kg_motion *motion, uint32_t a, uint32_t b)
{
    double radius = motion[a].radius, other = motion[b].radius;
    return (float)(other > 0 && other < radius ? other : radius);
}

/* task_ranges.c: what is done to groups [from, to); the task range is where a change may be noted.
 */
typedef void kg_contact_group_pass(void *context, uint32_t range, uint32_t from, uint32_t to);
/* Groups from `from` on, in any order, at once. */
void kg_contact_for_groups(kugel_world *world, uint32_t from, kg_contact_group_pass *pass,
                           void *context);
/* All groups in their order: colour by colour, task ranges of one colour at once. */
void kg_contact_for_groups_in_order(kugel_world *world, kg_contact_group_pass *pass, void *context);
/* The largest change that the task ranges have noted, m/s. */
float kg_contact_largest_speed_change(const kg_contact_stage *stage);
/* What all task ranges have gained, J: a sum in their order. */
double kg_contact_warm_start_gain(const kg_contact_stage *stage);
/* Group `group`, which so many with contacts precede, is about to be filled, with the contact of
 * this entry of the order first. */
void kg_contact_note_task_range(kg_contact_stage *stage, uint32_t group, uint32_t groups_before,
                                uint32_t entry);
bool kg_contact_reserve_task_ranges(kugel_world *world, size_t groups);

/* At the start of a tick: contacts in order, groups made; false when out of memory. */
bool kg_contact_stage_begin(kugel_world *world);
/* Find and end resting contacts, solve them; `start` is the substep's start in the tick, s. */
kugel_status kg_contact_stage_run(kugel_world *world, double h, double start);
/* substeps.c: how many substeps the tick takes. Contacts have impulses of a substep of which the
 * tick takes as many as the world is asked for; those in the groups become those of the tick's own
 * when they are measured first. */
void kg_contact_choose_substeps(kugel_world *world, double dt);
/* At the end of a tick: impulses back into the contacts, which are in order again; false when out
 * of memory. */
bool kg_contact_stage_finish(kugel_world *world);
void kg_contact_stage_free(kg_memory *memory, kg_contact_stage *stage);

/* contact_order.c: stage->order of all contacts, in groups; false when out of memory. */
bool kg_contact_order_build(kugel_world *world);
/* contact_order_reuse.c: the same, and their groups, from what the tick before has left; or
 * stage->order_reused says no; false when out of memory. */
bool kg_contact_order_reuse(kugel_world *world);
/* Contacts in the order of their keys, in place (Shell 1959). */
void kg_contact_sort_by_key(kg_contact *items, uint32_t count);
/* contact_groups.c: the order, from its covered part on, with those that follow in the set; false
 * when out of memory. */
bool kg_contact_groups_extend(kugel_world *world, bool is_ordered);
bool kg_contact_groups_reserve_order(kugel_world *world, size_t count);
/* Room for so many groups; those that there are stay. */
bool kg_contact_groups_reserve(kugel_world *world, size_t groups);
/* Groups [from, to) from the contacts that their spans name. */
void kg_contact_groups_fill(const kugel_world *world, uint32_t from, uint32_t to);
/* The mass ratio of the groups from `from` on, and of those before. */
void kg_contact_groups_note_mass_ratio(kg_contact_stage *stage, uint32_t from);
/* solver_bodies.c: room for stage->bodies, corrections, supported; false when out of memory. */
bool kg_solver_bodies_reserve(kugel_world *world);
/* measure.c: normals and gaps, as they are now, of the groups from `from` on; contacts whose gap
 * opened end. */
kugel_status kg_contact_measure(kugel_world *world, uint32_t from, double start);
/* Normal from a (to b or into the boundary) and gap, m, from places at the substep's start. */
double kg_contact_geometry(const kugel_world *world, uint32_t a, uint32_t b, uint32_t other,
                           double normal[3]);
/* The gap within which a pair counts as touching, m; b is KG_NONE for a boundary. */
double kg_contact_slop(const kugel_world *world, uint32_t a, uint32_t b);
/* contact_find.c: begin contacts that touch slowly. */
kugel_status kg_contact_find_new(kugel_world *world, double h, double start);
/* Count a contact in or out of what its bodies know. */
void kg_contact_update_bodies(kugel_world *world, const kg_contact *contact, bool begins);
kugel_touch kg_contact_touch_event(const kugel_world *world, const kg_contact *contact,
                                   double time);
/* solve.c: velocities of stage->bodies and impulses of the groups, by `min_sweeps` sweeps over all
 * contacts, and up to `max_sweeps` while one still changes some closing speed by more than
 * `tolerance`, m/s. */
void kg_contact_solve(kugel_world *world, double h, int min_sweeps, int max_sweeps,
                      double tolerance);
/* limit_warm_start.c: where the warm start has added to the kinetic energy the impulses are left
 * with the share that adds nothing, for another warm start; false when it may stay as it is. */
bool kg_contact_limit_warm_start(kugel_world *world, double h);
/* solver_bodies.c: velocities of all bodies before anything holds them, as the solver has them; of
 * one. */
void kg_solver_bodies_load(kugel_world *world, double h);
void kg_solver_body_load(const kugel_world *world, uint32_t slot, double h, kg_solver_body *body);
/* What the solve has changed, into the state; what is pushed apart is moved. false when out of
 * memory. */
bool kg_solver_bodies_store(kugel_world *world, double h);
static inline bool kg_solver_body_is_solved(const kg_work *work, uint32_t slot)
{
    return work->contact_count[slot] && work->sleep_state[slot] != KG_ASLEEP;
}
/* position_correction.c: the shifts that take back penetration, and which bodies a contact holds.
 */
void kg_contact_correct_positions(kugel_world *world);

#endif
