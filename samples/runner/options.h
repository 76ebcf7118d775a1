/* The command line. */
#ifndef RUNNER_OPTIONS_H
#define RUNNER_OPTIONS_H

#include "run.h"

/* What to do after reading it. */
typedef enum command {
    COMMAND_RUN,
    COMMAND_LIST,
    COMMAND_HELP,
    COMMAND_HELP_SCENE,
    COMMAND_VERSION
} command;

extern const char usage[];

/* @return 0, or an exit code after a complaint. */
int parse_options(int argc, char **argv, options *options, command *command);

/* The flag whose file is standard output; NULL: none. */
const char *standard_output(const options *options);

#endif
