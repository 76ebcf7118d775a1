/* A host that changed the arithmetic is refused. */
#include <criterion/criterion.h>
#include <fenv.h>

#include "base/fp_environment.h"
#include "kugel/kugel.h"

Test(fp_environment, plain_arithmetic_is_sane) { cr_assert(kg_fp_is_ieee754()); }

Test(fp_environment, other_rounding_is_refused)
{
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (int k = 0; k < 3; ++k) {
        fesetround(modes[k]);
        bool sane = kg_fp_is_ieee754();
        kugel_world_def def = kugel_world_def_default();
        kugel_world *world;
        kugel_status status = kugel_world_create(&def, &world);
        fesetround(FE_TONEAREST);
        cr_assert(!sane, "mode %d", modes[k]);
        cr_assert_eq(status, KUGEL_ERROR_FLOATING_POINT);
        cr_assert_null(world);
    }
}

/* A world that was created in a sane environment refuses to step in another one, and goes on when
 * it is sane again. */
Test(fp_environment, a_step_with_other_rounding_is_refused)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    cr_assert_eq(kugel_world_step(world, 0.01), KUGEL_OK);
    uint64_t hash = kugel_world_hash(world);
    fesetround(FE_UPWARD);
    kugel_status status = kugel_world_step(world, 0.01);
    fesetround(FE_TONEAREST);
    cr_assert_eq(status, KUGEL_ERROR_FLOATING_POINT);
    cr_assert_eq(kugel_world_hash(world), hash);
    cr_assert_eq(kugel_world_step(world, 0.01), KUGEL_OK);
    kugel_world_destroy(world);
}

#if defined(__x86_64__)
#include <xmmintrin.h>
Test(fp_environment, flushed_subnormals_are_refused)
{
    static const unsigned bits[] = {0x8000, 0x0040}; /* flush to zero, subnormals are zero */
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    for (int k = 0; k < 2; ++k) {
        unsigned before = _mm_getcsr();
        _mm_setcsr(before | bits[k]);
        bool sane = kg_fp_is_ieee754();
        kugel_status status = kugel_world_step(world, 0.01);
        _mm_setcsr(before);
        cr_assert(!sane, "bit %#x", bits[k]);
        cr_assert_eq(status, KUGEL_ERROR_FLOATING_POINT);
    }
    kugel_world_destroy(world);
}

/* As feenableexcept does: a step would stop the process with SIGFPE. */
Test(fp_environment, traps_are_refused)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_world *world, *other;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    for (unsigned bit = 0x0080; bit <= 0x1000; bit *= 2) {
        unsigned before = _mm_getcsr();
        _mm_setcsr(before & ~bit);
        kugel_status step = kugel_world_step(world, 0.01),
                     create = kugel_world_create(&def, &other);
        _mm_setcsr(before);
        cr_assert(step == KUGEL_ERROR_FLOATING_POINT && create == KUGEL_ERROR_FLOATING_POINT,
                  "mask %#x: %d, %d", bit, (int)step, (int)create);
    }
    cr_assert_eq(kugel_world_step(world, 0.01), KUGEL_OK);
    kugel_world_destroy(world);
}
#endif
