/* See standard_streams.h. */
#include "standard_streams.h"

#include <errno.h>
#include <fcntl.h>

/* open returns the lowest free descriptor. Input is opened for writing and outputs for reading, so
 * that using them fails as with a closed stream. */
bool standard_streams_reserve(void)
{
    for (int handle = 0; handle <= 2; ++handle) {
        if (fcntl(handle, F_GETFD) >= 0) continue;
        if (errno != EBADF || open("/dev/null", handle == 0 ? O_WRONLY : O_RDONLY) != handle)
            return false;
    }
    return true;
}
