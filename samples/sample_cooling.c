/* A granular gas cools by Haff's law: after s impacts per sphere its temperature is
 * T0 exp(-(1 - e^2) s / 3), where e is the restitution. */
#include <kugel/kugel.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

enum { EDGE = 8, COUNT = EDGE * EDGE * EDGE };

/* A pseudo-random number in [-1, 1). */
static double random_number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-52 - 1;
}

int main(void)
{
    const double restitution = 0.9, spacing = 1.5;
    kugel_world_def def = kugel_world_def_default();
    def.bounce_threshold = def.slop = 0;
    for (int k = 0; k < 6; ++k) def.bounds.faces[k] = KUGEL_FACE_PERIODIC;
    for (int k = 0; k < 3; ++k) def.bounds.max[k] = EDGE * spacing;
    kugel_world *world;
    if (kugel_world_create(&def, &world)) return 1;
    kugel_body_def ball = kugel_body_def_default();
    ball.restitution = restitution;
    ball.friction = 0;
    uint64_t seed = 1;
    for (int i = 0; i < COUNT; ++i) {
        const int at[3] = {i % EDGE, i / EDGE % EDGE, i / (EDGE * EDGE)};
        for (int k = 0; k < 3; ++k) {
            ball.position[k] = (at[k] + 0.5) * spacing;
            ball.velocity[k] = random_number(&seed);
        }
        kugel_body_create(world, &ball, NULL);
    }
    kugel_stats stats;
    kugel_energy start, end;
    kugel_world_energy(world, &start);
    do {
        if (kugel_world_step(world, 1.0 / 60)) return 1;
        kugel_world_stats(world, &stats);
    } while (stats.impacts_total < 20 * COUNT / 2); /* an impact counts for two spheres */
    double s = 2.0 * (double)stats.impacts_total / COUNT;
    kugel_world_energy(world, &end);
    double left = end.kinetic / start.kinetic;
    double haff = exp(-(1 - restitution * restitution) * s / 3);
    printf("after %.1f impacts a sphere %.4f of the heat is left; Haff: %.4f\n", s, left, haff);
    kugel_world_destroy(world);
    /* the statistical error of 512 spheres and about 5000 impacts is a few percent */
    return fabs(left / haff - 1) < 0.1 ? 0 : 1;
}
