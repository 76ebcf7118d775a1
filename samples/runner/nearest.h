/* Suggestions: the known name with the smallest edit distance to a misspelt word. A name that
 * contains the word, or the other way round, is one edit away; capitals do not count. */
#ifndef RUNNER_NEAREST_H
#define RUNNER_NEAREST_H

/* The best name so far: within 3 edits and fewer than half of the word's letters; NULL without
 * one. */
typedef struct nearest {
    const char *word, *name;
    int edits;
} nearest;

nearest nearest_to(const char *word);
/* Compare a known name; the first of equally near names is kept. */
void nearest_offer(nearest *n, const char *name);

#endif
