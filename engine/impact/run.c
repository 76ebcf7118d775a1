#include <math.h>

#include "impact/zones.h"

static bool regrid(kugel_world *world, uint32_t i, double t, double h)
{
    double place[3];
    kg_anchor_place(world, i, t, h, place);
    return kg_grid_regrid(world, i, place);
}

bool kg_mark_far(kugel_world *world, uint32_t i, double now, double h)
{
    bool far = kg_grid_is_far(world->grid, i), outruns = kg_outruns_lists(world, i, world->impact->until);
    if (far == outruns) return true;
    if (outruns) return kg_grid_set_far(world, i);
    kg_grid_unset_far(world->grid, i);
    return regrid(world, i, now, h);
}

static void note_frames(kugel_world *world)
{
    const uint8_t *frame = world->work.frame;
    uint8_t unlike = 0;
    for (uint32_t i = 0; i < world->bodies.count; ++i) unlike |= frame[i] ^ frame[0]; /* no branch: by vectors */
    world->work.one_frame = !unlike && (!world->bodies.count || frame[0] < KG_FRAME_OWN);
    world->work.lossless = world->work.one_frame && kg_elastic_is_world(world);
}

void kg_note_speed(kugel_world *world, uint32_t i)
{
    kg_dense *dense = &world->grid->dense;
    const double *v = world->work.motion[i].v, window = world->impact->until - world->impact->from;
    double way2 = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) * window * window;
    if (way2 > dense->way_most * dense->way_most) __atomic_store_n(&dense->leave, true, __ATOMIC_RELAXED);
}

bool kg_predict_again(kugel_world *world, uint32_t i, double now, double h)
{
    if (world->bodies.mass[i] == 0) return true;
    if (!world->grid->dense.used && !kg_mark_far(world, i, now, h)) return false;
    return kg_predict_body(world, i, now, h, false);
}

bool kg_predict_both(kugel_world *world, uint32_t i, uint32_t j, double now, double h)
{
    const double *mass = world->bodies.mass;
    if (world->grid->dense.used && mass[i] != 0 && mass[j] != 0) return kg_predict_two_in_cells(world, i, j, now, h);
    return kg_predict_again(world, i, now, h) && kg_predict_again(world, j, now, h);
}

/* The skin is used up: no change of motion, only of what is looked at. */
static bool renew_list(kugel_world *world, const kg_event *e, double h)
{
    uint32_t i = e->a;
    double t = e->time;
    if (world->grid->dense.used) {
        kg_dense_cross(world, i, e->b);
        return kg_predict_crossed(world, i, e->b, t, h);
    }
    kg_boundary_set known = world->grid->near[i];
    return regrid(world, i, t, h) && kg_predict_fresh(world, i, known, t, h);
}

kugel_status kg_impact_handle(kugel_world *world, const kg_event *e, double h)
{
    kugel_status status = KUGEL_OK;
    bool ok = true;
    uint32_t j = e->b & KG_ENTRY_SLOT;
    switch (e->kind) {
    case KG_EVENT_BODY:
        if (kg_queue_tied(world, e->time)) return kg_resolve_instant(world, e, h);
        status = kg_resolve(world, e);
        ok = !status && kg_predict_both(world, e->a, j, e->time, h);
        break;
    case KG_EVENT_BOUNDARY:
        if (kg_queue_tied(world, e->time)) return kg_resolve_instant(world, e, h);
        status = kg_resolve(world, e);
        ok = !status && kg_predict_again(world, e->a, e->time, h);
        break;
    case KG_EVENT_CROSSING:
        kg_resolve_crossing(world, e->a, e->b, e->time);
        if (world->grid->dense.used) kg_dense_cross(world, e->a, e->b);
        else ok = kg_grid_is_far(world->grid, e->a) || regrid(world, e->a, e->time, h);
        ok = ok && kg_predict_body(world, e->a, e->time, h, false);
        break;
    default:
        ok = renew_list(world, e, h);
    }
    return ok ? KUGEL_OK : status ? status : KUGEL_ERROR_OUT_OF_MEMORY;
}

