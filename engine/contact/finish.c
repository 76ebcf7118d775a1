/* The end of a tick: impulses go back into the contacts, which are in the order of their keys again; and the order of the
 * solve is told what has become of them, for the next tick to keep. */
#include <string.h>

#include "base/sort.h"
#include "contact/contact.h"

/* Contacts that a thread moves at least; for each that one may go further, so many more: of as many in 16 there are copies. */
enum { PIECE = 4096, PIECE_MARGINS = 32 };

static void store_impulses(void *context, uint32_t piece, uint32_t from, uint32_t to)
{
    kugel_world *world = context;
    kg_contact_stage *stage = world->contact;
    double stretch = world->work.stretch;
    (void)piece;
    for (uint32_t i = from; i < to; ++i) {
        if (stretch > 1 && !stage->as_asked) kg_contact_scale(stage, i, (float)(1 / stretch));
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

/* Old items that stay side by side, and where they go. */
typedef struct kept_run {
    uint32_t from, end, to;
} kept_run;

/* What is known of the changes; in the column of the solver's shifts. */
typedef struct contact_changes {
    const kugel_world *world;
    uint64_t *ended, *ended_scratch; /* old items, ascending */
    uint32_t *unused[2];             /* the values of these keys */
    uint32_t ended_count, fresh_count, run_count;
    kg_contact *fresh; /* in the order of their keys */
    uint32_t *becomes; /* by old item: where it goes, or KG_CONTACT_GONE */
    kept_run *runs;
    uint32_t piece;    /* so many items a thread moves */
    uint32_t margin;   /* none goes further */
    kg_contact *saved; /* old items within the margin of where pieces meet */
} contact_changes;

static uint32_t count_ended(const kg_contact_stage *stage)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < stage->group_count; ++i) {
        for (uint32_t lanes = stage->spans[i].ended; lanes; lanes &= lanes - 1) ++count;
    }
    return count;
}

/* Room to settle in. */
static bool reserve(kugel_world *world, contact_changes *c)
{
    kg_contact_stage *stage = world->contact;
    const kg_contact_set *set = &world->work.contacts;
    size_t old = set->ordered, fresh = set->count - old, ended = count_ended(stage);
    c->margin = (uint32_t)(ended > fresh ? ended : fresh);
    c->piece = c->margin > set->count / PIECE_MARGINS ? set->count : c->margin * PIECE_MARGINS;
    c->piece = c->piece < PIECE ? PIECE : c->piece;
    size_t margins = set->count / c->piece * 2 * c->margin;
    size_t size = ended * 2 * (sizeof *c->ended + sizeof *c->unused[0]) + (fresh + margins) * sizeof *c->fresh + old * sizeof *c->becomes +
                  (ended + fresh + 1) * sizeof *c->runs;
    kg_column *column = &stage->columns[KG_CONTACT_COLUMN_SHIFTS];
    if (!kg_column_reserve(&world->memory, column, sizeof *stage->shifts, size / sizeof *stage->shifts + 1, 0)) return false;
    c->ended = column->data;
    c->ended_scratch = c->ended + ended;
    c->unused[0] = (uint32_t *)(void *)(c->ended_scratch + ended);
    c->unused[1] = c->unused[0] + ended;
    c->fresh = (kg_contact *)(void *)(c->unused[1] + ended);
    c->saved = c->fresh + fresh;
    c->becomes = (uint32_t *)(void *)(c->saved + margins);
    c->runs = (kept_run *)(void *)(c->becomes + old);
    return kg_contact_reserve_order(world, set->count);
}

/* Old items that ended. */
static void list_ended(const kg_contact_stage *stage, const kg_contact_set *set, contact_changes *c)
{
    for (uint32_t i = 0; i < stage->group_count; ++i) {
        const kg_contact_span *span = &stage->spans[i];
        for (uint32_t lanes = span->ended; lanes; lanes &= lanes - 1) {
            uint32_t item = kg_contact_item(stage, span, __builtin_ctz(lanes));
            if (item < set->ordered) c->ended[c->ended_count++] = item;
        }
    }
    memset(c->unused[0], 0, c->ended_count * sizeof *c->unused[0]);
    kg_sort_u64(c->ended, c->unused[0], c->ended_scratch, c->unused[1], c->ended_count);
}

