/* Rows of bodies as 64-bit words, for bodies and ghosts that ranks send to each other (ranks/).
 * All ranks have the same materials, and the same generation and user data of each id. So a row
 * that leaves a rank changes none of these; body_count of a material counts the bodies of all
 * ranks.
 * In: rows. Out: words. Order: columns as in kg_body_fields; KG_ROLE_LOCAL columns are sent too. */
#ifndef KG_WORLD_BODY_ROWS_H
#define KG_WORLD_BODY_ROWS_H

#include "world/bodies.h"

/* Number of words of n rows: column after column, each padded to whole words. */
size_t kg_body_rows_words(const kg_bodies *bodies, size_t n);
/* Write the rows slots[0 ... n - 1] to `words`. */
void kg_body_rows_write(const kg_bodies *bodies, const uint32_t *slots, size_t n, uint64_t *words);
/* Append n rows from `words`; memory for them must be reserved. */
void kg_body_rows_append(kg_bodies *bodies, const uint64_t *words, size_t n);
/* Remove a row that goes to another rank: the last row takes its place. */
void kg_body_row_remove(kg_bodies *bodies, uint32_t slot);
/* Remove the rows from `count` on. */
void kg_body_rows_truncate(kg_bodies *bodies, uint32_t count);
/* Free the memory of unused rows. A column stays if there is no memory for its smaller copy. */
void kg_body_rows_shrink(kg_memory *memory, kg_bodies *bodies);

#endif
