/* See builtin.h. */
#include "builtin.h"

#include <stddef.h>
#include <string.h>

const builtin *builtin_find(const char *name)
{
    for (const builtin *b = builtins; b->name; ++b) {
        if (strcmp(b->name, name) == 0) return b;
    }
    return NULL;
}

/* Edits between two short words (Levenshtein 1966), a row of the table at a time. */
static int edits(const char *a, const char *b)
{
    enum { LONGEST = 32 };
    int row[LONGEST + 1], n = (int)strnlen(b, LONGEST + 1);
    if (n > LONGEST || strnlen(a, LONGEST + 1) > LONGEST) return LONGEST;
    for (int j = 0; j <= n; ++j) row[j] = j;
    for (int i = 0; a[i]; ++i) {
        int diagonal = row[0];
        row[0] = i + 1;
        for (int j = 1; j <= n; ++j) {
            int least = diagonal + (a[i] != b[j - 1]);
            diagonal = row[j];
            if (row[j] + 1 < least) least = row[j] + 1;
            if (row[j - 1] + 1 < least) least = row[j - 1] + 1;
            row[j] = least;
        }
    }
    return row[n];
}

const builtin *builtin_nearest(const char *name)
{
    const builtin *nearest = NULL;
    int least = 4;
    for (const builtin *b = builtins; b->name; ++b) {
        int d = edits(name, b->name);
        if (d < least) least = d, nearest = b;
    }
    return nearest;
}
