/* The set of resting contacts, according to the begin and end events so far. It is no stb_ds table,
 * because stb_ds (arrays.h) ends the program when memory runs out, and the outputs are open then.
 * Cost O(1) an operation. */
#ifndef RUNNER_RESTING_H
#define RUNNER_RESTING_H

#include <kugel/kugel.h>

typedef struct resting_key {
    uint64_t pair;     /* body, kind of target and index of the target */
    uint64_t triangle; /* facet of a surface */
} resting_key;

/* A zeroed struct is an empty set. */
typedef struct resting {
    resting_key *keys; /* hashed with linear probing; room is a power of two */
    size_t room, count;
} resting;

/* True if the contact of this touch is in the set. */
bool resting_has(const resting *resting, const kugel_touch *touch);
/* Add the contact of this touch if it rests, else remove it. false: out of memory. */
bool resting_put(resting *resting, const kugel_touch *touch, bool rests);
void resting_free(resting *resting);

#endif
