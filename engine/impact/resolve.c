/* Applies an event to its bodies: advances them, applies the impulses, charges impact budgets,
 * reports the impact, and begins resting contacts. In a subdomain or a rank it gives up where only
 * the whole world has the data: at new contacts, and at chains of impacts that reach a ghost. */
#include "impact/collision.h"
#include "sensors/sensors.h"
#include "world/farthest.h"
#include "world/impulse_sums.h"
#include "world/sleep_state.h"

void kg_resolve_advance_to(kg_motion *motion, double t)
{
    double dt = t - motion->clock;
    for (int k = 0; k < 3; ++k) motion->x[k] += motion->v[k] * dt;
    motion->clock = t;
}

/* Advance a body to t, at which an event changes its motion. */
static void move_body(kugel_world *world, uint32_t i, double t)
{
    kg_sensors_sweep_body(world, i, t);
    kg_resolve_advance_to(&world->work.motion[i], t);
    if (world->farthest && i < world->bodies.count) kg_farthest_note(world, i, i + 1, 0);
    kg_impact_hash_path(world, i);
    world->work.motion_version[i] += 1;
    kg_neighbours_note_motion(world, i);
}

static void advance_dynamic(kugel_world *world, uint32_t i, double t)
{
    if (world->bodies.mass[i] == 0) return;
    kg_sleep_mark_woken(&world->work, i);
    move_body(world, i, t);
}

void kg_collision_advance_bodies(kugel_world *world, const kg_collision *hit, double t)
{
    advance_dynamic(world, hit->a.slot, t);
    if (hit->b.slot != KG_NONE) advance_dynamic(world, hit->b.slot, t);
}

/* Friction and rolling resistance. If the normal impulse is not along the velocity change of a body
 * with locks, it changes the slip. */
static void find_friction(kg_collision *hit)
{
    kg_collision after = *hit;
    for (int s = 0; s < 2; ++s) {
        kg_side *side = s ? &after.b : &after.a;
        double share = side->locks ? kg_locks_share(side->locks, hit->normal) : 1, change[3],
               by = (s ? hit->impulse : -hit->impulse) * side->inverse_mass;
        if (share == 1) continue;
        kg_scale3(change, hit->normal, by);
        kg_locks_project(side->locks, change);
        kg_add_scaled3(side->velocity, side->velocity, 1, change);
    }
    kg_collision_friction(&after, hit->friction_impulse, hit->rolling_impulse);
}

/* Apply the impact law. False when the bodies do not approach, as rounding may leave a grazing
 * touch. */
static bool apply_impact_law(kg_work *work, kg_collision *hit)
{
    double impulse[3], *friction = hit->friction_impulse, *rolling = hit->rolling_impulse;
    if (!(hit->approach > 0)) return false;
    double inverse = kg_collision_inverse_mass(hit);
    hit->impulse = inverse > 0 ? kg_collision_approach_change(hit) / inverse : 0;
    kg_scale3(impulse, hit->normal, hit->impulse);
    if (kg_collision_is_rough(hit)) {
        if (hit->a.locks | hit->b.locks) find_friction(hit);
        else kg_collision_friction(hit, friction, rolling);
        kg_collision_apply_spin(work, hit, friction, rolling);
        kg_add_scaled3(impulse, impulse, 1, friction);
    }
    kg_collision_apply_impulse(work, hit, impulse);
    return true;
}

/* True for a surface that moves, and for a kinematic body that moves or, where there is friction or
 * rolling resistance, spins: they do work on the bodies that they hit. */
static bool does_external_work(const kugel_world *world, const kg_side *side)
{
    bool moves = false;
    if (side->slot != KG_NONE && world->bodies.type[side->slot] != KUGEL_KINEMATIC) return false;
    for (int k = 0; k < 3; ++k)
        moves |= side->velocity[k] != 0 || side->spin[k] != 0; /* spin is 0 if smooth */
    return moves;
}

/* How an impact counts against budgets. */
typedef struct charge {
    bool lossy;    /* it loses energy, or a moving kinematic body or surface does work */
    bool crowds;   /* it is lossy, and the bodies had hardly moved since their last impact */
    bool squeezes; /* it crowds, and a body has the momentum to push a much lighter one far */
    bool presses;  /* it crowds, and its approach would go far in a substep */
    bool instant;  /* the bodies had not moved, up to rounding, since their last impact */
} charge;

