/* The contact solve: warm start, sweeps over all groups in their order until little changes, and
 * torsional friction.
 * In: stage->bodies, groups. Out: velocities and accumulated impulses. The bits are the same for
 * every vector width and thread count. */
#include <string.h>

#include "contact/solver.h"
#include "world/locks.h"

typedef struct sweep_settings {
    kg_contact_stage *stage;
    float inverse_h;
    float relaxation;  /* share of the missing normal impulse that a sweep adds */
    bool normal_only;  /* the sweep changes only normal impulses */
    bool skips;        /* the sweep skips converged groups */
    bool marks_bodies; /* the sweep marks the bodies of contacts that have not converged */
    bool watches;      /* the sweep notes whether it changes an impulse */
    uint8_t mark;      /* value of a mark that this round makes */
    float tolerance;   /* m/s, change of a closing speed by which a contact has converged */
    /* m/s; an impulse that changes a closing speed by less is 0. Otherwise numbers below the normal
     * range of floats decide whether a contact pushes */
    float negligible;
    float least_gap; /* m; smaller gaps count as this one */
} sweep_settings;

/* True when all contacts of the group ended in this tick. */
static bool has_ended(const sweep_settings *s, uint32_t index)
{
    const kg_contact_group_info *info = &s->stage->group_info[index];
    return info->ended == (1u << info->count) - 1;
}

/* True when the body was marked in this round or the round before. Bodies without a mark have 0,
 * which counts as a mark in two of 256 rounds: then the round skips nothing. */
static inline bool is_marked(const sweep_settings *s, uint32_t slot)
{
    return (uint8_t)(s->mark - s->stage->marks[slot]) <= 1;
}

/* True when no body of the group is marked. The first sweep of a round, which is not `normal_only`,
 * decides this for the whole round. */
static bool is_converged(const sweep_settings *s, uint32_t index)
{
    const kg_contact_group *g = &s->stage->groups[index];
    kg_contact_group_info *info = &s->stage->group_info[index];
    if (s->normal_only) return info->converged;
    bool any = false;
    /* marks have no rows for moving surfaces */
    for (int lane = 0; lane < KG_LANES && !any; ++lane)
        any = is_marked(s, g->a[lane]) ||
              (!(info->immovable_b >> lane & 1) && is_marked(s, g->b[lane]));
    return info->converged = !any;
}

#define KG_WIDTH KG_LANES_4
#include "contact/solve_lanes.h"
#undef KG_WIDTH

#ifdef KG_HAS_AVX2
KG_AVX2_BEGIN
#define KG_WIDTH 8
#include "contact/solve_lanes.h"
#undef KG_WIDTH
KG_AVX2_END
#endif

typedef struct passes {
    kg_contact_group_pass *warm_start, *sweep, *brake_spins;
} passes;

/* True when sweep k (from 0) is needed. A round that has begun is completed. */
static bool needs_sweep(const kg_sweep_plan *plan, int k, bool changes)
{
    return k % plan->round || (k < plan->max_sweeps && (k < plan->full_sweeps || changes));
}

/* Progress of the sweeps. Sweeps number 128, 256, 512, ... are compared (KG_SWEEPS_STALL_FIRST). */
typedef struct progress {
    int next;     /* number of the next sweep to compare, from 0 */
    int stalls;   /* comparisons in a row without progress */
    float change; /* m/s, speed change of the last compared sweep */
} progress;

/* True at sweep plan->stall_last, and after two comparisons in a row in which the later sweep
 * changed more than KG_SWEEPS_STALLED of what the earlier one did. Then sweeps cycle, or moving
 * bodies or surfaces press a body that has no place. */
static bool has_stalled(progress *p, const kg_sweep_plan *plan, int k, float change)
{
    if (k + 1 == plan->stall_last) return true;
    if (k != p->next) return false;
    p->stalls = p->change > 0 && change > KG_SWEEPS_STALLED * p->change ? p->stalls + 1 : 0;
    p->change = change;
    p->next = 2 * k + 1;
    return p->stalls == 2;
}

