/* Four floats that are calculated together, in GCC's and Clang's vector extension: one instruction
 * where the target has vectors of 128 bits (x86-64, aarch64, wasm), four where it has none, the same
 * bits everywhere, because every operation is exact per lane. */
#ifndef KG_BASE_LANES_H
#define KG_BASE_LANES_H

#include <stdint.h>
#include <string.h>

typedef float kg_lanes __attribute__((vector_size(16)));
typedef int32_t kg_lane_mask __attribute__((vector_size(16)));

static inline kg_lanes kg_lanes_of(float x) { return (kg_lanes){x, x, x, x}; }

static inline kg_lanes kg_lanes_load(const float from[4])
{
    kg_lanes v;
    memcpy(&v, from, sizeof v);
    return v;
}

static inline void kg_lanes_store(float to[4], kg_lanes v) { memcpy(to, &v, sizeof v); }

/* Lanes of x where the mask is set, of y elsewhere. */
static inline kg_lanes kg_lanes_select(kg_lane_mask mask, kg_lanes x, kg_lanes y)
{
    kg_lane_mask a, b, c;
    memcpy(&a, &x, sizeof a);
    memcpy(&b, &y, sizeof b);
    c = (mask & a) | (~mask & b);
    memcpy(&x, &c, sizeof x);
    return x;
}

static inline kg_lanes kg_lanes_above_zero(kg_lanes x) { return kg_lanes_select(x > 0, x, kg_lanes_of(0)); }

static inline kg_lanes kg_lanes_sqrt(kg_lanes x)
{
    return (kg_lanes){__builtin_sqrtf(x[0]), __builtin_sqrtf(x[1]), __builtin_sqrtf(x[2]), __builtin_sqrtf(x[3])};
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

static inline void kg_lanes_load3(const float from[3][8], int lane, kg_lanes v[3])
{
    for (int k = 0; k < 3; ++k) v[k] = kg_lanes_load(&from[k][lane]);
}

static inline void kg_lanes_store3(float to[3][8], int lane, const kg_lanes v[3])
{
    for (int k = 0; k < 3; ++k) kg_lanes_store(&to[k][lane], v[k]);
}

/* Rows become columns. */
static inline void kg_lanes_transpose(kg_lanes m[4])
{
    kg_lanes a = __builtin_shufflevector(m[0], m[1], 0, 4, 1, 5), b = __builtin_shufflevector(m[0], m[1], 2, 6, 3, 7);
    kg_lanes c = __builtin_shufflevector(m[2], m[3], 0, 4, 1, 5), d = __builtin_shufflevector(m[2], m[3], 2, 6, 3, 7);
    m[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    m[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    m[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    m[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

#endif
