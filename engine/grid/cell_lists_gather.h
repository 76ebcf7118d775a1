/* Gathers the neighbours of a body from cell lists, and predicts when it leaves its cell.
 * Inline: compiled with the filter and the predictions, once per vector width. `wide`: AVX2 is
 * available. No branch depends on how full cells are or which face is crossed, since both are
 * unpredictable. Cost: some six instructions a cell. */
#ifndef KG_GRID_CELL_LISTS_GATHER_H
#define KG_GRID_CELL_LISTS_GATHER_H

#include <string.h>

#include "base/compiler.h"
#include "base/wide.h"
#include "geometry/sweep_linear.h"
#include "grid/grid.h"

/* Copy a whole cell; the next cell overwrites its unused places. `out`: place of the cell if all
 * cells before it were full. `*moved` (<= 0): offset from there to the actual place; it is reduced
 * by the unused places of the cell. */
KG_INLINE void kg_gather_cell(const kg_cell cell, uint32_t *out, bool wide, intptr_t *moved)
{
    kg_mask4f words;
    memcpy(&words, cell, sizeof words);
    memcpy(out + *moved, &words, sizeof words);
    KG_EACH (4) KG_L(words) = KG_MASK(KG_L(words) == -1); /* KG_NONE */
    uint32_t empty = kg_movemask4f(&words);
    empty = wide ? (uint32_t)kg_count_ones(empty)
                 : KG_CELL_CAPACITY - (uint32_t)kg_lowest_bit(empty | 1u << KG_CELL_CAPACITY);
    *moved -= (intptr_t)empty;
}

/* Places of three cells side by side (a row), and of three such rows (a layer). Their copies are
 * unrolled by hand, because gcc does not unroll loops this short. */
enum { KG_GATHER_ROW = 3 * KG_CELL_CAPACITY, KG_GATHER_LAYER = 3 * KG_GATHER_ROW };

KG_INLINE void kg_gather_row(const kg_cell *cell, uint32_t *out, bool wide, intptr_t *moved)
{
    kg_gather_cell(cell[0], out, wide, moved);
    kg_gather_cell(cell[1], out + KG_CELL_CAPACITY, wide, moved);
    kg_gather_cell(cell[2], out + 2 * KG_CELL_CAPACITY, wide, moved);
}

KG_INLINE void kg_gather_rows(const kg_cell *first, size_t stride, uint32_t *out, bool wide,
                              intptr_t *moved)
{
    kg_gather_row(first, out, wide, moved);
    kg_gather_row(first + stride, out + KG_GATHER_ROW, wide, moved);
    kg_gather_row(first + 2 * stride, out + 2 * KG_GATHER_ROW, wide, moved);
}

/* Copy one cell of each of three rows. */
KG_INLINE void kg_gather_column(const kg_cell *first, size_t stride, uint32_t *out, bool wide,
                                intptr_t *moved)
{
    kg_gather_cell(first[0], out, wide, moved);
    kg_gather_cell(first[stride], out + KG_CELL_CAPACITY, wide, moved);
    kg_gather_cell(first[2 * stride], out + 2 * KG_CELL_CAPACITY, wide, moved);
}

/* Copy the slots above the body's own from its cell; returns their number. */
KG_INLINE uint32_t kg_gather_same_cell(const kg_cell cell, uint32_t slot, uint32_t *out)
{
    uint32_t count = 0;
    for (int k = 0; k < KG_CELL_CAPACITY; ++k) {
        out[count] = cell[k];
        count +=
            (uint32_t)(cell[k] > (slot | KG_NEIGHBOUR_NO_IMAGE)) & (uint32_t)(cell[k] != KG_NONE);
    }
    return count;
}

/* Copy the middle one of three layers. Returns bit k when neighbour k is the body itself. */
KG_INLINE uint64_t kg_gather_middle(const kg_cell *own_cell, size_t dy, uint32_t slot,
                                    uint32_t *out, bool wide, intptr_t *moved)
{
    const int32_t own_neighbour = (int32_t)(slot | KG_NEIGHBOUR_NO_IMAGE);
    kg_mask4f words;
    memcpy(&words, own_cell[0], sizeof words);
    KG_EACH (4) KG_L(words) = KG_MASK(KG_L(words) == own_neighbour);
    kg_gather_row(own_cell - dy - 1, out, wide, moved);
    kg_gather_cell(own_cell[-1], out + KG_GATHER_ROW, wide, moved);
    uint64_t own_bit = (uint64_t)kg_movemask4f(&words)
                       << (KG_GATHER_LAYER + KG_GATHER_ROW + KG_CELL_CAPACITY + *moved);
    kg_gather_cell(own_cell[0], out + KG_GATHER_ROW + KG_CELL_CAPACITY, wide, moved);
    kg_gather_cell(own_cell[1], out + KG_GATHER_ROW + 2 * KG_CELL_CAPACITY, wide, moved);
    kg_gather_row(own_cell + dy - 1, out + 2 * KG_GATHER_ROW, wide, moved);
    return own_bit;
}

