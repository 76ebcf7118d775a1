/* The resting-contact stage, at the start of a substep: it finds and ends resting contacts and
 * solves their impulses.
 *
 * Method: sequential impulses (Catto 2005) with warm-started normal and friction impulses,
 * speculative contacts within the slop, and a position correction that changes no velocity. Eight
 * contacts that share no movable body are solved at once, as float lanes. The state stays double;
 * the solver's change of velocity is added to it. During a tick the groups hold the impulses;
 * contacts hold them as forces from tick to tick. */
#ifndef KG_CONTACT_CONTACT_H
#define KG_CONTACT_CONTACT_H

#include "grid/neighbours.h"
#include "resting/resting.h"
#include "world/pair_filter.h"
#include "world/sleep_state.h"

enum { KG_LANES = 8 };

/* Eight contacts that share no movable body. An unused lane refers twice to the immovable body.
 * During a solve, slots above that of the immovable body stand for moving surfaces
 * (moving_surfaces.c). A sweep writes 128 of its 352 bytes: memory bandwidth bounds large piles. */
typedef struct kg_contact_group {
    uint32_t a[KG_LANES], b[KG_LANES]; /* slots; the immovable body has slot bodies.count */
    float normal[3][KG_LANES];         /* unit, a to b or into the boundary */
    float gap[KG_LANES];               /* m; negative: penetration */
    float friction[KG_LANES];
    float impulse[KG_LANES];             /* N s, along the normal */
    float friction_impulse[3][KG_LANES]; /* N s */
} kg_contact_group;

/* Rolling resistance of a group. Allocated only if a body, a surface or a pair of the table has
 * rolling resistance, or a pair filter is set. */
typedef struct kg_contact_rolling {
    float rolling_arm[KG_LANES]; /* m, coefficient times effective radius */
    float inertia[KG_LANES];     /* kg m^2, effective about any axis */
    float impulse[3][KG_LANES];  /* N m s */
} kg_contact_rolling;

/* Locks of the bodies of a group. Allocated only if a body has locks. */
typedef struct kg_contact_locks {
    float a[6 * KG_LANES], b[6 * KG_LANES]; /* by axis and lane: 1 if it is free, 0 if locked */
    float slip[KG_LANES]; /* effective mass of friction, in that along the normal without locks */
    uint8_t of_a[KG_LANES], of_b[KG_LANES]; /* KUGEL_LOCK_... */
    bool any;
} kg_contact_locks;

/* Torsional friction of the last solve: angular impulses about the normals, on the bodies b. */
typedef struct kg_contact_torsion {
    float impulse[KG_LANES]; /* N m s */
} kg_contact_torsion;

/* The data of a group that is read in passes over all groups. The uint8_t fields but `count` are
 * masks: bit k belongs to lane k. */
typedef struct kg_contact_group_info {
    uint32_t first;                   /* its first contact in stage->order */
    uint8_t count;                    /* number of contacts */
    uint8_t boundary;                 /* boundary contacts */
    uint8_t ended;                    /* contacts that ended since the groups were made */
    uint8_t immovable_a, immovable_b; /* contacts whose body a (or b) is immovable */
    bool has_friction;                /* true when some contact has friction */
    uint8_t may_end; /* contacts that may have opened, or that bounce because a call drove them */
    bool converged;  /* true when the sweeps of this round skip the group (kg_sweep_plan) */
} kg_contact_group_info;

/* Velocities of a body during the solve, by slot. */
typedef struct kg_solver_body {
    float v[4]; /* m/s; [3]: inverse mass, 1/kg */
    float u[4]; /* m/s, spin times radius; [3]: inverse radius, 1/m */
} kg_solver_body;

/* Displacement of a body by the position correction, by slot. */
typedef struct kg_position_correction {
    float x[4]; /* m; [3]: inverse mass, 1/kg */
} kg_position_correction;

/* Groups of whole blocks that one thread takes. Ranges of one colour share no movable body. */
typedef struct kg_task_range {
    uint32_t first;     /* its first group */
    float speed_change; /* m/s, largest change of a closing speed in a sweep */
    float energy_gain;  /* J, kinetic energy that the warm start adds */
    bool changes;       /* false: the last sweep changed no impulse */
} kg_task_range;

/* The contacts of one block. */
typedef struct kg_contact_block {
    uint64_t key;
    uint32_t first, count; /* in stage->order */
    uint32_t first_group, group_count;
} kg_contact_block;

