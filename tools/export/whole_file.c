/* See whole_file.h. */
#define _GNU_SOURCE
#include "whole_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A new file beside `name`, readable by whom a plain one would be. */
static bool open_beside(whole_file *out)
{
    mode_t mask = umask(0);
    umask(mask);
    if (asprintf(&out->temporary, "%s.XXXXXX", out->name) < 0) {
        out->temporary = NULL;
        return errno = ENOMEM, false;
    }
    int handle = mkstemp(out->temporary);
    if (handle >= 0 && fchmod(handle, 0666 & ~mask) == 0) out->file = fdopen(handle, "wb");
    if (out->file) return true;
    int why = errno;
    if (handle >= 0) close(handle), unlink(out->temporary);
    free(out->temporary);
    out->temporary = NULL;
    errno = why;
    return false;
}

bool whole_file_open(whole_file *out, const char *name)
{
    *out = (whole_file){.name = name};
    if (strcmp(name, "-") == 0) out->file = stdout;
    if (out->file) return true;
    struct stat info;
    if (stat(name, &info) != 0 || S_ISREG(info.st_mode)) return open_beside(out);
    if (S_ISDIR(info.st_mode)) return errno = EISDIR, false;
    out->file = fopen(name, "wb");
    return out->file;
}

bool whole_file_good(whole_file *out)
{
    return !out->file || (fflush(out->file) == 0 && !ferror(out->file));
}

static void forget(whole_file *out)
{
    free(out->temporary);
    out->file = NULL;
    out->temporary = NULL;
}

bool whole_file_finish(whole_file *out)
{
    if (!out->file) return true;
    bool good = whole_file_good(out);
    if (out->file != stdout) good = fclose(out->file) == 0 && good;
    if (good && out->temporary) good = rename(out->temporary, out->name) == 0;
    int why = errno;
    if (!good && out->temporary) unlink(out->temporary);
    forget(out);
    errno = why;
    return good;
}

void whole_file_abandon(whole_file *out)
{
    if (!out->file) return;
    if (out->file != stdout) fclose(out->file);
    if (out->temporary) unlink(out->temporary);
    forget(out);
}
