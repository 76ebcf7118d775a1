/* Gives, frees and finds indices of surfaces. In: handles, indices. Out: indices,
 * handles. Cost: constant, except for the linear search for a free index and the hash. Order: the
 * lowest free index is given first. */
#include "world/indices.h"

#include "base/bytes.h"
#include "base/hash.h"

/* True if an index can be given: it is free, and no handle of it would be given twice. */
static bool is_free(uint32_t state)
{
    return !(state & KG_INDEX_USED) && state < KG_GENERATION_LIMIT;
}

uint32_t kg_indices_next_free(const kg_indices *set, uint32_t from)
{
    while (from < set->end && !is_free(set->state[from])) ++from;
    return from;
}

bool kg_indices_reserve(kg_memory *memory, kg_indices *set, uint32_t end)
{
    return KG_RESERVE(memory, &set->column, set->state, end, set->end);
}

void kg_indices_take(kg_indices *set, uint32_t index)
{
    if (index == set->end) set->state[set->end++] = 0;
    set->state[index] = (set->state[index] + 1) | KG_INDEX_USED;
}

void kg_indices_release(kg_indices *set, uint32_t index) { set->state[index] &= ~KG_INDEX_USED; }

/* The handle of an index in use. */
static uint64_t handle_of(kg_handle_kind kind, uint32_t state, uint32_t index)
{
    uint64_t high = (uint64_t)kind << KG_GENERATION_BITS | (state & ~KG_INDEX_USED);
    return high << 32 | index;
}

uint64_t kg_indices_handle(const kg_indices *set, kg_handle_kind kind, uint32_t index)
{
    return kg_indices_has(set, index) ? handle_of(kind, set->state[index], index) : 0;
}

uint32_t kg_indices_find(const kg_indices *set, kg_handle_kind kind, uint64_t handle)
{
    uint32_t index = (uint32_t)handle;
    return handle && kg_indices_handle(set, kind, index) == handle ? index : KG_NONE;
}

uint64_t kg_indices_hash(const kg_indices *set, uint64_t hash)
{
    for (uint32_t k = 0; k < set->end; ++k) {
        uint64_t item = kg_little_endian64((uint64_t)set->state[k] << 32 | k);
        if (set->state[k] > KG_INDEX_FIRST) hash = XXH3_64bits_withSeed(&item, sizeof item, hash);
    }
    return hash;
}