/* 27 colours of blocks, and a last colour for contacts between blocks that are not adjacent and for
 * contacts of movable bodies too large for blocks. */
enum { KG_COLOUR_UNBLOCKED = 27, KG_COLOURS = 28 };

enum {
    /* columns by slot, with one more row for the immovable body */
    KG_CONTACT_COLUMN_BODIES,
    KG_CONTACT_COLUMNS_BY_SLOT = 5, /* as in the table of solver_bodies.c */
    KG_CONTACT_COLUMN_GROUPS = KG_CONTACT_COLUMNS_BY_SLOT,
    KG_CONTACT_COLUMN_ROLLING,
    KG_CONTACT_COLUMN_LOCKS,
    KG_CONTACT_COLUMN_TORSION,
    KG_CONTACT_COLUMN_GAPS,
    KG_CONTACT_COLUMN_GROUP_INFO,
    KG_CONTACT_COLUMN_TASK_RANGES,
    KG_CONTACT_COLUMN_ORDER,
    KG_CONTACT_COLUMN_BLOCKS,
    KG_CONTACT_COLUMNS
};

typedef struct kg_contact_stage {
    kg_contact_group *groups;
    kg_contact_rolling *rolling; /* NULL if no contact can have rolling resistance */
    kg_contact_locks *locks;     /* NULL if no body has locks */
    kg_contact_torsion *torsion; /* by group, while the world sums impulses; else NULL */
    float (*gaps)[KG_LANES];     /* m, by group, while radii grow: growing_gaps.c */
    kg_contact_group_info *group_info;
    uint32_t *order; /* items of the contact set in the order of lanes, with start flags */
    uint32_t group_count;
    kg_task_range *task_ranges;
    uint32_t task_range_count, colour_count;
    /* first task range of each colour in use; then the end of the last */
    uint32_t colour_first_range[KG_COLOURS + 1];
    uint32_t ranged_group_count; /* groups in task ranges; later groups are solved serially */
    bool parallel;               /* task ranges run in parallel */
    kg_lattice lattice;          /* blocks of its cells colour the contacts */
    int32_t block_min[3];        /* smallest block coordinates of bodies in contact */
    int block_bits[3];           /* bits of a key for a block coordinate, less block_min */
    int32_t (*body_block)[3];    /* by slot: block of the body when contacts were last ordered */
    kg_contact_block *blocks;
    uint32_t block_count;
    bool order_reused;      /* the order was made by changes of the previous order */
    bool any_block_changed; /* some body in contact changed block since the last order */
    /* some body entered a block whose coordinate does not fit block_bits: all contacts are ordered
     * anew */
    bool any_block_without_key;
    /* contacts of sleeping bodies when contacts were ordered: they are in no group, and decide
     * nothing. They are the last of the order, behind all blocks */
    uint32_t asleep_count;
    uint32_t previous_count; /* contacts in the last order, also those that ended since */
    uint32_t begun_count;    /* contacts that began after the last order and have not ended */
    uint32_t ordered_count;  /* contacts in the order */
    uint32_t ended_count;    /* contacts that ended since the groups were made */
    kg_solver_body *bodies;  /* by slot; the last is the immovable body */
    kg_position_correction *corrections;
    /* by slot: 1 when what follows holds for the body
     * contact_insert.c       it changed block
     * contact_find.c         it begins to rest
     * limit_warm_start.c     its energy is in the sum already; all are 0 afterwards
     * solve.c                some contact of it had not converged in the last sweep of the last
     *                        round (kg_sweep_plan); all are 0 afterwards
     * position_correction.c  some contact pushes it; read by solver_bodies.c */
    uint8_t *marks;
    /* by slot, while contacts begin: whether the body was loaded (kg_resting_is_loaded) before its
     * first one began; 0 if none has */
    uint8_t *load_before;
    bool any_on_boundaries_only; /* some body rests on boundaries alone (resting/slide.c) */
    bool masses_loaded;          /* bodies and corrections contain inverse masses and radii */
    bool has_unlike_masses;      /* some contact may carry a large load */
    /* largest load of a contact: mass of one body over the number of its contacts, in masses of the
     * other body */
    double largest_load;
    bool any_engulfed;   /* some pair lacks space (measure.c) */
    double block_radius; /* m; larger movable bodies have their contacts in the last colour */
    bool one_block;      /* true when contacts are few: all of them are in the last block */
    double largest_radius, smallest_radius; /* m */
    /* the first groups, which hold impulses; later ones hold forces until they are measured */
    uint32_t impulse_group_count;
    uint32_t awake_count; /* awake bodies at the start of a tick (substeps.c) */
    uint32_t fast_count;  /* fast bodies at the start of a tick (substeps.c) */
    /* at the start of a tick (substeps.c): */
    bool any_moves;            /* some awake body moves by more than KG_INACTIVE_TRAVEL */
    bool any_own_acceleration; /* of some awake body */
    bool on_mover;             /* an awake body touches a surface or a kinematic body that moves */
    kg_column columns[KG_CONTACT_COLUMNS];
} kg_contact_stage;