/* Note if the crowding of a body asks for shorter substeps. */
static void note_crowding(kg_impact_tally *tally, uint32_t crowding, charge c)
{
    uint32_t least = c.squeezes ? KG_CROWDED_REST + 1 : KG_CROWDED_SQUEEZED;
    tally->any_squeezed |= c.crowds && crowding >= least;
    tally->any_pressed |= c.presses && crowding > KG_CROWDED_REST;
}

/* Count an impact of a body against its budget and its crowding. True when its impacts have no
 * restitution now. */
static bool charge_body(kugel_world *world, uint32_t i, charge c)
{
    if (i == KG_NONE || world->bodies.mass[i] == 0) return false;
    kg_work *work = &world->work;
    kg_impact_load *load = &work->impact_load[i];
    bool was_over_budget = kg_resting_is_over_budget(world, i);
    if (c.lossy || c.instant) load->impacts += 1;
    else if (work->motion_version[i] > KG_LOSSLESS_IMPACTS)
        load->impacts = (uint32_t)world->def.impact_budget + 1;
    bool over_budget = kg_resting_is_over_budget(world, i), counts = !kg_is_ghost(world->impact, i);
    work->tally.budgets_exhausted += over_budget && !was_over_budget && counts;
    if (c.crowds || over_budget) load->crowding += 1;
    else if (c.lossy && load->crowding) load->crowding -= 1;
    if (counts) note_crowding(&work->tally, load->crowding, c);
    return kg_resting_is_crowded(world, i);
}

/* Path that the approach closes in the longer of the times since the motions of the two bodies last
 * changed, m. */
static double closed_path(const kg_collision *hit)
{
    double age = 0;
    for (int s = 0; s < 2; ++s) {
        const kg_side *side = s ? &hit->b : &hit->a;
        if (side->inverse_mass > 0 && side->age > age) age = side->age;
    }
    return hit->approach * age;
}

/* How many times as heavy as the lighter of two movable bodies the heavier is; 0 if one does not
 * move. */
static double mass_ratio(const kg_collision *hit)
{
    double a = hit->a.inverse_mass, b = hit->b.inverse_mass;
    return a > b ? b > 0 ? a / b : 0 : a > 0 ? b / a : 0;
}

/* Infinitely many lossy impacts can happen in finite time. So can impacts with moving kinematic
 * bodies: their work accelerates an elastic ball in a closing gap. A body that overlaps others on
 * two sides has infinitely many impacts at one instant, lossless or not. All of these count against
 * the budget. With a bounce threshold of 0 no impact counts as crowded, or dense gases would lose
 * energy. */
static charge classify(const kugel_world *world, const kg_collision *hit, double radius)
{
    double path = closed_path(hit), ahead = hit->approach * world->impact->h,
           far = KG_CROWDED_ENTRY * radius;
    charge c = {.lossy = hit->restitution < 1 || does_external_work(world, &hit->a) ||
                         does_external_work(world, &hit->b),
                .instant = path < KG_INSTANT_PATH * radius};
    c.crowds = c.lossy && world->def.bounce_threshold != 0 && path < KG_CROWDED_PATH * radius;
    if (!c.crowds) return c;
    double ratio = mass_ratio(hit);
    c.squeezes = ratio > KG_SWEEPS_NORMAL_LOAD && ratio * ahead > far;
    c.presses = ahead > far;
    return c;
}

/* Locks hold both bodies, and something that moves presses them together: they rest, and do not
 * collide again in this substep. */
static void jam(kugel_world *world, kg_collision *hit)
{
    hit->restitution = 0;
    for (int s = 0; s < 2; ++s) {
        const kg_side *side = s ? &hit->b : &hit->a;
        if (side->inverse_mass > 0)
            world->work.impact_load[side->slot].crowding = KG_CROWDED_BLOCKED + 1;
    }
}

void kg_collision_decide_restitution(kugel_world *world, kg_collision *hit)
{
    if (kg_collision_inverse_mass(hit) == 0) jam(world, hit);
    if (kg_collision_ends_bounce(world, hit, kg_collision_impact_speed(hit))) hit->restitution = 0;
    charge c = classify(world, hit, kg_collision_smaller_radius(hit));
    bool spent_a = charge_body(world, hit->a.slot, c), spent_b = charge_body(world, hit->b.slot, c);
    if (spent_a || spent_b) hit->restitution = 0;
    /* the impulse stops the whole approach */
    if (hit->restitution == 0) hit->anticipated_approach = 0;
}

