/* Deltas: snapshots encoded as differences from a base. Encoder and decoder walk header,
 * surfaces and columns of the new snapshot in this order, each with the same part of the base.
 * Differences of integers are zigzag coded and stored in byte planes; equal values give zeros.
 *
 *   0 "kugeldlt"   8 format u32   12 0 u32   16 snapshot size u64   24 checksum of the base u64
 *  32 checksum u64: XXH3-64 of the bytes from 40 on, seeded with the XXH3-64 of bytes 0 ... 31
 *  40 runs: number of zeros (varint), number of literals (varint), literal bytes */
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "record/snapshot_surfaces.h"

enum { HEADER = 40, CHECKSUM = 32, SHORTEST_RUN = 4 };
#define MAGIC "kugeldlt"

/* The runs of a delta while they are written or read. A run is zeros, of which the number is
 * stored, then literals, which are stored as they are. The open run is the one being written. */
typedef struct zero_runs {
    bool decode;             /* true: runs are read; false: they are written */
    uint8_t *at, *end;       /* position in the delta, end of its memory */
    uint64_t zeros;          /* encoder: zeros not yet written; decoder: zeros left in the run */
    uint64_t literals;       /* decoder: literals left in the run */
    uint8_t *literals_begin; /* encoder: start of the open run's literals; NULL: none yet */
    uint64_t zeros_before;   /* encoder: zeros before these literals */
    bool fits;               /* true while the end of the delta is not exceeded */
} zero_runs;

static void put_byte(zero_runs *r, uint8_t byte)
{
    if (r->at < r->end) *r->at++ = byte;
    else r->fits = false;
}

static size_t varint_size(uint64_t x)
{
    size_t n = 1;
    while (x >>= 7) ++n;
    return n;
}

static void put_varint(uint8_t *at, uint64_t x)
{
    for (; x >= 128; x >>= 7) *at++ = (uint8_t)(x | 128);
    *at = (uint8_t)x;
}

static uint64_t get_varint(zero_runs *r)
{
    uint64_t x = 0;
    for (int shift = 0; shift < 63; shift += 7) {
        if (r->at >= r->end) break;
        uint8_t byte = *r->at++;
        x |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return x;
    }
    r->fits = false;
    return 0;
}

/* End the open run: insert the numbers of its zeros and literals before the literals. */
static void write_run_lengths(zero_runs *r)
{
    if (!r->literals_begin) return;
    uint64_t literals = (uint64_t)(r->at - r->literals_begin);
    size_t head = varint_size(r->zeros_before) + varint_size(literals);
    if (!r->fits || head > (size_t)(r->end - r->at)) {
        r->fits = false;
        return;
    }
    memmove(r->literals_begin + head, r->literals_begin, literals);
    put_varint(r->literals_begin, r->zeros_before);
    put_varint(r->literals_begin + varint_size(r->zeros_before), literals);
    r->at += head;
    r->literals_begin = NULL;
}

static void put_residual(zero_runs *r, uint8_t byte)
{
    if (byte == 0) {
        r->zeros += 1;
        return;
    }
    if (r->literals_begin && r->zeros >= SHORTEST_RUN) write_run_lengths(r);
    if (!r->literals_begin) {
        r->literals_begin = r->at;
        r->zeros_before = r->zeros;
        r->zeros = 0;
    }
    for (; r->zeros; --r->zeros) put_byte(r, 0);
    put_byte(r, byte);
}

static void get_run_lengths(zero_runs *r)
{
    if (r->zeros || r->literals || r->at == r->end) return;
    r->zeros = get_varint(r);
    r->literals = get_varint(r);
}

static uint8_t get_residual(zero_runs *r)
{
    get_run_lengths(r);
    if (!r->zeros && !r->literals && r->at == r->end) return 0; /* trailing zeros are not stored */
    if (r->zeros) return r->zeros -= 1, 0;
    if (!r->literals || r->at == r->end) return r->fits = false, 0;
    r->literals -= 1;
    return *r->at++;
}

/* The walk along the new snapshot, which the encoder reads and the decoder writes. */
typedef struct walker {
    const kg_snapshot_view *base;
    uint8_t *at, *end; /* position in the new snapshot, its end */
    zero_runs zero_runs;
    bool fits; /* true while all parts end within the delta and all runs fit */
} walker;

/* Encode or decode `size` bytes at once as zeros of a run, if they equal the base's. Else return
 * false; the walk has not moved then. */
