/* States as bytes. Where a body goes next is guessed: it keeps its velocity, or falls freely if it
 * just did; the difference to what came is taken of the bit patterns as integers (near numbers have
 * near integers), folded so that small differences of either sign are small, and laid out in planes
 * of one byte each. Packing then finds the zeros. Lossless: a wrong guess costs bytes, never bits.
 *
 *   state = count u32, u8 (bit 0: the ids are those of the state before; above: substeps that the
 * guess follows, 1 ... 16), dt f64, gravity 3 f64; unless the ids are the same: 4 byte planes of
 * (id - previous id - 1); then velocity, position and spin, each x, y, z: 8 byte planes of count
 * bytes Cost O(n), about 72 bytes a body before packing. */
#ifndef KG_RECORD_STATE_CODEC_H
#define KG_RECORD_STATE_CODEC_H

#include "record/chunk.h"

/* Rows in id order. */
typedef struct kg_state {
    uint32_t count;
    uint32_t *ids;
    double *values[3]; /* position m, velocity m/s, spin rad/s: [3 * count] each */
    uint8_t *falling;  /* the last velocity was that of free fall */
    kg_column columns[5];
} kg_state;

/* What is known about the motion between two states. */
typedef struct kg_state_predictor {
    double dt;         /* s */
    double gravity[3]; /* m/s^2 */
    int32_t substeps;  /* of the tick */
} kg_state_predictor;

/* A run of states: the encoder and the decoder keep the same one. */
typedef struct kg_state_codec {
    kg_state last; /* the latest state; none at first */
    kg_state next; /* encoder: fill in count, ids and values, then encode */
    kg_state spare;
} kg_state_codec;

/* Room for `count` rows; what was in them is lost. false when out of memory. */
bool kg_state_reserve(kg_memory *memory, kg_state *state, uint32_t count);
void kg_state_free(kg_memory *memory, kg_state *state);
void kg_state_codec_free(kg_memory *memory, kg_state_codec *codec);

/* Append codec->next to `out`; it becomes codec->last. KUGEL_ERROR_OUT_OF_MEMORY leaves `out` and
 * the codec's last state as they were. */
kugel_status kg_state_encode(kg_memory *memory, kg_chunk_buffer *out, kg_state_codec *codec,
                             const kg_state_predictor *predictor);
/* The inverse: the decoded state is codec->last, *used its bytes.
 * KUGEL_ERROR_FORMAT when the bytes are no state. */
kugel_status kg_state_decode(kg_memory *memory, const uint8_t *data, size_t size,
                             kg_state_codec *codec, size_t *used);

#endif
