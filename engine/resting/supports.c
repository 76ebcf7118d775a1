/* Finds what supports a body: the boundaries that it rests on, then immovable bodies (mass 0), by
 * id.
 * In: resting contacts, neighbour lists, motions. Out: normals and speeds of the supports. Cost:
 * one neighbour list, or all bodies for an unlisted body. Bodies in cell lists have no supports. */
#include "resting/supports.h"

#include "base/vec.h"
#include "world/locks.h"
#include "world/periodic.h"

/* Largest distance of the centres of a body and its support, as a multiple of the sum of their
 * radii. A contact that opened in this substep is still in the contact set, but its bodies are
 * farther apart. */
static const double contact_reach = 1 + KG_SUPPORT_GAP;
enum { SWEEPS_MAX = 50 };
static void add_boundary(const kugel_world *world, uint32_t i, uint32_t k, double t,
                         kg_supports *all)
{
    kg_support s = {.boundary = k};
    double into[3], p[3], v[3];
    if (all->count == KG_SUPPORTS_MAX) return;
    kg_work_position_at(&world->work, i, t, p);
    double distance = kg_boundary_measure(world, k, t, p, 0, into);
    kg_set3(s.normal, -into[0], -into[1], -into[2]);
    if (!(distance < contact_reach * world->bodies.radius[i])) return;
    kg_boundary_velocity(world, k, t, p, v);
    s.speed = kg_dot3(v, s.normal);
    all->items[all->count++] = s;
}

/* Free place `at` for a body: move the later supports up. When all places are full, drop the last
 * support. */
static kg_support *insert_support(kg_supports *all, uint32_t at)
{
    all->count += all->count < KG_SUPPORTS_MAX;
    for (uint32_t k = all->count - 1; k > at; --k) all->items[k] = all->items[k - 1];
    return &all->items[at];
}

/* Add body j once. A list may hold several periodic images of body j; the resting contact is with
 * the nearest image. */
static void add_body(const kugel_world *world, uint32_t i, uint32_t j, double t, kg_supports *all)
{
    uint32_t id = world->bodies.id[j], at = all->count;
    double p[3], q[3], d[3], v[3],
        reach = contact_reach * (world->bodies.radius[i] + world->bodies.radius[j]);
    kg_work_position_at(&world->work, i, t, p);
    kg_work_position_at(&world->work, j, t, q);
    for (int x = 0; x < 3; ++x) d[x] = kg_periodic_nearest_image(world, x, p[x] - q[x]);
    double distance2 = kg_dot3(d, d);
    if (!(distance2 > 0 && distance2 < reach * reach)) return;
    all->any_movable |= world->bodies.mass[j] != 0;
    if (world->bodies.mass[j] != 0) return;
    while (at > all->boundary_count && all->items[at - 1].id > id) --at;
    if (at == KG_SUPPORTS_MAX || (at > all->boundary_count && all->items[at - 1].id == id)) return;
    kg_support *s = insert_support(all, at);
    double length = sqrt(distance2);
    kg_work_velocity_at(&world->work, j, t, v);
    s->id = id;
    s->boundary = KG_WITH_BODY;
    kg_set3(s->normal, d[0] / length, d[1] / length, d[2] / length);
    s->speed = kg_dot3(v, s->normal);
}

static void add_resting(const kugel_world *world, uint32_t i, double t, kg_supports *all)
{
    kg_candidates candidates;
    kg_candidates_begin(&candidates, world, i);
    for (const kg_list_node *node; (node = kg_candidates_next(&candidates));) {
        for (uint32_t k = 0; k < node->count; ++k) {
            if (node->neighbour[k] & KG_NEIGHBOUR_RESTING)
                add_body(world, i, node->neighbour[k] & KG_NEIGHBOUR_SLOT, t, all);
        }
    }
}

/* What supports a body with locks acts along the free part of its normal. */
static void project_normals(uint32_t locks, kg_supports *all)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < all->count; ++k) {
        kg_support *s = &all->items[k];
        double length = kg_locks_direct(locks, s->normal);
        if (length == 0) continue;
        s->speed /= length;
        all->items[kept++] = *s;
    }
    all->count = kept;
}

void kg_supports_find(const kugel_world *world, uint32_t slot, double t, kg_supports *all)
{
    uint32_t boundaries = 0;
    all->count = 0;
    all->any_movable = false;
    kg_resting_iterator on = kg_work_resting(&world->work, slot);
    for (kg_boundary k; kg_resting_iterator_next(&on, &k); ++boundaries)
        add_boundary(world, slot, k, t, all);
    all->boundary_count = all->count;
    if (world->work.contact_count[slot] != boundaries) add_resting(world, slot, t, all);
    uint32_t locks = world->work.any_locks ? kg_locks_of(&world->bodies, slot) : 0;
    if (locks) project_normals(locks, all);
}

bool kg_supports_are_immovable(const kugel_world *world, uint32_t slot, double t)
{
    kg_supports all;
    kg_supports_find(world, slot, t, &all);
    return all.count && !all.any_movable;
}

double kg_supports_tolerance(const double a[3], const double v[3], double h)
{
    return kg_increment_tolerance * kg_length3(a) * h + kg_speed_tolerance * kg_length3(v);
}

static bool is_parting(const kg_support *s, const double v[3], double tolerance)
{
    return kg_dot3(v, s->normal) - s->speed > tolerance;
}

bool kg_supports_any_parting(const kg_supports *all, const double v[3], double tolerance)
{
    bool any = false;
    for (uint32_t k = 0; k < all->count; ++k) any |= is_parting(&all->items[k], v, tolerance);
    return any;
}

bool kg_supports_all_parting(const kg_supports *all, const double v[3], double tolerance)
{
    bool parts = true;
    for (uint32_t k = 0; k < all->count; ++k) parts &= is_parting(&all->items[k], v, tolerance);
    return parts;
}

void kg_supports_remove_parting(kg_supports *all, const double v[3], double tolerance)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < all->count; ++k) {
        if (!is_parting(&all->items[k], v, tolerance)) all->items[kept++] = all->items[k];
    }
    all->count = kept;
}

void kg_supports_remove_normal(kg_supports *all, const double normal[3])
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < all->count; ++k) {
        if (!(kg_dot3(all->items[k].normal, normal) > 1 - 1e-9)) all->items[kept++] = all->items[k];
    }
    all->count = kept;
}

void kg_supports_project(kg_supports *all, double a[3])
{
    double a2 = kg_dot3(a, a);
    bool changed = true;
    for (uint32_t k = 0; k < all->count; ++k) all->items[k].press = 0;
    for (int sweep = 0; sweep < SWEEPS_MAX && changed; ++sweep) {
        changed = false;
        for (uint32_t k = 0; k < all->count; ++k) {
            kg_support *s = &all->items[k];
            double press = s->press - kg_dot3(a, s->normal),
                   by = (press > 0 ? press : 0) - s->press;
            kg_add_scaled3(a, a, by, s->normal);
            s->press += by;
            changed = changed || by != 0;
        }
    }
    if (!(kg_dot3(a, a) > 1e-18 * a2)) kg_set3(a, 0, 0, 0); /* an error of the sweeps */
}
