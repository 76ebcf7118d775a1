/* Declarations shared by the files of the JavaScript package's interface. Only the JavaScript of
 * this folder calls them. */
#ifndef KUGEL_NPM_PACKAGE_H
#define KUGEL_NPM_PACKAGE_H

#include <kugel/kugel.h>

#define EXPORT(name) __attribute__((export_name(#name))) name

/* 64 doubles: arguments and results of most calls. */
double *js_numbers(void);
/* What js_divergence writes. */
void js_set_divergence(const kugel_divergence *found);
/* kugel_filter.accept: calls the function of the query that runs. */
bool js_filter_accept(void *user, kugel_body body);

#endif
