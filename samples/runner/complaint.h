/* Errors: one line of text and the program's exit code. */
#ifndef RUNNER_COMPLAINT_H
#define RUNNER_COMPLAINT_H

#include <stdbool.h>

/* Exit codes; other programs depend on them. */
enum { EXIT_DONE = 0, EXIT_USAGE = 2, EXIT_INVARIANT = 3, EXIT_RESOURCES = 4 };

/* An error that is returned to the caller, which prints it. */
typedef struct complaint {
    int code;
    char text[512];
} complaint;

/* Store an error. Always returns false, so that a check can end with `return refuse(...)`. */
bool refuse(complaint *complaint, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The program's name in messages; "kugel-run" unless it is set. */
extern const char *program_name;
/* Print "NAME: ..." as one line on stderr; control characters become '?'. @return code */
int complain(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Flush standard output at the end of a program. @return code, or with a message EXIT_RESOURCES if
 * code is EXIT_DONE and something could not be written. */
int finish_output(int code);

#endif