/* An item of stage->order is the index of a contact, with a flag where it is the first of its
 * group, block or colour. */
#define KG_ORDER_GROUP_START 0x80000000u
#define KG_ORDER_BLOCK_START 0x40000000u
#define KG_ORDER_COLOUR_START 0x20000000u
#define KG_ORDER_ITEM_MASK (KG_CONTACT_LIMIT - 1)
#define KG_ORDER_REMOVED UINT32_MAX /* the contact ended */
static inline uint32_t kg_contact_item(const kg_contact_stage *stage,
                                       const kg_contact_group_info *info, int lane)
{
    return stage->order[info->first + (uint32_t)lane] & KG_ORDER_ITEM_MASK;
}

/* Number of contacts of awake bodies, also of those that ended since the groups were made. */
static inline uint32_t kg_contact_awake_count(const kugel_world *world)
{
    return world->work.contacts.count - world->contact->asleep_count;
}

/* True for a contact of a sleeping body. Two dynamic bodies in contact sleep together. */
static inline bool kg_contact_is_asleep(const kugel_world *world, const kg_contact *c)
{
    const uint32_t *sleep_state = world->work.sleep_state;
    return sleep_state[world->bodies.slot[c->a]] == KG_ASLEEP ||
           (c->with == KG_WITH_BODY && sleep_state[world->bodies.slot[c->b]] == KG_ASLEEP);
}

/* Take a lane out of use: it refers twice to the immovable body. */
static inline void kg_contact_clear_lane(const kugel_world *world, kg_contact_group *g,
                                         kg_contact_group_info *info, int lane)
{
    g->a[lane] = g->b[lane] = world->bodies.count;
    info->immovable_a |= (uint8_t)(1u << lane);
    info->immovable_b |= (uint8_t)(1u << lane);
}

/* 1 / h, 1/s, finite in float. */
static inline float kg_contact_rate(double h)
{
    double rate = 1 / h;
    return rate < (double)FLT_MAX ? (float)rate : FLT_MAX;
}

/* Multiply the impulses of a group by `share`, or its forces. */
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

/* contact_locks.c: fill in the locks of the bodies of a contact; slots as in groups. */
void kg_contact_fill_locks(const kg_bodies *bodies, kg_contact_locks *locks, int lane,
                           const uint32_t slot[2]);
/* NULL if no body of the group has some. */
static inline const kg_contact_locks *kg_contact_locks_of(const kg_contact_stage *stage,
                                                          uint32_t group)
{
    return stage->locks && stage->locks[group].any ? &stage->locks[group] : NULL;
}

/* The smaller radius of a contact, m; for a boundary contact the radius of the body. */
static inline float kg_contact_smaller_radius(const kg_motion *motion, uint32_t a, uint32_t b)
{
    double radius = motion[a].radius, other = motion[b].radius;
    return (float)(other > 0 && other < radius ? other : radius);
}

/* task_ranges.c: a pass over groups [from, to) of a task range. */
typedef void kg_contact_group_pass(void *context, uint32_t range, uint32_t from, uint32_t to);
/* Run a pass over the groups from `from` on, in parallel and in any order. */
void kg_contact_for_groups(kugel_world *world, uint32_t from, kg_contact_group_pass *pass,
                           void *context);
/* Run a pass over all groups, colour by colour; task ranges of one colour run in parallel. */
void kg_contact_for_groups_in_order(kugel_world *world, kg_contact_group_pass *pass, void *context);
/* Largest speed change of the task ranges, m/s. */
float kg_contact_largest_speed_change(const kg_contact_stage *stage);
/* False if the last sweep, of all contacts and all impulses, changed no impulse. */
bool kg_contact_any_impulse_changed(const kg_contact_stage *stage);
/* Energy gain of all task ranges, J, summed in their order. */
double kg_contact_warm_start_gain(const kg_contact_stage *stage);
/* Start a task range at `group`, the first of a block, if the block starts a colour or the last
 * range has enough groups. `entry`: first item of the block in the order. */
