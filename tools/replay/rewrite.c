/* rewrite: writes the recording uncompressed and without states, for readers without zstd. */
#include "replay.h"

static bool append(void *user, const void *data, size_t size)
{
    return fwrite(data, 1, size, user) == size;
}

static kugel_status rewrite(replay_file *r, FILE *stream)
{
    return kugel_player_rewrite(r->player, append, stream);
}

int command_rewrite(const char *file, const settings *options)
{
    replay_file r;
    if (!options->out) return complain(EXIT_USAGE, "rewrite: needs -o OUT");
    int code = replay_file_open(&r, file, options);
    return code ? code : write_output(&r, options, rewrite);
}
