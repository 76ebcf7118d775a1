#include <math.h>

#include "impact/subdomains.h"

static bool refresh_list(kugel_world *world, uint32_t i, double t, double h)
{
    double place[3];
    kg_list_origin_choose(world, i, t, h, place);
    return kg_list_refresh(world, i, place);
}

bool kg_mark_unlisted(kugel_world *world, uint32_t i, double now, double h)
{
    bool unlisted = kg_grid_is_unlisted(world->grid, i),
         outruns = kg_outruns_lists(world, i, world->impact->until);
    if (unlisted == outruns) return true;
    if (outruns) return kg_grid_set_unlisted(world, i);
    kg_grid_clear_unlisted(world->grid, i);
    return refresh_list(world, i, now, h);
}

static void classify_frames(kugel_world *world)
{
    const uint8_t *frame = world->work.frame;
    uint8_t unlike = 0;
    for (uint32_t i = 0; i < world->bodies.count; ++i)
        unlike |= frame[i] ^ frame[0]; /* no branch: by vectors */
    world->work.frame_is_shared = !unlike && (!world->bodies.count || frame[0] < KG_FRAME_PER_BODY);
    world->work.all_lossless = world->work.frame_is_shared && kg_elastic_applies_to_world(world);
}

void kg_impact_check_speed(kugel_world *world, uint32_t i)
{
    kg_cell_lists *cell_lists = &world->grid->cell_lists;
    const double *v = world->work.motion[i].v, window = world->impact->until - world->impact->from;
    double way2 = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) * window * window;
    if (way2 > cell_lists->motion_limit * cell_lists->motion_limit)
        __atomic_store_n(&cell_lists->abandon, true, __ATOMIC_RELAXED);
}

bool kg_impact_repredict(kugel_world *world, uint32_t i, double now, double h)
{
    if (world->bodies.mass[i] == 0) return true;
    if (!world->grid->cell_lists.used && !kg_mark_unlisted(world, i, now, h)) return false;
    return kg_predict_body(world, i, now, h, false);
}

bool kg_impact_repredict_pair(kugel_world *world, uint32_t i, uint32_t j, double now, double h)
{
    const double *mass = world->bodies.mass;
    if (world->grid->cell_lists.used && mass[i] != 0 && mass[j] != 0)
        return kg_predict_pair_in_cell_lists(world, i, j, now, h);
    return kg_impact_repredict(world, i, now, h) && kg_impact_repredict(world, j, now, h);
}

/* The skin is used up: no change of motion, only of what is looked at. */
static bool renew_list(kugel_world *world, const kg_event *e, double h)
{
    uint32_t i = e->a;
    double t = e->time;
    if (world->grid->cell_lists.used) {
        kg_cell_lists_cross_face(world, i, e->b);
        return kg_predict_after_cell_exit(world, i, e->b, t, h);
    }
    kg_boundary_set known = world->grid->near_boundaries[i];
    return refresh_list(world, i, t, h) && kg_predict_added(world, i, known, t, h);
}

kugel_status kg_impact_handle_event(kugel_world *world, const kg_event *e, double h)
{
    kugel_status status = KUGEL_OK;
    bool ok = true;
    uint32_t j = e->b & KG_NEIGHBOUR_SLOT;
    switch (e->kind) {
    case KG_EVENT_BODY:
        if (kg_queue_has_simultaneous(world, e->time)) return kg_simultaneous_resolve(world, e, h);
        status = kg_resolve(world, e);
        ok = !status && kg_impact_repredict_pair(world, e->a, j, e->time, h);
        break;
    case KG_EVENT_BOUNDARY:
        if (kg_queue_has_simultaneous(world, e->time)) return kg_simultaneous_resolve(world, e, h);
        status = kg_resolve(world, e);
        ok = !status && kg_impact_repredict(world, e->a, e->time, h);
        break;
    case KG_EVENT_CROSSING:
        kg_resolve_crossing(world, e->a, e->b, e->time);
        if (world->grid->cell_lists.used) kg_cell_lists_cross_face(world, e->a, e->b);
        else ok = kg_grid_is_unlisted(world->grid, e->a) || refresh_list(world, e->a, e->time, h);
        ok = ok && kg_predict_body(world, e->a, e->time, h, false);
        break;
    default:
        ok = renew_list(world, e, h);
    }
    return ok ? KUGEL_OK : status ? status : KUGEL_ERROR_OUT_OF_MEMORY;
}

