/* The container's bytes stay as they are: all existing recordings depend on them. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "record/def_encoding.h"
#include "record/chunk_packing.h"
#include "record/recorder.h"
#include "record/support_recording.h"
#include "support/support_random.h"
#include "world/validate.h"

/* The first bytes of every recording of format 18. */
Test(format, first_bytes)
{
    static const uint8_t expected[] = {
        0x5b, 0x2a, 0x4d, 0x18, 8,   0, 0, 0, 'k', 'u', 'g', 'e', 'l', 'r', 'e', 'c', /* file */
        0x5b, 0x2a, 0x4d, 0x18, 244, 0, 0, 0,                                         /* frame */
        'H',  'E',  'A',  'D',  1,   0, 0, 0, 212, 0,   0,   0,   0,   0,   0,   0,
    };
    static const uint8_t head[] = {18, 0, 0, 0, KUGEL_PHYSICS_EPOCH, 0, 0, 0, 1, 0, 0, 0,
                                   0,  0, 0, 0};
    support_file file = support_record(1, true, 1, 0, NULL);
    cr_assert_gt(file.size, 200);
    cr_assert_arr_eq(file.data, expected, sizeof expected);
    cr_assert_arr_eq(file.data + 56, head, sizeof head);
    /* then the def: gravity x, y, z, substeps */
    cr_assert_eq(kg_double_from_bits(kg_get64(file.data + 72 + 16)), -9.81);
    cr_assert_eq(kg_get32(file.data + 96), 2);
    support_file_free(&file);
}

/* Checks and encodings do not depend on the target: known numbers stand for all the bytes. If one
 * fails, recordings made before cannot be read any more: that needs a new format number. */
Test(format, known_check_values)
{
    uint8_t chunk[KG_CHUNK_HEADER + 5], world[KG_WORLD_DEF_BYTES], body[KG_BODY_DEF_BYTES];
    memcpy(chunk + KG_CHUNK_HEADER, "hello", 5);
    kg_chunk_write_header(chunk, KG_TYPE_NOTE, 0, 5);
    uint64_t payload = kg_get64(chunk + 24), head = kg_get64(chunk + 32);
    cr_assert_eq(payload, 0x9555e8555c62dcfdu, "payload %#llx", (unsigned long long)payload);
    cr_assert_eq(head, 0xfbcb813c99930545u, "head %#llx", (unsigned long long)head);
    kugel_world_def def = support_drive_def();
    def.contact_iterations = 4, def.bounce_threshold = 0.5; /* the numbers below are of these */
    kg_def_encode(kg_world_def_members, &def, world);
    uint64_t hash = XXH3_64bits(world, sizeof world);
    cr_assert_eq(hash, 0x4972ca62c587a357u, "world def %#llx", (unsigned long long)hash);
    kugel_body_def ball = kugel_body_def_default();
    ball.position[1] = -2.5;
    ball.spin[2] = 1e-3;
    kg_def_encode(kg_body_def_members, &ball, body);
    hash = XXH3_64bits(body, sizeof body);
    cr_assert_eq(hash, 0xa639f272326c4b6fu, "body def %#llx", (unsigned long long)hash);
}

/* Bytes of the fields of each call, by its number. A number without a size is refused. */
Test(format, sizes_of_calls)
{
    static const size_t sizes[256] = {
        [KG_OP_STEP] = 16,
        [KG_OP_GRAVITY] = 24,
        [KG_OP_BODY_CREATE] = 8 + 228,
        [KG_OP_BODY_DESTROY] = 8,
        [KG_OP_SET_POSITION... KG_OP_ANGULAR_IMPULSE] = 32,
        [KG_OP_SET_FILTER] = 20,
        [KG_OP_SET_MASS... KG_OP_SET_RADIUS] = 16,
        [KG_OP_SET_GRAVITY_SCALE] = 16,
        [KG_OP_SET_TYPE] = 20,
        [KG_OP_WAKE... KG_OP_SLEEP] = 8,
        [KG_OP_SET_IMAGE] = 20,
        [KG_OP_SURFACE_CREATE] = 8 + 220 + 8,
        [KG_OP_SURFACE_DESTROY] = 8,
        [KG_OP_SURFACE_POSE] = 64,
        [KG_OP_SURFACE_MOTION] = 56,
        [KG_OP_SET_ROTATION] = 40,
        [KG_OP_PAIR_FILTER... KG_OP_PAIR_FILTER_IN_USE] = 12,
        [KG_OP_SURFACE_TANGENT] = 32,
        [KG_OP_SURFACE_MATERIAL] = 40,
        [KG_OP_SET_SENSOR] = 12,
        [KG_OP_SET_CAN_SLEEP... KG_OP_SET_ENABLED] = 12,
        [KG_OP_SET_MATERIAL] = 40,
        [KG_OP_SET_DAMPING] = 32,
        [KG_OP_SURFACE_FILTER] = 20,
        [KG_OP_SET_KIND... KG_OP_SURFACE_KIND] = 16,
        [KG_OP_PAIR_MATERIAL] = 8 + 32 + 4,
        [KG_OP_SET_TEMPERATURE] = 8,
        [KG_OP_DRAW_VELOCITIES] = 24 + 8,
        [KG_OP_SET_GROWTH] = 8,
        [KG_OP_SET_CONTACT_EVENTS] = 12,
        [KG_OP_SET_LOCKS] = 12,
    };
    kg_call call;
    cr_assert_eq(KG_BODY_DEF_BYTES, 228);
    cr_assert_eq(KG_WORLD_DEF_BYTES, 196);
    cr_assert_eq(KG_SURFACE_DEF_BYTES, 220);
    cr_assert_eq(kg_call_decode((const uint8_t *)"", 0, &call), 0);
    for (int op = 0; op < 256; ++op) {
        uint8_t bytes[256] = {(uint8_t)op};
        size_t size = sizes[op] ? 1 + sizes[op] : 0;
        cr_assert_eq(kg_call_size((uint8_t)op), size, "call %d", op);
        cr_assert_eq(kg_call_decode(bytes, sizeof bytes, &call), size, "call %d", op);
        cr_assert_eq(kg_call_decode(bytes, size, &call), size, "call %d, exactly", op);
        if (size) cr_assert_eq(kg_call_decode(bytes, size - 1, &call), 0, "call %d, cut", op);
    }
}

