/* Snapshot, recording, verification: three uses of determinism (see the manual, page replay). */
#include <kugel/kugel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool go_back(kugel_world *world)
{
    size_t room, size;
    kugel_snapshot_save(world, true, NULL, 0, &room);
    void *bytes = malloc(room);
    kugel_snapshot_save(world, true, bytes, room, &size);
    for (int tick = 0; tick < 30; ++tick) kugel_world_step(world, 1.0 / 60);
    uint64_t first = kugel_world_hash(world);
    kugel_snapshot_restore(world, bytes, size);
    for (int tick = 0; tick < 30; ++tick) kugel_world_step(world, 1.0 / 60);
    free(bytes);
    return kugel_world_hash(world) == first;
}

static bool append(void *file, const void *data, size_t size)
{
    return fwrite(data, 1, size, file) == size;
}

static bool record(const kugel_world_def *def, FILE *file)
{
    kugel_world *world;
    if (kugel_world_create(def, &world)) return false;
    kugel_recording_def recording = kugel_recording_def_default();
    recording.write = append;
    recording.user = file;
    kugel_world_recording_start(world, &recording);
    kugel_body_def ball = kugel_body_def_default();
    kugel_body_create(world, &ball, NULL);
    for (int tick = 0; tick < 100; ++tick) kugel_world_step(world, 1.0 / 60);
    bool whole = kugel_world_recording_stop(world) == KUGEL_OK;
    kugel_world_destroy(world);
    return whole;
}

static bool verify(const void *data, size_t size)
{
    kugel_player *player;
    kugel_divergence d;
    kugel_play play;
    if (kugel_player_open(data, size, NULL, NULL, 1, &player, NULL)) return false;
    while ((play = kugel_player_step(player, &d)) == KUGEL_PLAY_TICK) {}
    if (play == KUGEL_PLAY_DIVERGED) printf("tick %d: body %u %s\n", (int)d.tick, d.body, d.field);
    kugel_player_close(player);
    return play == KUGEL_PLAY_END;
}

int main(void)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_body_def ball = kugel_body_def_default();
    kugel_world *world;
    def.gravity[2] = -9.81;
    if (kugel_world_create(&def, &world)) return 1;
    for (int i = 0; i < 10; ++i) {
        ball.position[0] = 0.9 * (i % 3);
        ball.position[2] = 1.1 * i;
        kugel_body_create(world, &ball, NULL);
    }
    bool back = go_back(world);
    kugel_world_destroy(world);

    static char data[1 << 20];
    FILE *file = tmpfile();
    bool recorded = file && record(&def, file);
    size_t size = 0;
    if (recorded) rewind(file), size = fread(data, 1, sizeof data, file);
    bool verified = verify(data, size);
    if (file) fclose(file);
    printf("gone back: %s; recorded: %s, %zu bytes; verified: %s\n", back ? "same" : "different",
           recorded ? "whole" : "not whole", size, verified ? "same" : "different");
    return back && recorded && verified ? 0 : 1;
}
