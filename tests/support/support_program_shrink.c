/* Shrinks a failing program. A change is kept if the program still fails in the same way. Changes
 * are repeated until none helps, or until RUNS runs are used up. */
#include <string.h>

#include "support/support_program.h"

enum { RUNS = 4000 };

typedef struct shrinker {
    support_program *program; /* fails */
    bool played;              /* how */
    uint32_t runs;
} shrinker;

static bool keep_if_failing(shrinker *s, const support_program *changed)
{
    if (s->runs >= RUNS) return false;
    s->runs += 1;
    support_program_fault fault = support_program_run(changed);
    if (!fault.found || fault.played != s->played) return false;
    *s->program = *changed;
    return true;
}

static bool drop_calls(shrinker *s, uint32_t first, uint32_t count)
{
    support_program changed = *s->program;
    memmove(changed.calls + first, changed.calls + first + count,
            (changed.count - first - count) * sizeof *changed.calls);
    changed.count -= count;
    return keep_if_failing(s, &changed);
}

static bool shrink_calls(shrinker *s)
{
    bool helped = false;
    for (uint32_t part = (s->program->count + 1) / 2; part > 0; part /= 2) {
        for (uint32_t first = 0; first + part <= s->program->count;) {
            if (drop_calls(s, first, part)) helped = true;
            else first += part;
        }
    }
    return helped;
}

enum { SETTINGS = 12 };

/* Set one setting to its default. */
static void simplify(support_program *program, int which)
{
    kugel_world_def *def = &program->def, usual = kugel_world_def_default();
    if (which == 0) program->keyframe_ticks = -1;
    if (which == 1) def->tasks.threads = 1;
    if (which == 2) def->linear_damping = def->angular_damping = 0;
    if (which == 3) def->substeps = 1;
    if (which == 4) def->bounce_threshold = usual.bounce_threshold;
    if (which == 5) def->slop = usual.slop;
    if (which == 6) def->contact_iterations = usual.contact_iterations;
    if (which == 7) def->impact_budget = usual.impact_budget;
    for (int axis = 0; axis < 3; ++axis) {
        if (which == 8 + axis)
            def->bounds.faces[2 * axis] = def->bounds.faces[2 * axis + 1] = KUGEL_FACE_OPEN;
    }
    if (which == 11) memset(def->gravity, 0, sizeof def->gravity);
}

static const double zero[3];

/* Simplify one call. */
static void simplify_call(support_call *call, int which)
{
    kugel_body_def *body = &call->body, usual = kugel_body_def_default();
    kugel_surface_def *surface = &call->surface;
    if (call->op == SUPPORT_OP_CREATE) {
        if (which == 0) memcpy(body->velocity, zero, sizeof zero);
        if (which == 1) memcpy(body->spin, zero, sizeof zero);
        if (which == 2) body->restitution = 0;
        if (which == 3)
            body->friction = usual.friction, body->rolling_resistance = 0,
            body->tangential_restitution = 0;
        if (which == 3) body->kind = 0;
        if (which == 4) body->category = usual.category, body->mask = usual.mask, body->group = 0;
        if (which == 5) body->sensor = false;
        if (which == 6) body->mass = 1, body->gravity_scale = 1;
        if (which == 6) body->linear_damping = body->angular_damping = 0;
        if (which == 5) body->can_sleep = body->enabled = true;
        if (which == 7) memcpy(body->rotation, usual.rotation, sizeof usual.rotation);
    }
    if (call->op == SUPPORT_OP_ADD_SURFACE) {
        if (which == 0) memcpy(surface->velocity, zero, sizeof zero);
        if (which == 1) memcpy(surface->spin, zero, sizeof zero);
        if (which == 2) surface->restitution = 0, surface->friction = 0.5, surface->kind = 0;
        if (which == 3) surface->one_sided = false, surface->mask = UINT32_MAX;
        if (which == 4) memcpy(surface->rotation, (double[4]){0, 0, 0, 1}, 4 * sizeof(double));
    }
}

static bool shrink_settings(shrinker *s)
{
    enum { CALL_CHANGES = 8 };
    bool helped = false;
    support_program changed = *s->program;
    for (int which = 0; which < SETTINGS; ++which, changed = *s->program) {
        simplify(&changed, which);
        if (memcmp(&changed, s->program, sizeof changed) != 0)
            helped |= keep_if_failing(s, &changed);
    }
    for (uint32_t k = 0; k < s->program->count * CALL_CHANGES; ++k, changed = *s->program) {
        simplify_call(&changed.calls[k / CALL_CHANGES], (int)(k % CALL_CHANGES));
        if (memcmp(&changed, s->program, sizeof changed) != 0)
            helped |= keep_if_failing(s, &changed);
    }
    return helped;
}

void support_program_shrink(support_program *program)
{
    support_program_fault fault = support_program_run(program);
    shrinker s = {program, fault.played, 0};
    for (bool helped = fault.found; helped && s.runs < RUNS;) {
        helped = shrink_calls(&s);
        helped |= shrink_settings(&s);
    }
}
