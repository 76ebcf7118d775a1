/* See refusal.h. */
#include "refusal.h"

#include <string.h>

#include "complaint.h"

int complain_refused(const char *name, const kugel_world *world, kugel_status status,
                     const char *where)
{
    const kugel_error *error = kugel_world_last_error(world);
    bool resources = status == KUGEL_ERROR_OUT_OF_MEMORY || status == KUGEL_ERROR_IO;
    const char *dot = strchr(error->argument, '.');
    return complain(resources ? EXIT_RESOURCES : EXIT_USAGE, "%s: %s%s: %s", name, where,
                    dot ? dot : "", error->message[0] ? error->message : kugel_status_text(status));
}
