/* The bound of the energy. Position correction and containment move bodies without velocity. Their
 * work against gravity is measured at each stage and subtracted; the rest of the energy never
 * rises. With a number of substeps in the def each body may have m (g h)^2 / 2 more, where h is the
 * longest substep so far, because its velocity in a contact is that of the end of the substep. The
 * scale is the kinetic energy at the start plus the potential energy of a fall through the box. */
#include <math.h>
#include <string.h>

#include "support/support_trial.h"
#include "places/places.h"
#include "world/world.h"

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static bool is_checked(const support_scene *scene)
{
    for (uint32_t i = 0; i < scene->count; ++i)
        if (scene->bodies[i].type == KUGEL_KINEMATIC) return false;
    return true;
}

support_energy support_energy_start(const support_scene *scene)
{
    support_energy energy = {.least = INFINITY};
    const double *gravity = scene->def.gravity;
    energy.g = sqrt(dot(gravity, gravity));
    if (!is_checked(scene)) return energy;
    double height = 0;
    for (int k = 0; k < 3; ++k) {
        if (energy.g > 0) energy.up[k] = -gravity[k] / energy.g;
        height += fabs(energy.up[k]) * (scene->def.bounds.max[k] - scene->def.bounds.min[k]);
    }
    for (uint32_t i = 0; i < scene->count; ++i) {
        const kugel_body_def *b = &scene->bodies[i];
        if (b->type != KUGEL_DYNAMIC) continue;
        energy.scale += b->mass * (dot(b->velocity, b->velocity) / 2 + energy.g * height +
                                   0.2 * b->radius * b->radius * dot(b->spin, b->spin));
    }
    return energy;
}

/* Potential energy of the dynamic bodies within a step, J. @param at_end true: at the places where
 * the present motions end with the substep. */
static double potential_energy(const support_energy *energy, bool at_end)
{
    const kugel_world *world = energy->world;
    double sum = 0, x[3];
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (at_end) kg_work_position_at(&world->work, i, world->work.substep_length, x);
        else memcpy(x, world->work.motion[i].x, sizeof x);
        sum += world->bodies.mass[i] * energy->g * dot(x, energy->up);
    }
    return sum;
}

/* Work of moves without velocity in the stage before the last reading, J. A contact stage does
 * position correction. The second advance stage after the impacts, which ends all motions, does
 * containment. */
static double lift_of_stage(support_energy *energy)
{
    const uint64_t *now = energy->world->stopwatch.current, *before = energy->stages;
    if (now[KG_STAGE_CONTACT] > before[KG_STAGE_CONTACT]) return energy->after - energy->before;
    if (now[KG_STAGE_IMPACT] > before[KG_STAGE_IMPACT]) energy->advances = 0;
    if (now[KG_STAGE_ADVANCE] > before[KG_STAGE_ADVANCE] &&
        now[KG_STAGE_IMPACT] > energy->impacts && ++energy->advances == 2)
        return energy->after - energy->end;
    return 0;
}

/* True before the motions of a world, or of a place that begins to step, are read. A round of
 * places begins when the world is none of them. */
static bool is_between_places(support_energy *energy)
{
    const kugel_world *world = energy->world;
    bool begins = energy->rows != world->bodies.x[0], is_none = !world->all_bodies;
    bool finds = world->stopwatch.current[KG_STAGE_GRID] > energy->stages[KG_STAGE_GRID];
    energy->rows = world->bodies.x[0];
    if (begins || is_none) {
        energy->done += energy->lift;
        energy->lift = 0;
        energy->advances = 2;
        energy->impacts = world->stopwatch.current[KG_STAGE_IMPACT];
        memcpy(energy->stages, world->stopwatch.current, sizeof energy->stages);
    }
    if (is_none && finds) energy->done = 0;
    return begins || is_none;
}

/* The world reads this clock after each stage. A repeated tick begins with another refinement. */
static uint64_t read_clock(void *user)
{
    support_energy *energy = user;
    const kugel_world *world = energy->world;
    if (!world || !world->work.motion) return ++energy->readings;
    if (world->places->count > 1 && is_between_places(energy)) return ++energy->readings;
    if (world->places->count <= 1) energy->impacts = 0;
    bool has_motions = world->stopwatch.current[KG_STAGE_IMPACT] > energy->impacts;
    energy->lift += lift_of_stage(energy);
    if (energy->restarts) energy->lift = 0, energy->advances = 2;
    energy->restarts = world->work.refinement != energy->refinement;
    energy->refinement = world->work.refinement;
    memcpy(energy->stages, world->stopwatch.current, sizeof energy->stages);
    energy->before = energy->after;
    energy->after = potential_energy(energy, false);
    energy->end = energy->next_end;
    energy->next_end = has_motions ? potential_energy(energy, true) : 0;
    return ++energy->readings;
}

kugel_clock support_energy_clock(support_energy *energy)
{
    return (kugel_clock){.now = read_clock, .user = energy};
}

double support_energy_rise(support_energy *energy, const support_scene *scene,
                           const kugel_world *world, const kugel_body_state *states, double dt)
{
    kugel_stats stats;
    kugel_energy sums;
    if (energy->scale == 0) return 0;
    kugel_world_stats(world, &stats);
    kugel_world_energy(world, &sums);
    double now = sums.kinetic + sums.potential, mass = 0;
    for (uint32_t i = 0; i < scene->count; ++i)
        mass += states[i].type == KUGEL_DYNAMIC ? states[i].mass : 0;
    energy->fall = fmax(energy->fall, energy->g * dt / fmax((double)stats.substeps, 1));
    double fallen = scene->def.substeps ? mass * energy->fall * energy->fall / 2 : 0;
    energy->lifted += energy->lift + energy->done, energy->lift = energy->done = 0;
    double rise = (now - energy->lifted - fallen - energy->least) / energy->scale;
    energy->least = fmin(energy->least, now - energy->lifted);
    return rise;
}
