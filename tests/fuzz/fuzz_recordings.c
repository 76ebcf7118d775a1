/* Fuzz target: recordings, given as records (sealing.h) after two bytes of options. A recording
 * must be refused, or be played, sought and rewritten with equal results. */
#include <stdlib.h>
#include <string.h>

#include "failing_memory.h"
#include "input.h"
#include "sealing.h"

enum { MOST_BODIES = 64, MOST_STEPS = 16, OPTIONS = 2 };

static const kugel_limits limits = {.bytes = FUZZ_MEMORY};

typedef struct copy {
    uint8_t *data;
    size_t size;
} copy;

static bool receive(void *user, const void *data, size_t size)
{
    copy *to = user;
    uint8_t *more = realloc(to->data, to->size + size + 1);
    if (!more) abort();
    if (size) memcpy(more + to->size, data, size);
    to->data = more, to->size += size;
    return true;
}

static bool is_small(const kugel_player *player)
{
    return kugel_world_body_count(kugel_player_world(player)) <= MOST_BODIES;
}

/* Plays at most MOST_STEPS ticks. *hash receives the hash of the last state. @return their
 * number */
static uint64_t play(kugel_player *player, uint64_t *hash)
{
    uint64_t ticks = 0;
    kugel_divergence divergence;
    if (kugel_player_seek(player, 0) == KUGEL_PLAY_ERROR || !is_small(player)) return 0;
    while (ticks < MOST_STEPS) {
        kugel_play result = kugel_player_step(player, &divergence);
        if (result == KUGEL_PLAY_END) break;
        if (result == KUGEL_PLAY_ERROR) {
            const kugel_error *error = kugel_player_error(player);
            FUZZ_CHECK(error->status && error->message[0], "player: an error without a message");
            break;
        }
        *hash = kugel_world_hash(kugel_player_world(player));
        ticks += 1;
    }
    return ticks;
}

static void rewrite(kugel_player *player, const kugel_recording_info *info)
{
    copy file = {0};
    kugel_player *other;
    kugel_recording_info same;
    failing_memory memory = {0};
    kugel_allocator hooks = failing_memory_hooks(&memory);
    if (kugel_player_rewrite(player, receive, &file) == KUGEL_OK) {
        kugel_error error;
        kugel_status status =
            kugel_player_open(file.data, file.size, &limits, &hooks, 1, &other, &error);
        FUZZ_CHECK(!status, "rewritten: %s: %s", error.argument, error.message);
        kugel_player_info(other, &same);
        FUZZ_CHECK(same.ticks == info->ticks && same.origin == info->origin &&
                       same.closed == info->closed && !same.lost,
                   "rewritten: %u ticks of %u", (unsigned)same.ticks, (unsigned)info->ticks);
        kugel_player_close(other);
    }
    free(file.data);
}

static void use(kugel_player *player, uint8_t options, uint8_t where)
{
    kugel_recording_info info;
    kugel_player_info(player, &info);
    if (options & 1) kugel_player_cache_keyframes(player, 1 << 14);
    uint64_t hash = 0, ticks = play(player, &hash);
    if (options & 2) {
        kugel_recorded recorded;
        uint64_t tick = info.ticks ? 1 + where % info.ticks : 1;
        kugel_player_recorded(player, tick, &recorded);
        FUZZ_CHECK(kugel_player_hash(player, info.ticks + 1) == 0, "player: a hash after the end");
    }
    if (options & 4) rewrite(player, &info);
    /* a seek may start at the state of a keyframe, which need not be the played one; without
     * keyframes it must give the state that was played */
    if ((options & 8) && ticks && info.ticks <= MOST_STEPS && info.keyframes == 0) {
        uint64_t tick = where % (ticks + 1);
        kugel_player_seek(player, tick);
        kugel_play result = kugel_player_seek(player, ticks);
        FUZZ_CHECK(result == KUGEL_PLAY_ERROR || (options & 1) ||
                       kugel_world_hash(kugel_player_world(player)) == hash,
                   "player: a seek gives another state");
    }
    if ((options & 16) && info.ticks <= MOST_STEPS) {
        kugel_player_seek(player, where % (info.ticks + 1));
        if (is_small(player)) kugel_player_step(player, NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < OPTIONS || size > 1 << 14) return 0;
    copy file;
    failing_memory memory = {0};
    kugel_allocator hooks = failing_memory_hooks(&memory);
    kugel_player *player;
    kugel_error error = {0};
    file.data = seal_recording(data + OPTIONS, size - OPTIONS, &file.size);
    kugel_status status =
        kugel_player_open(file.data, file.size, &limits, &hooks, 1, &player, &error);
    if (status == KUGEL_OK) use(player, data[0], data[1]);
    else FUZZ_CHECK(error.status == status && error.message[0], "refused without a message");
    if (status == KUGEL_OK) kugel_player_close(player);
    FUZZ_CHECK(memory.bytes == 0, "%llu bytes leaked", (unsigned long long)memory.bytes);
    free(file.data);
    return 0;
}
