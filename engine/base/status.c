/* Texts of the status codes. */
#include "kugel/status.h"

const char *kugel_status_text(kugel_status status)
{
    static const char *const texts[] = {
        [KUGEL_OK] = "done",
        [KUGEL_ERROR_INVALID_ARGUMENT] = "invalid argument",
        [KUGEL_ERROR_OUT_OF_MEMORY] = "out of memory",
        [KUGEL_ERROR_STALE_HANDLE] = "stale handle",
        [KUGEL_ERROR_UNINITIALIZED_DEF] = "def not made by its default function",
        [KUGEL_ERROR_FLOATING_POINT] = "floating point environment changed",
        [KUGEL_ERROR_LIMIT] = "limit reached",
        [KUGEL_ERROR_FORMAT] = "not a readable recording or snapshot",
        [KUGEL_ERROR_IO] = "input or output failed",
        [KUGEL_ERROR_STATE] = "call does not fit the moment",
    };
    if (status >= sizeof texts / sizeof *texts) return "unknown status";
    return texts[status];
}
