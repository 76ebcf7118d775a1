#include "impact/impact.h"

bool kg_mark_far(kugel_world *world, uint32_t i, double h)
{
    return kg_grid_is_far(world->grid, i) || !kg_outruns_lists(world, i, h) || kg_grid_set_far(world, i);
}

static void note_frames(kugel_world *world)
{
    const uint8_t *frame = world->work.frame;
    bool same = true;
    for (uint32_t i = 0; i < world->bodies.count; ++i) same = same && frame[i] == frame[0] && frame[i] != KG_FRAME_OWN;
    world->work.one_frame = same;
}

bool kg_predict_again(kugel_world *world, uint32_t i, double now, double h)
{
    if (world->bodies.mass[i] == 0) return true;
    return kg_mark_far(world, i, world->impact->until) && kg_predict_body(world, i, now, h, false);
}

static bool regrid(kugel_world *world, uint32_t i, double t, double h)
{
    double place[3];
    kg_anchor_place(world, i, t, h, place);
    return kg_grid_regrid(world, i, place);
}

static kugel_status handle(kugel_world *world, const kg_event *e, double h)
{
    kugel_status status = KUGEL_OK;
    bool ok = true;
    uint32_t j = e->b & KG_ENTRY_SLOT;
    if (e->kind != KG_EVENT_CROSSING) kg_fetch_neighbours(world, e->a);
    if (e->kind == KG_EVENT_BODY) kg_fetch_neighbours(world, j);
    switch (e->kind) {
    case KG_EVENT_BODY:
        if (kg_queue_tied(world, e->time)) return kg_resolve_instant(world, e, h);
        status = kg_resolve(world, e);
        ok = !status && kg_predict_again(world, e->a, e->time, h) && kg_predict_again(world, j, e->time, h);
        break;
    case KG_EVENT_BOUNDARY:
        if (kg_queue_tied(world, e->time)) return kg_resolve_instant(world, e, h);
        status = kg_resolve(world, e);
        ok = !status && kg_predict_again(world, e->a, e->time, h);
        break;
    case KG_EVENT_CROSSING:
        kg_resolve_crossing(world, e->a, e->b, e->time);
        ok = (kg_grid_is_far(world->grid, e->a) || regrid(world, e->a, e->time, h)) &&
             kg_predict_body(world, e->a, e->time, h, false);
        break;
    default: /* the skin is used up: no change of motion, only of what is looked at */
        ok = regrid(world, e->a, e->time, h) && kg_predict_body(world, e->a, e->time, h, false);
    }
    return ok ? KUGEL_OK : status ? status : KUGEL_ERROR_OUT_OF_MEMORY;
}

/* How the lists fared in a window tells how long the next one should be. */
static void measure(kg_impact_stage *stage, double now, bool worn)
{
    double lasted = now - stage->from;
    if (worn) stage->span = 1.2 * lasted;
    else if (stage->span > 0 && stage->span <= lasted) stage->span = 2 * lasted;
}

static double window_end(const kg_impact_stage *stage, double from, double h)
{
    double end = from + stage->span;
    return stage->span > 0 && end + 0.25 * stage->span < h ? end : h;
}

/* From `*now` to the end of the window, or to the moment when so many bodies have left their skins that new
 * lists for all are cheaper than for each. Nothing but speed depends on where that is: what is not
 * handled yet is predicted again, to the same bits. */
static kugel_status run_window(kugel_world *world, double *now, double h)
{
    enum { WORN_SHARE = 8 }; /* a new list costs some two times as much for a single body; then all are swept again */
    kg_impact_stage *stage = world->impact;
    double until = window_end(stage, *now, h);
    if (!kg_queue_begin(&world->memory, stage, *now, until, world->bodies.count)) return KUGEL_ERROR_OUT_OF_MEMORY;
    if (!kg_sweep_first(world, *now, h)) return KUGEL_ERROR_OUT_OF_MEMORY;
    kg_lap(world, KG_STAGE_SWEEP);
    uint64_t n = world->bodies.count, worn = world->regrids + n / WORN_SHARE + 16 + world->grid->far_count * n / KG_LIST_COST;
    kg_event event;
    bool ok = true;
    while (kg_queue_pop(world, &event, &ok)) {
        kugel_status status = handle(world, &event, h);
        if (status) return status;
        if (world->regrids < worn) continue;
        measure(stage, *now = event.time, true);
        kg_lap(world, KG_STAGE_IMPACT);
        return kg_grid_rebuild(world, *now, h) ? KUGEL_OK : KUGEL_ERROR_OUT_OF_MEMORY;
    }
    measure(stage, *now = until, false);
    kg_lap(world, KG_STAGE_IMPACT);
    return ok ? KUGEL_OK : KUGEL_ERROR_OUT_OF_MEMORY;
}

kugel_status kg_impact_run(kugel_world *world, double h, double start)
{
    kg_impact_stage *stage = world->impact;
    stage->substep_start = start;
    stage->h = h;
    note_frames(world);
    double now = 0;
    do {
        kugel_status status = run_window(world, &now, h);
        if (status) return status;
    } while (now < h);
    return KUGEL_OK;
}
