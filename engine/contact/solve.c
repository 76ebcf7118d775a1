/* The solve in lanes of the widest vectors that this machine has: the same bits for every width. */
#include "base/wide.h"
#include "contact/contact.h"

#define KG_WIDTH 4
#include "contact/solve_lanes.h"
#undef KG_WIDTH

#ifdef KG_HAS_AVX2
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
#define KG_WIDTH 8
#include "contact/solve_lanes.h"
#undef KG_WIDTH
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

void kg_contact_solve(kg_contact_stage *stage, double h, int least, int most, double tolerance)
{
#ifdef KG_HAS_AVX2
    if (KG_HAS_AVX2) {
        solve_8(stage, h, least, most, tolerance);
        return;
    }
#endif
    solve_4(stage, h, least, most, tolerance);
}
