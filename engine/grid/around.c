/* Who is in the dense cells around a body. In: cells (dense.h). Out: entries, side by side; which cells hold how many
 * has no pattern, so no branch depends on it. Order: cells, places in them. Cost: the cells, 4 or 12 words a time. */
#include "base/wide.h"
#include "grid/grid.h"

/* Which entries a cell holds has no pattern: no branches. */
#ifdef KG_AVX2
KG_AVX2 static inline uint32_t pack_avx2(const kg_dense *dense, __m256i words, uint32_t bits, uint32_t *out)
{
    __m256i order = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)dense->order[bits]));
    _mm256_storeu_si256((__m256i *)(void *)out, _mm256_permutevar8x32_epi32(words, order));
    return (uint32_t)__builtin_popcount(bits);
}

KG_AVX2 static inline uint32_t gather_cell_avx2(const kg_dense *dense, const uint32_t cell[KG_DENSE_ROOM], uint32_t *out)
{
    __m128i words = _mm_loadu_si128((const __m128i *)(const void *)cell), none = _mm_cmpeq_epi32(words, _mm_set1_epi32(-1));
    return pack_avx2(dense, _mm256_castsi128_si256(words), ~(uint32_t)_mm_movemask_ps(_mm_castsi128_ps(none)) & 0xf, out);
}

/* Three cells side by side. */
KG_AVX2 static inline uint32_t gather_row_avx2(const kg_dense *dense, const uint32_t (*cell)[KG_DENSE_ROOM], uint32_t *out)
{
    __m256i words = _mm256_loadu_si256((const __m256i *)(const void *)cell), none = _mm256_cmpeq_epi32(words, _mm256_set1_epi32(-1));
    uint32_t count = pack_avx2(dense, words, ~(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(none)) & 0xff, out);
    return count + gather_cell_avx2(dense, cell[2], out + count);
}
#endif

KG_INLINE uint32_t gather_cell(const kg_dense *dense, const uint32_t cell[KG_DENSE_ROOM], uint32_t *out, bool wide)
{
#ifdef KG_AVX2
    if (wide) return gather_cell_avx2(dense, cell, out);
#endif
    (void)dense;
    uint32_t count = 0;
    for (int k = 0; k < KG_DENSE_ROOM; ++k) {
        out[count] = cell[k];
        count += cell[k] != KG_NONE;
    }
    return count;
}

KG_INLINE uint32_t gather_row(const kg_dense *dense, const uint32_t (*cell)[KG_DENSE_ROOM], uint32_t *out, bool wide)
{
#ifdef KG_AVX2
    if (wide) return gather_row_avx2(dense, cell, out);
#endif
    uint32_t count = 0;
    for (int x = 0; x < 3; ++x) count += gather_cell(dense, cell[x], out + count, false);
    return count;
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
    uint32_t dy = dense->count[0], dz = dy * dense->count[1], far = which & 1 ? 2 : 0, count = 0;
    const uint32_t(*own)[KG_DENSE_ROOM] = dense->cell + kg_dense_index(dense, dense->place[slot].cell);
    const uint32_t(*first)[KG_DENSE_ROOM] = own - dz - dy - 1;
    if (which == KG_DENSE_LATER) {
        count += gather_own(own[0], slot, out);
        count += gather_cell(dense, own[1], out + count, wide);
        count += gather_row(dense, own + dy - 1, out + count, wide);
    }
    for (uint32_t k = 0; k < 3; ++k) {
        if (which == KG_DENSE_ALL) {
            for (uint32_t y = 0; y < 3; ++y) count += gather_row(dense, first + k * dz + y * dy, out + count, wide);
        } else if (which == KG_DENSE_LATER) {
            count += gather_row(dense, first + 2 * dz + k * dy, out + count, wide);
        } else if (which / 2 == 2) {
            count += gather_row(dense, first + far * dz + k * dy, out + count, wide);
        } else if (which / 2 == 1) {
            count += gather_row(dense, first + k * dz + far * dy, out + count, wide);
        } else {
            for (uint32_t y = 0; y < 3; ++y) count += gather_cell(dense, first[k * dz + y * dy + far], out + count, wide);
        }
    }
    return count;
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
