/* Worlds of the starts in geometry/support_starts.h: rays and casts that are tangent, slide, start
 * on a surface or inside, against the pure functions: bit for bit for bodies, up to the margins of
 * support_shields.h for solid ellipsoids.
 * Environment: KUGEL_INPUTS, the number of starts; KUGEL_SEED. */
#ifndef SUPPORT_STARTS_WORLD_H
#define SUPPORT_STARTS_WORLD_H

#include <stddef.h>

/* Asserts that the queries are right for `count` starts, or for KUGEL_INPUTS. */
void support_check_starts(const char *name, size_t count);

#endif
