/* info: prints the properties of a recording. */
#define _GNU_SOURCE
#include <string.h>

#include "replay.h"

static const char *yes(bool value) { return value ? "yes" : "no"; }

/* True of a scene of kugel-run, which is the annotation of its recordings. */
static bool has_scene(const kugel_recording_info *info)
{
    static const char mark[] = "\"kugel-scene\"";
    return info->annotation && memmem(info->annotation, info->annotation_size, mark, strlen(mark));
}

static int print_scene(const replay_file *r)
{
    if (!has_scene(&r->info))
        return complain(EXIT_USAGE, "%s: info: it has no scene of kugel-run", r->name);
    fwrite(r->info.annotation, 1, r->info.annotation_size, stdout);
    return 0;
}

/* Bodies, and the length of the first tick. Plays one tick, which a pair filter does not delay. If
 * the first state cannot be restored, only the number of ticks that a flight recorder dropped. */
static void print_world(replay_file *r)
{
    unsigned long long first = r->info.origin;
    play_without_pair_filter(r);
    bool played = kugel_player_seek(r->player, 0) == KUGEL_PLAY_TICK;
    const kugel_world *world = kugel_player_world(r->player);
    if (played) first = kugel_world_tick(world);
    if (first) printf("tick 0 is tick %llu of the run\n", first);
    if (!played) return;
    double time = kugel_world_time(world);
    printf("bodies %u at tick 0\n", kugel_world_body_count(world));
    if (!r->info.ticks || kugel_player_seek(r->player, 1) != KUGEL_PLAY_TICK) return;
    printf("tick length %.17g s, the first\n",
           kugel_world_time(kugel_player_world(r->player)) - time);
}

static void print_all(replay_file *r)
{
    const kugel_recording_info *info = &r->info;
    printf("format %u\n", info->format);
    printf("physics epoch %u\n", info->physics_epoch);
    printf("library %s\n", info->library);
    printf("build %s\n", info->build);
    printf("ticks %llu\n", (unsigned long long)info->ticks);
    print_world(r);
    if (info->ticks)
        printf("last hash 0x%016llx\n",
               (unsigned long long)kugel_player_hash(r->player, info->ticks));
    printf("states %s\n", yes(info->states));
    printf("pair filter %s\n", yes(info->pair_filter));
    printf("keyframes %u\n", info->keyframes);
    printf("closed %s\n", yes(info->closed));
    printf("damaged %s\n", yes(info->damaged));
    printf("bytes %llu whole, %llu lost\n", (unsigned long long)info->bytes,
           (unsigned long long)info->lost);
    printf("annotation %zu bytes\n", info->annotation_size);
    if (has_scene(info)) puts("scene in the annotation, printed by info --scene");
}

int command_info(const char *file, const settings *options)
{
    replay_file r;
    int code = replay_file_open(&r, file, options);
    if (code) return code;
    if (options->scene) code = print_scene(&r);
    else print_all(&r);
    replay_file_close(&r);
    return code;
}
