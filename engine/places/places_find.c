/* Finds the places of a tick (places.h).
 * In: bodies and contacts at the start of the tick. Out: rows sorted by place. Order: none; places
 * are sets, numbered by their first row. Cost: a pass over the bodies. Movers lie in bins, cubes so
 * small that all movers of a bin and of those beside it are in one place; so pairs of bodies are
 * tested only where bins are apart and near. */
#include <string.h>

#include "base/assert.h"
#include "base/cells.h"
#include "base/sort.h"
#include "grid/neighbours.h"
#include "places/places.h"
#include "world/periodic.h"
#include "world/stride.h"
#include "world/sleep_state.h"

typedef struct search {
    kugel_world *world;
    double dt;
    double length[3];              /* m, of periodic axes; 0: not periodic */
    uint32_t bin_count, bin_limit; /* of places->bins; there are twice as many buckets */
    uint32_t *next;                /* by row: next body of the bin, or KG_NONE */
    /* union-find forest of the bins and, behind them, the rows; roots are the lowest */
    uint32_t *parent;
} search;

static uint32_t root_of(const search *s, uint32_t i)
{
    uint32_t *parent = s->parent;
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static void unite(const search *s, uint32_t i, uint32_t j)
{
    i = root_of(s, i), j = root_of(s, j);
    if (i < j) s->parent[j] = i;
    else s->parent[i] = j;
}

/* A body that a call has placed counts as a mover: a sensor may get bodies at rest inside. */
static bool is_mover(const kugel_world *world, uint32_t i, double dt)
{
    const kg_bodies *bodies = &world->bodies;
    if (bodies->placed[i] || (world->places->tried && world->places->farthest[bodies->id[i]] > 0))
        return true;
    if (bodies->mass[i] == 0)
        return bodies->type[i] == KUGEL_KINEMATIC && !kg_bodies_is_motionless(bodies, i);
    return bodies->sleep_state[i] != KG_ASLEEP || kg_stride_meets_moving(world, i, dt);
}

/* Bound of the path of a body in the tick, if it was not farther from its start than `farthest`, m.
 * Between the times at which that is noted, a path bends by less than the fall in the tick. */
static double bound_of(const kugel_world *world, uint32_t i, double dt)
{
    double farthest = world->places->farthest[world->bodies.id[i]];
    return farthest > 0 ? farthest + 0.5 * kg_stride_acceleration(world, i) * dt * dt : 0;
}

/* Bound of the path of a body; if it went farther in a try of this tick, so far. */
static double stride_of(const kugel_world *world, uint32_t i, double dt)
{
    double free = kg_stride_of_body(world, i, dt);
    return world->places->tried ? kg_max(free, bound_of(world, i, dt)) : free;
}

static uint32_t *bucket_of(const search *s, int exponent, const double cell[3])
{
    return &s->world->places->buckets[kg_hash_cell(exponent, cell) & (2 * s->bin_limit - 1)];
}

static bool is_in_bin(const kg_place_bin *b, int exponent, const double cell[3])
{
    return b->exponent == exponent && b->cell[0] == cell[0] && b->cell[1] == cell[1] &&
           b->cell[2] == cell[2];
}

/* Make twice as many buckets as there may be bins. False when out of memory. */
static bool grow(search *s)
{
    kg_places *p = s->world->places;
    kg_memory *memory = &s->world->memory;
    uint32_t most = s->bin_limit ? 2 * s->bin_limit : 32;
    if (!KG_RESERVE(memory, &p->columns[KG_PLACES_COLUMN_BINS], p->bins, most, s->bin_count) ||
        !KG_RESERVE(memory, &p->columns[KG_PLACES_COLUMN_BUCKETS], p->buckets, 2 * (size_t)most, 0))
        return false;
    s->bin_limit = most;
    memset(p->buckets, 0xff, 2 * (size_t)most * sizeof *p->buckets);
    for (uint32_t n = 0; n < s->bin_count; ++n) {
        uint32_t *bucket = bucket_of(s, p->bins[n].exponent, p->bins[n].cell);
        p->bins[n].chain = *bucket;
        *bucket = n;
    }
    return true;
}

/* The bin of an octave of radii and a cube, or KG_NONE. */
static uint32_t bin_at(const search *s, int exponent, const double cell[3])
{
    const kg_place_bin *bins = s->world->places->bins;
    uint32_t b = *bucket_of(s, exponent, cell);
    while (b != KG_NONE && !is_in_bin(&bins[b], exponent, cell)) b = bins[b].chain;
    return b;
}

/* Find or make the bin of a mover; KG_NONE when out of memory. */
static uint32_t find_bin(search *s, double radius, const double x[3])
{
    kg_places *p = s->world->places;
    int exponent = kg_exponent_of(radius);
    double width = KG_PLACE_LINK * kg_power_of_two(exponent - 1) / (2 * 1.7320508075688774),
           cell[3];
    for (int k = 0; k < 3; ++k) cell[k] = kg_cell_of(x[k] / width);
    uint32_t found = bin_at(s, exponent, cell);
    if (found != KG_NONE) return found;
    if (s->bin_count == s->bin_limit && !grow(s)) return KG_NONE;
    uint32_t *bucket = bucket_of(s, exponent, cell);
    kg_place_bin made = {.exponent = exponent,
                         .octave = kg_power_of_two(exponent - 1),
                         .width = width,
                         .head = KG_NONE,
                         .chain = *bucket};
    for (int k = 0; k < 3; ++k) {
        made.cell[k] = cell[k];
        made.corner[k] = cell[k] * width;
        made.low[k] = KG_VALUE_LIMIT, made.high[k] = -KG_VALUE_LIMIT;
    }
    p->bins[s->bin_count] = made;
    return *bucket = s->bin_count++;
}

/* True if a mover belongs to the bin, up to rounding: bins beside each other are one place. */
static inline bool fits_bin(const kg_place_bin *b, double radius, const double x[3])
{
    bool fits = radius >= b->octave && radius < 2 * b->octave;
    for (int k = 0; k < 3; ++k) fits &= x[k] >= b->corner[k] && x[k] < b->corner[k] + b->width;
    return fits;
}

/* Put the movers into bins; the place of a mover is its bin for now. False when out of memory. */
static bool fill_bins(search *s)
{
    kugel_world *world = s->world;
    kg_places *places = world->places;
    const kg_bodies *bodies = &world->bodies;
    uint32_t at = KG_NONE; /* the bin of the mover before, which mostly is that of the next */
    for (uint32_t i = 0; i < bodies->count; ++i) {
        const double x[3] = {bodies->x[0][i], bodies->x[1][i], bodies->x[2][i]};
        places->place_of[i] = KG_NONE;
        if (!is_mover(world, i, s->dt)) continue;
        if (at == KG_NONE || !fits_bin(&places->bins[at], bodies->radius[i], x))
            at = find_bin(s, bodies->radius[i], x);
        if (at == KG_NONE) return false;
        places->place_of[i] = at;
        s->next[i] = places->bins[at].head;
        places->bins[at].head = i;
    }
    return true;
}

/* Set the strides of all bodies, and what bins hold of those of their movers. */
static void measure_bins(const search *s)
{
    kg_places *places = s->world->places;
    const kg_bodies *bodies = &s->world->bodies;
    for (uint32_t i = 0; i < bodies->count; ++i) {
        double *stride = &places->stride[bodies->id[i]];
        *stride = 0;
        if (places->place_of[i] == KG_NONE) continue;
        kg_place_bin *b = &places->bins[places->place_of[i]];
        *stride = stride_of(s->world, i, s->dt);
        b->stride = kg_max(b->stride, *stride);
        b->most = kg_max(b->most, bodies->radius[i]);
        for (int k = 0; k < 3; ++k) {
            b->low[k] = kg_min(b->low[k], bodies->x[k][i]);
            b->high[k] = kg_max(b->high[k], bodies->x[k][i]);
        }
    }
}

/* Unite the bins that are beside each other: all their movers are in one place. */
static void unite_neighbours(const search *s)
{
    for (uint32_t n = 0; n < s->bin_count; ++n) {
        const kg_place_bin *b = &s->world->places->bins[n];
        for (int side = 0; side < 13; ++side) { /* the other 13 are on the other side */
            const double cell[3] = {b->cell[0] + side % 3 - 1, b->cell[1] + side / 3 % 3 - 1,
                                    b->cell[2] + side / 9 - 1};
            uint32_t other = bin_at(s, b->exponent, cell);
            if (other != KG_NONE) unite(s, n, other);
        }
    }
}

/* Square of a lower bound of the distance between two boxes, m^2. */
static double box_distance2(const search *s, const double low[3], const double high[3],
                            const double other_low[3], const double other_high[3])
{
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        double gap = kg_max(kg_max(low[k] - other_high[k], other_low[k] - high[k]), 0);
        if (s->length[k] > 0 && gap > 0) {
            double span = kg_max(high[k], other_high[k]) - kg_min(low[k], other_low[k]);
            gap = kg_max(kg_min(gap, s->length[k] - span), 0);
        }
        sum += gap * gap;
    }
    return sum;
}

