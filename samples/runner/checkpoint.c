/* See checkpoint.h. */
#include "checkpoint.h"

#include <atomic_file.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool checkpoint_is_due(const options *options, uint64_t tick)
{
    return options->checkpoint && tick % options->checkpoint_ticks == 0;
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

static int write_bytes(const options *options, const void *bytes, size_t size)
{
    atomic_file file;
    int code = open_file(options, &file);
    if (code) return code;
    if (fwrite(bytes, 1, size, file.file) != size) {
        int why = errno;
        atomic_file_abandon(&file);
        return cannot_write(options, strerror(why));
    }
    return atomic_file_finish(&file) ? 0 : cannot_write(options, strerror(errno));
}

int checkpoint_write(const options *options, kugel_world *world)
{
    size_t room = kugel_snapshot_bound(world), size;
    void *bytes = malloc(room);
    kugel_status status =
        bytes ? kugel_snapshot_save(world, bytes, room, &size) : KUGEL_ERROR_OUT_OF_MEMORY;
    int code = status ? cannot_write(options, kugel_status_text(status))
                      : write_bytes(options, bytes, size);
    free(bytes);
    return code;
}
