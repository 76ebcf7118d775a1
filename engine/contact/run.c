#include "contact/contact.h"

#include <string.h>

#include "base/wide.h"
#include "world/sleep.h"

void kg_contact_free(kg_memory *memory, kg_contact_stage *stage)
{
    for (size_t k = 0; k < sizeof stage->columns / sizeof *stage->columns; ++k) {
        kg_column_free(memory, &stage->columns[k]);
    }
}

bool kg_contact_reserve_bodies(kugel_world *world)
{
    kg_contact_stage *stage = world->contact;
    size_t n = (size_t)world->bodies.count + 1;
    if (!kg_column_reserve(&world->memory, &stage->columns[KG_CONTACT_COLUMN_BODIES], sizeof *stage->bodies, n, 0) ||
        !kg_column_reserve(&world->memory, &stage->columns[KG_CONTACT_COLUMN_SHIFTS], sizeof *stage->shifts, n, 0)) {
        return false;
    }
    if (!kg_column_reserve(&world->memory, &stage->columns[KG_CONTACT_COLUMN_HELD], sizeof *stage->held, n, 0)) return false;
    stage->held = stage->columns[KG_CONTACT_COLUMN_HELD].data;
    stage->bodies = stage->columns[KG_CONTACT_COLUMN_BODIES].data;
    stage->shifts = stage->columns[KG_CONTACT_COLUMN_SHIFTS].data;
    return true;
}

bool kg_contact_begin(kugel_world *world)
{
    kg_contact_stage *stage = world->contact;
    stage->group_count = stage->covered = 0;
    stage->mass_ratio = 1;
    stage->weighed = false;
    stage->smallest = kg_bodies_smallest_radius(&world->bodies);
    stage->largest = kg_bodies_largest_radius(&world->bodies);
    stage->sorted = world->work.contacts.count;
    memset(&world->work.motion[world->bodies.count], 0, sizeof *world->work.motion);
    return kg_contact_reserve_pieces(world, 0) && kg_contact_arrange(world) && kg_contact_cover(world, true);
}

/* What the world's gravity adds to a speed in the substep, m/s. */
static void gravity_kick(const kugel_world *world, double h, kg_double4 *kick)
{
    const double *g = world->def.gravity;
    *kick = (kg_double4){g[0] * h, g[1] * h, g[2] * h, 0};
}

/* Velocity with what the acceleration adds in the substep, for the solver to hold, and the radius. */
static inline void kicked(const kugel_world *world, uint32_t i, double h, const kg_double4 *kick, kg_double4 *v)
{
    kg_double4 adds = {0, 0, 0, 0};
    if (world->work.own) {
        double a[3];
        (void)kg_own_acceleration(world, i, a);
        adds = (kg_double4){a[0] * h, a[1] * h, a[2] * h, 0};
    } else if (world->bodies.mass[i] != 0) {
        adds = *kick;
    }
    memcpy(v, world->work.motion[i].v, sizeof *v);
    *v += adds;
}

/* What stays through the tick. */
static void weigh_bodies(kugel_world *world)
{
    kg_contact_stage *stage = world->contact;
    uint32_t n = world->bodies.count;
    for (uint32_t i = 0; i < n; ++i) {
        double mass = world->bodies.mass[i];
        stage->bodies[i].v[3] = (float)(mass > 0 ? 1 / mass : 0);
        stage->bodies[i].u[3] = (float)(1 / world->bodies.radius[i]);
        stage->shifts[i].x[3] = stage->bodies[i].v[3];
    }
    memset(&stage->bodies[n], 0, sizeof *stage->bodies);
    memset(&stage->shifts[n], 0, sizeof *stage->shifts);
    stage->weighed = true;
}

static inline bool takes_part(const kg_work *work, uint32_t i) { return work->contact_count[i] && work->calm[i] != KG_ASLEEP; }

static inline void load_body(const kugel_world *world, uint32_t i, double h, const kg_double4 *kick, kg_contact_body *body)
{
    kg_double4 v;
    kicked(world, i, h, kick, &v);
    for (int k = 0; k < 3; ++k) {
        body->v[k] = (float)v[k];
        body->u[k] = (float)(world->work.w[k][i] * v[3]);
    }
}

void kg_contact_load(const kugel_world *world, uint32_t slot, double h, kg_contact_body *body)
{
    kg_double4 kick;
    gravity_kick(world, h, &kick);
    load_body(world, slot, h, &kick, body);
}

static void load_bodies(kugel_world *world, uint32_t from, uint32_t to, double h)
{
    kg_contact_stage *stage = world->contact;
    kg_double4 kick;
    gravity_kick(world, h, &kick);
    for (uint32_t i = from; i < to; ++i) {
        if (!takes_part(&world->work, i)) continue;
        load_body(world, i, h, &kick, &stage->bodies[i]);
        for (int k = 0; k < 3; ++k) stage->shifts[i].x[k] = 0;
        stage->held[i] = 0;
    }
}