static double distance2(const search *s, uint32_t i, uint32_t j)
{
    const kg_bodies *bodies = &s->world->bodies;
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        double d = bodies->x[k][i] - bodies->x[k][j];
        if (s->length[k] > 0) d = kg_nearest_image(d, s->length[k]);
        sum += d * d;
    }
    return sum;
}

static double kept_stride(const search *s, uint32_t i)
{
    return s->world->places->stride[s->world->bodies.id[i]];
}

/* True if two movers are in one place. */
static bool is_linked(const search *s, uint32_t i, uint32_t j)
{
    const double *r = s->world->bodies.radius;
    double most =
        r[i] + r[j] + kept_stride(s, i) + kept_stride(s, j) + KG_PLACE_LINK * kg_min(r[i], r[j]);
    return distance2(s, i, j) <= most * most;
}

/* True if some mover of `a` is in one place with one of `b`. */
static bool any_linked(const search *s, const kg_place_bin *a, const kg_place_bin *b)
{
    const kg_bodies *bodies = &s->world->bodies;
    for (uint32_t i = a->head; i != KG_NONE; i = s->next[i]) {
        const double x[3] = {bodies->x[0][i], bodies->x[1][i], bodies->x[2][i]};
        double r = bodies->radius[i], most = r + b->most + kept_stride(s, i) + b->stride +
                                             KG_PLACE_LINK * kg_min(r, b->most);
        if (box_distance2(s, x, x, b->low, b->high) > most * most) continue;
        for (uint32_t j = b->head; j != KG_NONE; j = s->next[j]) {
            if (is_linked(s, i, j)) return true;
        }
    }
    return false;
}

