/* Movers in bins (place_search.h): cubes so small that all movers of a bin and of those beside it
 * are in one place. So pairs of bodies are tested only where bins are apart and near.
 * In: bodies at the start of the tick. Out: bins, united where they have movers of one place.
 * Order: none. Cost: a pass over the bodies; for bins that are apart, tests of pairs. */
#include <string.h>

#include "base/cells.h"
#include "base/sort.h"
#include "places/place_search.h"
#include "world/periodic.h"
#include "world/sleep_state.h"
#include "world/stride.h"

/* A body that a call has placed counts as a mover: a sensor may get bodies at rest inside. */
bool kg_place_is_mover(const kugel_world *world, uint32_t i, double dt)
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
double kg_place_bound(const kugel_world *world, uint32_t i, double dt)
{
    double farthest = world->places->farthest[world->bodies.id[i]];
    return farthest > 0 ? farthest + 0.5 * kg_stride_acceleration(world, i) * dt * dt : 0;
}

/* Bound of the path of a body; if it went farther in a try of this tick, so far. */
static double stride_of(const kugel_world *world, uint32_t i, double dt)
{
    double free = kg_stride_of_body(world, i, dt);
    return world->places->tried ? kg_max(free, kg_place_bound(world, i, dt)) : free;
}

static uint32_t *bucket_of(const kg_place_search *s, int exponent, const double cell[3])
{
    return &s->world->places->buckets[kg_hash_cell(exponent, cell) & (2 * s->bin_limit - 1)];
}

static bool is_in_bin(const kg_place_bin *b, int exponent, const double cell[3])
{
    return b->exponent == exponent && b->cell[0] == cell[0] && b->cell[1] == cell[1] &&
           b->cell[2] == cell[2];
}

/* Make twice as many buckets as there may be bins. False when out of memory. */
static bool grow(kg_place_search *s)
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
static uint32_t bin_at(const kg_place_search *s, int exponent, const double cell[3])
{
    const kg_place_bin *bins = s->world->places->bins;
    uint32_t b = *bucket_of(s, exponent, cell);
    while (b != KG_NONE && !is_in_bin(&bins[b], exponent, cell)) b = bins[b].chain;
    return b;
}

