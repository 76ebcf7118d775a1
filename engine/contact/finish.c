/* The end of a tick: impulses go back into the contacts, which are in the order of their keys again; and the order of the
 * solve is told what has become of them, for the next tick to keep. */
#include <string.h>

#include "contact/contact.h"

static void store_impulses(void *context, uint32_t piece, uint32_t from, uint32_t to)
{
    kugel_world *world = context;
    const kg_contact_stage *stage = world->contact;
    (void)piece;
    for (uint32_t i = from; i < to; ++i) {
        const kg_contact_group *g = &stage->groups[i];
        const kg_contact_span *span = &stage->spans[i];
        for (int lane = 0; lane < span->count; ++lane) {
            if ((span->ended | span->idle) >> lane & 1) continue;
            kg_contact *c = &world->work.contacts.items[kg_contact_item(stage, span, lane)];
            c->normal_impulse = g->impulse[lane];
            for (int k = 0; k < 3; ++k) {
                c->friction[k] = g->rub[k][lane];
                if (stage->rolling) c->rolling[k] = stage->rolling[i].impulse[k][lane];
            }
        }
    }
}

/* What is left of items[from ... to), moved down to items[from]; returns how many. */
static uint32_t drop_ended(kg_contact *items, uint32_t from, uint32_t to)
{
    uint32_t at = from;
    for (uint32_t k = from; k < to; ++k) {
        if (items[k].ended) continue;
        if (at != k) items[at] = items[k];
        at += 1;
    }
    return at - from;
}

/* Where old items will be among the new ones, in `becomes`, KG_CONTACT_GONE where one ended; and where the new ones
 * will be. Both are in the order of their keys. */
static void find_places(const kg_contact *items, uint32_t old, const kg_contact *fresh, uint32_t count, uint32_t *becomes, uint32_t *fresh_at)
{
    uint32_t at = 0, n = 0;
    for (uint32_t k = 0; k < old; ++k) {
        if (items[k].ended) {
            becomes[k] = KG_CONTACT_GONE;
            continue;
        }
        uint64_t key = kg_contact_key(&items[k]);
        while (n < count && kg_contact_key(&fresh[n]) < key) fresh_at[n++] = at++;
        becomes[k] = at++;
    }
    while (n < count) fresh_at[n++] = at++;
}

/* The new ones among the old ones: both go to their places, the last first. */
static void merge(kg_contact *items, uint32_t old, const kg_contact *fresh, uint32_t count)
{
    for (uint32_t to = old + count; count > 0;) {
        bool takes_old = old > 0 && kg_contact_key(&items[old - 1]) > kg_contact_key(&fresh[count - 1]);
        items[--to] = takes_old ? items[--old] : fresh[--count];
    }
}

/* Room to settle in: where the solver's shifts were. */
static bool reserve(kugel_world *world)
{
    kg_contact_stage *stage = world->contact;
    const kg_contact_set *set = &world->work.contacts;
    size_t size = (set->count - stage->sorted) * sizeof *set->items + stage->sorted * sizeof *stage->order;
    kg_column *column = &stage->columns[KG_CONTACT_COLUMN_SHIFTS];
    return kg_column_reserve(&world->memory, column, sizeof *stage->shifts, size / sizeof *stage->shifts + 1, 0) &&
           kg_contact_reserve_order(world, set->count);
}

/* Items of the order by their new places; the new ones' follow, in no group. */
static void settle(kugel_world *world)
{
    kg_contact_stage *stage = world->contact;
    kg_contact_set *set = &world->work.contacts;
    uint32_t old = stage->sorted, fresh = drop_ended(set->items, old, set->count);
    kg_contact *copy = stage->columns[KG_CONTACT_COLUMN_SHIFTS].data;
    uint32_t *becomes = (uint32_t *)(void *)(copy + fresh);
    kg_contact_sort_new(set->items + old, fresh);
    memcpy(copy, set->items + old, fresh * sizeof *copy);
    find_places(set->items, old, copy, fresh, becomes, &stage->order[old]);
    for (uint32_t k = 0; k < old; ++k) {
        uint32_t entry = stage->order[k], at = becomes[entry & KG_CONTACT_ITEM];
        stage->order[k] = at == KG_CONTACT_GONE ? at : (entry & ~KG_CONTACT_ITEM) | at;
    }
    uint32_t left = drop_ended(set->items, 0, old);
    merge(set->items, left, copy, fresh);
    set->count = left + fresh;
    stage->fresh = fresh;
}

bool kg_contact_finish(kugel_world *world)
{
    kg_contact_stage *stage = world->contact;
    bool changed = stage->ended || world->work.contacts.count > stage->sorted;
    if (changed && !reserve(world)) return false;
    kg_contact_unstretch(world);
    kg_contact_any_order(world, 0, store_impulses, world);
    stage->arranged = stage->sorted;
    stage->fresh = 0;
    if (changed) settle(world);
    stage->group_count = stage->covered = 0;
    stage->sorted = world->work.contacts.count;
    stage->ended = false;
    return true;
}
