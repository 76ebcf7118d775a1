/* Vectors of KG_WIDTH floats, 4 or 8: a template (base/dispatch.h), included once for each
 * width. In plain C17 the width is 1: a float, and a mask is 1 or 0.
 * The names below stand for the width included last. Each operation acts on each lane by itself, as
 * IEEE 754 defines, so results have the same bits on all machines. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/wide_avx.h"

#ifdef KUGEL_PORTABLE
#define KG_LANE(v, k) (*((void)(k), &(v)))
#else
#define KG_LANE(v, k) ((v)[k])
#endif

#if KG_WIDTH != 1 || !defined(kg_lanes) /* the single file includes width 1 several times */
#ifndef kg_lanes
#define kg_lanes KG_LANES_NAME(kg_lanes)
#define kg_lane_mask KG_LANES_NAME(kg_lane_mask)
#define kg_lanes_splat KG_LANES_NAME(kg_lanes_splat)
#define kg_lanes_load3 KG_LANES_NAME(kg_lanes_load3)
#define kg_lanes_store3 KG_LANES_NAME(kg_lanes_store3)
#define kg_lanes_load KG_LANES_NAME(kg_lanes_load)
#define kg_lanes_store KG_LANES_NAME(kg_lanes_store)
#define kg_lanes_select KG_LANES_NAME(kg_lanes_select)
#define kg_lanes_bits KG_LANES_NAME(kg_lanes_bits)
#define kg_lanes_any KG_LANES_NAME(kg_lanes_any)
#define kg_lanes_sqrt KG_LANES_NAME(kg_lanes_sqrt)
#define kg_lanes_dot KG_LANES_NAME(kg_lanes_dot)
#define kg_lanes_cross KG_LANES_NAME(kg_lanes_cross)
#define kg_lanes_transpose KG_LANES_NAME(kg_lanes_transpose)
#define kg_lanes_load_rows KG_LANES_NAME(kg_lanes_load_rows)
#define kg_lanes_store_rows KG_LANES_NAME(kg_lanes_store_rows)
#define kg_lanes_max KG_LANES_NAME(kg_lanes_max)
#define kg_lanes_inverse_power2 KG_LANES_NAME(kg_lanes_inverse_power2)
#endif

#ifdef KUGEL_PORTABLE
typedef float kg_lanes;
typedef int32_t kg_lane_mask;

static inline kg_lanes kg_lanes_splat(float x) { return x; }
#else
typedef float kg_lanes __attribute__((vector_size(4 * KG_WIDTH)));
typedef int32_t kg_lane_mask __attribute__((vector_size(4 * KG_WIDTH)));

static inline kg_lanes kg_lanes_splat(float x) { return x - (kg_lanes){0}; }
#endif

static inline kg_lanes kg_lanes_load(const float *from)
{
    kg_lanes v;
    memcpy(&v, from, sizeof v);
    return v;
}

static inline void kg_lanes_store(float *to, kg_lanes v) { memcpy(to, &v, sizeof v); }

/* The lanes of x where the mask is set, and the lanes of y elsewhere. */
static inline kg_lanes kg_lanes_select(kg_lane_mask mask, kg_lanes x, kg_lanes y)
{
#if KG_WIDTH == 1
    return mask ? x : y;
#else
    kg_lane_mask a, b, c;
    memcpy(&a, &x, sizeof a);
    memcpy(&b, &y, sizeof b);
    c = (mask & a) | (~mask & b);
    memcpy(&x, &c, sizeof x);
    return x;
#endif
}

/* Bit k is set if the mask is set in lane k. */
static inline uint32_t kg_lanes_bits(kg_lane_mask mask)
{
#if KG_WIDTH == 1
    return (uint32_t)mask;
#elif KG_WIDTH == 4
    return kg_movemask4f(&mask);
#elif defined(KG_HAS_AVX2)
    return kg_movemask8_avx2(&mask); /* on x86-64 this width is AVX2 */
#else
    return kg_movemask8(&mask);
#endif
}

static inline bool kg_lanes_any(kg_lane_mask mask) { return kg_lanes_bits(mask); }

static inline kg_lanes kg_lanes_sqrt(kg_lanes x)
{
    float v[KG_WIDTH];
    memcpy(v, &x, sizeof v);
    for (int k = 0; k < KG_WIDTH; ++k) v[k] = sqrtf(v[k]);
    memcpy(&x, v, sizeof x);
    return x;
}

