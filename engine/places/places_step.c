/* Steps the places of a world one after another (places.h).
 * In: places, and the state at the start of the tick. Out: the state at its end; after a failure
 * the state at its start. Order: none between places; the largest steps last, since only the rows
 * of the others are saved for a failure. Cost: that of the places, copies of the rows of all but
 * the largest, and of the contacts unless all are in the largest.
 * While a place steps, the columns of world->bodies begin at its first row, and the world has its
 * caches and contacts: so stages know nothing of places. */
#include "places/places.h"

#include <string.h>

#include "contact/contact.h"
#include "events/events_sort.h"
#include "grid/grid.h"
#include "impact/impact.h"
#include "motion/motion.h"
#include "step.h"
#include "world/replicas.h"
#include "world/surface_tree.h"

/* Exchange two objects, at most as large as a work area. */
#define SWAP(x, y) swap_bytes(&(x), &(y), sizeof(x))
static void swap_bytes(void *x, void *y, size_t size)
{
    char part[sizeof(kg_work)];
    memcpy(part, x, size);
    memcpy(x, y, size);
    memcpy(y, part, size);
}

typedef struct stepping {
    kugel_world *world;
    double dt;
    kg_bodies all;         /* the bodies of the world */
    uint32_t last;         /* the place that steps last */
    uint32_t last_contact; /* its first in `contacts` */
    char *saved;           /* rows of the places that have stepped, as they were */
    uint32_t saved_rows;   /* of all places but the last */
    kg_contact *contacts;  /* sorted by place and key; at the end those of no place */
    uint32_t no_place;     /* the first of those */
    uint32_t *ends;        /* by run: the end of its contacts in places->contacts */
    uint32_t run_count;    /* places that have stepped, and the bodies of no place */
    bool any_started;      /* as in kg_surfaces, for each place; and the next two */
    bool any_motion_changed;
    bool *motion_changed; /* by index */
    bool keeps_contacts;  /* all contacts are in the last place: they stay in the world's set */
    bool merges;          /* false: at the end of the tick, too */
    uint64_t budgets_exhausted;
    uint64_t neighbour_total;
    int32_t substeps; /* the most of a place */
    bool limited;
} stepping;

/* Contacts of the places. */

static uint32_t place_of_contact(const kugel_world *world, const kg_contact *c)
{
    uint32_t a = world->bodies.slot[c->a];
    if (c->with == KG_WITH_BODY && world->bodies.mass[a] == 0) a = world->bodies.slot[c->b];
    return world->places->place_of[a];
}

/* Sort the contacts by place, unless all are in the last place. False when out of memory. */
static bool split_contacts(stepping *s)
{
    kugel_world *world = s->world;
    kg_places *p = world->places;
    const kg_contact_set *set = &world->contacts;
    uint32_t *at;
    if (!KG_TAKE(world, at, (size_t)p->count + 1)) return false;
    memset(at, 0, ((size_t)p->count + 1) * sizeof *at);
    for (uint32_t k = 0; k < set->count; ++k) at[place_of_contact(world, &set->items[k])] += 1;
    for (uint32_t k = 0, first = 0; k <= p->count; ++k) {
        uint32_t count = at[k];
        if (k < p->count) p->items[k].contact_count = count;
        at[k] = first;
        first += count;
    }
    s->keeps_contacts = p->items[s->last].contact_count == set->count;
    if (s->keeps_contacts) return true;
    s->no_place = at[p->count];
    if (!KG_TAKE(world, s->contacts, set->count)) return false;
    for (uint32_t k = 0; k < set->count; ++k)
        s->contacts[at[place_of_contact(world, &set->items[k])]++] = set->items[k];
    return true;
}

/* Append contacts, sorted by key, to those of the places that have stepped. False when out of
 * memory. */
static bool add_run(stepping *s, const kg_contact *items, uint32_t count)
{
    kugel_world *world = s->world;
    kg_contact_set *set = &world->places->contacts;
    if (!KG_RESERVE(&world->memory, &set->column, set->items, (size_t)set->count + count + 1,
                    set->count))
        return false;
    if (count) memcpy(set->items + set->count, items, count * sizeof *items);
    s->ends[s->run_count++] = set->count += count;
    return true;
}

/* Merge [from, middle) and [middle, to) of `items`, both sorted by key. */
static void merge(const kg_contact *items, uint32_t from, uint32_t middle, uint32_t to,
                  kg_contact *out)
{
    for (uint32_t a = from, b = middle, n = from; n < to; ++n) {
        bool first = b == to ||
                     (a < middle && kg_contact_set_key(&items[a]) < kg_contact_set_key(&items[b]));
        out[n] = items[first ? a++ : b++];
    }
}

