/* The solver of resting contacts: sweep plan, solve, its bodies, position correction. */
#ifndef KG_CONTACT_SOLVER_H
#define KG_CONTACT_SOLVER_H

#include "contact/contact.h"

/* The first full_sweeps sweeps change all groups. Later ones skip converged groups, so that sweeps
 * go on only where something is left to solve. A contact has converged when the last sweep changed
 * its closing speed by at most the tolerance; a group, when all contacts of its bodies have.
 * Sweeps come in rounds: the first sweep of a round changes all impulses, the others only normal
 * impulses. The last sweep of a round decides which contacts have converged. */
typedef struct kg_sweep_plan {
    int full_sweeps; /* at least 1 */
    int max_sweeps;
    int round;      /* sweeps of a round */
    int stall_last; /* number of the sweep, from 1, that counts as stalled in any case */
    /* least and greatest overrelaxation after the first sweep: it grows with their number */
    double relaxation, most_relaxation;
    double tolerance; /* m/s, change of a closing speed that needs no further sweep */
} kg_sweep_plan;
/* sweep_plan.c: the speed that gravity adds in a nominal substep, m/s, at a substep of h s. Without
 * gravity, and in substeps longer than by default, it is that of the default length. */
double kg_contact_fall_speed(const kugel_world *world, double h);
/* True when no movable body has two contacts and no contact has rolling resistance: one sweep
 * solves all. `with_sensors`: contacts of sensors count. */
bool kg_contact_are_independent(const kugel_world *world, bool with_sensors);
/* The plan for this substep. */
kg_sweep_plan kg_contact_plan_sweeps(const kugel_world *world, double h);
/* solve.c: warm start, then sweeps, then torsional friction. Changes the plan if the sweeps
 * stall. */
void kg_contact_solve(kugel_world *world, double h, kg_sweep_plan *plan);
/* contact_sums.c: after a solve, add the impulses of the contacts to the sums of the tick. False
 * when out of memory. */
bool kg_contact_sum_impulses(kugel_world *world);
/* Before a solve: memory for what it stores for the sums. False when out of memory. */
bool kg_contact_sums_prepare(kugel_world *world);
/* True if more than one sweep is needed for a lane because of locks: an impulse along its normal
 * changes the slip, or friction does not stop the slip at once. */
bool kg_contact_locks_couple(const kugel_world *world, uint32_t group, int lane);
/* limit_warm_start.c: among unlike masses or engulfed bodies, scale the impulses down if the warm
 * start added energy. True when the warm start has to be repeated. */
bool kg_contact_limit_warm_start(kugel_world *world, double h);
/* solver_bodies.c: load the velocities before the solve, of all bodies or of one. */
void kg_solver_bodies_load(kugel_world *world, double h);
void kg_solver_body_load(const kugel_world *world, uint32_t slot, double h, kg_solver_body *body);
/* Add the changes by the solve to velocities and spins, and the corrections to positions.
 * KUGEL_ERROR_LIMIT when a velocity or spin leaves +-KG_VALUE_LIMIT, or overflows in the solve. */
kugel_status kg_solver_bodies_store(kugel_world *world, double h);
/* True when the solve reads and changes the body: it has contacts and is awake. */
static inline bool kg_solver_body_is_solved(const kg_work *work, uint32_t slot)
{
    return work->contact_count[slot] && work->sleep_state[slot] != KG_ASLEEP;
}
/* position_correction.c: correct penetration; mark the bodies that a contact pushes, which get the
 * solved velocity. h: length of the substep, s. */
void kg_contact_correct_positions(kugel_world *world, double h);
/* moving_surfaces.c: the lanes of a group, a bit each, whose contacts are with moving surfaces. */
uint32_t kg_moving_surfaces_lanes(const kugel_world *world, uint32_t group);
/* For the solve of a substep of h s, add an immovable body for each contact with a surface that
 * moves. False when out of memory. */
bool kg_moving_surfaces_enter(kugel_world *world, double h);
/* Remove the bodies that kg_moving_surfaces_enter added. */
void kg_moving_surfaces_leave(kugel_world *world);
/* growing_gaps.c: while radii grow, the gaps become those at the start of the substep of h s. Those
 * that the solve reads: what the centres may still approach in it. False when out of memory. */
bool kg_growing_gaps_enter(kugel_world *world, double h);
/* After the solve: the gaps at the start. */
void kg_growing_gaps_leave(kugel_world *world);

#endif
