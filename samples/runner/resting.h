/* Which pairs rest, as the begins and ends of contacts have told so far.
 * An own table: stb_ds ends the program where memory runs out, and outputs are open by then.
 * Cost O(1) for each. */
#ifndef RUNNER_RESTING_H
#define RUNNER_RESTING_H

#include <kugel/kugel.h>

/* Zeroed: none. */
typedef struct resting {
    uint64_t *keys; /* of pairs, where their hash says or behind; room is a power of two */
    size_t room, count;
} resting;

/* Does the pair of this touch rest? */
bool resting_has(const resting *resting, const kugel_touch *touch);
/* From now on it does, or does not. false: out of memory. */
bool resting_put(resting *resting, const kugel_touch *touch, bool rests);
void resting_free(resting *resting);

#endif
