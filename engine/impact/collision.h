/* Inside the impact stage: one collision, from an event to its impulses. */
#ifndef KG_IMPACT_COLLISION_H
#define KG_IMPACT_COLLISION_H

#include <string.h>

#include "impact/impact.h"
#include "resting/resting.h"

/* One of two that meet; a boundary is a side without slot and of infinite mass. */
typedef struct kg_side {
    uint32_t slot; /* KG_NONE for a boundary */
    double inverse_mass, radius;
    double velocity[3]; /* resting world frame, now */
    double spin[3];     /* rad/s; not looked up where there is no friction */
    double acceleration[3];
    double rounding; /* m/s, of its velocity */
    kg_anticipated anticipated;
} kg_side;

typedef struct kg_collision {
    kg_side a, b;     /* a has the lower id of two bodies */
    double normal[3]; /* unit, from a to b */
    double restitution, friction;
    double approach;             /* m/s, along the normal, now */
    double pull_acceleration;    /* m/s^2, the same of the accelerations */
    double anticipated_approach; /* m/s, part of the approach, >= 0; see
                                    resting/anticipated.c */
    double impulse;              /* N s, along the normal; out */
    uint32_t boundary;           /* KG_OTHER_BODY, or which */
    bool resting;                /* the pair is in resting contact already */
} kg_collision;

/* collision.c */
/* What meets in an event of two bodies or of a body and a boundary. Changes nothing. */
void kg_collision_from_event(const kugel_world *world, const kg_event *event, kg_collision *hit);
/* The tangential impulse (N s) on b that the normal one allows, against the slip of the surfaces:
 * what stops the slip, at most friction times the normal impulse. */
void kg_collision_friction(const kg_collision *hit, double impulse[3]);
/* Give an impulse (N s) to b and its opposite to a: velocities change, spins do not. */
void kg_collision_apply_impulse(kg_work *work, const kg_collision *hit, const double impulse[3]);
/* The angular part: a tangential impulse changes spins. */
void kg_collision_apply_spin(kg_work *work, const kg_collision *hit, const double impulse[3]);

/* In a subdomain, after the body was brought to an event and before it gets another motion: which
 * way it came. */
static inline void kg_collision_hash_path(const kugel_world *world, uint32_t i)
{
    const kg_impact_stage *stage = world->impact;
    if (!stage->first_ghost) return;
    uint64_t h = stage->path_hash[i], word[7]; /* place, clock, velocity */
    memcpy(word, &world->work.motion[i], sizeof word);
    for (int k = 0; k < 7; ++k) h = (h ^ word[k]) * 0x9e3779b97f4a7c15u, h ^= h >> 29;
    stage->path_hash[i] = h;
}

/* resolve.c */
/* Bring both to t; dynamic bodies get a new motion: old predictions of theirs become untrue. */
void kg_collision_advance_bodies(kugel_world *world, const kg_collision *hit, double t);
/* At rest relative to each other, and pulled together: a rest begins instead of an impact. */
static inline bool kg_collision_begins_rest(const kg_collision *hit)
{
    return hit->approach <= hit->a.rounding + hit->b.rounding && hit->pull_acceleration > 0;
}
/* Count the impact against the budgets of both; slow impacts, and those beyond a budget, lose their
 * restitution. */
void kg_collision_charge_budgets(kugel_world *world, kg_collision *hit);
/* Tell of a collision that was given its impulse; a pair that did not bounce begins to rest. */
kugel_status kg_collision_report(kugel_world *world, const kg_collision *hit, double t);

/* By how much the impulse changes the approach, m/s: (1 + e) times what there is of it by now, but
 * at least by all of it, or what is ahead of its time would press the two together. */
static inline double kg_collision_approach_change(const kg_collision *hit)
{
    double bounce = (1 + hit->restitution) * (hit->approach - hit->anticipated_approach);
    return hit->approach > bounce ? hit->approach : bounce;
}
/* m/s; what the two meet at. */
static inline double kg_collision_impact_speed(const kg_collision *hit)
{
    return hit->approach > hit->anticipated_approach ? hit->approach - hit->anticipated_approach
                                                     : 0;
}

/* Find the anticipated approach at t, and the anticipated velocities of both bodies, before either
 * is advanced. */
void kg_collision_find_anticipated(const kugel_world *world, kg_collision *hit, double t);
/* After the impulse at t: a body that parts from its support falls again. False when out of memory.
 */
bool kg_collision_release_parting(kugel_world *world, const kg_collision *hit, double t);

/* elastic.c */
/* kg_resolve of two that lose nothing, do not rub and do not fall; false, with nothing changed,
 * when they are not such. */
bool kg_elastic_resolve(kugel_world *world, const kg_event *event, kugel_status *status);

/* simultaneous_solve.c */
enum { KG_SIMULTANEOUS_MAX = 64 };
/* Resolve collisions of one instant that share bodies at once; `count` at most KG_SIMULTANEOUS_MAX,
 * all approaching, already spent. false, with nothing changed, when no impulses do that. */
bool kg_collide_simultaneous(kugel_world *world, kg_collision *hits, uint32_t count, double t);

#endif
