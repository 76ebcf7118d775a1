/* The table of pairs (kugel/pairs.h): contact materials that two kinds of material have together.
 * The row of a pair has a fixed place, so the table grows at its end. Cost of a look-up: O(1). */
#ifndef KG_WORLD_PAIRS_H
#define KG_WORLD_PAIRS_H

#include "base/memory.h"
#include "kugel/world.h"

struct kugel_world;

typedef struct kg_contact_material {
    double restitution, friction, rolling_resistance, tangential_restitution;
    uint32_t kind; /* of a body or boundary; unused of a pair */
} kg_contact_material;

typedef struct kg_pair_row {
    uint32_t kinds[2]; /* kinds[0] <= kinds[1] */
    bool given;        /* the table has the pair */
    kg_contact_material material;
} kg_pair_row;

typedef struct kg_pairs {
    kg_pair_row *rows; /* [end] by kg_pairs_place */
    uint32_t end;
    uint32_t count; /* rows that are given */
    kg_column column;
} kg_pairs;

/* The place of a pair among the rows: by the higher kind, then by the lower. */
static inline uint32_t kg_pairs_place(uint32_t a, uint32_t b)
{
    uint32_t high = a > b ? a : b, low = a > b ? b : a;
    return high * (high + 1) / 2 + low;
}

/* The row of a pair, or NULL if the table lacks the pair. Kinds are below KUGEL_KIND_COUNT. */
static inline const kg_pair_row *kg_pairs_find(const kg_pairs *pairs, uint32_t a, uint32_t b)
{
    if (!pairs->count) return NULL;
    uint32_t place = kg_pairs_place(a, b);
    return place < pairs->end && pairs->rows[place].given ? &pairs->rows[place] : NULL;
}

/* The first given row at `place` or behind it, or NULL. */
static inline const kg_pair_row *kg_pairs_next(const kg_pairs *pairs, uint32_t place)
{
    while (place < pairs->end && !pairs->rows[place].given) ++place;
    return place < pairs->end ? &pairs->rows[place] : NULL;
}
/* For each given row, in the order of places. */
#define KG_FOR_PAIRS(row, pairs)                                                                   \
    for (const kg_pair_row *row = kg_pairs_next(pairs, 0); row;                                    \
         row = kg_pairs_next(pairs, (uint32_t)(row - (pairs)->rows) + 1))

/* Reserve the rows of all pairs up to these kinds; false when out of memory. */
bool kg_pairs_reserve(kg_memory *memory, kg_pairs *pairs, uint32_t a, uint32_t b);
/* Put a pair into the table; its row is reserved. */
void kg_pairs_set(kg_pairs *pairs, uint32_t a, uint32_t b, const kg_contact_material *material);
/* Remove a pair, if the table has it. */
void kg_pairs_remove(kg_pairs *pairs, uint32_t a, uint32_t b);
/* Remove all pairs. */
void kg_pairs_clear(kg_pairs *pairs);
void kg_pairs_free(kg_memory *memory, kg_pairs *pairs);

/* True if some pair has rolling resistance. */
bool kg_pairs_any_rolling(const kg_pairs *pairs);
/* True if by the world's table and materials all impacts have restitution 1 and friction 0. */
bool kg_pairs_lose_nothing(const struct kugel_world *world);

#endif
