/* Lines, words and numbers of text files, without copies. */
#ifndef RUNNER_TEXT_H
#define RUNNER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct slice {
    const char *from;
    size_t size;
} slice;

/* The rest of a text; the byte behind its end can be read. */
typedef struct text {
    const char *at, *end;
    uint64_t line; /* number of the line last read, from 1 */
} text;

static inline text text_of(const char *data, size_t size) { return (text){data, data + size, 0}; }
/* The next line without its end, LF or CR LF; false at the end of the text. */
bool text_line(text *text, slice *line);

slice slice_trim(slice s);
bool slice_is(slice s, const char *word);
bool slice_begins(slice s, const char *word);
/* Take the next word, separated by spaces and tabs; false: none is left. */
bool slice_word(slice *rest, slice *word);
/* Take the next field up to the separator; false: none is left. A text that is empty at first has
 * one field. `rest->from` becomes NULL after the last field. */
bool slice_field(slice *rest, char separator, slice *field);
/* The whole slice as a number. */
bool slice_number(slice s, double *value);
bool slice_count(slice s, uint64_t *value);

#endif
