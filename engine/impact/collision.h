/* One collision: from an event to its impulses. Internal to the impact stage. */
#ifndef KG_IMPACT_COLLISION_H
#define KG_IMPACT_COLLISION_H

#include "impact/subdomains.h"
#include "resting/resting.h"
#include "world/locks.h"

/* One side of a collision; a boundary has no slot and infinite mass. */
typedef struct kg_side {
    uint32_t slot;  /* KG_NONE for a boundary */
    uint32_t locks; /* of its axes (world/locks.h) */
    double inverse_mass, radius;
    double velocity[3];     /* m/s, in the inertial frame, before the impact */
    double spin[3];         /* rad/s; 0 without friction and rolling resistance */
    double acceleration[3]; /* m/s^2 */
    double rounding;        /* m/s, rounding error of the velocity */
    double age;             /* s, since its motion last changed in this substep */
    kg_anticipated anticipated;
} kg_side;

typedef struct kg_collision {
    kg_side a, b;     /* of two bodies, a has the lower id; a boundary is b */
    double normal[3]; /* unit, from a to b */
    double restitution, friction, tangential_restitution;
    double rolling_arm;          /* m: coefficient of rolling resistance / sum of curvatures */
    double approach;             /* m/s, along the normal, before the impact */
    double pull_acceleration;    /* m/s^2, along the normal, > 0: pulled together */
    double anticipated_approach; /* m/s, >= 0, part of the approach (resting/anticipated.c) */
    double impulse;              /* N s, along the normal; set by the impact law */
    double friction_impulse[3];  /* N s, on b; set by the impact law, and the next */
    double rolling_impulse[3];   /* N m s, angular impulse on b */
    uint32_t boundary;           /* boundary number, or KG_WITH_BODY */
    bool resting;                /* true when the pair rests already */
} kg_collision;

/* collision.c */
/* Fill in the collision of an impact event. Changes no state. */
void kg_collision_from_event(const kugel_world *world, const kg_event *event, kg_collision *hit);
/* True when the impact may change spins. */
static inline bool kg_collision_is_rough(const kg_collision *hit)
{
    return hit->friction > 0 || hit->rolling_arm > 0;
}
/* Inverse mass of the pair along the normal, 1/kg; 0 if locks keep it from giving way. */
static inline double kg_collision_inverse_mass(const kg_collision *hit)
{
    double all = hit->a.inverse_mass + hit->b.inverse_mass;
    if (!(hit->a.locks | hit->b.locks)) return all;
    double along = hit->a.inverse_mass * kg_locks_share(hit->a.locks, hit->normal) +
                   hit->b.inverse_mass * kg_locks_share(hit->b.locks, hit->normal);
    return along < KG_LOCKED_SHARE * all ? 0 : along;
}
/* Friction impulse on b, N s: a tangential impulse that stops the slip of the surfaces, limited to
 * friction times the normal impulse. Rolling resistance on b, N m s: an angular impulse that stops
 * the difference of the spins, limited to the rolling arm times the normal impulse. After an impact
 * with restitution, slip and difference are -tangential_restitution times those before. Together
 * the impulses never add energy. */
void kg_collision_friction(const kg_collision *hit, double impulse[3], double rolling[3]);
/* Apply an impulse (N s) to b and its opposite to a; changes velocities only. */
void kg_collision_apply_impulse(kg_work *work, const kg_collision *hit, const double impulse[3]);
/* Apply the torque of a tangential impulse (N s), and an angular impulse on b (N m s) and its
 * opposite on a; changes spins only. */
void kg_collision_apply_spin(kg_work *work, const kg_collision *hit, const double impulse[3],
                             const double rolling[3]);

/* resolve.c */
/* Advance both bodies to t, s. Dynamic bodies get a new motion version, which invalidates their
 * events. */
void kg_collision_advance_bodies(kugel_world *world, const kg_collision *hit, double t);
/* True when the pair is at relative rest, up to rounding, and its accelerations pull it together:
 * it begins to rest, or continues to, without an impact. */
static inline bool kg_collision_begins_rest(const kg_collision *hit)
{
    return hit->approach <= hit->a.rounding + hit->b.rounding && hit->pull_acceleration > 0;
}
/* Smaller radius of the pair, m. */
static inline double kg_collision_smaller_radius(const kg_collision *hit)
{
    return hit->b.slot != KG_NONE ? kg_min(hit->a.radius, hit->b.radius) : hit->a.radius;
}
/* True when the pair rests after an impact at this speed, m/s. */
static inline bool kg_collision_ends_bounce(const kugel_world *world, const kg_collision *hit,
                                            double speed)
{
    double pull = kg_resting_pull(world, hit->a.slot, hit->b.slot, hit->pull_acceleration);
    double radius = kg_collision_smaller_radius(hit);
    bool pressed = hit->resting && pull > 0 && hit->approach <= kg_press_speed(world, radius);
    return pressed || kg_resting_ends_bounce(world, hit->restitution, speed, pull, radius);
}
/* Decide between bounce and rest, and count the impact against the budgets of both bodies. Slow
 * impacts, and impacts of bodies that are crowded or beyond their budgets, lose their
 * restitution. */
void kg_collision_decide_restitution(kugel_world *world, kg_collision *hit);
/* Count and report a resolved collision. A pair without restitution begins to rest, or is
 * constrained if it rests already. */
kugel_status kg_collision_finish(kugel_world *world, const kg_collision *hit, double t);

/* Change of the approach by the impulse, m/s: (1 + e) times the approach without its anticipated
 * part. It is at least the whole approach, or the anticipated part would press the bodies
 * together. */
static inline double kg_collision_approach_change(const kg_collision *hit)
{
    double bounce = (1 + hit->restitution) * (hit->approach - hit->anticipated_approach);
    return hit->approach > bounce ? hit->approach : bounce;
}
/* Approach without its anticipated part, m/s; at least 0. */
static inline double kg_collision_impact_speed(const kg_collision *hit)
{
    return hit->approach > hit->anticipated_approach ? hit->approach - hit->anticipated_approach
                                                     : 0;
}

/* Find the anticipated velocities of both bodies at t, and the anticipated approach. Call it before
 * either body is advanced. */
void kg_collision_find_anticipated(const kugel_world *world, kg_collision *hit, double t);
/* After the impulse at t: a body that parts from its support falls freely. False when out of
 * memory. */
bool kg_collision_release_parting(kugel_world *world, const kg_collision *hit, double t);

/* elastic.c */
/* kg_collision_resolve for two free bodies, without losses, friction or acceleration. False, with
 * no change, for other collisions. */
bool kg_elastic_resolve(kugel_world *world, const kg_event *event, kugel_status *status);

/* simultaneous_solve.c */
enum { KG_SIMULTANEOUS_MAX = 64 };
/* Resolve up to KG_SIMULTANEOUS_MAX collisions that share bodies simultaneously. All pairs must
 * approach, and their budgets must be charged already. False, with no change of the world, when
 * there is no solution or no impulse. */
bool kg_simultaneous_solve(kugel_world *world, kg_collision *hits, uint32_t count, double t);

#endif
