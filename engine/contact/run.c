#include "contact/contact.h"

#include <string.h>

enum { COLUMN_BODIES = 3, COLUMN_SHIFTS };

void kg_contact_free(kg_memory *memory, kg_contact_stage *stage)
{
    for (size_t k = 0; k < sizeof stage->columns / sizeof *stage->columns; ++k) {
        kg_column_free(memory, &stage->columns[k]);
    }
}

static bool reserve_bodies(kugel_world *world)
{
    kg_contact_stage *stage = world->contact;
    size_t n = (size_t)world->bodies.count + 1;
    if (!kg_column_reserve(&world->memory, &stage->columns[COLUMN_BODIES], sizeof *stage->bodies, n, 0) ||
        !kg_column_reserve(&world->memory, &stage->columns[COLUMN_SHIFTS], sizeof *stage->shifts, n, 0)) {
        return false;
    }
    stage->bodies = stage->columns[COLUMN_BODIES].data;
    stage->shifts = stage->columns[COLUMN_SHIFTS].data;
    return true;
}

bool kg_contact_begin(kugel_world *world)
{
    kg_contact_stage *stage = world->contact;
    stage->group_count = stage->covered = 0;
    stage->mass_ratio = 1;
    const kg_contact_set *set = &world->work.contacts;
    bool arrange = set->changes > set->count / KG_CONTACT_CHANGES;
    return (!arrange || kg_contact_arrange(world)) && kg_contact_cover(world, true);
}

/* Velocities with what the acceleration adds in the substep, for the solver to hold. */
static void kicked(const kugel_world *world, uint32_t i, double h, double v[3])
{
    double a[3];
    kg_own_acceleration(&world->work, i, a);
    for (int k = 0; k < 3; ++k) v[k] = world->work.motion[i].v[k] + a[k] * h;
}

static void load_bodies(kugel_world *world, double h)
{
    kg_contact_stage *stage = world->contact;
    const kg_work *work = &world->work;
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (!work->contact_count[i]) continue;
        kg_contact_body *body = &stage->bodies[i];
        double v[3], mass = world->bodies.mass[i], radius = work->motion[i].radius;
        kicked(world, i, h, v);
        for (int k = 0; k < 3; ++k) {
            body->v[k] = (float)v[k];
            body->u[k] = (float)(work->w[k][i] * radius);
        }
        body->v[3] = (float)(mass > 0 ? 1 / mass : 0);
        body->u[3] = 0;
    }
    memset(&stage->bodies[world->bodies.count], 0, sizeof *stage->bodies);
}

static void mark_held(kg_contact_stage *stage)
{
    for (uint32_t i = 0; i < stage->group_count; ++i) {
        const kg_contact_group *g = &stage->groups[i];
        for (int lane = 0; lane < KG_LANES; ++lane) {
            if (!(g->impulse[lane] > 0)) continue;
            stage->bodies[g->a[lane]].u[3] = stage->bodies[g->b[lane]].u[3] = 1;
        }
    }
}

/* What the solver changed is added to the state; bodies that a contact holds are done with their
 * acceleration, the others fly on in their own frame. */
static void unload_bodies(kugel_world *world, double h)
{
    kg_work *work = &world->work;
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (!work->contact_count[i] || world->bodies.mass[i] == 0) continue;
        const kg_contact_body *body = &world->contact->bodies[i];
        if (body->u[3] == 0) continue;
        double v[3], radius = work->motion[i].radius;
        kicked(world, i, h, v);
        for (int k = 0; k < 3; ++k) {
            double u = work->w[k][i] * radius;
            work->motion[i].v[k] = v[k] + ((double)body->v[k] - (double)(float)v[k]);
            work->w[k][i] += ((double)body->u[k] - (double)(float)u) / radius;
        }
        work->frame[i] = KG_FRAME_INERTIAL;
    }
}

/* A settled load changes little from substep to substep, and its warm start is nearly the answer; one that
 * lands needs more sweeps, or it is thrown back and sinks in. Through bodies of unlike mass impulses
 * travel by the lighter mass a sweep: those need about the square root of the masses' ratio of them. */
static void solve(kugel_world *world, double h)
{
    kg_contact_stage *stage = world->contact;
    double factor = __builtin_sqrt(stage->mass_ratio) / KG_SWEEPS_RATIO, g2 = 0;
    for (int k = 0; k < 3; ++k) g2 += world->work.gravity[k] * world->work.gravity[k];
    double falls = __builtin_sqrt(g2) * h, slow = KG_SWEEPS_SPEED * world->def.bounce_threshold;
    factor = factor < 1 ? 1 : factor > KG_SWEEPS_FACTOR ? KG_SWEEPS_FACTOR : factor;
    int least = (int)(factor * world->def.contact_iterations), most = KG_SWEEPS_FACTOR * world->def.contact_iterations;
    kg_contact_solve(stage, h, least, most, falls > slow ? falls : slow);
}

kugel_status kg_contact_run(kugel_world *world, double h, double start)
{
    const kg_contact_set *set = &world->work.contacts;
    if (!set->count && world->def.bounce_threshold == 0) return KUGEL_OK;
    if (!kg_contact_cover(world, false)) return KUGEL_ERROR_OUT_OF_MEMORY;
    kugel_status status = kg_contact_measure(world, 0, start);
    if (!status) status = kg_contact_find(world, h, start);
    if (status) return status;
    if (!set->count) return KUGEL_OK;
    uint32_t known = world->contact->group_count;
    if (!kg_contact_cover(world, false) || !reserve_bodies(world)) return KUGEL_ERROR_OUT_OF_MEMORY;
    if (world->contact->group_count > known && (status = kg_contact_measure(world, known, start))) return status;
    load_bodies(world, h);
    solve(world, h);
    mark_held(world->contact);
    unload_bodies(world, h);
    kg_contact_push(world, h);
    return KUGEL_OK;
}

void kg_contact_finish(kugel_world *world)
{
    kg_contact_stage *stage = world->contact;
    kg_contact_set *set = &world->work.contacts;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < stage->group_count; ++i) {
        const kg_contact_group *g = &stage->groups[i];
        const kg_contact_span *span = &stage->spans[i];
        bool leads = true;
        for (int lane = 0; lane < span->count; ++lane) {
            if (span->ended >> lane & 1) continue;
            kg_contact *c = &set->items[kept];
            *c = set->items[span->first + (uint32_t)lane];
            c->leads = leads;
            c->normal_impulse = g->impulse[lane];
            for (int k = 0; k < 3; ++k) {
                c->friction[k] = g->rub[k][lane];
                if (stage->rolling) c->rolling[k] = stage->rolling[i].impulse[k][lane];
            }
            leads = false;
            kept += 1;
        }
    }
    /* those that the last impacts began are in no group yet */
    for (uint32_t k = stage->covered; k < set->count; ++k) set->items[kept++] = set->items[k];
    set->count = kept;
}
