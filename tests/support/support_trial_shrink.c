/* Shrinks a failing trial. A change is kept if the trial still has a fault of the same kind; a
 * fault of energy must keep at least a quarter of its excess. Changes are repeated until none
 * helps, or until RUNS runs or SECONDS of processor time are used up. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/support_trial.h"

enum { RUNS = 5000, SECONDS = 10 };

typedef struct shrinker {
    support_trial *trial; /* has a fault of this kind */
    support_fault_kind kind;
    double gain; /* minimum excess of energy to keep, share of the scale */
    uint32_t runs;
    clock_t end;
} shrinker;

static bool may_run(const shrinker *s) { return s->runs < RUNS && clock() < s->end; }

/* Replaces the trial by `changed` if that has the same kind of fault; else frees `changed`. Cuts
 * off ticks after the fault, except for energy, which may rise further. */
static bool keep_if_failing(shrinker *s, support_trial *changed)
{
    support_faults faults = {0};
    if (changed->scene.count > 0 && may_run(s)) faults = support_trial_run(changed), s->runs += 1;
    support_fault fault = faults.first[s->kind];
    if (!fault.found || (s->kind == SUPPORT_FAULT_ENERGY && faults.gain < s->gain)) {
        support_trial_free(changed);
        return false;
    }
    if (s->kind != SUPPORT_FAULT_ENERGY) changed->tick_count = fault.tick + 1;
    support_trial_free(s->trial);
    *s->trial = *changed;
    return true;
}

static bool drop_bodies(shrinker *s, uint32_t first, uint32_t count)
{
    support_trial changed = support_trial_copy(s->trial);
    support_scene *scene = &changed.scene;
    memmove(scene->bodies + first, scene->bodies + first + count,
            (scene->count - first - count) * sizeof *scene->bodies);
    scene->count -= count;
    return keep_if_failing(s, &changed);
}

static bool shrink_bodies(shrinker *s)
{
    bool helped = false;
    for (uint32_t part = (s->trial->scene.count + 1) / 2; part > 0; part /= 2) {
        for (uint32_t first = 0; first + part <= s->trial->scene.count;) {
            if (drop_bodies(s, first, part)) helped = true;
            else first += part;
        }
    }
    return helped;
}

/* Removes ticks at the end or at the start. */
static bool shrink_ticks(shrinker *s)
{
    bool helped = false;
    for (uint32_t part = s->trial->tick_count; part > 0; part /= 2) {
        for (bool again = true; again && part < s->trial->tick_count;) {
            support_trial changed = support_trial_copy(s->trial);
            changed.tick_count -= part;
            again = keep_if_failing(s, &changed);
            if (!again) {
                changed = support_trial_copy(s->trial);
                changed.tick_count -= part;
                memmove(changed.ticks, changed.ticks + part,
                        changed.tick_count * sizeof *changed.ticks);
                again = keep_if_failing(s, &changed);
            }
            helped = helped || again;
        }
    }
    return helped;
}

static bool shrink_planes(shrinker *s)
{
    bool helped = false;
    for (uint32_t p = 0; p < s->trial->scene.plane_count;) {
        support_trial changed = support_trial_copy(s->trial);
        support_scene *scene = &changed.scene;
        memmove(scene->planes + p, scene->planes + p + 1,
                (scene->plane_count - p - 1) * sizeof *scene->planes);
        scene->plane_count -= 1;
        if (keep_if_failing(s, &changed)) helped = true;
        else p += 1;
    }
    return helped;
}

static double rounded(double value, double unit) { return rint(value / unit) * unit; }

enum { CHANGES = 18, BODY_CHANGES = 6 };

