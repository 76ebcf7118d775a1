/* Refusals by public functions. A function that changes a world checks its arguments, delegates
 * and records the call, in this order. In: what is wrong. Out: the status; the world's last error
 * is set. */
#ifndef KG_API_API_REFUSE_H
#define KG_API_API_REFUSE_H

#include "world/guard.h"

static inline kugel_status kg_refuse_null(kugel_world *world, const char *argument)
{
    return kg_error_report(world, KUGEL_ERROR_INVALID_ARGUMENT, argument, "is NULL");
}

static inline kugel_status kg_refuse_handle(kugel_world *world, const char *kind, uint64_t handle)
{
    return kg_error_report(world, KUGEL_ERROR_STALE_HANDLE, kind,
                           "%#llx is not a live %s of this world", (unsigned long long)handle,
                           kind);
}

/* Report the error that a check has set. */
static inline kugel_status kg_refuse_error(kugel_world *world, const kugel_error *error)
{
    return kg_error_report(world, error->status, error->argument, "%s", error->message);
}

/* Set *count to 0. True if the outputs of a query are valid: `count` is not NULL, and `items` is
 * not NULL or `capacity` is 0. */
static inline bool kg_clear_results(size_t capacity, const void *items, size_t *count)
{
    if (count) *count = 0;
    return count && (items || !capacity);
}

/* Make the index of contacts for a call that wakes bodies or ends contacts of a body. */
static inline kugel_status kg_api_ensure_contacts(kugel_world *world)
{
    if (kg_contact_index_ensure(world)) return KUGEL_OK;
    return kg_error_report(world, KUGEL_ERROR_OUT_OF_MEMORY, "contacts",
                           "no memory to find the contacts of a body");
}

#endif
