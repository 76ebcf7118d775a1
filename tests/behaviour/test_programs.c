/* No cache shows: random programs of calls on a world and on a twin that is cloned, restored, rolled
 * back and given other caches. Both have the same bits and the same events after each step, and a
 * recording of the world plays.
 * Environment: KUGEL_PROGRAMS, the number of programs; KUGEL_SEED, the first seed. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/support_program.h"
#include "support/support_random.h"
#include "support/support_sanitized.h"

enum { PROGRAMS = SUPPORT_SANITIZED ? 200 : 3000, MOST_SHRUNK = 3 };

static uint64_t running;

/* An assertion of the engine failed. */
static void on_abort(int number)
{
    fprintf(stderr, "KUGEL_SEED=%llu KUGEL_PROGRAMS=1: aborted\n", (unsigned long long)running);
    signal(number, SIG_DFL);
}

static bool stays_equal(uint64_t seed, bool shrinks)
{
    running = seed;
    support_program program = support_program_make(seed);
    support_program_fault fault = support_program_run(&program);
    if (!fault.found) return true;
    fprintf(stderr, "KUGEL_SEED=%llu KUGEL_PROGRAMS=1: %s %u, %s\n", (unsigned long long)seed,
            fault.played ? "tick" : "call", fault.call, fault.text);
    if (!shrinks) return false;
    support_program_shrink(&program);
    fault = support_program_run(&program);
    support_program_print(&program);
    fprintf(stderr, "%s %u, %s\n", fault.played ? "tick" : "call", fault.call, fault.text);
    return false;
}

Test(programs, a_world_and_its_twin_stay_equal)
{
    const char *programs = getenv("KUGEL_PROGRAMS");
    uint64_t count = programs ? strtoull(programs, NULL, 0) : PROGRAMS, failed = 0;
    uint64_t seed = support_random_start("programs", 1).state;
    signal(SIGABRT, on_abort);
    for (uint64_t k = 0; k < count; ++k) failed += !stays_equal(seed + k, failed < MOST_SHRUNK);
    cr_assert_eq(failed, 0, "%llu of %llu programs failed", (unsigned long long)failed,
                 (unsigned long long)count);
}
