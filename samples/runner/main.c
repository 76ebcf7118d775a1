/* kugel-run: read the command line, read the scene, run it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <standard_streams.h>

#include "builtin.h"
#include "load.h"
#include "mesh_files.h"
#include "options.h"
#include "read_bodies.h"
#include "restart.h"
#include "signals.h"

static void print_list(void)
{
    for (const builtin *b = builtins; b->name; ++b) printf("%-16s %s\n", b->name, b->description);
}

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

/* Bodies of the scene's file and generators, or of the recorded world. */
static int fill_scene(scene *scene, restart *restart, const options *options)
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

static int run_text(const options *options, restart *restart, const char *text, size_t size)
{
    scene scene;
    complaint complaint;
    if (!scene_parse(&scene, text, size, options->scene, &complaint))
        return complain(complaint.code, "%s", complaint.text);
    int code = fill_scene(&scene, restart, options);
    const run_start start = {&scene, text, size, restart->snapshot, restart->size, restart->acted};
    if (!code) code = run_scene(options, &start);
    scene_free(&scene);
    return code;
}

static int run(const options *options)
{
    char *text = NULL;
    size_t size = 0;
    restart restart = {0};
    int code = options->restart ? restart_read(&restart, options) : 0;
    if (!code && options->scene_given) code = load_text(options->scene, &text, &size);
    if (!code)
        code = text ? run_text(options, &restart, text, size)
                    : run_text(options, &restart, restart.text, restart.text_size);
    restart_free(&restart);
    free(text);
    return code;
}

int main(int argc, char **argv)
{
    options options = {.every = 1, .threads = 1, .states = true};
    command command;
    if (!standard_streams_reserve()) return EXIT_RESOURCES;
    int code = parse_options(argc, argv, &options, &command);
    if (code) return code;
    switch (command) {
    case COMMAND_RUN:
        code = run(&options);
        break;
    case COMMAND_LIST:
        print_list();
        break;
    case COMMAND_HELP:
        fputs(usage, stdout);
        break;
    case COMMAND_HELP_SCENE:
        fputs(scene_help, stdout);
        break;
    case COMMAND_VERSION:
        puts("kugel-run " KUGEL_VERSION_STRING);
        break;
    }
    if (fflush(stdout) != 0 && code == EXIT_DONE) {
        code = complain(EXIT_RESOURCES, "standard output: %s", strerror(errno));
    }
    signals_pass();
    return code;
}
