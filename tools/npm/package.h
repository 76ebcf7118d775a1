/* Declarations shared by the files of the JavaScript package's interface. Only the JavaScript of
 * this folder calls them. */
#ifndef KUGEL_NPM_PACKAGE_H
#define KUGEL_NPM_PACKAGE_H

#include <kugel/kugel.h>

#define EXPORT(name) __attribute__((export_name(#name))) name

/* A handle in JavaScript: a whole number that a double stores exactly, and that JSON keeps. The id
 * or index is its lowest 26 bits, which suffice for all of them; generation and kind have 27. */
typedef double js_handle;
typedef js_handle js_body, js_surface;

enum { JS_ID_BITS = 26 };

static inline uint64_t js_handle_of(js_handle handle)
{
    uint64_t bits = (uint64_t)handle;
    return bits >> JS_ID_BITS << 32 | (bits & ((1u << JS_ID_BITS) - 1));
}

static inline js_handle js_handle_from(uint64_t handle)
{
    return (double)(handle >> 32 << JS_ID_BITS | (uint32_t)handle);
}

/* 64 doubles: arguments and results of most calls. */
double *js_numbers(void);
/* What js_divergence writes. */
void js_set_divergence(const kugel_divergence *found);
/* kugel_filter.accept: calls the function of the query that runs. */
bool js_filter_accept(void *user, kugel_target target, uint64_t handle);

#endif