static void link_bins(const search *s, uint32_t i, uint32_t j)
{
    const kg_place_bin *a = &s->world->places->bins[i], *b = &s->world->places->bins[j];
    double most =
        a->most + b->most + a->stride + b->stride + KG_PLACE_LINK * kg_min(a->most, b->most);
    if (root_of(s, i) == root_of(s, j) ||
        box_distance2(s, a->low, a->high, b->low, b->high) > most * most)
        return;
    if (any_linked(s, a, b)) unite(s, i, j);
}

/* A bin and the box outside of which none of its movers is linked, m; no bounds across periodic
 * faces. */
typedef struct bin_box {
    double low[3], high[3];
    uint32_t bin;
} bin_box;

static bin_box box_of(const search *s, uint32_t bin)
{
    const kg_place_bin *b = &s->world->places->bins[bin];
    double extent = b->most * (1 + 0.5 * KG_PLACE_LINK) + b->stride;
    bin_box box = {.bin = bin};
    for (int k = 0; k < 3; ++k) {
        bool wraps = s->length[k] > 0;
        box.low[k] = wraps ? -KG_VALUE_LIMIT : b->low[k] - extent;
        box.high[k] = wraps ? KG_VALUE_LIMIT : b->high[k] + extent;
    }
    return box;
}

