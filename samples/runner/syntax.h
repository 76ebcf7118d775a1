/* Strict check of the JSON grammar (RFC 8259). cJSON builds the tree, but it accepts 01 and 5.,
 * truncates keys at \u0000 and gives no error position. */
#ifndef RUNNER_SYNTAX_H
#define RUNNER_SYNTAX_H

#include <stdbool.h>
#include <stddef.h>

/* The first error. Line and column count from 1; columns are bytes. */
typedef struct syntax_error {
    size_t line, column;
    const char *why;
} syntax_error;

/* Check a text: valid UTF-8 (a byte order mark is allowed), at most 64 levels, numbers of at most
 * 60 characters, no \u0000. Cost O(size), no memory. @return false with the error. */
bool syntax_check(const char *text, size_t size, syntax_error *error);

#endif
