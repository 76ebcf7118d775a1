/* What went wrong: one line for people and the exit code that programs read. */
#ifndef RUNNER_COMPLAINT_H
#define RUNNER_COMPLAINT_H

#include <stdbool.h>

/* Exit codes: a contract with other programs. */
enum { EXIT_DONE = 0, EXIT_USAGE = 2, EXIT_INVARIANT = 3, EXIT_RESOURCES = 4 };

/* Kept as a value until somebody prints it. */
typedef struct complaint {
    int code;
    char text[512];
} complaint;

/* Note a complaint; always false, so that a check can end with `return refuse(...)`. */
bool refuse(complaint *complaint, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Print one line on stderr, "kugel-run: ..."; control characters become '?', so that it stays one
 * line whatever a file holds. @return code */
int complain(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
