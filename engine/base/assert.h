/* KG_ASSERT(condition): what a function relies on. A build with KG_ASSERTIONS (meson defines it for
 * debug build types and sanitizers) stops with a message where the condition is false; other builds
 * contain no code for it. */
#ifndef KG_BASE_ASSERT_H
#define KG_BASE_ASSERT_H

#ifdef KG_ASSERTIONS
#include <stdio.h>
#include <stdlib.h>

static inline _Noreturn void kg_assert_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "%s:%d: the assertion fails: %s\n", file, line, condition);
    abort();
}
#define KG_ASSERT(condition)                                                                       \
    ((condition) ? (void)0 : kg_assert_failed(#condition, __FILE__, __LINE__))
#else
#define KG_ASSERT(condition) ((void)sizeof((condition) ? 1 : 0))
#endif

#endif