/* Any bytes decode to a call that encodes to the same bytes, but for flags, which become 0 or 1. */
Test(format, calls_come_back)
{
    support_random random = support_random_start("calls_come_back", 21);
    for (int k = 0; k < 20000; ++k) {
        uint8_t bytes[256], again[256];
        kg_call call;
        for (size_t i = 0; i < sizeof bytes; ++i) bytes[i] = (uint8_t)support_below(&random, 256);
        bytes[0] = (uint8_t)(1 + k % (KG_OP_END - 1));
        size_t size = kg_call_decode(bytes, sizeof bytes, &call), flag = size;
        cr_assert(size, "a gap at number %d", bytes[0]);
        for (size_t at = size - 16; call.op == KG_OP_BODY_CREATE && at < size; at += 4)
            kg_put32(bytes + at, kg_get32(bytes + at) & 1); /* sensor ... contact_events */
        if (call.op == KG_OP_SET_SENSOR || call.op == KG_OP_SET_CAN_SLEEP ||
            call.op == KG_OP_SET_ENABLED || call.op == KG_OP_SET_CONTACT_EVENTS)
            flag = size - 4;
        if (call.op == KG_OP_SURFACE_CREATE) {
            flag = 1 + 8 + 4 + 24 + 8;                                    /* one_sided */
            kg_put32(bytes + size - 12, kg_get32(bytes + size - 12) & 1); /* sensor */
        }
        if (call.op == KG_OP_PAIR_FILTER || call.op == KG_OP_PAIR_FILTER_IN_USE ||
            call.op == KG_OP_PAIR_MATERIAL)
            flag = size - 4;
        kg_put32(bytes + flag, kg_get32(bytes + flag) & 1);
        kg_call_decode(bytes, size, &call);
        kg_call_encode(&call, again);
        cr_assert_arr_eq(again, bytes, size, "call %d", call.op);
    }
}

