/* An allocator that checks the sizes of freed blocks, overwrites new and freed memory, and fails at
 * a chosen call. */
#ifndef FUZZ_FAILING_MEMORY_H
#define FUZZ_FAILING_MEMORY_H

#include <kugel/kugel.h>

typedef struct failing_memory {
    uint64_t calls;         /* number of calls of allocate and reallocate */
    uint64_t fail_at;       /* number of the call that fails, from 1; 0: none */
    bool fail_on;           /* true: all later calls fail, too */
    uint64_t failures;      /* number of calls that failed */
    uint64_t blocks, bytes; /* in use */
} failing_memory;

kugel_allocator failing_memory_hooks(failing_memory *memory);
/* Let the nth call from now on fail, n >= 1. */
void failing_memory_arm(failing_memory *memory, uint32_t nth, bool fail_on);
void failing_memory_disarm(failing_memory *memory);

#endif