static bool walk_equal(walker *w, size_t size, const uint8_t *base)
{
    zero_runs *r = &w->zero_runs;
    if (r->decode) {
        get_run_lengths(r);
        bool trailing = !r->zeros && !r->literals && r->at == r->end;
        if (!r->fits || (r->zeros < size && !trailing)) return false;
        if (!trailing) r->zeros -= size;
        memcpy(w->at, base, size);
    } else {
        if (memcmp(w->at, base, size) != 0) return false;
        r->zeros += size;
    }
    w->at += size;
    return true;
}

/* Encode or decode `size` bytes, which are numbers of `item` bytes, as differences from the base's
 * numbers (NULL: from 0). */
static void walk_items(walker *w, size_t size, size_t item, const uint8_t *base)
{
    static const uint8_t zeros[8];
    if (!w->fits || size > (size_t)(w->end - w->at)) {
        w->fits = false;
        return;
    }
    size_t n = size / item;
    if (size && base && walk_equal(w, size, base)) return;
    if (w->zero_runs.decode) memset(w->at, 0, size);
    for (size_t plane = 0; plane < item; ++plane) {
        for (size_t k = 0; k < n; ++k) {
            uint8_t *at = w->at + k * item;
            const uint8_t *from = base ? base + k * item : zeros;
            if (w->zero_runs.decode) at[plane] = get_residual(&w->zero_runs);
            else
                put_residual(
                    &w->zero_runs,
                    (uint8_t)(kg_zigzag(kg_get(at, item) - kg_get(from, item), item) >> 8 * plane));
        }
    }
    for (size_t k = 0; w->zero_runs.decode && k < n; ++k) {
        uint8_t *at = w->at + k * item;
        uint64_t from = kg_get(base ? base + k * item : zeros, item);
        kg_put(at, kg_unzigzag(kg_get(at, item)) + from, item);
    }
    w->at += size;
    w->fits = w->zero_runs.fits;
}

static void walk_column(walker *w, uint32_t which, size_t count, kg_field_kind kind)
{
    const kg_snapshot_column *base = &w->base->columns[which];
    const uint8_t *at = w->at;
    size_t item = kg_field_kind_size(kind);
    walk_items(w, 1, 1, base->bytes);
    if (!w->fits) return;
    bool same_layout = base->bytes && base->mode == at[0] && base->count == count;
    if (at[0] == KG_MODE_RAW) {
        walk_items(w, count * item, item, same_layout ? base->values : NULL);
    } else if (at[0] == KG_MODE_CONSTANT) {
        walk_items(w, item, 1, same_layout ? base->values : NULL);
    } else {
        walk_items(w, 1, 1, same_layout ? base->bytes + 1 : NULL);
        if (!w->fits) return;
        same_layout = same_layout && base->bytes[1] == at[1];
        size_t size = at[0] == KG_MODE_DICTIONARY ? at[1] * item + count : (at[1] * count + 7) / 8;
        walk_items(w, size, 1, same_layout ? base->values : NULL);
    }
}

/* Walk the records of surfaces: record k with record k of the base, if the base has so many. */
static void walk_surfaces(walker *w, uint32_t count, bool names)
{
    const uint8_t *base_at = w->base->surfaces;
    kg_surface_record base = {0};
    for (uint32_t k = 0; k < count && w->fits; ++k) {
        const uint8_t *head = w->at;
        bool has_base = kg_snapshot_surfaces_next(w->base, &base_at, &base);
        walk_items(w, KG_SURFACE_RECORD_HEADER, 1, has_base ? base.head : NULL);
        if (!w->fits) return;
        kugel_surface_def def = kg_def_decode_surface(head + 8);
        uint64_t bytes = kg_surface_record_geometry_bytes(&def, names);
        w->fits = bytes <= (size_t)(w->end - w->at);
        if (names && def.shape == KUGEL_SURFACE_MESH) {
            walk_items(w, (size_t)bytes, 1, has_base && base.named ? base.geometry : NULL);
            continue;
        }
        walk_items(w, KG_VERTEX_BYTES * (size_t)def.vertex_count, 8,
                   has_base && def.vertex_count == base.def.vertex_count ? base.vertices : NULL);
        walk_items(w, KG_TRIANGLE_BYTES * (size_t)def.triangle_count, 4,
                   has_base && def.triangle_count == base.def.triangle_count ? base.triangles
                                                                             : NULL);
    }
}

