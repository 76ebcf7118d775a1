/* Fuzz target: texts of scenes. The parser must refuse a text with one line and an exit code, or
 * read a scene; if the scene is small, its world is created and stepped. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "acts.h"
#include "arrays.h"
#include "failing_memory.h"
#include "input.h"

enum { FEW_BODIES = 200, FEW_TRIANGLES = 2000, EVENT_LIMIT = 2000, SUBSTEPS = 4, TICKS = 3 };

static void check_complaint(const complaint *complaint)
{
    FUZZ_CHECK(complaint->code == EXIT_USAGE || complaint->code == EXIT_RESOURCES, "exit code %d",
               complaint->code);
    size_t length = strnlen(complaint->text, sizeof complaint->text);
    FUZZ_CHECK(length > 0 && length < sizeof complaint->text, "a complaint of %zu bytes", length);
}

static bool is_small(const scene *scene)
{
    double bodies = (double)arrlenu(scene->bodies);
    for (size_t i = 0; i < arrlenu(scene->generators); ++i) {
        const generator *g = &scene->generators[i];
        const uint32_t *n = g->lattice.count;
        bodies += g->is_gas ? g->gas.count : (double)n[0] * n[1] * n[2];
    }
    for (size_t i = 0; i < arrlenu(scene->emitters); ++i)
        bodies += (double)scene->emitters[i].count * TICKS;
    double triangles = 0;
    for (size_t i = 0; i < arrlenu(scene->surfaces); ++i)
        triangles += (double)arrlenu(scene->surfaces[i].triangles) / 3;
    return bodies <= FEW_BODIES && triangles <= FEW_TRIANGLES;
}

/* Leaves out surfaces whose mesh is in a file. */
static void add_surfaces(const scene *scene, kugel_world *world)
{
    for (size_t i = 0; i < arrlenu(scene->surfaces); ++i) {
        const surface *s = &scene->surfaces[i];
        kugel_surface_def def = s->def;
        if (s->mesh_file) continue;
        def.vertices = s->vertices, def.vertex_count = (uint32_t)(arrlenu(s->vertices) / 3);
        def.triangles = s->triangles, def.triangle_count = (uint32_t)(arrlenu(s->triangles) / 3);
        kugel_surface_create(world, &def, NULL);
    }
}

typedef struct creation {
    const scene *scene;
    kugel_world *world;
} creation;

static bool create_body(void *context, size_t body, const kugel_body_def *def)
{
    const creation *c = context;
    char path[SCENE_PATH];
    scene_body_path(c->scene, body, path);
    kugel_body_create(c->world, def, NULL);
    return true;
}

/* The acts of each tick, then its step. */
static void run_ticks(const scene *scene, kugel_world *world)
{
    acts acts = acts_make("scene", scene);
    kugel_status status = KUGEL_OK;
    int code = acts_begin(&acts, world);
    for (uint64_t tick = 0; tick < TICKS && !code && !status; ++tick) {
        code = acts_run(&acts, tick);
        if (!code) status = kugel_world_step(world, scene->dt);
        FUZZ_CHECK(!status || status == KUGEL_ERROR_LIMIT, "step: %s", kugel_status_text(status));
    }
    FUZZ_CHECK(!code || code == EXIT_USAGE || code == EXIT_RESOURCES, "exit code %d", code);
    acts_end(&acts);
}

/* As samples/runner/run.c. The world may refuse values that the parser accepts. */
static void run(const scene *scene)
{
    failing_memory memory = {0};
    kugel_world_def def = scene->world;
    kugel_world *world;
    def.allocator = failing_memory_hooks(&memory);
    def.limits.bytes = FUZZ_MEMORY;
    def.step_event_limit = EVENT_LIMIT;
    if (def.substeps == 0 || def.substeps > SUBSTEPS) def.substeps = SUBSTEPS;
    if (kugel_world_create(&def, &world)) return;
    for (size_t i = 0; i < arrlenu(scene->planes); ++i) {
        kugel_surface_def plane =
            kugel_surface_def_plane(scene->planes[i].normal, scene->planes[i].offset);
        kugel_surface_create(world, &plane, NULL);
    }
    add_surfaces(scene, world);
    creation creation = {scene, world};
    scene_each_body(scene, create_body, &creation);
    run_ticks(scene, world);
    kugel_world_destroy(world);
    FUZZ_CHECK(memory.bytes == 0, "%llu bytes leaked", (unsigned long long)memory.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    scene scene;
    complaint complaint = {0};
    char *text = malloc(size ? size : 1); /* not ended by 0 */
    if (!text) abort();
    if (size) memcpy(text, data, size);
    if (!scene_parse(&scene, text, size, "scene", &complaint)) {
        check_complaint(&complaint);
    } else {
        FUZZ_CHECK(scene.dt > 0 && scene.dt <= LARGEST, "dt %g", scene.dt);
        bool small = is_small(&scene);
        if (small && !scene_generate(&scene, NULL, "scene", &complaint))
            check_complaint(&complaint);
        else if (small) run(&scene);
        scene_free(&scene);
    }
    free(text);
    return 0;
}
