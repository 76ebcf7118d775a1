/* Vectors of fixed width (GCC's and Clang's vector extensions) and operations on them. The compiler
 * lowers them to the target's instructions; lanes are independent: the same bits everywhere.
 * `wide`: the constant of base/dispatch.h, true in functions compiled for AVX2. */
#ifndef KG_BASE_WIDE_H
#define KG_BASE_WIDE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/dispatch.h"

typedef double kg_double4 __attribute__((vector_size(32)));
typedef int64_t kg_mask4 __attribute__((vector_size(32)));
typedef float kg_float4 __attribute__((vector_size(16)));
typedef int32_t kg_mask4f __attribute__((vector_size(16)));
typedef float kg_float8 __attribute__((vector_size(32)));
typedef int32_t kg_mask8 __attribute__((vector_size(32)));
typedef double kg_double8 __attribute__((vector_size(64)));
typedef int64_t kg_mask8d __attribute__((vector_size(64)));

/* The same without alignment. A memcpy may store halves, and a load of the whole then stalls. */
typedef float kg_float8_unaligned __attribute__((vector_size(32), aligned(4), may_alias));
typedef double kg_double4_unaligned __attribute__((vector_size(32), aligned(8), may_alias));
typedef double kg_double8_unaligned __attribute__((vector_size(64), aligned(8), may_alias));
typedef float kg_float4_unaligned __attribute__((vector_size(16), aligned(4), may_alias));

#ifdef KG_HAS_AVX2
KG_AVX2 static inline uint32_t kg_movemask8_avx2(const kg_mask8 *mask)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_loadu_ps((const float *)(const void *)mask));
}

KG_AVX2 static inline void kg_splat8_avx2(const void *number, kg_float8 *out)
{
    *out = (kg_float8)_mm256_broadcast_ss((const float *)number);
}

KG_AVX2 static inline void kg_bytes_to_float8_avx2(const uint8_t *bytes, kg_float8 *out)
{
    __m128i eight = _mm_loadl_epi64((const __m128i *)(const void *)bytes);
    *out = (kg_float8)_mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(eight));
}

KG_AVX2 static inline void kg_max8_avx2(const kg_float8 *x, const kg_float8 *y, kg_float8 *out)
{
    *out = (kg_float8)_mm256_max_ps((__m256)*x, (__m256)*y);
}

KG_AVX2 static inline void kg_min8_avx2(const kg_float8 *x, const kg_float8 *y, kg_float8 *out)
{
    *out = (kg_float8)_mm256_min_ps((__m256)*x, (__m256)*y);
}
#endif

#ifdef KG_HAS_AVX512
KG_AVX512_BEGIN
/* Bit k: lane k of a comparison is true. */
static inline uint32_t kg_movemask8d_avx512(const kg_mask8d *mask)
{
    return _mm512_movepi64_mask(_mm512_loadu_si512(mask));
}

/* Eight square roots in one instruction: compilers split a loop, or call sqrt for its errno. */
static inline void kg_sqrt8_avx512(kg_double8 *x) { *x = (kg_double8)_mm512_sqrt_pd((__m512d)*x); }
KG_AVX512_END
#endif

