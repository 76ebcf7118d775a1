/* kugel-run: read the command line, read the scene, run it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <standard_streams.h>

#include "builtin.h"
#include "load.h"
#include "options.h"
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

static int run(const options *options)
{
    char *text = NULL;
    size_t size = 0;
    scene scene;
    complaint complaint;
    int code = load_text(options->scene, &text, &size);
    if (code) return code;
    if (scene_parse(&scene, text, size, options->scene, &complaint)) {
        replace_values(&scene, options);
        const uint64_t *seed = options->seed_given ? &options->seed : NULL;
        if (scene_generate(&scene, seed, options->scene, &complaint)) {
            code = run_scene(options, &scene, text, size);
        } else {
            code = complain(complaint.code, "%s", complaint.text);
        }
        scene_free(&scene);
    } else {
        code = complain(complaint.code, "%s", complaint.text);
    }
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
