/* A Galton board: balls fall through twelve rows of pegs, left or right at each, and their
 * distribution at the bottom is binomial. Sizes and restitution are chosen so that successive
 * deflections are independent. Balls do not collide with each other, so that many can fall at
 * once. */
#include <kugel/kugel.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 12, BINS = ROWS + 1, BALLS = 1000, BALLS_PER_TICK = 2, TICKS = 5000 };

static const double PEG = 0.1, BALL = 0.38, BETWEEN_ROWS = 0.866; /* m; pegs stand 1 m apart */

static kugel_world *board(void)
{
    kugel_world_def def = kugel_world_def_default();
    def.gravity[2] = -9.81;
    def.bounce_threshold = 0.26; /* m/s; balls that would rebound more slowly roll off a peg */
    def.sleep = false;           /* a ball may balance on top of a peg for a while */
    def.bounds.faces[2] = def.bounds.faces[3] = KUGEL_FACE_WALL; /* two panes of glass */
    def.bounds.min[1] = -1.01 * BALL;
    def.bounds.max[1] = 1.01 * BALL;
    kugel_world *world;
    if (kugel_world_create(&def, &world)) return NULL;
    kugel_body_def peg = kugel_body_def_default();
    peg.type = KUGEL_STATIC;
    peg.category = 2;
    peg.radius = PEG;
    peg.friction = 0;
    for (int row = 0; row < ROWS; ++row) {
        for (int k = -1; k <= row + 1; ++k) {
            peg.position[0] = k - row / 2.0;
            peg.position[2] = -BETWEEN_ROWS * row;
            kugel_body_create(world, &peg, NULL);
        }
    }
    return world;
}

static void drop_ball(kugel_world *world)
{
    kugel_body_def ball = kugel_body_def_default();
    ball.mask = 2; /* collides with pegs only */
    ball.radius = BALL;
    ball.restitution = 0.6;
    ball.friction = 0;
    ball.position[0] = 0.1 * rand() / RAND_MAX - 0.05;
    ball.position[2] = PEG + BALL + 0.2;
    kugel_body_create(world, &ball, NULL);
}

/* Counts the balls below the last row into bins and removes them. @return how many. */
static int collect(kugel_world *world, uint32_t first, int bins[BINS])
{
    int count = 0;
    for (uint32_t id = first; id < kugel_world_id_end(world); ++id) {
        kugel_body_state ball;
        if (kugel_body_get(world, kugel_world_body(world, id), &ball)) continue; /* a free id */
        if (ball.position[2] > -BETWEEN_ROWS * (ROWS - 0.5)) continue;
        int bin = (int)floor(ball.position[0] + BINS / 2.0);
        bins[bin < 0 ? 0 : bin < BINS ? bin : BINS - 1] += 1;
        kugel_body_destroy(world, ball.body);
        count += 1;
    }
    return count;
}

/* Prints the bins and the expected numbers. The three outer bins at each end are merged, because
 * two of them have expected counts below five (Cochran 1954). @return chi-square of nine bins. */
static double compare(const int bins[BINS])
{
    double expected = BALLS / pow(2, ROWS), merged_expected = 0, chi2 = 0;
    int merged_count = 0;
    for (int k = 0; k < BINS; ++k) {
        printf("%2d %4d %6.1f |", k, bins[k], expected);
        for (int dot = 0; dot < bins[k] / 4; ++dot) putchar('o');
        putchar('\n');
        merged_count += bins[k], merged_expected += expected;
        bool merge_with_next = k < 2 || k == BINS - 3 || k == BINS - 2;
        if (!merge_with_next) {
            chi2 += (merged_count - merged_expected) * (merged_count - merged_expected) /
                    merged_expected;
            merged_count = 0, merged_expected = 0;
        }
        expected *= (double)(ROWS - k) / (k + 1);
    }
    return chi2;
}

int main(void)
{
    kugel_world *world = board();
    if (!world) return 1;
    uint32_t first = kugel_world_body_count(world);
    int bins[BINS] = {0}, collected = 0;
    srand(1);
    for (int tick = 0; tick < TICKS && collected < BALLS; ++tick) {
        for (int k = 0; k < BALLS_PER_TICK && tick * BALLS_PER_TICK + k < BALLS; ++k)
            drop_ball(world);
        kugel_world_step(world, 1.0 / 60);
        collected += collect(world, first, bins);
    }
    kugel_world_destroy(world);
    double chi2 = compare(bins);
    printf("%d balls; chi-square %.1f (expected 8, rarely above 20)\n", collected, chi2);
    return collected == BALLS && chi2 < 26.1 ? 0 : 1; /* 26.1: exceeded once in a thousand */
}
