/* Rows of bodies as 64-bit words, column by column (body_rows.h). */
#include "world/body_rows.h"

#include <string.h>

#include "base/constants.h"

/* Forces and torques are not sent: in the world of a rank all are 0. */
static bool is_sent(const kg_bodies *bodies, int k)
{
    return kg_body_fields[k].role != KG_ROLE_LOAD && !kg_bodies_lack_column(bodies, k);
}

static char *item_at(const kg_bodies *bodies, int k, uint32_t slot)
{
    return (char *)kg_bodies_column(bodies, &kg_body_fields[k]) + slot * kg_bodies_item_size(k);
}

static size_t words_of_column(int k, size_t n)
{
    return (n * kg_bodies_item_size(k) + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

size_t kg_body_rows_words(const kg_bodies *bodies, size_t n)
{
    size_t words = 0;
    for (int k = 0; k < KG_BODY_COLUMNS; ++k) words += is_sent(bodies, k) * words_of_column(k, n);
    return words;
}

void kg_body_rows_write(const kg_bodies *bodies, const uint32_t *slots, size_t n, uint64_t *words)
{
    for (int k = 0; k < KG_BODY_COLUMNS; ++k) {
        size_t all = words_of_column(k, n);
        if (!is_sent(bodies, k) || !all) continue;
        words[all - 1] = 0; /* the column may not fill its last word */
        kg_bodies_gather_column(bodies, k, slots, n, words);
        words += all;
    }
}

void kg_body_rows_append(kg_bodies *bodies, const uint64_t *words, size_t n)
{
    uint32_t first = bodies->count;
    for (int k = 0; k < KG_BODY_COLUMNS; ++k) {
        if (is_sent(bodies, k)) {
            memcpy(item_at(bodies, k, first), words, n * kg_bodies_item_size(k));
            words += words_of_column(k, n);
        } else if (!kg_bodies_lack_column(bodies, k)) {
            memset(item_at(bodies, k, first), 0, n * kg_bodies_item_size(k));
        }
    }
    bodies->count = first + (uint32_t)n;
    kg_bodies_set_slots(bodies, first, bodies->count);
}

void kg_body_row_remove(kg_bodies *bodies, uint32_t slot)
{
    uint32_t material = bodies->material[slot];
    kg_bodies_remove(bodies, slot);
    bodies->materials[material].body_count += 1;
}

void kg_body_rows_truncate(kg_bodies *bodies, uint32_t count)
{
    for (uint32_t i = count; i < bodies->count; ++i) bodies->slot[bodies->id[i]] = KG_NONE;
    bodies->count = count;
}

void kg_body_rows_shrink(kg_memory *memory, kg_bodies *bodies)
{
    size_t n = bodies->count ? bodies->count : 1;
    for (int k = 0; k < KG_BODY_COLUMNS; ++k) {
        kg_column smaller = {0};
        if (kg_bodies_lack_column(bodies, k) || bodies->columns[k].capacity <= n ||
            !kg_column_reserve_exact(memory, &smaller, kg_bodies_item_size(k), n, 0))
            continue;
        memcpy(smaller.data, bodies->columns[k].data, bodies->count * kg_bodies_item_size(k));
        kg_column_free(memory, &bodies->columns[k]);
        bodies->columns[k] = smaller;
        kg_bodies_set_column(bodies, k, smaller.data);
    }
}