/* Applies simplification number `which` to the settings or to all bodies. */
static void simplify(support_trial *trial, int which)
{
    support_scene *scene = &trial->scene;
    kugel_world_def *def = &scene->def, usual = kugel_world_def_default();
    if (which == 0) def->linear_damping = def->angular_damping = 0;
    if (which == 1) def->substeps = usual.substeps;
    if (which == 2) def->bounce_threshold = usual.bounce_threshold;
    if (which == 3) def->slop = usual.slop;
    if (which == 4) def->sleep = usual.sleep;
    if (which == 5) def->contact_iterations = usual.contact_iterations;
    if (which == 6) def->impact_budget = usual.impact_budget;
    if (which == 7) def->bounds.friction = 0;
    if (which == 8) def->bounds.restitution = 0;
    if (which == 9) def->gravity[0] = def->gravity[1] = def->gravity[2] = 0;
    if (which == 10) def->gravity[0] = def->gravity[1] = 0, def->gravity[2] = -9.81;
    for (uint32_t t = 1; t < trial->tick_count && which == 11; ++t)
        trial->ticks[t] = trial->ticks[0];
    if (which >= 12) {
        for (uint32_t p = 0; p < scene->plane_count && which == 12; ++p)
            scene->planes[p].friction = 0;
        for (uint32_t p = 0; p < scene->plane_count && which == 13; ++p)
            scene->planes[p].restitution = 0;
        for (uint32_t i = 0; i < scene->count; ++i) {
            if (which == 14) scene->bodies[i].friction = 0;
            if (which == 15) scene->bodies[i].restitution = 0;
            if (which == 16) scene->bodies[i].mass = 1;
            if (which == 17)
                scene->bodies[i].rolling_resistance = 0,
                scene->bodies[i].tangential_restitution = 0;
        }
    }
}

static void simplify_body(kugel_body_def *body, int which)
{
    for (int k = 0; k < 3; ++k) {
        if (which == 0) body->velocity[k] = 0;
        if (which == 1) body->spin[k] = 0;
        if (which == 2) body->velocity[k] = rounded(body->velocity[k], 0.1);
        if (which == 3) body->spin[k] = rounded(body->spin[k], 0.1);
        if (which == 4) body->position[k] = rounded(body->position[k], 0.01);
    }
    if (which == 5) body->radius = rounded(body->radius, 0.01) + 1e-3;
}

static bool differs(const support_trial *a, const support_trial *b)
{
    return memcmp(&a->scene.def, &b->scene.def, sizeof a->scene.def) != 0 ||
           memcmp(a->scene.planes, b->scene.planes, sizeof a->scene.planes) != 0 ||
           memcmp(a->scene.bodies, b->scene.bodies, a->scene.count * sizeof *a->scene.bodies) ||
           memcmp(a->ticks, b->ticks, a->tick_count * sizeof *a->ticks) != 0;
}

static bool shrink_settings(shrinker *s)
{
    bool helped = false;
    for (int which = 0; which < CHANGES; ++which) {
        support_trial changed = support_trial_copy(s->trial);
        simplify(&changed, which);
        if (differs(&changed, s->trial)) helped = keep_if_failing(s, &changed) || helped;
        else support_trial_free(&changed);
    }
    for (uint32_t i = 0; i < s->trial->scene.count; ++i) {
        for (int which = 0; which < BODY_CHANGES; ++which) {
            support_trial changed = support_trial_copy(s->trial);
            simplify_body(&changed.scene.bodies[i], which);
            if (differs(&changed, s->trial)) keep_if_failing(s, &changed);
            else support_trial_free(&changed);
        }
    }
    return helped;
}

void support_trial_shrink(support_trial *trial, support_fault_kind kind)
{
    shrinker s = {trial, kind, support_trial_run(trial).gain / 4, 0, 0};
    s.end = clock() + SECONDS * CLOCKS_PER_SEC;
    support_trial start = support_trial_copy(trial);
    if (!keep_if_failing(&s, &start)) return;
    for (bool helped = true; helped && may_run(&s);) {
        helped = shrink_bodies(&s);
        helped = shrink_planes(&s) || helped;
        helped = shrink_ticks(&s) || helped;
        helped = shrink_settings(&s) || helped;
    }
}
