/* Axis locks (KUGEL_LOCK_...) of a dynamic body. With P, the projection on its free axes, an
 * impulse J changes its velocity by P J / m, and its inverse mass along a unit normal n is
 * |P n|^2 / m. */
#ifndef KG_WORLD_LOCKS_H
#define KG_WORLD_LOCKS_H

#include <float.h>
#include <math.h>

#include "base/vec.h"
#include "world/bodies.h"

/* Bits of the linear axes; those of the angular ones are KG_LOCKS_ANGULAR_SHIFT higher. */
enum { KG_LOCKS_LINEAR = 7, KG_LOCKS_ANGULAR = 56, KG_LOCKS_ANGULAR_SHIFT = 3, KG_LOCKS_ALL = 63 };

/* Locks keep a pair from giving way along its normal if its inverse mass is less than this share of
 * the one without locks: the rest of that, what they hold, is all of it to the precision of the
 * floats of a solve. */
#define KG_LOCKED_SHARE ((double)FLT_EPSILON)

/* Locks of a body; 0 for static and kinematic bodies, which ignore them. */
static inline uint32_t kg_locks_of(const kg_bodies *bodies, uint32_t slot)
{
    return bodies->mass[slot] > 0 ? kg_bodies_material(bodies, slot)->locks : 0;
}

/* Set a vector to 0 along the locked linear axes. */
static inline void kg_locks_project(uint32_t locks, double v[3])
{
    for (int k = 0; k < 3; ++k) v[k] = locks >> k & 1 ? 0 : v[k];
}

/* True if some locked linear axis has a part of the vector. */
static inline bool kg_locks_hold(uint32_t locks, const double v[3])
{
    bool any = false;
    for (int k = 0; k < 3; ++k) any = any || (locks >> k & 1 && v[k] != 0);
    return any;
}

/* Set velocity and spin of a body to 0 along its locked axes. */
static inline void kg_locks_stop(kg_bodies *bodies, uint32_t slot)
{
    uint32_t locks = kg_locks_of(bodies, slot);
    for (int k = 0; k < 3; ++k) {
        if (locks >> k & 1) bodies->v[k][slot] = 0;
        if (locks >> (k + KG_LOCKS_ANGULAR_SHIFT) & 1) bodies->w[k][slot] = 0;
    }
}

/* |P n|^2 of a unit vector; 1 where n has no locked part. */
static inline double kg_locks_share(uint32_t locks, const double n[3])
{
    double free = 0, locked = 0;
    for (int k = 0; k < 3; ++k) *(locks >> k & 1 ? &locked : &free) += n[k] * n[k];
    return locked == 0 ? 1 : free;
}

/* Turn a unit normal into the unit vector along its free part. Returns the length of that part, or
 * 0: the body does not give way along the normal. */
static inline double kg_locks_direct(uint32_t locks, double n[3])
{
    double share = kg_locks_share(locks, n), length = sqrt(share);
    if (share < KG_LOCKED_SHARE) return 0;
    kg_locks_project(locks, n);
    kg_set3(n, n[0] / length, n[1] / length, n[2] / length);
    return length;
}

/* Inverse mass along a slip of the surfaces over that without locks, or a bound of it. It is the
 * inverse mass itself if the slip lies in the free axes, and if all or none of them are locked. */
static inline double kg_locks_slip_factor(uint32_t locks)
{
    return ((locks & KG_LOCKS_LINEAR) != KG_LOCKS_LINEAR) +
           2.5 * ((locks & KG_LOCKS_ANGULAR) != KG_LOCKS_ANGULAR);
}

#endif
