/* Completes a parsed scene. */
#include "fill_scene.h"

#include <stdlib.h>

#include "mesh_files.h"
#include "read_bodies.h"

static void replace_values(scene *scene, const options *options)
{
    if (options->ticks_given) scene->ticks = options->ticks;
    if (options->dt_given) scene->dt = options->dt;
    if (options->substeps_given) scene->world.substeps = (int32_t)options->substeps;
}

static int read_bodies(scene *scene, const options *options)
{
    bodies_file file;
    if (!bodies_find(scene, options->scene, &file))
        return complain(EXIT_RESOURCES, "%s: out of memory", options->scene);
    int code = check_input(options, "bodies", file.path);
    if (!code) code = bodies_read(scene, options->scene, &file);
    free(file.path);
    return code;
}

int scene_fill(scene *scene, restart *restart, const options *options)
{
    complaint complaint;
    replace_values(scene, options);
    if (restart->snapshot) return restart_replace(restart, options, scene);
    int code = surfaces_read(scene, options);
    if (!code && scene->bodies_file) code = read_bodies(scene, options);
    if (code) return code;
    const uint64_t *seed = options->seed_given ? &options->seed : NULL;
    if (scene_generate(scene, seed, options->scene, &complaint)) return 0;
    return complain(complaint.code, "%s", complaint.text);
}
