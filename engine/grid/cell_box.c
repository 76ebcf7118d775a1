/* The box of the cells: its place, how many cells each axis has, and the cell of a place.
 * The bodies and ghosts of a rank are often at both ends of a periodic axis. The stretch between
 * them is a gap without cells: it belongs to the cell below it. The first and last cells reach to
 * the world's bounds. So each place has a cell, and bodies may move into the gap. */
#include "grid/cell_lists.h"

#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "grid/neighbours.h"
#include "world/periodic.h"

/* Maximum number of cells per body; thinner gases get wider cells. */
static const double max_cells_per_body = 4;
/* Smallest width of a cell, in diameters of the largest body in it, in a gas with oversized bodies.
 * Smaller: oversized bodies test more near cells; larger: cells overflow. */
static const double width_beside_oversized = 1.2;
/* Maximum mean number of bodies in 27 cells: a packing of 0.56. From 0.58 on Verlet lists
 * cost less. */
static const double max_bodies_in_27_cells = 29;
/* Share by which cells are wider than the diameter of the largest body in them; far above the
 * rounding of positions. */
static const double slack = 1e-6;
/* Number of cells by which a gap is shorter than the stretch without bodies: in ticks of faster
 * bodies, ghosts come from farther away. */
static const double gap_margin = 3;
/* Smallest length of a gap, in cells. */
static const double min_gap = 3;
/* Smallest length, in cells, of a periodic axis whose box shrinks to the bodies of a rank.
 * quantised_motions.c needs neighbours nearer than half the length, and neighbours in wide cells
 * are farther apart. */
static const double min_cells_to_shrink = 10;

typedef struct box {
    double low[3], length[3];         /* m; the gap is part of the length */
    double gap_low[3], gap_length[3]; /* m; lower end and length of the gap */
    bool shrinks; /* true: along periodic axes, too, the box ends at the bodies of a rank */
} box;

/* The largest radius that is at most twice the smallest, m. */
static double largest_alike(const kg_bodies *bodies, double smallest)
{
    double largest = smallest;
    for (uint32_t i = 0; i < bodies->count; ++i) {
        double radius = bodies->radius[i];
        if (radius <= 2 * smallest && radius > largest) largest = radius;
    }
    return largest;
}

/* Find the longest stretch without bodies between two bodies along an axis. */
static void find_gap(const kugel_world *world, box *b, int axis, double edge)
{
    enum { BINS = 1024 };
    bool used[BINS] = {false};
    double per_metre = BINS / b->length[axis], low = b->low[axis];
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        double bin = (world->work.motion[i].x[axis] - low) * per_metre;
        used[bin > 0 ? bin < BINS - 1 ? (int)bin : BINS - 1 : 0] = true;
    }
    int longest = 0, end = 0;
    for (int k = 1, last = 0; k < BINS; ++k) {
        if (!used[k]) continue;
        if (k - last - 1 > longest) longest = k - last - 1, end = k;
        last = k;
    }
    double gap = longest / per_metre - gap_margin * edge;
    if (gap < min_gap * edge) return;
    b->gap_low[axis] = low + (end - longest) / per_metre + edge;
    b->gap_length[axis] = gap;
}

/* Find the box of the cells along an axis: it ends at the faces of the world, or at the outermost
 * bodies where a face is open. The box of a rank ends at its outermost bodies inside closed faces,
 * too. Kinematic bodies may be outside the box. */
static void find_axis(const kugel_world *world, box *b, int axis, double edge)
{
    const kugel_bounds *bounds = &world->def.bounds;
    double least = KG_VALUE_LIMIT, most = -KG_VALUE_LIMIT, min = bounds->min[axis],
           max = bounds->max[axis];
    bool open[2] = {bounds->faces[2 * axis] == KUGEL_FACE_OPEN,
                    bounds->faces[2 * axis + 1] == KUGEL_FACE_OPEN},
         periodic = bounds->faces[2 * axis] == KUGEL_FACE_PERIODIC,
         shrinks =
             world->whole && (!periodic || (b->shrinks && max - min >= min_cells_to_shrink * edge));
    for (uint32_t i = 0; i < world->bodies.count && (shrinks || open[0] || open[1]); ++i) {
        double x = world->work.motion[i].x[axis];
        least = x < least ? x : least;
        most = x > most ? x : most;
    }
    b->low[axis] = open[0] || (shrinks && least > min) ? least : min;
    most = open[1] || (shrinks && most < max) ? most : max;
    b->length[axis] = most - b->low[axis];
    if (shrinks && periodic && b->length[axis] > 0) find_gap(world, b, axis, edge);
}

/* Number of bodies from which the density in the box is computed. The bodies of a rank fill only a
 * part of a periodic axis, so in a periodic world the density is that of all ranks. */
static double bodies_at_density(const kugel_world *world, const double length[3])
{
    const kugel_bounds *bounds = &world->def.bounds;
    double n = world->bodies.count, all = kg_world_body_total(world);
    if (!world->whole || !kg_periodic_any(world)) return n;
    for (int axis = 0; axis < 3; ++axis) {
        double whole = bounds->max[axis] - bounds->min[axis];
        all *= length[axis] < whole ? length[axis] / whole : 1;
    }
    return all > n ? all : n;
}

