/* Encodes and decodes states (state_codec.h). In: a state and the state before. Out: bytes, or the
 * state bit for bit. Cost O(n). */
#include "record/state_codec.h"

#include <string.h>

#include "base/bytes.h"
#include "base/sort.h"

enum {
    STATE_HEADER = 4 + 2 + 4 * 8,
    BYTE_PLANES = 8,
    BLOCK = 256,      /* values coded together: they fit the stack and the first-level cache */
    SUBSTEPS_MAX = 16 /* more substeps are predicted as one */
};

bool kg_state_reserve(kg_memory *memory, kg_state *state, uint32_t count)
{
    size_t n = (size_t)count + 1;
    bool ok = KG_RESERVE(memory, &state->columns[0], state->ids, n, 0) &&
              KG_RESERVE(memory, &state->columns[1], state->falling, n, 0);
    for (int f = 0; f < 3 && ok; ++f)
        ok = KG_RESERVE(memory, &state->columns[2 + f], state->values[f], 3 * n, 0);
    return ok;
}

void kg_state_free(kg_memory *memory, kg_state *state)
{
    for (int k = 0; k < 5; ++k) kg_column_free(memory, &state->columns[k]);
    *state = (kg_state){0};
}

void kg_state_codec_free(kg_memory *memory, kg_state_codec *codec)
{
    kg_state_free(memory, &codec->last);
    kg_state_free(memory, &codec->next);
    kg_state_free(memory, &codec->spare);
}

static void swap(kg_state *a, kg_state *b)
{
    kg_state c = *a;
    *a = *b;
    *b = c;
}

/* The substeps of a prediction. */
typedef struct substepping {
    double h; /* length of a substep, s */
    int steps;
} substepping;

static substepping find_substepping(const kg_state_predictor *predictor)
{
    int steps =
        predictor->substeps > 0 && predictor->substeps <= SUBSTEPS_MAX ? predictor->substeps : 1;
    return (substepping){predictor->dt / steps, steps};
}

static double free_fall_velocity(double v, double a, substepping p)
{
    for (int s = 0; s < p.steps; ++s) v += a * p.h;
    return v;
}

/* The formula by which a step moves a body without contacts: free flight is predicted bit for
 * bit. */
static double free_flight_position(double x, double v, double a, substepping p)
{
    for (int s = 0; s < p.steps; ++s) {
        x = x + v * p.h + 0.5 * a * p.h * p.h;
        v += a * p.h;
    }
    return x;
}

/* The prediction for axis k of row i. f: index into values. A position needs the new `velocity`. */
static double predict(const kg_state *last, const double *velocity,
                      const kg_state_predictor *predictor, substepping p, int f, int k, size_t i)
{
    size_t at = 3 * i + (size_t)k;
    if (f == 2) return last->values[2][at];
    double v = last->values[1][at], a = last->falling[i] ? predictor->gravity[k] : 0;
    double expected = free_fall_velocity(v, a, p);
    if (f == 1) return expected;
    double x = last->values[0][at], w = velocity[at];
    return w == expected ? free_flight_position(x, v, a, p) : x + 0.5 * (v + w) * predictor->dt;
}

/* Set next->falling: 1 for each body with the velocity of free fall from the last state. */
static void mark_falling(const kg_state *last, kg_state *next, const kg_state_predictor *predictor)
{
    substepping p = find_substepping(predictor);
    for (size_t i = 0; i < next->count; ++i) {
        bool falls = true;
        for (size_t k = 0; k < 3; ++k) {
            double v = last->values[1][3 * i + k];
            falls = falls &&
                    next->values[1][3 * i + k] == free_fall_velocity(v, predictor->gravity[k], p);
        }
        next->falling[i] = falls;
    }
}

/* Replace the rows of the last state by rows for `ids`. A body that the last state lacks gets
 * zeros. */
static void match_rows(kg_state_codec *codec, const uint32_t *ids, uint32_t count)
{
    const kg_state *last = &codec->last;
    kg_state *to = &codec->spare;
    for (uint32_t i = 0, j = 0; i < count; ++i) {
        while (j < last->count && last->ids[j] < ids[i]) ++j;
        bool found = j < last->count && last->ids[j] == ids[i];
        to->ids[i] = ids[i];
        to->falling[i] = found && last->falling[j];
        for (int f = 0; f < 3; ++f) {
            for (size_t k = 0; k < 3; ++k)
                to->values[f][3 * (size_t)i + k] = found ? last->values[f][3 * (size_t)j + k] : 0;
        }
    }
    to->count = count;
    swap(&codec->last, to);
}

static void write_component(uint8_t *at, const kg_state *last, const kg_state *next,
                            const kg_state_predictor *predictor, int f, int k)
{
    uint64_t z[BLOCK];
    size_t n = next->count;
    substepping p = find_substepping(predictor);
    for (size_t from = 0; from < n; from += BLOCK) {
        size_t m = n - from < BLOCK ? n - from : BLOCK;
        for (size_t i = 0; i < m; ++i) {
            double x = next->values[f][3 * (from + i) + (size_t)k];
            double g = predict(last, next->values[1], predictor, p, f, k, from + i);
            z[i] = kg_zigzag(kg_sort_key(x) - kg_sort_key(g), sizeof x);
        }
        for (int b = 0; b < BYTE_PLANES; ++b) {
            uint8_t *plane = at + (size_t)b * n + from;
            for (size_t i = 0; i < m; ++i) plane[i] = (uint8_t)(z[i] >> 8 * b);
        }
    }
}

