/* Blocks of the library's own allocator, small and large: their bytes are theirs, they grow and are
 * given back, and what is held is counted. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/constants.h"
#include "base/memory.h"

static const size_t sizes[] = {
    1, 4096, KG_LARGE_PAGE - 1, KG_LARGE_PAGE, KG_LARGE_PAGE + 12345, 5 * KG_LARGE_PAGE};
#ifdef __linux__
#define ON_LARGE_PAGES true
#else
#define ON_LARGE_PAGES false
#endif
enum { SIZES = sizeof sizes / sizeof *sizes };

static bool holds(const unsigned char *bytes, size_t size, int value)
{
    return bytes[0] == value && bytes[size / 2] == value && memcmp(bytes, bytes + 1, size - 1) == 0;
}

Test(memory, blocks_of_any_size)
{
    kg_memory memory;
    unsigned char *block[SIZES];
    size_t used = 0;
    kg_memory_init(&memory, &(kugel_allocator){0});
    for (int k = 0; k < SIZES; ++k) {
        cr_assert_not_null(block[k] = kg_allocate(&memory, sizes[k]), "%zu bytes", sizes[k]);
        if (ON_LARGE_PAGES && sizes[k] >= KG_LARGE_PAGE)
            cr_assert_eq((uintptr_t)block[k] % KG_LARGE_PAGE, 0, "%zu bytes lie across pages",
                         sizes[k]);
        memset(block[k], k, sizes[k]);
        used += sizes[k];
    }
    cr_assert_eq(memory.used, used);
    for (int k = 0; k < SIZES; ++k) cr_assert(holds(block[k], sizes[k], k), "%zu bytes", sizes[k]);
    for (int k = 0; k < SIZES; ++k) kg_free(&memory, block[k], sizes[k]);
    cr_assert_eq(memory.used, 0);
}

Test(memory, blocks_grow_and_shrink_past_the_large_page)
{
    kg_memory memory;
    kg_memory_init(&memory, &(kugel_allocator){0});
    unsigned char *block = memory.hooks.allocate(memory.hooks.user, sizes[0]);
    memset(block, 7, sizes[0]);
    for (int k = 1; k < 2 * SIZES - 1; ++k) {
        size_t was = sizes[k <= SIZES ? k - 1 : 2 * SIZES - 1 - k],
               is = sizes[k < SIZES ? k : 2 * SIZES - 2 - k];
        block = memory.hooks.reallocate(memory.hooks.user, block, was, is);
        cr_assert_not_null(block, "%zu bytes", is);
        cr_assert(holds(block, was < is ? was : is, 7), "%zu bytes that were %zu", is, was);
        memset(block, 7, is);
    }
    memory.hooks.free(memory.hooks.user, block, sizes[0]);
}

Test(memory, columns_keep_what_they_hold)
{
    kg_memory memory;
    kg_column column = {0};
    kg_memory_init(&memory, &(kugel_allocator){0});
    for (int k = 0; k < SIZES; ++k) {
        size_t keep = k ? sizes[k - 1] : 0;
        cr_assert(kg_column_reserve(&memory, &column, 1, sizes[k], keep));
        cr_assert_eq((uintptr_t)column.data % KG_CACHE_LINE, 0);
        cr_assert(!keep || holds(column.data, keep, 9), "%zu bytes", sizes[k]);
        memset(column.data, 9, sizes[k]);
    }
    kg_column_free(&memory, &column);
    cr_assert_eq(memory.used, 0);
}