/* kg_gather_neighbours without the overflow, the oversized bodies and the padding. */
KG_INLINE uint32_t kg_gather_cells(const kg_cell_lists *cell_lists, uint32_t slot, uint32_t which,
                                   uint32_t *out, uint64_t *self, bool wide)
{
    size_t dy = cell_lists->count[0], dz = dy * cell_lists->count[1], far_side = which & 1 ? 2 : 0;
    const kg_cell *own_cell = kg_cells(cell_lists) + cell_lists->body_cell[slot].index;
    const kg_cell *first = own_cell - dz - dy - 1;
    uint32_t count = 9 * KG_CELL_CAPACITY;
    intptr_t moved = 0;
    *self = 0;
    switch (which) {
    case KG_CELL_GATHER_ALL:
        kg_gather_rows(first, dy, out, wide, &moved);
        *self = kg_gather_middle(own_cell, dy, slot, out + KG_GATHER_LAYER, wide, &moved);
        kg_gather_rows(first + 2 * dz, dy, out + 2 * KG_GATHER_LAYER, wide, &moved);
        count *= 3;
        break;
    case KG_CELL_GATHER_HALF:
        count += 4 * KG_CELL_CAPACITY + kg_gather_same_cell(own_cell[0], slot, out);
        out += count - 13 * KG_CELL_CAPACITY;
        kg_gather_cell(own_cell[1], out, wide, &moved);
        kg_gather_row(own_cell + dy - 1, out + KG_CELL_CAPACITY, wide, &moved);
        kg_gather_rows(first + 2 * dz, dy, out + 4 * KG_CELL_CAPACITY, wide, &moved);
        break;
    case 0:
    case 1:
        for (int z = 0; z < 3; ++z)
            kg_gather_column(first + (size_t)z * dz + far_side, dy, out + z * KG_GATHER_ROW, wide,
                             &moved);
        break;
    case 2:
    case 3:
        kg_gather_rows(first + far_side * dy, dz, out, wide, &moved);
        break;
    default:
        kg_gather_rows(first + far_side * dz, dy, out, wide, &moved);
    }
    return count + (uint32_t)moved;
}

/* Write the neighbours in the cells that `which` names; returns their number. Eight copies of the
 * slot follow as padding. `*self`: bit k when neighbour k is the body itself. */
KG_INLINE uint32_t kg_gather_neighbours(const kg_cell_lists *cell_lists, uint32_t slot,
                                        uint32_t which, uint32_t *out, uint64_t *self, bool wide)
{
    const kg_mask4f padding = {(int32_t)slot, (int32_t)slot, (int32_t)slot, (int32_t)slot};
    uint32_t count = kg_gather_cells(cell_lists, slot, which, out, self, wide);
    if (cell_lists->overflow_count | cell_lists->oversized_count)
        count += kg_gather_rare(cell_lists, slot, which, out + count);
    memcpy(out + count, &padding, sizeof padding);
    memcpy(out + count + 4, &padding, sizeof padding);
    return count;
}

/* Time at which a body leaves its cell, s in the substep, or KG_NEVER; `*face`: the face that it
 * crosses. All axes at once and without branches. */
KG_INLINE double kg_cell_lists_exit_time(const kg_cell_lists *cell_lists, const kg_motion *m,
                                         uint32_t cell, uint32_t *face)
{
    const kg_double4 one = {1, 1, 1, 1}, none = {0},
                     never = {KG_NEVER, KG_NEVER, KG_NEVER, KG_NEVER};
    const kg_mask4f cells = {(int32_t)cell, (int32_t)cell, (int32_t)cell, 0},
                    shift = {0, KG_CELL_COORDINATE_BITS, 2 * KG_CELL_COORDINATE_BITS, 0};
    kg_double4 low, edge, ends[2], stops[2], gap, above, x, v, t;
    kg_mask4 up;
    memcpy(&low, cell_lists->low, sizeof low);
    memcpy(&edge, cell_lists->edge, sizeof edge);
    memcpy(&ends[0], cell_lists->last_cell[0],
           /* one by one: gcc would copy both in halves, which stalls on store forwarding */
           sizeof ends[0]);
    memcpy(&ends[1], cell_lists->last_cell[1], sizeof ends[1]);
    memcpy(&stops[0], cell_lists->border_cell[0], sizeof stops[0]);
    memcpy(&stops[1], cell_lists->border_cell[1], sizeof stops[1]);
    memcpy(&gap, cell_lists->gap, sizeof gap);
    memcpy(&above, cell_lists->cell_above_gap, sizeof above);
    memcpy(&x, m->x, sizeof x);
    memcpy(&v, m->v, sizeof v);
    KG_EACH (4) {
        kg_mask4_lane rises = KG_MASK(KG_L(v) > 0), inside;
        kg_double4_lane c = KG_CONVERT(kg_double4,
                                       KG_L(cells) >> KG_L(shift) & KG_CELL_COORDINATE_MAX),
                        sides = c + KG_CHOOSE(kg_double4, kg_mask4, rises, KG_L(one), KG_L(none)),
                        bound = KG_L(low) + KG_L(edge) * sides +
                                KG_CHOOSE(kg_double4, kg_mask4, sides >= KG_L(above), KG_L(gap),
                                          KG_L(none)),
                        at = m->clock + (bound - KG_L(x)) / KG_L(v);
        inside = (c != KG_CHOOSE(kg_double4, kg_mask4, rises, KG_L(ends[1]), KG_L(ends[0]))) &
                 (c != KG_CHOOSE(kg_double4, kg_mask4, rises, KG_L(stops[1]), KG_L(stops[0]))) &
                 (KG_L(v) != 0) & (at < KG_NEVER);
        KG_L(t) = KG_CHOOSE(kg_double4, kg_mask4, inside, at, KG_L(never));
        KG_L(up) = rises;
    }
    double tx = KG_AT(t, 0), ty = KG_AT(t, 1), tz = KG_AT(t, 2), earliest = tx < ty ? tx : ty;
    earliest = earliest < tz ? earliest : tz;
    uint32_t axis =
        (uint32_t)(tx != earliest) + ((uint32_t)(tx != earliest) & (uint32_t)(ty != earliest));
    *face = 2 * axis + (kg_movemask4(&up) >> axis & 1);
    return earliest;
}

#endif
