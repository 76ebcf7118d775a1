/* The tree of boxes: building it, and the parts of a walk. A walk is a stack of children to visit.
 * In: items with boxes; a line or box. Out: nodes; children that a line meets or that are near.
 * Cost: O(n log n) to build, O(log n) for a walk near few items. */
#ifndef KG_SURFACES_MESH_TREE_H
#define KG_SURFACES_MESH_TREE_H

#include "base/constants.h"
#include "base/vec.h"
#include "surfaces/mesh.h"

enum {
    /* Levels that the surface area heuristic splits. Deeper levels divide the items by eight; there
     * are at most 9 of them, for KG_MESH_TRIANGLE_LIMIT triangles. */
    KG_MESH_TREE_SPLITS = 16,
    /* Maximum number of children on a stack: seven of each level, and one more. */
    KG_MESH_STACK = (KG_MESH_CHILDREN - 1) * (KG_MESH_TREE_SPLITS + 9) + 1,
    /* Additional size of the stack, for lines, which visit several children in a turn. */
    KG_MESH_STACK_LINES = 64
};

/* A box, rounded outwards, and the number of the item that it bounds. */
typedef struct kg_tree_item {
    float low[3], high[3];
    uint32_t number;
} kg_tree_item;
/* mesh_tree_build.c */
void kg_tree_set_item(kg_tree_item *item, const double low[3], const double high[3],
                      uint32_t number);

typedef struct kg_tree_builder {
    kg_tree_item *items; /* in: the items; out: in the order of the leaves */
    /* out, in the caller's memory: as many nodes as items, or items / 2 + 1 for leaves of 4 */
    kg_mesh_node *node;
    uint32_t *first;     /* out: first item of each leaf; may be NULL for leaves of one item */
    uint32_t leaf_items; /* in: maximum number of items of a leaf */
    uint32_t node_count, leaf_count; /* out */
    float low[3], high[3];           /* out: the box of all items, m */
} kg_tree_builder;
/* mesh_tree_build.c: build the tree of at least one item. */
void kg_tree_build(kg_tree_builder *builder, uint32_t count);
/* As kg_tree_build, for leaf_items >= 4, in tasks if there are many items. The tree is the same for
 * any tasks. In: memory for items / 2 + KG_TREE_SPARE_NODES nodes, and `first`, not NULL. */
enum { KG_TREE_SPARE_NODES = 80 };
void kg_tree_build_in_tasks(kg_tree_builder *builder, kg_tasks *tasks, uint32_t count);

/* Margin for the rounding of floats in tests of boxes: a share of the largest coordinate for the
 * origin of a line, else a share of the result. */
#define KG_TREE_ROUNDING 0x1p-20f

/* A child is the number of a node, or the number of a leaf with KG_MESH_LEAF_BIT. */
#define KG_MESH_LEAF_BIT (1u << 31)
static inline bool kg_mesh_is_leaf(uint32_t child) { return child & KG_MESH_LEAF_BIT; }
static inline const kg_mesh_leaf *kg_mesh_leaf_of(const kg_mesh *mesh, uint32_t child)
{
    return &mesh->leaf[child & ~KG_MESH_LEAF_BIT];
}
/* The next triangle of a leaf; false after the last. *next starts at 0. */
static inline bool kg_mesh_next_in_leaf(const kg_mesh_leaf *leaf, uint32_t *next,
                                        uint32_t *triangle)
{
    uint32_t number = *next < 4 ? leaf->triangle[*next] : KG_NONE;
    *triangle = number & ~KG_MESH_NAMES_FACET;
    *next += 1;
    return number != KG_NONE;
}

/* A squared distance or a parameter of a line, rounded up to a finite float. */
static inline float kg_tree_round_up(double x)
{
    x = x * (1 + (double)KG_TREE_ROUNDING) + 1e-37;
    return x < 3e38 ? (float)x : 3e38f;
}

/* Children to visit, each with a sort key: the parameter at which a line enters its box, or the
 * squared distance of the box. */
typedef struct kg_mesh_walk {
    uint32_t count;
    struct {
        float enter;
        uint32_t child;
    } next[KG_MESH_STACK + KG_MESH_STACK_LINES];
} kg_mesh_walk;

