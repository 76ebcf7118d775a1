/* Operations on vectors for which AVX2 has special instructions. They are not in
 * base/wide.h, because <immintrin.h> takes longer to compile than most sources.
 * `wide`: the constant of base/dispatch.h, true in functions compiled for AVX2. */
#ifndef KG_BASE_WIDE_AVX_H
#define KG_BASE_WIDE_AVX_H

#if defined(__x86_64__) && !defined(KUGEL_PORTABLE)
#include <immintrin.h>
#endif

#include "base/wide.h"

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

/* kg_movemask8, in one instruction where `wide`. */
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
#ifdef KG_HAS_SSE2
    __m128i zero = _mm_setzero_si128(),
            words = _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)(const void *)bytes), zero);
    __m128 halves[2] = {_mm_cvtepi32_ps(_mm_unpacklo_epi16(words, zero)),
                        _mm_cvtepi32_ps(_mm_unpackhi_epi16(words, zero))};
    memcpy(out, halves, sizeof halves);
#else
    for (int k = 0; k < 8; ++k) KG_AT(*out, k) = bytes[k];
#endif
}

/* x > y ? x : y for each lane; in one instruction where `wide`. */
KG_INLINE void kg_max8(const kg_float8 *x, const kg_float8 *y, kg_float8 *out, bool wide)
{
#ifdef KG_HAS_AVX2
    if (wide) {
        kg_max8_avx2(x, y, out);
        return;
    }
#endif
    (void)wide;
#ifdef KG_HAS_SSE2
    const __m128 *a = (const __m128 *)x, *b = (const __m128 *)y;
    memcpy(out, (const __m128[]){_mm_max_ps(a[0], b[0]), _mm_max_ps(a[1], b[1])}, sizeof *out);
#else
    KG_EACH (8)
        KG_L(*out) = KG_CHOOSE(kg_float8, kg_mask8, KG_L(*x) > KG_L(*y), KG_L(*x), KG_L(*y));
#endif
}

/* x < y ? x : y for each lane; in one instruction where `wide`. */
KG_INLINE void kg_min8(const kg_float8 *x, const kg_float8 *y, kg_float8 *out, bool wide)
{
#ifdef KG_HAS_AVX2
    if (wide) {
        kg_min8_avx2(x, y, out);
        return;
    }
#endif
    (void)wide;
#ifdef KG_HAS_SSE2
    const __m128 *a = (const __m128 *)x, *b = (const __m128 *)y;
    memcpy(out, (const __m128[]){_mm_min_ps(a[0], b[0]), _mm_min_ps(a[1], b[1])}, sizeof *out);
#else
    KG_EACH (8)
        KG_L(*out) = KG_CHOOSE(kg_float8, kg_mask8, KG_L(*x) < KG_L(*y), KG_L(*x), KG_L(*y));
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
#ifdef KG_HAS_SSE2
    __m128 four = _mm_load1_ps((const float *)number); /* eight stores would stall the next load */
    memcpy(out, (const __m128[]){four, four}, sizeof *out);
#else
    for (int k = 0; k < 8; ++k) memcpy((char *)out + 4 * k, number, 4);
#endif
}

#endif
