/* The indices of the surfaces of a world, and their handles. A handle has the index in the low 32
 * bits, and the kind and the generation of the index, from 1 on, in the high ones. So no handle of
 * one kind is one of another. */
#ifndef KG_WORLD_INDICES_H
#define KG_WORLD_INDICES_H

#include "base/constants.h"
#include "base/memory.h"

/* What a handle is of. The handle of a body is of kind 0 (bodies.h). */
typedef enum kg_handle_kind { KG_HANDLE_SURFACE = 1 } kg_handle_kind;

/* Bit of a state: the index is in use. */
#define KG_INDEX_USED 0x80000000u
/* The state of an index that was given once and not freed. */
#define KG_INDEX_FIRST (KG_INDEX_USED | 1)

typedef struct kg_indices {
    /* [end] generation of the present or last thing with this index, and KG_INDEX_USED */
    uint32_t *state;
    uint32_t end; /* indices that were given so far; it does not fall when they are free again */
    kg_column column;
} kg_indices;

static inline bool kg_indices_has(const kg_indices *set, uint32_t index)
{
    return index < set->end && set->state[index] & KG_INDEX_USED;
}
/* The lowest index from `from` on that is free and has a generation left; set->end if there is none
 * below. */
uint32_t kg_indices_next_free(const kg_indices *set, uint32_t from);
/* Reserve the indices below `end`. False when out of memory. */
bool kg_indices_reserve(kg_memory *memory, kg_indices *set, uint32_t end);
/* Put a reserved index that kg_indices_next_free returned in use, with its next generation. */
void kg_indices_take(kg_indices *set, uint32_t index);
/* Free an index that is in use. */
void kg_indices_release(kg_indices *set, uint32_t index);
/* The handle of an index, or 0 if it is free. */
uint64_t kg_indices_handle(const kg_indices *set, kg_handle_kind kind, uint32_t index);
/* True if things of the kind have such handles. */
static inline bool kg_indices_may_be(kg_handle_kind kind, uint64_t handle)
{
    uint64_t high = handle >> 32, generation = high & KG_GENERATION_LIMIT;
    return high >> KG_GENERATION_BITS == (uint64_t)kind && generation;
}
/* The index of a handle, or KG_NONE if it is stale or of another kind. */
uint32_t kg_indices_find(const kg_indices *set, kg_handle_kind kind, uint64_t handle);
/* Add the indices in use with a generation above 1 to a hash. */
uint64_t kg_indices_hash(const kg_indices *set, uint64_t hash);

#endif
