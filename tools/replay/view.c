/* view: writes a page that plays the recording in a browser. */
#include <errno.h>
#include <page.h>
#include <string.h>

#include "replay.h"

static int write_page(replay_file *r, const output *out)
{
    const char *slash = strrchr(r->name, '/');
    kugel_status status = view_write(out->file, slash ? slash + 1 : r->name, r->player);
    if (status == KUGEL_OK) return 0;
    if (status == KUGEL_ERROR_IO)
        return complain(EXIT_RESOURCES, "%s: cannot be written: %s", out->name, strerror(errno));
    return complain(status == KUGEL_ERROR_FORMAT ? EXIT_USAGE : EXIT_RESOURCES, "%s: %s", r->name,
                    kugel_status_text(status));
}

int command_view(const char *file, const settings *options)
{
    replay_file r;
    output out;
    if (!view_available()) {
        return complain(
            EXIT_USAGE,
            "view: this program was built without the viewer: it takes clang, lld and wasi-libc");
    }
    if (!options->out) return complain(EXIT_USAGE, "view: needs -o PAGE.html");
    int code = replay_file_open(&r, file, options);
    if (code) return code;
    if (r.info.pair_filter)
        code = complain(EXIT_USAGE,
                        "%s: view: its pair filter is code of the program that recorded it, which "
                        "a page cannot run",
                        r.name);
    else code = output_open(&out, options->out);
    if (!code) {
        code = write_page(&r, &out);
        if (!code && r.info.damaged) code = report_if_incomplete(&r);
        if (code) output_abandon(&out);
        else code = output_finish(&out);
    }
    replay_file_close(&r);
    return code;
}
