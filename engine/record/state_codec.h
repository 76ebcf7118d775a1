/* Lossless encoding of states: positions, velocities and spins after steps. Each number is
 * predicted from the state before, with constant velocity and spin, or free fall for a body that
 * was falling. The residual is stored: the difference of the sort keys (kg_sort_key) of number and
 * prediction, zigzag coded, in byte planes. Good predictions give zeros, which zstd packs. */
#ifndef KG_RECORD_STATE_CODEC_H
#define KG_RECORD_STATE_CODEC_H

#include "record/chunk.h"

/*   state = count u32, u8 1: the ids are those of the state before, u8 substeps of the prediction
 *           (1 ... 16), dt f64, gravity 3 f64; for other ids 4 byte planes of (id - previous id -
 *           1); then velocity, position and spin, each x, y, z: 8 byte planes of count bytes
 * Cost O(n), about 72 bytes a body before packing. */

/* A state. Rows in id order. */
typedef struct kg_state {
    uint32_t count;
    uint32_t *ids;
    double *values[3]; /* position m, velocity m/s, spin rad/s: [3 * count] each */
    uint8_t *falling;  /* [count], 1: the velocity is that of free fall from the state before */
    kg_column columns[5];
} kg_state;

/* Parameters of the prediction. */
typedef struct kg_state_predictor {
    double dt;         /* s */
    double gravity[3]; /* m/s^2 */
    int32_t substeps;  /* of the tick */
} kg_state_predictor;

/* Codec of a sequence of states. Encoder and decoder each have one; after each state the `last` of
 * both is equal. */
typedef struct kg_state_codec {
    kg_state last;  /* the latest state; initially empty */
    kg_state next;  /* input of the encoder: count, ids and values of the next state */
    kg_state spare; /* memory for a change of ids */
} kg_state_codec;

/* Reserve `count` rows; their content is undefined. false when out of memory. */
bool kg_state_reserve(kg_memory *memory, kg_state *state, uint32_t count);
void kg_state_free(kg_memory *memory, kg_state *state);
void kg_state_codec_free(kg_memory *memory, kg_state_codec *codec);

/* Append codec->next to `out` and make this state codec->last. KUGEL_ERROR_OUT_OF_MEMORY leaves
 * `out` and codec->last unchanged. */
kugel_status kg_state_encode(kg_memory *memory, kg_chunk_buffer *out, kg_state_codec *codec,
                             const kg_state_predictor *predictor);
/* Decode a state into codec->last; *used becomes its size in bytes. KUGEL_ERROR_FORMAT if the bytes
 * are invalid. */
kugel_status kg_state_decode(kg_memory *memory, const uint8_t *data, size_t size,
                             kg_state_codec *codec, size_t *used);

#endif
