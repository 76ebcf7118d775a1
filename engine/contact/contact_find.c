/* Find the pairs that begin to rest. A sleeping body begins contacts only with what moves: an awake
 * dynamic body, a kinematic body that moves, a surface that moves. Else a body that a call put to
 * sleep would wake or not by whether another body or a moving surface is in its lists.
 * In: positions and velocities at the substep's start, neighbour lists. Out: new contacts,
 * appended to the set in the order of their keys, with their events. Cost: the lists of active
 * bodies. */
#include <string.h>

#include "base/sort.h"
#include "base/wide.h"
#include "contact/contact.h"
#include "geometry/sweep_linear.h"
#include "world/growth.h"

/* True when the body does not touch an edge, vertex or shape yet. The normal into it turns as the
 * body passes, so the solver would stop an approach that does not happen: a ball that rolls to the
 * edge of a low step would hop. If its path touches, it has an impact. */
static bool passes(const kugel_world *world, uint32_t a, uint32_t other, double gap)
{
    return kg_boundary_is_feature(other) && gap > 0 && kg_boundary_is_curved(world, other) &&
           gap > kg_neighbours_plane_tolerance(world, a, world->work.motion[a].x);
}

/* Values of kg_contact_stage.load_before. */
enum { LOAD_PRESENT, NOT_LOADED, LOADED };

/* A contact of the body is about to begin. */
static void keep_load(kugel_world *world, uint32_t slot)
{
    uint8_t *before = &world->contact->load_before[slot];
    if (*before == LOAD_PRESENT) *before = kg_resting_is_loaded(world, slot) ? LOADED : NOT_LOADED;
}

static double load_before(const kugel_world *world, uint32_t slot)
{
    uint8_t before = slot == KG_NONE ? NOT_LOADED : world->contact->load_before[slot];
    if (before == LOAD_PRESENT) return kg_resting_load(world, slot);
    return before == LOADED ? kg_resting_full_load(world, slot) : 0;
}

/* kg_resting_pull as it was before contacts began: their order must not matter. */
static double pull_before(const kugel_world *world, uint32_t a, uint32_t b, double acceleration)
{
    return kg_max(acceleration, kg_max(load_before(world, a), load_before(world, b)));
}

/* True when the pair begins to rest in this substep; b is KG_NONE for a boundary. */
static bool is_beginning(const kugel_world *world, uint32_t a, uint32_t b, uint32_t other, double h)
{
    const kg_motion *motion = world->work.motion;
    double normal[3], acc_a[3], acc_b[3] = {0, 0, 0}, of_boundary[3];
    kg_resting_pair pair = {.gap = kg_contact_geometry(world, a, b, other, normal),
                            .radius = b != KG_NONE ? kg_min(motion[a].radius, motion[b].radius)
                                                   : motion[a].radius};
    double growth = kg_growth_closing_speed(world, a, b);
    pair.gap += growth * world->work.growth.until;
    pair.approach = growth;
    if (pair.gap > KG_SLOP_MIN * pair.radius || passes(world, a, other, pair.gap)) return false;
    kg_work_acceleration(&world->work, a, acc_a);
    if (b != KG_NONE) kg_work_acceleration(&world->work, b, acc_b);
    else kg_boundary_velocity(world, other, 0, motion[a].x, of_boundary);
    const double *vb = b != KG_NONE ? motion[b].v : of_boundary;
    for (int k = 0; k < 3; ++k) {
        pair.approach += (motion[a].v[k] - vb[k]) * normal[k];
        pair.acceleration += (acc_a[k] - acc_b[k]) * normal[k];
    }
    pair.pull = pull_before(world, a, b, pair.acceleration);
    pair.restitution = kg_contact_material_with(world, a, b, other).restitution;
    return kg_resting_begins(world, &pair, h);
}

/* True when the boundary is, or belongs to, the target of this name, such as a surface. */
static bool is_on(const kugel_world *world, kg_boundary k, kg_boundary_name name)
{
    kg_boundary_name other = kg_boundary_name_of(world, k);
    return other.target == name.target && other.index == name.index;
}

/* Take over the impulses of `from` if it is an ended contact of the same body with another feature
 * of the surface `name`. */