/* Find or make the bin of a mover; KG_NONE when out of memory. */
static uint32_t find_bin(kg_place_search *s, double radius, const double x[3])
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
bool kg_place_fill_bins(kg_place_search *s)
{
    kugel_world *world = s->world;
    kg_places *places = world->places;
    const kg_bodies *bodies = &world->bodies;
    if (!grow(s)) return false;
    uint32_t at = KG_NONE; /* the bin of the mover before, which mostly is that of the next */
    for (uint32_t i = 0; i < bodies->count; ++i) {
        const double x[3] = {bodies->x[0][i], bodies->x[1][i], bodies->x[2][i]};
        places->place_of[i] = KG_NONE;
        if (!kg_place_is_mover(world, i, s->dt)) continue;
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
void kg_place_measure_bins(const kg_place_search *s)
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
void kg_place_unite_neighbours(const kg_place_search *s)
{
    for (uint32_t n = 0; n < s->bin_count; ++n) {
        const kg_place_bin *b = &s->world->places->bins[n];
        for (int side = 0; side < 13; ++side) { /* the other 13 are on the other side */
            const double cell[3] = {b->cell[0] + side % 3 - 1, b->cell[1] + side / 3 % 3 - 1,
                                    b->cell[2] + side / 9 - 1};
            uint32_t other = bin_at(s, b->exponent, cell);
            if (other != KG_NONE) kg_place_unite(s, n, other);
        }
    }
}

/* Square of a lower bound of the distance between two boxes, m^2. */
static double box_distance2(const kg_place_search *s, const double low[3], const double high[3],
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

static double distance2(const kg_place_search *s, uint32_t i, uint32_t j)
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

/* True if two movers are in one place. */
bool kg_place_is_linked(const kg_place_search *s, uint32_t i, uint32_t j)
{
    const double *r = s->world->bodies.radius;
    double most = r[i] + r[j] + kg_place_stride(s, i) + kg_place_stride(s, j) +
                  KG_PLACE_LINK * kg_min(r[i], r[j]);
    return distance2(s, i, j) <= most * most;
}

/* True if some mover of `a` is in one place with one of `b`. */
static bool any_linked(const kg_place_search *s, const kg_place_bin *a, const kg_place_bin *b)
{
    const kg_bodies *bodies = &s->world->bodies;
    for (uint32_t i = a->head; i != KG_NONE; i = s->next[i]) {
        const double x[3] = {bodies->x[0][i], bodies->x[1][i], bodies->x[2][i]};
        double r = bodies->radius[i], most = r + b->most + kg_place_stride(s, i) + b->stride +
                                             KG_PLACE_LINK * kg_min(r, b->most);
        if (box_distance2(s, x, x, b->low, b->high) > most * most) continue;
        for (uint32_t j = b->head; j != KG_NONE; j = s->next[j]) {
            if (kg_place_is_linked(s, i, j)) return true;
        }
    }
    return false;
}

/* True if the bins have two movers of one place. */
static bool is_linked_bin(const kg_place_search *s, const kg_place_bin *a, const kg_place_bin *b)
{
    double most =
        a->most + b->most + a->stride + b->stride + KG_PLACE_LINK * kg_min(a->most, b->most);
    return box_distance2(s, a->low, a->high, b->low, b->high) <= most * most &&
           any_linked(s, a, b);
}

/* The bins of one root, and the box outside of which none of their movers is linked, m; no bounds
 * across periodic faces. */
typedef struct cluster {
    double low[3], high[3];
    uint32_t root;
} cluster;

static void clear(cluster *c, uint32_t root)
{
    c->root = root;
    for (int k = 0; k < 3; ++k) c->low[k] = KG_VALUE_LIMIT, c->high[k] = -KG_VALUE_LIMIT;
}

static void add_to_cluster(const kg_place_search *s, const kg_place_bin *b, cluster *c)
{
    double extent = b->most * (1 + 0.5 * KG_PLACE_LINK) + b->stride;
    for (int k = 0; k < 3; ++k) {
        bool wraps = s->length[k] > 0;
        c->low[k] = kg_min(c->low[k], wraps ? -KG_VALUE_LIMIT : b->low[k] - extent);
        c->high[k] = kg_max(c->high[k], wraps ? KG_VALUE_LIMIT : b->high[k] + extent);
    }
}

static bool overlaps(const cluster *a, const cluster *b)
{
    bool all = true;
    for (int k = 0; k < 3; ++k) all &= a->low[k] <= b->high[k] && b->low[k] <= a->high[k];
    return all;
}

static uint64_t cluster_key(const void *item, int part)
{
    (void)part;
    return kg_sort_key(((const cluster *)item)->low[0]);
}

/* Make the clusters, and set `next` of a bin: the next bin of its cluster, or KG_NONE. Returns their
 * number. */
static uint32_t make_clusters(const kg_place_search *s, cluster *clusters, uint32_t *next)
{
    uint32_t count = 0, *number = s->world->places->buckets; /* no longer needed as buckets */
    for (uint32_t n = 0; n < s->bin_count; ++n) { /* a root is the first of its bins */
        uint32_t root = kg_place_root(s, n);
        next[n] = KG_NONE;
        if (root == n) {
            clear(&clusters[count], n);
            number[n] = count++;
        } else {
            next[n] = next[root];
            next[root] = n;
        }
        add_to_cluster(s, &s->world->places->bins[n], &clusters[number[root]]);
    }
    return count;
}

/* Unite two clusters if two of their movers are in one place. */
static void link_clusters(const kg_place_search *s, const cluster *a, const cluster *b,
                          const uint32_t *next)
{
    const kg_place_bin *bins = s->world->places->bins;
    if (!overlaps(a, b) || kg_place_root(s, a->root) == kg_place_root(s, b->root)) return;
    for (uint32_t i = a->root; i != KG_NONE; i = next[i]) {
        cluster bin;
        clear(&bin, i);
        add_to_cluster(s, &bins[i], &bin);
        if (!overlaps(&bin, b)) continue;
        for (uint32_t j = b->root; j != KG_NONE; j = next[j]) {
            if (!is_linked_bin(s, &bins[i], &bins[j])) continue;
            kg_place_unite(s, i, j);
            return;
        }
    }
}

/* Unite the clusters of which two movers are in one place. Where most bins are in one cluster, as
 * those of a pile, no pair of them is looked at again. False when out of memory. */
bool kg_place_link_bins(const kg_place_search *s)
{
    kugel_world *world = s->world;
    cluster *clusters;
    uint32_t *next;
    if (!KG_TAKE(world, clusters, s->bin_count) || !KG_TAKE(world, next, s->bin_count)) return false;
    uint32_t count = make_clusters(s, clusters, next);
    if (!kg_sort_items(&world->memory, &world->scratch, clusters, sizeof *clusters, count, 1,
                       cluster_key))
        return false;
    for (const cluster *a = clusters; a < clusters + count; ++a) {
        for (const cluster *b = a + 1; b < clusters + count && b->low[0] <= a->high[0]; ++b)
            link_clusters(s, a, b, next);
    }
    return true;
}

/* True if a mover of the bin reaches a body at rest. */
bool kg_place_bin_reaches(const kg_place_search *s, const kg_place_bin *b, uint32_t i)
{
    const kg_bodies *bodies = &s->world->bodies;
    const double r = bodies->radius[i], x[3] = {bodies->x[0][i], bodies->x[1][i], bodies->x[2][i]};
    double most = r + 2 * b->most + b->stride;
    if (box_distance2(s, x, x, b->low, b->high) > most * most) return false;
    for (uint32_t j = b->head; j != KG_NONE; j = s->next[j]) {
        most = r + bodies->radius[j] + kg_place_stride(s, j) + kg_min(r, bodies->radius[j]);
        if (distance2(s, i, j) <= most * most) return true;
    }
    return false;
}
