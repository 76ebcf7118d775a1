/* Rows of bodies as words: one word for each column. */
#include "world/body_rows.h"

#include <string.h>

#include "base/constants.h"

static size_t item_size(int k) { return kg_field_kind_size(kg_body_fields[k].kind); }

/* Rows of a step's forces are never sent: a rank has none. */
static bool is_sent(const kg_bodies *bodies, int k)
{
    return kg_body_fields[k].role != KG_ROLE_LOAD && !kg_bodies_lack_column(bodies, k);
}

static char *item_at(const kg_bodies *bodies, int k, uint32_t slot)
{
    return (char *)kg_bodies_column(bodies, &kg_body_fields[k]) + slot * item_size(k);
}

uint32_t kg_body_row_words(const kg_bodies *bodies)
{
    uint32_t words = 0;
    for (int k = 0; k < KG_BODY_COLUMNS; ++k) words += is_sent(bodies, k);
    return words;
}

static uint64_t load_item(const void *at, kg_field_kind kind)
{
    uint64_t f64;
    uint32_t u32;
    if (kind == KG_U8) return *(const uint8_t *)at;
    if (kind == KG_F64) return memcpy(&f64, at, sizeof f64), f64;
    return memcpy(&u32, at, sizeof u32), u32;
}

void kg_body_row_write(const kg_bodies *bodies, uint32_t slot, uint64_t *words)
{
    for (int k = 0; k < KG_BODY_COLUMNS; ++k) {
        if (is_sent(bodies, k))
            *words++ = load_item(item_at(bodies, k, slot), kg_body_fields[k].kind);
    }
}

void kg_body_row_append(kg_bodies *bodies, const uint64_t *words)
{
    uint32_t slot = bodies->count++;
    for (int k = 0; k < KG_BODY_COLUMNS; ++k) {
        if (is_sent(bodies, k))
            kg_field_put(item_at(bodies, k, slot), kg_body_fields[k].kind, *words++);
        else if (!kg_bodies_lack_column(bodies, k))
            memset(item_at(bodies, k, slot), 0, item_size(k));
    }
    bodies->slot[bodies->id[slot]] = slot;
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
            !kg_column_reserve_exact(memory, &smaller, item_size(k), n, 0))
            continue;
        memcpy(smaller.data, bodies->columns[k].data, bodies->count * item_size(k));
        kg_column_free(memory, &bodies->columns[k]);
        bodies->columns[k] = smaller;
        kg_bodies_set_column(bodies, k, smaller.data);
    }
}
