/* The number of sweeps of a substep, their tolerance and their overrelaxation.
 * In: gravity, masses and depths of the contacts, the ratio of nominal to actual substeps. Out: a
 * kg_sweep_plan. */
#include "contact/solver.h"

/* Clamp a factor to [1, most]. */
static double clamp_factor(double factor, double most)
{
    return factor < 1 ? 1 : factor > most ? most : factor;
}

/* If gravity adds more than this speed in a substep, contacts open, m/s. */
static double opening_speed(const kugel_world *world, double h)
{
    return KG_SWEEPS_FALL_SHARE * world->work.smallest_moving_radius / h;
}

/* Tolerance: a smaller change of a closing speed needs no further sweep, m/s. */
static double sweep_tolerance(const kugel_world *world, double h)
{
    double fall = world->work.gravity_magnitude * h, opening = opening_speed(world, h),
           slow = KG_SWEEPS_BOUNCE_SHARE * kg_bounce_threshold(world),
           press = KG_SWEEPS_PENETRATION * world->work.smallest_moving_radius / h;
    if (press < slow) slow = press;
    if (opening < fall) fall = opening;
    return fall > slow ? fall : slow;
}

/* Factor on the numbers of sweeps for a pile that sinks although its sweeps change little. */
static double sinking_factor(const kugel_world *world)
{
    double share =
        (double)KG_DEEP_SINKING_ONE_IN * world->contact->sinking_count / world->work.contacts.count;
    return clamp_factor(share, KG_DEEP_SWEEPS_FACTOR);
}

/* Minimum number of sweeps in a world of few contacts, where sweeps are cheap. With fewer, a ball
 * in a shallow dimple, or with rolling resistance, keeps a small speed. */
static int min_sweeps_for(uint32_t contacts)
{
    uint32_t sweeps = KG_SWEEPS_FEW_CONTACTS / contacts;
    return (int)(sweeps < KG_SWEEPS_FEW_MAX ? sweeps : KG_SWEEPS_FEW_MAX);
}

/* Factor on the numbers of sweeps for unlike masses. A tick that is repeated with more substeps
 * needs fewer sweeps in each substep. */
static double load_factor(const kugel_world *world)
{
    double factor = __builtin_sqrt(world->contact->largest_load) / KG_SWEEPS_LOAD;
    return clamp_factor(factor / world->work.refinement, KG_SWEEPS_LOAD_MAX_FACTOR);
}

/* Maximum number of sweeps beyond the minimum; the tolerance decides how many of them are made.
 * `usual`: the iterations of the def times the factors of load and sinking, and where a load lands
 * times KG_SWEEPS_LOADED_FACTOR. It differs from the minimum in settled piles and where contacts
 * are few. The maximum is larger where gravity opens contacts. */
static int max_more_sweeps(const kugel_world *world, double h, int usual)
{
    int most = KG_SWEEPS_MAX_FACTOR * usual,
        fall_most = KG_SWEEPS_FALL_FACTOR * KG_SWEEPS_MAX_FACTOR * world->def.contact_iterations;
    bool opens = world->work.gravity_magnitude * h > opening_speed(world, h);
    return (opens && fall_most > most ? fall_most : most) - usual;
}

/* True when a load through unlike masses needs many sweeps. */
static bool is_loaded(const kugel_world *world)
{
    return world->contact->largest_load > KG_SWEEPS_NORMAL_LOAD;
}

static bool has_few_contacts(const kugel_world *world)
{
    return world->work.contacts.count <= KG_SWEEPS_FEW_CONTACTS;
}

/* Overrelaxation of all sweeps after the first. Where a light body passes on a load of L, a plain
 * sweep removes about 1 / L of the error. With the factor 2 / (1 + 1 / sqrt(L)), the best for one
 * such body, it removes about 2 / sqrt(L) (Young 1954). Chains of light bodies need more: the best
 * for 4 L. */
static double relaxation(const kugel_world *world)
{
    if (!is_loaded(world)) return KG_SWEEPS_OVERRELAXATION;
    double most = has_few_contacts(world) ? KG_SWEEPS_FEW_OVERRELAXATION
                                          : KG_SWEEPS_LOADED_OVERRELAXATION,
           factor = 2 / (1 + 0.5 / __builtin_sqrt(world->contact->largest_load));
    return factor < most ? factor : most;
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

/* Choose the numbers of sweeps. A settled load is nearly solved by its warm start. A landing load
 * needs more sweeps, with unlike masses in proportion to sqrt(load). Above KG_SWEEPS_NORMAL_LOAD
 * both numbers of a landing load grow by KG_SWEEPS_LOADED_FACTOR; where contacts are few, only the
 * maximum does. In a settled pile the load raises only the maximum. The tolerance is divided by the
 * factor of the load, except while a load above KG_SWEEPS_NORMAL_LOAD lands on many contacts, where
 * that would cost most. */
kg_sweep_plan kg_contact_plan_sweeps(const kugel_world *world, double h)
{
    int iterations = world->def.contact_iterations,
        few_contact_sweeps = min_sweeps_for(world->work.contacts.count);
    bool settled = world->work.substep_ratio > 1;
    double sinking = sinking_factor(world), factor = sinking * load_factor(world);
    bool lands = is_loaded(world) && !settled;
    int usual = (int)(factor * iterations),
        landing = lands ? usual * KG_SWEEPS_LOADED_FACTOR : usual;
    kg_sweep_plan plan = {.round = round_length(world),
                          .stall_last = stall_last(world),
                          .relaxation = relaxation(world)};
    plan.tolerance = sweep_tolerance(world, h) / (lands && plan.round > 1 ? sinking : factor);
    if (settled) plan.min_sweeps = (int)(sinking * world->work.substep_ratio * iterations);
    else plan.min_sweeps = plan.round > 1 ? landing : usual;
    if (plan.min_sweeps < few_contact_sweeps) plan.min_sweeps = few_contact_sweeps;
    plan.max_sweeps = plan.min_sweeps + max_more_sweeps(world, h, landing);
    return plan;
}
