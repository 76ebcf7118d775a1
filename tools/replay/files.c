/* Recordings from files or standard input, and outputs that never lie half-written under their name. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replay.h"

static int read_all(FILE *file, recording *recording)
{
    size_t room = 1 << 16;
    recording->data = malloc(room);
    recording->size = 0;
    while (recording->data) {
        size_t got = fread((char *)recording->data + recording->size, 1, room - recording->size, file);
        recording->size += got;
        if (recording->size < room) break;
        void *more = realloc(recording->data, room *= 2);
        if (!more) free(recording->data);
        recording->data = more;
    }
    if (!recording->data) return complain(EXIT_RESOURCES, "%s: out of memory", recording->name);
    if (ferror(file)) return complain(EXIT_RESOURCES, "%s: cannot be read: %s", recording->name, strerror(errno));
    return 0;
}

int recording_open(recording *recording, const char *name, uint32_t threads)
{
    bool standard = strcmp(name, "-") == 0;
    *recording = (struct recording){.name = name};
    FILE *file = standard ? stdin : fopen(name, "rb");
    if (!file) return complain(EXIT_USAGE, "%s: cannot be opened: %s", name, strerror(errno));
    int code = read_all(file, recording);
    if (!standard) fclose(file);
    if (code) {
        recording_close(recording);
        return code;
    }
    kugel_error error;
    kugel_status status = kugel_player_open(recording->data, recording->size, NULL, threads, &recording->player, &error);
    if (status) {
        code = complain(status == KUGEL_ERROR_OUT_OF_MEMORY ? EXIT_RESOURCES : EXIT_USAGE, "%s: %s: %s", name,
                        error.argument, error.message);
        recording_close(recording);
        return code;
    }
    kugel_player_info(recording->player, &recording->info);
    return 0;
}

void recording_close(recording *recording)
{
    kugel_player_close(recording->player);
    free(recording->data);
    recording->player = NULL;
    recording->data = NULL;
}

int output_open(output *out, const char *name)
{
    *out = (output){.name = name};
    if (strcmp(name, "-") == 0) {
        out->file = stdout;
        return 0;
    }
    size_t length = strlen(name) + sizeof ".XXXXXX";
    out->temporary = malloc(length);
    if (!out->temporary) return complain(EXIT_RESOURCES, "%s: out of memory", name);
    snprintf(out->temporary, length, "%s.XXXXXX", name);
    int handle = mkstemp(out->temporary);
    out->file = handle >= 0 ? fdopen(handle, "wb") : NULL;
    if (out->file) return 0;
    int code = complain(EXIT_RESOURCES, "%s: cannot be written: %s", name, strerror(errno));
    free(out->temporary);
    return code;
}

int output_finish(output *out)
{
    bool bad = fflush(out->file) != 0 || ferror(out->file);
    if (!out->temporary) return bad ? complain(EXIT_RESOURCES, "standard output: %s", strerror(errno)) : 0;
    bad = fclose(out->file) != 0 || bad;
    if (!bad) bad = rename(out->temporary, out->name) != 0;
    int code = bad ? complain(EXIT_RESOURCES, "%s: cannot be written: %s", out->name, strerror(errno)) : 0;
    if (bad) unlink(out->temporary);
    free(out->temporary);
    return code;
}

void output_abandon(output *out)
{
    if (!out->temporary) return;
    fclose(out->file);
    unlink(out->temporary);
    free(out->temporary);
}
