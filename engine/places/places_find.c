/* Finds the places of a tick (places.h).
 * In: bodies and contacts at the start of the tick. Out: rows sorted by place. Order: none; places
 * are sets, numbered by their first row. Cost: that of the bins (places_bins.c); where these leave
 * several places, passes over bodies and contacts. */
#include <string.h>

#include "base/assert.h"
#include "grid/neighbours.h"
#include "places/place_search.h"
#include "world/periodic.h"

/* Number of places of movers, at most 2. */
static uint32_t count_roots(const kg_place_search *s)
{
    uint32_t roots = 0;
    for (uint32_t n = 0; n < s->bin_count && roots < 2; ++n) roots += s->parent[n] == n;
    return roots;
}

/* Want the bodies aside that movers reach. True if there are any. */
static bool want_reached(const kg_place_search *s)
{
    kugel_world *world = s->world;
    const kg_bodies *bodies = &world->bodies;
    bool any = false;
    for (uint32_t i = 0; i < bodies->count && world->aside.count; ++i) {
        if (world->places->place_of[i] == KG_NONE) continue;
        kg_aside_box box = {.wider = 0};
        double stride = kg_place_stride(s, i) + 2 * bodies->radius[i];
        for (int k = 0; k < 3; ++k) {
            box.low[k] = bodies->x[k][i] - stride;
            box.high[k] = bodies->x[k][i] + stride;
        }
        any |= kg_aside_want(world, &box);
    }
    return any;
}

/* Join the bodies that contacts connect: those at rest, and those that a call has parted. */
static void join_contacts(const kg_place_search *s)
{
    const kugel_world *world = s->world;
    const uint32_t *slot = world->bodies.slot, *place_of = world->places->place_of;
    for (uint32_t k = 0; k < world->contacts.count; ++k) {
        const kg_contact *c = &world->contacts.items[k];
        if (c->with != KG_WITH_BODY) continue;
        uint32_t a = slot[c->a], b = slot[c->b];
        kg_place_unite(s, place_of[a] == KG_NONE ? s->bin_count + a : place_of[a],
                       place_of[b] == KG_NONE ? s->bin_count + b : place_of[b]);
    }
}

/* Bodies at rest join the places of the movers that reach them. */
static void join_reached(const kg_place_search *s)
{
    const kugel_world *world = s->world;
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (world->places->place_of[i] != KG_NONE) continue;
        for (uint32_t n = 0; n < s->bin_count; ++n) {
            if (kg_place_bin_reaches(s, &s->world->places->bins[n], i))
                kg_place_unite(s, n, s->bin_count + i);
        }
    }
}

/* Number the places by their first row. */
static void number(const kg_place_search *s)
{
    kg_places *places = s->world->places;
    uint32_t *number_of = places->buckets; /* by bin: no longer needed as buckets */
    memset(number_of, 0xff, s->bin_count * sizeof *number_of);
    places->count = 0;
    for (uint32_t i = 0; i < s->world->bodies.count; ++i) {
        uint32_t *place = &places->place_of[i],
                 root = kg_place_root(s, *place == KG_NONE ? s->bin_count + i : *place);
        if (root < s->bin_count && number_of[root] == KG_NONE) number_of[root] = places->count++;
        *place = root < s->bin_count ? number_of[root] : KG_NONE;
    }
}

/* Unite the bodies of places found before, by row. */
static void join_places(const kg_place_search *s, const uint32_t *place)
{
    const kugel_world *world = s->world;
    const uint32_t *bin_of = world->places->place_of;
    uint32_t first = KG_NONE;
    for (uint32_t i = 0; i < world->rows_in_places; ++i) {
        uint32_t node = bin_of[i] == KG_NONE ? s->bin_count + i : bin_of[i];
        if (i && place[i] == place[i - 1]) kg_place_unite(s, first, node);
        else first = node;
    }
}

/* Link the bins, and if that leaves several places, let the bodies at rest join them. */
static kugel_status join(kg_place_search *s, const uint32_t *before)
{
    kugel_world *world = s->world;
    uint32_t nodes = s->bin_count + world->bodies.count;
    if (s->bin_count <= 1) return KUGEL_OK;
    if (!KG_TAKE(world, s->parent, nodes)) return KUGEL_ERROR_OUT_OF_MEMORY;
    for (uint32_t n = 0; n < s->bin_count; ++n) s->parent[n] = n;
    kg_place_unite_neighbours(s);
    if (count_roots(s) <= 1) return KUGEL_OK;
    for (uint32_t n = s->bin_count; n < nodes; ++n) s->parent[n] = n;
    if (before) join_places(s, before);
    kg_place_measure_bins(s);
    if (!kg_place_link_bins(s)) return KUGEL_ERROR_OUT_OF_MEMORY;
    if (count_roots(s) <= 1) return KUGEL_OK;
    if (want_reached(s)) return KG_STEP_RETRY;
    if (!before) join_contacts(s);
    join_reached(s);
    number(s);
    return KUGEL_OK;
}

/* Set places->count and place_of. `before`: places by row, to be joined; or NULL. KG_STEP_RETRY:
 * bodies aside are wanted. */
static kugel_status find(kugel_world *world, double dt, const uint32_t *before)
{
    kg_place_search s = {.world = world, .dt = dt};
    kugel_status status = KUGEL_ERROR_OUT_OF_MEMORY;
    for (int k = 0; k < 3; ++k) s.length[k] = kg_periodic_length(world, k);
    kg_scratch_mark mark = kg_scratch_top(&world->scratch);
    world->places->count = 1;
    if (KG_TAKE(world, s.next, world->bodies.count + 1) && kg_place_fill_bins(&s))
        status = join(&s, before);
    kg_scratch_release(&world->memory, &world->scratch, mark);
    return status;
}

