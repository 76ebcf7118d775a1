/* Oversized bodies of a gas in cell lists: bodies more than twice as large as the smallest, few
 * among many. The cells are too small to hold them. Each oversized body is listed in its near
 * cells, those with bodies that it can touch, so that a small body finds the oversized ones in its
 * own cell.
 * In: radii, cells of the bodies. Out: near cells. Cost of a body: its near cells, when it enters
 * another cell or changes its motion. */
#include <math.h>
#include <stdlib.h>

#include "base/assert.h"
#include "base/vec.h"
#include "grid/cell_lists_gather.h"

/* Factor on reaches, far above the rounding of positions. */
static const double slack = 1 + 1e-6;

/* Number of cells that a walk visits in the time of one test of a pair of oversized bodies. */
static const double cells_per_test = 1;

/* Largest difference of the coordinates of two cells that are at most `distance` (m) apart along an
 * axis. */
static int32_t max_offset(double distance, double edge, uint32_t count)
{
    double cells = distance / edge + 1;
    return cells < count ? (int32_t)cells : (int32_t)count;
}

static double cells_around(const kg_cell_lists *cell_lists, double reach)
{
    double cells = 1;
    for (int axis = 0; axis < 3; ++axis)
        cells *= 2 * max_offset(reach, cell_lists->edge[axis], cell_lists->count[axis]) + 1;
    return cells;
}

static double reach_of(double radius, double other) { return (radius + other) * slack; }

/* True when each cell is near to at most one periodic image of a body. */
static bool fits_periodic(const kg_cell_lists *cell_lists, double reach)
{
    for (int axis = 0; axis < 3; ++axis) {
        double edge = cell_lists->edge[axis], length = edge * (cell_lists->count[axis] - 2);
        bool periodic = cell_lists->periodic_faces >> 2 * axis & 1;
        if (periodic && 2 * (reach + 2 * edge) >= length) return false;
    }
    return true;
}

bool kg_oversized_find(kugel_world *world, double max_near_cells, bool *suits)
{
    kg_cell_lists *c = &world->grid->cell_lists;
    double sum = 0, largest = 0;
    c->oversized_count = 0;
    *suits = true;
    for (uint32_t i = 0; i < world->bodies.count && *suits; ++i) {
        double radius = world->bodies.radius[i], reach = reach_of(radius, c->largest_radius);
        if (radius <= c->largest_radius) continue;
        if (!KG_RESERVE(&world->memory, &c->columns[KG_CELL_LIST_COLUMN_OVERSIZED], c->oversized,
                        (size_t)c->oversized_count + 1, c->oversized_count))
            return false;
        c->oversized[c->oversized_count++] = (kg_oversized){i, KG_NONE};
        largest = kg_max(largest, radius);
        sum += cells_around(c, reach);
        *suits = sum <= max_near_cells && fits_periodic(c, reach);
    }
    double reach = reach_of(largest, largest);
    c->largest_oversized = largest;
    c->few_oversized =
        !fits_periodic(c, reach) || cells_around(c, reach) > cells_per_test * c->oversized_count;
    return true;
}

/* A walk over near cells. */
typedef struct walk {
    const kg_cell_lists *cell_lists;
    kg_oversized_visit *visit;
    void *context;
    int32_t home[3]; /* the body's own cell */
    int32_t size[3]; /* cells along each axis */
    /* m, 0 to an edge; lower bounds of the distances from the body to the low ([0]) and high ([1])
     * faces of its own cell */
    double margin[2][3];
} walk;

static walk start_walk(const kg_cell_lists *c, uint32_t slot, kg_oversized_visit *visit,
                       void *context)
{
    walk w = {c, visit, context, {0}, {0}, {{0}}};
    for (int axis = 0; axis < 3; ++axis) {
        w.home[axis] = (int32_t)kg_cell_coordinate(c->body_cell[slot].cell, axis);
        w.size[axis] = (int32_t)c->count[axis] - 2;
    }
    return w;
}

/* Square of the smallest distance along an axis from the body to a cell `d` cells beyond its own,
 * m^2. */
static double gap2_of(const walk *w, int axis, int32_t d)
{
    double gap = d ? (abs(d) - 1) * w->cell_lists->edge[axis] + w->margin[d > 0][axis] : 0;
    return gap * gap;
}

/* Offsets of the farthest cells whose squared distance along an axis is at most `distance2` (m^2):
 * ends[0] <= 0 towards low coordinates, ends[1] >= 0 towards high ones. */
static void find_ends(const walk *w, int axis, double distance2, int32_t ends[2])
{
    double distance = sqrt(kg_max(0, distance2));
    for (int high = 0; high < 2; ++high)
        ends[high] = max_offset(distance - w->margin[high][axis], w->cell_lists->edge[axis],
                                w->cell_lists->count[axis]);
    ends[0] = -ends[0];
}

/* Find the cell `d` cells beyond the body's own along an axis; adds the image of its bodies to
 * `*image`. False beyond the end of an axis that is not periodic. */
