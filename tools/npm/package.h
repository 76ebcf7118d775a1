/* Declarations shared by the files of the JavaScript package's interface. Only the JavaScript of
 * this folder calls them. */
#ifndef KUGEL_NPM_PACKAGE_H
#define KUGEL_NPM_PACKAGE_H

#include <kugel/kugel.h>

#define EXPORT(name) __attribute__((export_name(#name))) name

/* The handle of a body in JavaScript: a whole number that a double stores exactly, and that JSON
 * keeps. The id is its lowest 26 bits, which suffice for all ids; generations have 27. */
typedef double js_body;

enum { JS_ID_BITS = 26 };

static inline kugel_body js_body_of(js_body handle)
{
    uint64_t bits = (uint64_t)handle;
    return bits >> JS_ID_BITS << 32 | (bits & ((1u << JS_ID_BITS) - 1));
}

static inline js_body js_body_from(kugel_body body)
{
    return (double)(body >> 32 << JS_ID_BITS | kugel_body_id(body));
}

/* 64 doubles: arguments and results of most calls. */
double *js_numbers(void);
/* What js_divergence writes. */
void js_set_divergence(const kugel_divergence *found);
/* kugel_filter.accept: calls the function of the query that runs. */
bool js_filter_accept(void *user, kugel_body body);

#endif
