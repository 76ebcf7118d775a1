#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run.h"

bool output_open(output *out, const char *name)
{
    *out = (output){.name = name};
    if (strcmp(name, "-") == 0) {
        out->file = stdout;
        return true;
    }
    struct stat info;
    if (stat(name, &info) == 0 && !S_ISREG(info.st_mode)) { /* a pipe or device is written as it is */
        if (S_ISDIR(info.st_mode)) return errno = EISDIR, false;
        return (out->file = fopen(name, "wb"));
    }
    if (asprintf(&out->temporary, "%s.XXXXXX", name) < 0) return out->temporary = NULL, false;
    int handle = mkstemp(out->temporary);
    if (handle >= 0 && fchmod(handle, 0644) == 0 && (out->file = fdopen(handle, "wb"))) return true;
    int why = errno;
    if (handle >= 0) close(handle), unlink(out->temporary);
    free(out->temporary);
    out->temporary = NULL;
    errno = why;
    return false;
}

bool output_finish(output *out)
{
    if (!out->file) return true;
    bool good = fflush(out->file) == 0 && !ferror(out->file);
    if (out->file != stdout) good = fclose(out->file) == 0 && good;
    out->file = NULL;
    if (out->temporary) {
        if (good) good = rename(out->temporary, out->name) == 0;
        if (!good) unlink(out->temporary);
        free(out->temporary);
        out->temporary = NULL;
    }
    return good;
}

void output_abandon(output *out)
{
    if (!out->file) return;
    if (out->file != stdout) fclose(out->file);
    out->file = NULL;
    if (!out->temporary) return;
    unlink(out->temporary);
    free(out->temporary);
    out->temporary = NULL;
}
