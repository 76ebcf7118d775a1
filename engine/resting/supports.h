/* The immovable supports of one body: boundaries, and bodies of mass 0 in resting contact. */
#ifndef KG_RESTING_SUPPORTS_H
#define KG_RESTING_SUPPORTS_H

#include "resting/resting.h"

enum { KG_SUPPORTS_MAX = 64 };

/* Relative tolerances: a smaller change of velocity counts as none. The first applies to the body's
 * speed, which the solver rounds by 6e-8 of itself; the second to the speed that the body's
 * acceleration adds in a substep. */
static const double kg_speed_tolerance = 1e-6, kg_increment_tolerance = 1e-3;

typedef struct kg_support {
    double normal[3];     /* unit, from the support to the body */
    double press;         /* m/s^2, p of kg_supports_project */
    double speed;         /* m/s, of the support along the normal */
    uint32_t id;          /* of a body; 0 for a boundary */
    kg_boundary boundary; /* or KG_WITH_BODY */
} kg_support;

/* Boundaries in ascending order, then bodies by id. If there are too many bodies, those with the
 * lowest ids are kept. */
typedef struct kg_supports {
    uint32_t count, boundary_count;
    bool any_movable; /* true when the body rests on a movable body too */
    kg_support items[KG_SUPPORTS_MAX];
} kg_supports;

/* Find what supports a body at time t of the substep. */
void kg_supports_find(const kugel_world *world, uint32_t slot, double t, kg_supports *all);
/* True when the body rests on something and on nothing movable. */
bool kg_supports_are_immovable(const kugel_world *world, uint32_t slot, double t);
/* Speed below which a body with acceleration a and velocity v counts as not parting, m/s. */
double kg_supports_tolerance(const double a[3], const double v[3], double h);
/* True when a body with velocity v parts from one of its supports. */
bool kg_supports_any_parting(const kg_supports *all, const double v[3], double tolerance);
/* True when a body with velocity v parts from all of its supports, or has none. */
bool kg_supports_all_parting(const kg_supports *all, const double v[3], double tolerance);
/* Remove the supports that a body with velocity v parts from. */
void kg_supports_remove_parting(kg_supports *all, const double v[3], double tolerance);
/* Remove the supports with this normal. */
void kg_supports_remove_normal(kg_supports *all, const double normal[3]);
/* Acceleration that the supports leave: a' = a + sum of p n with p >= 0, a' n >= 0, p (a' n) = 0.
 * It is unique; projected Gauss-Seidel finds it. */
void kg_supports_project(kg_supports *all, double a[3]);

/* While impulses are summed: a body before an update within a substep that changes what its
 * supports give it. */
typedef struct kg_support_sums {
    kg_supports supports;
    double velocity[3]; /* m/s, with which the substep was to end */
} kg_support_sums;
/* support_sums.c: before and after the update at t of a substep of h. The second adds the change of
 * momentum to the sums of the supports; false when out of memory. */
void kg_support_sums_begin(const kugel_world *world, uint32_t slot, double h, double t,
                           kg_support_sums *before);
bool kg_support_sums_end(kugel_world *world, uint32_t slot, double h, double t,
                         const kg_support_sums *before);

#endif
