/* The tree of surfaces (surface_tree.h): a tree like that of a mesh, with one surface in each leaf.
 * The order of visits does not affect results: visitors sort what they find. */
#include "world/surface_tree.h"

#include "base/assert.h"
#include "base/constants.h"
#include "base/vec.h"
#include "geometry/sweep_linear.h"

/* Margins: a share of lengths and a share of coordinates. They are above rounding, the tolerances
 * of features, and the distance at which kg_shape_meets counts solids as meeting. */
#define LENGTH_ROUNDING 1e-9
#define PLACE_ROUNDING 1e-12
/* Margin of the reach, as a share of the reach; as in mesh_cast.c. */
#define RADIUS_MARGIN 1e-6

static bool reserve_boxes(kg_memory *memory, kg_surface_boxes *part, uint32_t count, uint32_t keep)
{
    return KG_RESERVE(memory, &part->columns[0], part->boxes.items, count, keep) &&
           KG_RESERVE(memory, &part->columns[1], part->boxes.node, count, keep);
}

bool kg_surface_tree_reserve(kg_memory *memory, kg_surfaces *set, uint32_t count)
{
    if (!set->tree) {
        set->tree = kg_allocate(memory, sizeof *set->tree);
        if (!set->tree) return false;
        *set->tree = (kg_surface_tree){.until = -1};
    }
    kg_surface_tree *tree = set->tree;
    return reserve_boxes(memory, &tree->at_rest, count, set->count) &&
           reserve_boxes(memory, &tree->others, count, set->count) &&
           KG_RESERVE(memory, &tree->column, tree->other, count, tree->other_count);
}

void kg_surface_tree_free(kg_memory *memory, kg_surface_tree *tree)
{
    if (!tree) return;
    kg_columns_free(memory, tree->at_rest.columns, 2);
    kg_columns_free(memory, tree->others.columns, 2);
    kg_column_free(memory, &tree->column);
    kg_free(memory, tree, sizeof *tree);
}

void kg_surface_tree_note_change(kg_surface_tree *tree)
{
    if (!tree) return;
    kg_surface_tree_note_revert(tree);
    tree->rest_is_built = false;
}

void kg_surface_tree_note_moved(kg_surfaces *set, uint32_t index)
{
    kg_surface_tree *tree = set->tree;
    kg_surface_tree_note_revert(tree);
    if (!tree->rest_is_built || !set->items[index].rests) return;
    set->items[index].rests = false;
    tree->other[tree->other_count++] = index;
}

void kg_surface_tree_end_tick(kg_surface_tree *tree, double dt)
{
    double from = tree->from - dt, until = tree->until - dt;
    kg_surface_tree_note_revert(tree);
    tree->from = from, tree->until = until;
}

bool kg_surface_bounding_box(const kg_surface *surface, double time, double low[3], double high[3])
{
    const kg_pose *pose = &surface->pose;
    double frame[2][3], middle[3], half[3], centre[3], at[3];
    if (!kg_surface_box(surface, frame[0], frame[1])) return false;
    for (int k = 0; k < 3; ++k) {
        middle[k] = 0.5 * frame[0][k] + 0.5 * frame[1][k];
        half[k] = 0.5 * frame[1][k] - 0.5 * frame[0][k];
    }
    kg_pose_point_to_world(pose, middle, centre);
    double way = kg_length3(surface->velocity) * time, length = half[0] + half[1] + half[2] + way,
           places = kg_max_abs3(centre) + kg_max_abs3(pose->origin);
    if (!kg_surface_is_solid(surface)) way += surface->mesh.facet_thickness;
    way += LENGTH_ROUNDING * length + PLACE_ROUNDING * places;
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 3; ++i) at[i] = kg_abs(pose->axes[i][k]) * half[i];
        low[k] = centre[k] - (at[0] + at[1] + at[2] + way);
        high[k] = centre[k] + (at[0] + at[1] + at[2] + way);
    }
    return true;
}

static void build_part(kg_surface_boxes *part, uint32_t count)
{
    part->count = count;
    part->boxes =
        (kg_tree_builder){.items = part->boxes.items, .node = part->boxes.node, .leaf_items = 1};
    if (count) kg_tree_build(&part->boxes, count);
}

/* The boxes of surfaces at rest, and the list of the others. */
static void build_at_rest(const kg_surfaces *set)
{
    kg_surface_tree *tree = set->tree;
    uint32_t count = 0;
    tree->other_count = 0;
    for (uint32_t k = 0; k < set->count; ++k) {
        uint32_t index = set->order[k].index;
        kg_surface *surface = &set->items[index];
        double low[3], high[3];
        surface->rests =
            !surface->moves && set->count > 1 && kg_surface_bounding_box(surface, 0, low, high);
        if (surface->rests) kg_tree_set_item(&tree->at_rest.boxes.items[count++], low, high, index);
        else tree->other[tree->other_count++] = index;
    }
    build_part(&tree->at_rest, count);
    tree->rest_is_built = true;
}

