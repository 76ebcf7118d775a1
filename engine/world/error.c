/* Errors as values: filled in, stored in the world and written to its log. */
#include <stdarg.h>
#include <stdio.h>

#include "world/world.h"

static void fill(kugel_error *error, kugel_status status, const char *argument, const char *format,
                 va_list args)
{
    error->status = status;
    snprintf(error->argument, sizeof error->argument, "%s", argument);
    vsnprintf(error->message, sizeof error->message, format, args);
}

kugel_status kg_error_set(kugel_error *error, kugel_status status, const char *argument,
                          const char *format, ...)
{
    if (!error) return status;
    va_list args;
    va_start(args, format);
    fill(error, status, argument, format, args);
    va_end(args);
    return status;
}

kugel_status kg_error_report(kugel_world *world, kugel_status status, const char *argument,
                             const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(&world->error, status, argument, format, args);
    va_end(args);
    const kugel_log *log = &world->def.log;
    if (log->write) {
        char text[sizeof world->error.argument + sizeof world->error.message + 4];
        snprintf(text, sizeof text, "%s: %s", world->error.argument, world->error.message);
        bool was_busy = world->busy;
        world->busy = true;
        log->write(log->user, status, text);
        world->busy = was_busy;
    }
    return status;
}
