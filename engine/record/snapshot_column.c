/* Encodes and decodes the columns of a snapshot (snapshot.h). In: values of a world. Out: a mode
 * byte and the encoded values; decoding gives the stored bits of a value. */
#include <string.h>

#include "base/bytes.h"
#include "record/snapshot.h"

enum { SLOTS = 1024 }; /* of the hash table of a dictionary */

/* Read the bits of row r, in ascending order from 0; false if the row is skipped. */
static inline bool read_row(const kg_column_source *s, uint32_t r, kg_field_kind kind,
                            uint64_t *bits)
{
    if (s->contacts) {
        if (!r) memset(s->contacts->at, 0, sizeof s->contacts->at);
        *bits = kg_field_bits((const char *)kg_contact_walk_next(s->contacts) + s->offset, kind);
        return true;
    }
    uint32_t i = s->index ? s->index[r] : r;
    if (i == KG_NONE) return false;
    if (s->indirect) i = s->indirect[i];
    *bits = kg_field_bits((const char *)s->base + i * s->stride, kind);
    return true;
}

/* Distinct values in the order of their first use. */
typedef struct dictionary {
    uint64_t values[KG_DICTIONARY_MAX];
    uint32_t count;
    uint16_t slots[SLOTS]; /* 1 + index; 0: free */
} dictionary;

/* Index of a value, added if new; KG_DICTIONARY_MAX if the dictionary is full. */
static uint32_t dictionary_index(dictionary *t, uint64_t value)
{
    uint32_t slot = (uint32_t)(value * 0x9e3779b97f4a7c15u >> 54);
    for (; t->slots[slot]; slot = (slot + 1) % SLOTS) {
        if (t->values[t->slots[slot] - 1] == value) return t->slots[slot] - 1u;
    }
    if (t->count == KG_DICTIONARY_MAX) return KG_DICTIONARY_MAX;
    t->values[t->count] = value;
    t->slots[slot] = (uint16_t)++t->count;
    return t->count - 1;
}

/* True if all rows have one value. A contiguous source is first compared with memcmp, which is
 * faster; it only misses that +0 and -0 are stored as one value. */
static bool is_constant(const kg_column_source *s, uint64_t *value)
{
    uint64_t bits;
    bool any = false;
    const char *base = s->base;
    size_t item = kg_field_kind_size(s->kind);
    if (s->contiguous && memcmp(base, base + item, (s->count - 1) * item) == 0) {
        *value = kg_field_bits(base, s->kind);
        return true;
    }
    for (uint32_t r = 0; r < s->end; ++r) {
        if (!read_row(s, r, s->kind, &bits)) continue;
        if (any && bits != *value) return false;
        *value = bits;
        any = true;
    }
    return true;
}

/* False if there are more than KG_DICTIONARY_MAX distinct values. */
static bool build_dictionary(const kg_column_source *s, dictionary *t)
{
    uint64_t bits;
    t->count = 0;
    memset(t->slots, 0, sizeof t->slots);
    for (uint32_t r = 0; r < s->end; ++r) {
        if (read_row(s, r, s->kind, &bits) && dictionary_index(t, bits) == KG_DICTIONARY_MAX)
            return false;
    }
    return true;
}

static size_t write_dictionary(uint8_t *out, const kg_column_source *s, dictionary *t)
{
    size_t item = kg_field_kind_size(s->kind);
    uint8_t *at = out + 2;
    uint64_t bits;
    out[0] = KG_MODE_DICTIONARY;
    out[1] = (uint8_t)t->count;
    for (uint32_t k = 0; k < t->count; ++k, at += item) kg_put(at, t->values[k], item);
    for (uint32_t r = 0; r < s->end; ++r) {
        if (read_row(s, r, s->kind, &bits)) *at++ = (uint8_t)dictionary_index(t, bits);
    }
    return (size_t)(at - out);
}

/* Fast path for the doubles of bodies, which are most of a snapshot. */
static uint8_t *write_doubles(uint8_t *at, const kg_column_source *s)
{
    const double *base = s->base;
    for (uint32_t r = 0; r < s->end; ++r) {
        uint32_t i = s->index[r];
        if (i == KG_NONE) continue;
        kg_put64(at, kg_canonical_bits(base[i]));
        at += 8;
    }
    return at;
}

/* One loop for each kind, so that the compiler takes the switch on the kind out of the loop. */
static uint8_t *write_raw(uint8_t *at, const kg_column_source *s)
{
    uint64_t bits;
    if (s->kind == KG_F64 && s->contiguous && s->index) return write_doubles(at, s);
#define EACH(k)                                                                                    \
    for (uint32_t r = 0; r < s->end; ++r) {                                                        \
        if (read_row(s, r, k, &bits))                                                              \
            kg_put(at, bits, kg_field_kind_size(k)), at += kg_field_kind_size(k);                  \
    }                                                                                              \
    break
    switch (s->kind) {
    case KG_F64:
        EACH(KG_F64);
    case KG_F32:
        EACH(KG_F32);
    case KG_U32:
        EACH(KG_U32);
    default:
        EACH(KG_U8);
    }
#undef EACH
    return at;
}

