/* An allocator that checks sizes, fills new and freed memory, and fails where it is armed. */
#ifndef FUZZ_FAILING_MEMORY_H
#define FUZZ_FAILING_MEMORY_H

#include <kugel/kugel.h>

typedef struct failing_memory {
    uint64_t calls;   /* allocate and reallocate */
    uint64_t fail_at; /* the call that fails, from 1; 0: none */
    bool fail_on;     /* true: all later calls fail as well */
    uint64_t failures;
    uint64_t blocks, bytes; /* in use */
} failing_memory;

kugel_allocator failing_memory_hooks(failing_memory *memory);
/* The nth next call fails, n >= 1. */
void failing_memory_arm(failing_memory *memory, uint32_t nth, bool fail_on);
void failing_memory_disarm(failing_memory *memory);

#endif
