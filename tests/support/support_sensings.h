/* Who entered and left sensors in the last step. */
#ifndef SUPPORT_SENSINGS_H
#define SUPPORT_SENSINGS_H

#include <stddef.h>

#include "kugel/kugel.h"

/* All of them; asserts that there are as many as expected. */
const kugel_sensing *support_sensings(const kugel_world *world, size_t expected);

#endif
