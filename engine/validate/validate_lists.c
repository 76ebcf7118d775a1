/* Claims about neighbours, against tests of all bodies: lists and cells lack no pair, near
 * boundaries and triangles no boundary, and inactive bodies meet nothing. */
#include "validate/claims.h"

#ifdef KG_ASSERTIONS
#include "events/events_sort.h"
#include "geometry/sweep_linear.h"
#include "grid/neighbour_lists.h"
#include "impact/subdomain_data.h"
#include "sensors/sensor_pair.h"
#include "sensors/sensors.h"
#include "world/pair_filter.h"
#include "world/periodic.h"
#include "world/sleep_state.h"

/* Margin for rounding, as a share of a length. */
static const double margin = 1e-9;

/* The items of a slot's list for a neighbour, given without the resting flag. */
typedef struct list_items {
    uint32_t count, last;
} list_items;

static list_items find_items(const kg_grid *grid, uint32_t slot, uint32_t neighbour)
{
    list_items found = {0, 0};
    for (uint32_t c = slot; c != KG_NONE; c = grid->nodes[c].next) {
        for (uint32_t k = 0; k < grid->nodes[c].count; ++k) {
            uint32_t item = grid->nodes[c].neighbour[k];
            if ((item & ~KG_NEIGHBOUR_RESTING) != neighbour) continue;
            found.count += 1;
            found.last = item;
        }
    }
    return found;
}

/* Two bodies that can meet within their skins list each other, in this image. */
static bool check_listed(const kugel_world *world, uint32_t a, uint32_t b, uint32_t image,
                         kg_fault *fault)
{
    const kg_grid *grid = world->grid;
    double offset[3], d[3];
    kg_image_offset(grid->lattice, image, offset);
    for (int k = 0; k < 3; ++k) d[k] = grid->origin[b].x[k] - grid->origin[a].x[k] + offset[k];
    double radii = (double)grid->origin[a].radius + (double)grid->origin[b].radius,
           reach = (radii + 2 * grid->skin) * (1 - margin);
    if (kg_dot3(d, d) >= reach * reach || !kg_grid_may_collide(world, a, b)) return true;
    uint32_t neighbour = b | image << KG_NEIGHBOUR_IMAGE_SHIFT;
    list_items of_a = find_items(grid, a, neighbour),
               of_b = find_items(grid, b, kg_list_reverse(a, neighbour));
    KG_CLAIM(of_a.count && of_b.count, "lists lack no pair: ids %u, %u, image %u",
             world->bodies.id[a], world->bodies.id[b], image);
    KG_CLAIM(of_a.count == 1 && of_b.count == 1, "lists have a pair once: ids %u, %u, image %u",
             world->bodies.id[a], world->bodies.id[b], image);
    if (!kg_validate_in_step(world)) return true;
    bool rests =
        kg_contact_set_has_pair(&world->work.contacts, world->bodies.id[a], world->bodies.id[b]);
    KG_CLAIM((of_a.last & KG_NEIGHBOUR_RESTING) == (rests ? KG_NEIGHBOUR_RESTING : 0),
             "lists mark resting pairs: ids %u, %u", world->bodies.id[a], world->bodies.id[b]);
    return true;
}

/* The body lists each body that it can meet. A pair filter is not asked. */
static bool check_list(const kugel_world *world, uint32_t a, kg_fault *fault)
{
    const kg_grid *grid = world->grid;
    kg_images images = kg_lattice_images(grid->lattice);
    if (world->pair_filter.decide || kg_grid_is_unlisted(grid, a)) return true;
    for (uint32_t b = 0; b < kg_world_present(world); ++b) {
        for (uint32_t k = 0; k < images.count && b != a && !kg_grid_is_unlisted(grid, b); ++k) {
            if (!check_listed(world, a, b, images.code[k], fault)) return false;
        }
    }
    return true;
}

/* Each node is in one list or in the free list. */
static bool check_nodes(const kugel_world *world, kg_fault *fault)
{
    const kg_grid *grid = world->grid;
    uint32_t nodes = 0;
    for (uint32_t i = 0; i < kg_world_present(world); ++i) {
        for (uint32_t c = i; c != KG_NONE && nodes <= grid->node_count; c = grid->nodes[c].next) {
            nodes += 1;
            KG_CLAIM(c < grid->node_count && grid->nodes[c].count <= KG_NODE_NEIGHBOURS,
                     "list nodes exist: id %u", world->bodies.id[i]);
        }
    }
    for (uint32_t c = grid->free_node; c != KG_NONE && nodes <= grid->node_count;
         c = grid->nodes[c].next)
        nodes += 1;
    KG_CLAIM(nodes == grid->node_count, "a list node is in one list or free: %u of %u", nodes,
             grid->node_count);
    return true;
}

