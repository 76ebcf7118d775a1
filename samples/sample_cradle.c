/* Newton's cradle: if k balls come in, k balls go out with exactly their velocity, and the others
 * rest. */
#include <kugel/kugel.h>
#include <stdio.h>

enum { BALLS = 7 };

static kugel_world *cradle(int coming)
{
    kugel_world_def def = kugel_world_def_default();
    def.bounce_threshold = def.slop = 0; /* pure hard spheres: every contact is an impact */
    kugel_world *world;
    if (kugel_world_create(&def, &world)) return NULL;
    kugel_body_def ball = kugel_body_def_default();
    ball.restitution = 1;
    ball.friction = 0;
    for (int i = 0; i < BALLS; ++i) {
        ball.position[0] = i - (i < coming ? 3 : 0); /* the other balls touch: diameters are 1 */
        ball.velocity[0] = i < coming ? 2 : 0;
        kugel_body_create(world, &ball, NULL);
    }
    return world;
}

int main(void)
{
    for (int coming = 1; coming < BALLS; ++coming) {
        kugel_world *world = cradle(coming);
        if (!world) return 1;
        for (int tick = 0; tick < 240; ++tick) kugel_world_step(world, 1.0 / 60);
        double velocity[3 * BALLS];
        kugel_world_read_arrays(world, BALLS, &(kugel_body_arrays){.velocity = velocity});
        kugel_world_destroy(world);
        printf("%d in:", coming);
        for (int i = 0; i < BALLS; ++i) printf(" %g", velocity[3 * i]);
        printf(" m/s\n");
        for (int i = 0; i < BALLS; ++i) {
            if (velocity[3 * i] != (i < BALLS - coming ? 0 : 2)) return 1;
        }
    }
    return 0;
}