#ifdef KG_ASSERTIONS
/* Assert, against all pairs of a small world, that movers of different places are not linked. */
static void check(kugel_world *world, double dt)
{
    enum { PAIRS = 1 << 14 };
    kg_place_search s = {.world = world, .dt = dt};
    uint32_t n = world->bodies.count;
    const uint32_t *place = world->places->place_of;
    for (int k = 0; k < 3; ++k) s.length[k] = kg_periodic_length(world, k);
    for (uint32_t i = 0; i < n && (uint64_t)n * n <= PAIRS; ++i) {
        for (uint32_t j = 0; j < i; ++j)
            KG_ASSERT(place[i] == place[j] || !kg_place_is_mover(world, i, dt) ||
                      !kg_place_is_mover(world, j, dt) || !kg_place_is_linked(&s, i, j));
    }
}
#else
static void check(kugel_world *world, double dt) { (void)world, (void)dt; }
#endif

static bool reserve(kugel_world *world)
{
    kg_places *p = world->places;
    kg_memory *memory = &world->memory;
    size_t rows = world->bodies.count, ids = world->bodies.id_end;
    return KG_RESERVE(memory, &p->columns[KG_PLACES_COLUMN_PLACE_OF], p->place_of, rows, 0) &&
           KG_RESERVE(memory, &p->columns[KG_PLACES_COLUMN_STRIDE], p->stride, ids, 0) &&
           KG_RESERVE(memory, &p->columns[KG_PLACES_COLUMN_FARTHEST], p->farthest, ids,
                      p->tried ? ids : 0);
}

/* Set the rows of the places, as they will be sorted; those in none follow: places->count, not
 * KG_NONE. True if the rows are sorted already. */
static bool count_rows(kugel_world *world)
{
    kg_places *p = world->places;
    bool sorted = true;
    memset(p->items, 0, p->count * sizeof *p->items);
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (p->place_of[i] == KG_NONE) p->place_of[i] = p->count;
        else p->items[p->place_of[i]].count += 1;
        sorted = sorted && (!i || p->place_of[i - 1] <= p->place_of[i]);
    }
    world->rows_in_places = 0;
    for (uint32_t k = 0; k < p->count; ++k) {
        p->items[k].first = world->rows_in_places;
        world->rows_in_places += p->items[k].count;
    }
    return sorted;
}

/* Sort the rows by place; rows of one place keep their order. False when out of memory. */
static bool sort_rows(kugel_world *world)
{
    const kg_places *p = world->places;
    kg_bodies *bodies = &world->bodies;
    uint32_t n = bodies->count, *order, *at;
    double *scratch;
    if (!KG_TAKE(world, order, n) || !KG_TAKE(world, at, (size_t)p->count + 1) ||
        !KG_TAKE(world, scratch, n))
        return false;
    for (uint32_t k = 0; k < p->count; ++k) at[k] = p->items[k].first;
    at[p->count] = world->rows_in_places;
    for (uint32_t i = 0; i < n; ++i) order[at[p->place_of[i]]++] = i;
    for (int k = 0; k < KG_BODY_COLUMNS; ++k) kg_bodies_permute_column(bodies, k, order, scratch);
    kg_bodies_set_slots(bodies, 0, n);
    for (uint32_t k = 0, i = 0; k <= p->count; ++k) {
        for (; i < at[k]; ++i) p->place_of[i] = k;
    }
    world->grid->valid = false;
    return true;
}

static bool arrange(kugel_world *world)
{
    kg_places *p = world->places;
    kg_column *column = &p->columns[KG_PLACES_COLUMN_ITEMS];
    if (!KG_RESERVE(&world->memory, column, p->items, p->count, 0)) return false;
    if (count_rows(world)) return true;
    kg_scratch_mark mark = kg_scratch_top(&world->scratch);
    bool ok = sort_rows(world);
    kg_scratch_release(&world->memory, &world->scratch, mark);
    return ok;
}

kugel_status kg_places_find(kugel_world *world, double dt)
{
    kg_places *places = world->places;
    if (!reserve(world)) return KUGEL_ERROR_OUT_OF_MEMORY;
    kugel_status status = find(world, dt, NULL);
    if (status || places->count <= 1) return status;
    check(world, dt);
    return arrange(world) ? KUGEL_OK : KUGEL_ERROR_OUT_OF_MEMORY;
}

void kg_places_begin_try(kugel_world *world)
{
    kg_places *p = world->places;
    if (!p->tried) memset(p->farthest, 0, world->bodies.id_end * sizeof *p->farthest);
    p->tried = true;
}

bool kg_places_any_left(const kugel_world *world, double dt)
{
    const kg_places *p = world->places;
    for (uint32_t i = 0; i < world->rows_in_places; ++i) {
        if (kg_place_bound(world, i, dt) > p->stride[world->bodies.id[i]]) return true;
    }
    return false;
}

kugel_status kg_places_check(kugel_world *world, double dt)
{
    kg_places *p = world->places;
    uint32_t n = world->bodies.count, count = p->count, *before;
    kg_scratch_mark mark = kg_scratch_top(&world->scratch);
    if (!KG_TAKE(world, before, n)) return KUGEL_ERROR_OUT_OF_MEMORY;
    memcpy(before, p->place_of, n * sizeof *before);
    kugel_status status = find(world, dt, before);
    for (uint32_t i = 0; i < n && !status; ++i) {
        uint32_t place = p->place_of[i] == KG_NONE ? count : p->place_of[i];
        if (place != before[i]) status = KG_STEP_RETRY;
    }
    if (!status && p->count != count) status = KG_STEP_RETRY;
    memcpy(p->place_of, before, n * sizeof *before);
    p->count = count;
    kg_scratch_release(&world->memory, &world->scratch, mark);
    return status;
}