/* How the lists fared in a window tells how long the next one should be. In cell lists it should
 * hold as many impacts as there are bodies: in a shorter one the first sweep takes more than they
 * do, in a longer one most of what is predicted is no longer true when it is due. */
static void choose_window_length(const kugel_world *world, double now, bool cut, uint64_t impacts)
{
    kg_impact_stage *stage = world->impact;
    double lasted = now - stage->from;
    if (world->grid->cell_lists.used && impacts)
        stage->window_length = lasted * world->bodies.count / (double)impacts;
    else if (cut) stage->window_length = 1.2 * lasted;
    else if (stage->window_length > 0 && stage->window_length <= lasted)
        stage->window_length = 2 * lasted;
}

static double window_end(const kg_impact_stage *stage, double from, double h)
{
    double end = from + stage->window_length;
    return stage->window_length > 0 && end + 0.25 * stage->window_length < h ? end : h;
}

/* Do the cells or the lists no longer serve? What is there to do then is to make lists for all. A
 * new list costs some two times as much for a single body; then all are swept again. */
static bool lists_are_worn(const kugel_world *world, uint64_t refreshes_before)
{
    enum { WORN_SHARE = 8 };
    const kg_grid *grid = world->grid;
    uint64_t n = world->bodies.count;
    if (grid->cell_lists.used) return grid->cell_lists.abandon || world->work.contacts.count;
    return world->list_refreshes >=
           refreshes_before + n / WORN_SHARE + 16 + grid->unlisted_count * n / KG_LIST_COST;
}

static bool rebuild_lists(kugel_world *world, double now, double h)
{
    kg_cell_lists *cell_lists = &world->grid->cell_lists;
    if (cell_lists->used) cell_lists->retry_after = KG_CELL_RETRY_AFTER;
    cell_lists->used = false;
    return kg_list_rebuild(world, now, h);
}

/* From `*now` to the end of the window, or to the moment when so many bodies have left their skins
 * that new lists for all are cheaper than for each, or when the queue holds very much. Nothing but
 * speed depends on where that is: what is not handled yet is predicted again, to the same bits. */
static kugel_status run_window(kugel_world *world, double *now, double h)
{
    enum { EVENTS_A_BODY = 8 };
    kg_impact_stage *stage = world->impact;
    double until = window_end(stage, *now, h);
    uint32_t n = world->bodies.count;
    uint64_t refreshes = world->list_refreshes,
             impacts = world->events.pending.handled_impact_count;
    if (!kg_queue_begin(&world->memory, stage, *now, until, n)) return KUGEL_ERROR_OUT_OF_MEMORY;
    if (!kg_window_sweep(world, *now, h)) return KUGEL_ERROR_OUT_OF_MEMORY;
    kg_stopwatch_lap(world, KG_STAGE_SWEEP);
    kg_event event = {.time = until};
    bool ok = true, worn = false, full = false;
    if (kg_subdomains_are_planned(world)) {
        kugel_status status = kg_subdomains_run(world);
        if (status) return status;
        worn = lists_are_worn(world, refreshes);
    }
    while (!worn && !full && kg_queue_pop(world, &event, &ok)) {
        kugel_status status = kg_impact_handle_event(world, &event, h);
        if (status) return status;
        worn = lists_are_worn(world, refreshes);
        full = world->grid->cell_lists.used && stage->event_count > EVENTS_A_BODY * n + 1024;
    }
    bool cut = worn || full;
    *now = cut ? event.time : until;
    choose_window_length(world, *now, cut, world->events.pending.handled_impact_count - impacts);
    kg_stopwatch_lap(world, KG_STAGE_IMPACT);
    return ok && (!worn || rebuild_lists(world, *now, h)) ? KUGEL_OK : KUGEL_ERROR_OUT_OF_MEMORY;
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
        kugel_status status = run_window(world, &now, h);
        if (status) return status;
    } while (now < h);
    return KUGEL_OK;
}
