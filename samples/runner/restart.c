/* See restart.h. */
#include "restart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "load.h"
#include "make_world.h"

typedef unsigned long long ull;

static int out_of_memory(const options *options)
{
    return complain(EXIT_RESOURCES, "--restart: %s: out of memory", options->restart);
}

static int no_scene(const options *options)
{
    return complain(EXIT_USAGE, "--restart: %s holds no scene: give one as well", options->restart);
}

static int cannot_play(const options *options, const kugel_error *error)
{
    bool memory = error->status == KUGEL_ERROR_OUT_OF_MEMORY;
    return complain(memory ? EXIT_RESOURCES : EXIT_USAGE, "--restart: %s: %s: %s%s",
                    options->restart, error->argument, error->message,
                    error->status == KUGEL_ERROR_LIMIT ? "; --memory raises it" : "");
}

/* Move the player to `tick`. Out: the world's time, s. */
static int seek(const options *options, kugel_player *player, uint64_t tick, double *time)
{
    if (kugel_player_seek(player, tick) != KUGEL_PLAY_TICK)
        return cannot_play(options, kugel_player_error(player));
    *time = kugel_world_time(kugel_player_world(player));
    return 0;
}

/* Read the length of the first tick, if the recording has it, and the times of two states around
 * TICK. The difference of such times is the length of a tick only up to rounding. */
static int read_times(restart *restart, const options *options, kugel_player *player)
{
    uint64_t tick = options->restart_tick;
    kugel_recording_info info;
    kugel_player_info(player, &info);
    int code = 0;
    if (info.ticks > 0 && info.origin == 0) code = seek(options, player, 1, &restart->dt);
    if (!code && tick > 0) code = seek(options, player, tick - 1, &restart->before);
    if (!code && tick == 0 && info.ticks > 0) code = seek(options, player, 1, &restart->after);
    if (!code) code = seek(options, player, tick, tick > 0 ? &restart->after : &restart->before);
    if (info.ticks == 0) restart->after = restart->before;
    return code;
}

static bool read_world(restart *restart, const kugel_world *world)
{
    plane plane;
    for (uint32_t i = 0; world_plane(world, i, &plane); ++i) arrput(restart->planes, plane);
    kugel_world_get_def(world, &restart->world);
    restart->world.allocator = (kugel_allocator){0};
    restart->world.limits = (kugel_limits){0};
    size_t room;
    if (kugel_snapshot_save(world, true, NULL, 0, &room)) return false;
    restart->snapshot = malloc(room);
    return restart->snapshot &&
           kugel_snapshot_save(world, true, restart->snapshot, room, &restart->size) == KUGEL_OK;
}

static int read_player(restart *restart, const options *options, kugel_player *player)
{
    kugel_recording_info info;
    kugel_player_info(player, &info);
    if (options->restart_tick > info.ticks)
        return complain(EXIT_USAGE, "--restart: %s: there is no tick %llu, the last is %llu",
                        options->restart, (ull)options->restart_tick, (ull)info.ticks);
    if (info.annotation) {
        restart->text = malloc(info.annotation_size + 1);
        if (!restart->text) return out_of_memory(options);
        memcpy(restart->text, info.annotation, info.annotation_size);
        restart->text_size = info.annotation_size;
    } else if (!options->scene_given) {
        return no_scene(options);
    }
    int code = read_times(restart, options, player);
    if (code) return code;
    const kugel_world *world = kugel_player_world(player);
    uint64_t recorded = kugel_player_hash(player, options->restart_tick);
    if (options->restart_tick > 0 && recorded != kugel_world_hash(world))
        return complain(EXIT_USAGE,
                        "--restart: %s: tick %llu has another hash than the recorded "
                        "one (kugel-replay verify names the difference)",
                        options->restart, (ull)options->restart_tick);
    return read_world(restart, world) ? 0 : out_of_memory(options);
}

