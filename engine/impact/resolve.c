/* What an event does. Impact law: normal impulse J = (1 + e) m v_n with the reduced mass m, then
 * Coulomb friction: the tangential impulse that stops the slip of the surfaces, at most mu J. For
 * solid spheres (inertia 2/5 m r^2) a tangential impulse P changes the slip by 7/2 P / m. */
#include <math.h>

#include "impact/impact.h"

/* One of two bodies that meet; a boundary is a body without slot and of infinite mass. */
typedef struct side {
    uint32_t slot; /* KG_NONE for a boundary */
    double inverse_mass, radius;
    double velocity[3], spin[3]; /* resting world frame, now */
    double acceleration[3];
    double rounding; /* m/s, of its velocity */
} side;

typedef struct collision {
    side a, b;
    double normal[3]; /* unit, from a to b */
    double restitution, friction;
    double approach, impulse; /* out */
} collision;

void kg_bring_to(kg_motion *motion, double t)
{
    double dt = t - motion->clock;
    for (int k = 0; k < 3; ++k) motion->x[k] += motion->v[k] * dt;
    motion->clock = t;
}

static side side_of(const kugel_world *world, uint32_t i, double t)
{
    const kg_work *work = &world->work;
    double mass = world->bodies.mass[i], a[3];
    side s = {.slot = i, .inverse_mass = mass > 0 ? 1 / mass : 0, .radius = work->motion[i].radius};
    kg_acceleration(work, i, a);
    for (int k = 0; k < 3; ++k) {
        s.velocity[k] = work->motion[i].v[k] + a[k] * t;
        s.spin[k] = work->w[k][i];
        s.acceleration[k] = a[k];
        s.rounding += KG_APPROACH_NOISE * fabs(work->motion[i].v[k]);
    }
    return s;
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Give an impulse (N s) to b and its opposite to a. Frames differ by a velocity only: the change is
 * the same in each. */
static void give(kg_work *work, const collision *hit, const double impulse[3])
{
    double moment[3]; /* of both: b feels -r n x P, a feels r n x -P */
    cross(hit->normal, impulse, moment);
    for (int s = 0; s < 2; ++s) {
        const side *to = s ? &hit->b : &hit->a;
        if (to->inverse_mass == 0) continue;
        double sign = s ? to->inverse_mass : -to->inverse_mass;
        double turn = to->inverse_mass / (0.4 * to->radius);
        for (int k = 0; k < 3; ++k) {
            work->motion[to->slot].v[k] += sign * impulse[k];
            work->w[k][to->slot] -= turn * moment[k];
        }
    }
}

/* The tangential impulse on b against the slip of the surfaces. */
static void friction_impulse(const collision *hit, double normal_impulse, double out[3])
{
    double arm[3], swirl[3], slip[3], along = 0, length = 0;
    for (int k = 0; k < 3; ++k) arm[k] = hit->a.spin[k] * hit->a.radius + hit->b.spin[k] * hit->b.radius;
    cross(arm, hit->normal, swirl);
    for (int k = 0; k < 3; ++k) {
        slip[k] = hit->b.velocity[k] - hit->a.velocity[k] - swirl[k];
        along += slip[k] * hit->normal[k];
    }
    for (int k = 0; k < 3; ++k) {
        slip[k] -= along * hit->normal[k];
        length += slip[k] * slip[k];
    }
    length = sqrt(length);
    double stop = length / (3.5 * (hit->a.inverse_mass + hit->b.inverse_mass));
    double most = hit->friction * normal_impulse;
    double size = stop < most ? stop : most;
    for (int k = 0; k < 3; ++k) out[k] = length > 0 ? -size * slip[k] / length : 0;
}

/* Apply the impact law; false when the two do not approach after all (rounding of a grazing touch). */
static bool collide(kg_work *work, collision *hit)
{
    double approach = 0, impulse[3];
    for (int k = 0; k < 3; ++k) approach -= (hit->b.velocity[k] - hit->a.velocity[k]) * hit->normal[k];
    if (!(approach > 0)) return false;
    double normal_impulse = (1 + hit->restitution) * approach / (hit->a.inverse_mass + hit->b.inverse_mass);
    for (int k = 0; k < 3; ++k) impulse[k] = normal_impulse * hit->normal[k];
    if (hit->friction > 0) {
        double rub[3];
        friction_impulse(hit, normal_impulse, rub);
        for (int k = 0; k < 3; ++k) impulse[k] += rub[k];
    }
    give(work, hit, impulse);
    hit->approach = approach;
    hit->impulse = normal_impulse;
    return true;
}

/* Does the impact count against the budget? Those that lose energy can go on for ever in a finite time,
 * and so can those with a mover, whose work lets an elastic ball in a closing gap run ever faster. */
static bool costs_budget(const kugel_world *world, const collision *hit)
{
    const uint8_t *type = world->bodies.type;
    return hit->restitution < 1 || type[hit->a.slot] == KUGEL_KINEMATIC ||
           (hit->b.slot != KG_NONE && type[hit->b.slot] == KUGEL_KINEMATIC);
}

/* Count an impact of a body; true when its budget is used up. */
static bool spend(kugel_world *world, uint32_t i, bool costs)
{
    if (i == KG_NONE || world->bodies.mass[i] == 0) return false;
    uint32_t *impacts = &world->work.impacts[i];
    uint32_t budget = (uint32_t)world->def.impact_budget;
    if (*impacts > budget) return true;
    if (costs) *impacts += 1;
    else if (world->work.stamp[i] > KG_LOSSLESS_LIMIT) *impacts = budget + 1;
    if (*impacts > budget) world->work.budgets_exhausted += 1;
    return *impacts > budget;
}

static kugel_status begin_rest(kugel_world *world, uint32_t i, uint32_t entry, uint32_t boundary, double t)
{
    kg_work *work = &world->work;
    const kg_bodies *bodies = &world->bodies;
    uint32_t j = entry & KG_ENTRY_SLOT;
    bool body = boundary == KG_OTHER_BODY;
    kg_contact c = {.a = bodies->id[i], .b = body ? bodies->id[j] : boundary, .other = (uint8_t)boundary};
    if (body && c.b < c.a) {
        uint32_t swap = c.a;
        c.a = c.b, c.b = swap;
    }
    kugel_touch touch = {.time = world->impact->substep_start + t, .a = kg_bodies_handle(bodies, bodies->slot[c.a])};
    touch.target = body ? KUGEL_TARGET_BODY : boundary < KG_OTHER_PLANE ? KUGEL_TARGET_FACE : KUGEL_TARGET_PLANE;
    touch.index = touch.target == KUGEL_TARGET_PLANE ? boundary - KG_OTHER_PLANE : c.b;
    if (body) touch.b = kg_bodies_handle(bodies, bodies->slot[c.b]);
    if (!kg_contact_set_add(&world->memory, &work->contacts, c) ||
        !kg_event_begin(&world->memory, &world->events.pending, &touch)) {
        return KUGEL_ERROR_OUT_OF_MEMORY;
    }
    work->contact_count[i] += 1;
    if (body) {
        work->contact_count[j] += 1;
        kg_grid_mark(world->grid, i, j, true);
    } else {
        work->resting[i] |= (uint64_t)1 << boundary;
    }
    return KUGEL_OK;
}

static kugel_status report(kugel_world *world, const collision *hit, uint32_t boundary, double t)
{
    const kg_bodies *bodies = &world->bodies;
    kugel_impact impact = {.time = world->impact->substep_start + t, .speed = hit->approach, .impulse = hit->impulse};
    double place[3];
    kg_place_at(&world->work, hit->a.slot, t, place);
    for (int k = 0; k < 3; ++k) {
        impact.point[k] = place[k] + hit->normal[k] * hit->a.radius;
        impact.normal[k] = hit->normal[k];
    }
    impact.a = kg_bodies_handle(bodies, hit->a.slot);
    if (boundary == KG_OTHER_BODY) {
        impact.target = KUGEL_TARGET_BODY;
        impact.b = kg_bodies_handle(bodies, hit->b.slot);
        impact.index = kugel_body_id(impact.b);
    } else {
        impact.target = boundary < KG_OTHER_PLANE ? KUGEL_TARGET_FACE : KUGEL_TARGET_PLANE;
        impact.index = boundary < KG_OTHER_PLANE ? boundary : boundary - KG_OTHER_PLANE;
    }
    world->work.impacts_done += 1;
    return kg_event_impact(&world->memory, &world->events.pending, &impact) ? KUGEL_OK : KUGEL_ERROR_OUT_OF_MEMORY;
}

/* Slow and perfectly inelastic impacts, and those beyond the budget, do not bounce: the pair rests. */
static kugel_status collide_and_report(kugel_world *world, collision *hit, uint32_t entry, uint32_t boundary, double t,
                                       bool resting)
{
    double approach = 0, pull = 0;
    for (int k = 0; k < 3; ++k) {
        approach -= (hit->b.velocity[k] - hit->a.velocity[k]) * hit->normal[k];
        pull -= (hit->b.acceleration[k] - hit->a.acceleration[k]) * hit->normal[k];
    }
    /* the caller's body i is side a or b: entry names the other */
    uint32_t i = boundary == KG_OTHER_BODY && (entry & KG_ENTRY_SLOT) == hit->a.slot ? hit->b.slot : hit->a.slot;
    if (approach <= hit->a.rounding + hit->b.rounding && pull > 0) {
        return resting ? KUGEL_OK : begin_rest(world, i, entry, boundary, t);
    }
    if (approach < world->def.bounce_threshold) hit->restitution = 0;
    bool costs = costs_budget(world, hit);
    bool spent_a = spend(world, hit->a.slot, costs), spent_b = spend(world, hit->b.slot, costs);
    if (spent_a || spent_b) hit->restitution = 0;
    if (!collide(&world->work, hit)) return KUGEL_OK;
    kugel_status status = report(world, hit, boundary, t);
    if (status || hit->restitution > 0 || resting) return status;
    return begin_rest(world, i, entry, boundary, t);
}

/* Dynamic bodies get a new motion: old predictions of theirs become untrue. */
static void touch_body(kugel_world *world, uint32_t i, double t)
{
    if (world->bodies.mass[i] == 0) return;
    kg_bring_to(&world->work.motion[i], t);
    world->work.stamp[i] += 1;
    kg_grid_forget_room(world->grid, i);
}

/* Unit vector from a to b; for equal centres +z (the same for every order of the two). */
static void unit_normal(const double d[3], double normal[3])
{
    double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    for (int k = 0; k < 3; ++k) normal[k] = length > 0 ? d[k] / length : (double)(k == 2);
}

kugel_status kg_resolve_pair(kugel_world *world, uint32_t i, uint32_t entry, double t)
{
    kg_work *work = &world->work;
    const kg_bodies *bodies = &world->bodies;
    uint32_t j = entry & KG_ENTRY_SLOT, image = entry >> KG_ENTRY_IMAGE_SHIFT;
    touch_body(world, i, t);
    touch_body(world, j, t);
    double pi[3], pj[3], offset[3], d[3];
    kg_place_at(work, i, t, pi);
    kg_place_at(work, j, t, pj);
    kg_image_offset(&world->grid->lattice, image, offset);
    bool forward = bodies->id[i] < bodies->id[j]; /* the normal points from the lower id to the higher */
    for (int k = 0; k < 3; ++k) {
        d[k] = pj[k] - pi[k] + offset[k];
        if (!forward) d[k] = -d[k];
    }
    const kg_material *m = kg_material_of(bodies, i), *n = kg_material_of(bodies, j);
    collision hit = {.a = side_of(world, forward ? i : j, t), .b = side_of(world, forward ? j : i, t)};
    hit.restitution = m->restitution > n->restitution ? m->restitution : n->restitution;
    hit.friction = sqrt(m->friction * n->friction);
    unit_normal(d, hit.normal);
    return collide_and_report(world, &hit, entry, KG_OTHER_BODY, t, entry & KG_ENTRY_RESTING);
}

kugel_status kg_resolve_boundary(kugel_world *world, uint32_t i, uint32_t boundary, double t)
{
    touch_body(world, i, t);
    const kg_material *m = kg_material_of(&world->bodies, i);
    bool face = boundary < KG_OTHER_PLANE;
    const kugel_plane *plane = face ? NULL : &world->planes[boundary - KG_OTHER_PLANE];
    double restitution = face ? world->def.bounds.restitution : plane->restitution;
    double friction = face ? world->def.bounds.friction : plane->friction;
    collision hit = {.a = side_of(world, i, t), .b = {.slot = KG_NONE}};
    hit.restitution = m->restitution > restitution ? m->restitution : restitution;
    hit.friction = sqrt(m->friction * friction);
    if (face) hit.normal[boundary / 2] = boundary & 1 ? 1 : -1;
    for (int k = 0; k < 3 && !face; ++k) hit.normal[k] = -plane->normal[k];
    bool resting = world->work.resting[i] >> boundary & 1;
    return collide_and_report(world, &hit, KG_NONE, boundary, t, resting);
}

void kg_resolve_crossing(kugel_world *world, uint32_t i, uint32_t face, double t)
{
    kg_motion *m = &world->work.motion[i];
    uint32_t axis = face / 2;
    double a[3];
    kg_bring_to(m, t);
    world->work.stamp[i] += 1;
    kg_grid_forget_room(world->grid, i);
    kg_acceleration(&world->work, i, a);
    double enter = face & 1 ? world->def.bounds.min[axis] : world->def.bounds.max[axis];
    m->x[axis] = enter - 0.5 * a[axis] * t * t;
}
