/* Fills groups from contacts: slots, masses, mixed materials and warm-starting impulses.
 * In: the contact set, the order. Out: stage->groups, group_info, rolling, locks. measure.c adds
 * normals and gaps. */
#include <string.h>

#include "contact/contact.h"
#include "world/locks.h"

/* True if the body has a spin that impulses change. */
static bool turns(const kugel_world *world, uint32_t slot)
{
    return world->bodies.mass[slot] > 0 &&
           (kg_locks_of(&world->bodies, slot) & KG_LOCKS_ANGULAR) != KG_LOCKS_ANGULAR;
}

/* Fill in the rolling arm, effective inertia and impulse of a contact; a boundary has no
 * curvature. */
static void fill_rolling(const kugel_world *world, kg_contact_rolling *r, int lane,
                         const kg_contact *c, const uint32_t slot[2], double coefficient)
{
    double inverse_inertia = 0, curvature = 0;
    for (int s = 0; s < 2; ++s) {
        double radius = slot[s] < world->bodies.count ? world->bodies.radius[slot[s]] : 0;
        double mass = radius > 0 ? world->bodies.mass[slot[s]] : 0;
        curvature += radius > 0 ? 1 / radius : 0;
        inverse_inertia +=
            radius > 0 && turns(world, slot[s]) ? 1 / (0.4 * mass * radius * radius) : 0;
    }
    r->rolling_arm[lane] = (float)(coefficient / curvature);
    /* at most 1e30, so that its product with any spin is finite in float */
    r->inertia[lane] = (float)(inverse_inertia > 1e-30 ? 1 / inverse_inertia : 1e30);
    for (int k = 0; k < 3; ++k) r->impulse[k][lane] = c->rolling[k];
}

/* A body's mass divided by the number of its contacts, kg: each contact carries so much if they
 * share the load equally. */
static double carried_mass(const kugel_world *world, uint32_t slot)
{
    uint32_t contacts = world->work.contact_count[slot];
    return world->bodies.mass[slot] / (contacts ? contacts : 1);
}

static void fill_lane(const kugel_world *world, uint32_t group, int lane, const kg_contact *c)
{
    kg_contact_stage *stage = world->contact;
    kg_contact_group *g = &stage->groups[group];
    kg_contact_group_info *info = &stage->group_info[group];
    bool body = c->with == KG_WITH_BODY;
    uint32_t slot[2] = {world->bodies.slot[c->a],
                        body ? world->bodies.slot[c->b] : world->bodies.count};
    double m = world->bodies.mass[slot[0]], n = body ? world->bodies.mass[slot[1]] : 0;
    kg_contact_material s = kg_contact_material_between(world, c, slot[0], slot[1]);
    g->a[lane] = slot[0];
    g->b[lane] = slot[1];
    g->friction[lane] = (float)s.friction;
    g->impulse[lane] = c->normal_force;
    for (int k = 0; k < 3; ++k) g->friction_impulse[k][lane] = c->friction[k];
    if (stage->rolling)
        fill_rolling(world, &stage->rolling[group], lane, c, slot, s.rolling_resistance);
    if (stage->locks) kg_contact_fill_locks(&world->bodies, &stage->locks[group], lane, slot);
    info->has_friction = info->has_friction || s.friction > 0;
    if (!body) info->boundary |= (uint8_t)(1u << lane);
    if (m == 0) info->immovable_a |= (uint8_t)(1u << lane);
    if (n == 0) info->immovable_b |= (uint8_t)(1u << lane);
}

static void fill_group(const kugel_world *world, uint32_t group)
{
    kg_contact_stage *stage = world->contact;
    kg_contact_group *g = &stage->groups[group];
    kg_contact_group_info *info = &stage->group_info[group];
    memset(g, 0, sizeof *g);
    if (stage->rolling) memset(&stage->rolling[group], 0, sizeof *stage->rolling);
    if (stage->locks) memset(&stage->locks[group], 0, sizeof *stage->locks);
    const kg_contact *items = world->work.contacts.items;
    for (int lane = 0; lane < KG_LANES; ++lane) {
        bool used = lane < info->count;
        if (used) fill_lane(world, group, lane, &items[kg_contact_item(stage, info, lane)]);
        else kg_contact_clear_lane(world, g, info, lane);
    }
}

void kg_contact_groups_fill(const kugel_world *world, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; ++i) fill_group(world, i);
}

static void fill(void *context, uint32_t range, uint32_t from, uint32_t to)
{
    (void)range;
    kg_contact_groups_fill(context, from, to);
}

/* The larger of `load` and the largest load of a contact of the group (stage->largest_load). */
static double larger_load(const kugel_world *world, const kg_contact_group *g, double load)
{
    const double *mass = world->bodies.mass;
    for (int lane = 0; lane < KG_LANES; ++lane) {
        uint32_t a = g->a[lane], b = g->b[lane];
        if (a == world->bodies.count || b == world->bodies.count) continue;
        double on_a = carried_mass(world, b), on_b = carried_mass(world, a);
        if (mass[a] > 0 && on_a > load * mass[a]) load = on_a / mass[a];
        if (mass[b] > 0 && on_b > load * mass[b]) load = on_b / mass[b];
    }
    return load;
}

/* At the start of a tick all groups are read, also the kept ones: loads depend on the numbers of
 * contacts of bodies. No group is read where masses are so alike that no load is large. */
