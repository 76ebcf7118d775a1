/* Makes the collision of an event, and applies the impulses of the impact law. The normal impulse
 * is J = (1 + e) m v_n with the reduced mass m. Coulomb friction: a tangential impulse stops the
 * slip of the surfaces, up to a limit of mu J. For solid spheres (inertia 2/5 m r^2) a tangential
 * impulse P changes the slip by 7/2 P / m. Rolling resistance c: an angular impulse stops the
 * difference of the spins, up to a limit of c r J with the reduced radius r, as in resting contacts
 * (contact/solve_lanes.h). In an impact with restitution both impulses are those that stop 1 + b
 * times the velocities, with the tangential restitution b (Walton and Braun 1986). */
#include "impact/collision.h"

#include <math.h>

#include "base/vec.h"
#include "world/growth.h"
#include "world/pair_filter.h"

/* Set each field: clearing the structure first would double the cost. */
static void fill_side(const kugel_world *world, uint32_t i, double t, bool rough, kg_side *s)
{
    const kg_work *work = &world->work;
    const kg_motion *m = &work->motion[i];
    double mass = world->bodies.mass[i];
    s->slot = i;
    s->locks = work->any_locks ? kg_locks_of(&world->bodies, i) : 0;
    s->inverse_mass = mass > 0 ? 1 / mass : 0;
    s->radius = m->radius;
    s->rounding = 0;
    s->age = t - m->clock;
    s->anticipated.known = false;
    kg_work_acceleration(work, i, s->acceleration);
    if (rough) kg_work_spin_at(work, i, t, s->spin);
    for (int k = 0; k < 3; ++k) {
        s->velocity[k] = m->v[k] + s->acceleration[k] * t;
        if (!rough) s->spin[k] = 0;
        s->rounding += KG_APPROACH_TOLERANCE * (fabs(m->v[k]) + fabs(s->acceleration[k]) * t);
    }
}

/* Unit vector along d, or +z for d = 0. Adding 0.0 turns -0 into 0; otherwise the sign of a zero
 * would depend on the body for which the event was predicted. */
static void unit_normal(const double d[3], double normal[3])
{
    double length = kg_length3(d);
    for (int k = 0; k < 3; ++k) normal[k] = length > 0 ? d[k] / length + 0.0 : (double)(k == 2);
}

static void from_pair(const kugel_world *world, uint32_t i, uint32_t neighbour, double t,
                      kg_collision *hit)
{
    const kg_bodies *bodies = &world->bodies;
    uint32_t j = neighbour & KG_NEIGHBOUR_SLOT, image = neighbour >> KG_NEIGHBOUR_IMAGE_SHIFT;
    double pi[3], pj[3], offset[3] = {0, 0, 0}, d[3];
    kg_work_position_at(&world->work, i, t, pi);
    kg_work_position_at(&world->work, j, t, pj);
    if (image != KG_IMAGE_NONE) kg_image_offset(world->grid->lattice, image, offset);
    bool forward = bodies->id[i] < bodies->id[j]; /* the normal points to the higher id */
    for (int k = 0; k < 3; ++k) {
        d[k] = pj[k] - pi[k] + offset[k];
        if (!forward) d[k] = -d[k];
    }
    kg_contact_material material = kg_contact_material_with(world, i, j, KG_WITH_BODY);
    hit->restitution = material.restitution;
    hit->friction = material.friction;
    hit->tangential_restitution = material.tangential_restitution;
    bool rough = material.friction > 0 || material.rolling_resistance > 0;
    fill_side(world, forward ? i : j, t, rough, &hit->a);
    fill_side(world, forward ? j : i, t, rough, &hit->b);
    hit->rolling_arm = material.rolling_resistance > 0
                           ? material.rolling_resistance / (1 / hit->a.radius + 1 / hit->b.radius)
                           : 0;
    hit->boundary = KG_WITH_BODY;
    hit->resting = neighbour & KG_NEIGHBOUR_RESTING;
    unit_normal(d, hit->normal);
}

static void from_boundary(const kugel_world *world, uint32_t i, uint32_t boundary, double t,
                          kg_collision *hit)
{
    kg_contact_material material = kg_contact_material_with(world, i, KG_NONE, boundary);
    hit->restitution = material.restitution;
    hit->friction = material.friction;
    hit->tangential_restitution = material.tangential_restitution;
    fill_side(world, i, t, hit->friction > 0 || material.rolling_resistance > 0, &hit->a);
    hit->rolling_arm = material.rolling_resistance * hit->a.radius;
    hit->b = (kg_side){.slot = KG_NONE};
    hit->boundary = boundary;
    hit->resting = kg_work_rests_on(&world->work, i, boundary);
    double centre[3], point[3];
    kg_work_position_at(&world->work, i, t, centre);
    kg_boundary_normal(world, boundary, t, centre, hit->normal);
    kg_add_scaled3(point, centre, hit->a.radius, hit->normal);
    kg_boundary_material_velocity(world, boundary, t, point, hit->normal, hit->b.velocity);
    hit->b.rounding = KG_APPROACH_TOLERANCE * (fabs(hit->b.velocity[0]) + fabs(hit->b.velocity[1]) +
                                               fabs(hit->b.velocity[2]));
}

