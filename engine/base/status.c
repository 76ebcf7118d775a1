/* Texts of the status codes. */
#include "kugel/status.h"

const char *kugel_status_text(kugel_status status)
{
    static const char *const texts[KUGEL_STATUS_COUNT] = {
        "done",
        "invalid argument",
        "out of memory",
        "stale handle",
        "def not made by its default function",
        "floating point environment changed",
        "limit reached",
        "not a readable recording or snapshot",
        "input or output failed",
        "call does not fit the moment",
    };
    if ((unsigned)status >= KUGEL_STATUS_COUNT) return "unknown status";
    return texts[status];
}