/* Bits that the largest integer needs, at least 1; 64 for floating-point kinds. */
static uint32_t needed_bits(const kg_column_source *s)
{
    uint64_t bits, any = 0;
    if (s->kind == KG_F64 || s->kind == KG_F32) return 64;
    for (uint32_t r = 0; r < s->end; ++r) {
        if (read_row(s, r, s->kind, &bits)) any |= bits;
    }
    uint32_t count = 1;
    while (any >>= 1) ++count;
    return count;
}

static size_t write_packed(uint8_t *out, const kg_column_source *s, uint32_t width)
{
    uint8_t *at = out + 2;
    uint64_t bits, pending = 0;
    uint32_t count = 0; /* number of pending bits */
    out[0] = KG_MODE_PACKED;
    out[1] = (uint8_t)width;
    for (uint32_t r = 0; r < s->end; ++r) {
        if (!read_row(s, r, s->kind, &bits)) continue;
        pending |= bits << count;
        for (count += width; count >= 8; count -= 8, pending >>= 8) *at++ = (uint8_t)pending;
    }
    if (count) *at++ = (uint8_t)pending;
    return (size_t)(at - out);
}

static size_t packed_size(uint32_t width, size_t count) { return 2 + (width * count + 7) / 8; }

size_t kg_snapshot_column_write(uint8_t *out, const kg_column_source *s)
{
    uint64_t value = 0;
    dictionary t;
    size_t item = kg_field_kind_size(s->kind), all = 1 + s->count * item;
    if (s->count > 0 && is_constant(s, &value)) {
        out[0] = KG_MODE_CONSTANT;
        kg_put(out + 1, value, item);
        return 1 + item;
    }
    uint32_t width = needed_bits(s);
    size_t packed = packed_size(width, s->count);
    size_t shortest = packed < all ? packed : all;
    if (2 + item + s->count < shortest && build_dictionary(s, &t) &&
        2 + t.count * item + s->count < shortest)
        return write_dictionary(out, s, &t);
    if (packed < all) return write_packed(out, s, width);
    out[0] = KG_MODE_RAW;
    return (size_t)(write_raw(out + 1, s) - out);
}

static bool indices_in_dictionary(const kg_snapshot_column *view, uint32_t values)
{
    uint8_t largest = 0;
    for (uint32_t r = 0; r < view->count; ++r)
        largest = view->indices[r] > largest ? view->indices[r] : largest;
    return largest < values;
}

static bool bits_fit(const kg_snapshot_column *view)
{
    uint32_t limit = view->kind == KG_U32 ? 32 : view->kind == KG_U8 ? 8 : 0;
    return view->count && view->bits >= 1 && view->bits <= limit;
}

bool kg_snapshot_column_read(const uint8_t *data, size_t size, uint32_t count, kg_field_kind kind,
                             kg_snapshot_column *view)
{
    size_t item = kg_field_kind_size(kind), need = 2;
    *view = (kg_snapshot_column){.bytes = data, .count = count, .kind = kind};
    if (size < 1) return false;
    view->mode = data[0];
    if (view->mode >= KG_MODE_DICTIONARY && size < 2) return false;
    uint32_t values = view->mode == KG_MODE_DICTIONARY ? data[1] : 0;
    view->bits = view->mode == KG_MODE_PACKED ? data[1] : 0;
    if (view->mode == KG_MODE_RAW) need = 1 + count * item;
    else if (view->mode == KG_MODE_CONSTANT && count) need = 1 + item;
    else if (view->mode == KG_MODE_DICTIONARY && count) need += values * item + count;
    else if (view->mode == KG_MODE_PACKED && bits_fit(view)) need = packed_size(view->bits, count);
    else return false;
    if (size < need) return false;
    view->size = need;
    view->values = data + (view->mode >= KG_MODE_DICTIONARY ? 2 : 1);
    view->indices = view->mode == KG_MODE_DICTIONARY ? view->values + values * item : NULL;
    return view->mode != KG_MODE_DICTIONARY || indices_in_dictionary(view, values);
}

/* Value of a row; `width`: bits of a value, at most 32. */
static uint64_t packed_value(const uint8_t *values, uint32_t width, uint32_t row)
{
    uint64_t first = (uint64_t)row * width, bits = 0;
    const uint8_t *at = values + first / 8;
    uint32_t skip = first % 8, bytes = (skip + width + 7) / 8;
    for (uint32_t k = 0; k < bytes; ++k) bits |= (uint64_t)at[k] << 8 * k;
    return bits >> skip & (((uint64_t)1 << width) - 1);
}

uint64_t kg_snapshot_column_bits(const kg_snapshot_column *view, uint32_t row)
{
    if (view->mode == KG_MODE_PACKED) return packed_value(view->values, view->bits, row);
    uint32_t k = view->mode == KG_MODE_CONSTANT ? 0 : view->indices ? view->indices[row] : row;
    size_t item = kg_field_kind_size(view->kind);
    return kg_get(view->values + k * item, item);
}

/* Raw columns are copied at once on little-endian machines, other columns value by value. */
void kg_snapshot_column_copy(const kg_snapshot_column *view, void *to)
{
    size_t item = kg_field_kind_size(view->kind);
    char *at = to;
    if (view->mode == KG_MODE_RAW && !KG_IS_BIG_ENDIAN) {
        memcpy(to, view->values, view->count * item);
        return;
    }
    for (uint32_t r = 0; r < view->count; ++r, at += item)
        kg_field_put(at, view->kind, kg_snapshot_column_bits(view, r));
}
