/* Reads the command line. */
#ifndef RUNNER_OPTIONS_H
#define RUNNER_OPTIONS_H

#include "run.h"

/* The action that the command line selects. */
typedef enum command {
    COMMAND_RUN,
    COMMAND_LIST,
    COMMAND_HELP,
    COMMAND_HELP_SCENE,
    COMMAND_VERSION
} command;

extern const char usage[];

/* The options of a run without any on the command line. */
options options_default(void);

/* Parse into options that are the default ones. @return 0, or an exit code after a message. */
int parse_options(int argc, char **argv, options *options, command *command);

/* Refuse an output that would overwrite the input file `name`. @param what the input, in messages.
 * @return 0, or an exit code after a message. */
int check_input(const options *options, const char *what, const char *name);

/* The option whose file is standard output; NULL without one. */
const char *standard_output(const options *options);

#endif
