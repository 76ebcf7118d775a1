/* States as bytes. Where a body goes next is guessed: it keeps its velocity, or falls freely if it
 * just did; the difference to what came is taken of the bit patterns as integers (near numbers have
 * near integers), folded so that small differences of either sign are small, and laid out in planes of
 * one byte each. Packing then finds the zeros. Lossless: a wrong guess costs bytes, never bits.
 *
 *   state = count u32, u8 (bit 0: the ids are those of the state before; above: substeps that the guess follows,
 *           1 ... 16), dt f64, gravity 3 f64; unless the ids are the same:
 *           4 byte planes of (id - previous id - 1); then velocity, position and spin, each x, y, z:
 *           8 byte planes of count bytes
 * Cost O(n), about 72 bytes a body before packing. */
#ifndef KG_RECORD_STATES_H
#define KG_RECORD_STATES_H

#include "record/format.h"

/* Rows in id order. */
typedef struct kg_state {
    uint32_t count;
    uint32_t *ids;
    double *values[3]; /* position m, velocity m/s, spin rad/s: [3 * count] each */
    uint8_t *falling;  /* the last velocity was that of free fall */
    kg_column columns[5];
} kg_state;

/* What is known about the motion between two states. */
typedef struct kg_flight {
    double dt;         /* s */
    double gravity[3]; /* m/s^2 */
    int32_t substeps;  /* of the tick */
} kg_flight;

/* A run of states: the encoder and the decoder keep the same one. */
typedef struct kg_track {
    kg_state last; /* the latest state; none at first */
    kg_state next; /* encoder: fill in count, ids and values, then encode */
    kg_state spare;
} kg_track;

/* Room for `count` rows; what was in them is lost. false when out of memory. */
bool kg_state_reserve(kg_memory *memory, kg_state *state, uint32_t count);
void kg_state_free(kg_memory *memory, kg_state *state);
void kg_track_free(kg_memory *memory, kg_track *track);

/* Append track->next to `out`; it becomes track->last. KUGEL_ERROR_OUT_OF_MEMORY leaves `out` and the
 * track's last state as they were. */
kugel_status kg_state_encode(kg_memory *memory, kg_buffer *out, kg_track *track,
                             const kg_flight *flight);
/* The inverse: the decoded state is track->last, *used its bytes.
 * KUGEL_ERROR_FORMAT when the bytes are no state. */
kugel_status kg_state_decode(kg_memory *memory, const uint8_t *data, size_t size, kg_track *track,
                             size_t *used);

#endif