static uint64_t box_key(const void *item, int part)
{
    (void)part;
    return kg_sort_key(((const bin_box *)item)->low[0]);
}

/* Link all bins whose boxes overlap; sorted along x, only neighbours do. False when out of
 * memory. */
static bool link_all(const search *s)
{
    kugel_world *world = s->world;
    bin_box *boxes;
    if (!KG_TAKE(world, boxes, s->bin_count)) return false;
    for (uint32_t n = 0; n < s->bin_count; ++n) boxes[n] = box_of(s, n);
    if (!kg_sort_items(&world->memory, &world->scratch, boxes, sizeof *boxes, s->bin_count, 1,
                       box_key))
        return false;
    for (uint32_t n = 0; n < s->bin_count; ++n) {
        const bin_box *a = &boxes[n];
        for (const bin_box *b = a + 1; b < boxes + s->bin_count && b->low[0] <= a->high[0]; ++b) {
            if (b->low[1] <= a->high[1] && b->high[1] >= a->low[1] && b->low[2] <= a->high[2] &&
                b->high[2] >= a->low[2])
                link_bins(s, a->bin, b->bin);
        }
    }
    return true;
}

/* Number of places of movers, at most 2. */
static uint32_t count_roots(const search *s)
{
    uint32_t roots = 0;
    for (uint32_t n = 0; n < s->bin_count && roots < 2; ++n) roots += s->parent[n] == n;
    return roots;
}

/* Want the bodies aside that movers stride. True if there are any. */
static bool want_reached(const search *s)
{
    kugel_world *world = s->world;
    const kg_bodies *bodies = &world->bodies;
    bool any = false;
    for (uint32_t i = 0; i < bodies->count && world->aside.count; ++i) {
        if (world->places->place_of[i] == KG_NONE) continue;
        kg_aside_box box = {.wider = 0};
        double stride = kept_stride(s, i) + 2 * bodies->radius[i];
        for (int k = 0; k < 3; ++k) {
            box.low[k] = bodies->x[k][i] - stride;
            box.high[k] = bodies->x[k][i] + stride;
        }
        any |= kg_aside_want(world, &box);
    }
    return any;
}

/* Join the bodies that contacts connect: those at rest, and those that a call has parted. */
static void join_contacts(const search *s)
{
    const kugel_world *world = s->world;
    const uint32_t *slot = world->bodies.slot, *place_of = world->places->place_of;
    for (uint32_t k = 0; k < world->contacts.count; ++k) {
        const kg_contact *c = &world->contacts.items[k];
        if (c->with != KG_WITH_BODY) continue;
        uint32_t a = slot[c->a], b = slot[c->b];
        unite(s, place_of[a] == KG_NONE ? s->bin_count + a : place_of[a],
              place_of[b] == KG_NONE ? s->bin_count + b : place_of[b]);
    }
}

/* True if a mover of the bin reaches a body at rest. */
static bool reaches(const search *s, const kg_place_bin *b, uint32_t i)
{
    const kg_bodies *bodies = &s->world->bodies;
    const double r = bodies->radius[i], x[3] = {bodies->x[0][i], bodies->x[1][i], bodies->x[2][i]};
    double most = r + 2 * b->most + b->stride;
    if (box_distance2(s, x, x, b->low, b->high) > most * most) return false;
    for (uint32_t j = b->head; j != KG_NONE; j = s->next[j]) {
        most = r + bodies->radius[j] + kept_stride(s, j) + kg_min(r, bodies->radius[j]);
        if (distance2(s, i, j) <= most * most) return true;
    }
    return false;
}

