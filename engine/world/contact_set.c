#include "world/contact_set.h"

#include <string.h>

bool kg_contact_set_add(kg_memory *memory, kg_contact_set *set, kg_contact contact)
{
    if (!kg_column_reserve(memory, &set->column, sizeof contact, (size_t)set->count + 1, set->count)) return false;
    set->items = set->column.data;
    contact.leads = true;
    set->items[set->count++] = contact;
    set->changes += 1;
    return true;
}

bool kg_contact_set_copy(kg_memory *memory, kg_contact_set *dst, const kg_contact_set *src)
{
    if (!kg_column_reserve(memory, &dst->column, sizeof *dst->items, src->count, 0)) return false;
    dst->items = dst->column.data;
    dst->count = src->count;
    dst->changes = src->changes;
    if (src->count) memcpy(dst->items, src->items, src->count * sizeof *dst->items);
    return true;
}

void kg_contact_set_free(kg_memory *memory, kg_contact_set *set)
{
    kg_column_free(memory, &set->column);
    *set = (kg_contact_set){0};
}

void kg_contact_set_forget(kg_contact_set *set, uint32_t id)
{
    uint32_t kept = 0;
    bool leads = false; /* a contact that led its group is gone: the next one does */
    for (uint32_t k = 0; k < set->count; ++k) {
        const kg_contact *c = &set->items[k];
        leads = leads || c->leads;
        if (c->a == id || (c->other == KG_OTHER_BODY && c->b == id)) continue;
        set->items[kept] = *c;
        set->items[kept++].leads = leads;
        leads = false;
    }
    set->changes += set->count - kept;
    set->count = kept;
}
