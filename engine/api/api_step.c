/* kugel_world_step: checks dt and the paths of bodies and surfaces, steps, records the tick. */
#include "api/api_step.h"

#include <math.h>

#include "api/api_refuse.h"
#include "base/constants.h"
#include "base/fp_environment.h"
#include "impact/impact.h"
#include "record/recorder.h"
#include "places/places.h"
#include "world/growth.h"
#include "world/validate.h"

/* The largest path along an axis that gravity alone gives a body in a tick, m. */
static double farthest_fall(const kugel_world *world, int axis, double dt)
{
    const kg_bodies *bodies = &world->bodies;
    double pull = fabs(world->def.gravity[axis]), scale = 0;
    for (uint32_t k = 0; k < bodies->material_count && pull > 0; ++k) {
        double body_scale = fabs(bodies->materials[k].gravity_scale);
        if (bodies->materials[k].body_count && body_scale > scale) scale = body_scale;
    }
    return scale * pull * dt * dt / 2;
}

/* Check that the path of a body along an axis, |v| dt + |a| dt^2 / 2, is at most `limit`, m. The
 * error names the largest cause: dt (for the speed), gravity or force. */
static kugel_status check_body_path(kugel_world *world, uint32_t slot, int axis, double dt,
                                    double limit)
{
    const kg_bodies *bodies = &world->bodies;
    double mass = bodies->mass[slot], half = dt * dt / 2, fall = 0, push = 0;
    double run = fabs(bodies->v[axis][slot]) * dt;
    if (mass > 0)
        fall = kg_bodies_material(bodies, slot)->gravity_scale * world->def.gravity[axis] * half;
    if (mass > 0 && bodies->has_forces) push = bodies->force[axis][slot] / mass * half;
    if (run + fabs(fall + push) <= limit) return KUGEL_OK;
    const char *cause = "dt";
    if (fabs(fall) > run) cause = "gravity";
    if (fabs(push) > run && fabs(push) > fabs(fall)) cause = "force";
    return kg_error_report(world, KUGEL_ERROR_LIMIT, cause,
                           "body %u would cross the periodic box more than %g times",
                           bodies->id[slot], KG_CROSSINGS_LIMIT);
}

/* Check the paths of all bodies along an axis: first an upper bound that nearly all bodies keep,
 * then the exact path of the others. */
static kugel_status check_axis(kugel_world *world, int axis, double dt, double limit)
{
    const kg_bodies *bodies = &world->bodies;
    const double *v = bodies->v[axis], *force = bodies->has_forces ? bodies->force[axis] : NULL;
    double fastest = (limit - farthest_fall(world, axis, dt)) / dt;
    for (uint32_t i = 0; i < bodies->count; ++i) {
        /* m/s, mean over the tick: the speed that the force may still add */
        double left = fastest - fabs(v[i]);
        if (left >= 0 && (!force || fabs(force[i]) * (dt / 2) <= left * bodies->mass[i])) continue;
        kugel_status status = check_body_path(world, i, axis, dt, limit);
        if (status) return status;
    }
    return KUGEL_OK;
}

/* Check that no body crosses a periodic axis more than KG_CROSSINGS_LIMIT times in the tick: each
 * crossing is an event. */
static kugel_status check_paths(kugel_world *world, double dt)
{
    const kugel_bounds *bounds = &world->def.bounds;
    kugel_status status = KUGEL_OK;
    for (int axis = 0; axis < 3 && !status; ++axis) {
        if (bounds->faces[2 * axis] != KUGEL_FACE_PERIODIC) continue;
        status = check_axis(world, axis, dt,
                            KG_CROSSINGS_LIMIT * (bounds->max[axis] - bounds->min[axis]));
    }
    return status;
}

