/* Recordings from files or standard input, and outputs that are renamed when complete. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "replay.h"

/* At most `limit` bytes; 0: all. */
static int read_all(FILE *file, replay_file *recording, uint64_t limit)
{
    struct stat info;
    size_t room = 1 << 16;
    if (fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode)) room = (size_t)info.st_size + 1;
    char *data = malloc(room);
    size_t size = 0;
    while (data) {
        size += fread(data + size, 1, room - size, file);
        if (size < room || (limit && size > limit)) break;
        char *more = realloc(data, room *= 2);
        if (!more) free(data);
        data = more;
    }
    recording->data = data;
    recording->size = size;
    if (!data) return complain(EXIT_RESOURCES, "%s: out of memory", recording->name);
    if (limit && size > limit)
        return complain(EXIT_USAGE, "%s: is longer than --memory allows", recording->name);
    if (!ferror(file)) return 0;
    return complain(errno == EISDIR ? EXIT_USAGE : EXIT_RESOURCES, "%s: cannot be read: %s",
                    recording->name, strerror(errno));
}

/* True of the last lines of kugel-run, which follow a recording that it wrote to standard
 * output. */
static bool is_summary(const char *text, size_t size)
{
    static const char *const lines[] = {"bodies ", "ticks ", "impacts ", "energy ", "hash 0x"};
    for (size_t k = 0; k < sizeof lines / sizeof *lines; ++k) {
        size_t begin = strlen(lines[k]);
        const char *end =
            size >= begin && memcmp(text, lines[k], begin) == 0 ? memchr(text, '\n', size) : NULL;
        if (!end) return false;
        size -= (size_t)(end + 1 - text);
        text = end + 1;
    }
    return size == 0;
}

static int open_player(replay_file *recording, const settings *options)
{
    kugel_error error;
    kugel_limits limits = {.bytes = options->memory << 20};
    kugel_status status = kugel_player_open(recording->data, recording->size, &limits, NULL,
                                            (uint32_t)options->threads, &recording->player, &error);
    if (status)
        return complain(status == KUGEL_ERROR_OUT_OF_MEMORY ? EXIT_RESOURCES : EXIT_USAGE,
                        "%s: %s: %s%s", recording->name, error.argument, error.message,
                        status == KUGEL_ERROR_LIMIT ? "; --memory raises it" : "");
    kugel_player_info(recording->player, &recording->info);
    const kugel_recording_info *info = &recording->info;
    if (!info->closed || !is_summary((const char *)recording->data + info->bytes, info->lost))
        return 0;
    kugel_player_close(recording->player);
    recording->player = NULL;
    recording->size = info->bytes;
    return open_player(recording, options);
}

int replay_file_open(replay_file *recording, const char *name, const settings *options)
{
    bool standard = strcmp(name, "-") == 0;
    *recording = (struct replay_file){.name = standard ? "standard input" : name};
    FILE *file = standard ? stdin : fopen(name, "rb");
    if (!file) return complain(EXIT_USAGE, "%s: cannot be opened: %s", name, strerror(errno));
    int code = read_all(file, recording, options->memory << 20);
    if (!standard) fclose(file);
    if (!code) code = open_player(recording, options);
    if (code) replay_file_close(recording);
    return code;
}

void replay_file_close(replay_file *recording)
{
    kugel_player_close(recording->player);
    free(recording->data);
    recording->player = NULL;
    recording->data = NULL;
}

static bool no_pair(void *user, uint64_t key, kugel_pair *pair)
{
    (void)user, (void)key, (void)pair;
    return false;
}

void play_without_pair_filter(replay_file *recording)
{
    if (recording->info.pair_filter) kugel_player_set_pair_filter(recording->player, no_pair, NULL);
}

/* The key of the filter that the player lacks for the step after `tick`, a tick of the world. */
static uint64_t missing_key(const replay_file *recording, uint64_t tick)
{
    kugel_player *player = recording->player;
    kugel_pair_filter filter = {0};
    kugel_player_set_pair_filter(player, no_pair, NULL);
    kugel_player_seek(player, 0);
    kugel_player_seek(player, tick - kugel_world_tick(kugel_player_world(player)) + 1);
    kugel_world_get_pair_filter(kugel_player_world(player), &filter);
    return filter.key;
}

int report_play_error(const replay_file *recording)
{
    const kugel_error *error = kugel_player_error(recording->player);
    unsigned long long tick = kugel_world_tick(kugel_player_world(recording->player));
    int code = error->status == KUGEL_ERROR_OUT_OF_MEMORY ? EXIT_RESOURCES : EXIT_USAGE;
    if (recording->info.pair_filter && error->status == KUGEL_ERROR_STATE)
        return complain(code,
                        "%s: cannot be played on from tick %llu: its pair filter (key %llu) is "
                        "code of the program that recorded it, which alone can play it",
                        recording->name, tick, (unsigned long long)missing_key(recording, tick));
    return complain(code, "%s: cannot be played on from tick %llu: %s: %s", recording->name, tick,
                    error->argument, error->message);
}

int report_if_incomplete(const replay_file *recording)
{
    const kugel_recording_info *info = &recording->info;
    unsigned long long at = info->bytes, lost = info->lost, ticks = info->ticks;
    if (info->damaged) {
        return complain(EXIT_USAGE, "%s: damaged at byte %llu, behind tick %llu", recording->name,
                        at, ticks);
    }
    if (lost) {
        printf("%s: was cut behind tick %llu: the last %llu bytes are part of a chunk\n",
               recording->name, ticks, lost);
    } else if (!info->closed) {
        printf("%s: was not closed: it ends behind tick %llu\n", recording->name, ticks);
    }
    return 0;
}

static int failed(const char *name)
{
    return complain(EXIT_RESOURCES, "%s: cannot be written: %s", name, strerror(errno));
}

int output_open(output *out, const char *name)
{
    return atomic_file_open(out, name) ? 0 : failed(name);
}

int output_finish(output *out)
{
    if (out->file == stdout) return 0; /* checked at the end of the program */
    const char *name = out->name;
    return atomic_file_finish(out) ? 0 : failed(name);
}

void output_abandon(output *out) { atomic_file_abandon(out); }

static int write_to(replay_file *r, const output *out, write_recording *write)
{
    kugel_status status = write(r, out->file);
    if (status == KUGEL_OK) return 0;
    if (status == KUGEL_ERROR_IO)
        return complain(EXIT_RESOURCES, "%s: cannot be written: %s", out->name, strerror(errno));
    return complain(status == KUGEL_ERROR_FORMAT ? EXIT_USAGE : EXIT_RESOURCES, "%s: %s", r->name,
                    kugel_status_text(status));
}

int write_output(replay_file *r, const settings *options, write_recording *write)
{
    output out;
    int code = output_open(&out, options->out);
    if (!code) {
        code = write_to(r, &out, write);
        if (code) output_abandon(&out);
        else code = output_finish(&out);
    }
    if (!code && r->info.damaged) code = report_if_incomplete(r);
    replay_file_close(r);
    return code;
}