static bool check_unlisted(const kugel_world *world, kg_fault *fault)
{
    const kg_grid *grid = world->grid;
    uint32_t unlisted = 0;
    for (uint32_t i = 0; i < kg_world_present(world); ++i) unlisted += kg_grid_is_unlisted(grid, i);
    KG_CLAIM(unlisted == grid->unlisted_count, "bodies without a list are in `unlisted`: %u of %u",
             grid->unlisted_count, unlisted);
    for (uint32_t k = 0; k < grid->unlisted_count; ++k)
        KG_CLAIM(kg_grid_is_unlisted(grid, grid->unlisted[k]),
                 "`unlisted` has no other body: id %u", world->bodies.id[grid->unlisted[k]]);
    return true;
}

/* The list range that a body at `x` has left, m; below 0 outside. */
static double range_left(const kugel_world *world, uint32_t i, const double x[3])
{
    const kg_grid *grid = world->grid;
    return kg_grid_list_displacement(grid) - sqrt(kg_squared_distance3(x, grid->origin[i].x));
}

/* Each boundary that the body can reach in its skin is near. */
static bool check_boundaries(const kugel_world *world, uint32_t i, kg_fault *fault)
{
    double x[3], left;
    kg_validate_place(world, i, x);
    left = range_left(world, i, x) - margin * kg_max_abs3(x);
    kg_boundary_set far = kg_boundary_all(world) & ~world->grid->near_boundaries[i];
    while (far && left > 0) {
        kg_boundary k = kg_boundary_set_take(&far);
        double radius = kg_boundary_is_periodic(world, k) ? 0 : world->bodies.radius[i];
        KG_CLAIM(kg_boundary_gap(world, k, 0, x, radius) > left,
                 "near boundaries are complete: id %u, boundary %u", world->bodies.id[i], k);
    }
    return true;
}

static bool is_near(const kugel_world *world, uint32_t i, const double x[3], uint32_t triangle)
{
    kg_near_triangles near = kg_neighbours_triangles_within(world, i, x, world->bodies.radius[i]);
    for (uint32_t number; kg_near_triangles_next(&near, &number);) {
        if (number & KG_WHOLE_FACET
                ? kg_boundary_facet(world, number) == kg_boundary_facet(world, triangle)
                : number == triangle)
            return true;
    }
    return false;
}

/* True if the triangle, counted from the first one of its surface, has a part that acts. */
static bool acts(const kg_surface *surface, uint32_t local)
{
    return kg_surface_is_solid(surface) || surface->mesh.collidable[local];
}

/* Each triangle that the body touches is near. Surfaces that move are left out: their poses belong
 * to the substep. */
static bool check_triangles(const kugel_world *world, uint32_t i, kg_fault *fault)
{
    const kg_surfaces *set = &world->surfaces;
    double x[3];
    kg_validate_place(world, i, x);
    if (set->moving_count || world->bodies.mass[i] == 0 || range_left(world, i, x) <= 0)
        return true;
    for (uint32_t k = 0; k < set->end; ++k) {
        const kg_surface *surface = &set->items[k];
        uint32_t count = surface->used ? kg_surface_number_count(surface) : 0;
        if (count > KG_VALIDATED_PAIRS || !count ||
            !kg_pair_filter_meets_surface(world, i, surface))
            continue;
        for (uint32_t t = surface->first_triangle; t < surface->first_triangle + count; ++t) {
            if (!acts(surface, t - surface->first_triangle) ||
                kg_boundary_distance(world, t, x) > world->bodies.radius[i] * (1 - margin))
                continue;
            KG_CLAIM(is_near(world, i, x, t), "near triangles are complete: id %u, triangle %u",
                     world->bodies.id[i], t);
        }
    }
    return true;
}

static bool check_verlet(const kugel_world *world, kg_fault *fault)
{
    uint32_t from, to, n = kg_world_present(world);
    kg_validate_choose(world, n * kg_lattice_images(world->grid->lattice).count, &from, &to);
    if (!check_unlisted(world, fault) || !check_nodes(world, fault)) return false;
    for (uint32_t i = from; i < to; ++i) {
        if (!check_list(world, i, fault) || !check_boundaries(world, i, fault)) return false;
        if (world->surfaces.count && !kg_grid_is_unlisted(world->grid, i) &&
            !check_triangles(world, i, fault))
            return false;
    }
    return true;
}

