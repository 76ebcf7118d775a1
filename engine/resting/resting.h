/* Resting contact: what decides between an impact and a resting contact, and how a resting body
 * moves until the next solve. */
#ifndef KG_RESTING_RESTING_H
#define KG_RESTING_RESTING_H

#include <float.h>

#include "grid/neighbours.h"
#include "world/thresholds.h"

/* The thresholds. In their formulas:
 *
 * r     m      the smaller radius of the pair
 * v     m/s    its approach speed along the normal
 * e     1      its restitution
 * a     m/s^2  the acceleration that pulls it together: kg_resting_pull
 * b     m/s^2  the same, of its free motions alone
 * g     m/s^2  the magnitude of gravity
 * dt    s      the length of the tick
 * h     s      the length of the substep
 * H     s      the length of the nominal substep. Settled piles take fewer, longer ones:
 *              contact/substeps.c
 * B     m/s    bounce_threshold of the def. By default sqrt(g r / KG_BOUNCE_SCALE):
 *              kg_bounce_threshold
 * slop  m      max(def.slop, KG_SLOP_MIN) r
 *
 * When a contact begins without an impact:
 *
 * begin speed    gap < -slop, and v + b h < B (v + b h < 2 g h, if B is 0)
 *     The pair overlaps. contact/contact_find.c.
 * touch          gap <= KG_SLOP_MIN r, v < B, v + b h > 0, and the rebound ends
 *     The pair touches at the start of the substep. contact/contact_find.c.
 * relative rest  v is 0 up to rounding, and a > 0
 *     The pair touches within the substep. kg_collision_begins_rest in impact/collision.h.
 *
 * When an impact begins a contact, without restitution:
 *
 * rebound        by default (e v)^2 < a r / KG_BOUNCE_SCALE
 *                else e v < B, or (e v)^2 < 2 a KG_FLAT_BOUNCE r
 *     The pair would bounce too slowly. v is without its anticipated part.
 *     kg_resting_ends_bounce.
 * pressed        a > 0, and v <= max(B H / h, 2 g h)
 *     The pair rests already. kg_collision_ends_bounce.
 * restitution    e = 0
 *     At any speed. kg_collision_finish.
 *
 * When a resting pair collides:
 *
 * rest speed     v > min(KG_REST_PENETRATION r / H, max(B H / h, 2 g h))
 *     Slower pairs stay in the solver. kg_rest_speed is the minimum, kg_press_speed the max(...)
 *     term. impact/predict.c, neighbour_filter.c, grid/inactive.c.
 *
 * When a contact ends:
 *
 * slop           gap > slop
 *     contact/measure.c.
 * driven bounce  e v >= B, and v > max(B H / h, 2 g h, 2 g dt)
 *     A call drove the pair together. At the start of the tick. contact/driven.c.
 *
 * Crowding is a count of a body in a substep: its crowded impacts, less its other lossy ones. An
 * impact is crowded if it is lossy and the path since the last impact is below KG_CROWDED_PATH r.
 * With bounce_threshold 0 no impact is. All beyond impact_budget count as crowded. So does an
 * event that continues a rest on a feature of a surface. In impact/predict.c and resolve.c:
 *
 * above KG_CROWDED_INELASTIC  impacts have no restitution
 * above KG_CROWDED_REST       the rest speed is KG_REST_PENETRATION r / H. It doubles every second
 *                             count
 * above KG_CROWDED_EXHAUSTED  no collision
 *
 * With boundaries, crowding ends collisions only for a small entry: the path that the approach
 * still closes in the substep is below KG_CROWDED_ENTRY r, or crowding is above
 * KG_CROWDED_BLOCKED. impact/predict.c. */

/* smallest_radius.c: smallest radius of an awake dynamic body that is not a sensor, m; infinity if
 * there is none. */
double kg_resting_smallest_moving_radius(const kg_bodies *bodies);
/* Set work.smallest_moving_radius at the start of a tick. */
void kg_resting_note_smallest_radius(kugel_world *world);

/* Slop of a contact, as a share of the smaller radius. */
static inline double kg_resting_slop_share(const kugel_world_def *def)
{
    return def->slop > KG_SLOP_MIN ? def->slop : KG_SLOP_MIN;
}

/* Gravity, m/s^2. Without gravity: the one under which bodies of this radius (m) would have the
 * same default bounce threshold. */
static inline double kg_resting_gravity(const kg_work *work, double radius)
{
    double rate = 0.5 / KG_SLEEP_TIME; /* 1/s, the threshold without gravity in radii */
    return work->gravity_magnitude > 0 ? work->gravity_magnitude
                                       : KG_BOUNCE_SCALE * rate * rate * radius;
}

/* True if the supports of a body may press it against others: not without contacts, and not on
 * boundaries alone, since these press only along their own normals. */