/* How the lists fared in a window tells how long the next one should be. In dense cells it should hold as many impacts
 * as there are bodies: in a shorter one the first sweep takes more than they do, in a longer one most of what is
 * predicted is no longer true when it is due. */
static void measure(const kugel_world *world, double now, bool cut, uint64_t impacts)
{
    kg_impact_stage *stage = world->impact;
    double lasted = now - stage->from;
    if (world->grid->dense.used && impacts) stage->span = lasted * world->bodies.count / (double)impacts;
    else if (cut) stage->span = 1.2 * lasted;
    else if (stage->span > 0 && stage->span <= lasted) stage->span = 2 * lasted;
}

static double window_end(const kg_impact_stage *stage, double from, double h)
{
    double end = from + stage->span;
    return stage->span > 0 && end + 0.25 * stage->span < h ? end : h;
}

/* Do the cells or the lists no longer serve? What is there to do then is to make lists for all. A new list costs
 * some two times as much for a single body; then all are swept again. */
static bool is_worn(const kugel_world *world, uint64_t regrids_before)
{
    enum { WORN_SHARE = 8 };
    const kg_grid *grid = world->grid;
    uint64_t n = world->bodies.count;
    if (grid->dense.used) return grid->dense.leave || world->work.contacts.count;
    return world->regrids >= regrids_before + n / WORN_SHARE + 16 + grid->far_count * n / KG_LIST_COST;
}

static bool make_lists(kugel_world *world, double now, double h)
{
    kg_dense *dense = &world->grid->dense;
    if (dense->used) dense->wait = KG_DENSE_WAIT;
    dense->used = false;
    return kg_grid_rebuild(world, now, h);
}

/* From `*now` to the end of the window, or to the moment when so many bodies have left their skins that new
 * lists for all are cheaper than for each, or when the queue holds very much. Nothing but speed depends on
 * where that is: what is not handled yet is predicted again, to the same bits. */
static kugel_status run_window(kugel_world *world, double *now, double h)
{
    enum { EVENTS_A_BODY = 8 };
    kg_impact_stage *stage = world->impact;
    double until = window_end(stage, *now, h);
    uint32_t n = world->bodies.count;
    uint64_t regrids = world->regrids, impacts = world->events.pending.impacts_seen;
    if (!kg_queue_begin(&world->memory, stage, *now, until, n)) return KUGEL_ERROR_OUT_OF_MEMORY;
    if (!kg_sweep_first(world, *now, h)) return KUGEL_ERROR_OUT_OF_MEMORY;
    kg_lap(world, KG_STAGE_SWEEP);
    kg_event event = {.time = until};
    bool ok = true, worn = false, full = false;
    if (kg_zones_are_planned(world)) {
        kugel_status status = kg_zones_run(world);
        if (status) return status;
        worn = is_worn(world, regrids);
    }
    while (!worn && !full && kg_queue_pop(world, &event, &ok)) {
        kugel_status status = kg_impact_handle(world, &event, h);
        if (status) return status;
        worn = is_worn(world, regrids);
        full = world->grid->dense.used && stage->event_count > EVENTS_A_BODY * n + 1024;
    }
    bool cut = worn || full;
    *now = cut ? event.time : until;
    measure(world, *now, cut, world->events.pending.impacts_seen - impacts);
    kg_lap(world, KG_STAGE_IMPACT);
    return ok && (!worn || make_lists(world, *now, h)) ? KUGEL_OK : KUGEL_ERROR_OUT_OF_MEMORY;
}

kugel_status kg_impact_run(kugel_world *world, double h, double start)
{
    kg_impact_stage *stage = world->impact;
    stage->substep_start = start;
    stage->h = h;
    note_frames(world);
    stage->way = 2 * world->grid->smallest;
    stage->per_way = 1 / stage->way;
    double now = 0;
    do {
        kugel_status status = run_window(world, &now, h);
        if (status) return status;
    } while (now < h);
    return KUGEL_OK;
}