/* A body is once in its cell, or in the overflow; an oversized body in neither. */
static bool check_cell(const kugel_world *world, uint32_t i, kg_fault *fault)
{
    const kg_cell_lists *c = &world->grid->cell_lists;
    const kg_body_cell *at = &c->body_cell[i];
    uint32_t found = 0, z = kg_cell_coordinate(at->cell, 2);
    KG_CLAIM(at->index == kg_cell_index(c, at->cell), "the index is that of the cell: id %u",
             world->bodies.id[i]);
    const uint32_t *cell = kg_cell_layer(world, z)[at->index - z * kg_cell_layer_size(c)];
    for (int k = 0; k < KG_CELL_CAPACITY; ++k) {
        found += cell[k] == (i | KG_NEIGHBOUR_NO_IMAGE);
        KG_CLAIM(!k || cell[k] == KG_NONE || cell[k - 1] != KG_NONE, "cells have no gaps: id %u",
                 world->bodies.id[i]);
    }
    for (uint32_t k = 0; k < c->overflow_count; ++k) found += c->overflow[k] == i;
    KG_CLAIM(found == !kg_cell_lists_is_oversized(c, i), "a body is once in its cell: id %u, %u",
             world->bodies.id[i], found);
    return true;
}

/* Between steps: the centre is in the cell. */
static bool check_cell_place(const kugel_world *world, uint32_t i, kg_fault *fault)
{
    double x[3];
    kg_validate_place(world, i, x);
    KG_CLAIM(kg_cell_lists_is_in_cell(&world->grid->cell_lists, i, x),
             "a centre is in its cell: id %u", world->bodies.id[i]);
    return true;
}

/* Between steps: the body finds in its cells each body that it touches. */
static bool check_cell_neighbours(const kugel_world *world, uint32_t a, kg_fault *fault)
{
    const kg_cell_lists *c = &world->grid->cell_lists;
    const kg_bodies *bodies = &world->bodies;
    uint32_t around[KG_CELL_NEIGHBOURS_MAX];
    if (kg_cell_lists_is_oversized(c, a)) return true;
    uint32_t count = kg_cell_lists_neighbours(c, a, around);
    for (uint32_t b = 0; b < c->rows; ++b) {
        double d2 = 0, reach = (bodies->radius[a] + bodies->radius[b]) * (1 - margin);
        for (int k = 0; k < 3; ++k) {
            double d = kg_periodic_nearest_image(world, k, bodies->x[k][b] - bodies->x[k][a]);
            d2 += d * d;
        }
        bool found = a == b || d2 >= reach * reach;
        for (uint32_t k = 0; k < count && !found; ++k) found = (around[k] & KG_NEIGHBOUR_SLOT) == b;
        KG_CLAIM(found, "cells lack no pair: ids %u, %u", bodies->id[a], bodies->id[b]);
    }
    return true;
}

static bool check_cells(const kugel_world *world, kg_fault *fault)
{
    const kg_cell_lists *c = &world->grid->cell_lists;
    uint32_t from, to;
    kg_validate_choose(world, kg_world_present(world), &from, &to);
    for (uint32_t i = from; i < to && i < c->rows && !c->abandon; ++i) {
        if (!check_cell(world, i, fault)) return false;
        if (kg_validate_in_step(world)) continue;
        if (!check_cell_place(world, i, fault) ||
            (!c->in_subdomains && !check_cell_neighbours(world, i, fault)))
            return false;
    }
    return true;
}

bool kg_validate_lists(const kugel_world *world, kg_fault *fault)
{
    if (!kg_neighbours_valid(world)) return true;
    return world->grid->cell_lists.used ? check_cells(world, fault) : check_verlet(world, fault);
}

/* An upper bound of the path of a body without events, m. */
static double path_of(const kugel_world *world, uint32_t i)
{
    double a[3], h = world->work.substep_length;
    kg_work_acceleration(&world->work, i, a);
    return (kg_length3(world->work.motion[i].v) + 0.5 * kg_length3(a) * h) * h;
}

static bool is_inactive(const kugel_world *world, uint32_t i)
{
    return !kg_grid_is_active(world->grid, i) && world->work.motion[i].clock == 0;
}

