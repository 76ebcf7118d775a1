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

kugel_status kg_error_no_memory(kugel_error *error, kg_memory *memory, const char *argument,
                                const char *message)
{
    size_t refused = memory->refused;
    memory->refused = 0;
    if (!refused) return kg_error_set(error, KUGEL_ERROR_OUT_OF_MEMORY, argument, "%s", message);
    return kg_error_set(error, KUGEL_ERROR_LIMIT, argument,
                        "needs %zu bytes besides the %zu in use; limits.bytes allows %zu", refused,
                        memory->refused_beside, memory->limit);
}

kugel_status kg_error_report(kugel_world *world, kugel_status status, const char *argument,
                             const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(&world->error, status, argument, format, args);
    va_end(args);
    if (status == KUGEL_ERROR_OUT_OF_MEMORY && world->memory.refused)
        status = kg_error_no_memory(&world->error, &world->memory, argument, "");
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