Test(format, chunk_is_whole_cut_damaged_or_not_there)
{
    uint8_t chunk[KG_CHUNK_HEADER + 5];
    kg_chunk_view view;
    memcpy(chunk + KG_CHUNK_HEADER, "hello", 5);
    kg_chunk_write_header(chunk, KG_TYPE_NOTE, KG_CHUNK_CRITICAL, 5);
    cr_assert_eq(kg_chunk_read(chunk, sizeof chunk, &view), KG_CHUNK_VALID);
    cr_assert_eq(view.type, KG_TYPE_NOTE);
    cr_assert_eq(view.flags, KG_CHUNK_CRITICAL);
    cr_assert_eq(view.length, 5);
    cr_assert_arr_eq(view.payload, "hello", 5);
    cr_assert_eq(kg_chunk_read(chunk, 0, &view), KG_CHUNK_AT_END);
    for (size_t n = 1; n < sizeof chunk; ++n) {
        cr_assert_eq(kg_chunk_read(chunk, n, &view), KG_CHUNK_TRUNCATED, "at %zu", n);
    }
    for (size_t bit = 0; bit < 8 * sizeof chunk; ++bit) {
        chunk[bit / 8] ^= (uint8_t)(1 << bit % 8);
        cr_assert_eq(kg_chunk_read(chunk, sizeof chunk, &view), KG_CHUNK_DAMAGED, "bit %zu", bit);
        chunk[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
}

/* Payloads of all kinds of sizes come back, be they packed or not. */
Test(format, packing_is_lossless)
{
    support_random random = support_random_start("packing_is_lossless", 7001);
    kg_memory memory;
    kg_column workspace = {0};
    kg_chunk_buffer out = {0}, scratch = {0};
    kg_memory_init(&memory, &(kugel_allocator){0});
    static uint8_t payload[300000];
    for (int round = 0; round < 200; ++round) {
        size_t size = round < 40 ? (size_t)round / 2 : support_below(&random, sizeof payload);
        uint32_t noise = support_below(&random, 3); /* zeros, some, all */
        for (size_t i = 0; i < size; ++i) {
            bool zero = noise == 0 || (noise == 1 && support_below(&random, 10) > 0);
            payload[i] = zero ? 0 : (uint8_t)support_below(&random, 256);
        }
        bool pack = round % 2;
        kugel_status status =
            kg_chunk_make(&memory, &workspace, &out, KG_TYPE_TICK, 0, pack, payload, size);
        cr_assert_eq(status, KUGEL_OK);
        kg_chunk_view view;
        const uint8_t *data;
        size_t got;
        cr_assert_eq(kg_chunk_read(out.data, out.size, &view), KG_CHUNK_VALID);
        cr_assert_eq(kg_chunk_payload(&memory, &workspace, &view, &scratch, &data, &got), KUGEL_OK);
        cr_assert_eq(got, size);
        cr_assert_eq(memcmp(data, payload, size), 0, "round %d", round);
    }
    kg_chunk_buffer_free(&memory, &out);
    kg_chunk_buffer_free(&memory, &scratch);
    kg_column_free(&memory, &workspace);
    cr_assert_eq(memory.used, 0);
}

/* Payloads with a valid checksum that are not zstd frames are refused. */
Test(format, frames_that_are_none_are_refused)
{
    support_random random = support_random_start("frames_that_are_none", 7002);
    kg_memory memory;
    kg_column workspace = {0};
    kg_chunk_buffer out = {0}, scratch = {0};
    kg_memory_init(&memory, &(kugel_allocator){0});
    static const uint8_t zeros[5000];
    kg_chunk_make(&memory, &workspace, &out, KG_TYPE_TICK, 0, true, zeros, sizeof zeros);
    kg_chunk_view view;
    kg_chunk_read(out.data, out.size, &view);
    const uint8_t *data;
    size_t got;
    if (!(view.flags & KG_CHUNK_ZSTD)) cr_skip_test("built without zstd");
    for (int round = 0; round < 2000; ++round) {
        uint8_t bytes[64];
        size_t n = view.length < sizeof bytes ? view.length : sizeof bytes;
        memcpy(bytes, view.payload, n);
        bytes[support_below(&random, (uint32_t)n)] ^= (uint8_t)(1 + support_below(&random, 255));
        kg_chunk_view bad = {KG_TYPE_TICK, KG_CHUNK_ZSTD, bytes, n};
        kugel_status status = kg_chunk_payload(&memory, &workspace, &bad, &scratch, &data, &got);
        if (status) continue;
        /* a header bit of no meaning: the contents must be the same then */
        cr_assert(got == sizeof zeros && memcmp(data, zeros, got) == 0, "round %d", round);
    }
    kg_chunk_view cut = {KG_TYPE_TICK, KG_CHUNK_ZSTD, view.payload, 0};
    for (; cut.length < view.length; ++cut.length) {
        kugel_status status = kg_chunk_payload(&memory, &workspace, &cut, &scratch, &data, &got);
        cr_assert_eq(status, KUGEL_ERROR_FORMAT, "%zu bytes", cut.length);
    }
    kg_chunk_buffer_free(&memory, &out);
    kg_chunk_buffer_free(&memory, &scratch);
    kg_column_free(&memory, &workspace);
}

/* What is written is read again: every byte of a def's encoding matters to the def. */
Test(format, defs_come_back)
{
    support_random random = support_random_start("defs_come_back", 7003);
    uint8_t bytes[KG_WORLD_DEF_BYTES], again[KG_WORLD_DEF_BYTES], body[KG_BODY_DEF_BYTES],
        body2[KG_BODY_DEF_BYTES];
    for (int round = 0; round < 100; ++round) {
        for (size_t i = 0; i < sizeof bytes; ++i) bytes[i] = (uint8_t)support_below(&random, 256);
        kg_put32(bytes + 60, round % 2); /* sleep is a bool */
        kugel_world_def def = kg_def_decode_world(bytes);
        cr_assert_eq(def.cookie, KG_WORLD_DEF_COOKIE);
        kg_def_encode(kg_world_def_members, &def, again);
        cr_assert_arr_eq(again, bytes, sizeof bytes);
        for (size_t i = 0; i < sizeof body; ++i) body[i] = (uint8_t)support_below(&random, 256);
        for (size_t at = 4; at <= 16; at += 4) /* sensor ... contact_events */
            kg_put32(body + sizeof body - at, (uint32_t)round >> at / 4 & 1);
        kugel_body_def one = {0};
        kg_def_decode(kg_body_def_members, body, &one);
        kg_def_encode(kg_body_def_members, &one, body2);
        cr_assert_arr_eq(body2, body, sizeof body);
    }
}
