/* A kinematic paddle: the program sets its velocity, and impacts do not change it. An elastic ball
 * leaves the paddle at the ball's speed plus twice the paddle's speed. */
#include <kugel/kugel.h>
#include <math.h>
#include <stdio.h>

int main(void)
{
    kugel_world_def def = kugel_world_def_default();
    def.bounce_threshold = def.slop = 0;
    kugel_world *world;
    if (kugel_world_create(&def, &world)) return 1;
    kugel_body_def paddle = kugel_body_def_default(), ball = kugel_body_def_default();
    kugel_body paddle_body, ball_body;
    paddle.type = KUGEL_KINEMATIC;
    paddle.radius = 2;
    kugel_body_create(world, &paddle, &paddle_body);
    ball.restitution = 1;
    ball.friction = 0;
    ball.position[0] = 10;
    ball.velocity[0] = -3;
    kugel_body_create(world, &ball, &ball_body);

    double place = 0;
    for (int tick = 0; tick < 180; ++tick) {
        double speed = 2 * sin(tick * 0.02); /* m/s, forth and back */
        place += speed / 60;
        if (kugel_body_set_velocity(world, paddle_body, (double[3]){speed, 0, 0})) return 1;
        if (kugel_world_step(world, 1.0 / 60)) return 1;
        size_t impacts;
        kugel_world_impact_events(world, &impacts);
        if (impacts == 0) continue;
        kugel_body_state state, moved;
        kugel_body_get(world, ball_body, &state);
        kugel_body_get(world, paddle_body, &moved);
        printf("tick %d: the paddle moves at %.3f m/s, the ball leaves at %.3f m/s\n", tick + 1,
               speed, state.velocity[0]);
        kugel_world_destroy(world);
        bool struck = fabs(state.velocity[0] - (3 + 2 * speed)) < 1e-9;
        return struck && fabs(moved.position[0] - place) < 1e-9 ? 0 : 1;
    }
    return 1; /* no impact */
}
