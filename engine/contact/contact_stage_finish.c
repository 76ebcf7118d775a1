/* End of a tick: store the impulses in the contacts, remove ended contacts, merge begun ones, and
 * renumber stage->order, which the next tick reuses.
 * In: groups, contacts in the order of keys followed by begun ones. Out: contacts in the order of
 * their keys. Cost: one parallel pass over the contacts. */
#include <string.h>

#include "base/sort.h"
#include "contact/contact.h"

/* Contacts of a task range: at least MIN_RANGE, and RANGE_MARGINS times the distance that one
 * moves, so that copies at the borders stay few. */
enum { MIN_RANGE = 4096, RANGE_MARGINS = 32 };

static void store_impulses(void *context, uint32_t range, uint32_t from, uint32_t to)
{
    kugel_world *world = context;
    kg_contact_stage *stage = world->contact;
    double substep_ratio = world->work.substep_ratio;
    (void)range;
    for (uint32_t i = from; i < to; ++i) {
        if (substep_ratio > 1 && !stage->impulses_nominal)
            kg_contact_scale_impulses(stage, i, (float)(1 / substep_ratio));
        const kg_contact_group *g = &stage->groups[i];
        const kg_contact_group_info *info = &stage->group_info[i];
        for (int lane = 0; lane < info->count; ++lane) {
            if ((info->ended | info->asleep) >> lane & 1) continue;
            kg_contact *c = &world->work.contacts.items[kg_contact_item(stage, info, lane)];
            c->normal_impulse = g->impulse[lane];
            for (int k = 0; k < 3; ++k) {
                c->friction[k] = g->friction_impulse[k][lane];
                if (stage->rolling) c->rolling[k] = stage->rolling[i].impulse[k][lane];
            }
        }
    }
}

/* Consecutive old items that move together to `to`. */
typedef struct item_run {
    uint32_t from, end, to;
} item_run;

/* Arrays in scratch memory. */
typedef struct contact_changes {
    const kugel_world *world;
    kg_sort_arrays ended; /* keys: items, ascending; values are unused */
    uint32_t ended_count, begun_count, run_count;
    kg_contact *begun;   /* by key */
    uint32_t *new_place; /* by old item: its new place, or KG_ORDER_REMOVED */
    item_run *runs;
    uint32_t range_size; /* items */
    uint32_t margin;     /* largest distance that an item moves */
    /* copies of the old items within the margin of each border between task ranges */
    kg_contact *saved;
} contact_changes;

static uint32_t count_ended(const kg_contact_stage *stage)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < stage->group_count; ++i) {
        for (uint32_t lanes = stage->group_info[i].ended; lanes; lanes &= lanes - 1) ++count;
    }
    return count;
}

static bool take_changes(kugel_world *world, contact_changes *c)
{
    kg_contact_stage *stage = world->contact;
    const kg_contact_set *set = &world->work.contacts;
    size_t old = set->sorted_count, begun = set->count - old, ended = count_ended(stage);
    c->margin = (uint32_t)(ended > begun ? ended : begun);
    c->range_size = c->margin > set->count / RANGE_MARGINS ? set->count : c->margin * RANGE_MARGINS;
    c->range_size = c->range_size < MIN_RANGE ? MIN_RANGE : c->range_size;
    size_t margins = set->count / c->range_size * 2 * c->margin;
    return kg_sort_take(&world->memory, &world->scratch, ended, &c->ended) &&
           KG_TAKE(world, c->begun, begun) && KG_TAKE(world, c->saved, margins) &&
           KG_TAKE(world, c->new_place, old) && KG_TAKE(world, c->runs, ended + begun + 1) &&
           kg_contact_groups_reserve_order(world, set->count);
}

static void list_ended(const kg_contact_stage *stage, const kg_contact_set *set, contact_changes *c)
{
    for (uint32_t i = 0; i < stage->group_count; ++i) {
        const kg_contact_group_info *info = &stage->group_info[i];
        for (uint32_t lanes = info->ended; lanes; lanes &= lanes - 1) {
            uint32_t item = kg_contact_item(stage, info, __builtin_ctz(lanes));
            if (item < set->sorted_count) c->ended.keys[c->ended_count++] = item;
        }
    }
    memset(c->ended.values, 0, c->ended_count * sizeof *c->ended.values);
    kg_sort(&c->ended, c->ended_count);
}

