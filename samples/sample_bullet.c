/* A small sphere never tunnels through another one, however far it moves in a tick. */
#include <kugel/kugel.h>
#include <math.h>
#include <stdio.h>

int main(void)
{
    for (double speed = 1; speed < 1e7; speed *= 10) {
        kugel_world *world;
        kugel_world_def def = kugel_world_def_default();
        def.bounce_threshold = def.slop = 0;
        if (kugel_world_create(&def, &world)) return 1;
        kugel_body_def target = kugel_body_def_default(), bullet = kugel_body_def_default();
        kugel_body_create(world, &target, NULL);
        bullet.radius = 0.05;
        bullet.mass = 0.001;
        bullet.position[0] = -1 - speed / 120;
        bullet.velocity[0] = speed;
        kugel_body_create(world, &bullet, NULL);
        if (kugel_world_step(world, 1.0 / 60)) return 1;
        size_t count;
        const kugel_impact *impact = kugel_world_impact_events(world, &count);
        double expected = (speed / 120 + 1 - 0.55) / speed;
        bool right = count ? fabs(impact->time - expected) < 1e-9 * expected : expected > 1.0 / 60;
        printf("%8.0f m/s: %s\n", speed, count ? "hit" : "not there yet");
        kugel_world_destroy(world);
        if (!right) return 1;
    }
    return 0;
}
