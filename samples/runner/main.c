/* kugel-run: read the command line, read the scene, run it. */
#include <stdlib.h>

#include <standard_streams.h>

#include "builtin.h"
#include "fill_scene.h"
#include "load.h"
#include "options.h"
#include "signals.h"

static void print_list(void)
{
    for (const builtin *b = builtins; b->name; ++b) printf("%-16s %s\n", b->name, b->description);
}

static int run_text(const options *options, restart *restart, const char *text, size_t size)
{
    scene scene;
    complaint complaint;
    if (!scene_parse(&scene, text, size, options->scene, &complaint))
        return complain(complaint.code, "%s", complaint.text);
    int code = scene_fill(&scene, restart, options);
    const run_start start = {&scene, text, size, restart->snapshot, restart->size, false};
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
    options options = options_default();
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
    code = finish_output(code);
    if (run_is_whole(code)) signals_pass();
    return code;
}