/* Divide an axis into cells at least `edge` wide, and an outer cell at each end. False where a
 * periodic axis has too few cells: quantised_motions.c needs neighbours nearer than half the
 * length. */
static bool divide_axis(kg_cell_lists *cell_lists, const box *b, int axis, double edge,
                        bool periodic)
{
    const double most = KG_CELL_COORDINATE_MAX - 2;
    double length = b->length[axis] - b->gap_length[axis], fit = length / edge,
           count = fit < 1      ? 1
                   : fit > most ? most
                                : (double)(uint32_t)fit;
    if (periodic && count < 5) return false;
    edge = length / count > edge ? length / count : edge;
    cell_lists->edge[axis] = edge;
    cell_lists->low[axis] = b->low[axis] - edge;
    cell_lists->count[axis] = (uint32_t)count + 2;
    cell_lists->last_cell[0][axis] = 1;
    cell_lists->last_cell[1][axis] = count;
    cell_lists->border_cell[0][axis] = cell_lists->border_cell[1][axis] = -1;
    cell_lists->gap[axis] = b->gap_length[axis];
    cell_lists->cell_above_gap[axis] =
        b->gap_length[axis] > 0 ? 2 + (uint32_t)((b->gap_low[axis] - b->low[axis]) / edge) : 0;
    return true;
}

/* Choose number and width of the cells of a box; false when they are not suitable. */
static bool divide_box(kugel_world *world, kg_radii radii, bool shrinks)
{
    kg_cell_lists *cell_lists = &world->grid->cell_lists;
    double largest = largest_alike(&world->bodies, radii.smallest),
           edge = 2 * largest * (1 + slack), volume = 1, length[3];
    box b = {.shrinks = shrinks && largest == radii.largest};
    if (!(largest > 0)) return false;
    if (largest < radii.largest) edge *= width_beside_oversized;
    for (int axis = 0; axis < 3; ++axis) {
        find_axis(world, &b, axis, edge);
        if (!(fabs(b.low[axis]) + b.length[axis] < 1e8 * edge))
            return false; /* rounding must stay far below the slack */
        length[axis] = b.length[axis] - b.gap_length[axis];
        volume *= length[axis] > edge ? length[axis] : edge;
    }
    double n = bodies_at_density(world, length);
    if (27 * n * edge * edge * edge > max_bodies_in_27_cells * volume) return false;
    while (volume > max_cells_per_body * n * edge * edge * edge) edge *= 1.1;
    uint64_t cells = 1;
    for (int axis = 0; axis < 3; ++axis) {
        bool periodic = world->def.bounds.faces[2 * axis] == KUGEL_FACE_PERIODIC;
        if (!divide_axis(cell_lists, &b, axis, edge, periodic)) return false;
        cells *= cell_lists->count[axis];
    }
    cell_lists->largest_radius = largest;
    cell_lists->motion_limit = edge * (64 + 0.25 * n);
    return cells <= (uint64_t)(8 * max_cells_per_body * n) + 4096;
}

bool kg_cell_box_choose(kugel_world *world, kg_radii radii)
{
    return (world->whole && divide_box(world, radii, true)) || divide_box(world, radii, false);
}

uint32_t kg_cell_box_cell_at(const kg_cell_lists *cell_lists, const double x[3])
{
    uint32_t at = 0;
    for (int axis = 0; axis < 3; ++axis) {
        double edge = cell_lists->edge[axis], c = (x[axis] - cell_lists->low[axis]) / edge,
               least = cell_lists->last_cell[0][axis], most = cell_lists->last_cell[1][axis],
               above = cell_lists->cell_above_gap[axis], gap = cell_lists->gap[axis] / edge;
        if (c >= above) c = c < above + gap ? above - 1 : c - gap;
        c = c > least ? c : least;
        at |= (uint32_t)(c < most ? c : most) << (KG_CELL_COORDINATE_BITS * axis);
    }
    return at;
}

/* Share of the width of a cell, far above the rounding of places. */
static const double cell_margin = 1e-6;

bool kg_cell_lists_is_in_cell(const kg_cell_lists *cell_lists, uint32_t slot, const double x[3])
{
    for (int axis = 0; axis < 3; ++axis) {
        uint32_t c = kg_cell_coordinate(cell_lists->body_cell[slot].cell, axis);
        double edge = cell_lists->edge[axis], low = cell_lists->low[axis] + edge * c,
               high = low + edge, gap = cell_lists->gap[axis],
               above = cell_lists->cell_above_gap[axis];
        if (c >= above) low += gap;
        if (c + 1 >= above) high += gap;
        /* a body that crosses a periodic face from a border stays in its cell */
        if (c == cell_lists->border_cell[0][axis] || c == cell_lists->border_cell[1][axis])
            continue;
        if ((c != cell_lists->last_cell[0][axis] && x[axis] < low - cell_margin * edge) ||
            (c != cell_lists->last_cell[1][axis] && x[axis] > high + cell_margin * edge))
            return false;
    }
    return true;
}