static void read_component(const uint8_t *at, const kg_state *last, kg_state *next,
                           const kg_state_predictor *predictor, int f, int k)
{
    uint64_t z[BLOCK];
    size_t n = next->count;
    substepping p = find_substepping(predictor);
    for (size_t from = 0; from < n; from += BLOCK) {
        size_t m = n - from < BLOCK ? n - from : BLOCK;
        memset(z, 0, sizeof z);
        for (int b = 0; b < BYTE_PLANES; ++b) {
            const uint8_t *plane = at + (size_t)b * n + from;
            uint8_t any = 0; /* most planes are zeros */
            for (size_t i = 0; i < m; ++i) any |= plane[i];
            for (size_t i = 0; any && i < m; ++i) z[i] |= (uint64_t)plane[i] << 8 * b;
        }
        for (size_t i = 0; i < m; ++i) {
            double g = predict(last, next->values[1], predictor, p, f, k, from + i);
            next->values[f][3 * (from + i) + (size_t)k] =
                kg_sort_key_value(kg_sort_key(g) + kg_unzigzag(z[i]));
        }
    }
}

/* Indices into values in the order of the bytes: velocities first, as they predict positions. */
static const int field_write_order[3] = {1, 0, 2};

static void write_head(uint8_t *at, uint32_t count, bool same, const kg_state_predictor *predictor)
{
    kg_put32(at, count);
    at[4] = same;
    at[5] = (uint8_t)find_substepping(predictor).steps;
    kg_put64(at + 6, kg_double_to_bits(predictor->dt));
    for (int k = 0; k < 3; ++k) kg_put64(at + 14 + 8 * k, kg_double_to_bits(predictor->gravity[k]));
}

static void write_ids(uint8_t *at, const uint32_t *ids, size_t n)
{
    uint32_t previous = UINT32_MAX;
    for (size_t i = 0; i < n; ++i) {
        uint32_t step = ids[i] - previous - 1;
        for (int p = 0; p < 4; ++p) at[(size_t)p * n + i] = (uint8_t)(step >> 8 * p);
        previous = ids[i];
    }
}

static void read_ids(const uint8_t *at, uint32_t *ids, size_t n)
{
    uint32_t previous = UINT32_MAX;
    for (size_t i = 0; i < n; ++i) {
        uint32_t step = 0;
        for (int p = 0; p < 4; ++p) step |= (uint32_t)at[(size_t)p * n + i] << 8 * p;
        previous = ids[i] = previous + 1 + step;
    }
}

static void keep_as_last(kg_state_codec *codec, const kg_state_predictor *predictor)
{
    mark_falling(&codec->last, &codec->next, predictor);
    swap(&codec->last, &codec->next);
}

kugel_status kg_state_encode(kg_memory *memory, kg_chunk_buffer *out, kg_state_codec *codec,
                             const kg_state_predictor *predictor)
{
    const kg_state *next = &codec->next;
    size_t n = next->count;
    bool same = codec->last.count == next->count &&
                (n == 0 || memcmp(codec->last.ids, next->ids, n * sizeof *next->ids) == 0);
    size_t ids = same ? 0 : 4 * n;
    /* `spare` is used when ids change; it is reserved now, so that later steps allocate nothing */
    if (!kg_state_reserve(memory, &codec->spare, next->count)) return KUGEL_ERROR_OUT_OF_MEMORY;
    uint8_t *at = kg_chunk_buffer_extend(memory, out, STATE_HEADER + ids + 9 * BYTE_PLANES * n);
    if (!at) return KUGEL_ERROR_OUT_OF_MEMORY;
    if (!same) match_rows(codec, next->ids, next->count);
    write_head(at, next->count, same, predictor);
    at += STATE_HEADER;
    if (!same) write_ids(at, next->ids, n);
    at += ids;
    for (int f = 0; f < 3; ++f) {
        for (int k = 0; k < 3; ++k, at += BYTE_PLANES * n)
            write_component(at, &codec->last, next, predictor, field_write_order[f], k);
    }
    keep_as_last(codec, predictor);
    return KUGEL_OK;
}

static kugel_status read_rows(kg_memory *memory, const uint8_t *at, bool same, uint32_t count,
                              kg_state_codec *codec, const kg_state_predictor *predictor)
{
    kg_state *next = &codec->next;
    size_t n = count;
    if (!kg_state_reserve(memory, next, count)) return KUGEL_ERROR_OUT_OF_MEMORY;
    next->count = count;
    if (same) {
        if (n) memcpy(next->ids, codec->last.ids, n * sizeof *next->ids);
    } else {
        read_ids(at, next->ids, n);
        at += 4 * n;
        if (!kg_state_reserve(memory, &codec->spare, count)) return KUGEL_ERROR_OUT_OF_MEMORY;
        match_rows(codec, next->ids, count);
    }
    for (int f = 0; f < 3; ++f) {
        for (int k = 0; k < 3; ++k, at += BYTE_PLANES * n)
            read_component(at, &codec->last, next, predictor, field_write_order[f], k);
    }
    keep_as_last(codec, predictor);
    return KUGEL_OK;
}

kugel_status kg_state_decode(kg_memory *memory, const uint8_t *data, size_t size,
                             kg_state_codec *codec, size_t *used)
{
    if (size < STATE_HEADER) return KUGEL_ERROR_FORMAT;
    uint32_t count = kg_get32(data);
    bool same = data[4];
    uint64_t need = STATE_HEADER + (uint64_t)count * (9 * BYTE_PLANES + (same ? 0 : 4));
    if (size < need || (same && count != codec->last.count)) return KUGEL_ERROR_FORMAT;
    kg_state_predictor predictor = {.dt = kg_double_from_bits(kg_get64(data + 6)),
                                    .substeps = data[5]};
    for (int k = 0; k < 3; ++k)
        predictor.gravity[k] = kg_double_from_bits(kg_get64(data + 14 + 8 * k));
    *used = (size_t)need;
    return read_rows(memory, data + STATE_HEADER, same, count, codec, &predictor);
}
