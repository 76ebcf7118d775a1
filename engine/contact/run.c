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
    stage->weighed = stage->ended = false;
    stage->as_asked = true;
    stage->mass_ratio = 1;
    memset(&world->work.motion[world->bodies.count], 0, sizeof *world->work.motion);
    if (!kg_contact_keep(world)) return false;
    if (stage->kept) return true;
    stage->group_count = stage->covered = 0;
    kg_radii radii = kg_bodies_radii(&world->bodies);
    stage->largest = radii.largest;
    stage->smallest = radii.smallest;
    stage->solid = kg_sensors_least_solid(world, radii.smallest);
    return kg_contact_reserve_pieces(world, 0) && kg_contact_arrange(world) && kg_contact_cover(world, true);
}

/* A speed, m/s: beyond it what gravity adds in a substep opens contacts. */
static double far_fall(const kugel_world *world, double h) { return KG_SWEEPS_FALL * world->contact->solid / h; }

/* Changes of a closing speed up to this, m/s, need no other sweep. */
static double sweep_tolerance(const kugel_world *world, double h)
{
    double falls = world->work.pull * h, far = far_fall(world, h), slow = KG_SWEEPS_SPEED * world->def.bounce_threshold;
    double presses = KG_SWEEPS_PRESS * world->contact->solid / h;
    double most = presses < slow ? presses : slow;
    falls = falls < far ? falls : far;
    return falls > most ? falls : most;
}

/* Is much of the load deep, and sinks though no sweep changes much? That needs more of them. */
static double sinking_factor(const kugel_world *world)
{
    double share = (double)KG_DEEP_SHARE * world->contact->sinking / world->work.contacts.count;
    return share < 1 ? 1 : share > KG_DEEP_SWEEPS ? KG_DEEP_SWEEPS : share;
}

/* Few contacts cost little: these sweeps at least. A ball in a shallow dimple, one that is stopped by rolling resistance or one that another
 * pushes is not solved by one, and what is left of it would keep it moving. */
static int few_sweeps(uint32_t contacts)
{
    uint32_t sweeps = KG_SWEEPS_FEW_WORK / contacts;
    return (int)(sweeps < KG_SWEEPS_FEW ? sweeps : KG_SWEEPS_FEW);
}

/* A settled load changes little from substep to substep, and its warm start is nearly the answer; one that
 * lands needs more sweeps, or it is thrown back and sinks in. Through bodies of unlike mass impulses
 * travel by the lighter mass a sweep: those need about the square root of the masses' ratio of them. */
static void solve(kugel_world *world, double h)
{
    kg_contact_stage *stage = world->contact;
    double factor = __builtin_sqrt(stage->mass_ratio) / KG_SWEEPS_RATIO;
    factor = factor < 1 ? 1 : factor > KG_SWEEPS_UNLIKE ? KG_SWEEPS_UNLIKE : factor;
    factor *= sinking_factor(world);
    int asked = (int)(factor * world->def.contact_iterations), least = (int)(factor * world->work.stretch * world->def.contact_iterations);
    int most = KG_SWEEPS_FACTOR * asked, far = KG_SWEEPS_FAR * KG_SWEEPS_FACTOR * world->def.contact_iterations;
    int few = few_sweeps(world->work.contacts.count);
    if (most < far && world->work.pull * h > far_fall(world, h)) most = far;
    if (least < few) least = few;
    kg_contact_solve(world, h, least, least + most - asked, sweep_tolerance(world, h) / factor);
}

/* Where bodies woke up in the middle of a tick, all groups are made anew. */
static bool regroup(kugel_world *world)
{
    if (!world->work.regroup) return true;
    world->work.regroup = false;
    return kg_work_copy_contacts(&world->memory, &world->work) && kg_contact_finish(world) && kg_contact_begin(world);
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
    return kg_contact_unload(world, h) ? KUGEL_OK : KUGEL_ERROR_OUT_OF_MEMORY;
}