static bool take_over_from(const kugel_world *world, kg_contact *from, kg_boundary_name name,
                           kg_contact *c)
{
    if (from->a != c->a || !from->ended || from->with != KG_WITH_FEATURE ||
        !(from->normal_force > 0) || !is_on(world, from->b, name))
        return false;
    c->normal_force = from->normal_force;
    memcpy(c->friction, from->friction, sizeof c->friction);
    memcpy(c->rolling, from->rolling, sizeof c->rolling);
    from->normal_force = 0;
    return true;
}

/* Contacts with features that began and ended in this tick. */
typedef struct short_contacts {
    /* keys: id of the body and index in the set, ascending; values are unused */
    kg_sort_arrays arrays;
    uint32_t count, next;
} short_contacts;

/* Find them among the contacts up to index `end`. False when out of memory. */
static bool find_short_contacts(kugel_world *world, uint32_t end, short_contacts *found)
{
    const kg_contact_set *set = &world->work.contacts;
    uint32_t from = set->sorted_count;
    *found = (short_contacts){0};
    if (!kg_sort_take(&world->memory, &world->scratch, end - from, &found->arrays)) return false;
    for (uint32_t k = from; k < end; ++k) {
        if (set->items[k].ended && set->items[k].with == KG_WITH_FEATURE)
            found->arrays.keys[found->count++] = (uint64_t)set->items[k].a << 32 | k;
    }
    memset(found->arrays.values, 0, found->count * sizeof *found->arrays.values);
    kg_sort(&found->arrays, found->count);
    return true;
}

/* Take over the impulses of a feature of the same surface whose contact ended because another
 * feature is nearest now: a body that rolls from triangle to triangle keeps its warm start. */
static void take_over_impulses(kugel_world *world, short_contacts *ended, kg_contact *c)
{
    kg_contact_set *set = &world->work.contacts;
    kg_boundary_name name = kg_boundary_name_of(world, c->b);
    uint64_t first = (uint64_t)c->a << 32, last = first | UINT32_MAX, *keys = ended->arrays.keys;
    uint32_t k = kg_contact_set_lower_bound(set->items, set->sorted_count, first);
    for (; k < set->sorted_count && set->items[k].a == c->a; ++k) {
        if (take_over_from(world, &set->items[k], name, c)) return;
    }
    while (ended->next < ended->count && keys[ended->next] < first) ended->next += 1;
    for (k = ended->next; k < ended->count && keys[k] <= last; ++k) {
        if (take_over_from(world, &set->items[(uint32_t)keys[k]], name, c)) return;
    }
}

/* take_over_impulses for contacts that began, which are sorted by key; `before`: number of contacts
 * before them. False when out of memory. */
static bool take_over_all(kugel_world *world, uint32_t before)
{
    kg_contact_set *set = &world->work.contacts;
    kg_scratch_mark mark = kg_scratch_top(&world->scratch);
    short_contacts ended;
    bool ok = find_short_contacts(world, before, &ended);
    for (uint32_t k = before; k < set->count && ok; ++k) {
        if (set->items[k].with == KG_WITH_FEATURE)
            take_over_impulses(world, &ended, &set->items[k]);
    }
    kg_scratch_release(&world->memory, &world->scratch, mark);
    return ok;
}

typedef struct addition {
    kugel_world *world;
    double start; /* s, of the substep in the tick */
} addition;

/* Begin a contact (a beginning_visit). False when out of memory. */
static bool add_contact(void *context, const kg_contact *c)
{
    const addition *add = context;
    kugel_world *world = add->world;
    kugel_touch touch = kg_contact_touch_event(world, c, add->start);
    keep_load(world, world->bodies.slot[c->a]);
    if (c->with == KG_WITH_BODY) keep_load(world, world->bodies.slot[c->b]);
    if (!kg_resting_begin_contact(world, c)) return false;
    kg_sleep_mark_woken(&world->work, world->bodies.slot[c->a]);
    if (c->with == KG_WITH_BODY) kg_sleep_mark_woken(&world->work, world->bodies.slot[c->b]);
    return kg_contact_set_add(&world->memory, &world->work.contacts, *c) &&
           kg_resting_report_begin(world, c, &touch);
}

/* True only when the pair does not touch: a conservative test without a square root, because most
 * neighbours are farther apart. */
