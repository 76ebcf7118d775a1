/* See checkpoint.h. */
#define _GNU_SOURCE
#include "checkpoint.h"

#include <atomic_file.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wall_clock.h"

bool checkpoint_is_due(const options *options, uint64_t tick)
{
    return options->checkpoint_ticks && tick % options->checkpoint_ticks == 0;
}

bool checkpoint_time_is_due(const options *options, double *last)
{
    if (!(options->checkpoint_every > 0)) return false;
    double now = wall_clock_now();
    if (now - *last < options->checkpoint_every) return false;
    *last = now;
    return true;
}

static int cannot_write(const options *options, const char *why)
{
    return complain(EXIT_RESOURCES, "--checkpoint: %s: cannot be written: %s", options->checkpoint,
                    why);
}

/* @return 0, or an exit code after a message. */
static int open_file(const options *options, atomic_file *file)
{
    return atomic_file_open(file, options->checkpoint) ? 0 : cannot_write(options, strerror(errno));
}

int checkpoint_try(const options *options)
{
    atomic_file file;
    int code = options->checkpoint ? open_file(options, &file) : 0;
    if (options->checkpoint && !code) atomic_file_abandon(&file);
    return code;
}

/* Write to the disk, so that a machine that fails leaves the old file or the new one. */
static bool reach_disk(FILE *file)
{
    if (fflush(file) != 0) return false;
    return fsync(fileno(file)) == 0 || errno == EINVAL || errno == EROFS; /* a pipe, a device */
}

static int write_bytes(const options *options, const void *bytes, size_t size)
{
    atomic_file file;
    int code = open_file(options, &file);
    if (code) return code;
    if (fwrite(bytes, 1, size, file.file) != size || !reach_disk(file.file)) {
        int why = errno;
        atomic_file_abandon(&file);
        return cannot_write(options, strerror(why));
    }
    return atomic_file_finish(&file) ? 0 : cannot_write(options, strerror(errno));
}

int checkpoint_write(const options *options, kugel_world *world)
{
    size_t room, size;
    kugel_status status = kugel_snapshot_save(world, true, NULL, 0, &room);
    void *bytes = status ? NULL : malloc(room);
    if (!status)
        status = bytes ? kugel_snapshot_save(world, true, bytes, room, &size)
                       : KUGEL_ERROR_OUT_OF_MEMORY;
    int code = status ? cannot_write(options, kugel_status_text(status))
                      : write_bytes(options, bytes, size);
    free(bytes);
    return code;
}