/* Count an event that continues the rest of a body on a feature of a surface as crowding: on the
 * border of features rounding may repeat the event. */
static void charge_rest(kugel_world *world, const kg_collision *hit)
{
    if (hit->resting && kg_boundary_is_feature(hit->boundary) && kg_collision_begins_rest(hit))
        world->work.impact_load[hit->a.slot].crowding += 1;
}

/* Contact point on the surface of a, m. */
static void find_point(const kugel_world *world, const kg_collision *hit, double t, double point[3])
{
    kg_work_position_at(&world->work, hit->a.slot, t, point);
    kg_add_scaled3(point, point, hit->a.radius, hit->normal);
}

/* Constrain a resting pair for the rest of the substep. */
static kugel_status constrain(kugel_world *world, const kg_collision *hit, double t)
{
    return kg_constrain_pair(world, hit->a.slot, hit->b.slot, hit->boundary, hit->normal,
                             world->impact->h, t)
               ? KUGEL_OK
               : KUGEL_ERROR_OUT_OF_MEMORY;
}

static kugel_status begin_resting_contact(kugel_world *world, const kg_collision *hit, double t)
{
    kg_work *work = &world->work;
    const uint32_t *id = world->bodies.id;
    bool body = hit->boundary == KG_WITH_BODY;
    if (world->impact->partial)
        return kg_impact_give_up(world); /* only the whole world has the contacts */
    kg_contact c = {.a = id[hit->a.slot],
                    .b = body ? id[hit->b.slot] : hit->boundary,
                    .with = body ? KG_WITH_BODY : kg_boundary_contact_with(hit->boundary)};
    kugel_touch touch = kg_resting_touch_event(world, &c, world->impact->substep_start + t);
    find_point(world, hit, t, touch.point);
    kg_copy3(touch.normal, hit->normal);
    if (!kg_contact_set_add(&world->memory, &work->contacts, c) ||
        !kg_resting_report_begin(world, &c, &touch) || !kg_resting_begin_contact(world, &c))
        return KUGEL_ERROR_OUT_OF_MEMORY;
    return constrain(world, hit, t);
}

/* Begin a resting contact, or constrain the pair if it rests already. */
static kugel_status enter_or_keep_rest(kugel_world *world, const kg_collision *hit, double t)
{
    if (!hit->resting) return begin_resting_contact(world, hit, t);
    return constrain(world, hit, t);
}

static kugel_status report_impact(kugel_world *world, const kg_collision *hit, double t)
{
    const kg_bodies *bodies = &world->bodies;
    /* the subdomain or rank that owns body a reports it */
    if (kg_is_ghost(world->impact, hit->a.slot)) return KUGEL_OK;
    world->events.pending.handled_impact_count += 1;
    if (kg_collision_impact_speed(hit) < world->report_threshold ||
        !kg_bodies_report(bodies, hit->a.slot, hit->b.slot))
        return KUGEL_OK;
    kugel_impact impact = {.time = world->impact->substep_start + t,
                           .speed = kg_collision_impact_speed(hit),
                           .impulse = hit->impulse};
    find_point(world, hit, t, impact.point);
    kg_copy3(impact.normal, hit->normal);
    impact.a = kg_bodies_handle(bodies, hit->a.slot);
    if (hit->boundary == KG_WITH_BODY) {
        impact.target = KUGEL_TARGET_BODY;
        impact.b = kg_bodies_handle(bodies, hit->b.slot);
        impact.index = kugel_body_id(impact.b);
    } else {
        KG_NAME_TARGET(&impact, kg_boundary_name_of(world, hit->boundary));
        if (impact.target == KUGEL_TARGET_SURFACE)
            impact.triangle = kg_boundary_triangle_at(world, hit->boundary, t, impact.point);
    }
    return kg_event_set_add_impact(&world->memory, &world->events.pending, &impact)
               ? KUGEL_OK
               : KUGEL_ERROR_OUT_OF_MEMORY;
}