KG_INLINE bool is_apart(const kugel_world *world, uint32_t a, uint32_t b, uint32_t image)
{
    if (image != KG_IMAGE_NONE) return false;
    const kg_motion *ma = &world->work.motion[a], *mb = &world->work.motion[b];
    double dx = mb->x[0] - ma->x[0], dy = mb->x[1] - ma->x[1], dz = mb->x[2] - ma->x[2];
    double reach = ma->radius + mb->radius + KG_SLOP_MIN * kg_min(ma->radius, mb->radius);
    return dx * dx + dy * dy + dz * dz > reach * reach * (1 + 1e-9);
}

/* True for a body beside which a sleeping body sleeps on. */
static bool is_still(const kugel_world *world, uint32_t i)
{
    const kg_work *work = &world->work;
    return kg_sleep_slept(work, i) ||
           (world->bodies.mass[i] == 0 && kg_sleep_is_motionless(work, i));
}

/* True if one of two bodies was asleep at the start of the substep, and the other does not move. */
KG_INLINE bool sleeps_on(const kugel_world *world, uint32_t i, uint32_t j)
{
    return (kg_sleep_slept(&world->work, i) && is_still(world, j)) ||
           (kg_sleep_slept(&world->work, j) && is_still(world, i));
}

/* True when body i tests this neighbour: the pair does not rest, the other body does not test it,
 * and they may touch. */
KG_INLINE bool is_candidate(const kugel_world *world, uint32_t i, uint32_t neighbour)
{
    uint32_t j = neighbour & KG_NEIGHBOUR_SLOT;
    return !(neighbour & KG_NEIGHBOUR_RESTING) && !kg_other_tests_pair(world, i, j) &&
           !is_apart(world, i, j, neighbour >> KG_NEIGHBOUR_IMAGE_SHIFT) && !sleeps_on(world, i, j);
}

static bool is_beginning_pair(const kugel_world *world, uint32_t i, uint32_t j, double h)
{
    bool lower = world->bodies.id[i] < world->bodies.id[j];
    return is_beginning(world, lower ? i : j, lower ? j : i, KG_WITH_BODY, h);
}

/* Walls near body i that it does not rest on; none for an immovable or sleeping body. */
static kg_boundary_set boundaries_not_in_contact(const kugel_world *world, uint32_t i)
{
    if (kg_sleep_slept(&world->work, i)) return 0;
    kg_boundary_set near = kg_neighbours_boundaries(world, i) & ~world->work.resting_boundaries[i];
    return near && world->bodies.mass[i] > 0 ? near & kg_boundary_solid(world) : 0;
}

/* The features that a search has found for the near triangles of one body. */
typedef struct found_features {
    kg_mesh_last_sharp sharp;
    kg_boundary last; /* the last feature; 0, which is no feature: none */
} found_features;

/* True when body i rests on the facet of a triangle and is over the triangle: then it begins to
 * rest on no other part of the triangle. */
static bool rests_over(const kugel_world *world, uint32_t i, uint32_t triangle)
{
    const kg_motion *m = &world->work.motion[i];
    kg_boundary facet = kg_boundary_facet(world, triangle);
    const kg_resting_feature *item =
        kg_resting_features_find(&world->work.resting_features, i, facet);
    double normal[3];
    if (!item) return false;
    return kg_boundary_is_unbounded(world, triangle) ||
           (kg_resting_feature_is_measured_at(item, m->x) &&
            kg_boundary_is_whole_facet(world, triangle)) ||
           kg_boundary_facet_gap(world, facet, triangle, m->x, m->radius, normal) < KG_NEVER;
}

/* True when body i begins to rest on a near triangle; `*k` is the feature of the triangle that it
 * rests on. False, too, for the last feature again: many triangles may have an edge or vertex in
 * common. */
static bool is_beginning_on_triangle(const kugel_world *world, uint32_t i, uint32_t triangle,
                                     double h, found_features *found, kg_boundary *k)
{
    const kg_motion *m = &world->work.motion[i];
    double reach = m->radius * (1 + KG_SLOP_MIN);
    if (kg_sleep_slept(&world->work, i) && !kg_boundary_surface(world, triangle)->moves)
        return false;
    if (rests_over(world, i, triangle)) return false;
    if (!kg_boundary_nearest(world, triangle, m->x, reach, &found->sharp, k) || *k == found->last)
        return false;
    found->last = *k;
    return !kg_work_rests_on(&world->work, i, *k) && is_beginning(world, i, KG_NONE, *k, h) &&
           !(kg_boundary_is_curved(world, *k) && kg_neighbours_is_hidden(world, i, *k, 0, m->x));
}