/* Push a child. The items from `from` on stay sorted, with the smallest key on top. */
static inline void kg_mesh_push(kg_mesh_walk *walk, uint32_t from, uint32_t child, float enter)
{
    uint32_t at = walk->count++;
    for (; at > from && walk->next[at - 1].enter <= enter; --at)
        walk->next[at] = walk->next[at - 1];
    walk->next[at].enter = enter;
    walk->next[at].child = child;
}

/* A line for tests of boxes. Its direction is scaled so that the largest component is in [1, 2).
 * A component of magnitude below KG_LEAST_SLOPE is replaced by KG_LEAST_SLOPE: nothing is divided
 * by 0, and KG_VALUE_LIMIT divided by the component is in the range of floats. */
#define KG_LEAST_SLOPE 1e-20
typedef struct kg_tree_line {
    float near[3], far[3]; /* m; origin, moved by reach and margin, for sides of entry and exit */
    float inverse[3];      /* 1 / component of the scaled direction */
    int near_side[3];      /* side at which the line enters boxes: 0 low, 1 high */
    double scale;          /* parameter of the scaled line / parameter of the given line */
} kg_tree_line;

/* reach, m: the line meets boxes that it passes at most this far away. largest: the largest
 * absolute coordinate of the boxes, m. */
static inline void kg_tree_set_line(kg_tree_line *line, const double origin[3],
                                    const double direction[3], double reach, double largest)
{
    double scale = kg_unit_scale(kg_max_abs3(direction)),
           magnitude = kg_max(kg_max_abs3(origin), largest) + reach,
           wide = reach + KG_TREE_ROUNDING * magnitude;
    line->scale = 1 / scale;
    for (int k = 0; k < 3; ++k) {
        double u = direction[k] * scale,
               inverse = 1 / (kg_abs(u) < KG_LEAST_SLOPE ? KG_LEAST_SLOPE : u);
        bool back = inverse < 0;
        line->near_side[k] = back;
        line->near[k] = (float)(origin[k] + (back ? -wide : wide));
        line->far[k] = (float)(origin[k] - (back ? -wide : wide));
        line->inverse[k] = (float)inverse;
    }
}

/* The parameter of the scaled line for parameter t of the given line, rounded up. */
static inline float kg_tree_end(const kg_tree_line *line, double t)
{
    return kg_tree_round_up(t * line->scale);
}

/* Push the children whose boxes the line meets at parameters in [0, end], sorted by entry. */
void kg_tree_push_met(const kg_mesh_node *node, const kg_tree_line *line, float end,
                      kg_mesh_walk *walk);

/* A line on its way through the tree of a mesh, roughly in order of distance. The walk is mostly
 * memory latency: each turn visits several children, whose latencies overlap, but those behind a
 * hit are visited in vain. Leaves are visited in the turn after that which found them. */
enum { KG_MESH_AT_ONCE = 4 };
typedef struct kg_mesh_flight {
    const kg_mesh *mesh;
    kg_tree_line line;
    float limit;                                /* parameter of `line`; boxes beyond are skipped */
    uint32_t leaf[KG_MESH_AT_ONCE], leaf_count; /* leaves whose vertices are prefetched */
    kg_mesh_walk walk;
} kg_mesh_flight;
/* The line meets boxes that it passes at most `reach` (m) away, at parameters in [0, end]. */
void kg_mesh_flight_start(kg_mesh_flight *f, const kg_mesh *mesh, const double origin[3],
                          const double direction[3], double reach, double end);
static inline void kg_mesh_flight_limit(kg_mesh_flight *f, double end)
{
    f->limit = kg_tree_end(&f->line, end);
}
/* One turn: call visit(context, leaf) for each leaf found in the last one. The visitor may lower
 * the limit. False when the walk is finished. */
typedef void kg_mesh_leaf_visit(void *context, const kg_mesh_leaf *leaf);
bool kg_mesh_flight_advance(kg_mesh_flight *f, kg_mesh_leaf_visit *visit, void *context);

/* Relative rounding of squared distances of boxes and triangles, with a margin, so that no box is
 * skipped whose triangle is near enough. */
#define KG_MESH_SQUARE_ROUNDING 1e-14

/* Push the children with boxes within the squared distance `max_squared` (m^2) of a place,
 * sorted by distance. */
void kg_tree_push_near(const kg_mesh_node *node, const kg_tree_item *place, float max_squared,
                       kg_mesh_walk *walk);

void kg_mesh_triangle_box(const kg_mesh *mesh, uint32_t triangle, double low[3], double high[3]);

#endif
