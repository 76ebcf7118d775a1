/* Locks of the bodies of contacts, for the solve: an impulse is applied as without locks, then what
 * they hold is set to 0. The effective mass along the normal is exact. That of friction is a lower
 * bound, with which sweeps converge as with underrelaxation (kg_locks_slip_factor).
 * In: slots of lanes, materials. Out: masks and factors of effective masses. Cost: a few operations
 * for each lane, only in worlds with locks. */
#include "contact/solver.h"
#include "world/locks.h"

/* Locks and inverse mass of a body; of a surface, in a row behind the bodies, 0. */
static uint32_t find(const kg_bodies *bodies, uint32_t slot, double *inverse_mass)
{
    bool movable = slot < bodies->count && bodies->mass[slot] > 0;
    *inverse_mass = movable ? 1 / bodies->mass[slot] : 0;
    return movable ? kg_bodies_material(bodies, slot)->locks : 0;
}

bool kg_contact_find_locks(const kg_bodies *bodies, const kg_contact_group *g, int lane, int width,
                           kg_lane_locks *out)
{
    uint32_t any = 0;
    for (int k = lane; k < lane + width; ++k) {
        double m, n;
        uint32_t a = find(bodies, g->a[k], &m), b = find(bodies, g->b[k], &n);
        double slip = kg_locks_slip_factor(a) * m + kg_locks_slip_factor(b) * n;
        any |= a | b;
        out->slip[k] = slip > 0 ? (float)((m + n) / slip) : 0;
        for (int axis = 0; axis < 6; ++axis) {
            out->a[axis * KG_LANES + k] = !(a >> axis & 1);
            out->b[axis * KG_LANES + k] = !(b >> axis & 1);
        }
    }
    return any;
}

/* True where the locks of a body keep neither its motion in the plane of the contact nor all its
 * spin. */
static bool couples(uint32_t locks, const double normal[3])
{
    uint32_t linear = locks & KG_LOCKS_LINEAR, angular = locks >> KG_LOCKS_ANGULAR_SHIFT;
    bool in_plane = linear && !(linear & (linear - 1)) && (angular | linear) == KG_LOCKS_LINEAR &&
                    kg_locks_share(locks, normal) == 1;
    return !in_plane && (linear || (angular && angular != KG_LOCKS_LINEAR));
}

bool kg_contact_locks_couple(const kg_bodies *bodies, const kg_contact_group *g, int lane)
{
    double unused;
    const double normal[3] = {(double)g->normal[0][lane], (double)g->normal[1][lane],
                              (double)g->normal[2][lane]};
    return couples(find(bodies, g->a[lane], &unused), normal) ||
           couples(find(bodies, g->b[lane], &unused), normal);
}