static inline bool kg_resting_is_loaded(const kugel_world *world, uint32_t slot)
{
    const kg_work *work = &world->work;
    return slot != KG_NONE && world->bodies.mass[slot] > 0 && work->contact_count[slot] &&
           !kg_work_rests_on_boundaries(work, slot);
}

/* Acceleration (m/s^2) by which the supports of a loaded body may press it: all that accelerates
 * it. */
static inline double kg_resting_full_load(const kugel_world *world, uint32_t slot)
{
    if (!world->work.has_own_accelerations) return world->work.gravity_magnitude;
    double a[3];
    kg_frame_free_acceleration(world, slot, a);
    return kg_length3(a);
}

/* That of any body: 0 if it is not loaded. */
static inline double kg_resting_load(const kugel_world *world, uint32_t slot)
{
    return kg_resting_is_loaded(world, slot) ? kg_resting_full_load(world, slot) : 0;
}

/* Bound of the acceleration that closes a pair, m/s^2. `pull`: that of the motions of its bodies,
 * along the normal. b is KG_NONE for a boundary. */
static inline double kg_resting_pull(const kugel_world *world, uint32_t a, uint32_t b, double pull)
{
    return kg_max(pull, kg_max(kg_resting_load(world, a), kg_resting_load(world, b)));
}

/* True when a pair rests after an impact at this speed (m/s), because it would rebound so slowly.
 * By default it rests if `pull` (m/s^2, kg_resting_pull) ends the rebound at a small height, so
 * without a pull it never does. `radius`: the smaller one, m. */
static inline bool kg_resting_ends_bounce(const kugel_world *world, double restitution,
                                          double speed, double pull, double radius)
{
    double rebound = restitution * speed, threshold = world->def.bounce_threshold,
           height = threshold < 0 ? 0.5 / KG_BOUNCE_SCALE : KG_FLAT_BOUNCE;
    return restitution == 0 || rebound < threshold ||
           rebound * rebound < 2 * pull * height * radius;
}

/* A pair at the start of a substep. */
typedef struct kg_resting_pair {
    double gap, radius;        /* m; radius: the smaller one */
    double approach;           /* m/s */
    double pull, acceleration; /* m/s^2: kg_resting_pull, and that of the free motions alone */
    double restitution;
} kg_resting_pair;

/* True when the pair begins to rest at the start of a substep of length h. A pair that overlaps by
 * more than the slop rests at any speed below the bounce threshold, also when it parts: the solver
 * separates it. A pair that touches, up to rounding, begins to rest if it closes more slowly than
 * the bounce threshold, and its impact would not bounce. Other pairs begin to rest when they touch,
 * in the impact stage. With a bounce threshold of 0 overlapping pairs begin here at an approach
 * below work.fall_speed, and touching ones that part and are pulled back in the substep. */
static inline bool kg_resting_begins(const kugel_world *world, const kg_resting_pair *p, double h)
{
    double limit = kg_bounce_threshold(world, p->radius), end = p->approach + p->acceleration * h;
    if (p->gap < -kg_resting_slop_share(&world->def) * p->radius)
        return end < (limit > 0 ? limit : world->work.fall_speed);
    return p->approach < limit && p->gap <= KG_SLOP_MIN * p->radius && end > 0 &&
           kg_resting_ends_bounce(world, p->restitution, kg_max(p->approach, 0), p->pull,
                                  p->radius);
}

/* Set the constants of a substep of length h, and note no body as squeezed or pressed. */
static inline void kg_resting_begin_substep(kugel_world *world, double h)
{
    kg_work *work = &world->work;
    work->substep_rate = 1 / h;
    work->fall_speed = 2 * work->gravity_magnitude * h;
    work->tally.any_squeezed = work->tally.any_pressed = false;
}

/* True when the body's impacts in this substep exceed its budget. */
static inline bool kg_resting_is_over_budget(const kugel_world *world, uint32_t slot)
{
    return world->work.impact_load[slot].impacts > (uint32_t)world->def.impact_budget;
}

/* True while the body's impacts have no restitution. Crowding can fall again, the number of impacts
 * cannot. */
static inline bool kg_resting_is_crowded(const kugel_world *world, uint32_t slot)
{
    return world->work.impact_load[slot].crowding > KG_CROWDED_INELASTIC ||
           kg_resting_is_over_budget(world, slot);
}

/* True while the body collides neither with bodies that it touches or rests on nor, where
 * kg_resting_may_enter holds, with boundaries on which it rests or that it grazes. This ends
 * endless touches at one instant, also those without an impulse. */
static inline bool kg_resting_is_exhausted(const kugel_world *world, uint32_t slot)
{
    return world->work.impact_load[slot].crowding > KG_CROWDED_EXHAUSTED;
}

/* Approach speed above which a resting pair collides, m/s; it grows with the crowding of the body.
 * A pair uses the larger value of its two bodies. `radius`: the smaller radius, m. */
