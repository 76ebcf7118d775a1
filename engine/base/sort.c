#include "base/sort.h"

#include <string.h>

static void pass(const uint64_t *keys, const uint32_t *values, uint64_t *keys_to, uint32_t *values_to, size_t n,
                 int shift, size_t start[256])
{
    for (size_t i = 0; i < n; ++i) {
        size_t at = start[keys[i] >> shift & 255]++;
        keys_to[at] = keys[i];
        values_to[at] = values[i];
    }
}

/* By insertion: for a few, less work than to count their bytes. */
static void sort_few(uint64_t *keys, uint32_t *values, size_t n)
{
    for (size_t i = 1; i < n; ++i) {
        uint64_t key = keys[i];
        uint32_t value = values[i];
        size_t at = i;
        for (; at > 0 && keys[at - 1] > key; --at) keys[at] = keys[at - 1], values[at] = values[at - 1];
        keys[at] = key, values[at] = value;
    }
}

void kg_sort_u64(uint64_t *keys, uint32_t *values, uint64_t *key_scratch, uint32_t *value_scratch, size_t n)
{
    enum { FEW = 32 };
    if (n <= FEW) {
        sort_few(keys, values, n);
        return;
    }
    uint64_t *from = keys, *to = key_scratch;
    uint32_t *values_from = values, *values_to = value_scratch;
    uint64_t varies = 0;
    for (size_t i = 1; i < n; ++i) varies |= keys[i] ^ keys[0];
    for (int shift = 0; shift < 64; shift += 8) {
        if (!(varies >> shift & 255)) continue;
        size_t start[256] = {0};
        for (size_t i = 0; i < n; ++i) start[from[i] >> shift & 255]++;
        size_t sum = 0;
        for (int b = 0; b < 256; ++b) {
            size_t count = start[b];
            start[b] = sum;
            sum += count;
        }
        pass(from, values_from, to, values_to, n, shift, start);
        uint64_t *k = from;
        from = to, to = k;
        uint32_t *v = values_from;
        values_from = values_to, values_to = v;
    }
    if (from == keys) return;
    memcpy(keys, from, n * sizeof *keys);
    memcpy(values, values_from, n * sizeof *values);
}

uint64_t kg_sort_key(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}