void kg_contact_note_task_range(kg_contact_stage *stage, uint32_t group, uint32_t entry);
bool kg_contact_reserve_task_ranges(kugel_world *world, size_t groups);

/* At the start of a tick, or to make groups again within it: order the contacts and make groups.
 * False when out of memory. */
bool kg_contact_stage_begin(kugel_world *world);
/* Find, end and solve resting contacts; `start`: start of the substep in the tick, s. */
kugel_status kg_contact_stage_run(kugel_world *world, double h, double start);
/* substeps.c: choose the number of substeps of the tick, and their length. */
void kg_contact_choose_substeps(kugel_world *world, double dt);
/* At the end of a tick, or before groups are made again within it: store impulses as forces and
 * sort the contacts. False when out of memory. */
bool kg_contact_stage_finish(kugel_world *world);
void kg_contact_stage_free(kg_memory *memory, kg_contact_stage *stage);

/* contact_order.c: order all contacts, with groups and task ranges. False when out of memory. */
bool kg_contact_order_update(kugel_world *world);
/* contact_groups.c: append the contacts that began in this tick to the order, with their groups.
 * False when out of memory. */
bool kg_contact_groups_extend(kugel_world *world);
bool kg_contact_groups_reserve_order(kugel_world *world, size_t count);
/* Reserve groups; existing ones keep their content. */
bool kg_contact_groups_reserve(kugel_world *world, size_t groups);
/* Number of groups in `count` entries of an order. */
uint32_t kg_contact_groups_count(const uint32_t *order, uint32_t count);
/* Set the spans (first, count) of the groups of stage->order[first ... first + count), from `group`
 * on. */
void kg_contact_groups_set_spans(kugel_world *world, uint32_t group, uint32_t first,
                                 uint32_t count);
/* Fill groups [from, to) from the contacts of their spans. */
void kg_contact_groups_fill(const kugel_world *world, uint32_t from, uint32_t to);
/* Friction, restitution and rolling resistance of a contact; b: slot of the second body, unused for
 * a boundary. */
static inline kg_contact_material
kg_contact_material_between(const kugel_world *world, const kg_contact *c, uint32_t a, uint32_t b)
{
    return kg_contact_material_with(world, a, b, c->with == KG_WITH_BODY ? KG_WITH_BODY : c->b);
}
/* Raise stage->largest_load to the largest load in the groups from `from` on. */
void kg_contact_groups_note_load(const kugel_world *world, uint32_t from);
/* contact_forces.c: store the impulses of a lane as forces in its contact. The group of an ended
 * contact is not used again; the others keep forces equal to those of the contact. */
void kg_contact_store_lane(const kugel_world *world, uint32_t group, int lane, kg_contact *c);
/* The same for all contacts that have not ended. */
void kg_contact_store_forces(kugel_world *world);
/* solver_bodies.c: reserve the arrays by slot. False when out of memory. */
bool kg_solver_bodies_reserve(kugel_world *world);
/* measure.c: compute normals and gaps of the groups from `from` on; end contacts that opened or,
 * after a call drove their bodies together, bounce. */
kugel_status kg_contact_measure_and_end(kugel_world *world, uint32_t from, double start);
/* driven.c: bit k is set when a call drove the bodies of lane k together so fast that they bounce.
 * Valid at the start of a tick only. */
uint32_t kg_contact_driven_lanes(const kugel_world *world, uint32_t group);
/* measure.c: gap (m) and normal (from a, to b or into the boundary) at the start of the substep.
 * `other`: the boundary, or KG_WITH_BODY for bodies a and b. */
double kg_contact_geometry(const kugel_world *world, uint32_t a, uint32_t b, uint32_t other,
                           double normal[3]);
/* The begin or end event of a contact; `time`: s in the tick. */
kugel_touch kg_contact_touch_event(const kugel_world *world, const kg_contact *contact,
                                   double time);
/* contact_find.c: begin the contacts of all pairs that begin to rest at the start of the substep
 * (kg_resting_begins). */
kugel_status kg_contact_find_new(kugel_world *world, double h, double start);

#endif
