#include "impact/impact.h"

/* Bodies that outrun their lists are tested against everybody. A body that already is far stays so. */
static bool mark_far(kugel_world *world, uint32_t i, double h)
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

static bool first_sweep(kugel_world *world, double h)
{
    note_frames(world);
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (!mark_far(world, i, h)) return false;
    }
    kg_grid_find_busy(world, h);
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (kg_grid_is_busy(world->grid, i) && !kg_predict_body(world, i, 0, h, true)) return false;
    }
    kg_grid_spend_room(world, h);
    return true;
}

bool kg_predict_again(kugel_world *world, uint32_t i, double now, double h)
{
    if (world->bodies.mass[i] == 0) return true;
    return mark_far(world, i, h) && kg_predict_body(world, i, now, h, false);
}

/* Anchor a body anew where it is at t; a fast one ahead of itself, so that the list lasts longer. */
static bool regrid(kugel_world *world, uint32_t i, double t, double h)
{
    const kg_grid *grid = world->grid;
    const kg_motion *m = &world->work.motion[i];
    const kugel_bounds *bounds = &world->def.bounds;
    double place[3], speed = 0;
    kg_place_at(&world->work, i, t, place);
    for (int k = 0; k < 3; ++k) speed += m->v[k] * m->v[k];
    speed = __builtin_sqrt(speed);
    double lead = speed * (h - t) > grid->skin ? 0.75 * grid->skin / speed : 0;
    for (int k = 0; k < 3; ++k) {
        place[k] += lead * m->v[k];
        if (bounds->faces[2 * k] != KUGEL_FACE_PERIODIC) continue;
        place[k] = place[k] < bounds->min[k] ? bounds->min[k] : place[k];
        place[k] = place[k] > bounds->max[k] ? bounds->max[k] : place[k];
    }
    return kg_grid_regrid(world, i, place);
}

static kugel_status handle(kugel_world *world, const kg_event *e, double h)
{
    kugel_status status = KUGEL_OK;
    bool ok = true;
    uint32_t j = e->b & KG_ENTRY_SLOT;
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

kugel_status kg_impact_run(kugel_world *world, double h, double start)
{
    kg_impact_stage *stage = world->impact;
    if (!kg_queue_begin(&world->memory, stage, h, world->bodies.count)) return KUGEL_ERROR_OUT_OF_MEMORY;
    stage->substep_start = start;
    if (!first_sweep(world, h)) return KUGEL_ERROR_OUT_OF_MEMORY;
    kg_event event;
    bool ok = true;
    while (kg_queue_pop(world, &event, &ok)) {
        kugel_status status = handle(world, &event, h);
        if (status) return status;
    }
    stage->pushed_before = stage->pushed;
    return ok ? KUGEL_OK : KUGEL_ERROR_OUT_OF_MEMORY;
}