static inline double kg_resting_collision_speed(const kugel_world *world, uint32_t slot,
                                                double radius)
{
    uint32_t crowding = world->work.impact_load[slot].crowding;
    if (crowding <= KG_CROWDED_REST) return kg_rest_speed(world, radius);
    if (kg_resting_is_exhausted(world, slot)) return DBL_MAX;
    return kg_path_speed(world, radius) * (double)(1ull << (crowding - KG_CROWDED_REST) / 2);
}

/* True when a body may move into a boundary without a collision: `path`, the depth (m) to which its
 * approach leads in the rest of the substep, is short, or its crowding exceeds KG_CROWDED_BLOCKED,
 * as between surfaces that close up on it. */
static inline bool kg_resting_may_enter(const kugel_world *world, uint32_t slot, double path,
                                        double radius)
{
    return path <= KG_CROWDED_ENTRY * radius ||
           world->work.impact_load[slot].crowding > KG_CROWDED_BLOCKED;
}

/* measure_boundary.c: gap between a body at the start of a substep and a boundary, m, and the unit
 * normal into the boundary. The gap is KG_NEVER for a feature that does not hold the nearest point
 * of its surface. */
double kg_resting_measure_boundary(const kugel_world *world, uint32_t slot, kg_boundary boundary,
                                   double normal[3]);

/* slide.c: acceleration of a body along the boundaries that support it, m/s^2: the solved velocity
 * (m/s) less the velocity at the substep's start, over h, without its part along their normals.
 * False when it is too small to matter. */
bool kg_slide_acceleration(const kugel_world *world, uint32_t slot, const double solved_velocity[3],
                           double h, double a[3]);
/* Start to slide a body; its velocity and spin must be those of the substep's end. `spin_change`:
 * change of its spin in the substep, rad/s. Accelerations must be reserved
 * (kg_work_reserve_sliding). */
void kg_slide_start(kg_work *work, uint32_t slot, const double a[3], const double spin_change[3],
                    double h);
/* Give a body that has been advanced to t the acceleration that its immovable supports leave it,
 * without friction. A body that parts from all of them gets its free acceleration. False when out
 * of memory. */
bool kg_slide_update(kugel_world *world, uint32_t slot, double h, double t);

/* True when a sliding body has changed its motion so often that it moves straight on: the limit is
 * that many changes beyond the impact budget. */
static inline bool kg_slide_has_ended(const kugel_world *world, uint32_t slot)
{
    enum { SQUEEZED_CHANGES = 64 };
    return world->work.motion_version[slot] > (uint32_t)world->def.impact_budget + SQUEEZED_CHANGES;
}

/* Anticipated velocity of a body: the part of its velocity that includes the acceleration of the
 * remaining substep (anticipated.c). */
typedef struct kg_anticipated {
    double velocity[3]; /* m/s, part of the body's velocity */
    double tolerance;   /* m/s; a support that the body leaves more slowly still supports it */
    bool known;         /* true when `velocity` is certain and still in the body's velocity */
    bool loaded;        /* true when the body rests on movable bodies too; their share is unknown */
} kg_anticipated;

/* anticipated.c: find the anticipated velocity at t of a body that is about to collide. `away`:
 * unit vector from the other side of the collision to the body; a support with this normal does not
 * count. */
void kg_anticipated_find(const kugel_world *world, uint32_t slot, const double away[3], double h,
                         double t, kg_anticipated *out);
/* After an impulse at t: a sliding body gets its new acceleration; a body that bounced and parts
 * from a support falls freely. False when out of memory. */
bool kg_resting_update_after_impulse(kugel_world *world, uint32_t slot,
                                     const kg_anticipated *anticipated, bool bounced, double h,
                                     double t);

/* constrain.c: keep two bodies, both advanced to t, from accelerating towards each other until the
 * substep ends. `normal`: unit, from a to b; b is KG_NONE for a boundary, `boundary` is
 * KG_WITH_BODY for a body. False when out of memory. */
bool kg_constrain_pair(kugel_world *world, uint32_t a, uint32_t b, kg_boundary boundary,
                       const double normal[3], double h, double t);

/* touch_event.c: the begin or end event of a contact; its point and normal are not set; `time`: s
 * in the tick. */
kugel_touch kg_resting_touch_event(const kugel_world *world, const kg_contact *contact,
                                   double time);
/* True if some body of a contact reports its touches. */
bool kg_resting_reports(const kugel_world *world, const kg_contact *contact);
/* Report that a contact begins or ends, if it is reported. False when out of memory. */
bool kg_resting_report_begin(kugel_world *world, const kg_contact *contact,
                             const kugel_touch *touch);
bool kg_resting_report_end(kugel_world *world, const kg_contact *contact, const kugel_touch *touch);
/* update_bodies.c: update the contact counts, boundaries and list marks of the bodies of a contact
 * that begins or ends. False when out of memory. */
bool kg_resting_begin_contact(kugel_world *world, const kg_contact *contact);
void kg_resting_end_contact(kugel_world *world, const kg_contact *contact);

#endif
