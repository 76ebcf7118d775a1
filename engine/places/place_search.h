/* The search for places: movers in bins (places_bins.c), bins that are linked
 * (places_link.c), and what else joins them (places_find.c). */
#ifndef KG_PLACES_PLACE_SEARCH_H
#define KG_PLACES_PLACE_SEARCH_H

#include "base/union_find.h"
#include "places/places.h"

typedef struct kg_place_search {
    kugel_world *world;
    double dt;
    double length[3];              /* m, of periodic axes; 0: not periodic */
    uint32_t bin_count, bin_limit; /* of places->bins; there are twice as many buckets */
    uint32_t *next;                /* by row: next body of the bin, or KG_NONE */
    /* union-find forest of the bins and, behind them, the rows; roots are the lowest */
    uint32_t *parent;
} kg_place_search;

static inline uint32_t kg_place_root(const kg_place_search *s, uint32_t i)
{
    return kg_root(s->parent, i);
}

static inline void kg_place_unite(const kg_place_search *s, uint32_t i, uint32_t j)
{
    i = kg_place_root(s, i), j = kg_place_root(s, j);
    if (i < j) s->parent[j] = i;
    else s->parent[i] = j;
}

/* The stride that the search has set, m. */
static inline double kg_place_stride(const kg_place_search *s, uint32_t i)
{
    return s->world->places->stride[s->world->bodies.id[i]];
}

/* True if a body may move in dt, s. One that a call has placed counts, too, and one that a sensor
 * may reach: a sensor may get bodies at rest inside. */
bool kg_place_is_mover(const kugel_world *world, uint32_t slot, double dt);
/* Bound of the path of a body in dt, s, that was not farther from its start than
 * places->farthest, m. */
double kg_place_bound(const kugel_world *world, uint32_t slot, double dt);
/* Put the movers into bins; place_of of a mover is its bin for now. False when out of memory. */
bool kg_place_fill_bins(kg_place_search *s);
/* Unite the bins that are beside each other: all their movers are in one place. */
void kg_place_unite_neighbours(const kg_place_search *s);
/* Set the strides of all bodies, and what bins hold of those of their movers. */
void kg_place_measure_bins(const kg_place_search *s);
/* Unite the bins of which two movers are in one place. False when out of memory. */
bool kg_place_link_bins(const kg_place_search *s);
/* True if two movers are in one place. */
bool kg_place_is_linked(const kg_place_search *s, uint32_t i, uint32_t j);
/* True if a mover of the bin reaches a body at rest. */
bool kg_place_bin_reaches(const kg_place_search *s, const kg_place_bin *b, uint32_t i);

#endif
