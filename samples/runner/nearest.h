/* Finds the known name with the smallest edit distance to a misspelt word. The distance is 1 if the
 * name contains the word or the word contains the name, and 0 if they differ only in case. */
#ifndef RUNNER_NEAREST_H
#define RUNNER_NEAREST_H

/* The state of a search. */
typedef struct nearest {
    const char *word;
    const char *name; /* best so far: at most 3 edits, fewer than half of the letters; or NULL */
    int edits;        /* distance of `name`; without one, the smallest distance that is too far */
} nearest;

nearest nearest_to(const char *word);
/* Compare a known name; the first of equally near names is kept. */
void nearest_offer(nearest *n, const char *name);

#endif
