/* Open-addressing hash table of contacts with linear probing. */
#include "resting.h"

#include <stdlib.h>

#define NO_PAIR UINT64_MAX

/* Keys are unique, because ids are below 2^30. */
static resting_key key_of(const kugel_touch *touch)
{
    return (resting_key){(uint64_t)kugel_body_id(touch->a) << 34 | (uint64_t)touch->target << 32 |
                             touch->index,
                         touch->triangle};
}

static bool is_same(resting_key p, resting_key q)
{
    return p.pair == q.pair && p.triangle == q.triangle;
}

static size_t home_of(const resting *resting, resting_key key)
{
    return (size_t)((key.pair + key.triangle) * 0x9e3779b97f4a7c15 >> 32) &
           (resting->room - 1); /* 2^64 over the golden ratio */
}

/* The slot of the key, or the free slot where it would be inserted. */
static size_t place_of(const resting *resting, resting_key key)
{
    size_t at = home_of(resting, key);
    while (resting->keys[at].pair != NO_PAIR && !is_same(resting->keys[at], key))
        at = (at + 1) & (resting->room - 1);
    return at;
}

bool resting_has(const resting *resting, const kugel_touch *touch)
{
    return resting->room && resting->keys[place_of(resting, key_of(touch))].pair != NO_PAIR;
}

/* Make space for one more key; the load factor stays at most 1/2. */
static bool reserve(resting *old)
{
    if (2 * old->count + 2 <= old->room) return true;
    resting more = {.room = old->room ? 2 * old->room : 64, .count = old->count};
    more.keys = malloc(more.room * sizeof *more.keys);
    if (!more.keys) return false;
    for (size_t k = 0; k < more.room; ++k) more.keys[k].pair = NO_PAIR;
    for (size_t k = 0; k < old->room; ++k) {
        if (old->keys[k].pair != NO_PAIR) more.keys[place_of(&more, old->keys[k])] = old->keys[k];
    }
    free(old->keys);
    *old = more;
    return true;
}

/* Delete with backward shift: keys that probing would no longer reach move into the hole. */
static void close_hole(resting *resting, size_t hole)
{
    size_t mask = resting->room - 1;
    for (size_t at = (hole + 1) & mask; resting->keys[at].pair != NO_PAIR; at = (at + 1) & mask) {
        size_t home = home_of(resting, resting->keys[at]);
        if (((at - home) & mask) < ((at - hole) & mask)) continue;
        resting->keys[hole] = resting->keys[at];
        hole = at;
    }
    resting->keys[hole].pair = NO_PAIR;
}

bool resting_put(resting *resting, const kugel_touch *touch, bool rests)
{
    if (resting_has(resting, touch) == rests) return true;
    if (rests && !reserve(resting)) return false;
    resting_key key = key_of(touch);
    size_t at = place_of(resting, key);
    if (rests) resting->keys[at] = key;
    else close_hole(resting, at);
    resting->count += rests ? 1 : (size_t)-1;
    return true;
}

void resting_free(resting *resting)
{
    free(resting->keys);
    *resting = (struct resting){0};
}
