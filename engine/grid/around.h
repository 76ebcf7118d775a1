/* What every event asks of dense cells (dense.h): who is around a body, and when does it leave its cell. Inline, for there
 * it is compiled together with what comes next, once for each width of vectors. `wide`: AVX2's instructions may be used.
 * Which cells hold how many, and through which face bodies go, has no pattern: no branch depends on it.
 * Cost: some six instructions a cell. */
#ifndef KG_GRID_AROUND_H
#define KG_GRID_AROUND_H

#include <string.h>

#include "base/wide.h"
#include "geometry/sweep.h"
#include "grid/grid.h"

/* A whole cell is copied, and the next one over what of it is empty: its entries stand at its beginning. `out` is where
 * they would go if all cells before were full, `*moved` (0 and below) how much nearer they go. */
KG_INLINE void kg_gather_cell(const kg_dense_cell cell, uint32_t *out, bool wide, intptr_t *moved)
{
    kg_mask4f words;
    memcpy(&words, cell, sizeof words);
    memcpy(out + *moved, &words, sizeof words);
    words = words == -1; /* KG_NONE */
    uint32_t empty = kg_bits4f(&words);
    empty = wide ? (uint32_t)__builtin_popcount(empty) : KG_DENSE_ROOM - (uint32_t)__builtin_ctz(empty | 1u << KG_DENSE_ROOM);
    *moved -= (intptr_t)empty;
}

/* Three cells side by side; three such rows. Written out, for loops over so few are not unrolled. */
enum { KG_GATHER_ROW = 3 * KG_DENSE_ROOM, KG_GATHER_LAYER = 3 * KG_GATHER_ROW };

KG_INLINE void kg_gather_row(const kg_dense_cell *cell, uint32_t *out, bool wide, intptr_t *moved)
{
    kg_gather_cell(cell[0], out, wide, moved);
    kg_gather_cell(cell[1], out + KG_DENSE_ROOM, wide, moved);
    kg_gather_cell(cell[2], out + 2 * KG_DENSE_ROOM, wide, moved);
}

KG_INLINE void kg_gather_rows(const kg_dense_cell *first, size_t apart, uint32_t *out, bool wide, intptr_t *moved)
{
    kg_gather_row(first, out, wide, moved);
    kg_gather_row(first + apart, out + KG_GATHER_ROW, wide, moved);
    kg_gather_row(first + 2 * apart, out + 2 * KG_GATHER_ROW, wide, moved);
}

/* One cell of each of three rows. */
KG_INLINE void kg_gather_column(const kg_dense_cell *first, size_t apart, uint32_t *out, bool wide, intptr_t *moved)
{
    kg_gather_cell(first[0], out, wide, moved);
    kg_gather_cell(first[apart], out + KG_DENSE_ROOM, wide, moved);
    kg_gather_cell(first[2 * apart], out + 2 * KG_DENSE_ROOM, wide, moved);
}

/* Of the own cell the slots above. */
KG_INLINE uint32_t kg_gather_own(const kg_dense_cell cell, uint32_t slot, uint32_t *out)
{
    uint32_t count = 0;
    for (int k = 0; k < KG_DENSE_ROOM; ++k) {
        out[count] = cell[k];
        count += (uint32_t)(cell[k] > (slot | KG_ENTRY_AS_IS)) & (uint32_t)(cell[k] != KG_NONE);
    }
    return count;
}

/* The middle one of three layers. Returns the body's own bit: entry k is its own where bit k is set. */
KG_INLINE uint64_t kg_gather_middle(const kg_dense_cell *own, size_t dy, uint32_t slot, uint32_t *out, bool wide, intptr_t *moved)
{
    const int32_t mine = (int32_t)(slot | KG_ENTRY_AS_IS);
    kg_mask4f words;
    memcpy(&words, own[0], sizeof words);
    words = words == (kg_mask4f){mine, mine, mine, mine};
    kg_gather_row(own - dy - 1, out, wide, moved);
    kg_gather_cell(own[-1], out + KG_GATHER_ROW, wide, moved);
    uint64_t bit = (uint64_t)kg_bits4f(&words) << (KG_GATHER_LAYER + KG_GATHER_ROW + KG_DENSE_ROOM + *moved);
    kg_gather_cell(own[0], out + KG_GATHER_ROW + KG_DENSE_ROOM, wide, moved);
    kg_gather_cell(own[1], out + KG_GATHER_ROW + 2 * KG_DENSE_ROOM, wide, moved);
    kg_gather_row(own + dy - 1, out + 2 * KG_GATHER_ROW, wide, moved);
    return bit;
}

