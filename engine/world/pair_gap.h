/* Gap and normal of two bodies in contact. In: vector between their centres, radii, m. Out: gap, m.
 * The solver's lanes (contact/measure.c) compute the same in floats. */
#ifndef KG_WORLD_PAIR_GAP_H
#define KG_WORLD_PAIR_GAP_H

#include "base/vec.h"

/* d: from the centre of a to that of b. *normal: from a to b; +z for equal centres. */
static inline double kg_pair_gap(const double d[3], double radius_a, double radius_b,
                                 double normal[3])
{
    double length = kg_length3(d);
    for (int k = 0; k < 3; ++k) normal[k] = length > 0 ? d[k] / length : (double)(k == 2);
    return length - radius_a - radius_b;
}

#endif
