#include "record/states.h"

#include <string.h>

#include "base/bytes.h"

enum {
    STATE_HEAD = 4 + 1 + 4 * 8,
    PLANES = 8,
    BLOCK = 256,      /* values on their way, small enough for the stack and the first cache */
    SUBSTEPS_MAX = 16 /* that a guess follows one by one; more are taken as one */
};

bool kg_state_reserve(kg_memory *memory, kg_state *state, uint32_t count)
{
    size_t n = (size_t)count + 1;
    if (!kg_column_reserve(memory, &state->columns[0], sizeof *state->ids, n, 0)) return false;
    if (!kg_column_reserve(memory, &state->columns[1], 1, n, 0)) return false;
    state->ids = state->columns[0].data;
    state->falling = state->columns[1].data;
    for (int f = 0; f < 3; ++f) {
        kg_column *column = &state->columns[2 + f];
        if (!kg_column_reserve(memory, column, 3 * sizeof(double), n, 0)) return false;
        state->values[f] = column->data;
    }
    return true;
}

void kg_state_free(kg_memory *memory, kg_state *state)
{
    for (int k = 0; k < 5; ++k) kg_column_free(memory, &state->columns[k]);
    *state = (kg_state){0};
}

void kg_track_free(kg_memory *memory, kg_track *track)
{
    kg_state_free(memory, &track->last);
    kg_state_free(memory, &track->next);
    kg_state_free(memory, &track->spare);
}

static void swap(kg_state *a, kg_state *b)
{
    kg_state c = *a;
    *a = *b;
    *b = c;
}

/* ---- guesses ---- */

/* The substeps that a guess follows. */
typedef struct pace {
    double h; /* s */
    int steps;
} pace;

static pace find_pace(const kg_flight *flight)
{
    int steps = flight->substeps > 0 && flight->substeps <= SUBSTEPS_MAX ? flight->substeps : 1;
    return (pace){flight->dt / steps, steps};
}

static double fall(double v, double a, pace p)
{
    for (int s = 0; s < p.steps; ++s) v += a * p.h;
    return v;
}

/* As the step advances a body that meets nothing, so that free flight is guessed to the bit. */
static double fly(double x, double v, double a, pace p)
{
    for (int s = 0; s < p.steps; ++s) {
        x = x + v * p.h + 0.5 * a * p.h * p.h;
        v += a * p.h;
    }
    return x;
}

/* The guess for field f, axis k of row i; positions are guessed when the new velocity is known. */
static double guess(const kg_state *last, const double *velocity, const kg_flight *flight, pace p,
                    int f, int k, size_t i)
{
    size_t at = 3 * i + (size_t)k;
    if (f == 2) return last->values[2][at];
    double v = last->values[1][at], a = last->falling[i] ? flight->gravity[k] : 0;
    double expected = fall(v, a, p);
    if (f == 1) return expected;
    double x = last->values[0][at], w = velocity[at];
    return w == expected ? fly(x, v, a, p) : x + 0.5 * (v + w) * flight->dt;
}

static void note_falling(const kg_state *last, kg_state *next, const kg_flight *flight)
{
    pace p = find_pace(flight);
    for (size_t i = 0; i < next->count; ++i) {
        bool falls = true;
        for (size_t k = 0; k < 3; ++k) {
            double v = last->values[1][3 * i + k];
            falls = falls && next->values[1][3 * i + k] == fall(v, flight->gravity[k], p);
        }
        next->falling[i] = falls;
    }
}

/* Give the last state the rows of `ids`: bodies that were not there come as zeros. */
static void align(kg_track *track, const uint32_t *ids, uint32_t count)
{
    const kg_state *last = &track->last;
    kg_state *to = &track->spare;
    for (uint32_t i = 0, j = 0; i < count; ++i) {
        while (j < last->count && last->ids[j] < ids[i]) ++j;
        bool found = j < last->count && last->ids[j] == ids[i];
        to->ids[i] = ids[i];
        to->falling[i] = found && last->falling[j];
        for (int f = 0; f < 3; ++f) {
            for (size_t k = 0; k < 3; ++k) {
                to->values[f][3 * (size_t)i + k] = found ? last->values[f][3 * (size_t)j + k] : 0;
            }
        }
    }
    to->count = count;
    swap(&track->last, to);
}

/* ---- integers ---- */