/* Collect the begun contacts that have not ended, by key. */
static void list_begun(const kg_contact_set *set, contact_changes *c)
{
    for (uint32_t k = set->sorted_count; k < set->count; ++k) {
        if (!set->items[k].ended) c->begun[c->begun_count++] = set->items[k];
    }
    kg_contact_sort_by_key(c->begun, c->begun_count);
}

/* Items [from, end) move to `to`; returns the end of their new place. */
static uint32_t add_run(contact_changes *c, uint32_t from, uint32_t end, uint32_t to)
{
    if (end > from) c->runs[c->run_count++] = (item_run){from, end, to};
    return to + (end - from);
}

/* Find the new places of all items; `begun_at`: of the begun ones. */
static void find_places(const kg_contact *items, uint32_t old, contact_changes *c,
                        uint32_t *begun_at)
{
    uint32_t at = 0, from = 0;
    for (uint32_t e = 0, n = 0; e < c->ended_count || n < c->begun_count;) {
        uint32_t place =
            n < c->begun_count
                ? kg_contact_set_lower_bound(items, old, kg_contact_set_key(&c->begun[n]))
                : KG_NONE;
        bool is_begun = e == c->ended_count || place <= c->ended.keys[e];
        uint32_t end = is_begun ? place : (uint32_t)c->ended.keys[e];
        at = add_run(c, from, end, at);
        if (is_begun) begun_at[n++] = at++;
        else e += 1;
        from = is_begun ? end : end + 1;
    }
    (void)add_run(c, from, old, at);
}