/* Change the plan when its sweeps have stalled at sweep k. Sweeps without overrelaxation do not
 * cycle. At most as many sweeps follow as were made. */
static void replan(kg_sweep_plan *plan, int k)
{
    int most = 2 * (k + 1);
    plan->relaxation = plan->most_relaxation = 1;
    if (plan->max_sweeps > most) plan->max_sweeps = most;
}

/* Overrelaxation of sweep k, after the first. The best factor for a chain of n bodies is about
 * 2 / (1 + pi / n) (Young 1954). The first sweeps remove the errors of short chains; the more
 * sweeps are needed, the longer are the chains whose errors are left. 2 / (1 + 1 / k) is the best
 * of the forms that were tried (tools/docs/experiments.md). */
static double relaxation_of(const kg_sweep_plan *plan, int k)
{
    double grown = 2.0 * k / (k + 1);
    if (grown > plan->most_relaxation) grown = plan->most_relaxation;
    return grown > plan->relaxation ? grown : plan->relaxation;
}

/* A sweep that changes no impulse is the last: those that follow, with the same overrelaxation or
 * less, would change none. This is noted where it costs little, and not with rolling resistance,
 * whose impulses are elsewhere. */
static bool may_end_early(const kg_contact_stage *stage, const kg_sweep_plan *plan, int k)
{
    enum { WATCHED_GROUPS = 8 };
    return k && stage->group_count <= WATCHED_GROUPS && !stage->rolling && plan->round == 1 &&
           plan->most_relaxation == plan->relaxation;
}

/* Choose what sweep k (from 0) does. */
static void begin_sweep(sweep_settings *s, const kg_sweep_plan *plan, int k)
{
    int round = k / plan->round, at = k % plan->round;
    bool is_last = at == plan->round - 1;
    s->normal_only = at != 0;
    s->skips = round * plan->round >= plan->full_sweeps;
    s->marks_bodies = is_last && k + 1 >= plan->full_sweeps;
    s->mark = (uint8_t)(round + 2);
    s->watches = !s->skips && may_end_early(s->stage, plan, k);
    if (k) s->relaxation = (float)relaxation_of(plan, k);
}

void kg_contact_solve(kugel_world *world, double h, kg_sweep_plan *plan)
{
    passes p = {KG_WIDEST_LANES(warm_start), KG_WIDEST_LANES(sweep), KG_WIDEST_LANES(brake_spins)};
    sweep_settings s = {.stage = world->contact,
                        .inverse_h = kg_contact_rate(h),
                        /* with growth: kg_growing_gaps_enter */
                        .least_gap = world->work.growth.rate > 0 ? -FLT_MAX : 0,
                        .relaxation = 1,
                        .tolerance = (float)plan->tolerance,
                        .negligible = (float)plan->tolerance * 0x1p-60f};
    float change = 0;
    kg_contact_for_groups_in_order(world, p.warm_start, &s);
    if (kg_contact_limit_warm_start(world, h)) {
        kg_solver_bodies_load(world, h);
        kg_contact_for_groups_in_order(world, p.warm_start, &s);
    }
    memset(s.stage->marks, 0, (size_t)world->bodies.count + 1);
    progress progress = {.next = KG_SWEEPS_STALL_FIRST - 1};
    for (int k = 0; needs_sweep(plan, k, change > s.tolerance); ++k) {
        begin_sweep(&s, plan, k);
        kg_contact_for_groups_in_order(world, p.sweep, &s);
        change = kg_contact_largest_speed_change(s.stage);
        if (s.watches && !kg_contact_any_impulse_changed(s.stage)) break;
        if (has_stalled(&progress, plan, k, change)) replan(plan, k);
    }
    kg_contact_for_groups_in_order(world, p.brake_spins, &s);
    /* position correction shares the memory */
    memset(s.stage->marks, 0, (size_t)world->bodies.count + 1);
}
