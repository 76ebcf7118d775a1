/* Compresses chunks with zstd, where it is available. */
#include "record/chunk_packing.h"

#include <string.h>

#ifdef KG_HAVE_ZSTD
/* declares functions for contexts in the caller's memory; Debian's shared library exports them */
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

/* Compression level of zstd. Byte planes are zeros or noise, which higher levels hardly shrink. */
enum { LEVEL = 1 };

/* Append the packed payload to `out`; returns the frame's size, 0 when out of memory. */
static size_t pack_payload(kg_memory *memory, kg_column *workspace, kg_chunk_buffer *out,
                           const void *payload, size_t size)
{
    size_t need = ZSTD_estimateCCtxSize_usingCParams(ZSTD_getCParams(LEVEL, 0, 0));
    size_t bound = ZSTD_compressBound(size);
    if (!kg_column_reserve(memory, workspace, 1, need, 0)) return 0;
    uint8_t *at = kg_chunk_buffer_extend(memory, out, bound);
    if (!at) return 0;
    ZSTD_CCtx *context = ZSTD_initStaticCCtx(workspace->data, workspace->capacity);
    if (!context) return 0;
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag,
                           1); /* off by default in a static context */
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    size_t packed = ZSTD_compress2(context, at, bound, payload, size);
    out->size -= bound;
    if (ZSTD_isError(packed)) return 0;
    out->size += packed;
    return packed;
}

/* Replace the content of `scratch` by the unpacked payload. */
static kugel_status unpack(kg_memory *memory, kg_column *workspace, const kg_chunk_view *view,
                           kg_chunk_buffer *scratch)
{
    unsigned long long whole = ZSTD_getFrameContentSize(view->payload, view->length);
    if (whole == ZSTD_CONTENTSIZE_ERROR || whole == ZSTD_CONTENTSIZE_UNKNOWN)
        return KUGEL_ERROR_FORMAT;
    if (whole > KG_PAYLOAD_LIMIT) return KUGEL_ERROR_FORMAT;
    scratch->size = 0;
    size_t need = ZSTD_estimateDCtxSize();
    if (!kg_column_reserve(memory, workspace, 1, need, 0)) return KUGEL_ERROR_OUT_OF_MEMORY;
    uint8_t *to = kg_chunk_buffer_extend(memory, scratch, (size_t)whole);
    if (!to) return KUGEL_ERROR_OUT_OF_MEMORY;
    ZSTD_DCtx *context = ZSTD_initStaticDCtx(workspace->data, workspace->capacity);
    if (!context) return KUGEL_ERROR_OUT_OF_MEMORY;
    size_t got = ZSTD_decompressDCtx(context, to, (size_t)whole, view->payload, view->length);
    return got == whole ? KUGEL_OK : KUGEL_ERROR_FORMAT;
}
#endif

kugel_status kg_chunk_make(kg_memory *memory, kg_column *workspace, kg_chunk_buffer *out,
                           uint32_t type, uint32_t flags, bool pack, const void *payload,
                           size_t size)
{
    if (size > KG_PAYLOAD_LIMIT) return KUGEL_ERROR_LIMIT;
    out->size = 0;
    if (!kg_chunk_buffer_extend(memory, out, KG_CHUNK_HEADER)) return KUGEL_ERROR_OUT_OF_MEMORY;
#ifdef KG_HAVE_ZSTD
    if (pack) {
        size_t packed = pack_payload(memory, workspace, out, payload, size);
        if (!packed) return KUGEL_ERROR_OUT_OF_MEMORY;
        kg_chunk_write_header(out->data, type, flags | KG_CHUNK_ZSTD, packed);
        return KUGEL_OK;
    }
#endif
    (void)workspace, (void)pack;
    uint8_t *at = kg_chunk_buffer_extend(memory, out, size);
    if (!at) return KUGEL_ERROR_OUT_OF_MEMORY;
    if (size) memcpy(at, payload, size);
    kg_chunk_write_header(out->data, type, flags, size);
    return KUGEL_OK;
}

kugel_status kg_chunk_payload(kg_memory *memory, kg_column *workspace, const kg_chunk_view *view,
                              kg_chunk_buffer *scratch, const uint8_t **data, size_t *size)
{
    *data = view->payload;
    *size = view->length;
    if (!(view->flags & KG_CHUNK_ZSTD)) return KUGEL_OK;
#ifdef KG_HAVE_ZSTD
    kugel_status status = unpack(memory, workspace, view, scratch);
    *data = scratch->data;
    *size = scratch->size;
    return status;
#else
    (void)memory, (void)workspace, (void)scratch;
    return KUGEL_ERROR_FORMAT;
#endif
}
