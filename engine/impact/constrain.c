/* What rests on something from within a substep on is held by it for the rest of that: the solver
 * knows of it from the next one on, and until then it would fall into what it rests on. On what
 * does not give way it slides (anticipated.c). Else, as the solver does (semi-implicit Euler), the
 * velocity changes at once by all that the acceleration would still add, but for what would press
 * the two together; then both move in straight lines. That takes a little energy, g^2 s^2 / 2 at
 * most of a mass, and never adds any. */
#include "impact/collision.h"

/* Is the side free to give way? Its acceleration. What a contact holds against what pulls it gives
 * way to nothing. */
static bool is_movable(const kugel_world *world, const kg_side *side, double a[3])
{
    for (int k = 0; k < 3; ++k) a[k] = 0;
    if (side->slot == KG_NONE || side->inverse_mass == 0) return false;
    if (world->work.frame[side->slot] != KG_FRAME_INERTIAL) {
        kg_work_acceleration(&world->work, side->slot, a);
        return true;
    }
    (void)kg_frame_free_acceleration(world, side->slot, a);
    bool pulled = a[0] != 0 || a[1] != 0 || a[2] != 0;
    for (int k = 0; k < 3; ++k) a[k] = 0;
    return !pulled;
}

/* The body leaves its frame at t, its clock; along the normal its velocity changes by `press`, m/s,
 * less. */
static void constrain_side(kg_work *work, uint32_t slot, const double a[3], const double normal[3],
                           double press, double t, double h)
{
    kg_motion *m = &work->motion[slot];
    double spin[3];
    kg_work_spin_at(work, slot, h, spin);
    for (int k = 0; k < 3; ++k) {
        work->w[k][slot] = spin[k];
        m->x[k] += 0.5 * a[k] * t * t;
        m->v[k] += a[k] * h - normal[k] * press;
    }
    work->frame[slot] = KG_FRAME_INERTIAL;
    work->frame_is_shared = false;
}

bool kg_collision_constrain(kugel_world *world, const kg_collision *hit, double t)
{
    double a[3], b[3], h = world->impact->h, pull = 0;
    double of_a = is_movable(world, &hit->a, a) ? hit->a.inverse_mass : 0,
           of_b = is_movable(world, &hit->b, b) ? hit->b.inverse_mass : 0;
    for (int k = 0; k < 3; ++k) pull += (a[k] - b[k]) * hit->normal[k];
    if (!(pull > 0)) return true;
    if (hit->b.inverse_mass == 0 && kg_collision_is_supported(world, hit->a.slot, t))
        return kg_collision_update_slide(world, hit->a.slot, t);
    if (hit->a.inverse_mass == 0 && kg_collision_is_supported(world, hit->b.slot, t))
        return kg_collision_update_slide(world, hit->b.slot, t);
    double press = pull * (h - t) / (of_a + of_b);
    if (of_a > 0) constrain_side(&world->work, hit->a.slot, a, hit->normal, press * of_a, t, h);
    if (of_b > 0) constrain_side(&world->work, hit->b.slot, b, hit->normal, -press * of_b, t, h);
    return true;
}
