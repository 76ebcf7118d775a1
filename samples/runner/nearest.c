/* Suggestions for misspelt words. */
#include "nearest.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

enum { EDITS_MAX = 3, LONGEST = 32, PART = 3 /* minimum number of letters of a part */ };

/* Levenshtein distance (1966) of two short words, one row of the table at a time. */
static int edits(const char *a, const char *b)
{
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

nearest nearest_to(const char *word)
{
    int half = ((int)strnlen(word, LONGEST) + 1) / 2;
    return (nearest){.word = word, .edits = half > EDITS_MAX ? EDITS_MAX + 1 : half};
}

static bool is_part(const char *part, const char *name)
{
    return strnlen(part, PART) == PART && strstr(name, part);
}

void nearest_offer(nearest *n, const char *name)
{
    int d = strcasecmp(n->word, name) == 0                     ? 0
            : is_part(n->word, name) || is_part(name, n->word) ? 1
                                                               : edits(n->word, name);
    if (d < n->edits) n->edits = d, n->name = name;
}