static void build(const kg_surfaces *set, double time)
{
    kg_surface_tree *tree = set->tree;
    if (!tree->rest_is_built) build_at_rest(set);
    kg_tree_item *items = tree->others.boxes.items;
    uint32_t count = 0, end = tree->other_count;
    tree->spins = false;
    for (uint32_t k = 0; k < tree->other_count; ++k) {
        uint32_t index = tree->other[k];
        const kg_surface *surface = &set->items[index];
        double low[3], high[3];
        bool spins = time > 0 && !kg_is_zero3(surface->spin);
        tree->spins |= spins;
        if (!spins && set->count > 1 && kg_surface_bounding_box(surface, time, low, high))
            kg_tree_set_item(&items[count++], low, high, index);
        else items[--end].number = index;
    }
    tree->unboxed_count = tree->other_count - end;
    build_part(&tree->others, count);
    tree->from = set->moving_count ? tree->now : -KG_NEVER;
    tree->until = set->moving_count ? tree->now + time : KG_NEVER;
}

/* True if the boxes bound the surfaces from `now` on, for `time`, s. */
static bool bounds(const kg_surface_tree *tree, double time)
{
    return tree->from <= tree->now && tree->until >= tree->now + time;
}

void kg_surface_tree_prepare(kg_surfaces *set, double time)
{
    if (set->count && !bounds(set->tree, time * (1 - LENGTH_ROUNDING))) build(set, time);
}

void kg_surface_tree_prepare_poses(const kg_surfaces *set)
{
    kg_surface_tree *tree = set->tree;
    if (!bounds(tree, 0) || tree->spins) build(set, 0);
    atomic_store_explicit(&tree->ready, true, memory_order_release);
}

static bool visit_unboxed(const kg_surface_tree *tree, kg_surface_visit *visit, void *context)
{
    for (uint32_t k = 0; k < tree->unboxed_count; ++k) {
        if (!visit(context, tree->others.boxes.items[tree->others.count + k].number)) return false;
    }
    return true;
}

/* A visit of the surfaces near a box or a line. */
typedef struct tree_visit {
    const kg_surfaces *set;
    kg_surface_visit *visit;
    void *context;
} tree_visit;

/* Visit the surface of a leaf, unless it moved away from the boxes at rest. */
KG_INLINE bool visit_leaf(const tree_visit *v, const kg_surface_boxes *part, uint32_t child)
{
    uint32_t index = part->boxes.items[child & ~KG_MESH_LEAF_BIT].number;
    bool stale = part == &v->set->tree->at_rest && !v->set->items[index].rests;
    return stale || v->visit(v->context, index);
}

KG_INLINE bool visit_near(const tree_visit *v, const kg_surface_boxes *part,
                          const kg_tree_item *place, const double *reach, double places)
{
    kg_mesh_walk walk;
    walk.count = 0;
    if (part->count) kg_mesh_push(&walk, 0, 0, 0);
    while (walk.count) {
        uint32_t child = walk.next[--walk.count].child;
        double wide = kg_max(*reach, 0) * (1 + LENGTH_ROUNDING) + places;
        float max_squared = kg_tree_round_up(wide * wide);
        if (walk.next[walk.count].enter > max_squared) continue;
        if (!kg_mesh_is_leaf(child))
            kg_tree_push_near(&part->boxes.node[child], place, max_squared, &walk);
        else if (!visit_leaf(v, part, child)) return false;
    }
    return true;
}

bool kg_surface_tree_visit(const kg_surfaces *set, const double low[3], const double high[3],
                           const double *reach, kg_surface_visit *visit, void *context)
{
    const kg_surface_tree *tree = set->tree;
    if (!set->count) return true;
    KG_ASSERT(bounds(tree, 0));
    if (!visit_unboxed(tree, visit, context)) return false;
    double places = PLACE_ROUNDING * kg_max(kg_max_abs3(low), kg_max_abs3(high));
    tree_visit v = {set, visit, context};
    kg_tree_item place;
    kg_tree_set_item(&place, low, high, 0);
    for (int k = 0; k < 2; ++k) {
        if (!visit_near(&v, k ? &tree->others : &tree->at_rest, &place, reach, places))
            return false;
    }
    return true;
}

KG_INLINE bool visit_on_line(const tree_visit *v, const kg_surface_boxes *part,
                             const double origin[3], const double direction[3], double reach,
                             const double *end)
{
    kg_mesh_walk walk;
    kg_tree_line line;
    double largest = 0;
    if (!part->count) return true;
    for (int k = 0; k < 3; ++k)
        largest = kg_max(largest, kg_max(-(double)part->boxes.low[k], (double)part->boxes.high[k]));
    kg_tree_set_line(&line, origin, direction, reach * (1 + RADIUS_MARGIN), largest);
    walk.count = 0;
    kg_mesh_push(&walk, 0, 0, 0);
    while (walk.count) {
        uint32_t child = walk.next[--walk.count].child;
        float until = kg_tree_end(&line, *end);
        if (walk.next[walk.count].enter > until) continue;
        if (!kg_mesh_is_leaf(child))
            kg_tree_push_met(&part->boxes.node[child], &line, until, &walk);
        else if (!visit_leaf(v, part, child)) return false;
    }
    return true;
}

bool kg_surface_tree_visit_line(const kg_surfaces *set, const double origin[3],
                                const double direction[3], double reach, const double *end,
                                kg_surface_visit *visit, void *context)
{
    const kg_surface_tree *tree = set->tree;
    if (!set->count) return true;
    KG_ASSERT(bounds(tree, 0));
    tree_visit v = {set, visit, context};
    if (!visit_unboxed(tree, visit, context)) return false;
    for (int k = 0; k < 2; ++k) {
        if (!visit_on_line(&v, k ? &tree->others : &tree->at_rest, origin, direction, reach, end))
            return false;
    }
    return true;
}
