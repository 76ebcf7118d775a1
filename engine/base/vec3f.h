/* The float vectors of cglm, for the coarse tests of queries. Only vec3.h may be used: its sums
 * have a fixed order. Quaternions and matrices of cglm change the order with the instruction set,
 * or call libm. */
#ifndef KG_BASE_VEC3F_H
#define KG_BASE_VEC3F_H

#include <cglm/vec3.h>

#endif
