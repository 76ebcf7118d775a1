/* Makes the world of a scene. */
#include "make_world.h"

#include <stdio.h>
#include <string.h>

#include "arrays.h"
#include "refusal.h"
#include "rotation.h"
#include "timing.h"

int make_world(const options *options, const run_start *start, kugel_world **world)
{
    kugel_world_def def = start->scene->world;
    kugel_error error;
    def.tasks.threads = options->threads;
    def.limits.bytes = options->memory << 20;
    if (start->snapshot && !options->memory) /* restart.c has made it, within limits */
        def.limits.bytes = UINT64_MAX;
    if (options->timing) def.clock = timing_clock();
    if (!start->is_rank) def.body_capacity = (uint32_t)scene_body_count(start->scene);
    if (kugel_world_def_check(&def, &error) != KUGEL_OK) {
        const char *dot = strchr(error.argument, '.');
        return complain(EXIT_USAGE, "%s: %s: %s", options->scene, dot ? dot + 1 : error.argument,
                        error.message);
    }
    kugel_status status = kugel_world_create(&def, world);
    if (status == KUGEL_ERROR_LIMIT)
        return complain(EXIT_USAGE, "%s: %zu bodies need more than --memory allows", options->scene,
                        scene_body_count(start->scene));
    if (status)
        return complain(EXIT_RESOURCES, "%s: %s", options->scene, kugel_status_text(status));
    if (!start->snapshot) return 0;
    status = kugel_snapshot_restore(*world, start->snapshot, start->snapshot_size);
    return status ? complain_refused(options->scene, *world, status, "--restart") : 0;
}

/* As complain_refused, for a body of the scene or of its file, whose columns have the names of the
 * keys. */
static int fail_body(const options *options, const scene *scene, const kugel_world *world,
                     kugel_status status, size_t body)
{
    char where[SCENE_PATH + 48];
    scene_body_path(scene, body, where);
    const kugel_error *error = kugel_world_last_error(world);
    const char *dot = strchr(error->argument, '.');
    if (body >= arrlenu(scene->body_places) || !dot)
        return complain_refused(options->scene, world, status, where);
    snprintf(where + strlen(where), 48, ": %.40s", dot + 1);
    return complain(status == KUGEL_ERROR_OUT_OF_MEMORY ? EXIT_RESOURCES : EXIT_USAGE, "%s: %s: %s",
                    options->scene, where, error->message);
}

kugel_surface_def surface_def(const surface *surface)
{
    kugel_surface_def def = surface->def;
    def.vertices = surface->vertices;
    def.vertex_count = (uint32_t)(arrlenu(surface->vertices) / 3);
    def.triangles = surface->triangles;
    def.triangle_count = (uint32_t)(arrlenu(surface->triangles) / 3);
    return def;
}

/* Notes on triangles that never collide, and on edges that no closed surface has. */
static void note_faults(const char *file, size_t surface, uint32_t triangles,
                        const kugel_surface_info *info)
{
    if (info->dropped)
        complain(EXIT_DONE,
                 "%s: note: surfaces[%zu]: %u of %u triangles have no area or are repeated, and "
                 "never collide",
                 file, surface, info->dropped, triangles);
    if (info->branching_edges)
        complain(EXIT_DONE, "%s: note: surfaces[%zu]: %u edge%s more than two triangles", file,
                 surface, info->branching_edges, info->branching_edges == 1 ? " has" : "s have");
}

static int add_surfaces(const options *options, const scene *scene, kugel_world *world)
{
    char where[48];
    for (size_t i = 0; i < arrlenu(scene->surfaces); ++i) {
        kugel_surface_def def = surface_def(&scene->surfaces[i]);
        kugel_surface made;
        kugel_surface_info info;
        kugel_status status = kugel_surface_create(world, &def, &made);
        snprintf(where, sizeof where, "surfaces[%zu]", i);
        if (!status) status = kugel_surface_get(world, made, &def, &info);
        if (status) return complain_refused(options->scene, world, status, where);
        info.dropped -= scene->surfaces[i].without_area;
        if (def.shape == KUGEL_SURFACE_MESH)
            note_faults(options->scene, i, def.triangle_count, &info);
    }
    return 0;
}

kugel_surface world_surface(const kugel_world *world, const scene *scene, uint32_t index)
{
    return kugel_world_surface(world, (uint32_t)arrlenu(scene->planes) + index);
}

kugel_surface world_moved(const kugel_world *world, const scene *scene, const mover *mover)
{
    plane plane;
    if (mover->kind == MOVES_SURFACE) return world_surface(world, scene, mover->index);
    return world_plane(world, mover->index, &plane) ? kugel_world_surface(world, mover->index)
                                                    : KUGEL_NULL_SURFACE;
}

bool world_plane(const kugel_world *world, uint32_t index, plane *plane)
{
    kugel_surface_def def;
    *plane = (struct plane){.offset = 0};
    if (kugel_surface_get(world, kugel_world_surface(world, index), &def, NULL) ||
        !kugel_surface_def_get_plane(&def, plane->normal, &plane->offset))
        return false;
    plane->restitution = def.restitution, plane->friction = def.friction;
    plane->kind = def.kind;
    memcpy(plane->turn, def.rotation, sizeof plane->turn);
    snprintf(plane->name, sizeof plane->name, "%u", index);
    return true;
}

/* Planes collide with bodies of all categories. */
static kugel_status add_plane(kugel_world *world, const plane *plane)
{
    kugel_surface_def def = kugel_surface_def_plane(plane->normal, plane->offset);
    def.restitution = plane->restitution, def.friction = plane->friction;
    def.category = UINT32_MAX, def.kind = plane->kind;
    memcpy(def.velocity, plane->velocity, sizeof def.velocity);
    memcpy(def.spin, plane->spin, sizeof def.spin);
    rotation_undo(def.rotation, plane->tangent, def.tangent_velocity);
    return kugel_surface_create(world, &def, NULL);
}

typedef struct creation {
    kugel_world *world;
    kugel_status status; /* of the last body */
    size_t body;         /* the last one */
} creation;

static bool create_body(void *context, size_t body, const kugel_body_def *def)
{
    creation *c = context;
    c->body = body;
    c->status = kugel_body_create(c->world, def, NULL);
    return !c->status;
}

int fill_world(const options *options, scene *scene, kugel_world *world)
{
    creation c = {.world = world};
    char where[48];
    for (size_t i = 0; i < arrlenu(scene->pairs); ++i) {
        const pair *p = &scene->pairs[i];
        kugel_status status =
            kugel_world_set_pair_material(world, p->kinds[0], p->kinds[1], &p->material);
        snprintf(where, sizeof where, "pairs[%zu]", i);
        if (status) return complain_refused(options->scene, world, status, where);
    }
    for (size_t i = 0; i < arrlenu(scene->planes); ++i) {
        kugel_status status = add_plane(world, &scene->planes[i]);
        snprintf(where, sizeof where, "planes[%zu]", i);
        if (status) return complain_refused(options->scene, world, status, where);
    }
    int code = add_surfaces(options, scene, world);
    if (!code && !scene_each_body(scene, create_body, &c))
        return fail_body(options, scene, world, c.status, c.body);
    scene->listed = scene->bodies_file ? 0 : arrlenu(scene->bodies);
    scene_free_bodies(scene);
    return code;
}
