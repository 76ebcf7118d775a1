/* The contact solve gives the same bits in 4 and in 8 lanes. */
#include <criterion/criterion.h>
#include <string.h>

#include "support/support_random.h"

/* Includes solve.c for its static functions, compiled with the options of this test. */
#define kg_contact_solve solve_widest
#include "contact/solve.c"

#ifndef KG_HAS_AVX2
#define KG_HAS_AVX2 1
#define KG_WIDTH 8
#include "contact/solve_lanes.h"
#undef KG_WIDTH
#endif

enum { BODIES = 300, GROUPS = 200 };

typedef struct problem {
    kg_contact_group groups[GROUPS];
    kg_contact_rolling rolling[GROUPS];
    kg_contact_group_info group_info[GROUPS];
    kg_solver_body bodies[BODIES + 1]; /* the last one is immovable */
    uint8_t marks[BODIES + 1];
    kg_task_range range;
} problem;

static void fill_group(problem *p, int index, support_random *random)
{
    kg_contact_group *g = &p->groups[index];
    kg_contact_rolling *r = &p->rolling[index];
    bool used[BODIES] = {false};
    int count = 1 + (int)support_below(random, KG_LANES);
    p->group_info[index] = (kg_contact_group_info){.count = (uint8_t)count,
                                                   .has_friction = support_below(random, 4) > 0};
    for (int lane = 0; lane < KG_LANES; ++lane) {
        uint32_t pair[2] = {BODIES, BODIES};
        for (int side = 0; side < 2 && lane < count; ++side) {
            if (side && support_below(random, 5) == 0) continue; /* boundary */
            do pair[side] = support_below(random, BODIES);
            while (used[pair[side]]);
            used[pair[side]] = true;
        }
        g->a[lane] = pair[0], g->b[lane] = pair[1];
        p->group_info[index].immovable_a |= (uint8_t)((pair[0] == BODIES) << lane);
        p->group_info[index].immovable_b |= (uint8_t)((pair[1] == BODIES) << lane);
        if (lane >= count) continue; /* unused lane: all 0 */
        double normal[3];
        support_direction(random, 1, normal);
        for (int k = 0; k < 3; ++k) {
            g->normal[k][lane] = (float)normal[k];
            g->friction_impulse[k][lane] = (float)support_gauss(random) * 0.1f;
            r->impulse[k][lane] = (float)support_gauss(random) * 0.01f;
        }
        g->gap[lane] = (float)support_between(random, -0.01, 0.01);
        g->friction[lane] = (float)support_between(random, 0, 1);
        g->impulse[lane] = (float)support_between(random, 0, 1);
        r->rolling_arm[lane] = (float)support_between(random, 0, 0.1);
        r->inertia[lane] = (float)support_between(random, 0.01, 0.2);
    }
}

static void fill(problem *p, support_random *random)
{
    memset(p, 0, sizeof *p);
    for (int i = 0; i < BODIES; ++i) {
        for (int k = 0; k < 3; ++k) {
            p->bodies[i].v[k] = (float)support_gauss(random);
            p->bodies[i].u[k] = (float)support_gauss(random);
        }
        p->bodies[i].v[3] = (float)support_between(random, 0.1, 10);
        p->bodies[i].u[3] = (float)support_between(random, 0.5, 5);
    }
    for (int g = 0; g < GROUPS; ++g) fill_group(p, g, random);
}

static kg_contact_stage stage_of(problem *p, bool rolls, bool parallel)
{
    return (kg_contact_stage){.groups = p->groups,
                              .rolling = rolls ? p->rolling : NULL,
                              .group_info = p->group_info,
                              .bodies = p->bodies,
                              .marks = p->marks,
                              .group_count = GROUPS,
                              .task_ranges = &p->range,
                              .parallel = parallel};
}

/* Sweeps as one thread makes them, or one of several, which does not write immovable bodies. Every
 * second one changes normal impulses alone and ends a round. */
static float sweep_some(const passes *of, problem *p, bool rolls, bool parallel)
{
    kg_contact_stage stage = stage_of(p, rolls, parallel);
    kg_sweep_plan plan = {.round = 2, .full_sweeps = 2, .relaxation = KG_SWEEPS_OVERRELAXATION};
    sweep_settings s = {.stage = &stage, .inverse_h = 240, .relaxation = 1, .tolerance = 0.5f};
    of->warm_start(&s, 0, 0, GROUPS);
    for (int k = 0; k < 6; ++k) {
        begin_sweep(&s, &plan, k);
        of->sweep(&s, 0, 0, GROUPS);
    }
    return p->range.speed_change;
}

static int count_converged(const problem *p)
{
    int count = 0;
    for (int g = 0; g < GROUPS; ++g) count += p->group_info[g].converged;
    return count;
}

