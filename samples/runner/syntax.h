/* JSON's grammar (RFC 8259), strictly: cJSON builds the tree, but it takes 01 and 5., cuts keys at
 * \u0000 and says little about what is wrong where. */
#ifndef RUNNER_SYNTAX_H
#define RUNNER_SYNTAX_H

#include <stdbool.h>
#include <stddef.h>

/* Where and why a text is not JSON. Line and column count from 1, columns in bytes. */
typedef struct syntax_error {
    size_t line, column;
    const char *why;
} syntax_error;

/* Check a text: valid UTF-8 (a byte order mark may lead), at most 64 levels deep, numbers of at
 * most 60 characters, no \u0000. false: `error` says where. O(size), no memory. */
bool syntax_check(const char *text, size_t size, syntax_error *error);

#endif
