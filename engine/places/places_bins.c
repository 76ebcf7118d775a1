/* Movers in bins (place_search.h): cubes so small that all movers of a bin and of those beside it
 * are in one place.
 * In: bodies at the start of the tick. Out: bins, united where they are beside each other.
 * Order: none. Cost: a pass over the bodies. */
#include <string.h>

#include "base/cells.h"
#include "places/place_search.h"
#include "world/periodic.h"
#include "world/sleep_state.h"
#include "world/stride.h"

bool kg_place_is_mover(const kugel_world *world, uint32_t i, double dt)
{
    const kg_bodies *bodies = &world->bodies;
    if (bodies->placed[i] || (world->places->tried && world->places->farthest[bodies->id[i]] > 0))
        return true;
    if (bodies->mass[i] == 0)
        return bodies->type[i] == KUGEL_KINEMATIC &&
               (!kg_bodies_is_motionless(bodies, i) || kg_stride_meets_sensor(world, i, dt));
    return bodies->sleep_state[i] != KG_ASLEEP || kg_stride_meets_moving(world, i, dt) ||
           kg_stride_meets_sensor(world, i, dt);
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
