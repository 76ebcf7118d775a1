/* Deltas: bytes that turn one snapshot into another (delta.c says how). */
#ifndef KG_RECORD_DELTA_H
#define KG_RECORD_DELTA_H

#include "record/snapshot.h"

size_t kg_delta_bound(size_t size);
/* Returns the delta's size, 0 when the capacity does not suffice. */
size_t kg_delta_write(const kg_snapshot_view *base, const kg_snapshot_view *to, uint8_t *out,
                      size_t capacity);
bool kg_delta_is_valid(const uint8_t *delta, size_t size, uint64_t *snapshot_size);
/* In: a valid delta, room for its snapshot. false: made for another base. */
bool kg_delta_apply(const kg_snapshot_view *base, const uint8_t *delta, size_t size, uint8_t *out);

#endif
