/** @file
 * Status codes and error values. Functions that can fail return a kugel_status; a player's step and
 * seek return a kugel_play. A call that fails leaves the world unchanged. A recording that fails to
 * write ends (kugel/record.h). */
#ifndef KUGEL_STATUS_H
#define KUGEL_STATUS_H

#include "version.h"

KUGEL_BEGIN_DECLS

/// @defgroup errors Errors
/// Status codes and error values.
/// @{

/// The result of a call.
KUGEL_ENUM(kugel_status){
    KUGEL_OK = 0,                      ///< success
    KUGEL_ERROR_INVALID_ARGUMENT = 1,  ///< an argument is out of range, NaN, infinite or NULL
    KUGEL_ERROR_OUT_OF_MEMORY = 2,     ///< an allocation failed
    KUGEL_ERROR_STALE_HANDLE = 3,      ///< no live body or surface of this world has the handle
    KUGEL_ERROR_UNINITIALIZED_DEF = 4, ///< the def was not made by its default function
    /// The host changed rounding, contraction, subnormals or traps of exceptions (these on x86):
    /// creation and steps check this, since other calls would take twice their time.
    KUGEL_ERROR_FLOATING_POINT = 5,
    KUGEL_ERROR_LIMIT = 6,  ///< a limit was reached (memory, bodies, paths or events of a step)
    KUGEL_ERROR_FORMAT = 7, ///< not a valid recording, snapshot or delta
    KUGEL_ERROR_IO = 8,     ///< a callback or the system failed to read or write
    KUGEL_ERROR_STATE = 9,  ///< the call is not allowed now, as when a recording is already running
};

/// An error as a value. argument and message are empty when status is KUGEL_OK.
typedef struct kugel_error {
    kugel_status status; ///< the kind of error
    char argument[64];   ///< name of the argument or field, as "position" or "def.radius"
    char message[192];   ///< what is wrong with it
} kugel_error;

/// The text of a status, in static storage; "unknown status" for values outside the enum.
KUGEL_API const char *kugel_status_text(kugel_status status);

/// @}

KUGEL_END_DECLS
#endif
