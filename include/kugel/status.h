/** @file
 * Status codes and error values. Every function that can fail returns a kugel_status; a failed call
 * leaves the world, the file or the recording as it was. */
#ifndef KUGEL_STATUS_H
#define KUGEL_STATUS_H

#include "version.h"

KUGEL_BEGIN_DECLS

/// What a call came to.
typedef enum kugel_status {
    KUGEL_OK = 0, ///< done
    KUGEL_ERROR_INVALID_ARGUMENT =
        1, ///< a value out of its range, NaN, infinity, NULL; the error names it
    KUGEL_ERROR_OUT_OF_MEMORY = 2,     ///< an allocation failed; nothing changed
    KUGEL_ERROR_STALE_HANDLE = 3,      ///< the body was destroyed, or never was in this world
    KUGEL_ERROR_UNINITIALIZED_DEF = 4, ///< the def was not made by its default function
    KUGEL_ERROR_FLOATING_POINT = 5,    ///< the host changed rounding, contraction or subnormals
    KUGEL_ERROR_LIMIT = 6,  ///< a fixed limit was reached (bodies, planes, travel in a tick)
    KUGEL_ERROR_FORMAT = 7, ///< bytes that are no recording, snapshot or delta, or a damaged one
    KUGEL_ERROR_IO = 8,     ///< a callback or the system could not read or write
    KUGEL_ERROR_STATE = 9,  ///< a call that does not fit the moment (already recording ...)
    KUGEL_STATUS_COUNT      ///< how many there are; no status itself
} kugel_status;

/// What went wrong, as a value. `argument` names the argument or field ("def.radius", "position"),
/// `message` says what was wrong with it. Both are empty when status is KUGEL_OK.
typedef struct kugel_error {
    kugel_status status; ///< what kind
    char argument[64];   ///< which argument or field
    char message[192];   ///< what was wrong with it
} kugel_error;

/// Text of a status, static storage, never NULL ("unknown status" for values outside the enum).
KUGEL_API const char *kugel_status_text(kugel_status status);

KUGEL_END_DECLS
#endif
