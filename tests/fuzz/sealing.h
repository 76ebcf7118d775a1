/* Gives fuzzed snapshots, deltas and recordings valid checksums, formats and physics epochs, so
 * that the engine reads the other bytes. Limits events and substeps, so that steps are short. */
#ifndef FUZZ_SEALING_H
#define FUZZ_SEALING_H

#include <stddef.h>
#include <stdint.h>

/* Changes the bytes in place, unless they are shorter than a header. */
void seal_snapshot(uint8_t *data, size_t size);
/* As seal_snapshot, for a delta. @param base the snapshot to which the delta shall apply. */
void seal_delta(uint8_t *data, size_t size, const uint8_t *base);

/* Makes a recording from records, malloc'ed. A record is a type (an index in record_types; others
 * are unknown types), chunk flags, a length (u16) and a payload. With the flag RECORD_RAW the
 * payload stays unpacked even if the flags say that it is packed. */
enum { RECORD_HEADER = 4, RECORD_RAW = 128, RECORD_TYPES = 10 };
extern const uint32_t record_types[RECORD_TYPES];
uint8_t *seal_recording(const uint8_t *records, size_t size, size_t *whole);

#endif