/* Near triangles that body i may touch. Immovable bodies have none. */
static kg_near_triangles triangles_in_reach(const kugel_world *world, uint32_t i)
{
    const kg_motion *m = &world->work.motion[i];
    return kg_neighbours_triangles_within(world, i, m->x, m->radius * (1 + KG_SLOP_MIN));
}

/* Called with each contact that begins; returns false to stop. */
typedef bool beginning_visit(void *context, const kg_contact *contact);

/* Visit the contacts of body i that begin. A pair is visited for one of its two bodies. False when
 * `visit` stops. */
KG_INLINE bool visit_beginning(const kugel_world *world, uint32_t i, double h,
                               beginning_visit *visit, void *context)
{
    uint32_t id = world->bodies.id[i];
    kg_boundary k;
    kg_candidates candidates;
    KG_ASSERT(world->grid->cell_lists.used || kg_grid_is_unlisted(world->grid, i) ||
              kg_grid_is_in_list_range(world->grid, i, world->work.motion[i].x));
    kg_candidates_begin(&candidates, world, i);
    for (const kg_list_node *node; (node = kg_candidates_next(&candidates));) {
        for (uint32_t n = 0; n < node->count; ++n) {
            uint32_t neighbour = node->neighbour[n], j = neighbour & KG_NEIGHBOUR_SLOT;
            if (!is_candidate(world, i, neighbour) || !is_beginning_pair(world, i, j, h)) continue;
            uint32_t other = world->bodies.id[j];
            kg_contact contact = {
                .a = id < other ? id : other, .b = id < other ? other : id, .with = KG_WITH_BODY};
            if (!visit(context, &contact)) return false;
        }
    }
    for (kg_boundary_set near = boundaries_not_in_contact(world, i); near;) {
        k = kg_boundary_set_take(&near);
        if (!is_beginning(world, i, KG_NONE, k, h)) continue;
        kg_contact contact = {.a = id, .b = k, .with = kg_boundary_contact_with(k)};
        if (!visit(context, &contact)) return false;
    }
    if (!world->surfaces.count) return true;
    kg_near_triangles near = triangles_in_reach(world, i);
    found_features found = {0};
    for (uint32_t triangle; kg_near_triangles_next(&near, &triangle);) {
        if (!is_beginning_on_triangle(world, i, triangle, h, &found, &k)) continue;
        kg_contact contact = {.a = id, .b = k, .with = kg_boundary_contact_with(k)};
        if (!visit(context, &contact)) return false;
    }
    return true;
}

static bool stop(void *context, const kg_contact *contact)
{
    (void)context, (void)contact;
    return false;
}

KG_INLINE void mark_beginning(kugel_world *world, uint32_t from, uint32_t to, double h)
{
    for (uint32_t i = from; i < to; ++i) {
        bool active = kg_grid_is_active(world->grid, i);
        world->contact->marks[i] = active && !visit_beginning(world, i, h, stop, NULL);
    }
}

KG_RANGE_VARIANTS(mark_beginning)

static uint64_t begun_key(const void *item, int part)
{
    (void)part;
    return kg_contact_set_key(item);
}

kugel_status kg_contact_find_new(kugel_world *world, double h, double start)
{
    uint32_t before = world->work.contacts.count;
    addition add = {world, start};
    kg_grid_find_falling_active(world, h);
    if (!kg_solver_bodies_reserve(world)) return KUGEL_ERROR_OUT_OF_MEMORY;
    memset(world->contact->load_before, LOAD_PRESENT, world->bodies.count);
    kg_for_bodies(world, KG_WIDEST(mark_beginning), h);
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (world->contact->marks[i] && !visit_beginning(world, i, h, add_contact, &add))
            return KUGEL_ERROR_OUT_OF_MEMORY;
    }
    uint32_t begun_count = world->work.contacts.count - before;
    if (!begun_count) return KUGEL_OK;
    kg_contact *begun = world->work.contacts.items + before;
    if (!kg_sort_items(&world->memory, &world->scratch, begun, sizeof *begun, begun_count, 1,
                       begun_key))
        return KUGEL_ERROR_OUT_OF_MEMORY;
    return world->surfaces.count && !take_over_all(world, before) ? KUGEL_ERROR_OUT_OF_MEMORY
                                                                  : KUGEL_OK;
}
