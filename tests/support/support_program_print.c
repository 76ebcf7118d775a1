/* Prints programs. */
#include <stdio.h>

#include "support/support_program.h"

static void print_vector(const char *name, const double *v, int count)
{
    fprintf(stderr, "%s", name);
    for (int k = 0; k < count; ++k) fprintf(stderr, " %.10g", v[k]);
}

static void print_settings(const support_program *program)
{
    static const char *const faces[] = {"open", "wall", "periodic"};
    const kugel_world_def *d = &program->def;
    const kugel_bounds *b = &d->bounds;
    print_vector("world: gravity", d->gravity, 3);
    fprintf(stderr, ", substeps %d, bounce_threshold %g, slop %g, damping %g %g, sleep %d,\n",
            d->substeps, d->bounce_threshold, d->slop, d->linear_damping, d->angular_damping,
            d->sleep);
    fprintf(stderr, "  contact_iterations %d, impact_budget %d, %u threads, keyframes each %d,",
            d->contact_iterations, d->impact_budget, d->tasks.threads, program->keyframe_ticks);
    print_vector("\n  min", b->min, 3), print_vector(", max", b->max, 3);
    for (int face = 0; face < 6; ++face) fprintf(stderr, " %s", faces[b->faces[face]]);
    fprintf(stderr, ", restitution %g, friction %g, kinds", b->restitution, b->friction);
    for (int face = 0; face < 6; ++face) fprintf(stderr, " %u", d->face_kinds[face]);
    fprintf(stderr, "\n");
}

static void print_body(const support_call *call)
{
    static const char *const types[] = {"dynamic", "static", "kinematic"};
    const kugel_body_def *b = &call->body;
    fprintf(stderr, "create body %u: %s%s", call->at, types[b->type], b->sensor ? " sensor" : "");
    print_vector(", at", b->position, 3), print_vector(", velocity", b->velocity, 3);
    print_vector(", spin", b->spin, 3);
    fprintf(stderr,
            ", radius %.10g, mass %g, restitution %g, friction %g, rolling %g, tangential %g, ",
            b->radius, b->mass, b->restitution, b->friction, b->rolling_resistance,
            b->tangential_restitution);
    fprintf(stderr, "gravity_scale %g, damping %g %g, kind %u, filter %u %u %u%s%s\n",
            b->gravity_scale, b->linear_damping, b->angular_damping, b->kind, b->category, b->mask,
            b->group, b->can_sleep ? "" : ", cannot sleep", b->enabled ? "" : ", disabled");
}

static void print_surface(const support_call *call)
{
    static const char *const shapes[] = {"mesh", "plane", "ellipsoid", "capsule", "cone"};
    const kugel_surface_def *s = &call->surface;
    fprintf(stderr, "add surface %u: %s", call->at, shapes[s->shape]);
    if (s->shape == KUGEL_SURFACE_MESH)
        fprintf(stderr, " %u%s", call->mesh, s->one_sided ? " one-sided" : "");
    fprintf(stderr, ", beside body %u", call->other);
    print_vector(" along", call->value, 3), print_vector(", gap", call->value + 3, 1);
    print_vector(", size", s->size, 3), print_vector(", rotation", s->rotation, 4);
    print_vector(", velocity", s->velocity, 3), print_vector(", spin", s->spin, 3);
    fprintf(stderr, ", restitution %g, friction %g, rolling %g, kind %u, filter %u %u\n",
            s->restitution, s->friction, s->rolling_resistance, s->kind, s->category, s->mask);
}

