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

/* The unread rest of a text. The byte at `end` must be readable and part of no number. */
typedef struct text {
    const char *at, *end;
    uint64_t line; /* number of the last line that was read, from 1 */
} text;

static inline text text_of(const char *data, size_t size) { return (text){data, data + size, 0}; }
/* Take the next line, without its LF or CR LF. false: the text has ended. */
bool text_line(text *text, slice *line);

slice slice_trim(slice s);
bool slice_is(slice s, const char *word);
bool slice_begins(slice s, const char *word);
/* Take the next word; spaces and tabs separate words. false: none is left. */
bool slice_word(slice *rest, slice *word);
/* Take the next field, up to the separator. false: none is left; `rest->from` is NULL after the
 * last field. An empty text has one empty field. */
bool slice_field(slice *rest, char separator, slice *field);
/* Parse the whole slice as a number. */
bool slice_number(slice s, double *value);
/* Parse the whole slice as an integer >= 0. */
bool slice_count(slice s, uint64_t *value);

#endif
