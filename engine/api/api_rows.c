/* Arrays of rows for callers whose rows have another size (api_rows.h). */
#include "api/api_rows.h"

#include "query/query_index.h"

bool kg_rows_open(kg_rows *rows, const kugel_world *world)
{
    rows->items = rows->out;
    if (rows->size == rows->own || !rows->capacity) return true;
    if (rows->capacity > SIZE_MAX / rows->own) return false;
    rows->items = kg_query_allocate(world->query, rows->capacity * rows->own);
    return rows->items;
}

void kg_rows_close(kg_rows *rows, const kugel_world *world, size_t count)
{
    if (rows->items == rows->out) return;
    for (size_t k = 0; k < count && k < rows->capacity; ++k)
        kg_rows_set(rows, k, (const char *)rows->items + k * rows->own);
    kg_query_free(world->query, rows->items, rows->capacity * rows->own);
}
