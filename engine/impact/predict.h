/* Predictions: times of the next events of a body, as pure functions of stored motions. Filters
 * first leave out most candidates that a body cannot meet. They keep all that it can meet, so they
 * never change a result. */
#ifndef KG_IMPACT_PREDICT_H
#define KG_IMPACT_PREDICT_H

#include "impact/queue.h"

/* predict.c */
/* Time of impact of slot i and a neighbour of its list, s, or KG_NEVER. */
double kg_predict_pair(const kugel_world *world, uint32_t i, uint32_t neighbour, double h);
/* Push the next events of the body with the boundaries in `near`. False when out of memory. */
bool kg_predict_boundaries(kugel_world *world, uint32_t i, kg_boundary_set near, double h);

/* Predictions for one neighbour structure. The functions push events, and return false when out of
 * memory. */
typedef struct kg_predictor {
    /* Called before the prediction pass of a window. */
    bool (*begin_window)(kugel_world *world);
    /* Prediction pass: events of slots [from, to), each pair once. */
    bool (*predict)(kugel_world *world, uint32_t from, uint32_t to, double now, double h);
    /* The motion of body i changed at `now`. */
    bool (*body)(kugel_world *world, uint32_t i, double now, double h);
    /* Two dynamic bodies collided at `now`. */
    bool (*pair)(kugel_world *world, uint32_t i, uint32_t j, double now, double h);
    /* A body left its skin or its cell (KG_EVENT_EXIT). */
    bool (*exit)(kugel_world *world, const kg_event *event, double h);
    /* A body crossed a periodic face (KG_EVENT_CROSSING). */
    bool (*crossing)(kugel_world *world, const kg_event *event, double h);
    /* True when windows are sized for one impact per body; then the event pool may grow less
     * (max_pool_events in impact_stage.c). */
    bool window_by_impacts;
} kg_predictor;
extern const kg_predictor kg_list_predictor;
extern const kg_predictor kg_cell_predictor;

static inline const kg_predictor *kg_predictor_of(const kugel_world *world)
{
    return world->grid->cell_lists.used ? &kg_cell_predictor : &kg_list_predictor;
}

/* neighbour_filter.c */
/* Bit k is set if body i may collide with neighbour k of the list node before `until`, s. A
 * superset of those that do. */
uint32_t kg_filter_neighbours(const kugel_world *world, uint32_t i, const kg_list_node *node,
                              double until);

/* quantised_motions.c */
/* Quantise the motions of all bodies in cell lists for the window. False when out of memory. */
bool kg_quantised_motions_begin(kugel_world *world);

#endif
