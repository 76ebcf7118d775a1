/* What is not ISO C, by compiler: attributes, prefetches, searches of bits, atomic operations. With
 * KUGEL_PORTABLE all of it is plain C17. Worlds have one thread then, so atomic operations are
 * ordinary ones. */
#ifndef KG_BASE_COMPILER_H
#define KG_BASE_COMPILER_H

#include <stdbool.h>
#include <stdint.h>

#ifdef KUGEL_PORTABLE

#define KG_ATTRIBUTE(...)
#define KG_NOINLINE
#define KG_INLINE static inline
#define KG_PREFETCH(address) ((void)(address))
#define KG_PREFETCH_WRITE(address) ((void)(address))
static inline int kg_lowest_bit64(uint64_t bits)
{
    int k = 0;
    for (; !(bits & 0xff); k += 8) bits >>= 8;
    for (; !(bits & 1); ++k) bits >>= 1;
    return k;
}
#define kg_lowest_bit kg_lowest_bit64
static inline uint64_t kg_swap_bytes64(uint64_t x)
{
    uint64_t y = 0;
    for (int k = 0; k < 8; ++k) y = y << 8 | (x >> 8 * k & 0xff);
    return y;
}
static inline uint32_t kg_swap_bytes32(uint32_t x) { return (uint32_t)(kg_swap_bytes64(x) >> 32); }

#define kg_count_ones(bits) kg_count_bits(bits)

#define KG_ATOMIC_LOAD(object) (*(object))
#define KG_ATOMIC_STORE(object, value) (*(object) = (value))
#define KG_ATOMIC_ADD(object, value) (*(object) += (value))
#define KG_ATOMIC_REPLACE(object, was, value) (*(object) = (value), true)
#define KG_ATOMIC_SET(object) (*(object) ? true : !(*(object) = true))
typedef enum { memory_order_relaxed, memory_order_acquire, memory_order_release } memory_order;
typedef bool atomic_bool, atomic_flag;
typedef unsigned atomic_uint;
typedef uint64_t atomic_uint_least64_t;
#define atomic_init(object, value) (*(object) = (value))
#define atomic_load_explicit(object, order) ((void)(order), *(object))
#define atomic_store_explicit(object, value, order) (*(object) = (value))
#define atomic_fetch_add_explicit(object, value, order) ((*(object) += (value)) - (value))
#define atomic_fetch_sub_explicit(object, value, order) ((*(object) -= (value)) + (value))
#define atomic_compare_exchange_weak_explicit(object, was, value, order, other_order)              \
    KG_ATOMIC_REPLACE(object, was, value)
#define atomic_flag_clear(object) (*(object) = false)
#define atomic_flag_clear_explicit(object, order) (*(object) = false)
#define atomic_flag_test_and_set_explicit(object, order) (*(object) ? true : !(*(object) = true))

#else

#include <stdatomic.h>

#define KG_ATTRIBUTE(...) __attribute__((__VA_ARGS__))
#define KG_NOINLINE __attribute__((noinline))
#define KG_INLINE static inline __attribute__((always_inline))
#define KG_PREFETCH(address) __builtin_prefetch(address)
#define KG_PREFETCH_WRITE(address) __builtin_prefetch(address, 1)
/* Number of the lowest bit that is set; bits != 0. */
static inline int kg_lowest_bit(uint32_t bits) { return __builtin_ctz(bits); }
static inline int kg_lowest_bit64(uint64_t bits) { return __builtin_ctzll(bits); }
static inline uint64_t kg_swap_bytes64(uint64_t x) { return __builtin_bswap64(x); }
static inline uint32_t kg_swap_bytes32(uint32_t x) { return __builtin_bswap32(x); }

#define kg_count_ones(bits) __builtin_popcount(bits) /* may call libgcc without popcnt */

/* Relaxed atomic operations on ordinary objects. KG_ATOMIC_ADD returns the sum.
 * KG_ATOMIC_REPLACE is false, with *was the present value, if that was not *was, or by chance. */
#define KG_ATOMIC_LOAD(object) __atomic_load_n(object, __ATOMIC_RELAXED)
#define KG_ATOMIC_STORE(object, value) __atomic_store_n(object, value, __ATOMIC_RELAXED)
#define KG_ATOMIC_ADD(object, value) __atomic_add_fetch(object, value, __ATOMIC_RELAXED)
#define KG_ATOMIC_SET(object) __atomic_exchange_n(object, 1, __ATOMIC_RELAXED)
#define KG_ATOMIC_REPLACE(object, was, value)                                                      \
    __atomic_compare_exchange_n(object, was, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)

#endif
#endif
