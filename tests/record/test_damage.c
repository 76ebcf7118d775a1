/* Truncated, damaged and foreign recordings: everything up to the last whole chunk is used, every
 * flipped bit is detected, and unknown chunks are skipped or refused. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "record/recorder.h"
#include "record/support_recording.h"
#include "support/support_random.h"
#include "support/support_sanitized.h"

enum { TICKS = 65 };

static kugel_status look(const void *data, size_t size, kugel_recording_info *info)
{
    kugel_player *player;
    *info = (kugel_recording_info){0};
    kugel_status status = kugel_player_open(data, size, NULL, NULL, 1, &player, NULL);
    if (!status) kugel_player_info(player, info);
    kugel_player_close(player);
    return status;
}

/* Ends of the chunks that hold ticks: the first end[k] bytes of the file hold ticks[k] ticks. */
typedef struct marks {
    size_t head_end, count;
    size_t end[64];
    uint64_t ticks[64];
} marks;

static marks find_marks(const support_file *file)
{
    marks m = {0};
    size_t at = KG_FILE_HEADER, size;
    kg_chunk_view view;
    uint64_t ticks = 0;
    while (kg_chunk_read(file->data + at, file->size - at, &view) == KG_CHUNK_VALID) {
        at += KG_CHUNK_HEADER + view.length;
        if (view.type == KG_TYPE_HEAD) m.head_end = at;
        if (view.type != KG_TYPE_TICK) continue;
        uint8_t *payload = support_unpack(&view, &size);
        ticks += kg_get32(payload + 8);
        free(payload);
        m.end[m.count] = at;
        m.ticks[m.count++] = ticks;
    }
    cr_assert_eq(at, file->size);
    return m;
}

/* Cut at every byte: twelve recordings, one without states, the rest each of its own push. The
 * first two are also played at some of the cuts. */
Test(damage, cut_at_every_byte)
{
    enum { RECORDINGS = 12 };
    size_t cuts = 0;
    for (int run = 0; run < RECORDINGS; ++run) {
        support_file file = support_record(TICKS, run > 0, 1, 4 + run, NULL);
        marks m = find_marks(&file);
        cr_assert_geq(m.count, 3);
        long last = -1;
        for (size_t size = 0; size < file.size; ++size) {
            kugel_recording_info info;
            kugel_status status = look(file.data, size, &info);
            cr_assert_eq(status, size < m.head_end ? KUGEL_ERROR_FORMAT : KUGEL_OK, "at %zu", size);
            if (status) continue;
            uint64_t ticks = 0;
            for (size_t k = 0; k < m.count && m.end[k] <= size; ++k) ticks = m.ticks[k];
            cr_assert_eq(info.ticks, ticks, "at %zu: %d ticks", size, (int)info.ticks);
            cr_assert_eq(info.bytes + info.lost, size);
            cr_assert(!info.damaged && !info.closed, "at %zu", size);
            if (run > 1 || (last == (long)ticks && size % 211)) continue;
            last = (long)ticks;
            cr_assert_eq(support_play(file.data, size, 1), last, "at %zu", size);
        }
        cuts += file.size;
        support_file_free(&file);
    }
    cr_assert_gt(cuts, 190000, "%zu", (size_t)cuts);
}

/* Flip each bit in turn, each fifth under sanitizers: the recording counts as damaged, and the
 * ticks that are played of it are those that were recorded. */
