/* An allocator with a limit, so that input that claims millions of rows runs out of memory. */
#ifndef FUZZ_BOUNDED_MEMORY_H
#define FUZZ_BOUNDED_MEMORY_H

#include <kugel/kugel.h>

/* `used` receives the bytes in use, at most BOUNDED_MEMORY_LIMIT. */
#define BOUNDED_MEMORY_LIMIT ((size_t)1 << 26)
kugel_allocator bounded_memory_hooks(size_t *used);

#endif
