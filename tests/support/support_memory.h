/* An allocator for tests: it counts, and fails where it is armed. */
#ifndef SUPPORT_MEMORY_H
#define SUPPORT_MEMORY_H

#include <kugel/kugel.h>

typedef struct support_memory {
    uint64_t allocations; /* allocations and reallocations, failed ones included */
    uint64_t fail_at;     /* the one that fails, from 1; 0: none */
    bool fail_on;         /* true: all later ones fail, too */
    uint64_t failures;
    int64_t bytes, most; /* in use; the most so far */
} support_memory;

kugel_allocator support_allocator(support_memory *memory);
/* Let the allocation after `others` more fail; below 0: none. */
void support_memory_arm(support_memory *memory, int others);

#endif
