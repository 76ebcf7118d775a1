/* The impact stage of a substep. The substep is divided into windows. In each, a prediction pass
 * finds all events; then events are handled in chronological order.
 * In: motions, neighbours. Out: motions, new contacts, events. Cost: the prediction passes and the
 * events. Order: total (impact.h). */

#include "impact/predict.h"
#include "impact/subdomains.h"

/* Find whether all bodies share one frame, and whether all impacts are lossless. Pairs that grow
 * need the general code. */
static void classify_frames(kugel_world *world)
{
    const uint8_t *frame = world->work.frame;
    uint8_t unlike = 0;
    for (uint32_t i = 0; i < world->bodies.count; ++i)
        unlike |= frame[i] ^ frame[0]; /* no branch, so that the compiler vectorises */
    world->work.frame_is_shared = !unlike && world->work.growth.rate == 0 &&
                                  (!world->bodies.count || frame[0] < KG_FRAME_PER_BODY);
    world->work.all_lossless = world->work.frame_is_shared && kg_elastic_applies_to_world(world);
}

bool kg_impact_repredict(kugel_world *world, uint32_t i, double now)
{
    return world->bodies.mass[i] == 0 ||
           kg_predictor_of(world)->body(world, i, now, world->impact->h);
}

static bool repredict_pair(kugel_world *world, uint32_t i, uint32_t j, double now)
{
    const double *mass = world->bodies.mass;
    double h = world->impact->h;
    if (mass[i] != 0 && mass[j] != 0) return kg_predictor_of(world)->pair(world, i, j, now, h);
    return kg_impact_repredict(world, i, now) && kg_impact_repredict(world, j, now);
}

kugel_status kg_impact_resolve_and_predict(kugel_world *world, const kg_event *e)
{
    kugel_status status = kg_collision_resolve(world, e);
    if (status) return status;
    bool ok = e->kind == KG_EVENT_BODY
                  ? repredict_pair(world, e->a, e->b & KG_NEIGHBOUR_SLOT, e->time)
                  : kg_impact_repredict(world, e->a, e->time);
    return ok ? KUGEL_OK : KUGEL_ERROR_OUT_OF_MEMORY;
}

kugel_status kg_impact_handle_event(kugel_world *world, const kg_event *e)
{
    double h = world->impact->h;
    bool ok = true;
    switch (e->kind) {
    case KG_EVENT_BODY:
    case KG_EVENT_BOUNDARY:
        return kg_queue_has_simultaneous(world, e->time) ? kg_impact_resolve_simultaneous(world, e)
                                                         : kg_impact_resolve_and_predict(world, e);
    case KG_EVENT_CROSSING:
        kg_resolve_crossing(world, e->a, e->b, e->time);
        ok = kg_predictor_of(world)->crossing(world, e, h);
        break;
    case KG_EVENT_EXIT:
        ok = kg_predictor_of(world)->exit(world, e, h);
    }
    return ok ? KUGEL_OK : KUGEL_ERROR_OUT_OF_MEMORY;
}

/* Length of the next window over the time that a window lasted: after an early end, and
 * otherwise. */
static const double growth_after_early_end = 1.2, growth = 2;
/* A window that lasted at least its planned length over this factor counts as whole: the end of the
 * substep may have cut it a little, and times are rounded. */
static const double whole_window_factor = 1.5;
/* Share of a window's length below which the rest of the substep joins the window. */
static const double least_window = 0.25;

/* Choose the length of the next window. With Verlet lists it follows from the time that this window
 * lasted. With cell lists, a window should hold one impact per body. In shorter windows the
 * prediction pass dominates the cost; in longer ones most predictions are invalidated before they
 * are due. */
static void choose_window_length(const kugel_world *world, double now, bool ended_early,
                                 uint64_t impacts)
{
    kg_impact_stage *stage = world->impact;
    double lasted = now - stage->from;
    if (kg_predictor_of(world)->window_by_impacts && impacts)
        stage->window_length = lasted * world->bodies.count / (double)impacts;
    else if (ended_early) stage->window_length = growth_after_early_end * lasted;
    else if (stage->window_length > 0 && stage->window_length <= whole_window_factor * lasted)
        stage->window_length = growth * lasted;
}

static double window_end(const kg_impact_stage *stage, double from)
{
    double length = stage->window_length, end = from + length;
    return length > 0 && end + least_window * length < stage->h ? end : stage->h;
}

/* True when a crowded body is pressed so far that shorter substeps should hand it to the contact
 * solver. Once true, it stays true in the substep, so it may be tested after any event. */
static bool is_pressed(const kugel_world *world)
{
    return world->work.refinement < KG_PRESSED_REFINEMENT && world->work.tally.any_pressed;
}

/* True when a body is squeezed so hard that shorter substeps are needed. It is tested only at the
 * end of the substep: before, the order of events would decide whether this or is_pressed is true
 * first. */
static bool is_squeezed(const kugel_world *world)
{
    return world->work.refinement < KG_SQUEEZED_REFINEMENT && world->work.tally.any_squeezed;
}

