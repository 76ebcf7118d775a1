/* Snapshots of worlds, to store and to compare. */
#ifndef SUPPORT_SNAPSHOT_H
#define SUPPORT_SNAPSHOT_H

#include <stdbool.h>

#include "kugel/kugel.h"

typedef struct support_bytes {
    uint8_t *data; /* owned by the caller */
    size_t size;
} support_bytes;

/* The bytes to provide for a snapshot. */
size_t support_snapshot_room(const kugel_world *world, bool meshes);
support_bytes support_snapshot_of(const kugel_world *world);
bool support_same_bytes(const support_bytes *a, const support_bytes *b);
/* Correct the checksum of a snapshot whose bytes the test has changed. */
void support_put_checksum(support_bytes *snapshot);
/* The delta from `base` to `to`. Asserts that applying the delta to `base` gives `to`. */
support_bytes support_delta_of(const support_bytes *base, const support_bytes *to);

#endif