/* The surfaces of radii that grow approach by more than the centres. */
static void add_growth(const kugel_world *world, double t, kg_collision *hit)
{
    for (int s = 0; s < 2; ++s) {
        kg_side *side = s ? &hit->b : &hit->a;
        if (side->slot == KG_NONE) continue;
        side->radius = kg_growth_radius(world, side->slot, t);
        hit->approach += kg_growth_speed(world, side->slot);
    }
}

void kg_collision_from_event(const kugel_world *world, const kg_event *event, kg_collision *hit)
{
    if (event->kind == KG_EVENT_BODY) from_pair(world, event->a, event->b, event->time, hit);
    else from_boundary(world, event->a, event->b, event->time, hit);
    hit->approach = hit->pull_acceleration = hit->anticipated_approach = hit->impulse = 0;
    for (int k = 0; k < 3; ++k) {
        hit->approach -= (hit->b.velocity[k] - hit->a.velocity[k]) * hit->normal[k];
        hit->pull_acceleration -=
            (hit->b.acceleration[k] - hit->a.acceleration[k]) * hit->normal[k];
    }
    if (world->work.growth.rate > 0 && !hit->resting) add_growth(world, event->time, hit);
}

/* -value / per_unit, shortened to the length `most`. */
static void stopping_impulse(const double value[3], double per_unit, double most, double impulse[3])
{
    double length = 0;
    for (int k = 0; k < 3; ++k) length += value[k] * value[k];
    length = sqrt(length);
    double stop = length / per_unit;
    double size = stop < most ? stop : most;
    for (int k = 0; k < 3; ++k) impulse[k] = length > 0 ? -size * value[k] / length : 0;
}

/* Slip of the surfaces, m/s, without its part along the normal. */
static void find_slip(const kg_collision *hit, double slip[3])
{
    double surface_spin[3], spin_velocity[3], along = 0;
    for (int k = 0; k < 3; ++k)
        surface_spin[k] = hit->a.spin[k] * hit->a.radius + hit->b.spin[k] * hit->b.radius;
    kg_cross3(spin_velocity, surface_spin, hit->normal);
    for (int k = 0; k < 3; ++k) {
        slip[k] = hit->b.velocity[k] - hit->a.velocity[k] - spin_velocity[k];
        along += slip[k] * hit->normal[k];
    }
    for (int k = 0; k < 3; ++k) slip[k] -= along * hit->normal[k];
}

/* Change of the spin by a unit of n x P, and of the surface speed by a unit of an angular impulse:
 * inverse inertia times radius, 1 / (kg m). With some angular axes locked it is a bound. */
static double turn_of(const kg_side *side)
{
    bool turns = side->inverse_mass > 0 && (side->locks & KG_LOCKS_ANGULAR) != KG_LOCKS_ANGULAR;
    return turns ? side->inverse_mass / (0.4 * side->radius) : 0;
}

/* Change of the slip by a unit of an impulse, or a bound of it, 1/kg. With bounds an impulse may
 * stop less than the slip, and takes energy all the more. */
static double slip_per_impulse(const kg_side *a, const kg_side *b)
{
    double of_a = kg_locks_slip_factor(a->locks), of_b = kg_locks_slip_factor(b->locks);
    return of_a == of_b ? of_a * (a->inverse_mass + b->inverse_mass)
                        : of_a * a->inverse_mass + of_b * b->inverse_mass;
}

/* Friction P and rolling resistance L change each other's velocities: slip by -turn L x n, spin
 * difference by -turn n x P. Each pass takes the best L for P, then the best P for L. The distance
 * from the solution shrinks by 5/7 or faster. The solution p = (P, L) for the velocities (1 + b) v,
 * with p' M p the square of the velocity by p, has (1 + b) v p + p' M p <= 0, as 0 is within the
 * limits. So the energy changes by v p + p' M p / 2 <= (b - 1) / (b + 1) p' M p / 2 <= 0. */