/* The other calls: name, whether `at` and `other` are used, number of values. */
static const struct print_form {
    const char *name;
    bool at, other;
    int values;
} forms[SUPPORT_OPS] = {
    [SUPPORT_OP_DESTROY] = {"destroy body", true, false, 0},
    [SUPPORT_OP_POSITION] = {"set position (beside body, along, gap)", true, true, 4},
    [SUPPORT_OP_VELOCITY] = {"set velocity", true, false, 3},
    [SUPPORT_OP_SPIN] = {"set spin", true, false, 3},
    [SUPPORT_OP_ROTATION] = {"set rotation", true, false, 4},
    [SUPPORT_OP_MASS] = {"set mass", true, false, 1},
    [SUPPORT_OP_RADIUS] = {"set radius", true, false, 1},
    [SUPPORT_OP_RESTITUTION] = {"set restitution", true, false, 1},
    [SUPPORT_OP_FRICTION] = {"set friction", true, false, 1},
    [SUPPORT_OP_ROLLING] = {"set rolling resistance", true, false, 1},
    [SUPPORT_OP_GRAVITY_SCALE] = {"set gravity scale", true, false, 1},
    [SUPPORT_OP_DAMPING] = {"set linear or angular damping", true, true, 1},
    [SUPPORT_OP_KIND] = {"set kind", true, true, 0},
    [SUPPORT_OP_SENSOR] = {"set sensor", true, true, 0},
    [SUPPORT_OP_CAN_SLEEP] = {"set can sleep", true, true, 0},
    [SUPPORT_OP_ENABLED] = {"set enabled", true, true, 0},
    [SUPPORT_OP_TYPE] = {"set type (type, mass)", true, true, 1},
    [SUPPORT_OP_FILTER] = {"set filter", true, true, 0},
    [SUPPORT_OP_IMAGE] = {"set image", true, false, 3},
    [SUPPORT_OP_FORCE] = {"apply force", true, false, 3},
    [SUPPORT_OP_TORQUE] = {"apply torque", true, false, 3},
    [SUPPORT_OP_IMPULSE] = {"apply impulse", true, false, 3},
    [SUPPORT_OP_ANGULAR_IMPULSE] = {"apply angular impulse", true, false, 3},
    [SUPPORT_OP_FORCE_AT] = {"apply force at", true, false, 6},
    [SUPPORT_OP_IMPULSE_AT] = {"apply impulse at", true, false, 6},
    [SUPPORT_OP_WAKE] = {"wake", true, false, 0},
    [SUPPORT_OP_SLEEP] = {"sleep", true, false, 0},
    [SUPPORT_OP_TARGET] = {"set target (beside body, along, gap, dt)", true, true, 5},
    [SUPPORT_OP_TARGET_ROTATION] = {"set target rotation (dt last)", true, false, 5},
    [SUPPORT_OP_PLANE] = {"add plane at body (normal, gap, restitution, friction)", true, false, 6},
    [SUPPORT_OP_GRAVITY] = {"set gravity", false, false, 3},
    [SUPPORT_OP_EXPLODE] = {"explode at body (radius, falloff, impulse)", true, false, 3},
    [SUPPORT_OP_PAIR] = {"set pair of kinds (restitution, friction, rolling, removed, tangential)",
                         true, true, 5},
    [SUPPORT_OP_STEP] = {"step", false, false, 1},
    [SUPPORT_OP_REMOVE_SURFACE] = {"remove surface", true, false, 0},
    [SUPPORT_OP_PLACE_SURFACE] = {"place surface (beside body, along, gap, rotation)", true, true,
                                  8},
    [SUPPORT_OP_SURFACE_MOTION] = {"set surface motion (velocity, spin)", true, false, 6},
    [SUPPORT_OP_SURFACE_TANGENT] = {"set surface tangent velocity", true, false, 3},
    [SUPPORT_OP_SURFACE_MATERIAL] = {"set surface material", true, false, 4},
    [SUPPORT_OP_SURFACE_FILTER] = {"set surface filter", true, true, 0},
    [SUPPORT_OP_SURFACE_KIND] = {"set surface kind", true, true, 0},
    [SUPPORT_OP_SURFACE_TARGET] = {"set surface target (position, dt, rotation)", true, true, 8},
    [SUPPORT_OP_CLONE] = {"twin: cloned", false, false, 0},
    [SUPPORT_OP_FOREIGN] = {"twin: restored into another world, threads", false, true, 0},
    [SUPPORT_OP_ROLLBACK] = {"twin: rolled back, after a step of", false, false, 1},
    [SUPPORT_OP_SHORTEST_SKIN] = {"twin: shortest skin", false, false, 1},
    [SUPPORT_OP_LONGEST_SKIN] = {"twin: longest skin", false, false, 1},
    [SUPPORT_OP_REBUILD] = {"twin: lists rebuilt", false, false, 0},
    [SUPPORT_OP_WINDOW] = {"twin: window", false, false, 1},
    [SUPPORT_OP_CELLS] = {"twin: cell lists allowed", false, true, 0},
    [SUPPORT_OP_SORT] = {"twin: columns sorted", false, true, 0},
    [SUPPORT_OP_QUERY] = {"twin: queries", false, false, 0},
};

void support_program_print(const support_program *program)
{
    print_settings(program);
    for (uint32_t k = 0; k < program->count; ++k) {
        const support_call *call = &program->calls[k];
        const struct print_form *form = &forms[call->op];
        fprintf(stderr, "%3u ", k);
        if (call->op == SUPPORT_OP_CREATE) {
            print_body(call);
        } else if (call->op == SUPPORT_OP_ADD_SURFACE) {
            print_surface(call);
        } else {
            fprintf(stderr, "%s", form->name);
            if (form->at) fprintf(stderr, " %u", call->at);
            if (form->other) fprintf(stderr, ", %u", call->other);
            print_vector(form->values ? ":" : "", call->value, form->values);
            fprintf(stderr, "\n");
        }
    }
}