/* Walk all parts of the new snapshot in the order of snapshot.h. */
static void walk_snapshot(walker *w)
{
    const uint8_t *head = w->at;
    const kg_snapshot_view *base = w->base;
    walk_items(w, KG_SNAPSHOT_HEADER, 1, base->data);
    if (!w->fits) return;
    kg_snapshot_counts counts = kg_snapshot_read_counts(head);
    w->fits = counts.pairs <= (size_t)(w->end - w->at) / KG_PAIR_BYTES;
    walk_items(w, counts.pairs * (size_t)KG_PAIR_BYTES, 8,
               counts.pairs == base->counts.pairs ? base->pairs : NULL);
    walk_items(w, 4 * (size_t)counts.surface_indices, 4,
               counts.surface_indices == base->counts.surface_indices ? base->surface_indices
                                                                      : NULL);
    w->fits = counts.ends <= (size_t)(w->end - w->at) / KG_END_BYTES &&
              counts.exits <= (size_t)(w->end - w->at) / KG_EXIT_BYTES;
    walk_items(w, counts.ends * (size_t)KG_END_BYTES, 4,
               counts.ends == base->counts.ends ? base->ends : NULL);
    walk_items(w, counts.exits * (size_t)KG_EXIT_BYTES, 8,
               counts.exits == base->counts.exits ? base->exits : NULL);
    walk_surfaces(w, counts.surfaces, counts.flags & KG_SNAPSHOT_NAMES);
    for (uint32_t c = 0; c < KG_VIEW_COLUMNS; ++c) {
        uint32_t rows = kg_snapshot_rows(&counts, c);
        if (rows) walk_column(w, c, rows, kg_snapshot_field(c)->kind);
        if (c == KG_VIEW_GENERATIONS)
            walk_items(w, kg_snapshot_live_bytes(&counts), 1,
                       counts.id_end == base->counts.id_end ? base->live : NULL);
    }
}

static uint64_t checksum(const uint8_t *delta, size_t size)
{
    return XXH3_64bits_withSeed(delta + HEADER, size - HEADER, XXH3_64bits(delta, CHECKSUM));
}

size_t kg_delta_bound(size_t size) { return HEADER + 64 + size + size / 256; }

size_t kg_delta_write(const kg_snapshot_view *base, const kg_snapshot_view *to, uint8_t *out,
                      size_t capacity)
{
    if (capacity < HEADER) return 0;
    /* the encoder does not write to w.at */
    walker w = {.base = base, .at = (uint8_t *)(uintptr_t)to->data, .fits = true};
    w.end = w.at + to->size;
    w.zero_runs = (zero_runs){.at = out + HEADER, .end = out + capacity, .fits = true};
    walk_snapshot(&w);
    write_run_lengths(&w.zero_runs);
    if (!w.fits || !w.zero_runs.fits || w.at != w.end) return 0;
    memcpy(out, MAGIC, 8);
    kg_put32(out + 8, KUGEL_SNAPSHOT_FORMAT);
    kg_put32(out + 12, 0);
    kg_put64(out + 16, to->size);
    memcpy(out + 24, base->data + KG_SNAPSHOT_CHECKSUM, 8);
    size_t size = (size_t)(w.zero_runs.at - out);
    kg_put64(out + CHECKSUM, checksum(out, size));
    return size;
}

bool kg_delta_is_valid(const uint8_t *delta, size_t size, uint64_t *snapshot_size)
{
    if (size < HEADER || memcmp(delta, MAGIC, 8) != 0 ||
        kg_get32(delta + 8) != KUGEL_SNAPSHOT_FORMAT)
        return false;
    *snapshot_size = kg_get64(delta + 16);
    return kg_get64(delta + CHECKSUM) == checksum(delta, size);
}

bool kg_delta_apply(const kg_snapshot_view *base, const uint8_t *delta, size_t size, uint8_t *out)
{
    if (memcmp(delta + 24, base->data + KG_SNAPSHOT_CHECKSUM, 8) != 0) return false;
    size_t whole = (size_t)kg_get64(delta + 16);
    walker w = {.base = base, .at = out, .end = out + whole, .fits = true};
    /* the decoder does not write to the delta */
    w.zero_runs = (zero_runs){.decode = true,
                              .at = (uint8_t *)(uintptr_t)delta + HEADER,
                              .end = (uint8_t *)(uintptr_t)delta + size,
                              .fits = true};
    walk_snapshot(&w);
    return w.fits && w.at == w.end && w.zero_runs.at == w.zero_runs.end &&
           kg_get64(out + KG_SNAPSHOT_CHECKSUM) == kg_snapshot_checksum(out, whole);
}