/* Merge the runs, and give them to the world. `other`: memory for as many contacts. */
static void merge_runs(stepping *s, kg_contact *other)
{
    kg_contact_set *set = &s->world->contacts, *runs = &s->world->places->contacts;
    kg_contact *items = runs->items;
    if (!s->merges) return;
    for (uint32_t n = s->run_count; n > 1; n = (n + 1) / 2) {
        uint32_t from = 0;
        for (uint32_t k = 0; k < n; k += 2) {
            uint32_t middle = s->ends[k], to = k + 1 < n ? s->ends[k + 1] : middle;
            merge(items, from, middle, to, other);
            s->ends[k / 2] = from = to;
        }
        SWAP(items, other);
    }
    if (items != runs->items && runs->count)
        memcpy(runs->items, items, runs->count * sizeof *items);
    runs->version = set->version + 1;
    runs->sorted_count = runs->count;
    runs->ended_count = 0;
    SWAP(*set, *runs);
}

/* Rows of the places. */

/* The first of the saved rows of a place: they lack those of the last place. */
static uint32_t saved_at(const stepping *s, const kg_place *place)
{
    const kg_place *last = &s->world->places->items[s->last];
    return place->first < last->first ? place->first : place->first - last->count;
}

/* Exchange the rows of a place that has stepped with those that were saved. */
static void exchange_rows(const stepping *s, const kg_place *place)
{
    kg_bodies *bodies = &s->world->bodies;
    char *saved = s->saved;
    for (int k = 0; k < KG_BODY_COLUMNS; ++k) {
        size_t item = kg_bodies_item_size(k);
        if (kg_bodies_lack_column(bodies, k)) continue;
        char *row = kg_bodies_column(bodies, &kg_body_fields[k]), was[8];
        char *other = saved + saved_at(s, place) * item;
        row += place->first * item;
        for (uint32_t i = 0; i < place->count; ++i, row += item, other += item) {
            memcpy(was, row, item);
            memcpy(row, other, item);
            memcpy(other, was, item);
        }
        saved += item * s->saved_rows;
    }
}

/* Exchange the rows of all places that have stepped. */
static void exchange_all(const stepping *s, uint32_t stepped)
{
    for (uint32_t k = 0; k < stepped; ++k) {
        if (k != s->last) exchange_rows(s, &s->world->places->items[k]);
    }
}

/* Save the rows of the place that the world is. */
static void save_rows(const stepping *s, const kg_place *place)
{
    const kg_bodies *bodies = &s->world->bodies;
    char *saved = s->saved;
    for (int k = 0; k < KG_BODY_COLUMNS; ++k) {
        size_t item = kg_bodies_item_size(k);
        if (kg_bodies_lack_column(bodies, k)) continue;
        memcpy(saved + saved_at(s, place) * item, kg_bodies_column(bodies, &kg_body_fields[k]),
               place->count * item);
        saved += item * s->saved_rows;
    }
}

static bool take_memory(stepping *s)
{
    kugel_world *world = s->world;
    size_t bytes = 0;
    for (int k = 0; k < KG_BODY_COLUMNS; ++k) bytes += kg_bodies_item_size(k);
    s->saved = kg_scratch_take(&world->memory, &world->scratch, bytes, s->saved_rows + 1);
    return s->saved && KG_TAKE(world, s->ends, (size_t)world->places->count + 1);
}

/* True if the contacts of the place are not in the set of the world. */
static bool has_own_contacts(const stepping *s, const kg_place *place)
{
    return !s->keeps_contacts || place != &s->world->places->items[s->last];
}

static void exchange_caches(const stepping *s, const kg_place *place)
{
    kugel_world *world = s->world;
    kg_place_caches *c = place->caches;
    SWAP(world->grid, c->grid);
    SWAP(world->contact, c->contact);
    SWAP(world->impact, c->impact);
    SWAP(world->work, c->work);
    if (has_own_contacts(s, place)) SWAP(world->contacts, c->contacts);
}

/* Let the world be the place. */
static void enter(stepping *s, const kg_place *place)
{
    kugel_world *world = s->world;
    kg_bodies *bodies = &world->bodies;
    s->all = *bodies;
    for (int k = 0; k < KG_BODY_COLUMNS; ++k) {
        if (kg_bodies_lack_column(&s->all, k)) continue;
        char *rows = kg_bodies_column(&s->all, &kg_body_fields[k]);
        kg_bodies_set_column(bodies, k, rows + place->first * kg_bodies_item_size(k));
    }
    bodies->count = place->count;
    kg_bodies_set_slots(bodies, 0, place->count);
    bodies->has_forces = s->all.has_forces && kg_bodies_any_load(bodies);
    exchange_caches(s, place);
    world->all_bodies = &s->all;
    world->may_revert = !has_own_contacts(s, place);
    world->farthest = world->places->farthest;
}