/* New items that are left, in the order of their keys. */
static void list_fresh(const kg_contact_set *set, contact_changes *c)
{
    for (uint32_t k = set->ordered; k < set->count; ++k) {
        if (!set->items[k].ended) c->fresh[c->fresh_count++] = set->items[k];
    }
    kg_contact_sort_new(c->fresh, c->fresh_count);
}

/* Old items [from, end) stay side by side; returns the end of where they go. */
static uint32_t keep_run(contact_changes *c, uint32_t from, uint32_t end, uint32_t to)
{
    if (end > from) c->runs[c->run_count++] = (kept_run){from, end, to};
    return to + (end - from);
}

/* Where all will be; `fresh_at` of the new ones. */
static void find_places(const kg_contact *items, uint32_t old, contact_changes *c, uint32_t *fresh_at)
{
    uint32_t at = 0, from = 0;
    for (uint32_t e = 0, n = 0; e < c->ended_count || n < c->fresh_count;) {
        uint32_t place = n < c->fresh_count ? kg_contact_find_place(items, old, kg_contact_key(&c->fresh[n])) : KG_NONE;
        bool comes = e == c->ended_count || place <= c->ended[e];
        uint32_t end = comes ? place : (uint32_t)c->ended[e];
        at = keep_run(c, from, end, at);
        if (comes) fresh_at[n++] = at++;
        else e += 1;
        from = comes ? end : end + 1;
    }
    (void)keep_run(c, from, old, at);
}

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }
static uint32_t most(uint32_t a, uint32_t b) { return a > b ? a : b; }

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

/* The same by item, of a piece of them. */
static void note_places(void *context, uint32_t index)
{
    const contact_changes *c = context;
    uint32_t lo = index * PIECE, hi = least(lo + PIECE, c->world->work.contacts.ordered);
    for (uint32_t k = lo; k < hi; ++k) c->becomes[k] = KG_CONTACT_GONE;
    for (uint32_t n = first_run(c, lo); n < c->run_count && c->runs[n].from < hi; ++n) {
        const kept_run *r = &c->runs[n];
        uint32_t end = least(r->end, hi);
        for (uint32_t k = most(r->from, lo); k < end; ++k) c->becomes[k] = k - r->from + r->to;
    }
}

/* Before they move: what a piece takes from the next one is still to be found when that has gone. */
static void save_margins(const kg_contact_set *set, const contact_changes *c)
{
    for (uint32_t k = 0; (k + 1) * c->piece < set->count; ++k) {
        uint32_t from = (k + 1) * c->piece - c->margin, end = least(from + 2 * c->margin, set->ordered);
        if (end > from) memcpy(c->saved + (size_t)k * 2 * c->margin, set->items + from, (end - from) * sizeof *set->items);
    }
}

/* Old items [from, end), saved where pieces meet at `border`, to items[to]. */
static void take_saved(kg_contact *items, const contact_changes *c, uint32_t border, uint32_t from, uint32_t end, uint32_t to)
{
    const kg_contact *saved = c->saved + (size_t)(border / c->piece - 1) * 2 * c->margin + (from - (border - c->margin));
    if (end > from) memcpy(&items[to], saved, (end - from) * sizeof *items);
}

/* What of a run stays in [lo, hi). */
static void move_within(kg_contact *items, const kept_run *r, uint32_t lo, uint32_t hi)
{
    if (r->from >= hi) return;
    uint32_t from = most(r->from, lo) - r->from, end = least(r->end, hi) - r->from;
    from = most(from, lo > r->to ? lo - r->to : 0);
    end = least(end, hi > r->to ? hi - r->to : 0);
    if (end > from) memmove(&items[r->to + from], &items[r->from + from], (end - from) * sizeof *items);
}

