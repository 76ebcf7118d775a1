/* Subdomains: a window of impacts on threads. A gas in cell lists is divided along z; each
 * subdomain handles its own bodies and ghosts, copies of the bodies around it.
 * Exactness: each inner ghost (one that own bodies can reach) must end the window with the state,
 * cell and path hash of its original; else the tick is repeated without subdomains. The proof
 * stands in tools/docs/architecture.md, "Why the results are exact". */
#ifndef KG_IMPACT_SUBDOMAINS_H
#define KG_IMPACT_SUBDOMAINS_H

#include "impact/paths.h"

/* Give up the window or tick of a subdomain or rank, because an impact needs bodies that are
 * missing. The result is dropped. */
static inline kugel_status kg_impact_give_up(kugel_world *world)
{
    kg_neighbours_abandon_cells(world);
    return KG_STEP_INEXACT;
}

/* Repeat the tick without subdomains. */
static inline kugel_status kg_impact_retry_without_subdomains(kugel_world *world)
{
    world->work.subdomains_disabled = true;
    return KG_STEP_RETRY;
}

/* subdomain_plan.c */
/* True when there are several threads, enough bodies for two subdomains, no sensors, no oversized
 * bodies and no ghosts of other ranks, and the tick is not repeated without subdomains. */
bool kg_subdomains_are_allowed(const kugel_world *world);
/* Plan subdomains for the window of the queue if that is faster: keep the partition or make a new
 * one, and reserve memory. False when out of memory. */
bool kg_subdomains_plan(kugel_world *world);
/* True when subdomains handle the current window. */
bool kg_subdomains_are_planned(const kugel_world *world);
/* Handle the current window without subdomains. */
void kg_subdomains_cancel(kugel_world *world);
void kg_subdomains_free(kg_memory *memory, struct kg_subdomains *subdomains);

/* subdomains.c */
/* Handle the window, from the events that the prediction pass wrote to parts. KG_STEP_RETRY: a
 * subdomain failed, and the state is invalid. */
kugel_status kg_subdomains_run(kugel_world *world);

/* cell_layers.c */
/* Cancel subdomains, and copy the cells back to the world if subdomains hold them. */
void kg_cell_layers_collect(kugel_world *world);
/* World of the subdomain whose cells hold the body, for the prediction pass. */
kugel_world *kg_subdomain_world(kugel_world *world, uint32_t slot);

#endif
