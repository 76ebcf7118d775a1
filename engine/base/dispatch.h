/* Choice of the vector width at run time: a source is compiled for several instruction sets, of
 * which each machine uses the widest it has. Results do not depend on the choice, since no
 * operation depends on the number of lanes. There are two ways: */
#ifndef KG_BASE_DISPATCH_H
#define KG_BASE_DISPATCH_H

#include "base/compiler.h"

/* 1. A function f, written as KG_INLINE. KG_VARIANTS(result, f, (parameters), (arguments)) defines
 *    f_base and, on x86-64, f_avx2. Each is `return f(arguments)`; in the arguments `wide` is a
 *    constant, 0 in f_base and 1 in f_avx2. KG_WIDEST(f) is the variant for this machine. Variants
 *    are not inlined: else their caller would save the registers that the larger variant needs.
 * 2. A template (NAME_lanes.h) of functions KG_LANES_NAME(f). A file includes it with KG_WIDTH 4,
 *    which defines f_4. On x86-64 the file also includes it with KG_WIDTH 8 between KG_AVX2_BEGIN
 *    and KG_AVX2_END, which defines f_8. KG_WIDEST_LANES(f) is the variant for this machine.
 *
 * Functions, each after its file: motion_advance advance;
 * inactive spend_clearance, find_falling; list_build list_block; contact_find mark_beginning;
 * measure measure; solver_bodies load, unload; elastic collide; neighbour_filter filter_either;
 * predict_cell_lists filter_from, predict_all, predict_colliding_pair, predict_after_exit,
 * predict_batch, collect_cells; quantised_motions quantise_range; mesh_tree square_distances,
 * push_met; mesh_ray meet_leaf.
 * Templates: solve_lanes.h warm_start, sweep, brake_spins; position_correction_lanes.h
 * correct_positions. */

/* KG_HAS_AVX2 is defined where a machine of the target may have the instructions; it is true if
 * this machine has them. Functions between KG_AVX2_BEGIN and KG_AVX2_END are compiled for AVX2. */
#define KG_AVX2_SET "avx2,popcnt"
#if defined(KUGEL_PORTABLE)
#elif defined(__x86_64__) && defined(__AVX2__)
#define KG_HAS_AVX2 1
#elif defined(__x86_64__) && !defined(_MSC_VER) /* there only with /arch:AVX2 */
#define KG_HAS_AVX2 __builtin_cpu_supports("avx2")
#endif
#ifdef KG_HAS_AVX2
#define KG_AVX2 __attribute__((target(KG_AVX2_SET)))
#endif
#define KG_PRAGMA(...) _Pragma(#__VA_ARGS__)
#ifdef __clang__
#define KG_TARGET(set)                                                                             \
    KG_PRAGMA(clang attribute push(__attribute__((target(set))), apply_to = function))
#define KG_AVX2_END KG_PRAGMA(clang attribute pop)
#else
#define KG_TARGET(set) KG_PRAGMA(GCC push_options) KG_PRAGMA(GCC target(set))
#define KG_AVX2_END KG_PRAGMA(GCC pop_options)
#endif
#define KG_AVX2_BEGIN KG_TARGET(KG_AVX2_SET)

/* What begins the call of a function with this result: ISO C has no `return` of a void call. */
#define KG_RETURN_void
#define KG_RETURN_bool return  /* C23 */
#define KG_RETURN__Bool return /* the macro bool of C17 */
#define KG_RETURN_uint32_t return
#define KG_RETURN_uint64_t return
#define KG_VARIANT(attributes, result, name, is_wide, parameters, call)                            \
    attributes static result name parameters                                                       \
    {                                                                                              \
        enum { wide = is_wide };                                                                   \
        KG_RETURN_##result call;                                                                   \
    }
#define KG_BASE_VARIANT(result, f, parameters, arguments)                                          \
    KG_VARIANT(KG_NOINLINE, result, f##_base, 0, parameters, f arguments)
#ifdef KG_HAS_AVX2
#define KG_VARIANTS(result, f, parameters, arguments)                                              \
    KG_BASE_VARIANT(result, f, parameters, arguments)                                              \
    KG_VARIANT(KG_AVX2 KG_NOINLINE, result, f##_avx2, 1, parameters, f arguments)
#define KG_WIDEST(f) (KG_HAS_AVX2 ? f##_avx2 : f##_base)
#define KG_WIDEST_LANES(f) (KG_HAS_AVX2 ? f##_8 : f##_4)
#define KG_VARIANT_FOR(wide, f) ((wide) ? f##_avx2 : f##_base)
#define KG_SHARED(wide, f, ...) ((wide) ? f(__VA_ARGS__, wide) : f##_base(__VA_ARGS__))
#else
#define KG_VARIANTS KG_BASE_VARIANT
#define KG_WIDEST(f) f##_base
#define KG_WIDEST_LANES(f) KG_LANES_EXPAND(f, KG_LANES_4)
#define KG_VARIANT_FOR(wide, f) ((void)(wide), f##_base)
#define KG_SHARED(wide, f, ...) (0 ? f##_base(__VA_ARGS__) : f(__VA_ARGS__, wide))
#endif

/* In a function with `wide`: KG_VARIANT_FOR(wide, f) is the variant of f that fits it.
 * KG_SHARED(wide, f, arguments) calls f inline, but where machines with AVX2 have a variant of
 * their own, f_base (KG_BASE_VARIANT): code for the others should be small. */

/* KG_VARIANTS of a pass over a range of slots (kg_range_pass in world/world.h). */
#define KG_RANGE_VARIANTS(f)                                                                       \
    KG_VARIANTS(void, f, (kugel_world * world, uint32_t from, uint32_t to, double argument),       \
                (world, from, to, argument))

#define KG_LANES_PASTE(name, width) name##_##width
#define KG_LANES_EXPAND(name, width) KG_LANES_PASTE(name, width)
/* KG_WIDTH where no machine of the target has AVX2, and in code for one width; 1 in plain C17. */
#ifdef KUGEL_PORTABLE
#define KG_LANES_4 1
#define KG_LANES_8 1
#else
#define KG_LANES_4 4
#define KG_LANES_8 8
#endif
#define KG_LANES_NAME(name) KG_LANES_EXPAND(name, KG_WIDTH)

#endif
