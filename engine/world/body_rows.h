/* Rows of bodies as words, for bodies that move between ranks (ranks/). Ids, generations, user data
 * and materials are those of all ranks: they stay when a row leaves, and materials keep their
 * numbers of users. In: rows. Out: words. Order: columns as in the table kg_body_fields. */
#ifndef KG_WORLD_BODY_ROWS_H
#define KG_WORLD_BODY_ROWS_H

#include "world/bodies.h"

/* Words of n rows: column after column, each of whole words. */
size_t kg_body_rows_words(const kg_bodies *bodies, size_t n);
void kg_body_rows_write(const kg_bodies *bodies, const uint32_t *slots, size_t n, uint64_t *words);
/* Append n rows; they must be reserved. */
void kg_body_rows_append(kg_bodies *bodies, const uint64_t *words, size_t n);
/* Remove a row: the last one takes its place. */
void kg_body_row_remove(kg_bodies *bodies, uint32_t slot);
/* Remove the rows from `count` on. */
void kg_body_rows_truncate(kg_bodies *bodies, uint32_t count);
/* Give the memory of unused rows back; without memory for the move the columns stay. */
void kg_body_rows_shrink(kg_memory *memory, kg_bodies *bodies);

#endif
