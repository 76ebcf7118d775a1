/* Deltas: bytes that encode the difference between two snapshots (format: delta.c). */
#ifndef KG_RECORD_DELTA_H
#define KG_RECORD_DELTA_H

#include "record/snapshot.h"

size_t kg_delta_bound(size_t size);
/* Returns the delta's size in bytes, 0 if the capacity is too small. */
size_t kg_delta_write(const kg_snapshot_view *base, const kg_snapshot_view *to, uint8_t *out,
                      size_t capacity);
bool kg_delta_is_valid(const uint8_t *delta, size_t size, uint64_t *snapshot_size);
/* In: a valid delta; `out` holds its snapshot's size. false: the delta belongs to another base. */
bool kg_delta_apply(const kg_snapshot_view *base, const uint8_t *delta, size_t size, uint8_t *out);

#endif
