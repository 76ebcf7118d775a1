/* Sliding and rolling along boundaries. A body that rests on boundaries alone has a constant
 * acceleration along them in the substep, like a falling body. Its velocity along the normal is
 * that of the substep's end. Bodies that touch other bodies use the solved velocity directly, or
 * they would part and press in alternately. See tools/docs/decisions/04-sliding-on-boundaries.md.
 * In: the solver's velocities, or supports. Out: frames, accelerations. Order: none; bodies are
 * independent. */
#include "base/vec.h"
#include "resting/supports.h"
#include "world/locks.h"

/* Squared sine of the angle below which a normal counts as lying in the plane of the others. */
static const double coplanar_tolerance2 = 1e-12;

/* True when the contact exerts no force: the approach to the boundary is slower, by more than
 * `slow` (m/s), than the speed that closes the gap in the substep. `into`: normal into the
 * boundary. */
static bool exerts_no_force(double gap, const double into[3], const double solved_velocity[3],
                            double h, double slow)
{
    return kg_dot3(solved_velocity, into) * h < kg_max(gap, 0) - slow * h;
}

/* Remove from `a` its part in the span of the boundaries' normals (Gram-Schmidt). Boundaries whose
 * contacts exert no force are left out. Unlike here, kg_supports_project removes only the part that
 * presses; here the solver has already decided which contacts exert a force. */
static void remove_normal_part(const kugel_world *world, uint32_t slot,
                               const double solved_velocity[3], double h, double slow, double a[3])
{
    double axis[3][3];
    uint32_t axes = 0;
    kg_resting_iterator on = kg_work_resting(&world->work, slot);
    for (kg_boundary boundary; axes < 3 && kg_resting_iterator_next(&on, &boundary);) {
        double *n = axis[axes];
        double gap = kg_resting_measure_boundary(world, slot, boundary, n);
        if (exerts_no_force(gap, n, solved_velocity, h, slow)) continue;
        kg_locks_project(kg_locks_of(&world->bodies, slot), n);
        for (uint32_t k = 0; k < axes; ++k) kg_add_scaled3(n, n, -kg_dot3(n, axis[k]), axis[k]);
        double length2 = kg_dot3(n, n);
        if (length2 < coplanar_tolerance2) continue;
        double length = sqrt(length2);
        kg_set3(n, n[0] / length, n[1] / length, n[2] / length);
        kg_add_scaled3(a, a, -kg_dot3(a, n), n);
        axes += 1;
    }
    if (axes == 3) kg_set3(a, 0, 0, 0);
}

bool kg_slide_acceleration(const kugel_world *world, uint32_t slot, const double solved_velocity[3],
                           double h, double a[3])
{
    const double *velocity = world->work.motion[slot].v;
    double body_acceleration[3];
    kg_frame_free_acceleration(world, slot, body_acceleration);
    double increment = kg_length3(body_acceleration) * h,
           least = kg_speed_tolerance * (increment + kg_length3(solved_velocity));
    for (int k = 0; k < 3; ++k) a[k] = (solved_velocity[k] - velocity[k]) / h;
    remove_normal_part(world, slot, solved_velocity, h, least + kg_increment_tolerance * increment,
                       a);
    return kg_dot3(a, a) * h * h > least * least;
}

void kg_slide_start(kg_work *work, uint32_t slot, const double a[3], const double spin_change[3],
                    double h)
{
    for (int k = 0; k < 3; ++k) {
        float spin_acceleration = (float)(spin_change[k] / h);
        work->motion[slot].v[k] -= a[k] * h;
        work->acceleration[slot][k] = a[k];
        work->w[k][slot] -= (double)spin_acceleration * h;
        work->angular_acceleration[slot][k] = spin_acceleration;
    }
    work->frame[slot] = KG_FRAME_SLIDING;
}

/* Remove the supports that a body with velocity v parts from. Beyond its impact budget a body keeps
 * all supports unless it parts from all: this ends an endless sequence of sliding and parting. */
static void remove_parting(kg_supports *all, bool beyond_budget, const double v[3],
                           double tolerance)
{
    if (!beyond_budget || kg_supports_all_parting(all, v, tolerance))
        kg_supports_remove_parting(all, v, tolerance);
}

/* End the touches that rounding repeats at one instant: from t on the body moves in a straight
 * line, and its velocity includes the acceleration `a` of the remaining substep (semi-implicit
 * Euler). Without it a body that rises along its supports would not slow down. `was`: its
 * acceleration until t. */
static void move_straight(kg_work *work, uint32_t slot, const double a[3], const double was[3],
                          double h, double t)
{
    double *v = work->motion[slot].v;
    work->frame[slot] = KG_FRAME_INERTIAL;
    kg_work_change_frame(work, slot, was, t);
    kg_add_scaled3(v, v, h - t, a);
}

static bool update(kugel_world *world, uint32_t slot, double h, double t)
{
    kg_work *work = &world->work;
    bool beyond_budget = work->motion_version[slot] > (uint32_t)world->def.impact_budget;
    double was[3], a[3], v[3], spin[3];
    kg_supports all;
    kg_work_acceleration(work, slot, was);
    kg_work_velocity_at(work, slot, t, v);
    kg_frame_free_acceleration(world, slot, a);
    kg_supports_find(world, slot, t, &all);
    remove_parting(&all, beyond_budget, v, kg_supports_tolerance(a, v, h));
    kg_supports_project(&all, a);
    kg_work_spin_at(work, slot, t, spin);
    for (int k = 0; k < 3; ++k) work->w[k][slot] = spin[k];
    if (!all.count) {
        kg_frame_set_free(world, slot);
    } else if (kg_slide_has_ended(world, slot)) {
        if (work->frame[slot] != KG_FRAME_INERTIAL) move_straight(work, slot, a, was, h, t);
        return true;
    } else {
        if (!kg_work_reserve_sliding(&world->memory, work)) return false;
        kg_copy3(work->acceleration[slot], a);
        memset(work->angular_acceleration[slot], 0, sizeof work->angular_acceleration[slot]);
        work->frame[slot] = KG_FRAME_SLIDING;
    }
    kg_work_change_frame(work, slot, was, t);
    return true;
}

bool kg_slide_update(kugel_world *world, uint32_t slot, double h, double t)
{
    kg_support_sums before;
    kg_support_sums_begin(world, slot, h, t, &before);
    return update(world, slot, h, t) && kg_support_sums_end(world, slot, h, t, &before);
}