/* Check that surfaces stay within +-KG_VALUE_LIMIT in the tick. */
static kugel_status check_surfaces(kugel_world *world, double dt)
{
    const kg_surfaces *set = &world->surfaces;
    for (uint32_t k = 0; k < set->moving_count; ++k) {
        const kg_surface *surface = &set->items[set->moving[k]];
        double end[3];
        kg_add_scaled3(end, surface->position, dt, surface->velocity);
        if (kg_max_abs3(end) <= KG_VALUE_LIMIT) continue;
        return kg_error_report(world, KUGEL_ERROR_LIMIT, "dt",
                               "surface %u would leave the range of +-%g", set->moving[k],
                               KG_VALUE_LIMIT);
    }
    return KUGEL_OK;
}

/* Check that radii stay in their range while they grow. */
static kugel_status check_growth(kugel_world *world, double dt)
{
    const kg_bodies *bodies = &world->bodies;
    kugel_error error;
    for (uint32_t i = 0; i < bodies->count && world->def.growth > 0; ++i) {
        double radius = bodies->radius[i] * (1 + world->def.growth * dt);
        if (kg_growth_applies(bodies, i) && kg_validate_radius(world, radius, "growth", &error))
            return kg_error_report(world, KUGEL_ERROR_LIMIT, "growth", "body %u: radius %s",
                                   bodies->id[i], error.message);
    }
    return KUGEL_OK;
}

kugel_status kg_api_check_step(kugel_world *world, double dt)
{
    if (!(dt > 0) || !(dt <= KG_VALUE_LIMIT))
        return kg_error_report(world, KUGEL_ERROR_INVALID_ARGUMENT, "dt",
                               "must be > 0 and at most %g, got %g", KG_VALUE_LIMIT, dt);
    if (!kg_fp_is_ieee754())
        return kg_error_report(world, KUGEL_ERROR_FLOATING_POINT, "floating point",
                               "the host changed rounding, subnormals or traps since the world was "
                               "created");
    kugel_status status = check_paths(world, dt);
    if (!status) status = check_growth(world, dt);
    return status ? status : check_surfaces(world, dt);
}

kugel_status kg_api_report_step(kugel_world *world, kugel_status status, double dt)
{
    if (status == KUGEL_ERROR_OUT_OF_MEMORY)
        return kg_error_report(world, status, "step", "no memory; the world is as it was");
    if (status == KG_STEP_EVENT_LIMIT)
        return kg_error_report(
            world, KUGEL_ERROR_LIMIT, "step_event_limit",
            "more than %llu events in a step of %g s; take a shorter step, slower "
            "or fewer bodies, or a larger limit",
            (unsigned long long)kg_impact_event_limit(world), dt);
    if (status == KG_STEP_PAIR_LIMIT)
        return kg_error_report(world, KUGEL_ERROR_LIMIT, "bodies",
                               "more than %llu pairs of bodies overlap by half the sum of their "
                               "radii or more; move or remove some",
                               (unsigned long long)kg_grid_pair_limit(world));
    if (status == KUGEL_ERROR_STATE)
        return kg_error_report(world, status, "pair_filter",
                               "the callback failed; the world is as it was");
    return kg_error_report(world, status, "dt", "a body would leave the range of +-%g",
                           KG_VALUE_LIMIT);
}

static kugel_status step_and_record(kugel_world *world, double dt)
{
    KG_CHANGE_LOCAL(world);
    kg_stopwatch_start(world);
    kugel_status status = kg_api_check_step(world, dt);
    if (status) return status;
    status = kg_world_step(world, dt);
    if (status) return kg_api_report_step(world, status, dt);
    kg_record_step(world->recorder, world, dt);
    kg_stopwatch_lap(world, KG_STAGE_RECORD);
    kg_stopwatch_stop(world);
    return KUGEL_OK;
}

kugel_status kugel_world_step(kugel_world *world, double dt)
{
    uint64_t exhausted = world ? world->budgets_exhausted : 0;
    kugel_status status = step_and_record(world, dt);
    if (status) return status;
    /* behind the step: calls that the host makes in this callback are recorded after it */
    if (world->budgets_exhausted != exhausted && world->def.log.write)
        world->def.log.write(world->def.log.user, KUGEL_OK,
                             "impact budgets were used up: some impacts did not bounce");
    return KUGEL_OK;
}
