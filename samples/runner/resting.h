/* The set of pairs in resting contact, according to the begin and end events so far. A separate
 * table, because stb_ds (arrays.h) ends the program when memory runs out, and outputs are open by
 * then. Cost O(1) an operation. */
#ifndef RUNNER_RESTING_H
#define RUNNER_RESTING_H

#include <kugel/kugel.h>

/* A zeroed struct is an empty set. */
typedef struct resting {
    uint64_t *keys; /* hashed with linear probing; room is a power of two */
    size_t room, count;
} resting;

/* True if the pair of this touch rests. */
bool resting_has(const resting *resting, const kugel_touch *touch);
/* Add or remove the pair. false: out of memory. */
bool resting_put(resting *resting, const kugel_touch *touch, bool rests);
void resting_free(resting *resting);

#endif
