/* Checksums of fuzzed snapshots, deltas and recordings, so that the bytes behind them are read.
 * Format and physics epoch are set too: a corpus outlives both. Events and substeps are few. */
#ifndef FUZZ_SEALING_H
#define FUZZ_SEALING_H

#include <stddef.h>
#include <stdint.h>

/* In place; shorter bytes than a header are left as they are. */
void seal_snapshot(uint8_t *data, size_t size);
/* `base`: the snapshot that the delta claims to be made from. */
void seal_delta(uint8_t *data, size_t size, const uint8_t *base);

/* A recording from records: type (index in "HEAD MADE NOTE BASE TICK STAT KEYF DONE", others are
 * unknown types), chunk flags, length u16, payload. Flag RECORD_RAW: the payload is not packed,
 * though it claims to be. The result is malloc'ed. */
enum { RECORD_HEADER = 4, RECORD_RAW = 128, RECORD_TYPES = 9 };
extern const uint32_t record_types[RECORD_TYPES];
uint8_t *seal_recording(const uint8_t *records, size_t size, size_t *whole);

#endif
