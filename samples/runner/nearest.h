/* Which of the known names was probably meant? */
#ifndef RUNNER_NEAREST_H
#define RUNNER_NEAREST_H

/* The best so far: within 3 edits, and fewer than the word has letters; NULL where none is. */
typedef struct nearest {
    const char *word, *name;
    int edits;
} nearest;

nearest nearest_to(const char *word);
/* Offer a known name; of two equally near ones the first is kept. */
void nearest_offer(nearest *n, const char *name);

#endif
