/* The number of sweeps of a substep, their tolerance and their overrelaxation.
 * In: gravity, masses of the bodies in contact, the ratio of nominal to actual substeps. Out: a
 * kg_sweep_plan. */
#include <math.h>

#include "contact/solver.h"

/* Clamp a factor to [1, most]. */
static double clamp_factor(double factor, double most)
{
    return factor < 1 ? 1 : factor > most ? most : factor;
}

double kg_contact_fall_speed(const kugel_world *world, double h)
{
    double nominal = h / world->work.substep_ratio, fall = world->work.gravity_magnitude * nominal,
           most = KG_SUBSTEP_FALL * world->work.smallest_moving_radius / nominal;
    return fall > 0 && fall < most ? fall : most;
}

/* Minimum number of sweeps in a world of few contacts, where sweeps are cheap. With fewer, a ball
 * in a shallow dimple, or with rolling resistance, keeps a small speed. */
static int few_contact_sweeps(uint32_t contacts)
{
    uint32_t sweeps = KG_SWEEPS_FEW_CONTACTS / contacts;
    return (int)(sweeps < KG_SWEEPS_FEW_MAX ? sweeps : KG_SWEEPS_FEW_MAX);
}

/* Factor on the numbers of sweeps for large loads. A tick that is repeated with more substeps
 * needs fewer sweeps in each substep. */
static double load_factor(const kugel_world *world)
{
    double factor = sqrt(world->contact->largest_load / KG_SWEEPS_NORMAL_LOAD);
    return clamp_factor(factor / world->work.refinement, KG_SWEEPS_LOAD_MAX_FACTOR);
}

/* True when a load through unlike masses needs many sweeps. */
static bool is_loaded(const kugel_world *world)
{
    return world->contact->largest_load > KG_SWEEPS_NORMAL_LOAD;
}

static bool has_few_contacts(const kugel_world *world)
{
    return kg_contact_awake_count(world) <= KG_SWEEPS_FEW_CONTACTS;
}

/* Least overrelaxation of all sweeps after the first. Where a light body passes on a load of L, a
 * plain sweep removes about 1 / L of the error. With the factor 2 / (1 + 1 / sqrt(L)), the best for
 * one such body, it removes about 2 / sqrt(L) (Young 1954). Chains of light bodies need more: the
 * best for 4 L. */
static double relaxation(const kugel_world *world)
{
    if (!is_loaded(world)) return KG_SWEEPS_OVERRELAXATION;
    double most = has_few_contacts(world) ? KG_SWEEPS_MOST_OVERRELAXATION
                                          : KG_SWEEPS_LOADED_OVERRELAXATION,
           factor = 2 / (1 + 0.5 / sqrt(world->contact->largest_load));
    return factor < most ? factor : most;
}

/* Greatest overrelaxation. All sweeps have the least one among few contacts, which are swept until
 * they converge; under the load of unlike masses, for which it is chosen; and where something that
 * moves drives bodies, since impulses that come and go would pinch them. */
static double most_relaxation(const kugel_world *world)
{
    bool least = has_few_contacts(world) || is_loaded(world) || world->contact->on_mover;
    return least ? relaxation(world) : KG_SWEEPS_MOST_OVERRELAXATION;
}

/* Number of sweeps of a round (kg_sweep_plan). The sweeps of normal impulses in it pass a load
 * through unlike masses. It is 1 where the load adds few sweeps and where contacts are few. */
static int round_length(const kugel_world *world)
{
    return is_loaded(world) && !has_few_contacts(world) ? KG_SWEEPS_ROUND : 1;
}

/* Number of sweeps of a substep after which they count as stalled. It is smaller where a tick has
 * many substeps, since the warm start of the next substep continues the solve. */
static int stall_last(const kugel_world *world)
{
    int last = KG_SWEEPS_STALL_TICK / world->work.substeps, least = world->def.contact_iterations;
    if (least < KG_SWEEPS_STALL_LEAST) least = KG_SWEEPS_STALL_LEAST;
    if (last < least) last = least;
    return last < KG_SWEEPS_STALL_LAST ? last : KG_SWEEPS_STALL_LAST;
}

static bool has_sensor(const kugel_world *world, const uint32_t slot[2])
{
    for (int k = 0; k < 2; ++k) {
        if (slot[k] < world->bodies.count && kg_bodies_is_sensor(&world->bodies, slot[k]))
            return true;
    }
    return false;
}

/* True when a movable body of the group has another contact, or a contact has rolling resistance.
 * The whole world decides whether there is stage->rolling, so that alone decides nothing. */
static bool needs_sweeps(const kugel_world *world, uint32_t group, bool with_sensors)
{
    const kg_contact_stage *stage = world->contact;
    const kg_contact_group *g = &stage->groups[group];
    for (int lane = 0; lane < KG_LANES; ++lane) {
        const uint32_t slot[2] = {g->a[lane], g->b[lane]};
        if (stage->group_info[group].ended >> lane & 1) continue;
        if (!with_sensors && has_sensor(world, slot)) continue;
        for (int k = 0; k < 2; ++k) {
            if (slot[k] < world->bodies.count && world->bodies.mass[slot[k]] > 0 &&
                world->work.contact_count[slot[k]] > 1)
                return true;
        }
        if (stage->rolling && stage->rolling[group].rolling_arm[lane] > 0) return true;
        if (stage->locks && kg_contact_locks_couple(world, group, lane)) return true;
    }
    return false;
}

bool kg_contact_are_independent(const kugel_world *world, bool with_sensors)
{
    for (uint32_t i = 0; i < world->contact->group_count; ++i) {
        if (needs_sweeps(world, i, with_sensors)) return false;
    }
    return true;
}

/* Choose the numbers of sweeps. A substep that stands for several nominal ones makes the sweeps of
 * all of them. Under large loads the maximum grows in proportion to sqrt(load), and the tolerance
 * is divided by the same factor. The maximum also grows in settled piles. Few contacts are swept
 * until they have converged or stalled: else bodies that wedge gain energy. */
kg_sweep_plan kg_contact_plan_sweeps(const kugel_world *world, double h)
{
    int least = few_contact_sweeps(kg_contact_awake_count(world)),
        usual = (int)(world->work.substep_ratio * world->def.contact_iterations);
    if (usual < least) usual = least;
    bool settled = world->work.substep_ratio > 1;
    double factor = load_factor(world);
    kg_sweep_plan plan = {.round = round_length(world),
                          .stall_last = stall_last(world),
                          .relaxation = relaxation(world),
                          .most_relaxation = most_relaxation(world),
                          .tolerance =
                              KG_SWEEPS_RESIDUAL * kg_contact_fall_speed(world, h) / factor,
                          .full_sweeps = usual,
                          .max_sweeps = (int)(KG_SWEEPS_MAX_FACTOR * factor * usual)};
    if (settled) plan.max_sweeps *= KG_SWEEPS_SETTLED_FACTOR;
    if (has_few_contacts(world) && plan.max_sweeps < plan.stall_last)
        plan.max_sweeps = plan.stall_last;
    if (kg_contact_are_independent(world, true))
        plan.full_sweeps = plan.max_sweeps = plan.round = 1;
    return plan;
}
