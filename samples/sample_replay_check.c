/* Records a run in memory, replays it, and compares every tick. */
#include <kugel/kugel.h>
#include <stdio.h>
#include <string.h>

static char file[1 << 20];
static size_t used;

static bool append(void *user, const void *data, size_t size)
{
    (void)user;
    if (size > sizeof file - used) return false;
    memcpy(file + used, data, size);
    used += size;
    return true;
}

int main(void)
{
    kugel_world_def def = kugel_world_def_default();
    def.gravity[2] = -9.81;
    kugel_world *world;
    if (kugel_world_create(&def, &world)) return 1;
    kugel_recording_def recording = kugel_recording_def_default();
    recording.write = append;
    if (kugel_world_recording_start(world, &recording)) return 1;
    kugel_surface_def ground = kugel_surface_def_plane((double[]){0, 0, 1}, 0);
    kugel_surface_create(world, &ground, NULL);
    kugel_body_def ball = kugel_body_def_default();
    for (int i = 0; i < 20; ++i) {
        ball.position[0] = 0.3 * (i % 3);
        ball.position[2] = 1 + 1.2 * i;
        kugel_body_create(world, &ball, NULL);
    }
    for (int tick = 0; tick < 200; ++tick) kugel_world_step(world, 1.0 / 60);
    if (kugel_world_recording_stop(world)) return 1;
    kugel_world_destroy(world);

    kugel_player *player;
    if (kugel_player_open(file, used, NULL, NULL, 1, &player, NULL)) return 1;
    int ticks = 0;
    kugel_play play;
    while ((play = kugel_player_step(player, NULL)) == KUGEL_PLAY_TICK) ++ticks;
    kugel_player_close(player);
    printf("%d ticks in %zu bytes: %s\n", ticks, used,
           play == KUGEL_PLAY_END ? "identical" : "different");
    return play == KUGEL_PLAY_END && ticks == 200 ? 0 : 1;
}