/* Let the world be the world again. */
static void leave(const stepping *s, const kg_place *place)
{
    kugel_world *world = s->world;
    exchange_caches(s, place);
    world->bodies = s->all;
    kg_bodies_set_slots(&world->bodies, place->first, place->first + place->count);
    world->all_bodies = NULL;
    world->may_revert = false;
    world->farthest = NULL;
}

/* Give the place that the world is its contacts. False when out of memory. */
static bool set_contacts(const stepping *s, const kg_place *place, uint32_t first)
{
    kg_contact_set *set = &s->world->contacts;
    uint32_t count = s->keeps_contacts ? 0 : place->contact_count;
    if (!has_own_contacts(s, place)) return true;
    if (!KG_RESERVE(&s->world->memory, &set->column, set->items, (size_t)count + 1, 0))
        return false;
    if (count) memcpy(set->items, s->contacts + first, count * sizeof *set->items);
    set->count = set->sorted_count = count;
    return true;
}

/* Note what calls changed of the surfaces: the first place that sees it does not see it for the
 * others. False when out of memory. */
static bool note_surface_flags(stepping *s)
{
    const kg_surfaces *set = &s->world->surfaces;
    s->any_started = set->any_started;
    s->any_motion_changed = set->any_motion_changed;
    if (!s->any_motion_changed) return true;
    if (!KG_TAKE(s->world, s->motion_changed, set->end)) return false;
    for (uint32_t k = 0; k < set->end; ++k) s->motion_changed[k] = set->items[k].motion_changed;
    return true;
}

static void restore_surface_flags(const stepping *s)
{
    kg_surfaces *set = &s->world->surfaces;
    set->any_started = s->any_started;
    set->any_motion_changed = s->any_motion_changed;
    for (uint32_t k = 0; k < set->end && s->any_motion_changed; ++k)
        set->items[k].motion_changed = s->motion_changed[k];
}

/* Let the place find the surfaces as it would alone: another may have stepped before. */
static void restore_surfaces(const stepping *s)
{
    kg_surfaces *set = &s->world->surfaces;
    restore_surface_flags(s);
    kg_surfaces_rewind(set);
    kg_surface_tree_prepare(set, s->dt);
}

/* Step the place that the world is, without writing its state. */
static kugel_status try_place(stepping *s, kg_place *place, uint32_t first_contact)
{
    kugel_world *world = s->world;
    kg_event_set *events = &world->places->events;
    if (!place->listed) kg_neighbours_invalidate(world);
    restore_surfaces(s);
    if (!set_contacts(s, place, first_contact) || !kg_grid_sort_bodies(world) ||
        !kg_places_note_rows(world, place->caches))
        return KUGEL_ERROR_OUT_OF_MEMORY;
    if (place != &world->places->items[s->last]) save_rows(s, place);
    kugel_status status = kg_step_try(world, s->dt);
    if (status) return status;
    const kg_work *work = &world->work;
    s->merges = has_own_contacts(s, place) || world->places->contacts.count;
    if (!kg_event_set_add_all(&world->memory, events, &world->events.pending) ||
        (s->merges && !add_run(s, work->contacts.items, work->contacts.count)))
        return KUGEL_ERROR_OUT_OF_MEMORY;
    if (events->handled_event_count > kg_impact_event_limit(world)) return KG_STEP_EVENT_LIMIT;
    s->substeps = work->substeps > s->substeps ? work->substeps : s->substeps;
    s->limited = s->limited || work->substeps_limited;
    s->budgets_exhausted += work->tally.budgets_exhausted;
    s->neighbour_total += world->grid->neighbour_total;
    return KUGEL_OK;
}

/* Write the state of the place that the world is, or drop it. */
static void end_place(const stepping *s, const kg_place *place, bool writes)
{
    kugel_world *world = s->world;
    place->caches->tick = writes ? world->tick + 1 : UINT64_MAX;
    place->caches->used_at = world->tick;
    if (writes) kg_motion_write(world);
    else kg_motion_revert(world);
}

