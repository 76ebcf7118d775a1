/* Rows of bodies as words, for bodies that move between ranks (ranks/). Ids, generations, user data
 * and materials are those of all ranks: they stay when a row leaves, and materials keep their
 * numbers of users. In: rows. Out: words. Order: the rows of the table kg_body_fields. */
#ifndef KG_WORLD_BODY_ROWS_H
#define KG_WORLD_BODY_ROWS_H

#include "world/bodies.h"

/* Words of a row, at most KG_BODY_COLUMNS. */
uint32_t kg_body_row_words(const kg_bodies *bodies);
void kg_body_row_write(const kg_bodies *bodies, uint32_t slot, uint64_t *words);
/* Append a row; it must be reserved. */
void kg_body_row_append(kg_bodies *bodies, const uint64_t *words);
/* Remove a row: the last one takes its place. */
void kg_body_row_remove(kg_bodies *bodies, uint32_t slot);
/* Remove the rows from `count` on. */
void kg_body_rows_truncate(kg_bodies *bodies, uint32_t count);
/* Give the memory of unused rows back; without memory for the move the columns stay. */
void kg_body_rows_shrink(kg_memory *memory, kg_bodies *bodies);

#endif
