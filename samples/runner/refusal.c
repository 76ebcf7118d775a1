/* See refusal.h. */
#include "refusal.h"

#include <stdio.h>
#include <string.h>

/* `more` follows the message. */
static int print(const char *name, const kugel_world *world, kugel_status status, const char *where,
                 const char *more)
{
    const kugel_error *error = kugel_world_last_error(world);
    bool resources = status == KUGEL_ERROR_OUT_OF_MEMORY || status == KUGEL_ERROR_IO;
    const char *dot = strchr(error->argument, '.');
    return complain(resources ? EXIT_RESOURCES : EXIT_USAGE, "%s: %s%s: %s%s", name, where,
                    dot ? dot : "", error->message[0] ? error->message : kugel_status_text(status),
                    more);
}

int complain_refused(const char *name, const kugel_world *world, kugel_status status,
                     const char *where)
{
    return print(name, world, status, where, "");
}

/* True if the run has files that it removes after an error. */
static bool loses_files(const options *o)
{
    return o->csv || o->export || o->video || o->events || o->series || o->forces ||
           ((o->record || o->view) && !o->last);
}

int complain_step(const options *options, const kugel_world *world, kugel_status status,
                  uint64_t tick)
{
    char where[48], more[192] = "";
    kugel_world_def def;
    kugel_world_get_def(world, &def);
    snprintf(where, sizeof where, "tick %llu", (unsigned long long)tick);
    if (status == KUGEL_ERROR_LIMIT && def.growth > 0)
        strcat(more, "; growth may have jammed the bodies: end the run before, or take less");
    if (status == KUGEL_ERROR_LIMIT && tick > 1 && loses_files(options))
        snprintf(more + strlen(more), sizeof more - strlen(more),
                 "; the files of this run are removed, --ticks %llu keeps them",
                 (unsigned long long)tick - 1);
    return print(options->scene, world, status, where, more);
}
