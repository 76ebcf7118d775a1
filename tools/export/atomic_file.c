/* See atomic_file.h. */
#define _GNU_SOURCE
#include "atomic_file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool atomic_file_is_stdout(const char *name)
{
    return strcmp(name, "-") == 0 || strcmp(name, "/dev/stdout") == 0;
}

static size_t folder_length(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash ? (size_t)(slash + 1 - name) : 0;
}

/* Where the links of a name lead, whether or not something is there: malloc'ed; NULL: errno says
 * why. */
static char *follow(const char *name)
{
    enum { LINKS_MOST = 40 };
    char *path = strdup(name), to[PATH_MAX];
    struct stat info;
    for (int links = 0; path && lstat(path, &info) == 0 && S_ISLNK(info.st_mode); ++links) {
        ssize_t length =
            links < LINKS_MOST ? readlink(path, to, sizeof to - 1) : (errno = ELOOP, -1);
        char *next = NULL;
        if (length >= 0) {
            to[length] = 0;
            if (asprintf(&next, "%.*s%s", to[0] == '/' ? 0 : (int)folder_length(path), path, to) <
                0)
                next = NULL;
        }
        free(path);
        path = next;
    }
    return path;
}

/* The folder of a name. */
static bool stat_folder(const char *name, struct stat *info)
{
    char folder[PATH_MAX];
    size_t length = folder_length(name);
    if (length >= sizeof folder) return false;
    memcpy(folder, length ? name : ".", length + !length);
    folder[length + !length] = 0;
    return stat(folder, info) == 0;
}

static bool same_inode(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool atomic_file_same(const char *a, const char *b)
{
    struct stat x, y;
    if (atomic_file_is_stdout(a) && atomic_file_is_stdout(b)) return true;
    if (atomic_file_is_stdout(a)) a = "/dev/stdout";
    if (atomic_file_is_stdout(b)) b = "/dev/stdout";
    bool there = stat(a, &x) == 0;
    if (there != (stat(b, &y) == 0)) return false;
    if (there) return S_ISREG(x.st_mode) && same_inode(&x, &y);
    char *to_a = follow(a), *to_b = follow(b);
    bool same = to_a && to_b && stat_folder(to_a, &x) && stat_folder(to_b, &y) &&
                same_inode(&x, &y) &&
                strcmp(to_a + folder_length(to_a), to_b + folder_length(to_b)) == 0;
    free(to_a), free(to_b);
    return same;
}

static void forget(atomic_file *out)
{
    free(out->temporary);
    free(out->target);
    out->file = NULL;
    out->temporary = out->target = NULL;
    out->published = false;
}

/* Where the bytes are; NULL: not in a file that may be removed. */
static const char *place_of(const atomic_file *out)
{
    return out->published ? out->target : out->temporary;
}

/* Permissions of the existing file, or of any new file. */
static mode_t mode_of(const char *target)
{
    struct stat info;
    if (stat(target, &info) == 0) return info.st_mode & 0777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Open a new file beside the target. An existing target must be writable, which a rename would not
 * check. */
static bool open_beside(atomic_file *out)
{
    mode_t mode = mode_of(out->target);
    if (access(out->target, W_OK) != 0 && errno != ENOENT) return false;
    if (asprintf(&out->temporary, "%s.XXXXXX", out->target) < 0) {
        out->temporary = NULL;
        return errno = ENOMEM, false;
    }
    int handle = mkstemp(out->temporary);
    if (handle >= 0 && fchmod(handle, mode) == 0) out->file = fdopen(handle, "wb");
    if (out->file) return true;
    int why = errno;
    if (handle >= 0) close(handle), unlink(out->temporary);
    return errno = why, false;
}

bool atomic_file_open(atomic_file *out, const char *name)
{
    *out = (atomic_file){.name = name};
    if (atomic_file_is_stdout(name)) out->file = stdout;
    if (out->file) return true;
    struct stat info;
    bool there = stat(name, &info) == 0;
    if (there && S_ISDIR(info.st_mode)) return errno = EISDIR, false;
    if ((there && !S_ISREG(info.st_mode)) || strncmp(name, "/dev/", 5) == 0 ||
        strncmp(name, "/proc/", 6) == 0) {
        out->file = fopen(name, "wb");
        return out->file;
    }
    out->target = follow(name);
    if (out->target && open_beside(out)) return true;
    int why = errno;
    forget(out);
    return errno = why, false;
}

FILE *atomic_file_scratch(const atomic_file *out)
{
    char *name = NULL;
    if (!out->target) return tmpfile();
    if (asprintf(&name, "%s.XXXXXX", out->target) < 0) return errno = ENOMEM, NULL;
    int handle = mkstemp(name);
    FILE *file = handle >= 0 ? fdopen(handle, "w+b") : NULL;
    int why = errno;
    if (handle >= 0) unlink(name);
    if (handle >= 0 && !file) close(handle);
    free(name);
    return errno = why, file;
}

bool atomic_file_good(atomic_file *out)
{
    errno = 0;
    if (!out->file || (fflush(out->file) == 0 && !ferror(out->file))) return true;
    if (!errno) errno = EIO; /* an earlier write failed, its errno is lost */
    return false;
}

void atomic_file_publish(atomic_file *out)
{
    if (!out->temporary || link(out->temporary, out->target) != 0) return; /* EEXIST, or no links */
    unlink(out->temporary);
    free(out->temporary);
    out->temporary = NULL;
    out->published = true;
}

bool atomic_file_finish(atomic_file *out)
{
    if (!out->file) return true;
    bool good = atomic_file_good(out);
    if (out->file != stdout) good = fclose(out->file) == 0 && good;
    if (good && out->temporary) good = rename(out->temporary, out->target) == 0;
    int why = errno;
    if (!good && place_of(out)) unlink(place_of(out));
    forget(out);
    errno = why;
    return good;
}

void atomic_file_abandon(atomic_file *out)
{
    if (!out->file) return;
    if (out->file != stdout) fclose(out->file);
    if (place_of(out)) unlink(place_of(out));
    forget(out);
}
