/* Locks of the bodies of contacts, for the solve: an impulse is applied as without locks, then what
 * they hold is set to 0. The effective mass along the normal is exact. That of friction is a lower
 * bound, with which sweeps converge as with underrelaxation (kg_locks_slip_factor).
 * In: slots, materials. Out: stage->locks. Cost: a few operations for each lane when groups are
 * filled, only in worlds with locks. */
#include "contact/solver.h"
#include "world/locks.h"

void kg_contact_fill_locks(const kg_bodies *bodies, kg_contact_locks *locks, int lane,
                           const uint32_t slot[2])
{
    double inverse = 0, slip = 0;
    uint32_t of[2] = {0, 0};
    for (int s = 0; s < 2; ++s) {
        if (slot[s] >= bodies->count || bodies->mass[slot[s]] == 0) continue;
        double m = 1 / bodies->mass[slot[s]];
        of[s] = kg_locks_of(bodies, slot[s]);
        inverse += m;
        slip += kg_locks_slip_factor(of[s]) * m;
    }
    locks->of_a[lane] = (uint8_t)of[0], locks->of_b[lane] = (uint8_t)of[1];
    locks->any = locks->any || of[0] || of[1];
    locks->slip[lane] = slip > 0 ? (float)(inverse / slip) : 0;
    for (int axis = 0; axis < 6; ++axis) {
        locks->a[axis * KG_LANES + lane] = !(of[0] >> axis & 1);
        locks->b[axis * KG_LANES + lane] = !(of[1] >> axis & 1);
    }
}

/* True for locks that keep a body in a plane: of one linear axis, and of spin about the others. */
static bool hold_to_plane(uint32_t locks)
{
    uint32_t linear = locks & KG_LOCKS_LINEAR, angular = locks >> KG_LOCKS_ANGULAR_SHIFT;
    return linear && !(linear & (linear - 1)) && (angular | linear) == KG_LOCKS_LINEAR;
}

/* True if the normal of a lane lies in the plane that the locks keep a body in. It is measured,
 * since at the start of a tick only groups of the last tick have one. */
static bool is_in_plane(const kugel_world *world, uint32_t group, int lane, uint32_t locks)
{
    const kg_contact_stage *stage = world->contact;
    const kg_contact_group *g = &stage->groups[group];
    uint32_t item = kg_contact_item(stage, &stage->group_info[group], lane);
    const kg_contact *c = &world->work.contacts.items[item];
    double normal[3];
    kg_contact_geometry(world, g->a[lane], g->b[lane],
                        c->with == KG_WITH_BODY ? KG_WITH_BODY : c->b, normal);
    return kg_locks_share(locks, normal) == 1;
}

/* True where the locks of a body keep neither its motion in the plane of the contact nor all its
 * spin. */
static bool couples(const kugel_world *world, uint32_t group, int lane, uint32_t locks)
{
    uint32_t linear = locks & KG_LOCKS_LINEAR, angular = locks >> KG_LOCKS_ANGULAR_SHIFT;
    if (hold_to_plane(locks)) return !is_in_plane(world, group, lane, locks);
    return linear || (angular && angular != KG_LOCKS_LINEAR);
}

bool kg_contact_locks_couple(const kugel_world *world, uint32_t group, int lane)
{
    const kg_contact_locks *locks = &world->contact->locks[group];
    return couples(world, group, lane, locks->of_a[lane]) ||
           couples(world, group, lane, locks->of_b[lane]);
}
