/* See standard_streams.h. */
#include "standard_streams.h"

#include <errno.h>
#include <fcntl.h>

/* The lowest free descriptor is the one that open gives; each is opened for what it is not for. */
bool standard_streams_reserve(void)
{
    for (int handle = 0; handle <= 2; ++handle) {
        if (fcntl(handle, F_GETFD) >= 0) continue;
        if (errno != EBADF || open("/dev/null", handle == 0 ? O_WRONLY : O_RDONLY) != handle)
            return false;
    }
    return true;
}
