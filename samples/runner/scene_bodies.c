/* The bodies of a scene in the order of ids: listed bodies, then those of the generators, whose
 * definitions follow from what the generators stored. */
#include <stdio.h>
#include <string.h>

#include "arrays.h"
#include "lattice.h"
#include "speeds.h"

kugel_body_def scene_generated_body(const scene *scene, const grains *grains, double radius)
{
    kugel_body_def def = scene->defaults;
    if (def.type == KUGEL_STATIC) memset(def.spin, 0, sizeof def.spin);
    grains_set(grains, radius, &def);
    return def;
}

size_t scene_body_count(const scene *scene)
{
    size_t generators = arrlenu(scene->generated);
    return generators ? scene->generated[generators - 1].end : arrlenu(scene->bodies);
}

size_t scene_first_of(const scene *scene, size_t generator)
{
    return generator ? scene->generated[generator - 1].end : arrlenu(scene->bodies);
}

size_t scene_generator_of(const scene *scene, size_t body)
{
    size_t first = 0, last = arrlenu(scene->generated) - 1;
    while (first < last) {
        size_t middle = first + (last - first) / 2;
        if (body < scene->generated[middle].end) last = middle;
        else first = middle + 1;
    }
    return first;
}

static bool each_of_gas(const generator *g, const generated *generated, size_t count,
                        sphere_visit *visit, void *context)
{
    for (size_t i = 0; i < count; ++i) {
        sphere sphere = {.radius = generated_radius(generated, i), .generator = g};
        if (generated->place) memcpy(sphere.place, generated->place[i], sizeof sphere.place);
        if (!visit(context, &sphere)) return false;
    }
    return true;
}

static bool each_of(const scene *scene, size_t generator, sphere_visit *visit, void *context)
{
    const struct generator *g = &scene->generators[generator];
    const generated *generated = &scene->generated[generator];
    size_t count = generated->end - scene_first_of(scene, generator);
    return g->is_gas ? each_of_gas(g, generated, count, visit, context)
                     : lattice_each(scene, g, generated->seed, visit, context);
}

bool scene_each_sphere(const scene *scene, sphere_visit *visit, void *context)
{
    for (size_t i = 0; i < arrlenu(scene->bodies); ++i) {
        const kugel_body_def *def = &scene->bodies[i];
        sphere sphere = {.radius = def->radius};
        memcpy(sphere.place, def->position, sizeof sphere.place);
        if (!visit(context, &sphere)) return false;
    }
    for (size_t i = 0; i < arrlenu(scene->generated); ++i)
        if (!each_of(scene, i, visit, context)) return false;
    return true;
}

/* Makes the bodies of a generator. */
typedef struct making {
    const scene *scene;
    size_t body;   /* the next one */
    speeds speeds; /* of a gas */
    body_visit *visit;
    void *context;
} making;

static bool make_body(void *context, const sphere *sphere)
{
    making *m = context;
    const generator *g = sphere->generator;
    kugel_body_def def = scene_generated_body(m->scene, &g->grains, sphere->radius);
    memcpy(def.position, sphere->place, sizeof def.position);
    if (g->is_gas) speeds_next(&m->speeds, def.mass, def.velocity);
    return m->visit(m->context, m->body++, &def);
}

bool scene_each_body(const scene *scene, body_visit *visit, void *context)
{
    for (size_t i = 0; i < arrlenu(scene->bodies); ++i)
        if (!visit(context, i, &scene->bodies[i])) return false;
    for (size_t i = 0; i < arrlenu(scene->generated); ++i) {
        const generator *g = &scene->generators[i];
        making m = {scene, scene_first_of(scene, i), {0}, visit, context};
        if (g->is_gas) m.speeds = speeds_begin(scene, i);
        if (!each_of(scene, i, make_body, &m)) return false;
    }
    return true;
}

void scene_free_generated(scene *scene)
{
    for (size_t i = 0; i < arrlenu(scene->generated); ++i) {
        free(scene->generated[i].place);
        arrfree(scene->generated[i].radius);
    }
    arrfree(scene->generated);
}

void scene_free_bodies(scene *scene)
{
    arrfree(scene->bodies);
    arrfree(scene->body_places);
    scene_free_generated(scene);
}

/* Path of a body that was read from a file. */
static void file_path(const scene *scene, size_t body, char path[SCENE_PATH])
{
    unsigned long long place = scene->body_places[body];
    if (scene->places_are_lines)
        snprintf(path, SCENE_PATH, "bodies: %.250s:%llu", scene->bodies_file, place);
    else snprintf(path, SCENE_PATH, "bodies: %.250s: row %llu", scene->bodies_file, place - 1);
}

void scene_body_path(const scene *scene, size_t body, char path[SCENE_PATH])
{
    if (body < arrlenu(scene->body_places)) return file_path(scene, body, path);
    if (body < arrlenu(scene->bodies)) {
        snprintf(path, SCENE_PATH, "bodies[%zu]", body);
        return;
    }
    size_t g = scene_generator_of(scene, body);
    snprintf(path, SCENE_PATH, "generators[%zu]: body %zu", g, body - scene_first_of(scene, g));
}
