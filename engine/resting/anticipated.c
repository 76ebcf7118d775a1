/* The anticipated velocity. Where a contact constrains a body, the body's velocity already includes
 * a' (h - t): the acceleration a' of the remaining substep (semi-implicit Euler). a' is what the
 * immovable supports leave of the body's acceleration (supports.c). An impact does not reflect this
 * part, or the body would bounce with more energy than it has. The share of movable supports is
 * unknown: it is ignored, so the bounce may be too weak, but not too strong. See
 * tools/docs/decisions/05-anticipated-velocity.md. */
#include "base/vec.h"
#include "resting/supports.h"
#include "world/locks.h"
#include "world/sleep_state.h"

/* After so many changes of motion in a substep, as of a squeezed body, the anticipated velocity is
 * uncertain, and the body keeps it. */
enum { SQUEEZED_IMPACTS = 8 };

void kg_anticipated_find(const kugel_world *world, uint32_t slot, const double away[3], double h,
                         double t, kg_anticipated *out)
{
    const kg_work *work = &world->work;
    double a[3], v[3], back[3];
    kg_supports all;
    kg_set3(out->velocity, 0, 0, 0);
    out->known = out->loaded = false;
    if (slot == KG_NONE || world->bodies.mass[slot] == 0 ||
        work->frame[slot] != KG_FRAME_INERTIAL || work->sleep_state[slot] == KG_ASLEEP)
        return;
    if (kg_work_rests_on_boundaries(work, slot) && !kg_slide_has_ended(world, slot)) return;
    kg_frame_free_acceleration(world, slot, a);
    if (kg_dot3(a, a) == 0) return;
    kg_supports_find(world, slot, t, &all);
    kg_work_velocity_at(work, slot, t, v);
    out->tolerance = kg_supports_tolerance(a, v, h);
    kg_supports_remove_parting(&all, v, out->tolerance);
    kg_copy3(back, away);
    if (work->any_locks) kg_locks_direct(kg_locks_of(&world->bodies, slot), back);
    kg_supports_remove_normal(&all, back);
    kg_supports_project(&all, a);
    kg_scale3(out->velocity, a, h - t);
    out->known = work->motion_version[slot] < SQUEEZED_IMPACTS;
    out->loaded = all.any_movable;
}

/* Subtract the anticipated velocity from a body that without it parts from a support: the body
 * falls freely from t on. If the body also rests on movable bodies, it continues on a straight line
 * instead, and its velocity includes the acceleration that its other immovable supports leave. */
static void release_if_parting(kugel_world *world, uint32_t slot, const kg_anticipated *anticipated,
                               double h, double t)
{
    kg_motion *m = &world->work.motion[slot];
    double v[3], a[3], at_rest[3] = {0, 0, 0};
    kg_supports all;
    kg_sub3(v, m->v, anticipated->velocity);
    kg_supports_find(world, slot, t, &all);
    if (!kg_supports_any_parting(&all, v, anticipated->tolerance)) return;
    kg_copy3(m->v, v);
    if (anticipated->loaded) {
        kg_frame_free_acceleration(world, slot, a);
        kg_supports_remove_parting(&all, v, anticipated->tolerance);
        kg_supports_project(&all, a);
        kg_add_scaled3(m->v, v, h - t, a);
        return;
    }
    kg_frame_set_free(world, slot);
    kg_work_change_frame(&world->work, slot, at_rest, t);
}

/* True when the body rests on boundaries alone, and its velocity does not include the acceleration
 * of the remaining substep: it slides, or no acceleration moves it along the boundaries. */
static bool rests_on_boundaries_only(const kugel_world *world, uint32_t slot)
{
    uint8_t frame = world->work.frame[slot];
    return frame == KG_FRAME_SLIDING ||
           (frame == KG_FRAME_INERTIAL && kg_work_rests_on_boundaries(&world->work, slot));
}

bool kg_resting_update_after_impulse(kugel_world *world, uint32_t slot,
                                     const kg_anticipated *anticipated, bool bounced, double h,
                                     double t)
{
    if (slot == KG_NONE || world->bodies.mass[slot] == 0) return true;
    if (rests_on_boundaries_only(world, slot)) return kg_slide_update(world, slot, h, t);
    if (!bounced || !anticipated->known) return true;
    kg_support_sums before;
    kg_support_sums_begin(world, slot, h, t, &before);
    release_if_parting(world, slot, anticipated, h, t);
    return kg_support_sums_end(world, slot, h, t, &before);
}
