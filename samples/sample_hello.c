/* The smallest program: one ball falls on a floor. */
#include <kugel/kugel.h>
#include <stdio.h>

int main(void)
{
    kugel_world_def def = kugel_world_def_default();
    def.gravity[2] = -9.81;
    kugel_world *world;
    if (kugel_world_create(&def, &world)) return 1;
    kugel_surface_def ground = kugel_surface_def_plane((double[]){0, 0, 1}, 0);
    kugel_surface_create(world, &ground, NULL);

    kugel_body_def ball = kugel_body_def_default();
    ball.position[2] = 2;
    kugel_body body;
    kugel_body_create(world, &ball, &body);
    for (int tick = 0; tick < 120; ++tick) kugel_world_step(world, 1.0 / 60);

    kugel_body_state state;
    kugel_body_get(world, body, &state);
    printf("after %.1f s the ball lies at z = %.4f m\n", kugel_world_time(world),
           state.position[2]);
    kugel_world_destroy(world);
    return state.position[2] > 0.49 && state.position[2] < 0.51 ? 0 : 1;
}
