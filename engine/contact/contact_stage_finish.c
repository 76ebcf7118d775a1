/* The end of a tick, or a rebuild of the groups within it: store the impulses in the contacts as
 * forces, remove ended contacts, merge the begun contacts by their keys, and renumber stage->order,
 * which the next order reuses.
 * In: groups, contacts in the order of keys followed by begun ones. Out: contacts in the order of
 * their keys. Cost: one parallel pass over the contacts. */
#include <string.h>

#include "base/compiler.h"
#include "base/sort.h"
#include "base/tasks.h"
#include "contact/contact.h"

enum { ORDER_RANGE = 4096 }; /* contacts of a task */

/* A run of old items that move together to `to`. */
typedef struct item_run {
    uint32_t from, end, to;
} item_run;

/* Arrays in scratch memory. Old items: contacts that the last tick sorted. */
typedef struct contact_changes {
    const kugel_world *world;
    kg_sort_arrays ended; /* keys: old items, ascending; values are unused */
    kg_sort_arrays added; /* keys of begun contacts, ascending; values: their items */
    uint32_t ended_count, begun_count, run_count;
    kg_contact *begun;   /* by key */
    uint32_t *new_place; /* by old item: its new place, or KG_ORDER_REMOVED */
    item_run *runs;
} contact_changes;

static bool take_changes(kugel_world *world, contact_changes *c)
{
    const kg_contact_set *set = &world->work.contacts;
    size_t old = set->sorted_count, begun = set->count - old, ended = world->contact->ended_count;
    return kg_sort_take(&world->memory, &world->scratch, ended, &c->ended) &&
           kg_sort_take(&world->memory, &world->scratch, begun, &c->added) &&
           KG_TAKE(world, c->begun, begun) && KG_TAKE(world, c->new_place, old) &&
           KG_TAKE(world, c->runs, ended + begun + 1) &&
           kg_contact_groups_reserve_order(world, set->count);
}

static void list_ended(const kg_contact_stage *stage, uint32_t old, contact_changes *c)
{
    for (uint32_t i = 0; i < stage->group_count; ++i) {
        const kg_contact_group_info *info = &stage->group_info[i];
        for (uint32_t lanes = info->ended; lanes; lanes &= lanes - 1) {
            uint32_t item = kg_contact_item(stage, info, kg_lowest_bit(lanes));
            if (item >= old) continue;
            c->new_place[item] = KG_ORDER_REMOVED;
            c->ended.keys[c->ended_count++] = item;
        }
    }
    memset(c->ended.values, 0, c->ended_count * sizeof *c->ended.values);
    kg_sort(&c->ended, c->ended_count);
}

/* Collect the begun contacts that have not ended, by key. */
static void list_begun(const kg_contact_set *set, contact_changes *c)
{
    for (uint32_t k = set->sorted_count; k < set->count; ++k) {
        if (set->items[k].ended) continue;
        c->added.keys[c->begun_count] = kg_contact_set_key(&set->items[k]);
        c->added.values[c->begun_count++] = k;
    }
    kg_sort(&c->added, c->begun_count);
    for (uint32_t k = 0; k < c->begun_count; ++k) c->begun[k] = set->items[c->added.values[k]];
}

/* Move old items [from, end) to `to`; returns the end of their new place. */
static uint32_t add_run(contact_changes *c, uint32_t from, uint32_t end, uint32_t to)
{
    c->runs[c->run_count++] = (item_run){from, end, to};
    for (uint32_t k = from; k < end; ++k) c->new_place[k] = k - from + to;
    return to + (end - from);
}

/* The first of the old items [from, old) whose key is not below `key`. It is found by a search that
 * starts at `from`, since it is mostly near. */
static uint32_t place_of(const kg_contact *items, uint32_t from, uint32_t old, uint64_t key)
{
    uint32_t most = old - from, near = 16;
    while (near < most && kg_contact_set_key(&items[from + near]) < key) near *= 2;
    return from + kg_contact_set_lower_bound(items + from, near < most ? near : most, key);
}

