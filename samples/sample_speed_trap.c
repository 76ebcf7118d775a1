/* A speed trap: two small sensors on a track. Balls at 1 to 500 m/s pass both, some within one
 * tick. The speed from the times of their events must equal the real speed. */
#include <kugel/kugel.h>
#include <math.h>
#include <stdio.h>

enum { BALLS = 8 };

int main(void)
{
    static const double speeds[BALLS] = {1, 2, 5, 10, 30, 100, 250, 500};
    const double gate[2] = {2, 3}; /* m along the track */
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    if (kugel_world_create(&def, &world)) return 1;
    kugel_body sensors[2];
    for (int k = 0; k < 2; ++k) {
        kugel_body_def sensor = kugel_body_def_default();
        sensor.type = KUGEL_STATIC;
        sensor.sensor = true;
        sensor.position[0] = gate[k];
        sensor.radius = 0.01;
        if (kugel_body_create(world, &sensor, &sensors[k])) return 1;
    }
    for (int i = 0; i < BALLS; ++i) {
        kugel_body_def ball = kugel_body_def_default();
        ball.radius = 0.05;
        ball.group = 1; /* they do not collide with each other */
        ball.velocity[0] = speeds[i];
        if (kugel_body_create(world, &ball, NULL)) return 1;
    }
    double passed[2][BALLS] = {{0}}, worst = 0;
    for (int tick = 0; tick < 240; ++tick) {
        if (kugel_world_step(world, 1 / 60.)) return 1;
        size_t count;
        const kugel_sensor_event *events = kugel_world_sensor_events(world, &count);
        for (size_t k = 0; k < count; ++k) {
            uint32_t ball = kugel_body_id(events[k].body) - 2;
            if (events[k].entered)
                passed[events[k].sensor == sensors[1]][ball] = tick / 60. + events[k].time;
        }
    }
    for (int i = 0; i < BALLS; ++i) {
        double speed = (gate[1] - gate[0]) / (passed[1][i] - passed[0][i]);
        printf("ball %d: %8.4f m/s\n", i, speed);
        double error = fabs(speed / speeds[i] - 1);
        if (!(error <= worst)) worst = error;
    }
    printf("largest error %.1e\n", worst);
    kugel_world_destroy(world);
    return worst < 1e-9 ? 0 : 1;
}