Test(damage, every_flipped_bit_is_found)
{
    support_file file = support_record(TICKS, true, 1, 4, NULL);
    marks m = find_marks(&file);
    for (size_t bit = 0; bit < 8 * file.size; bit += SUPPORT_SANITIZED ? 13 : 1) {
        kugel_recording_info info;
        file.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        kugel_status status = look(file.data, file.size, &info);
        if (bit / 8 < m.head_end) {
            cr_assert_eq(status, KUGEL_ERROR_FORMAT, "bit %zu", bit);
        } else {
            cr_assert_eq(status, KUGEL_OK, "bit %zu", bit);
            cr_assert(info.damaged, "bit %zu", bit);
            cr_assert_leq(info.bytes, bit / 8);
            cr_assert(!info.closed);
        }
        if (!status && bit % 1009 == 0) {
            cr_assert_eq(support_play(file.data, file.size, 1), (long)info.ticks, "bit %zu", bit);
        }
        file.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    support_file_free(&file);
}

/* A file system may leave zeros where a crash hit, or old bytes behind the end. */
Test(damage, strange_bytes_behind_the_end)
{
    support_file file = support_record(TICKS, true, 1, 4, NULL);
    static const uint8_t zeros[100];
    kugel_recording_info info;
    size_t size = file.size, done, begin = 0;
    kg_chunk_view view;
    cr_assert(support_find_chunk(&file, KG_TYPE_DONE, 0, &done, &view));
    support_file_write(&file, zeros, sizeof zeros);
    cr_assert_eq(look(file.data, file.size, &info), KUGEL_OK);
    cr_assert(info.closed && info.damaged);
    cr_assert_eq(info.bytes, size);
    cr_assert_eq(info.lost, sizeof zeros);
    memset(file.data + done, 0, file.size - done);
    cr_assert_eq(look(file.data, file.size, &info), KUGEL_OK);
    cr_assert(!info.closed && info.damaged);
    cr_assert_eq(info.ticks, TICKS);
    /* a second recording behind the first is not part of it */
    support_file two = support_record(3, true, 1, 4, NULL);
    begin = two.size;
    support_file three = support_record(2, true, 1, 4, NULL);
    support_file_write(&two, three.data + KG_FILE_HEADER, three.size - KG_FILE_HEADER);
    cr_assert_eq(look(two.data, two.size, &info), KUGEL_OK);
    cr_assert(info.closed && info.damaged);
    cr_assert_eq(info.bytes, begin);
    cr_assert_eq(info.ticks, 3);
    support_file_free(&file);
    support_file_free(&two);
    support_file_free(&three);
}

/* Chunks of other versions. */

Test(damage, unknown_chunks)
{
    support_file file = support_record(TICKS, true, 1, 4, NULL);
    size_t at = KG_FILE_HEADER;
    kg_chunk_view view;
    /* behind each chunk but the last: also between TICK and STAT */
    while (kg_chunk_read(file.data + at, file.size - at, &view) == KG_CHUNK_VALID) {
        at += KG_CHUNK_HEADER + view.length;
        if (at == file.size) break;
        uint32_t type = KG_TYPE('B', 'E', 'A', 'M');
        kugel_recording_info info;
        support_file other = support_insert_chunk(&file, at, type, 0, "later", 5);
        cr_assert_eq(support_play(other.data, other.size, 1), TICKS, "optional at %zu", at);
        support_file_free(&other);
        other = support_insert_chunk(&file, at, type, KG_CHUNK_CRITICAL, "later", 5);
        cr_assert_eq(look(other.data, other.size, &info), KUGEL_ERROR_FORMAT, "critical at %zu",
                     at);
        support_file_free(&other);
    }
    support_file_free(&file);
}

/* A newer HEAD may be longer; other format numbers are refused and named. */
Test(damage, other_formats)
{
    support_file file = support_record(3, true, 1, 4, NULL);
    size_t at, size;
    kg_chunk_view view;
    support_find_chunk(&file, KG_TYPE_HEAD, 0, &at, &view);
    uint8_t *head = support_unpack(&view, &size);
    uint8_t *longer = calloc(1, size + 50);
    memcpy(longer, head, size);
    support_file other = support_replace_chunk(&file, at, longer, size + 50);
    cr_assert_eq(support_play(other.data, other.size, 1), 3);
    support_file_free(&other);
    const uint32_t unknown[] = {KUGEL_RECORDING_FORMAT - 1, KUGEL_RECORDING_FORMAT + 1};
    for (int k = 0; k < 2; ++k) {
        char text[32];
        snprintf(text, sizeof text, "format %u is not known", unknown[k]);
        kg_put32(head, unknown[k]);
        other = support_replace_chunk(&file, at, head, size);
        kugel_player *player;
        kugel_error error;
        cr_assert_eq(kugel_player_open(other.data, other.size, NULL, NULL, 1, &player, &error),
                     KUGEL_ERROR_FORMAT);
        cr_assert_not_null(strstr(error.message, text), "%s", error.message);
        support_file_free(&other);
    }
    kg_put32(head, KUGEL_RECORDING_FORMAT);
    for (size_t cut = 0; cut < size; cut += 7) {
        kugel_recording_info info;
        other = support_replace_chunk(&file, at, head, cut);
        cr_assert_eq(look(other.data, other.size, &info), KUGEL_ERROR_FORMAT, "%zu bytes", cut);
        support_file_free(&other);
    }
    free(longer);
    free(head);
    support_file_free(&file);
}

/* A world's def out of its range is refused with the field's name. */
Test(damage, a_bad_world_is_refused)
{
    support_file file = support_record(3, true, 1, 4, NULL);
    size_t at, size;
    kg_chunk_view view;
    support_find_chunk(&file, KG_TYPE_HEAD, 0, &at, &view);
    uint8_t *head = support_unpack(&view, &size);
    kg_put32(head + 16 + 24, (uint32_t)-1);
    support_file other = support_replace_chunk(&file, at, head, size);
    kugel_player *player;
    kugel_error error;
    cr_assert_eq(kugel_player_open(other.data, other.size, NULL, NULL, 1, &player, &error),
                 KUGEL_ERROR_FORMAT);
    cr_assert_eq(error.status, KUGEL_ERROR_FORMAT);
    cr_assert_not_null(strstr(error.argument, "substeps"), "%s", error.argument);
    free(head);
    support_file_free(&other);
    support_file_free(&file);
}

/* Whole chunks that are missing, doubled or out of place: their checks are right, their numbers are
 * not. Without a STAT chunk the rest still plays, by hashes alone. */
Test(damage, chunks_out_of_place)
{
    support_file file = support_record(TICKS, true, 1, 4, NULL);
    static const uint32_t types[] = {KG_TYPE_HEAD, KG_TYPE_TICK, KG_TYPE_STAT, KG_TYPE_DONE};
    for (size_t t = 0; t < 4; ++t) {
        size_t at;
        kg_chunk_view view;
        for (uint32_t n = 0; support_find_chunk(&file, types[t], n, &at, &view); ++n) {
            kugel_recording_info info;
            size_t end = at + KG_CHUNK_HEADER + view.length;
            support_file without = support_remove_bytes(&file, at, end);
            support_file doubled = {0};
            support_file_write(&doubled, file.data, end);
            support_file_write(&doubled, file.data + at, file.size - at);
            kugel_status missing = look(without.data, without.size, &info);
            if (types[t] == KG_TYPE_DONE) {
                cr_assert(missing == KUGEL_OK && !info.closed);
                cr_assert_eq(look(doubled.data, doubled.size, &info), KUGEL_OK);
                cr_assert(info.damaged);
            } else if (types[t] == KG_TYPE_STAT) {
                cr_assert_eq(missing, KUGEL_OK);
                cr_assert_eq(support_play(without.data, without.size, 1), TICKS, "chunk %u", n);
                cr_assert_eq(look(doubled.data, doubled.size, &info), KUGEL_ERROR_FORMAT);
            } else {
                cr_assert_eq(missing, KUGEL_ERROR_FORMAT, "type %zu, chunk %u", t, n);
                cr_assert_eq(look(doubled.data, doubled.size, &info), KUGEL_ERROR_FORMAT);
            }
            support_file_free(&without);
            support_file_free(&doubled);
        }
    }
    support_file_free(&file);
}

/* The same without states and without the closing chunk, whose numbers would tell as well. */
Test(damage, a_missing_chunk_in_an_open_recording)
{
    support_file file = support_record(TICKS, false, 1, 4, NULL);
    size_t at;
    kg_chunk_view view;
    kugel_recording_info info;
    cr_assert(support_find_chunk(&file, KG_TYPE_DONE, 0, &at, &view));
    file.size = at;
    cr_assert_eq(support_play(file.data, file.size, 1), TICKS);
    cr_assert(support_find_chunk(&file, KG_TYPE_TICK, 1, &at, &view));
    support_file without = support_remove_bytes(&file, at, at + KG_CHUNK_HEADER + view.length);
    cr_assert_eq(look(without.data, without.size, &info), KUGEL_ERROR_FORMAT);
    support_file_free(&without);
    support_file_free(&file);
}

/* Ops that are cut or unknown, and counts that are wrong, under right checks. */
Test(damage, ops_that_are_none)
{
    support_file file = support_record(3, false, 1, 4, NULL);
    size_t at, size;
    kg_chunk_view view;
    kugel_recording_info info;
    support_find_chunk(&file, KG_TYPE_TICK, 0, &at, &view);
    uint8_t *payload = support_unpack(&view, &size);
    for (size_t cut = 0; cut < size; ++cut) {
        support_file other = support_replace_chunk(&file, at, payload, cut);
        cr_assert_eq(look(other.data, other.size, &info), KUGEL_ERROR_FORMAT, "%zu bytes", cut);
        support_file_free(&other);
    }
    payload[KG_TICK_RANGE_HEADER] = 200;
    support_file other = support_replace_chunk(&file, at, payload, size);
    cr_assert_eq(look(other.data, other.size, &info), KUGEL_ERROR_FORMAT);
    support_file_free(&other);
    payload[KG_TICK_RANGE_HEADER] = KG_OP_GRAVITY;
    payload[8] += 1;
    other = support_replace_chunk(&file, at, payload, size);
    cr_assert_eq(look(other.data, other.size, &info), KUGEL_ERROR_FORMAT);
    support_file_free(&other);
    free(payload);
    support_file_free(&file);
}

/* States that cannot be decoded are an error of the step that needs them, not a crash. */
Test(damage, states_that_are_none)
{
    support_file file = support_record(10, true, 1, 4, NULL);
    size_t at, size;
    kg_chunk_view view;
    support_find_chunk(&file, KG_TYPE_STAT, 0, &at, &view);
    uint8_t *payload = support_unpack(&view, &size);
    for (size_t cut = 0; cut < size; cut += 23) {
        support_file other = support_replace_chunk(&file, at, payload, cut);
        cr_assert_eq(support_play(other.data, other.size, 1), -1, "%zu bytes", cut);
        kugel_player *player;
        cr_assert_eq(kugel_player_open(other.data, other.size, NULL, NULL, 1, &player, NULL),
                     KUGEL_OK);
        kugel_recorded r;
        cr_assert_eq(kugel_player_recorded(player, 10, &r), KUGEL_ERROR_FORMAT, "%zu bytes", cut);
        kugel_player_close(player);
        support_file_free(&other);
    }
    free(payload);
    support_file_free(&file);
}

/* Random bits under right checks, as a hostile writer could make them: every answer is an error or
 * a play, never a crash or an endless run. */
Test(damage, hostile_contents)
{
    support_random random = support_random_start("hostile_contents", 7301);
    static const uint32_t types[3] = {KG_TYPE_TICK, KG_TYPE_STAT, KG_TYPE_HEAD};
    support_file file = support_record(TICKS, true, 1, 4, NULL);
    int opened = 0, refused = 0;
    for (int round = 0; round < 3000; ++round) {
        uint32_t type = types[round % 3];
        size_t at, size;
        kg_chunk_view view;
        uint32_t n = type == KG_TYPE_HEAD ? 0 : support_below(&random, 3);
        cr_assert(support_find_chunk(&file, type, n, &at, &view));
        uint8_t *payload = support_unpack(&view, &size);
        for (uint32_t flips = 1 + support_below(&random, 3); flips > 0; --flips) {
            payload[support_below(&random, (uint32_t)size)] ^=
                (uint8_t)(1 << support_below(&random, 8));
        }
        support_file bad = support_replace_chunk(&file, at, payload, size);
        kugel_player *player;
        kugel_status status = kugel_player_open(bad.data, bad.size, NULL, NULL, 1, &player, NULL);
        cr_assert(status == KUGEL_OK || status == KUGEL_ERROR_FORMAT, "round %d: %d", round,
                  status);
        opened += !status;
        refused += status != KUGEL_OK;
        int steps = 0;
        kugel_play play = KUGEL_PLAY_TICK;
        while (!status && (play == KUGEL_PLAY_TICK || play == KUGEL_PLAY_DIVERGED)) {
            play = kugel_player_step(player, NULL);
            cr_assert_leq(++steps, TICKS + 3);
        }
        kugel_player_close(player);
        free(payload);
        support_file_free(&bad);
    }
    cr_assert(opened > 500 && refused > 100, "%d opened, %d refused", opened, refused);
    support_file_free(&file);
}

/* Files that are no recordings. */
Test(damage, other_files)
{
    kugel_recording_info info;
    cr_assert_eq(look("", 0, &info), KUGEL_ERROR_FORMAT);
    cr_assert_eq(look("{\"format\": \"kugel-scene\"}", 25, &info), KUGEL_ERROR_FORMAT);
    cr_assert_eq(look(KG_FILE_MAGIC, KG_FILE_HEADER, &info), KUGEL_ERROR_FORMAT);
}
