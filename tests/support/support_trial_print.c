/* Prints a trial as a scene of kugel-run in JSON. Solid shapes, varying ticks, and unusual
 * impact budgets and contact iterations, follow in extra lines. */
#include <stdio.h>

#include "support/support_trial.h"

static void print_vector(const char *name, const double v[3])
{
    fprintf(stderr, "\"%s\": [%.17g, %.17g, %.17g]", name, v[0], v[1], v[2]);
}

static void print_world(const support_trial *trial)
{
    const kugel_world_def *def = &trial->scene.def;
    const kugel_bounds *bounds = &def->bounds;
    static const char *const faces[] = {
        [KUGEL_FACE_OPEN] = "open", [KUGEL_FACE_WALL] = "wall", [KUGEL_FACE_PERIODIC] = "periodic"};
    fprintf(stderr, "{\"format\": \"kugel-scene\", \"version\": 1, \"dt\": %.17g, \"ticks\": %u,\n",
            trial->tick_count ? trial->ticks[0] : 1, trial->tick_count);
    fprintf(stderr,
            "  \"substeps\": %d, \"bounce_threshold\": %g, \"slop\": %g, \"linear_damping\": %g,\n"
            "  \"angular_damping\": %g, \"sleep\": %s, ",
            def->substeps, def->bounce_threshold, def->slop, def->linear_damping,
            def->angular_damping, def->sleep ? "true" : "false");
    print_vector("gravity", def->gravity);
    fprintf(stderr, ",\n  \"bounds\": {");
    print_vector("min", bounds->min), fprintf(stderr, ", "), print_vector("max", bounds->max);
    fprintf(stderr, ",\n    \"restitution\": %g, \"friction\": %g, \"faces\": [",
            bounds->restitution, bounds->friction);
    for (int face = 0; face < 6; ++face) {
        fprintf(stderr, "%s\"%s\"", face ? ", " : "", faces[bounds->faces[face]]);
    }
    fprintf(stderr, "]},\n");
}

static void print_planes(const support_scene *scene)
{
    fprintf(stderr, "  \"planes\": [");
    for (uint32_t p = 0; p < scene->plane_count; ++p) {
        const support_plane *plane = &scene->planes[p];
        fprintf(stderr, "%s\n    {", p ? "," : "");
        print_vector("normal", plane->normal);
        fprintf(stderr, ", \"offset\": %.17g, \"restitution\": %g, \"friction\": %g}",
                plane->offset, plane->restitution, plane->friction);
    }
    fprintf(stderr, "],\n");
}

static void print_shapes(const support_scene *scene)
{
    for (uint32_t k = 0; k < scene->shape_count; ++k) {
        const kugel_surface_def *s = &scene->shapes[k];
        fprintf(stderr, "not in the scene: shape %d, ", s->shape);
        print_vector("size", s->size), fprintf(stderr, ", ");
        print_vector("position", s->position), fprintf(stderr, ", ");
        print_vector("rotation", s->rotation);
        fprintf(stderr, ", w %.17g, restitution %g, friction %g\n", s->rotation[3], s->restitution,
                s->friction);
    }
}

static void print_bodies(const support_scene *scene)
{
    static const char *const types[] = {"dynamic", "static", "kinematic"};
    fprintf(stderr, "  \"bodies\": [");
    for (uint32_t i = 0; i < scene->count; ++i) {
        const kugel_body_def *b = &scene->bodies[i];
        fprintf(stderr, "%s\n    {\"type\": \"%s\", ", i ? "," : "", types[b->type]);
        print_vector("position", b->position);
        fprintf(stderr, ", \"radius\": %.17g, \"mass\": %.17g,\n     ", b->radius, b->mass);
        print_vector("velocity", b->velocity), fprintf(stderr, ", ");
        if (b->type != KUGEL_STATIC) print_vector("spin", b->spin), fprintf(stderr, ",\n     ");
        fprintf(stderr,
                "\"restitution\": %g, \"friction\": %g, \"rolling_resistance\": %g, "
                "\"tangential_restitution\": %g}",
                b->restitution, b->friction, b->rolling_resistance, b->tangential_restitution);
    }
    fprintf(stderr, "]}\n");
}

void support_trial_print(const support_trial *trial)
{
    const kugel_world_def *def = &trial->scene.def, usual = kugel_world_def_default();
    print_world(trial);
    print_planes(&trial->scene);
    print_bodies(&trial->scene);
    print_shapes(&trial->scene);
    if (def->impact_budget != usual.impact_budget ||
        def->contact_iterations != usual.contact_iterations) {
        fprintf(stderr, "not in the scene: impact_budget %d, contact_iterations %d\n",
                def->impact_budget, def->contact_iterations);
    }
    bool varies = false;
    for (uint32_t t = 1; t < trial->tick_count; ++t)
        varies = varies || trial->ticks[t] != trial->ticks[0];
    if (!varies) return;
    fprintf(stderr, "not in the scene: ticks of");
    for (uint32_t t = 0; t < trial->tick_count; ++t) fprintf(stderr, " %.17g", trial->ticks[t]);
    fprintf(stderr, " s\n");
}
