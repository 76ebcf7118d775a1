/* Completes a parsed scene. */
#include "fill_scene.h"

#include <stdlib.h>

#include "arrays.h"
#include "load.h"
#include "mesh_files.h"
#include "read_bodies.h"

static void replace_values(scene *scene, const options *options)
{
    if (options->ticks_given) scene->ticks = options->ticks;
    if (options->dt_given) scene->dt = options->dt;
    if (options->substeps_given) scene->world.substeps = (int32_t)options->substeps;
}

static int out_of_memory(const options *options)
{
    return complain(EXIT_RESOURCES, "%s: out of memory", options->scene);
}

/* Refuse an output that would overwrite a file named by the scene, also in a restart, which does
 * not read these files. @param file of bodies; its path is NULL without one. */
static int check_inputs(const scene *scene, const options *options, const bodies_file *file)
{
    int code = file->path ? check_input(options, "the file of bodies", file->path) : 0;
    for (size_t i = 0; i < arrlenu(scene->surfaces) && !code; ++i) {
        if (!scene->surfaces[i].mesh_file) continue;
        char *path = path_beside(options->scene, scene->surfaces[i].mesh_file);
        code = path ? check_input(options, "a mesh of the scene", path) : out_of_memory(options);
        free(path);
    }
    return code;
}

static int make_bodies(scene *scene, const options *options, const bodies_file *file)
{
    complaint complaint;
    int code = surfaces_read(scene, options);
    if (!code && file->path) code = bodies_read(scene, options->scene, file);
    if (code) return code;
    const uint64_t *seed = options->seed_given ? &options->seed : NULL;
    if (scene_generate(scene, seed, options->scene, &complaint)) return 0;
    return complain(complaint.code, "%s", complaint.text);
}

int scene_fill(scene *scene, restart *restart, const options *options)
{
    bodies_file file = {.path = NULL};
    replace_values(scene, options);
    if (scene->bodies_file && !bodies_find(scene, options->scene, &file))
        return out_of_memory(options);
    int code = restart->snapshot ? restart_replace(restart, options, scene)
                                 : make_bodies(scene, options, &file);
    if (!code) code = check_inputs(scene, options, &file);
    free(file.path);
    return code;
}