/* Find the new indices of the kept items (runs) and of the begun ones (`begun_at`). */
static void find_places(const kg_contact *items, uint32_t old, contact_changes *c,
                        uint32_t *begun_at)
{
    uint32_t at = 0, from = 0;
    for (uint32_t e = 0, n = 0; e < c->ended_count || n < c->begun_count;) {
        uint32_t place =
            n < c->begun_count ? place_of(items, from, old, c->added.keys[n]) : KG_NONE;
        bool is_begun = e == c->ended_count || place <= c->ended.keys[e];
        uint32_t end = is_begun ? place : (uint32_t)c->ended.keys[e];
        at = add_run(c, from, end, at);
        if (is_begun) begun_at[n++] = at++;
        else e += 1;
        from = is_begun ? end : end + 1;
    }
    (void)add_run(c, from, old, at);
}

static void move_run(kg_contact *items, const item_run *r)
{
    memmove(&items[r->to], &items[r->from], (r->end - r->from) * sizeof *items);
}

/* Move old items upwards from the last, then downwards from the first, so that none is overwritten;
 * then write the begun ones. */
static void move_items(kg_contact *items, const contact_changes *c, const uint32_t *begun_at)
{
    for (uint32_t k = c->run_count; k-- > 0;) {
        if (c->runs[k].to > c->runs[k].from) move_run(items, &c->runs[k]);
    }
    for (uint32_t k = 0; k < c->run_count; ++k) {
        if (c->runs[k].to < c->runs[k].from) move_run(items, &c->runs[k]);
    }
    for (uint32_t k = 0; k < c->begun_count; ++k) items[begun_at[k]] = c->begun[k];
}

static void renumber_order(void *context, uint32_t index)
{
    const contact_changes *c = context;
    uint32_t *order = c->world->contact->order,
             end = kg_range_end(index, ORDER_RANGE, c->world->work.contacts.sorted_count);
    for (uint32_t k = index * ORDER_RANGE; k < end; ++k) {
        uint32_t at = c->new_place[order[k] & KG_ORDER_ITEM_MASK];
        order[k] = at == KG_ORDER_REMOVED ? at : (order[k] & ~KG_ORDER_ITEM_MASK) | at;
    }
}

/* Remove the ended contacts from the set, merge the begun ones, and renumber the order. Begun
 * contacts follow at the end of the order, in no group. */
static void apply_changes(kugel_world *world, contact_changes *c)
{
    kg_contact_stage *stage = world->contact;
    kg_contact_set *set = &world->work.contacts;
    uint32_t old = set->sorted_count, *begun_at = &stage->order[old];
    list_ended(stage, old, c);
    list_begun(set, c);
    find_places(set->items, old, c, begun_at);
    kg_for_ranges(world, (old + ORDER_RANGE - 1) / ORDER_RANGE, renumber_order, c);
    move_items(set->items, c, begun_at);
    set->count = old - c->ended_count + c->begun_count;
    stage->begun_count = c->begun_count;
}

bool kg_contact_stage_finish(kugel_world *world)
{
    kg_contact_stage *stage = world->contact;
    kg_contact_set *set = &world->work.contacts;
    bool changed = stage->ended_count || set->count > set->sorted_count;
    contact_changes c = {.world = world};
    kg_scratch_mark mark = kg_scratch_top(&world->scratch);
    bool ok = !changed || take_changes(world, &c);
    if (ok) {
        kg_contact_store_forces(world);
        stage->previous_count = set->sorted_count;
        stage->begun_count = 0;
        if (changed) apply_changes(world, &c);
        stage->group_count = stage->ordered_count = stage->ended_count = 0;
        set->sorted_count = set->count;
    }
    kg_scratch_release(&world->memory, &world->scratch, mark);
    return ok;
}