static bool check_inactive_pair(const kugel_world *world, uint32_t a, uint32_t b, kg_fault *fault)
{
    const kg_motion *m = &world->work.motion[a], *n = &world->work.motion[b];
    const kg_bodies *bodies = &world->bodies;
    double d[3], path = path_of(world, a) + path_of(world, b), reach = m->radius + n->radius + path;
    bool asleep =
        world->work.sleep_state[a] == KG_ASLEEP && world->work.sleep_state[b] == KG_ASLEEP;
    for (int k = 0; k < 3; ++k) d[k] = kg_periodic_nearest_image(world, k, n->x[k] - m->x[k]);
    double apart = kg_length3(d) + margin * (reach + kg_max_abs3(m->x));
    KG_CLAIM(apart >= reach || asleep || !is_inactive(world, b) ||
                 !kg_grid_may_collide(world, a, b) ||
                 kg_contact_set_has_pair(&world->work.contacts, bodies->id[a], bodies->id[b]),
             "inactive bodies do not meet: ids %u, %u", bodies->id[a], bodies->id[b]);
    return true;
}

static bool check_inactive_body(const kugel_world *world, uint32_t a, kg_fault *fault)
{
    const kg_motion *m = &world->work.motion[a];
    double path = path_of(world, a) - margin * (m->radius + kg_max_abs3(m->x));
    for (uint32_t b = 0; b < kg_world_present(world); ++b) {
        if (b != a && !check_inactive_pair(world, a, b, fault)) return false;
    }
    kg_boundary_set solid = kg_boundary_solid(world) & ~world->work.resting_boundaries[a];
    while (solid && world->bodies.mass[a] > 0) {
        kg_boundary k = kg_boundary_set_take(&solid);
        KG_CLAIM(kg_boundary_gap(world, k, 0, m->x, m->radius) >= path,
                 "inactive bodies meet no boundary: id %u, %u", world->bodies.id[a], k);
    }
    return true;
}

bool kg_validate_inactive(const kugel_world *world, kg_fault *fault)
{
    uint32_t from, to;
    if (world->grid->cell_lists.used || !kg_neighbours_valid(world) || world->pair_filter.decide)
        return true;
    kg_validate_choose(world, world->bodies.count, &from, &to);
    for (uint32_t a = from; a < to; ++a) {
        KG_CLAIM(world->work.sleep_state[a] != KG_ASLEEP ||
                     world->work.frame[a] == KG_FRAME_INERTIAL,
                 "a sleeping body does not accelerate: id %u", world->bodies.id[a]);
        if (is_inactive(world, a) && world->work.sleep_state[a] != KG_ASLEEP &&
            !check_inactive_body(world, a, fault))
            return false;
    }
    return true;
}

bool kg_validate_sensors(const kugel_world *world, kg_fault *fault)
{
    const kg_sensors *set = world->sensors;
    for (uint32_t k = 0; k < set->boxed_count; ++k) {
        const kg_tree_item *box = &set->boxes.items[k];
        uint32_t s = set->items[box->number].number;
        if (kg_sensor_is_surface(s)) continue;
        const kg_motion *m = &world->work.motion[s];
        double end[3];
        kg_work_position_at(&world->work, s, world->work.substep_length, end);
        for (int axis = 0; axis < 3; ++axis)
            KG_CLAIM((double)box->low[axis] <= kg_min(m->x[axis], end[axis]) - m->radius &&
                         (double)box->high[axis] >= kg_max(m->x[axis], end[axis]) + m->radius,
                     "boxes hold the paths of sensors: id %u", world->bodies.id[s]);
    }
    return true;
}

bool kg_validate_events(const kugel_world *world, kg_fault *fault)
{
    const kg_event_set *set = &world->events.published;
#define KG_IN_ORDER(events, count)                                                                 \
    for (size_t k = 1; k < set->count; ++k)                                                        \
    KG_CLAIM(set->events[k - 1].time <= set->events[k].time, #events " are in the order of time")
    KG_IN_ORDER(impacts, impact_count);
    KG_IN_ORDER(begins, begin_count);
    KG_IN_ORDER(ends, end_count);
    KG_IN_ORDER(rests[KG_REST_SLEEP], rest_count[KG_REST_SLEEP]);
    KG_IN_ORDER(rests[KG_REST_WAKE], rest_count[KG_REST_WAKE]);
    KG_IN_ORDER(sensor_events, sensor_event_count);
    for (size_t k = 1; k < set->sum_count; ++k)
        KG_CLAIM(kg_events_compare_sums(&set->sums[k - 1], &set->sums[k]) < 0,
                 "sums of impulses have one row for each pair, in order");
    return true;
}
#endif
