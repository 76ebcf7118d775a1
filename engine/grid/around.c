/* Who is in the dense cells around a body. In: cells (dense.h). Out: entries, side by side; which cells hold how many
 * has no pattern, so no branch depends on it. Order: cells, places in them. Cost: some seven instructions a cell. */
#include <string.h>

#include "base/wide.h"
#include "grid/grid.h"

/* A whole cell is copied, and the next one over what of it is empty: its entries stand at its beginning. `out` is where
 * they would go if all cells before were full, `*moved` (0 and below) how much nearer they go. */
KG_INLINE void gather_cell(const uint32_t cell[KG_DENSE_ROOM], uint32_t *out, bool wide, intptr_t *moved)
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
enum { ROW = 3 * KG_DENSE_ROOM, LAYER = 3 * ROW };

KG_INLINE void gather_row(const uint32_t (*cell)[KG_DENSE_ROOM], uint32_t *out, bool wide, intptr_t *moved)
{
    gather_cell(cell[0], out, wide, moved);
    gather_cell(cell[1], out + KG_DENSE_ROOM, wide, moved);
    gather_cell(cell[2], out + 2 * KG_DENSE_ROOM, wide, moved);
}

KG_INLINE void gather_rows(const uint32_t (*first)[KG_DENSE_ROOM], size_t apart, uint32_t *out, bool wide, intptr_t *moved)
{
    gather_row(first, out, wide, moved);
    gather_row(first + apart, out + ROW, wide, moved);
    gather_row(first + 2 * apart, out + 2 * ROW, wide, moved);
}

/* One cell of each of three rows. */
KG_INLINE void gather_column(const uint32_t (*first)[KG_DENSE_ROOM], size_t apart, uint32_t *out, bool wide, intptr_t *moved)
{
    gather_cell(first[0], out, wide, moved);
    gather_cell(first[apart], out + KG_DENSE_ROOM, wide, moved);
    gather_cell(first[2 * apart], out + 2 * KG_DENSE_ROOM, wide, moved);
}

/* Of the own cell the slots above. */
KG_INLINE uint32_t gather_own(const uint32_t cell[KG_DENSE_ROOM], uint32_t slot, uint32_t *out)
{
    uint32_t count = 0;
    for (int k = 0; k < KG_DENSE_ROOM; ++k) {
        out[count] = cell[k];
        count += (uint32_t)(cell[k] > (slot | KG_ENTRY_AS_IS)) & (uint32_t)(cell[k] != KG_NONE);
    }
    return count;
}

KG_INLINE uint32_t gather(const kg_dense *dense, uint32_t slot, uint32_t which, uint32_t *out, bool wide)
{
    size_t dy = dense->count[0], dz = dy * dense->count[1], far = which & 1 ? 2 : 0;
    const uint32_t(*own)[KG_DENSE_ROOM] = dense->cell + kg_dense_index(dense, dense->place[slot].cell);
    const uint32_t(*first)[KG_DENSE_ROOM] = own - dz - dy - 1;
    uint32_t cells = 9 * KG_DENSE_ROOM;
    intptr_t moved = 0;
    switch (which) {
    case KG_DENSE_ALL:
        for (int z = 0; z < 3; ++z) gather_rows(first + (size_t)z * dz, dy, out + z * LAYER, wide, &moved);
        cells *= 3;
        break;
    case KG_DENSE_LATER:
        cells += 4 * KG_DENSE_ROOM + gather_own(own[0], slot, out);
        out += cells - 13 * KG_DENSE_ROOM;
        gather_cell(own[1], out, wide, &moved);
        gather_row(own + dy - 1, out + KG_DENSE_ROOM, wide, &moved);
        gather_rows(first + 2 * dz, dy, out + 4 * KG_DENSE_ROOM, wide, &moved);
        break;
    case 0:
    case 1:
        for (int z = 0; z < 3; ++z) gather_column(first + (size_t)z * dz + far, dy, out + z * ROW, wide, &moved);
        break;
    case 2:
    case 3: gather_rows(first + far * dy, dz, out, wide, &moved); break;
    default: gather_rows(first + far * dz, dy, out, wide, &moved);
    }
    return cells + (uint32_t)moved;
}

#ifdef KG_AVX2
KG_AVX2 static uint32_t gather_avx2(const kg_dense *dense, uint32_t slot, uint32_t which, uint32_t *out)
{
    return gather(dense, slot, which, out, true);
}
#endif

static uint32_t gather_any(const kg_dense *dense, uint32_t slot, uint32_t which, uint32_t *out)
{
#ifdef KG_AVX2
    if (KG_HAS_AVX2) return gather_avx2(dense, slot, which, out);
#endif
    return gather(dense, slot, which, out, false);
}

/* Is the cell of one that found no room among those to look at? Then what is to be added to its entry's image. */
static bool is_near(const kg_dense *dense, uint32_t slot, uint32_t other, uint32_t which, int *image)
{
    static const int step[3] = {1, 3, 9};
    int d[3], ahead = 0;
    *image = 0;
    for (int axis = 0; axis < 3; ++axis) {
        int last = (int)dense->count[axis] - 3;
        d[axis] = (int)kg_dense_axis(dense->place[other].cell, axis) - (int)kg_dense_axis(dense->place[slot].cell, axis);
        bool periodic = dense->periodic >> 2 * axis & 1;
        if (periodic && d[axis] == last) d[axis] = -1, *image -= step[axis];
        else if (periodic && d[axis] == -last) d[axis] = 1, *image += step[axis];
        if (d[axis] < -1 || d[axis] > 1) return false;
        ahead += step[axis] * d[axis];
    }
    if (which < KG_DENSE_ALL) return d[which / 2] == (which & 1 ? 1 : -1);
    return which == KG_DENSE_ALL || ahead > 0 || (ahead == 0 && other > slot);
}

static __attribute__((noinline)) uint32_t add_loose(const kg_dense *dense, uint32_t slot, uint32_t which, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < dense->loose_count; ++k) {
        int image;
        if (!is_near(dense, slot, dense->loose[k], which, &image)) continue;
        out[count++] = dense->loose[k] | (uint32_t)((int)KG_IMAGE_NONE + image) << KG_ENTRY_IMAGE_SHIFT;
    }
    return count;
}

void kg_dense_fetch(const kg_dense *dense, uint32_t slot)
{
    uint32_t dy = dense->count[0], dz = dy * dense->count[1];
    const uint32_t(*first)[KG_DENSE_ROOM] = dense->cell + kg_dense_index(dense, dense->place[slot].cell) - dz - dy - 1;
    for (uint32_t z = 0; z < 3; ++z) {
        for (uint32_t y = 0; y < 3; ++y) {
            __builtin_prefetch(first[z * dz + y * dy]);
            __builtin_prefetch(first[z * dz + y * dy + 2]);
        }
    }
}

uint32_t kg_dense_near(const kg_dense *dense, uint32_t slot, uint32_t which, uint32_t *out)
{
    uint32_t count = gather_any(dense, slot, which, out);
    return dense->loose_count ? count + add_loose(dense, slot, which, out + count) : count;
}