void kg_contact_groups_note_load(const kugel_world *world, uint32_t from)
{
    kg_contact_stage *stage = world->contact;
    for (uint32_t i = from; i < stage->group_count && stage->has_unlike_masses; ++i)
        stage->largest_load = larger_load(world, &stage->groups[i], stage->largest_load);
}

/* True if a contact may have rolling resistance. Walls have none of their own. */
static bool any_rolling(const kugel_world *world)
{
    if (world->pair_filter.decide || kg_pairs_any_rolling(&world->pairs)) return true;
    for (uint32_t k = 0; k < world->bodies.material_count; ++k) {
        const kg_material *m = &world->bodies.materials[k];
        if (m->body_count && m->rolling_resistance > 0) return true;
    }
    return world->surfaces.any_rolls;
}

bool kg_contact_groups_reserve(kugel_world *world, size_t groups)
{
    kg_contact_stage *stage = world->contact;
    kg_memory *memory = &world->memory;
    kg_column *c = stage->columns;
    size_t keep = stage->group_count;
    bool rolls = keep ? stage->rolling != NULL : any_rolling(world),
         locks = keep ? stage->locks != NULL : world->work.any_locks;
    if (!rolls) stage->rolling = NULL;
    if (!locks) stage->locks = NULL;
    return KG_RESERVE(memory, &c[KG_CONTACT_COLUMN_GROUPS], stage->groups, groups, keep) &&
           KG_RESERVE(memory, &c[KG_CONTACT_COLUMN_GROUP_INFO], stage->group_info, groups, keep) &&
           (!rolls ||
            KG_RESERVE(memory, &c[KG_CONTACT_COLUMN_ROLLING], stage->rolling, groups, keep)) &&
           (!locks || KG_RESERVE(memory, &c[KG_CONTACT_COLUMN_LOCKS], stage->locks, groups, keep));
}

/* True when the contacts share a movable body. */
static bool shares_body(const kugel_world *world, const kg_contact *c, const kg_contact *d)
{
    const kg_bodies *bodies = &world->bodies;
    uint32_t body_c[2] = {c->a, c->with == KG_WITH_BODY ? c->b : c->a};
    uint32_t body_d[2] = {d->a, d->with == KG_WITH_BODY ? d->b : d->a};
    for (int s = 0; s < 4; ++s) {
        uint32_t id = body_c[s & 1];
        if (id == body_d[s >> 1] && bodies->mass[bodies->slot[id]] > 0) return true;
    }
    return false;
}

bool kg_contact_groups_reserve_order(kugel_world *world, size_t count)
{
    kg_contact_stage *stage = world->contact;
    return KG_RESERVE(&world->memory, &stage->columns[KG_CONTACT_COLUMN_ORDER], stage->order, count,
                      stage->ordered_count);
}

/* Append the contacts that began since the contacts were ordered, in the order in which they began.
 * A group ends before a contact that shares a movable body with it. */
static void order_new_contacts(kugel_world *world)
{
    const kg_contact *items = world->work.contacts.items;
    kg_contact_stage *stage = world->contact;
    uint32_t from = stage->ordered_count, first = from;
    for (uint32_t k = from; k < world->work.contacts.count; ++k) {
        bool starts_group = k == from || k - first == KG_LANES;
        for (uint32_t i = first; i < k && !starts_group; ++i)
            starts_group = shares_body(world, &items[i], &items[k]);
        if (starts_group) first = k;
        stage->order[k] = starts_group ? k | KG_ORDER_GROUP_START : k;
    }
}

/* Set `span` to the next group in the order, before `end`. Returns false when there is none. */
static bool next_group(const uint32_t *order, uint32_t end, kg_contact_group_info *span)
{
    uint32_t first = span->first + span->count, next = first + 1;
    if (first >= end) return false;
    while (next < end && !(order[next] & KG_ORDER_GROUP_START)) ++next;
    *span = (kg_contact_group_info){.first = first, .count = (uint8_t)(next - first)};
    return true;
}

uint32_t kg_contact_groups_count(const uint32_t *order, uint32_t count)
{
    kg_contact_group_info span = {0};
    uint32_t groups = 0;
    while (next_group(order, count, &span)) groups += 1;
    return groups;
}

void kg_contact_groups_set_spans(kugel_world *world, uint32_t group, uint32_t first, uint32_t count)
{
    kg_contact_stage *stage = world->contact;
    kg_contact_group_info span = {.first = first};
    while (next_group(stage->order, first + count, &span)) stage->group_info[group++] = span;
}

bool kg_contact_groups_extend(kugel_world *world)
{
    kg_contact_stage *stage = world->contact;
    uint32_t first = stage->ordered_count, count = world->work.contacts.count - first,
             from = stage->group_count;
    if (!count) return true;
    if (!kg_contact_groups_reserve_order(world, world->work.contacts.count)) return false;
    order_new_contacts(world);
    uint32_t groups = kg_contact_groups_count(stage->order + first, count);
    if (!kg_contact_groups_reserve(world, (size_t)from + groups)) return false;
    kg_contact_groups_set_spans(world, from, first, count);
    stage->group_count += groups;
    stage->ordered_count += count;
    kg_contact_for_groups(world, from, fill, world);
    kg_contact_groups_note_load(world, from);
    return true;
}