static inline kg_lanes kg_lanes_dot(const kg_lanes a[3], const kg_lanes b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void kg_lanes_cross(const kg_lanes a[3], const kg_lanes b[3], kg_lanes out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* The lanes from `lane` on of three rows of 8. */
static inline void kg_lanes_load3(const float *from, int lane, kg_lanes v[3])
{
    for (int k = 0; k < 3; ++k) v[k] = kg_lanes_load(&from[8 * k + lane]);
}

static inline void kg_lanes_store3(float *to, int lane, const kg_lanes v[3])
{
    for (int k = 0; k < 3; ++k) kg_lanes_store(&to[8 * k + lane], v[k]);
}

/* 1 / p, with p the largest power of two that is at most x (finite, >= 0); 2^127 for x below the
 * smallest normal number. */
static inline kg_lanes kg_lanes_inverse_power2(kg_lanes x)
{
    kg_lane_mask bits;
    memcpy(&bits, &x, sizeof bits);
    bits = (254 << 23) - (bits & (0xff << 23));
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline float kg_lanes_max(kg_lanes x)
{
    float largest = KG_LANE(x, 0);
    for (int k = 1; k < KG_WIDTH; ++k) largest = KG_LANE(x, k) > largest ? KG_LANE(x, k) : largest;
    return largest;
}

#if KG_WIDTH == 1

static inline void kg_lanes_transpose(const kg_float4 r[1], kg_lanes m[4])
{
    memcpy(m, r, sizeof *r);
}

static inline void kg_lanes_load_rows(const float *row, size_t stride, const uint32_t *slot,
                                      kg_lanes m[4])
{
    memcpy(m, row + slot[0] * stride, 4 * sizeof *m);
}

static inline void kg_lanes_store_rows(float *row, size_t stride, const uint32_t *slot,
                                       const kg_lanes m[4], uint32_t skip)
{
    if (!skip) memcpy(row + slot[0] * stride, m, 4 * sizeof *m);
}

#elif KG_WIDTH == 4

/* Four rows of four become four columns. */
static inline void kg_lanes_transpose(const kg_lanes r[4], kg_lanes m[4])
{
    kg_lanes a = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5),
             b = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
    kg_lanes c = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5),
             d = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
    m[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    m[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    m[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    m[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

/* Load the rows slot[k], one for each lane k, of four floats each. m[j] has float j of each row.
 * Rows are `stride` floats apart. */
static inline void kg_lanes_load_rows(const float *row, size_t stride, const uint32_t *slot,
                                      kg_lanes m[4])
{
    kg_lanes r[4];
    for (int k = 0; k < 4; ++k) r[k] = kg_lanes_load(row + slot[k] * stride);
    kg_lanes_transpose(r, m);
}

/* The inverse of kg_lanes_load_rows. The row of lane k is not stored if bit k of `skip` is set. */
static inline void kg_lanes_store_rows(float *row, size_t stride, const uint32_t *slot,
                                       const kg_lanes m[4], uint32_t skip)
{
    kg_lanes r[4];
    kg_lanes_transpose(m, r);
    for (int k = 0; k < 4; ++k) {
        if (!(skip >> k & 1)) kg_lanes_store(row + slot[k] * stride, r[k]);
    }
}

#else

/* With eight lanes: two transpositions of four by four, one in each half of the vectors. */
static inline void kg_lanes_transpose(const kg_lanes r[4], kg_lanes m[4])
{
    kg_lanes a = __builtin_shufflevector(r[0], r[1], 0, 8, 1, 9, 4, 12, 5, 13);
    kg_lanes b = __builtin_shufflevector(r[0], r[1], 2, 10, 3, 11, 6, 14, 7, 15);
    kg_lanes c = __builtin_shufflevector(r[2], r[3], 0, 8, 1, 9, 4, 12, 5, 13);
    kg_lanes d = __builtin_shufflevector(r[2], r[3], 2, 10, 3, 11, 6, 14, 7, 15);
    m[0] = __builtin_shufflevector(a, c, 0, 1, 8, 9, 4, 5, 12, 13);
    m[1] = __builtin_shufflevector(a, c, 2, 3, 10, 11, 6, 7, 14, 15);
    m[2] = __builtin_shufflevector(b, d, 0, 1, 8, 9, 4, 5, 12, 13);
    m[3] = __builtin_shufflevector(b, d, 2, 3, 10, 11, 6, 7, 14, 15);
}

static inline void kg_lanes_load_rows(const float *row, size_t stride, const uint32_t *slot,
                                      kg_lanes m[4])
{
    typedef float half __attribute__((vector_size(16)));
    kg_lanes r[4];
    for (int k = 0; k < 4; ++k) {
        half low, high;
        memcpy(&low, row + slot[k] * stride, sizeof low);
        memcpy(&high, row + slot[k + 4] * stride, sizeof high);
        r[k] = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
    }
    kg_lanes_transpose(r, m);
}

static inline void kg_lanes_store_rows(float *row, size_t stride, const uint32_t *slot,
                                       const kg_lanes m[4], uint32_t skip)
{
    typedef float half __attribute__((vector_size(16)));
    kg_lanes r[4];
    kg_lanes_transpose(m, r);
    for (int k = 0; k < 4; ++k) {
        half low = __builtin_shufflevector(r[k], r[k], 0, 1, 2, 3),
             high = __builtin_shufflevector(r[k], r[k], 4, 5, 6, 7);
        if (!(skip >> k & 1)) memcpy(row + slot[k] * stride, &low, sizeof low);
        if (!(skip >> (k + 4) & 1)) memcpy(row + slot[k + 4] * stride, &high, sizeof high);
    }
}

#endif
#endif
