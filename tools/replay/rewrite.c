/* rewrite: writes the recording uncompressed and without states, for readers without zstd. */
#include <errno.h>
#include <string.h>

#include "replay.h"

static bool append(void *user, const void *data, size_t size)
{
    return fwrite(data, 1, size, user) == size;
}

static int write_all(replay_file *r, const output *out)
{
    kugel_status status = kugel_player_rewrite(r->player, append, out->file);
    if (status == KUGEL_OK) return 0;
    if (status == KUGEL_ERROR_IO)
        return complain(EXIT_RESOURCES, "%s: cannot be written: %s", out->name, strerror(errno));
    return complain(status == KUGEL_ERROR_FORMAT ? EXIT_USAGE : EXIT_RESOURCES, "%s: %s", r->name,
                    kugel_status_text(status));
}

int command_rewrite(const char *file, const settings *options)
{
    replay_file r;
    output out;
    if (!options->out) return complain(EXIT_USAGE, "rewrite: needs -o OUT");
    int code = replay_file_open(&r, file, options);
    if (code) return code;
    code = output_open(&out, options->out);
    if (!code) {
        code = write_all(&r, &out);
        if (!code && r.info.damaged) code = report_if_incomplete(&r);
        if (code) output_abandon(&out);
        else code = output_finish(&out);
    }
    replay_file_close(&r);
    return code;
}