/* Repeat the tick with shorter substeps. */
static kugel_status refine(kugel_world *world, int32_t refinement)
{
    world->work.refinement = refinement;
    return KG_STEP_RETRY;
}

/* Size of the event pool, in events, above which the window ends, since a new window is cheaper.
 * Call it after the prediction pass. With Verlet lists windows are long, so the limit also grows
 * with the events of that pass. Most events beyond those become stale; an allowance far above
 * MORE_LISTED slows small dense worlds. */
static uint64_t max_pool_events(const kugel_world *world)
{
    enum { EVENTS_A_BODY = 8, LEAST = 1024, MORE_LISTED = 1 << 13 };
    uint64_t n = world->bodies.count;
    return kg_predictor_of(world)->window_by_impacts
               ? EVENTS_A_BODY * n + LEAST
               : EVENTS_A_BODY * (n + world->impact->event_count) + MORE_LISTED;
}

/* A window while its events are handled. */
typedef struct window {
    double end;         /* s in the substep */
    uint64_t refreshes; /* list refreshes before the window */
    bool ends_early;    /* true when a new window is cheaper than the rest of this one */
    bool needs_rebuild; /* true when the lists must be rebuilt after the window */
} window;

/* Handle the events in subdomains, on threads. */
static kugel_status run_subdomains(kugel_world *world, window *w)
{
    kugel_status status = kg_subdomains_run(world);
    if (status) return status;
    /* subdomains count in another order; repeated without them, the limit acts as on one thread */
    if (kg_impact_exceeds_limit(world)) return kg_impact_retry_without_subdomains(world);
    if (is_pressed(world)) return refine(world, KG_PRESSED_REFINEMENT);
    w->ends_early = w->needs_rebuild = kg_neighbours_need_rebuild(world, w->refreshes);
    return KUGEL_OK;
}

/* Handle the events in their order. End the window early when a list rebuild is cheaper than more
 * refreshes, or when the event pool has grown too large. */
static kugel_status handle_events(kugel_world *world, window *w)
{
    uint64_t max_events = max_pool_events(world);
    kg_event event;
    bool ok = true;
    while (!w->ends_early && kg_queue_pop(world, &event, &ok)) {
        kugel_status status = kg_impact_handle_event(world, &event);
        if (status) return status;
        if (kg_impact_exceeds_limit(world)) return KG_STEP_EVENT_LIMIT;
        if (is_pressed(world)) return refine(world, KG_PRESSED_REFINEMENT);
        w->needs_rebuild = kg_neighbours_need_rebuild(world, w->refreshes);
        w->ends_early = w->needs_rebuild || world->impact->event_count > max_events;
    }
    if (w->ends_early) w->end = event.time;
    return ok ? KUGEL_OK : KUGEL_ERROR_OUT_OF_MEMORY;
}

/* Handle events from `*now` to the end of the window. Where a window ends affects only speed: the
 * remaining events are predicted again, with the same bits. */
static kugel_status run_window(kugel_world *world, double *now)
{
    kg_impact_stage *stage = world->impact;
    window w = {.end = window_end(stage, *now), .refreshes = world->list_refreshes};
    uint64_t impacts = world->events.pending.handled_impact_count;
    if (!kg_queue_begin(&world->memory, stage, *now, w.end, world->bodies.count) ||
        !kg_window_predict(world))
        return KUGEL_ERROR_OUT_OF_MEMORY;
    kg_stopwatch_lap(world, KG_STAGE_SWEEP);
    kugel_status status =
        kg_subdomains_are_planned(world) ? run_subdomains(world, &w) : handle_events(world, &w);
    if (status) return status;
    *now = w.end;
    choose_window_length(world, w.end, w.ends_early,
                         world->events.pending.handled_impact_count - impacts);
    kg_stopwatch_lap(world, KG_STAGE_IMPACT);
    return !w.needs_rebuild || kg_neighbours_rebuild(world, w.end, stage->h)
               ? KUGEL_OK
               : KUGEL_ERROR_OUT_OF_MEMORY;
}

kugel_status kg_impact_run(kugel_world *world, double h, double start)
{
    kg_impact_stage *stage = world->impact;
    stage->substep_start = start;
    stage->h = h;
    classify_frames(world);
    stage->length_unit = 2 * world->grid->smallest_radius;
    stage->per_length_unit = 1 / stage->length_unit;
    double now = 0;
    do {
        kugel_status status = run_window(world, &now);
        if (status) return status;
    } while (now < h);
    if (is_squeezed(world)) return refine(world, KG_SQUEEZED_REFINEMENT);
    kg_tick_paths_end_substep(world);
    return KUGEL_OK;
}

void kg_impact_free(kg_memory *memory, kg_impact_stage *stage)
{
    kg_columns_free(memory, stage->columns, KG_IMPACT_COLUMNS);
    kg_scratch_free(memory, &stage->scratch);
    kg_subdomains_free(memory, stage->subdomains);
}
