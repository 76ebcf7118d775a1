/* Stable sort by radix, or for few items by insertion (sort.h). */
#include "base/sort.h"

#include <string.h>

typedef struct keyed_values {
    uint64_t *keys;
    uint32_t *values;
} keyed_values;

static void scatter(keyed_values from, keyed_values to, size_t n, int shift, size_t start[256])
{
    for (size_t i = 0; i < n; ++i) {
        size_t at = start[from.keys[i] >> shift & 255]++;
        to.keys[at] = from.keys[i];
        to.values[at] = from.values[i];
    }
}

/* Cheaper than other sorts for few items. */
static void insertion_sort(uint64_t *keys, uint32_t *values, size_t n)
{
    for (size_t i = 1; i < n; ++i) {
        uint64_t key = keys[i];
        uint32_t value = values[i];
        size_t at = i;
        for (; at > 0 && keys[at - 1] > key; --at)
            keys[at] = keys[at - 1], values[at] = values[at - 1];
        keys[at] = key, values[at] = value;
    }
}

/* Radix sort from the lowest byte. Returns true if the result is in `to`. */
static bool radix_sort(keyed_values from, keyed_values to, size_t n)
{
    uint64_t varies = 0;
    bool moved = false;
    for (size_t i = 1; i < n; ++i) varies |= from.keys[i] ^ from.keys[0];
    for (int shift = 0; shift < 64; shift += 8) {
        if (!(varies >> shift & 255)) continue;
        size_t start[256] = {0};
        for (size_t i = 0; i < n; ++i) start[from.keys[i] >> shift & 255]++;
        size_t sum = 0;
        for (int b = 0; b < 256; ++b) {
            size_t count = start[b];
            start[b] = sum;
            sum += count;
        }
        scatter(from, to, n, shift, start);
        keyed_values other = from;
        from = to, to = other;
        moved = !moved;
    }
    return moved;
}

static bool is_sorted(const uint64_t *keys, size_t n)
{
    size_t i = 1;
    while (i < n && keys[i - 1] <= keys[i]) ++i;
    return i >= n;
}

void kg_sort_u64(uint64_t *keys, uint32_t *values, uint64_t *key_scratch, uint32_t *value_scratch,
                 size_t n)
{
    enum { INSERTION_MAX = 64 };
    if (n <= INSERTION_MAX) {
        insertion_sort(keys, values, n);
        return;
    }
    keyed_values given = {keys, values}, scratch = {key_scratch, value_scratch};
    if (is_sorted(keys, n) || !radix_sort(given, scratch, n)) return;
    memcpy(keys, key_scratch, n * sizeof *keys);
    memcpy(values, value_scratch, n * sizeof *values);
}

uint64_t kg_sort_key(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

double kg_sort_key_value(uint64_t key)
{
    uint64_t bits = key >> 63 ? key ^ (uint64_t)1 << 63 : ~key;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

bool kg_sort_take(kg_memory *memory, kg_scratch *scratch, size_t n, kg_sort_arrays *arrays)
{
    uint64_t *keys = kg_scratch_take(memory, scratch, 2 * sizeof *keys, n);
    uint32_t *values = kg_scratch_take(memory, scratch, 2 * sizeof *values, n);
    if (!keys || !values) return false;
    *arrays = (kg_sort_arrays){keys, keys + n, values, values + n};
    return true;
}

bool kg_sort_items(kg_memory *memory, kg_scratch *scratch, void *items, size_t size, size_t n,
                   int parts, kg_sort_part *key)
{
    if (n < 2) return true;
    kg_scratch_mark mark = kg_scratch_top(scratch);
    kg_sort_arrays a;
    char *to = items, *copy = kg_scratch_take(memory, scratch, size, n);
    bool ok = copy && kg_sort_take(memory, scratch, n, &a);
    if (ok) {
        memcpy(copy, items, n * size);
        for (size_t i = 0; i < n; ++i) a.values[i] = (uint32_t)i;
        for (int part = 0; part < parts; ++part) {
            for (size_t i = 0; i < n; ++i) a.keys[i] = key(copy + a.values[i] * size, part);
            kg_sort(&a, n);
        }
        for (size_t i = 0; i < n; ++i) memcpy(to + i * size, copy + a.values[i] * size, size);
    }
    kg_scratch_release(memory, scratch, mark);
    return ok;
}