/* Step all places but the last, and write their states. *stepped: number of those written. */
static kugel_status step_others(stepping *s, uint32_t *stepped)
{
    const kg_places *p = s->world->places;
    for (uint32_t k = 0, contact = 0; k < p->count; contact += p->items[k++].contact_count) {
        kg_place *place = &p->items[k];
        *stepped = k;
        if (k == s->last) {
            s->last_contact = contact;
            continue;
        }
        enter(s, place);
        kugel_status status = try_place(s, place, contact);
        end_place(s, place, !status);
        leave(s, place);
        if (status) return status;
    }
    *stepped = p->count;
    return KUGEL_OK;
}

/* KG_STEP_RETRY if places grew together: found anew from the state at the start of the tick, with
 * the paths of this try, they are others. */
static kugel_status check_growth(const stepping *s)
{
    uint32_t count = s->world->places->count;
    if (!kg_places_any_left(s->world, s->dt)) return KUGEL_OK;
    exchange_all(s, count);
    kugel_status status = kg_places_check(s->world, s->dt);
    exchange_all(s, count);
    return status;
}

/* Collect the events and contacts of the tick, with memory for merging these in `other`. */
static kugel_status collect(stepping *s, kg_contact **other)
{
    kugel_world *world = s->world;
    uint32_t rest = s->keeps_contacts ? 0 : world->contacts.count - s->no_place;
    SWAP(world->events.pending, world->places->events);
    if (!kg_events_sort(world)) return KUGEL_ERROR_OUT_OF_MEMORY;
    if (!s->merges) return KUGEL_OK;
    if (rest && !add_run(s, s->contacts + s->no_place, rest)) return KUGEL_ERROR_OUT_OF_MEMORY;
    return KG_TAKE(world, *other, (size_t)world->places->contacts.count + 1)
               ? KUGEL_OK
               : KUGEL_ERROR_OUT_OF_MEMORY;
}

/* Step the last place; then, if nothing can fail any more, end the tick. */
static kugel_status step_last(stepping *s)
{
    kugel_world *world = s->world;
    kg_place *place = &world->places->items[s->last];
    kg_contact *other = NULL;
    enter(s, place);
    kugel_status status = try_place(s, place, s->last_contact);
    world->work.has_crossings |= world->events.pending.crossing_count > 0;
    leave(s, place);
    if (!status) status = check_growth(s);
    if (!status) status = collect(s, &other);
    status = kg_replicas_agree(world, status);
    enter(s, place);
    end_place(s, place, !status);
    leave(s, place);
    if (!status) merge_runs(s, other);
    return status;
}

/* The place that steps last: the largest, or the first of these. */
static uint32_t largest_place(const kg_places *p)
{
    uint32_t largest = 0;
    for (uint32_t k = 1; k < p->count; ++k)
        largest = p->items[k].count > p->items[largest].count ? k : largest;
    return largest;
}

static kugel_status step_all(stepping *s)
{
    kugel_world *world = s->world;
    kg_places *p = world->places;
    uint32_t stepped = 0;
    s->last = largest_place(p);
    s->saved_rows = world->rows_in_places - p->items[s->last].count;
    kugel_status status = KUGEL_ERROR_OUT_OF_MEMORY;
    if (note_surface_flags(s) && take_memory(s) && split_contacts(s) &&
        kg_places_choose_caches(world))
        status = step_others(s, &stepped);
    if (status) status = kg_replicas_agree(world, status);
    else status = step_last(s);
    if (status) exchange_all(s, stepped);
    if (status && s->motion_changed) restore_surface_flags(s);
    for (uint32_t k = 0; k < stepped && status; ++k) p->items[k].caches->tick = UINT64_MAX;
    return status;
}

static void end_tick(const stepping *s)
{
    kugel_world *world = s->world;
    world->work.substeps = s->substeps;
    kg_motion_end(world, s->dt);
    world->budgets_exhausted += s->budgets_exhausted;
    world->grid->neighbour_total = s->neighbour_total;
    world->substeps_limited += s->limited;
}

kugel_status kg_places_step(kugel_world *world, double dt)
{
    kg_places *p = world->places;
    stepping s = {.world = world, .dt = dt};
    kg_scratch_mark mark = kg_scratch_top(&world->scratch);
    kg_event_set_clear(&p->events);
    p->contacts.count = 0;
    kg_places_begin_try(world);
    kugel_status status = kg_event_log_add_removed(&world->memory, &world->events, &p->events)
                              ? step_all(&s)
                              : KUGEL_ERROR_OUT_OF_MEMORY;
    world->surfaces.any_started = status && s.any_started;
    kg_scratch_release(&world->memory, &world->scratch, mark);
    if (!status) end_tick(&s);
    return status;
}