static void check_same(const problem *p, const problem *q, int round)
{
    cr_assert_eq(memcmp(p->bodies, q->bodies, sizeof p->bodies), 0, "velocities, round %d", round);
    cr_assert_eq(memcmp(p->groups, q->groups, sizeof p->groups), 0, "impulses, round %d", round);
    cr_assert_eq(memcmp(p->rolling, q->rolling, sizeof p->rolling), 0, "rolling, round %d", round);
    cr_assert_eq(memcmp(p->marks, q->marks, sizeof p->marks), 0, "marks, round %d", round);
    cr_assert_eq(p->range.speed_change, q->range.speed_change, "largest change, round %d", round);
}

Test(solve, lane_counts_and_threads_give_the_same_bits)
{
    static problem start, solved[4];
    support_random random = support_random_start("solve/widths", 1);
    int converged = 0;
    if (!KG_HAS_AVX2) cr_skip("this machine has no vectors of eight floats\n");
    for (int round = 0; round < 40; ++round) {
        fill(&start, &random);
        for (int k = 0; k < 4; ++k) {
            passes of = k & 1 ? (passes){warm_start_8, sweep_8} : (passes){warm_start_4, sweep_4};
            memcpy(&solved[k], &start, sizeof start);
            cr_assert_gt(sweep_some(&of, &solved[k], round % 2, k & 2), 0, "nothing was solved");
        }
        for (int k = 1; k < 4; ++k) check_same(&solved[0], &solved[k], round);
        converged += count_converged(&solved[0]);
    }
    cr_assert(converged > 40 && converged < 20 * GROUPS / 2, "%d groups converged", converged);
}

/* Only groups with a body that was marked in this round or the round before are swept. */
Test(solve, a_round_skips_groups_without_a_marked_body)
{
    for (int age = 0; age < 256; ++age) {
        static problem p;
        support_random random = {1};
        fill(&p, &random);
        kg_contact_stage stage = stage_of(&p, false, false);
        sweep_settings s = {&stage, 240, 1, .skips = true, .mark = 200};
        uint32_t moved = p.groups[3].a[0];
        p.marks[moved] = (uint8_t)(s.mark - age);
        sweep_4(&s, 0, 0, GROUPS);
        for (int g = 0; g < GROUPS; ++g) {
            bool near = false;
            for (int lane = 0; lane < KG_LANES; ++lane)
                near |= p.groups[g].a[lane] == moved || p.groups[g].b[lane] == moved;
            cr_assert_eq(p.group_info[g].converged, !near || age > 1, "group %d, age %d", g, age);
        }
    }
}

/* Sweeps that skip converged groups go on until nothing is left: then no contact of any group
 * changes its closing speed by more than the tolerance. */
Test(solve, skipped_groups_have_converged)
{
    static problem p;
    support_random random = support_random_start("solve/skips", 2);
    for (int round = 0; round < 20; ++round) {
        fill(&p, &random);
        for (int g = 0; g < GROUPS; ++g) p.group_info[g].has_friction = false;
        kg_contact_stage stage = stage_of(&p, false, false);
        kg_sweep_plan plan = {.round = 1, .full_sweeps = 2, .relaxation = 1};
        sweep_settings s = {&stage, 240, 1, .tolerance = 1e-3f};
        int k = 0, skipped = 0;
        do {
            begin_sweep(&s, &plan, k);
            sweep_4(&s, 0, 0, GROUPS);
            skipped += count_converged(&p);
        } while ((++k < plan.full_sweeps || p.range.speed_change > s.tolerance) && k < 10000);
        cr_assert_lt(k, 10000);
        cr_assert_gt(skipped, 0);
        s.skips = s.marks_bodies = false;
        sweep_4(&s, 0, 0, GROUPS);
        /* a body of a skipped group may have been changed by the tolerance since, once by each of
         * the contacts of its own converged groups: about 11 groups name a body here */
        cr_assert_leq(p.range.speed_change, 20 * s.tolerance, "%g m/s are left",
                      (double)p.range.speed_change);
    }
}

/* Number of sweeps made when none converges. Sweep k changes 1 / (k + 1), so that comparisons find
 * no cycle. */
static int count_sweeps(kg_sweep_plan plan)
{
    progress progress = {.next = KG_SWEEPS_STALL_FIRST - 1};
    int k = 0;
    for (; needs_sweep(&plan, k, true); ++k) {
        if (has_stalled(&progress, &plan, k, 1 / (float)(k + 1))) replan(&plan, k);
    }
    return k;
}

/* Sweeps that stall end after twice as many, or with the round that they are in. */
Test(solve, sweeps_that_do_not_converge_end)
{
    for (int round = 1; round <= KG_SWEEPS_ROUND; round *= KG_SWEEPS_ROUND) {
        for (int last = KG_SWEEPS_STALL_LEAST; last <= KG_SWEEPS_STALL_LAST; last += 7) {
            kg_sweep_plan plan = {
                .full_sweeps = 1, .max_sweeps = 10000, .round = round, .stall_last = last};
            int sweeps = count_sweeps(plan);
            cr_assert(sweeps >= 2 * last && sweeps < 2 * last + round, "%d: %d", last, sweeps);
            plan.max_sweeps = last - 1;
            cr_assert_leq(count_sweeps(plan), last - 1 + round);
        }
    }
}
