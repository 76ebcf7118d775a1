/* The common impact of a gas: two free bodies that move straight, lose nothing and do not rub. Operation by operation
 * what collision.c and resolve.c do to them, to the same bits, on vectors of a body's line and without asking for what
 * such bodies have not. Cost: a third. */
#include <math.h>
#include <string.h>

#include "base/wide.h"
#include "impact/collision.h"
#include "world/sleep.h"

/* Who does not fall then is held, and slides or is ahead of its time (lead.c). */
static bool is_pulled(const kugel_world *world) { return world->work.own || world->work.pull != 0; }

/* Nobody sleeps, nothing is without mass; who loses nothing has no budget to spend. */
bool kg_elastic_is_world(const kugel_world *world)
{
    const kg_bodies *bodies = &world->bodies;
    if (!bodies->count || world->work.inert || world->sensors.count || world->def.bounce_threshold != 0) return false;
    if (world->work.frame[0] != KG_FRAME_INERTIAL || is_pulled(world)) return false;
    return kg_bodies_lose_nothing(bodies);
}

static bool is_spent(const kugel_world *world, uint32_t i)
{
    return world->work.impacts[i] > (uint32_t)world->def.impact_budget || world->work.stamp[i] > KG_LOSSLESS_LIMIT;
}

static bool is_elastic(const kugel_world *world, uint32_t i, uint32_t entry)
{
    const kg_bodies *bodies = &world->bodies;
    uint32_t j = entry & KG_ENTRY_SLOT;
    if (world->work.lossless && !(entry & KG_ENTRY_RESTING)) return world->work.stamp[i] <= KG_LOSSLESS_LIMIT && world->work.stamp[j] <= KG_LOSSLESS_LIMIT;
    if (!world->work.one_frame || world->work.frame[i] != KG_FRAME_INERTIAL || is_pulled(world) || world->sensors.count) return false;
    if (world->def.bounce_threshold != 0 || entry & KG_ENTRY_RESTING) return false;
    const kg_material *m = kg_material_of(bodies, i), *n = kg_material_of(bodies, j);
    if ((m->restitution > n->restitution ? m->restitution : n->restitution) != 1 || m->friction * n->friction != 0) return false;
    return bodies->mass[i] > 0 && bodies->mass[j] > 0 && !is_spent(world, i) && !is_spent(world, j);
}

/* One of the two: its line, and where it is now. */
typedef struct side {
    kg_motion *motion;
    kg_double4 x, v, there;
    double inverse_mass;
} side;

KG_INLINE void look_at(kugel_world *world, uint32_t i, double t, side *s)
{
    s->motion = &world->work.motion[i];
    memcpy(&s->x, s->motion->x, sizeof s->x);
    memcpy(&s->v, s->motion->v, sizeof s->v);
    s->x += s->v * (t - s->motion->clock);
    s->x[3] = t;
    s->there = s->x + 0.0; /* that turns -0 into 0, as adding its fall does */
    s->inverse_mass = 1 / world->bodies.mass[i];
}

KG_INLINE void touch(kugel_world *world, uint32_t i, const side *s)
{
    if (!world->work.lossless) kg_sleep_disturb(&world->work, i);
    world->work.stamp[i] += 1;
    if (!world->grid->dense.used) kg_grid_forget_room(world->grid, i); /* there all have forgotten it */
    memcpy(s->motion->x, &s->x, sizeof s->x);
    kg_note_history(world, i);
}

KG_INLINE void unit_normal(const kg_double4 *d, kg_double4 *normal)
{
    kg_double4 dd = *d * *d;
    double length = sqrt(dd[0] + dd[1] + dd[2]);
    *normal = length > 0 ? *d / length + 0.0 : (kg_double4){0, 0, 1, 0};
    (*normal)[3] = 0;
}

/* Fields that nobody asks for stay as they are. */
KG_INLINE bool collide(kugel_world *world, const kg_event *event, kg_collision *hit)
{
    uint32_t i = event->a, j = event->b & KG_ENTRY_SLOT;
    side one, other;
    kg_double4 shift, normal;
    memcpy(&shift, world->grid->lattice.shift[event->b >> KG_ENTRY_IMAGE_SHIFT], sizeof shift);
    look_at(world, i, event->time, &one);
    look_at(world, j, event->time, &other);
    kg_double4 d = other.there - one.there + shift;
    bool forward = world->bodies.id[i] < world->bodies.id[j]; /* the normal points from the lower id to the higher */
    if (!forward) d = -d;
    side *a = forward ? &one : &other, *b = forward ? &other : &one;
    unit_normal(&d, &normal);
    touch(world, i, &one);
    touch(world, j, &other);
    kg_double4 along = ((b->v + 0.0) - (a->v + 0.0)) * normal;
    hit->approach = 0 - along[0] - along[1] - along[2];
    if (!(hit->approach > 0)) return false;
    hit->impulse = (1 + 1.0) * hit->approach / (a->inverse_mass + b->inverse_mass);
    kg_double4 impulse = hit->impulse * normal;
    a->v += -a->inverse_mass * impulse;
    b->v += b->inverse_mass * impulse;
    memcpy(a->motion->v, &a->v, sizeof a->v);
    memcpy(b->motion->v, &b->v, sizeof b->v);
    memcpy(hit->normal, &normal, sizeof hit->normal);
    hit->a.slot = forward ? i : j;
    hit->b.slot = forward ? j : i;
    hit->a.radius = a->motion->radius;
    hit->boundary = KG_OTHER_BODY;
    hit->restitution = 1;
    hit->lead = 0;
    return true;
}

#ifdef KG_AVX2
KG_AVX2 static bool collide_avx2(kugel_world *world, const kg_event *event, kg_collision *hit) { return collide(world, event, hit); }
#endif

static __attribute__((noinline)) bool collide_any(kugel_world *world, const kg_event *event, kg_collision *hit)
{
#ifdef KG_AVX2
    if (KG_HAS_AVX2) return collide_avx2(world, event, hit);
#endif
    return collide(world, event, hit);
}

bool kg_resolve_elastic(kugel_world *world, const kg_event *event, kugel_status *status)
{
    if (event->kind != KG_EVENT_BODY || !is_elastic(world, event->a, event->b)) return false;
    kg_collision hit;
    *status = collide_any(world, event, &hit) ? kg_collision_report(world, &hit, event->time) : KUGEL_OK;
    return true;
}
