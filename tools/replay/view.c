/* view: writes a page that plays the recording in a browser. */
#include <page.h>
#include <string.h>

#include "replay.h"

static kugel_status write_page(replay_file *r, FILE *stream)
{
    const char *slash = strrchr(r->name, '/');
    return view_write(stream, slash ? slash + 1 : r->name, r->player);
}

int command_view(const char *file, const settings *options)
{
    replay_file r;
    if (!view_available()) {
        return complain(
            EXIT_USAGE,
            "view: this program was built without the viewer: it takes clang, lld and wasi-libc");
    }
    if (!options->out) return complain(EXIT_USAGE, "view: needs -o PAGE.html");
    int code = replay_file_open(&r, file, options);
    if (code) return code;
    if (!r.info.pair_filter) return write_output(&r, options, write_page);
    code = complain(EXIT_USAGE,
                    "%s: view: its pair filter is code of the program that recorded it, which a "
                    "page cannot run",
                    r.name);
    replay_file_close(&r);
    return code;
}
