/* The contact solve gives the same bits in lanes of 4 and of 8. */
#include <criterion/criterion.h>
#include <string.h>

#include "support/support_random.h"

/* The file itself, for its static functions, compiled for the instructions that it is compiled for. */
#define kg_contact_solve solve_widest
#include "contact/solve.c"

#ifndef KG_HAS_AVX2
#define KG_HAS_AVX2 1 /* nothing to ask for */
#define KG_WIDTH 8
#include "contact/solve_lanes.h"
#undef KG_WIDTH
#endif

enum { BODIES = 300, GROUPS = 200 };

typedef struct problem {
    kg_contact_group groups[GROUPS];
    kg_contact_rolling rolling[GROUPS];
    kg_contact_span spans[GROUPS];
    kg_contact_body bodies[BODIES + 1]; /* the last one never moves */
} problem;

static void fill_group(problem *p, int index, support_random *random)
{
    kg_contact_group *g = &p->groups[index];
    kg_contact_rolling *r = &p->rolling[index];
    bool used[BODIES] = {false};
    int count = 1 + (int)support_below(random, KG_LANES);
    p->spans[index] = (kg_contact_span){.count = (uint8_t)count, .rubs = support_below(random, 4) > 0};
    for (int lane = 0; lane < KG_LANES; ++lane) {
        uint32_t pair[2] = {BODIES, BODIES};
        for (int side = 0; side < 2 && lane < count; ++side) {
            if (side && support_below(random, 5) == 0) continue; /* a boundary */
            do pair[side] = support_below(random, BODIES);
            while (used[pair[side]]);
            used[pair[side]] = true;
        }
        g->a[lane] = pair[0], g->b[lane] = pair[1];
        if (lane >= count) continue; /* empty: all 0 */
        double normal[3];
        support_direction(random, 1, normal);
        for (int k = 0; k < 3; ++k) {
            g->normal[k][lane] = (float)normal[k];
            g->rub[k][lane] = (float)support_gauss(random) * 0.1f;
            r->impulse[k][lane] = (float)support_gauss(random) * 0.01f;
        }
        g->gap[lane] = (float)support_between(random, -0.01, 0.01);
        g->mass[lane] = 1 / (p->bodies[pair[0]].v[3] + p->bodies[pair[1]].v[3]);
        g->friction[lane] = (float)support_between(random, 0, 1);
        g->impulse[lane] = (float)support_between(random, 0, 1);
        r->arm[lane] = (float)support_between(random, 0, 0.1);
        r->mass[lane] = (float)support_between(random, 0.01, 0.2);
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

static kg_contact_stage stage_of(problem *p, bool rolls)
{
    return (kg_contact_stage){.groups = p->groups, .rolling = rolls ? p->rolling : NULL, .spans = p->spans, .bodies = p->bodies, .group_count = GROUPS};
}

Test(solve, four_lanes_and_eight_give_the_same_bits)
{
    static problem start, four, eight;
    support_random random = support_random_start("solve/widths", 1);
    if (!KG_HAS_AVX2) cr_skip("this machine has no vectors of eight floats\n");
    for (int round = 0; round < 40; ++round) {
        fill(&start, &random);
        memcpy(&four, &start, sizeof start);
        memcpy(&eight, &start, sizeof start);
        kg_contact_stage stage_4 = stage_of(&four, round % 2), stage_8 = stage_of(&eight, round % 2);
        /* a tolerance that some rounds reach before the last sweep: both stop after the same one */
        solve_4(&stage_4, 1 / 240., 2, 20, 0.05 * (round % 4));
        solve_8(&stage_8, 1 / 240., 2, 20, 0.05 * (round % 4));
        cr_assert_eq(memcmp(four.bodies, eight.bodies, sizeof four.bodies), 0, "velocities, round %d", round);
        cr_assert_eq(memcmp(four.groups, eight.groups, sizeof four.groups), 0, "impulses, round %d", round);
        cr_assert_eq(memcmp(four.rolling, eight.rolling, sizeof four.rolling), 0, "rolling, round %d", round);
        cr_assert_neq(memcmp(four.bodies, start.bodies, sizeof four.bodies), 0, "nothing was solved");
    }
}
