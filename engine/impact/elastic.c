/* The fast path for impacts of two bodies in a world of free bodies that have only lossless
 * impacts. Computes the same bits as collision.c and resolve.c, operation by operation, with vector
 * instructions and without the steps that such bodies do not need. Cost: a third of resolve.c. */
#include <math.h>
#include <string.h>

#include "base/wide.h"
#include "impact/collision.h"
#include "sensors/sensors.h"
#include "world/pair_filter.h"

/* True when no body sleeps, is immovable, accelerates, has locks or is a sensor, the bounce
 * threshold is 0, and all impacts are elastic; impact budgets are not needed then. All bodies must
 * share one frame. */
bool kg_elastic_applies_to_world(const kugel_world *world)
{
    const kg_bodies *bodies = &world->bodies;
    if (!bodies->count || world->work.any_inert || world->work.any_locks || world->sensors->count ||
        world->def.bounce_threshold != 0)
        return false;
    return world->work.frame[0] == KG_FRAME_INERTIAL && !world->work.has_own_accelerations &&
           world->work.gravity_magnitude == 0 && kg_pairs_are_lossless(world);
}

/* True when the pair is free and loses no energy, and its impact does not count against a
 * budget. */
static bool is_elastic(const kugel_world *world, uint32_t i, uint32_t neighbour, double t)
{
    const kg_work *work = &world->work;
    uint32_t j = neighbour & KG_NEIGHBOUR_SLOT;
    if (!work->all_lossless || neighbour & KG_NEIGHBOUR_RESTING) return false;
    if (work->motion[i].clock == t && work->motion[j].clock == t)
        return false; /* may count against the budget (KG_INSTANT_PATH) */
    return work->motion_version[i] <= KG_LOSSLESS_IMPACTS &&
           work->motion_version[j] <= KG_LOSSLESS_IMPACTS;
}

/* One of the two bodies, advanced to the impact. `position` is x with -0 replaced by 0. */
typedef struct side {
    kg_motion *motion;
    kg_double4 x, v, position;
    double inverse_mass;
} side;

KG_INLINE void load_side(kugel_world *world, uint32_t i, double t, side *s)
{
    s->motion = &world->work.motion[i];
    memcpy(&s->x, s->motion->x, sizeof s->x);
    memcpy(&s->v, s->motion->v, sizeof s->v);
    KG_EACH (4) KG_L(s->x) += KG_L(s->v) * (t - s->motion->clock);
    KG_AT(s->x, 3) = t;
    /* turns -0 into 0, as adding a zero acceleration does */
    KG_EACH (4) KG_L(s->position) = KG_L(s->x) + 0.0;
    s->inverse_mass = 1 / world->bodies.mass[i];
}

KG_INLINE void advance_side(kugel_world *world, uint32_t i, const side *s)
{
    world->work.motion_version[i] += 1;
    kg_neighbours_note_motion(world, i);
    memcpy(s->motion->x, &s->x, sizeof s->x);
    kg_impact_hash_path(world, i);
}

KG_INLINE void unit_normal(const kg_double4 *d, kg_double4 *normal)
{
    kg_double4 dd;
    KG_EACH (4) KG_L(dd) = KG_L(*d) * KG_L(*d);
    double length = sqrt(KG_AT(dd, 0) + KG_AT(dd, 1) + KG_AT(dd, 2));
    *normal = (kg_double4){0, 0, 1, 0};
    if (length > 0)
        KG_EACH (4) KG_L(*normal) = KG_L(*d) / length + 0.0;
    KG_AT(*normal, 3) = 0;
}

/* Advance both bodies and apply the impulse; false when they do not approach. Sets only the fields
 * of `hit` that kg_collision_finish reads after an elastic impact. */
KG_INLINE bool collide(kugel_world *world, const kg_event *event, kg_collision *hit)
{
    uint32_t i = event->a, j = event->b & KG_NEIGHBOUR_SLOT;
    side one, other;
    kg_double4 shift, normal, d, along;
    memcpy(&shift, world->grid->lattice->shift[event->b >> KG_NEIGHBOUR_IMAGE_SHIFT], sizeof shift);
    load_side(world, i, event->time, &one);
    load_side(world, j, event->time, &other);
    KG_EACH (4) KG_L(d) = KG_L(other.position) - KG_L(one.position) + KG_L(shift);
    bool forward =
        world->bodies.id[i] < world->bodies.id[j]; /* the normal points to the higher id */
    if (!forward)
        KG_EACH (4) KG_L(d) = -KG_L(d);
    side *a = forward ? &one : &other, *b = forward ? &other : &one;
    unit_normal(&d, &normal);
    advance_side(world, i, &one);
    advance_side(world, j, &other);
    KG_EACH (4) KG_L(along) = ((KG_L(b->v) + 0.0) - (KG_L(a->v) + 0.0)) * KG_L(normal);
    hit->approach = 0 - KG_AT(along, 0) - KG_AT(along, 1) - KG_AT(along, 2);
    if (!(hit->approach > 0)) return false;
    hit->impulse = (1 + 1.0) * hit->approach / (a->inverse_mass + b->inverse_mass);
    KG_EACH (4) {
        kg_double4_lane impulse = hit->impulse * KG_L(normal);
        KG_L(a->v) += -a->inverse_mass * impulse;
        KG_L(b->v) += b->inverse_mass * impulse;
    }
    memcpy(a->motion->v, &a->v, sizeof a->v);
    memcpy(b->motion->v, &b->v, sizeof b->v);
    memcpy(hit->normal, &normal, sizeof hit->normal);
    hit->a.slot = forward ? i : j;
    hit->b.slot = forward ? j : i;
    hit->a.radius = a->motion->radius;
    hit->boundary = KG_WITH_BODY;
    hit->restitution = 1;
    hit->anticipated_approach = 0;
    return true;
}

KG_VARIANTS(bool, collide, (kugel_world * world, const kg_event *event, kg_collision *hit),
            (world, event, hit))

bool kg_elastic_resolve(kugel_world *world, const kg_event *event, kugel_status *status)
{
    if (event->kind != KG_EVENT_BODY || world->sums_impulses ||
        !is_elastic(world, event->a, event->b, event->time))
        return false;
    kg_collision hit;
    bool collided = KG_WIDEST(collide)(world, event, &hit);
    *status = collided ? kg_collision_finish(world, &hit, event->time) : KUGEL_OK;
    return true;
}
