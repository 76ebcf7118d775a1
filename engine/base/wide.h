/* Vectors of fixed width in one source (GCC's and Clang's vector extensions): lowered to whatever
 * the target has, lanes independent, so the same bits everywhere. Code that wants wider
 * instructions than the build's is compiled once more for each and chosen by KG_HAS_AVX2 and
 * KG_HAS_AVX512. Used only where the result is a superset or each lane stands alone: no sums across
 * lanes. */
#ifndef KG_BASE_WIDE_H
#define KG_BASE_WIDE_H

#include <stdint.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

typedef double kg_double4 __attribute__((vector_size(32)));
typedef int64_t kg_mask4 __attribute__((vector_size(32)));
typedef float kg_float4 __attribute__((vector_size(16)));
typedef int32_t kg_mask4f __attribute__((vector_size(16)));
typedef float kg_float8 __attribute__((vector_size(32)));
typedef int32_t kg_mask8 __attribute__((vector_size(32)));
typedef double kg_double8 __attribute__((vector_size(64)));
typedef int64_t kg_mask8d __attribute__((vector_size(64)));

/* The same anywhere in memory: a copy by memcpy may go through halves, which stalls whoever reads
 * the whole. */
typedef float kg_float8_unaligned __attribute__((vector_size(32), aligned(4), may_alias));
typedef double kg_double4_unaligned __attribute__((vector_size(32), aligned(8), may_alias));
typedef double kg_double8_unaligned __attribute__((vector_size(64), aligned(8), may_alias));
typedef float kg_float4_unaligned __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t kg_mask4f_unaligned __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t kg_mask8_unaligned __attribute__((vector_size(32), aligned(4), may_alias));

#define KG_INLINE static inline __attribute__((always_inline))

#if defined(__x86_64__)
#define KG_HAS_AVX2 __builtin_cpu_supports("avx2")
#define KG_AVX2 __attribute__((target("avx2,popcnt")))
/* kg_movemask8 in one instruction. */
KG_AVX2 static inline uint32_t kg_movemask8_avx2(const kg_mask8 *mask)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_loadu_ps((const float *)(const void *)mask));
}
/* One number of 32 bits eight times: given as eight, gcc makes it by a dozen instructions. */
KG_AVX2 static inline void kg_splat8_avx2(const void *number, kg_float8 *out)
{
    *out = (kg_float8)_mm256_broadcast_ss((const float *)number);
}
#endif

/* Functions between the two are made for vectors of 256 bits: where KG_HAS_AVX2 is defined. */
#ifdef __clang__
#define KG_AVX2_BEGIN                                                                              \
    _Pragma("clang attribute push(__attribute__((target(\"avx2,popcnt\"))), apply_to = function)")
#define KG_AVX2_END _Pragma("clang attribute pop")
#else
#define KG_AVX2_BEGIN _Pragma("GCC push_options") _Pragma("GCC target(\"avx2,popcnt\")")
#define KG_AVX2_END _Pragma("GCC pop_options")
#endif

/* The same for vectors of 512 bits, where KG_HAS_AVX512 is defined; what is compiled for some
 * processors (-march=native) would have them in halves if it were not told that they are wanted.
 * Not on Windows, where gcc aligns the stack to 16 bytes only. */
#if defined(__x86_64__) && !defined(_WIN32)
#define KG_HAS_AVX512                                                                              \
    (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&                    \
     __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
#ifdef __clang__
#define KG_AVX512_BEGIN                                                                            \
    _Pragma("clang attribute "                                                                     \
            "push(__attribute__((target(\"avx512f,avx512dq,avx512vl,avx512bw,popcnt\"))), "        \
            "apply_to = function)")                                                                \
        _Pragma(                                                                                   \
            "clang attribute push(__attribute__((min_vector_width(512))), apply_to = function)")
#define KG_AVX512_END _Pragma("clang attribute pop") _Pragma("clang attribute pop")
#else
#define KG_AVX512_BEGIN                                                                            \
    _Pragma("GCC push_options") _Pragma(                                                           \
        "GCC target(\"avx512f,avx512dq,avx512vl,avx512bw,popcnt,prefer-vector-width=512\")")
#define KG_AVX512_END _Pragma("GCC pop_options")
#endif
KG_AVX512_BEGIN
/* Bit k: lane k of a comparison holds. */
static inline uint32_t kg_movemask8d_avx512(const kg_mask8d *mask)
{
    return _mm512_movepi64_mask(_mm512_loadu_si512(mask));
}
/* Eight roots in one instruction: of a loop some compilers make halves, and eight calls where sqrt
 * may set errno. */
static inline void kg_sqrt8_avx512(kg_double8 *x) { *x = (kg_double8)_mm512_sqrt_pd((__m512d)*x); }
KG_AVX512_END
#endif

/* A template is included once for each KG_WIDTH that a file uses: its names, made by KG_LANES_NAME,
 * then mean the last one. */
#define KG_LANES_PASTE(name, width) name##_##width
#define KG_LANES_EXPAND(name, width) KG_LANES_PASTE(name, width)
#define KG_LANES_NAME(name) KG_LANES_EXPAND(name, KG_WIDTH)

/* A pass is written once, as NAME_any (KG_INLINE). KG_WIDE_PASS(NAME, (parameters), arguments)
 * makes NAME of it and, where there may be wider vectors, a second one; KG_WIDEST(NAME) is the one
 * for this machine. */
#define KG_NARROW_PASS(name, parameters, ...)                                                      \
    static void name parameters { name##_any(__VA_ARGS__); }
#ifdef KG_HAS_AVX2
#define KG_WIDE_PASS(name, parameters, ...)                                                        \
    KG_NARROW_PASS(name, parameters, __VA_ARGS__)                                                  \
    static KG_AVX2 void name##_avx2 parameters { name##_any(__VA_ARGS__); }
#define KG_WIDEST(name) (KG_HAS_AVX2 ? name##_avx2 : name)
#else
#define KG_WIDE_PASS KG_NARROW_PASS
#define KG_WIDEST(name) name
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

/* Places i ... i + 3 of four columns become the four vectors, `stride` doubles from one to the
 * next, at `rows`; and back from there into the first three. No loops: gcc would go through memory.
 */
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

/* Bit k: lane k of a comparison holds. */
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

#endif
