/* The one door to cglm: float vectors, for orientations. Only vec3.h: its sums have a fixed order,
 * while cglm's quaternions and matrices switch to vector instructions with another order, or call
 * libm. The rest of the state is double and has its own helpers (vec.h). */
#ifndef KG_BASE_VEC3F_H
#define KG_BASE_VEC3F_H

#include <cglm/vec3.h>

#endif
