/* Opens those of descriptors 0 to 2 that are closed, so that no output file takes their place and
 * receives printed text. */
#ifndef EXPORT_STANDARD_STREAMS_H
#define EXPORT_STANDARD_STREAMS_H

#include <stdbool.h>

/* Take those that are free. Using them stays an error: EBADF. To be called before anything is
 * opened; false: errno says why. */
bool standard_streams_reserve(void);

#endif
