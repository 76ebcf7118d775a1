/* Collects a recording in memory and writes its page. */
#define _GNU_SOURCE
#include "viewing.h"

#include <errno.h>
#include <page.h>
#include <stdlib.h>
#include <string.h>

#include "complaint.h"

bool viewing_open(viewing *viewing)
{
    viewing->stream = open_memstream(&viewing->data, &viewing->size);
    return viewing->stream;
}

bool viewing_take(viewing *viewing, const void *data, size_t size)
{
    return !viewing->stream || fwrite(data, 1, size, viewing->stream) == size;
}

int viewing_write(viewing *viewing, const char *scene, const atomic_file *page)
{
    const char *slash = strrchr(scene, '/');
    kugel_player *player;
    kugel_error error;
    bool whole = fflush(viewing->stream) == 0;
    kugel_status status = KUGEL_ERROR_OUT_OF_MEMORY;
    int why = 0;
    const kugel_limits none = {.bytes = UINT64_MAX}; /* this run has made the recording */
    if (whole)
        status = kugel_player_open(viewing->data, viewing->size, &none, NULL, 1, &player, &error);
    if (!status) {
        status = view_write(page->file, slash ? slash + 1 : scene, player);
        why = errno;
        kugel_player_close(player);
    }
    if (!status) return EXIT_DONE;
    return complain(EXIT_RESOURCES, "--view: %s: cannot be written: %s", page->name,
                    status == KUGEL_ERROR_IO ? strerror(why) : kugel_status_text(status));
}

void viewing_close(viewing *viewing)
{
    if (viewing->stream) fclose(viewing->stream);
    free(viewing->data);
    viewing->stream = NULL;
    viewing->data = NULL;
}
