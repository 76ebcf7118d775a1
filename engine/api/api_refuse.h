/* Refusals of the public functions. Each function checks its arguments, delegates and records the
 * call, in this order. In: what was wrong. Out: the status; the world's last error is set. */
#ifndef KG_API_API_REFUSE_H
#define KG_API_API_REFUSE_H

#include "world/world.h"

/* Return from a function that changes a world unless it is one, and no callback makes the call.
 * That sets no last error, because pair filters run on many threads. */
#define KG_REFUSE_IF_BUSY(world)                                                                   \
    do {                                                                                           \
        if (!(world)) return KUGEL_ERROR_INVALID_ARGUMENT;                                         \
        if ((world)->busy) return KUGEL_ERROR_STATE;                                               \
    } while (0)

/* The same, and where the bodies of ranks are being created: all calls but those that prepare a
 * world. */
#define KG_REFUSE_UNLESS_READY(world)                                                              \
    do {                                                                                           \
        KG_REFUSE_IF_BUSY(world);                                                                  \
        if ((world)->creating_ranks)                                                               \
            return kg_error_report(world, KUGEL_ERROR_STATE, "world",                              \
                                   "its bodies are on several ranks: call kugel_ranks_create");    \
    } while (0)

static inline kugel_status kg_refuse_null(kugel_world *world, const char *argument)
{
    return kg_error_report(world, KUGEL_ERROR_INVALID_ARGUMENT, argument, "is NULL");
}

/* Reports the error of a check. */
static inline kugel_status kg_refuse_error(kugel_world *world, const kugel_error *error)
{
    return kg_error_report(world, error->status, error->argument, "%s", error->message);
}

#endif