/* Four rows of four become four columns. */
KG_INLINE void kg_transpose4(const kg_double4 *const row[4], kg_double4 out[4])
{
    kg_double4 a = __builtin_shufflevector(*row[0], *row[1], 0, 4, 2, 6),
               b = __builtin_shufflevector(*row[0], *row[1], 1, 5, 3, 7);
    kg_double4 c = __builtin_shufflevector(*row[2], *row[3], 0, 4, 2, 6),
               d = __builtin_shufflevector(*row[2], *row[3], 1, 5, 3, 7);
    out[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    out[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    out[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

/* Items i ... i + 3 of four columns become four vectors at `rows`, `stride` doubles apart; and back
 * into the first three columns. Loops are unrolled by hand: gcc would keep them in memory. */
KG_INLINE void kg_columns_to_rows4(const double *const column[4], uint32_t i, double *rows,
                                   uint32_t stride)
{
    const kg_double4 c[4] = {*(const kg_double4_unaligned *)(column[0] + i),
                             *(const kg_double4_unaligned *)(column[1] + i),
                             *(const kg_double4_unaligned *)(column[2] + i),
                             *(const kg_double4_unaligned *)(column[3] + i)};
    const kg_double4 *const row[4] = {&c[0], &c[1], &c[2], &c[3]};
    kg_double4 out[4];
    kg_transpose4(row, out);
    *(kg_double4_unaligned *)rows = out[0];
    *(kg_double4_unaligned *)(rows + stride) = out[1];
    *(kg_double4_unaligned *)(rows + 2 * stride) = out[2];
    *(kg_double4_unaligned *)(rows + 3 * stride) = out[3];
}

KG_INLINE void kg_rows_to_columns4(const double *rows, uint32_t stride, double *const column[3],
                                   uint32_t i)
{
    const kg_double4 l[4] = {*(const kg_double4_unaligned *)rows,
                             *(const kg_double4_unaligned *)(rows + stride),
                             *(const kg_double4_unaligned *)(rows + 2 * stride),
                             *(const kg_double4_unaligned *)(rows + 3 * stride)};
    const kg_double4 *const row[4] = {&l[0], &l[1], &l[2], &l[3]};
    kg_double4 out[4];
    kg_transpose4(row, out);
    *(kg_double4_unaligned *)(column[0] + i) = out[0];
    *(kg_double4_unaligned *)(column[1] + i) = out[1];
    *(kg_double4_unaligned *)(column[2] + i) = out[2];
}

/* Bit k: lane k of a comparison is true. */
KG_INLINE uint32_t kg_movemask4(const kg_mask4 *mask)
{
#if defined(__SSE2__)
    const double *halves = (const double *)mask;
    return (uint32_t)_mm_movemask_pd(_mm_loadu_pd(halves)) |
           (uint32_t)_mm_movemask_pd(_mm_loadu_pd(halves + 2)) << 2;
#else
    return (uint32_t)(((*mask)[0] & 1) | ((*mask)[1] & 2) | ((*mask)[2] & 4) | ((*mask)[3] & 8));
#endif
}

KG_INLINE uint32_t kg_movemask4f(const kg_mask4f *mask)
{
#if defined(__SSE2__)
    return (uint32_t)_mm_movemask_ps(_mm_loadu_ps((const float *)(const void *)mask));
#else
    return (uint32_t)(((*mask)[0] & 1) | ((*mask)[1] & 2) | ((*mask)[2] & 4) | ((*mask)[3] & 8));
#endif
}

KG_INLINE uint32_t kg_movemask8(const kg_mask8 *mask)
{
#if defined(__SSE2__)
    const float *halves = (const float *)mask;
    return (uint32_t)_mm_movemask_ps(_mm_loadu_ps(halves)) |
           (uint32_t)_mm_movemask_ps(_mm_loadu_ps(halves + 4)) << 4;
#else
    uint32_t bits = 0;
    for (int k = 0; k < 8; ++k) bits |= ((uint32_t)(*mask)[k] & 1u) << k;
    return bits;
#endif
}

/* The same, in one instruction where `wide`. */
KG_INLINE uint32_t kg_movemask8_wide(const kg_mask8 *mask, bool wide)
{
#ifdef KG_HAS_AVX2
    if (wide) return kg_movemask8_avx2(mask);
#endif
    (void)wide;
    return kg_movemask8(mask);
}

/* Eight bytes as floats; in two instructions where `wide`. */
KG_INLINE void kg_bytes_to_float8(const uint8_t *bytes, kg_float8 *out, bool wide)
{
#ifdef KG_HAS_AVX2
    if (wide) {
        kg_bytes_to_float8_avx2(bytes, out);
        return;
    }
#endif
    (void)wide;
#if defined(__SSE2__)
    __m128i zero = _mm_setzero_si128(),
            words = _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)(const void *)bytes), zero);
    __m128 halves[2] = {_mm_cvtepi32_ps(_mm_unpacklo_epi16(words, zero)),
                        _mm_cvtepi32_ps(_mm_unpackhi_epi16(words, zero))};
    memcpy(out, halves, sizeof halves);
#else
    for (int k = 0; k < 8; ++k) (*out)[k] = bytes[k];
#endif
}

/* x > y ? x : y, and x < y ? x : y; in one instruction where `wide`. */
KG_INLINE void kg_max8(const kg_float8 *x, const kg_float8 *y, kg_float8 *out, bool wide)
{
#ifdef KG_HAS_AVX2
    if (wide) {
        kg_max8_avx2(x, y, out);
        return;
    }
#endif
    (void)wide;
#if defined(__SSE2__)
    const __m128 *a = (const __m128 *)x, *b = (const __m128 *)y;
    memcpy(out, (const __m128[]){_mm_max_ps(a[0], b[0]), _mm_max_ps(a[1], b[1])}, sizeof *out);
#else
    kg_mask8 m = *x > *y;
    *out = (kg_float8)((m & (kg_mask8)*x) | (~m & (kg_mask8)*y));
#endif
}

KG_INLINE void kg_min8(const kg_float8 *x, const kg_float8 *y, kg_float8 *out, bool wide)
{
#ifdef KG_HAS_AVX2
    if (wide) {
        kg_min8_avx2(x, y, out);
        return;
    }
#endif
    (void)wide;
#if defined(__SSE2__)
    const __m128 *a = (const __m128 *)x, *b = (const __m128 *)y;
    memcpy(out, (const __m128[]){_mm_min_ps(a[0], b[0]), _mm_min_ps(a[1], b[1])}, sizeof *out);
#else
    kg_mask8 m = *x < *y;
    *out = (kg_float8)((m & (kg_mask8)*x) | (~m & (kg_mask8)*y));
#endif
}

/* A number of 32 bits in eight lanes; in one instruction where `wide`. */
KG_INLINE void kg_splat8(const void *number, kg_float8 *out, bool wide)
{
#ifdef KG_HAS_AVX2
    if (wide) {
        kg_splat8_avx2(number, out);
        return;
    }
#endif
    (void)wide;
#if defined(__SSE2__)
    __m128 four = _mm_load1_ps((const float *)number); /* eight stores would stall the next load */
    memcpy(out, (const __m128[]){four, four}, sizeof *out);
#else
    for (int k = 0; k < 8; ++k) memcpy((char *)out + 4 * k, number, 4);
#endif
}

#endif