/* What of a run comes into [lo, hi) from the pieces before and behind. */
static void move_across(kg_contact *items, const contact_changes *c, const kept_run *r, uint32_t lo, uint32_t hi)
{
    uint32_t count = r->end - r->from;
    if (r->to > r->from) {
        uint32_t from = lo > r->to ? lo - r->to : 0, end = lo > r->from ? least(count, lo - r->from) : 0;
        end = least(end, hi > r->to ? hi - r->to : 0);
        if (end > from) take_saved(items, c, lo, r->from + from, r->from + end, r->to + from);
    } else {
        uint32_t from = hi > r->from ? hi - r->from : 0, end = hi > r->to ? least(count, hi - r->to) : 0;
        from = most(from, lo > r->to ? lo - r->to : 0);
        if (end > from) take_saved(items, c, hi, r->from + from, r->from + end, r->to + from);
    }
}

/* The old items that go to a piece: up from the last on, then down from the first on, so that none is overwritten before it has
 * gone; then those of other pieces. */
static void move_piece(void *context, uint32_t index)
{
    const contact_changes *c = context;
    kg_contact *items = c->world->work.contacts.items;
    uint32_t lo = index * c->piece, hi = lo + c->piece;
    uint32_t first = first_run(c, lo - least(lo, c->margin)), end = least(first_run(c, hi + c->margin) + 1, c->run_count);
    for (uint32_t k = end; k-- > first;) {
        if (c->runs[k].to > c->runs[k].from) move_within(items, &c->runs[k], lo, hi);
    }
    for (uint32_t k = first; k < end; ++k) {
        if (c->runs[k].to < c->runs[k].from) move_within(items, &c->runs[k], lo, hi);
    }
    for (uint32_t k = first; k < end; ++k) move_across(items, c, &c->runs[k], lo, hi);
}

static void move_items(const kugel_world *world, contact_changes *c, const uint32_t *fresh_at)
{
    const kg_contact_set *set = &world->work.contacts;
    save_margins(set, c);
    kg_for_pieces(world, (set->count + c->piece - 1) / c->piece, move_piece, c);
    for (uint32_t k = 0; k < c->fresh_count; ++k) set->items[fresh_at[k]] = c->fresh[k];
}

/* Items of a piece of the order by their new places. */
static void rename_piece(void *context, uint32_t index)
{
    const contact_changes *c = context;
    const kg_contact_stage *stage = c->world->contact;
    uint32_t lo = index * PIECE, hi = least(lo + PIECE, c->world->work.contacts.ordered);
    for (uint32_t k = lo; k < hi; ++k) {
        uint32_t entry = stage->order[k], at = c->becomes[entry & KG_CONTACT_ITEM];
        stage->order[k] = at == KG_CONTACT_GONE ? at : (entry & ~KG_CONTACT_ITEM) | at;
    }
}

/* The new ones follow in the order, in no group. */
static void settle(kugel_world *world, contact_changes *c)
{
    kg_contact_stage *stage = world->contact;
    kg_contact_set *set = &world->work.contacts;
    uint32_t old = set->ordered;
    list_ended(stage, set, c);
    list_fresh(set, c);
    find_places(set->items, old, c, &stage->order[old]);
    kg_for_pieces(world, (old + PIECE - 1) / PIECE, note_places, c);
    kg_for_pieces(world, (old + PIECE - 1) / PIECE, rename_piece, c);
    move_items(world, c, &stage->order[old]);
    set->count = old - c->ended_count + c->fresh_count;
    stage->fresh = c->fresh_count;
}

bool kg_contact_finish(kugel_world *world)
{
    kg_contact_stage *stage = world->contact;
    kg_contact_set *set = &world->work.contacts;
    bool changed = stage->ended || set->count > set->ordered;
    contact_changes c = {.world = world};
    if (changed && !reserve(world, &c)) return false;
    kg_contact_any_order(world, 0, store_impulses, world);
    stage->arranged = set->ordered;
    stage->fresh = 0;
    if (changed) settle(world, &c);
    stage->group_count = stage->covered = 0;
    set->ordered = set->count;
    stage->ended = false;
    return true;
}
