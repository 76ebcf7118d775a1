/* See text.h. */
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool text_line(text *text, slice *line)
{
    if (text->at == text->end) return false;
    const char *stop = memchr(text->at, '\n', (size_t)(text->end - text->at));
    const char *next = stop ? stop + 1 : text->end;
    if (!stop) stop = text->end;
    if (stop > text->at && stop[-1] == '\r') --stop;
    *line = (slice){text->at, (size_t)(stop - text->at)};
    text->at = next;
    ++text->line;
    return true;
}

static bool is_space(char c) { return c == ' ' || c == '\t'; }

slice slice_trim(slice s)
{
    while (s.size && is_space(s.from[0])) ++s.from, --s.size;
    while (s.size && is_space(s.from[s.size - 1])) --s.size;
    return s;
}

bool slice_is(slice s, const char *word)
{
    return s.size == strlen(word) && memcmp(s.from, word, s.size) == 0;
}

bool slice_begins(slice s, const char *word)
{
    size_t n = strlen(word);
    return s.size >= n && memcmp(s.from, word, n) == 0;
}

bool slice_word(slice *rest, slice *word)
{
    slice s = slice_trim(*rest);
    size_t n = 0;
    while (n < s.size && !is_space(s.from[n])) ++n;
    *word = (slice){s.from, n};
    *rest = (slice){s.from + n, s.size - n};
    return n > 0;
}

bool slice_field(slice *rest, char separator, slice *field)
{
    if (!rest->from) return false;
    const char *stop = memchr(rest->from, separator, rest->size);
    if (!stop) {
        *field = *rest;
        rest->from = NULL;
        return true;
    }
    size_t n = (size_t)(stop - rest->from);
    *field = (slice){rest->from, n};
    *rest = (slice){stop + 1, rest->size - n - 1};
    return true;
}

static bool holds(slice s, char c) { return memchr(s.from, c, s.size); }

/* strtod stops at the end of the slice, because the character there is part of no number.
 * Hexadecimal numbers, which strtod accepts, are refused: no format has them. */
bool slice_number(slice s, double *value)
{
    char *end;
    if (!s.size || (unsigned char)s.from[0] <= ' ' || holds(s, 'x') || holds(s, 'X')) return false;
    *value = strtod(s.from, &end);
    return end == s.from + s.size;
}

bool slice_count(slice s, uint64_t *value)
{
    char *end;
    if (!s.size || s.from[0] < '0' || s.from[0] > '9') return false;
    errno = 0;
    *value = strtoull(s.from, &end, 10);
    return end == s.from + s.size && !errno;
}