static void friction_and_rolling(const kg_collision *hit, double bounce, const double slip[3],
                                 double per_friction, double impulse[3], double rolling[3])
{
    enum { PASSES = 128 };
    const double converged_share = 0x1p-50;
    double turn_a = turn_of(&hit->a), turn_b = turn_of(&hit->b), turn = turn_b - turn_a,
           per_rolling = 0;
    if (turn_a > 0) per_rolling += turn_a / hit->a.radius;
    if (turn_b > 0) per_rolling += turn_b / hit->b.radius;
    kg_set3(impulse, 0, 0, 0);
    for (int pass = 0; pass < PASSES; ++pass) {
        double spin[3], left[3], moment[3], before[3], moved = 0, largest = 0;
        kg_copy3(before, impulse);
        kg_cross3(moment, hit->normal, impulse);
        for (int k = 0; k < 3; ++k)
            spin[k] = bounce * (hit->b.spin[k] - hit->a.spin[k]) - turn * moment[k];
        stopping_impulse(spin, per_rolling, hit->rolling_arm * hit->impulse, rolling);
        kg_cross3(moment, rolling, hit->normal);
        for (int k = 0; k < 3; ++k) left[k] = slip[k] - turn * moment[k];
        stopping_impulse(left, per_friction, hit->friction * hit->impulse, impulse);
        for (int k = 0; k < 3; ++k) {
            moved = kg_max(moved, fabs(impulse[k] - before[k]));
            largest = kg_max(largest, fabs(impulse[k]));
        }
        if (moved <= converged_share * largest) return;
    }
}

void kg_collision_friction(const kg_collision *hit, double impulse[3], double rolling[3])
{
    double slip[3], per_unit = slip_per_impulse(&hit->a, &hit->b);
    double bounce = hit->restitution > 0 ? 1 + hit->tangential_restitution : 1;
    find_slip(hit, slip);
    kg_scale3(slip, slip, bounce);
    kg_set3(rolling, 0, 0, 0);
    if (hit->rolling_arm > 0) friction_and_rolling(hit, bounce, slip, per_unit, impulse, rolling);
    else stopping_impulse(slip, per_unit, hit->friction * hit->impulse, impulse);
}

void kg_collision_apply_spin(kg_work *work, const kg_collision *hit, const double impulse[3],
                             const double rolling[3])
{
    double moment[3]; /* r n x P; the same for both bodies up to the factor r */
    kg_cross3(moment, hit->normal, impulse);
    for (int s = 0; s < 2; ++s) {
        const kg_side *to = s ? &hit->b : &hit->a;
        if (to->inverse_mass == 0) continue;
        double turn = turn_of(to), by_rolling = (s ? turn : -turn) / to->radius;
        for (int k = 0; k < 3; ++k) work->w[k][to->slot] -= turn * moment[k];
        for (int k = 0; k < 3 && hit->rolling_arm > 0; ++k)
            work->w[k][to->slot] += by_rolling * rolling[k];
        for (int k = 0; k < 3 && to->locks; ++k)
            if (to->locks >> (k + KG_LOCKS_ANGULAR_SHIFT) & 1) work->w[k][to->slot] = 0;
    }
}

void kg_collision_apply_impulse(kg_work *work, const kg_collision *hit, const double impulse[3])
{
    for (int s = 0; s < 2; ++s) {
        const kg_side *to = s ? &hit->b : &hit->a;
        if (to->inverse_mass == 0) continue;
        double sign = s ? to->inverse_mass : -to->inverse_mass;
        for (int k = 0; k < 3; ++k) /* the change is the same in all frames of reference */
            work->motion[to->slot].v[k] += sign * impulse[k];
        if (to->locks) kg_locks_project(to->locks, work->motion[to->slot].v);
    }
}

void kg_collision_find_anticipated(const kugel_world *world, kg_collision *hit, double t)
{
    double h = world->impact->h, back[3] = {-hit->normal[0], -hit->normal[1], -hit->normal[2]};
    if (hit->restitution == 0 || kg_collision_ends_bounce(world, hit, hit->approach))
        return; /* without a bounce the whole approach is stopped */
    kg_anticipated_find(world, hit->a.slot, back, h, t, &hit->a.anticipated);
    kg_anticipated_find(world, hit->b.slot, hit->normal, h, t, &hit->b.anticipated);
    double approach = kg_dot3(hit->a.anticipated.velocity, hit->normal) -
                      kg_dot3(hit->b.anticipated.velocity, hit->normal);
    hit->anticipated_approach = approach > 0 ? approach : 0;
}

bool kg_collision_release_parting(kugel_world *world, const kg_collision *hit, double t)
{
    double h = world->impact->h;
    /* a pair stays in contact in the substep after an impulse that only stops its approach */
    bool bounced = kg_collision_approach_change(hit) > hit->approach;
    return kg_resting_update_after_impulse(world, hit->a.slot, &hit->a.anticipated, bounced, h,
                                           t) &&
           kg_resting_update_after_impulse(world, hit->b.slot, &hit->b.anticipated, bounced, h, t);
}