void kg_contact_load_all(kugel_world *world, double h) { kg_for_bodies(world, load_bodies, h); }

/* What the solver changed of the velocity is added to the state: so float rounds the change only. */
static inline void hold(kugel_world *world, uint32_t i, double h, const kg_double4 *kick)
{
    kg_work *work = &world->work;
    const kg_contact_body *body = &world->contact->bodies[i];
    kg_double4 v;
    kicked(world, i, h, kick, &v);
    for (int k = 0; k < 3; ++k) {
        double u = work->w[k][i] * v[3];
        work->motion[i].v[k] = v[k] + ((double)body->v[k] - (double)(float)v[k]);
        work->w[k][i] += ((double)body->u[k] - (double)(float)u) / v[3];
    }
    work->frame[i] = KG_FRAME_INERTIAL;
}

static inline void shift(kugel_world *world, uint32_t i, double quiet_way)
{
    const float *x = world->contact->shifts[i].x;
    double way[3] = {(double)x[0], (double)x[1], (double)x[2]}, way2 = way[0] * way[0] + way[1] * way[1] + way[2] * way[2];
    if (!(way2 > 0)) return;
    for (int k = 0; k < 3; ++k) world->work.motion[i].x[k] += way[k];
    kg_grid_pushed(world, i, __builtin_sqrt(way2), quiet_way);
}

/* Bodies that a contact holds are done with their acceleration, the others fly on in their own frame. */
static void unload_bodies(kugel_world *world, uint32_t from, uint32_t to, double h)
{
    double quiet_way = kg_grid_quiet_way(world, h);
    kg_double4 kick;
    gravity_kick(world, h, &kick);
    for (uint32_t i = from; i < to; ++i) {
        if (!takes_part(&world->work, i)) continue;
        if (world->contact->held[i] && world->bodies.mass[i] > 0) hold(world, i, h, &kick);
        shift(world, i, quiet_way);
    }
}

/* Changes of a closing speed up to this, m/s, need no other sweep. */
static double sweep_tolerance(const kugel_world *world, double h)
{
    double g2 = 0;
    for (int k = 0; k < 3; ++k) g2 += world->work.gravity[k] * world->work.gravity[k];
    double falls = __builtin_sqrt(g2) * h, slow = KG_SWEEPS_SPEED * world->def.bounce_threshold;
    double presses = KG_SWEEPS_PRESS * world->contact->smallest / h;
    double most = presses < slow ? presses : slow;
    return falls > most ? falls : most;
}

/* A settled load changes little from substep to substep, and its warm start is nearly the answer; one that
 * lands needs more sweeps, or it is thrown back and sinks in. Through bodies of unlike mass impulses
 * travel by the lighter mass a sweep: those need about the square root of the masses' ratio of them. */
static void solve(kugel_world *world, double h)
{
    kg_contact_stage *stage = world->contact;
    double factor = __builtin_sqrt(stage->mass_ratio) / KG_SWEEPS_RATIO;
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
    if (!world->contact->weighed) weigh_bodies(world);
    kg_contact_load_all(world, h);
    solve(world, h);
    kg_contact_push(world);
    kg_for_bodies(world, unload_bodies, h);
    return KUGEL_OK;
}

static void store_impulses(kg_contact_stage *stage, kg_contact *items, uint32_t group)
{
    const kg_contact_group *g = &stage->groups[group];
    const kg_contact_span *span = &stage->spans[group];
    for (int lane = 0; lane < span->count; ++lane) {
        if ((span->ended | span->idle) >> lane & 1) continue;
        kg_contact *c = &items[kg_contact_item(stage, span, lane)];
        c->normal_impulse = g->impulse[lane];
        for (int k = 0; k < 3; ++k) {
            c->friction[k] = g->rub[k][lane];
            if (stage->rolling) c->rolling[k] = stage->rolling[group].impulse[k][lane];
        }
    }
}

/* What is left of items[from ... to), moved down to items[at]; returns the new end. */
static uint32_t drop_ended(kg_contact *items, uint32_t from, uint32_t to, uint32_t at)
{
    for (uint32_t k = from; k < to; ++k) {
        if (!items[k].ended) items[at++] = items[k];
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
    for (uint32_t i = 0; i < stage->group_count; ++i) store_impulses(stage, set->items, i);
    uint32_t old = drop_ended(set->items, 0, stage->sorted, 0), count = drop_ended(set->items, stage->sorted, set->count, old);
    stage->group_count = stage->covered = 0;
    kg_column *room = &stage->columns[KG_CONTACT_COLUMN_GROUPS]; /* the groups have said all they know */
    size_t groups = (count - old) * sizeof *set->items / sizeof *stage->groups + 1;
    if (count > old && !kg_column_reserve(&world->memory, room, sizeof *stage->groups, groups, 0)) return false;
    if (count > old) merge(set->items, old, count, room->data);
    set->count = stage->sorted = count;
    return true;
}