/* Bodies at rest join the places of the movers that stride them. */
static void join_reached(const search *s)
{
    const kugel_world *world = s->world;
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (world->places->place_of[i] != KG_NONE) continue;
        for (uint32_t n = 0; n < s->bin_count; ++n) {
            if (reaches(s, &s->world->places->bins[n], i)) unite(s, n, s->bin_count + i);
        }
    }
}

/* Number the places by their first row. */
static void number(const search *s)
{
    kg_places *places = s->world->places;
    uint32_t *number_of = places->buckets; /* by bin: no longer needed as buckets */
    memset(number_of, 0xff, s->bin_count * sizeof *number_of);
    places->count = 0;
    for (uint32_t i = 0; i < s->world->bodies.count; ++i) {
        uint32_t *place = &places->place_of[i],
                 root = root_of(s, *place == KG_NONE ? s->bin_count + i : *place);
        if (root < s->bin_count && number_of[root] == KG_NONE) number_of[root] = places->count++;
        *place = root < s->bin_count ? number_of[root] : KG_NONE;
    }
}

/* Unite the bodies of places found before, by row. */
static void join_places(const search *s, const uint32_t *place)
{
    const kugel_world *world = s->world;
    const uint32_t *bin_of = world->places->place_of;
    uint32_t first = KG_NONE;
    for (uint32_t i = 0; i < world->rows_in_places; ++i) {
        uint32_t node = bin_of[i] == KG_NONE ? s->bin_count + i : bin_of[i];
        if (i && place[i] == place[i - 1]) unite(s, first, node);
        else first = node;
    }
}

/* Link the bins, and if that leaves several places, let the bodies at rest join them. */
static kugel_status join(search *s, const uint32_t *before)
{
    kugel_world *world = s->world;
    uint32_t nodes = s->bin_count + world->bodies.count;
    if (s->bin_count <= 1) return KUGEL_OK;
    if (!KG_TAKE(world, s->parent, nodes)) return KUGEL_ERROR_OUT_OF_MEMORY;
    for (uint32_t n = 0; n < s->bin_count; ++n) s->parent[n] = n;
    unite_neighbours(s);
    if (count_roots(s) <= 1) return KUGEL_OK;
    for (uint32_t n = s->bin_count; n < nodes; ++n) s->parent[n] = n;
    if (before) join_places(s, before);
    measure_bins(s);
    if (!link_all(s)) return KUGEL_ERROR_OUT_OF_MEMORY;
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
    search s = {.world = world, .dt = dt};
    kugel_status status = KUGEL_ERROR_OUT_OF_MEMORY;
    for (int k = 0; k < 3; ++k) s.length[k] = kg_periodic_length(world, k);
    kg_scratch_mark mark = kg_scratch_top(&world->scratch);
    world->places->count = 1;
    if (KG_TAKE(world, s.next, world->bodies.count + 1) && grow(&s) && fill_bins(&s))
        status = join(&s, before);
    kg_scratch_release(&world->memory, &world->scratch, mark);
    return status;
}

#ifdef KG_ASSERTIONS
/* Assert, against all pairs of a small world, that movers of different places are not linked. */
static void check(kugel_world *world, double dt)
{
    enum { PAIRS = 1 << 14 };
    search s = {.world = world, .dt = dt};
    uint32_t n = world->bodies.count;
    const uint32_t *place = world->places->place_of;
    for (int k = 0; k < 3; ++k) s.length[k] = kg_periodic_length(world, k);
    for (uint32_t i = 0; i < n && (uint64_t)n * n <= PAIRS; ++i) {
        for (uint32_t j = 0; j < i; ++j)
            KG_ASSERT(place[i] == place[j] || !is_mover(world, i, dt) || !is_mover(world, j, dt) ||
                      !is_linked(&s, i, j));
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
        if (bound_of(world, i, dt) > p->stride[world->bodies.id[i]]) return true;
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
