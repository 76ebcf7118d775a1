/* Worlds of many small surfaces, for tests of the tree of surfaces. */
#ifndef SUPPORT_MANY_H
#define SUPPORT_MANY_H

#include <kugel/kugel.h>

#include "support/support_random.h"

/* A surface in a cube of 2 `half`, m, around the origin: a triangle, a box, a solid shape or, one
 * in 40, a plane. A third move, some of them spin. */
void support_many_add(support_random *random, kugel_world *world, double half);
/* Remove, place or set in motion a random surface, if there are some, or add one. */
void support_many_change(support_random *random, kugel_world *world, double half);
/* Surfaces are tested one by one until the next change of one: an oracle for the tree. */
void support_many_forget_tree(kugel_world *world);

#endif
