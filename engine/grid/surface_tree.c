/* Surfaces by place, so that a body finds those in reach without testing all.
 * In: surfaces, how long near triangles hold. Out: grid->surfaces, a balanced tree without
 * pointers: the middle node of a range has the box of the whole range, in front of it and behind it
 * are its two parts. Cost: O(n log n) to build; O(log n) for a body with few surfaces around it. A
 * spinning surface is everywhere. Order: of no meaning, as near triangles are sorted. */
#include "base/vec.h"
#include "grid/grid.h"

/* Rounding of lengths and of coordinates, with a margin. */
#define LENGTH_ROUNDING 1e-9
#define PLACE_ROUNDING 1e-14

static double middle(const kg_surface_node *node, int axis)
{
    return node->low[axis] + node->high[axis];
}

/* How far the surface can be from its origin of now while near triangles hold, m. */
static double reach_of(const kg_surface *surface, double lasts)
{
    if (!kg_is_zero3(surface->spin)) return KG_VALUE_LIMIT;
    double reach = kg_surface_extent(surface) + kg_length3(surface->velocity) * lasts;
    if (!kg_surface_is_solid(surface)) reach += kg_mesh_facet_thickness(&surface->mesh);
    return reach;
}

static uint32_t set_nodes(const kugel_world *world, kg_surface_node *nodes)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < kg_surfaces_end(&world->surfaces); ++k) {
        const kg_surface *surface = kg_surfaces_at(&world->surfaces, k);
        if (!surface->used) continue;
        kg_surface_node *node = &nodes[count++];
        double reach = reach_of(surface, world->grid->near_lasts);
        node->surface = k;
        for (int axis = 0; axis < 3; ++axis) {
            double at = surface->pose.origin[axis],
                   wide = reach * (1 + LENGTH_ROUNDING) + PLACE_ROUNDING * kg_abs(at);
            node->low[axis] = at - wide;
            node->high[axis] = at + wide;
        }
    }
    return count;
}

static int longest_axis(const kg_surface_node *nodes, uint32_t count)
{
    double length[3];
    for (int axis = 0; axis < 3; ++axis) {
        double low = middle(&nodes[0], axis), high = low;
        for (uint32_t i = 1; i < count; ++i) {
            double x = middle(&nodes[i], axis);
            low = x < low ? x : low;
            high = kg_max(high, x);
        }
        length[axis] = high - low;
    }
    int axis = length[1] > length[0] ? 1 : 0;
    return length[2] > length[axis] ? 2 : axis;
}

/* Nodes before the k-th get middles that are not greater, those behind it not less (C. A. R. Hoare,
 * "Algorithm 65: find", CACM 4(7), 1961). */
static void partition(kg_surface_node *nodes, uint32_t count, uint32_t k, int axis)
{
    int64_t low = 0, high = (int64_t)count - 1, wanted = k;
    while (low < high) {
        double pivot = middle(&nodes[wanted], axis);
        int64_t i = low, j = high;
        while (i <= j) {
            while (middle(&nodes[i], axis) < pivot) ++i;
            while (middle(&nodes[j], axis) > pivot) --j;
            if (i > j) break;
            kg_surface_node other = nodes[i];
            nodes[i++] = nodes[j];
            nodes[j--] = other;
        }
        if (j < wanted) low = i;
        if (i > wanted) high = j;
    }
}

static void grow(kg_surface_node *node, const kg_surface_node *by)
{
    for (int axis = 0; axis < 3; ++axis) {
        node->low[axis] = by->low[axis] < node->low[axis] ? by->low[axis] : node->low[axis];
        node->high[axis] = kg_max(node->high[axis], by->high[axis]);
    }
}

static void build(kg_surface_node *nodes, uint32_t count)
{
    uint32_t k = count / 2, behind = count - k - 1;
    if (count < 2) return;
    partition(nodes, count, k, longest_axis(nodes, count));
    build(nodes, k);
    grow(&nodes[k], &nodes[k / 2]);
    if (!behind) return;
    build(nodes + k + 1, behind);
    grow(&nodes[k], &nodes[k + 1 + behind / 2]);
}

bool kg_surface_tree_build(kugel_world *world)
{
    kg_grid *grid = world->grid;
    if (!KG_RESERVE(&world->memory, &grid->columns[KG_GRID_COLUMN_SURFACES], grid->surfaces,
                    kg_surfaces_end(&world->surfaces), 0))
        return false;
    grid->surface_count = set_nodes(world, grid->surfaces);
    build(grid->surfaces, grid->surface_count);
    return true;
}

static bool is_near(const kg_surface_node *node, const double point[3], double reach)
{
    for (int axis = 0; axis < 3; ++axis) {
        double x = point[axis], wide = reach * (1 + LENGTH_ROUNDING) + PLACE_ROUNDING * kg_abs(x);
        if (x + wide < node->low[axis] || x - wide > node->high[axis]) return false;
    }
    return true;
}

static bool visit_range(const kg_surface_node *nodes, uint32_t count, const double point[3],
                        double reach, kg_surface_visit *visit, void *context)
{
    while (count) {
        uint32_t k = count / 2;
        if (!is_near(&nodes[k], point, reach)) return true;
        if (!visit(context, nodes[k].surface) ||
            !visit_range(nodes, k, point, reach, visit, context))
            return false;
        nodes += k + 1;
        count -= k + 1;
    }
    return true;
}

bool kg_surface_tree_visit(const kg_grid *grid, const double point[3], double reach,
                           kg_surface_visit *visit, void *context)
{
    return visit_range(grid->surfaces, grid->surface_count, point, reach, visit, context);
}