/* Read the state of the recorded tick. */
static int read_recording(restart *restart, const options *options, const void *data, size_t size)
{
    kugel_player *player;
    kugel_error error;
    kugel_limits limits = {.bytes = options->memory << 20};
    if (kugel_player_open(data, size, &limits, NULL, options->threads, &player, &error))
        return cannot_play(options, &error);
    int code = read_player(restart, options, player);
    kugel_player_close(player);
    return code;
}

static int read_checkpoint(restart *restart, const options *options, const void *data, size_t size)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world = NULL;
    kugel_error error;
    if (kugel_snapshot_check(data, size, NULL, &error))
        return complain(EXIT_USAGE, "--restart: %s: %s: %s (FILE@TICK is a tick of a recording)",
                        options->restart, error.argument, error.message);
    if (!options->scene_given) return no_scene(options);
    def.limits.bytes = options->memory << 20;
    kugel_status status = kugel_world_create(&def, &world);
    if (!status) status = kugel_snapshot_restore(world, data, size);
    int code = 0;
    if (status && world) code = cannot_play(options, kugel_world_last_error(world));
    else if (status || !read_world(restart, world)) code = out_of_memory(options);
    kugel_world_destroy(world);
    return code;
}

int restart_read(restart *restart, const options *options)
{
    char *data;
    size_t size;
    *restart = (struct restart){0};
    int code = load_file("--restart", options->restart, &data, &size);
    if (code) return code;
    code = options->restart_is_recording ? read_recording(restart, options, data, size)
                                         : read_checkpoint(restart, options, data, size);
    free(data);
    if (code) restart_free(restart);
    return code;
}

/* True if a tick of dt leads from the earlier recorded time to the later, or times are unknown.
 * Each time is a rounded sum of ticks. */
static bool fits(const restart *restart, double dt)
{
    double passed = restart->after - restart->before;
    return passed == 0 || fabs(passed - dt) <= 0x1p-52 * restart->after;
}

/* What the recorded planes have of the scene: names, and the poses that its keys mean. */
static void keep_names(plane *planes, const plane *scene_planes)
{
    for (size_t i = 0; i < arrlenu(planes) && i < arrlenu(scene_planes); ++i) {
        memcpy(planes[i].name, scene_planes[i].name, sizeof planes[i].name);
        memcpy(planes[i].turn, scene_planes[i].turn, sizeof planes[i].turn);
    }
}

int restart_replace(restart *restart, const options *options, scene *scene)
{
    bool given = options->dt_given || options->scene_given;
    if (!given && !fits(restart, scene->dt)) {
        if (!(restart->dt > 0) || !fits(restart, restart->dt))
            return complain(EXIT_USAGE,
                            "--restart: %s: its ticks are not %.10g s long, as its scene says: "
                            "give --dt",
                            options->restart, scene->dt);
        scene->dt = restart->dt;
    }
    kugel_snapshot_info info;
    kugel_snapshot_check(restart->snapshot, restart->size, &info, NULL);
    if (scene->ticks < info.tick && options->ticks_given)
        return complain(EXIT_USAGE,
                        "--restart: %s: the run is at tick %llu, and --ticks ends it at %llu",
                        options->restart, (ull)info.tick, (ull)scene->ticks);
    if (scene->ticks < info.tick)
        return complain(EXIT_USAGE,
                        "--restart: %s: the run is at tick %llu, and the scene ends at %llu: give "
                        "--ticks",
                        options->restart, (ull)info.tick, (ull)scene->ticks);
    if (arrlenu(scene->servos) && options->restart_is_recording && info.tick > 0)
        return complain(EXIT_USAGE,
                        "--restart: %s: a recording has no forces on servos: go on from a "
                        "checkpoint",
                        options->restart);
    keep_names(restart->planes, scene->planes);
    arrfree(scene->planes);
    scene_free_bodies(scene);
    scene->world = restart->world;
    scene->planes = restart->planes;
    restart->planes = NULL;
    return 0;
}

void restart_free(restart *restart)
{
    free(restart->snapshot);
    free(restart->text);
    arrfree(restart->planes);
    *restart = (struct restart){0};
}