/* See kg_dense_near; eight entries behind are the body's own. `*self`: bit k is set where entry k is. */
KG_INLINE uint32_t kg_gather(const kg_dense *dense, uint32_t slot, uint32_t which, uint32_t *out, uint64_t *self, bool wide)
{
    size_t dy = dense->count[0], dz = dy * dense->count[1], far = which & 1 ? 2 : 0;
    const kg_dense_cell *own = dense->cell + dense->place[slot].index;
    const kg_dense_cell *first = own - dz - dy - 1;
    uint32_t *begin = out;
    uint32_t cells = 9 * KG_DENSE_ROOM, count;
    intptr_t moved = 0;
    *self = 0;
    switch (which) {
    case KG_DENSE_ALL:
        kg_gather_rows(first, dy, out, wide, &moved);
        *self = kg_gather_middle(own, dy, slot, out + KG_GATHER_LAYER, wide, &moved);
        kg_gather_rows(first + 2 * dz, dy, out + 2 * KG_GATHER_LAYER, wide, &moved);
        cells *= 3;
        break;
    case KG_DENSE_LATER:
        cells += 4 * KG_DENSE_ROOM + kg_gather_own(own[0], slot, out);
        out += cells - 13 * KG_DENSE_ROOM;
        kg_gather_cell(own[1], out, wide, &moved);
        kg_gather_row(own + dy - 1, out + KG_DENSE_ROOM, wide, &moved);
        kg_gather_rows(first + 2 * dz, dy, out + 4 * KG_DENSE_ROOM, wide, &moved);
        break;
    case 0:
    case 1:
        for (int z = 0; z < 3; ++z) kg_gather_column(first + (size_t)z * dz + far, dy, out + z * KG_GATHER_ROW, wide, &moved);
        break;
    case 2:
    case 3: kg_gather_rows(first + far * dy, dz, out, wide, &moved); break;
    default: kg_gather_rows(first + far * dz, dy, out, wide, &moved);
    }
    count = cells + (uint32_t)moved;
    if (dense->loose_count) count += kg_dense_add_loose(dense, slot, which, begin + count);
    const kg_mask4f behind = {(int32_t)slot, (int32_t)slot, (int32_t)slot, (int32_t)slot};
    memcpy(begin + count, &behind, sizeof behind);
    memcpy(begin + count + 4, &behind, sizeof behind);
    return count;
}

/* All axes at once, and without branches: through which face bodies go has no pattern. */
KG_INLINE double kg_leaves(const kg_dense *dense, const kg_motion *m, uint32_t cell, uint32_t *face)
{
    const kg_double4 one = {1, 1, 1, 1}, never = {KG_NEVER, KG_NEVER, KG_NEVER, KG_NEVER};
    const kg_mask4f cells = {(int32_t)cell, (int32_t)cell, (int32_t)cell, 0}, shift = {0, KG_DENSE_BITS, 2 * KG_DENSE_BITS, 0};
    kg_double4 c = __builtin_convertvector(cells >> shift & KG_DENSE_MOST, kg_double4), low, edge, ends[2], stops[2], x, v;
    memcpy(&low, dense->low, sizeof low);
    memcpy(&edge, dense->edge, sizeof edge);
    memcpy(&ends[0], dense->end[0], sizeof ends[0]); /* one by one: gcc copies both in halves, and then waits for them */
    memcpy(&ends[1], dense->end[1], sizeof ends[1]);
    memcpy(&stops[0], dense->stop[0], sizeof stops[0]);
    memcpy(&stops[1], dense->stop[1], sizeof stops[1]);
    memcpy(&x, m->x, sizeof x);
    memcpy(&v, m->v, sizeof v);
    kg_mask4 up = v > 0;
    kg_double4 bound = low + edge * (c + (kg_double4)(up & (kg_mask4)one));
    kg_mask4 inside = c != (kg_double4)((up & (kg_mask4)ends[1]) | (~up & (kg_mask4)ends[0]));
    inside &= c != (kg_double4)((up & (kg_mask4)stops[1]) | (~up & (kg_mask4)stops[0]));
    kg_double4 t = m->clock + (bound - x) / v;
    inside &= (v != 0) & (t < KG_NEVER);
    t = (kg_double4)((inside & (kg_mask4)t) | (~inside & (kg_mask4)never));
    double tx = t[0], ty = t[1], tz = t[2], earliest = tx < ty ? tx : ty;
    earliest = earliest < tz ? earliest : tz;
    uint32_t axis = (uint32_t)(tx != earliest) + ((uint32_t)(tx != earliest) & (uint32_t)(ty != earliest));
    *face = 2 * axis + (kg_bits4(&up) >> axis & 1);
    return earliest;
}

#endif
