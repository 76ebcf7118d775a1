/* Descriptors 0 to 2 of a program that was started without some of them: the next file that is
 * opened would be one, and what is printed would go into it. */
#ifndef EXPORT_STANDARD_STREAMS_H
#define EXPORT_STANDARD_STREAMS_H

#include <stdbool.h>

/* Take those that are free. Using them stays an error: EBADF. To be called before anything is
 * opened; false: errno says why. */
bool standard_streams_reserve(void);

#endif
