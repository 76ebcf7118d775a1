#include "contact/contact.h"

enum { COLUMN_BEFORE = 1 };

void kg_contact_free(kg_memory *memory, kg_contact_stage *stage)
{
    for (size_t k = 0; k < sizeof stage->columns / sizeof *stage->columns; ++k) {
        kg_column_free(memory, &stage->columns[k]);
    }
}

/* Bodies in contact feel their acceleration at once, for the solver to hold: they move in the resting
 * frame. What they were is kept. */
static bool kick(kugel_world *world, double h)
{
    kg_work *work = &world->work;
    kg_contact_stage *stage = world->contact;
    if (!kg_column_reserve(&world->memory, &stage->columns[COLUMN_BEFORE], sizeof *stage->before, world->bodies.count, 0)) {
        return false;
    }
    stage->before = stage->columns[COLUMN_BEFORE].data;
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (!work->contact_count[i]) continue;
        kg_contact_before *b = &stage->before[i];
        double a[3];
        kg_acceleration(work, i, a);
        for (int k = 0; k < 3; ++k) {
            b->v[k] = work->motion[i].v[k];
            b->w[k] = work->w[k][i];
            work->motion[i].v[k] += a[k] * h;
        }
        work->frame[i] = KG_FRAME_INERTIAL;
    }
    return true;
}

/* Bodies that no contact holds after all fly on in their own frame. */
static void release(kugel_world *world)
{
    enum { HELD = 128 };
    kg_work *work = &world->work;
    for (uint32_t k = 0; k < work->contacts.count; ++k) {
        const kg_contact_row *row = &world->contact->rows[k];
        if (!(row->normal_impulse > 0)) continue;
        work->frame[row->a] |= HELD;
        if (row->b != KG_NONE) work->frame[row->b] |= HELD;
    }
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        bool held = work->frame[i] & HELD;
        if (held || !work->contact_count[i]) {
            work->frame[i] &= (uint8_t)~HELD;
            continue;
        }
        work->frame[i] = work->own_frame[i];
        for (int k = 0; k < 3; ++k) work->motion[i].v[k] = world->contact->before[i].v[k];
    }
}

/* Does the way ahead end with more energy than there was? Contacts only ever take energy: motion
 * after the solve, and the height that the way in the substep gains, against motion before. Summed in
 * id order. Moving supports do work: then nothing can be said. */
static bool gains(const kugel_world *world, double h)
{
    const kg_bodies *bodies = &world->bodies;
    const kg_work *work = &world->work;
    double gain = 0, allowed = 0;
    for (uint32_t id = 0; id < bodies->id_end; ++id) {
        uint32_t i = bodies->slot[id];
        if (i == KG_NONE || !work->contact_count[i]) continue;
        if (bodies->type[i] == KUGEL_KINEMATIC) return false;
        double m = bodies->mass[i], turn = 0.4 * bodies->radius[i] * bodies->radius[i];
        const kg_contact_before *b = &world->contact->before[i];
        double a[3];
        kg_own_acceleration(work, i, a);
        for (int k = 0; k < 3; ++k) {
            double v = work->motion[i].v[k], w = work->w[k][i], kicked = a[k] * h;
            double now = v * v + turn * w * w - 2 * kicked * v, then = b->v[k] * b->v[k] + turn * b->w[k] * b->w[k];
            gain += 0.5 * m * (now - then);
            allowed += 0.5 * m * (KG_GAIN_SHARE * kicked * kicked + KG_GAIN_ROUNDING * then);
        }
    }
    return gain > allowed;
}

/* Impulses of the substep before are a good guess while a load rests, and a bad one just after it was
 * caught: then they throw bodies up, and few iterations do not undo it. Where the guess ends with more
 * energy it is dropped and the solve starts from nothing, which only takes. */
static void solve(kugel_world *world, double h)
{
    kg_work *work = &world->work;
    kg_contact_solve(world, h, world->def.contact_iterations);
    if (!gains(world, h)) return;
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (!work->contact_count[i]) continue;
        const kg_contact_before *b = &world->contact->before[i];
        double a[3];
        kg_own_acceleration(work, i, a);
        for (int k = 0; k < 3; ++k) {
            work->motion[i].v[k] = b->v[k] + a[k] * h;
            work->w[k][i] = b->w[k];
        }
    }
    kg_contact_forget_impulses(world);
    kg_contact_solve(world, h, 2 * world->def.contact_iterations);
}

kugel_status kg_contact_run(kugel_world *world, double h, double start)
{
    const kg_contact_set *set = &world->work.contacts;
    if (!set->count && world->def.bounce_threshold == 0) return KUGEL_OK;
    kugel_status status = kg_contact_collect(world, h, start);
    if (status) return status;
    if (!set->count) return KUGEL_OK;
    world->contact->cell = KG_CONTACT_CELL * kg_bodies_largest_radius(&world->bodies);
    if (!kg_contact_reserve_rows(world) || !kick(world, h)) return KUGEL_ERROR_OUT_OF_MEMORY;
    kg_contact_sort(world);
    kg_contact_make_rows(world);
    solve(world, h);
    kg_contact_push(world);
    release(world);
    return KUGEL_OK;
}