/* Add the impulses of an impact to the sums of the tick. False when out of memory. */
static bool sum_impulses(kugel_world *world, const kg_collision *hit, double t)
{
    kg_exchanged e = {.a = hit->a.slot,
                      .b = hit->b.slot,
                      .boundary = hit->boundary,
                      .impacts = 1,
                      .time = t,
                      .along = hit->impulse};
    kg_copy3(e.normal, hit->normal);
    if (kg_collision_is_rough(hit)) {
        kg_copy3(e.friction, hit->friction_impulse);
        kg_copy3(e.turn, hit->rolling_impulse);
    }
    return kg_is_ghost(world->impact, e.a) || kg_impulse_sums_add(world, &e);
}

kugel_status kg_collision_finish(kugel_world *world, const kg_collision *hit, double t)
{
    kugel_status status = report_impact(world, hit, t);
    if (world->sums_impulses && !sum_impulses(world, hit, t)) return KUGEL_ERROR_OUT_OF_MEMORY;
    if (status || hit->restitution > 0) return status;
    return enter_or_keep_rest(world, hit, t);
}

/* True when an earlier event of the substep advanced the body to exactly this time. */
static bool had_event_at(const kg_work *work, uint32_t i, double t)
{
    return work->motion[i].clock == t && work->motion_version[i] != 0;
}

/* True when an impact with a ghost follows another impact of one of its bodies at the same time.
 * Such a chain may continue with bodies that are missing; see kg_impact_resolve_simultaneous. */
static bool chain_leaves_part(const kugel_world *world, const kg_event *event)
{
    const kg_impact_stage *stage = world->impact;
    uint32_t i = event->a, j = event->kind == KG_EVENT_BODY ? event->b & KG_NEIGHBOUR_SLOT : i;
    if (!stage->partial || (!kg_is_ghost(stage, i) && !kg_is_ghost(stage, j))) return false;
    return had_event_at(&world->work, i, event->time) || had_event_at(&world->work, j, event->time);
}

/* An event of two bodies is counted in the part of the world in which the body with the lower id is
 * not a ghost. */
void kg_resolve_count_event(kugel_world *world, const kg_event *event)
{
    uint32_t owner = event->a;
    if (event->kind == KG_EVENT_BODY) {
        uint32_t other = event->b & KG_NEIGHBOUR_SLOT;
        if (world->bodies.id[other] < world->bodies.id[owner]) owner = other;
    }
    world->events.pending.handled_event_count += !kg_is_ghost(world->impact, owner);
}

kugel_status kg_collision_resolve(kugel_world *world, const kg_event *event)
{
    kg_collision hit;
    kugel_status status;
    if (chain_leaves_part(world, event)) return kg_impact_give_up(world);
    kg_resolve_count_event(world, event);
    if (kg_elastic_resolve(world, event, &status)) return status;
    kg_collision_from_event(world, event, &hit);
    kg_collision_find_anticipated(world, &hit, event->time);
    kg_collision_advance_bodies(world, &hit, event->time);
    charge_rest(world, &hit);
    if (kg_collision_begins_rest(&hit)) return enter_or_keep_rest(world, &hit, event->time);
    kg_collision_decide_restitution(world, &hit);
    if (!apply_impact_law(&world->work, &hit)) return KUGEL_OK;
    if (!kg_collision_release_parting(world, &hit, event->time)) return KUGEL_ERROR_OUT_OF_MEMORY;
    return kg_collision_finish(world, &hit, event->time);
}

void kg_resolve_crossing(kugel_world *world, uint32_t i, uint32_t face, double t)
{
    kg_motion *m = &world->work.motion[i];
    uint32_t axis = face / 2;
    double a[3];
    move_body(world, i, t);
    kg_work_acceleration(&world->work, i, a);
    double enter = face & 1 ? world->def.bounds.min[axis] : world->def.bounds.max[axis];
    m->x[axis] = enter - 0.5 * a[axis] * t * t;
    if (world->surfaces.count) {
        double x[3];
        kg_work_position_at(&world->work, i, t, x);
        x[axis] = enter;
        kg_path_start_set(&world->work, i, x, t);
    }
    if (kg_is_ghost(world->impact, i)) return;
    world->events.pending.crossing_count += 1;
    world->events.pending.handled_event_count += 1;
    kg_work_count_crossing(&world->work, i, (int)axis, face & 1 ? 1 : -1);
}