static uint64_t ordered(double x)
{
    uint64_t bits = kg_bits(x);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static double unordered(uint64_t key)
{
    return kg_double(key >> 63 ? key & ~((uint64_t)1 << 63) : ~key);
}

static uint64_t zigzag(uint64_t d) { return d << 1 ^ (uint64_t) - (int64_t)(d >> 63); }
static uint64_t unzigzag(uint64_t z) { return z >> 1 ^ (uint64_t) - (int64_t)(z & 1); }

static void write_component(uint8_t *at, const kg_state *last, const kg_state *next,
                            const kg_flight *flight, int f, int k)
{
    uint64_t z[BLOCK];
    size_t n = next->count;
    pace p = find_pace(flight);
    for (size_t from = 0; from < n; from += BLOCK) {
        size_t m = n - from < BLOCK ? n - from : BLOCK;
        for (size_t i = 0; i < m; ++i) {
            double x = next->values[f][3 * (from + i) + (size_t)k];
            double g = guess(last, next->values[1], flight, p, f, k, from + i);
            z[i] = zigzag(ordered(x) - ordered(g));
        }
        for (int b = 0; b < PLANES; ++b) {
            uint8_t *plane = at + (size_t)b * n + from;
            for (size_t i = 0; i < m; ++i) plane[i] = (uint8_t)(z[i] >> 8 * b);
        }
    }
}

static void read_component(const uint8_t *at, const kg_state *last, kg_state *next,
                           const kg_flight *flight, int f, int k)
{
    uint64_t z[BLOCK];
    size_t n = next->count;
    pace p = find_pace(flight);
    for (size_t from = 0; from < n; from += BLOCK) {
        size_t m = n - from < BLOCK ? n - from : BLOCK;
        memset(z, 0, sizeof z);
        for (int b = 0; b < PLANES; ++b) {
            const uint8_t *plane = at + (size_t)b * n + from;
            uint8_t any = 0; /* most planes of good guesses are zero */
            for (size_t i = 0; i < m; ++i) any |= plane[i];
            for (size_t i = 0; any && i < m; ++i) z[i] |= (uint64_t)plane[i] << 8 * b;
        }
        for (size_t i = 0; i < m; ++i) {
            double g = guess(last, next->values[1], flight, p, f, k, from + i);
            next->values[f][3 * (from + i) + (size_t)k] = unordered(ordered(g) + unzigzag(z[i]));
        }
    }
}

/* Fields in the order in which they are written: the guess of a position wants the new velocity. */
static const int field_order[3] = {1, 0, 2};

/* ---- states ---- */

static void write_head(uint8_t *at, uint32_t count, bool same, const kg_flight *flight)
{
    kg_put32(at, count);
    at[4] = (uint8_t)(same | find_pace(flight).steps << 1);
    kg_put64(at + 5, kg_bits(flight->dt));
    for (int k = 0; k < 3; ++k) kg_put64(at + 13 + 8 * k, kg_bits(flight->gravity[k]));
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

/* After a state: it is the last one now. */
static void advance(kg_track *track, const kg_flight *flight)
{
    note_falling(&track->last, &track->next, flight);
    swap(&track->last, &track->next);
}

kugel_status kg_state_encode(kg_memory *memory, kg_buffer *out, kg_track *track,
                             const kg_flight *flight)
{
    const kg_state *next = &track->next;
    size_t n = next->count;
    bool same = track->last.count == next->count &&
                (n == 0 || memcmp(track->last.ids, next->ids, n * sizeof *next->ids) == 0);
    size_t ids = same ? 0 : 4 * n;
    /* room that only a change of ids needs is taken at once: later steps then take none */
    if (!kg_state_reserve(memory, &track->spare, next->count)) return KUGEL_ERROR_OUT_OF_MEMORY;
    uint8_t *at = kg_buffer_extend(memory, out, STATE_HEAD + ids + 9 * PLANES * n);
    if (!at) return KUGEL_ERROR_OUT_OF_MEMORY;
    if (!same) align(track, next->ids, next->count);
    write_head(at, next->count, same, flight);
    at += STATE_HEAD;
    if (!same) write_ids(at, next->ids, n);
    at += ids;
    for (int f = 0; f < 3; ++f) {
        for (int k = 0; k < 3; ++k, at += PLANES * n) {
            write_component(at, &track->last, next, flight, field_order[f], k);
        }
    }
    advance(track, flight);
    return KUGEL_OK;
}

static kugel_status read_rows(kg_memory *memory, const uint8_t *at, bool same, uint32_t count,
                              kg_track *track, const kg_flight *flight)
{
    kg_state *next = &track->next;
    size_t n = count;
    if (!kg_state_reserve(memory, next, count)) return KUGEL_ERROR_OUT_OF_MEMORY;
    next->count = count;
    if (same) {
        if (n) memcpy(next->ids, track->last.ids, n * sizeof *next->ids);
    } else {
        read_ids(at, next->ids, n);
        at += 4 * n;
        if (!kg_state_reserve(memory, &track->spare, count)) return KUGEL_ERROR_OUT_OF_MEMORY;
        align(track, next->ids, count);
    }
    for (int f = 0; f < 3; ++f) {
        for (int k = 0; k < 3; ++k, at += PLANES * n) {
            read_component(at, &track->last, next, flight, field_order[f], k);
        }
    }
    advance(track, flight);
    return KUGEL_OK;
}

kugel_status kg_state_decode(kg_memory *memory, const uint8_t *data, size_t size, kg_track *track,
                             size_t *used)
{
    if (size < STATE_HEAD) return KUGEL_ERROR_FORMAT;
    uint32_t count = kg_get32(data);
    bool same = data[4] & 1;
    uint64_t need = STATE_HEAD + (uint64_t)count * (9 * PLANES + (same ? 0 : 4));
    if (size < need || (same && count != track->last.count)) return KUGEL_ERROR_FORMAT;
    kg_flight flight = {.dt = kg_double(kg_get64(data + 5)), .substeps = data[4] >> 1};
    for (int k = 0; k < 3; ++k) flight.gravity[k] = kg_double(kg_get64(data + 13 + 8 * k));
    *used = (size_t)need;
    return read_rows(memory, data + STATE_HEAD, same, count, track, &flight);
}