static uint32_t min_u32(uint32_t a, uint32_t b) { return a < b ? a : b; }
static uint32_t max_u32(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* The first run that ends behind an item. */
static uint32_t first_run(const contact_changes *c, uint32_t item)
{
    uint32_t low = 0, count = c->run_count;
    while (count > 0) {
        uint32_t half = count / 2;
        bool behind = c->runs[low + half].end <= item;
        low += behind ? half + 1 : 0;
        count = behind ? count - half - 1 : half;
    }
    return low;
}

/* Write the runs by item, for a task range. */
static void note_new_places(void *context, uint32_t index)
{
    const contact_changes *c = context;
    uint32_t lo = index * MIN_RANGE,
             hi = min_u32(lo + MIN_RANGE, c->world->work.contacts.sorted_count);
    for (uint32_t k = lo; k < hi; ++k) c->new_place[k] = KG_ORDER_REMOVED;
    for (uint32_t n = first_run(c, lo); n < c->run_count && c->runs[n].from < hi; ++n) {
        const item_run *r = &c->runs[n];
        uint32_t end = min_u32(r->end, hi);
        for (uint32_t k = max_u32(r->from, lo); k < end; ++k) c->new_place[k] = k - r->from + r->to;
    }
}

/* Copy the items near the borders of task ranges before any thread moves them. */
static void save_margins(const kg_contact_set *set, const contact_changes *c)
{
    for (uint32_t k = 0; (k + 1) * c->range_size < set->count; ++k) {
        uint32_t from = (k + 1) * c->range_size - c->margin,
                 end = min_u32(from + 2 * c->margin, set->sorted_count);
        if (end > from)
            memcpy(c->saved + (size_t)k * 2 * c->margin, set->items + from,
                   (end - from) * sizeof *set->items);
    }
}

/* Copy old items [from, end), saved at `border`, to items[to]. */
static void copy_saved(kg_contact *items, const contact_changes *c, uint32_t border, uint32_t from,
                       uint32_t end, uint32_t to)
{
    const kg_contact *saved = c->saved + (size_t)(border / c->range_size - 1) * 2 * c->margin +
                              (from - (border - c->margin));
    if (end > from) memcpy(&items[to], saved, (end - from) * sizeof *items);
}

/* Move the part of a run that starts and ends in [lo, hi). */
static void move_within(kg_contact *items, const item_run *r, uint32_t lo, uint32_t hi)
{
    if (r->from >= hi) return;
    uint32_t from = max_u32(r->from, lo) - r->from, end = min_u32(r->end, hi) - r->from;
    from = max_u32(from, lo > r->to ? lo - r->to : 0);
    end = min_u32(end, hi > r->to ? hi - r->to : 0);
    if (end > from)
        memmove(&items[r->to + from], &items[r->from + from], (end - from) * sizeof *items);
}

/* Move the part of a run that enters [lo, hi) from another task range. */
static void move_across(kg_contact *items, const contact_changes *c, const item_run *r, uint32_t lo,
                        uint32_t hi)
{
    uint32_t count = r->end - r->from;
    if (r->to > r->from) {
        uint32_t from = lo > r->to ? lo - r->to : 0,
                 end = lo > r->from ? min_u32(count, lo - r->from) : 0;
        end = min_u32(end, hi > r->to ? hi - r->to : 0);
        if (end > from) copy_saved(items, c, lo, r->from + from, r->from + end, r->to + from);
    } else {
        uint32_t from = hi > r->from ? hi - r->from : 0,
                 end = hi > r->to ? min_u32(count, hi - r->to) : 0;
        from = max_u32(from, lo > r->to ? lo - r->to : 0);
        if (end > from) copy_saved(items, c, hi, r->from + from, r->from + end, r->to + from);
    }
}

/* Move the old items of a task range: upwards from the last, then downwards from the first, so that
 * none is overwritten; then those from other ranges. */
static void move_range(void *context, uint32_t index)
{
    const contact_changes *c = context;
    kg_contact *items = c->world->work.contacts.items;
    uint32_t lo = index * c->range_size, hi = lo + c->range_size;
    uint32_t first = first_run(c, lo - min_u32(lo, c->margin)),
             end = min_u32(first_run(c, hi + c->margin) + 1, c->run_count);
    for (uint32_t k = end; k-- > first;) {
        if (c->runs[k].to > c->runs[k].from) move_within(items, &c->runs[k], lo, hi);
    }
    for (uint32_t k = first; k < end; ++k) {
        if (c->runs[k].to < c->runs[k].from) move_within(items, &c->runs[k], lo, hi);
    }
    for (uint32_t k = first; k < end; ++k) move_across(items, c, &c->runs[k], lo, hi);
}

static void move_items(const kugel_world *world, contact_changes *c, const uint32_t *begun_at)
{
    const kg_contact_set *set = &world->work.contacts;
    save_margins(set, c);
    kg_for_ranges(world, (set->count + c->range_size - 1) / c->range_size, move_range, c);
    for (uint32_t k = 0; k < c->begun_count; ++k) set->items[begun_at[k]] = c->begun[k];
}

/* Renumber a task range of the order. */
static void renumber_range(void *context, uint32_t index)
{
    const contact_changes *c = context;
    const kg_contact_stage *stage = c->world->contact;
    uint32_t lo = index * MIN_RANGE,
             hi = min_u32(lo + MIN_RANGE, c->world->work.contacts.sorted_count);
    for (uint32_t k = lo; k < hi; ++k) {
        uint32_t entry = stage->order[k], at = c->new_place[entry & KG_ORDER_ITEM_MASK];
        stage->order[k] = at == KG_ORDER_REMOVED ? at : (entry & ~KG_ORDER_ITEM_MASK) | at;
    }
}

/* Begun contacts follow at the end of the order, in no group. */
static void apply_changes(kugel_world *world, contact_changes *c)
{
    kg_contact_stage *stage = world->contact;
    kg_contact_set *set = &world->work.contacts;
    uint32_t old = set->sorted_count;
    list_ended(stage, set, c);
    list_begun(set, c);
    find_places(set->items, old, c, &stage->order[old]);
    kg_for_ranges(world, (old + MIN_RANGE - 1) / MIN_RANGE, note_new_places, c);
    kg_for_ranges(world, (old + MIN_RANGE - 1) / MIN_RANGE, renumber_range, c);
    move_items(world, c, &stage->order[old]);
    set->count = old - c->ended_count + c->begun_count;
    stage->begun_count = c->begun_count;
}

bool kg_contact_stage_finish(kugel_world *world)
{
    kg_contact_stage *stage = world->contact;
    kg_contact_set *set = &world->work.contacts;
    bool changed = stage->any_ended || set->count > set->sorted_count;
    contact_changes c = {.world = world};
    kg_scratch_mark mark = kg_scratch_top(&world->scratch);
    if (changed && !take_changes(world, &c)) {
        kg_scratch_release(&world->memory, &world->scratch, mark);
        return false;
    }
    kg_contact_for_groups(world, 0, store_impulses, world);
    stage->previous_count = set->sorted_count;
    stage->begun_count = 0;
    if (changed) apply_changes(world, &c);
    kg_scratch_release(&world->memory, &world->scratch, mark);
    stage->group_count = stage->ordered_count = 0;
    set->sorted_count = set->count;
    stage->any_ended = false;
    return true;
}