static bool find_cell(const walk *w, int axis, int32_t d, int32_t *at, int32_t *image)
{
    static const int32_t step[3] = {1, 3, 9};
    int32_t turn;
    *at = w->home[axis] + d;
    turn = *at < 1 ? -1 : *at > w->size[axis] ? 1 : 0;
    if (turn && !(w->cell_lists->periodic_faces >> 2 * axis & 1)) return false;
    *at -= turn * w->size[axis];
    *image += turn * step[axis];
    return true;
}

/* Visit a row of cells along x, in up to three parts, each of one image. */
static void visit_row(const walk *w, size_t row, const int32_t ends[2], int32_t image)
{
    for (int32_t d = ends[0], end; d <= ends[1]; d = end) {
        int32_t at, of = image;
        bool inside = find_cell(w, 0, d, &at, &of);
        end = d < 1 - w->home[0] ? 1 - w->home[0] : d + w->size[0] - at + 1;
        end = !inside && d > 0 ? ends[1] + 1 : end < ends[1] + 1 ? end : ends[1] + 1;
        if (inside)
            w->visit(w->context, kg_cells(w->cell_lists) + row + (size_t)at, (uint32_t)(end - d),
                     (uint32_t)of);
    }
}

static void visit_cells(const walk *w, double reach)
{
    const kg_cell_lists *c = w->cell_lists;
    int32_t z_ends[2], y_ends[2], x_ends[2];
    find_ends(w, 2, reach * reach, z_ends);
    for (int32_t dz = z_ends[0]; dz <= z_ends[1]; ++dz) {
        int32_t z, image_z = (int32_t)KG_IMAGE_NONE;
        if (!find_cell(w, 2, dz, &z, &image_z)) continue;
        double left2 = reach * reach - gap2_of(w, 2, dz);
        find_ends(w, 1, left2, y_ends);
        for (int32_t dy = y_ends[0]; dy <= y_ends[1]; ++dy) {
            int32_t y, image = image_z;
            if (!find_cell(w, 1, dy, &y, &image)) continue;
            find_ends(w, 0, left2 - gap2_of(w, 1, dy), x_ends);
            visit_row(w, ((size_t)z * c->count[1] + (size_t)y) * c->count[0], x_ends, image);
        }
    }
}

static double clamp_margin(double x, double most) { return x < 0 ? 0 : x < most ? x : most; }

void kg_oversized_visit_path(const kugel_world *world, uint32_t slot, double radius, double from,
                             double until, kg_oversized_visit *visit, void *context)
{
    const kg_cell_lists *c = &world->grid->cell_lists;
    const kg_motion *m = &world->work.motion[slot];
    KG_ASSERT(c->used && kg_cell_lists_is_oversized(c, slot) && until >= from);
    walk w = start_walk(c, slot, visit, context);
    for (int axis = 0; axis < 3; ++axis) {
        double edge = c->edge[axis], start = m->x[axis] - (c->low[axis] + edge * w.home[axis]),
               a = start + m->v[axis] * (from - m->clock),
               b = start + m->v[axis] * (until - m->clock);
        w.margin[0][axis] = clamp_margin(a < b ? a : b, edge);
        w.margin[1][axis] = clamp_margin(edge - (a > b ? a : b), edge);
    }
    visit_cells(&w, reach_of(m->radius, radius));
}

typedef struct update {
    kg_cell_lists *cell_lists;
    uint32_t slot;
    bool adding;
} update;

/* Add to or remove from a near cell; false when it is full, or does not have the neighbour. */
static bool update_near(kg_near_cell near, uint32_t neighbour, bool adding)
{
    bool done = false;
    for (int k = 0; k < KG_NEAR_PARTS && !done; ++k)
        done = adding ? kg_cell_add(near[k], neighbour) : kg_cell_remove(near[k], neighbour);
    return done;
}

/* For the bodies in the cells, the image of the oversized body is the reverse of theirs. */
static void update_cells(void *context, const kg_cell *cells, uint32_t count, uint32_t image)
{
    const update *u = context;
    kg_near_cell *near = u->cell_lists->near_cell + (cells - kg_cells(u->cell_lists));
    uint32_t neighbour = u->slot | (2 * KG_IMAGE_NONE - image) << KG_NEIGHBOUR_IMAGE_SHIFT;
    for (uint32_t k = 0; k < count; ++k)
        u->cell_lists->abandon |= !update_near(near[k], neighbour, u->adding) && u->adding;
}

/* Put an oversized body first in the chain of its cell, or take it out. */
static void update_chain(kg_cell_lists *c, uint32_t slot, bool adding)
{
    const kg_body_cell *body_cell = &c->body_cell[slot];
    uint32_t own = body_cell->boundary_faces >> KG_CELL_OVERSIZED_SHIFT,
             *at = &c->first_oversized[body_cell->index];
    while (!adding && *at != own) at = &c->oversized[*at].next;
    if (adding) c->oversized[own].next = *at;
    *at = adding ? own : c->oversized[own].next;
}

void kg_oversized_update(kugel_world *world, uint32_t slot, bool adding)
{
    kg_cell_lists *c = &world->grid->cell_lists;
    update u = {c, slot, adding};
    walk w = start_walk(c, slot, update_cells, &u);
    visit_cells(&w, reach_of(world->work.motion[slot].radius, c->largest_radius));
    update_chain(c, slot, adding);
}
