#include "contact/contact.h"

#include <string.h>

void kg_contact_free(kg_memory *memory, kg_contact_stage *stage)
{
    for (size_t k = 0; k < sizeof stage->columns / sizeof *stage->columns; ++k) {
        kg_column_free(memory, &stage->columns[k]);
    }
}

bool kg_contact_begin(kugel_world *world)
{
    kg_contact_stage *stage = world->contact;
    stage->group_count = stage->covered = 0;
    stage->mass_ratio = 0;
    stage->weighed = stage->ended = false;
    stage->largest = kg_bodies_largest_radius(&world->bodies);
    stage->sorted = world->work.contacts.count;
    memset(&world->work.motion[world->bodies.count], 0, sizeof *world->work.motion);
    return kg_contact_reserve_pieces(world, 0) && kg_contact_arrange(world) && kg_contact_cover(world, true);
}

/* Changes of a closing speed up to this, m/s, need no other sweep. */
static double sweep_tolerance(const kugel_world *world, double h)
{
    double g2 = 0;
    for (int k = 0; k < 3; ++k) g2 += world->work.gravity[k] * world->work.gravity[k];
    double falls = __builtin_sqrt(g2) * h, slow = KG_SWEEPS_SPEED * world->def.bounce_threshold;
    double presses = KG_SWEEPS_PRESS * world->grid->smallest / h;
    double most = presses < slow ? presses : slow;
    return falls > most ? falls : most;
}

/* A settled load changes little from substep to substep, and its warm start is nearly the answer; one that
 * lands needs more sweeps, or it is thrown back and sinks in. Through bodies of unlike mass impulses
 * travel by the lighter mass a sweep: those need about the square root of the masses' ratio of them. */
static void solve(kugel_world *world, double h)
{
    kg_contact_stage *stage = world->contact;
    double ratio;
    memcpy(&ratio, &stage->mass_ratio, sizeof ratio);
    double factor = __builtin_sqrt(ratio) / KG_SWEEPS_RATIO;
    factor = factor < 1 ? 1 : factor > KG_SWEEPS_UNLIKE ? KG_SWEEPS_UNLIKE : factor;
    int least = (int)(factor * world->def.contact_iterations);
    kg_contact_solve(world, h, least, KG_SWEEPS_FACTOR * least, sweep_tolerance(world, h) / factor);
}

/* Where bodies woke up in the middle of a tick, all groups are made anew. */
static bool regroup(kugel_world *world)
{
    if (!world->work.regroup) return true;
    world->work.regroup = false;
    return kg_contact_finish(world) && kg_contact_begin(world);
}

kugel_status kg_contact_run(kugel_world *world, double h, double start)
{
    const kg_contact_set *set = &world->work.contacts;
    if (!set->count && world->def.bounce_threshold == 0) return KUGEL_OK;
    if (!regroup(world) || !kg_contact_cover(world, false)) return KUGEL_ERROR_OUT_OF_MEMORY;
    kugel_status status = kg_contact_measure(world, 0, start);
    if (!status) status = kg_contact_find(world, h, start);
    if (status) return status;
    if (!set->count) return KUGEL_OK;
    if (world->work.roused && !kg_sleep_rouse(world, start)) return KUGEL_ERROR_OUT_OF_MEMORY;
    uint32_t known = world->work.regroup ? 0 : world->contact->group_count;
    if (!regroup(world) || !kg_contact_cover(world, false) || !kg_contact_reserve_bodies(world)) return KUGEL_ERROR_OUT_OF_MEMORY;
    if (world->contact->group_count > known && (status = kg_contact_measure(world, known, start))) return status;
    kg_contact_load(world, h);
    solve(world, h);
    kg_contact_push(world);
    kg_contact_unload(world, h);
    return KUGEL_OK;
}

static void store_impulses(void *context, uint32_t piece, uint32_t from, uint32_t to)
{
    kugel_world *world = context;
    const kg_contact_stage *stage = world->contact;
    (void)piece;
    for (uint32_t i = from; i < to; ++i) {
        const kg_contact_group *g = &stage->groups[i];
        const kg_contact_span *span = &stage->spans[i];
        for (int lane = 0; lane < span->count; ++lane) {
            if ((span->ended | span->idle) >> lane & 1) continue;
            kg_contact *c = &world->work.contacts.items[kg_contact_item(stage, span, lane)];
            c->normal_impulse = g->impulse[lane];
            for (int k = 0; k < 3; ++k) {
                c->friction[k] = g->rub[k][lane];
                if (stage->rolling) c->rolling[k] = stage->rolling[i].impulse[k][lane];
            }
        }
    }
}

/* What is left of items[from ... to), moved down to items[at]; returns the new end. */
static uint32_t drop_ended(kg_contact *items, uint32_t from, uint32_t to, uint32_t at)
{
    for (uint32_t k = from; k < to; ++k) {
        if (items[k].ended) continue;
        if (at != k) items[at] = items[k];
        at += 1;
    }
    return at;
}

/* The new ones, in order, among the old ones; `copy` has room for them. */
static void merge(kg_contact *items, uint32_t old, uint32_t count, kg_contact *copy)
{
    uint32_t fresh = count - old;
    kg_contact_sort_new(items + old, fresh);
    memcpy(copy, items + old, fresh * sizeof *copy);
    for (uint32_t to = count; fresh > 0;) {
        bool takes_old = old > 0 && kg_contact_key(&items[old - 1]) > kg_contact_key(&copy[fresh - 1]);
        items[--to] = takes_old ? items[--old] : copy[--fresh];
    }
}

bool kg_contact_finish(kugel_world *world)
{
    kg_contact_stage *stage = world->contact;
    kg_contact_set *set = &world->work.contacts;
    kg_contact_any_order(world, 0, store_impulses, world);
    uint32_t old = stage->sorted, count = set->count;
    if (stage->ended) {
        old = drop_ended(set->items, 0, stage->sorted, 0);
        count = drop_ended(set->items, stage->sorted, set->count, old);
    }
    stage->ended = false;
    stage->group_count = stage->covered = 0;
    kg_column *room = &stage->columns[KG_CONTACT_COLUMN_GROUPS]; /* the groups have said all they know */
    size_t groups = (count - old) * sizeof *set->items / sizeof *stage->groups + 1;
    if (count > old && !kg_column_reserve(&world->memory, room, sizeof *stage->groups, groups, 0)) return false;
    if (count > old) merge(set->items, old, count, room->data);
    set->count = stage->sorted = count;
    return true;
}
