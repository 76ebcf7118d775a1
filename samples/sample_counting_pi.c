/* A wall, a ball, and a ball 100^n times heavier: the number of impacts gives n + 1 digits of pi
 * (Galperin 2003). */
#include <kugel/kugel.h>
#include <stdio.h>

static unsigned long long count(double heavy)
{
    kugel_world_def def = kugel_world_def_default();
    def.bounce_threshold = def.slop = 0; /* pure hard spheres: every contact is an impact */
    def.bounds.faces[0] = KUGEL_FACE_WALL;
    def.bounds.max[0] = 1000;
    def.bounds.restitution = 1;
    kugel_world *world;
    if (kugel_world_create(&def, &world)) return 0;
    kugel_body_def ball = kugel_body_def_default();
    ball.restitution = 1;
    ball.friction = 0;
    ball.position[0] = 1.5;
    kugel_body_create(world, &ball, NULL);
    ball.position[0] = 4;
    ball.velocity[0] = -1;
    ball.mass = heavy;
    kugel_body_create(world, &ball, NULL);
    for (int tick = 0; tick < 1000; ++tick) kugel_world_step(world, 1.0 / 60);
    kugel_stats stats;
    kugel_world_stats(world, &stats);
    kugel_world_destroy(world);
    return stats.impacts_total;
}

int main(void)
{
    static const unsigned long long digits[] = {3, 31, 314, 3141, 31415};
    double heavy = 1;
    for (int n = 0; n < 5; ++n, heavy *= 100) {
        unsigned long long impacts = count(heavy);
        printf("mass ratio %10.0f: %llu impacts\n", heavy, impacts);
        if (impacts != digits[n]) return 1;
    }
    return 0;
}
