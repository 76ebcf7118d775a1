/* Playback finds and names differences. Any content of a recording gives a result or an error. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "record/recorder.h"
#include "record/support_recording.h"

/* Step to the first difference. */
static kugel_divergence first_divergence(const support_file *file)
{
    kugel_divergence d = {0};
    kugel_player *player = support_open_player(file);
    kugel_play play;
    while ((play = kugel_player_step(player, &d)) == KUGEL_PLAY_TICK) {}
    cr_assert_eq(play, KUGEL_PLAY_DIVERGED, "%d: %s", play, kugel_player_error(player)->message);
    kugel_player_close(player);
    return d;
}

/* Change one number of one recorded state (its checks made right): tick, body, field and both
 * values are named. The value changes by one unit of its last place. */
Test(player_differences, a_changed_state_is_named)
{
    support_file file = support_record(20, true, 1, 4, NULL);
    size_t at, size;
    kg_chunk_view view;
    cr_assert(support_find_chunk(&file, KG_TYPE_STAT, 0, &at, &view));
    uint8_t *payload = support_unpack(&view, &size);
    /* 9 bodies: a state is 38 bytes of head and 9 * 9 * 8 of planes, the first with 4 * 9 of ids */
    size_t state = 38 + 9 * 9 * 8, third = KG_TICK_RANGE_HEADER + 2 * state + 4 * 9;
    cr_assert_eq(payload[third + 4], 1, "the ids are the same");
    size_t position_y = third + 38 + (3 + 1) * 9 * 8; /* after the velocities and position x */
    payload[position_y + 5] ^= 2; /* lowest plane, body 5: the residual by one */
    support_file bad = support_replace_chunk(&file, at, payload, size);
    kugel_divergence d = first_divergence(&bad);
    cr_assert_eq(d.tick, 3);
    cr_assert_eq(d.expected_hash, d.found_hash, "only the state was changed");
    cr_assert(d.located);
    cr_assert_eq(d.body, 5);
    cr_assert_str_eq(d.field, "position.y");
    uint64_t ulps = d.expected_bits > d.found_bits ? d.expected_bits - d.found_bits
                                                   : d.found_bits - d.expected_bits;
    cr_assert_eq(ulps, 1);
    cr_assert_eq(kg_double_to_bits(d.expected), d.expected_bits);
    cr_assert_eq(kg_double_to_bits(d.found), d.found_bits);
    free(payload);
    support_file_free(&bad);
    support_file_free(&file);
}

/* Offset of the n-th op of a type in a TICK payload; its fields follow the byte there. */
static size_t find_op(const uint8_t *payload, size_t size, uint8_t type, int n)
{
    for (size_t at = KG_TICK_RANGE_HEADER; at < size; at += kg_call_size(payload[at])) {
        if (payload[at] == type && n-- == 0) return at;
    }
    cr_assert_fail("no op %d", type);
    return 0;
}

/* Replace 8 bytes of an op's fields in the first TICK chunk. */
static support_file change_op(const support_file *file, uint8_t type, int n, size_t field,
                              uint64_t value)
{
    size_t at, size;
    kg_chunk_view view;
    cr_assert(support_find_chunk(file, KG_TYPE_TICK, 0, &at, &view));
    uint8_t *payload = support_unpack(&view, &size);
    kg_put64(payload + find_op(payload, size, type, n) + 1 + field, value);
    support_file bad = support_replace_chunk(file, at, payload, size);
    free(payload);
    return bad;
}

Test(player_differences, a_changed_input_is_found_where_it_acts)
{
    support_file file = support_record(20, true, 1, 4, NULL);
    /* the force of tick 3 on body 0: felt in step 4 */
    support_file bad = change_op(&file, KG_OP_FORCE, 0, 8, kg_double_to_bits(40.001));
    kugel_divergence d = first_divergence(&bad);
    cr_assert_eq(d.tick, 4);
    cr_assert_neq(d.expected_hash, d.found_hash);
    cr_assert(d.located);
    cr_assert_eq(d.body, 0);
    cr_assert_str_eq(d.field, "position.x");
    cr_assert_lt(d.expected, d.found);
    support_file_free(&bad);
    support_file_free(&file);
}

Test(player_differences, a_changed_hash_is_found)
{
    support_file file = support_record(20, true, 1, 4, NULL);
    support_file bad = change_op(&file, KG_OP_STEP, 6, 8, 12345);
    kugel_divergence d = first_divergence(&bad);
    cr_assert_eq(d.tick, 7);
    cr_assert_eq(d.expected_hash, 12345);
    cr_assert(!d.located, "all recorded fields agree");
    support_file_free(&bad);
    support_file_free(&file);
}

/* After a difference the run may go on; the next ticks are compared as well. */
Test(player_differences, plays_on_after_a_difference)
{
    support_file file = support_record(20, true, 1, 4, NULL);
    support_file bad = change_op(&file, KG_OP_STEP, 6, 8, 12345);
    kugel_player *player = support_open_player(&bad);
    for (int tick = 1; tick <= 20; ++tick) {
        kugel_play play = kugel_player_step(player, NULL);
        cr_assert_eq(play, tick == 7 ? KUGEL_PLAY_DIVERGED : KUGEL_PLAY_TICK, "tick %d", tick);
    }
    cr_assert_eq(kugel_player_step(player, NULL), KUGEL_PLAY_END);
    kugel_player_close(player);
    support_file_free(&bad);
    support_file_free(&file);
}

/* Calls that the world refuses end the play with the world's own error; a seek starts it again. */
Test(player_differences, refused_calls_are_errors)
{
    support_file file = support_record(20, true, 1, 4, NULL);
    const struct {
        uint8_t op;
        int n;
        size_t field;
        uint64_t value;
        kugel_status status;
        const char *argument;
        uint64_t tick; /* reached before it */
    } rows[] = {
        {KG_OP_FORCE, 0, 8, 0x7ff8000000000000u, KUGEL_ERROR_INVALID_ARGUMENT, "force", 3},
        {KG_OP_FORCE, 0, 0, 77, KUGEL_ERROR_STALE_HANDLE, "body", 3},
        {KG_OP_STEP, 4, 0, 0, KUGEL_ERROR_INVALID_ARGUMENT, "dt", 4},
        {KG_OP_BODY_CREATE, 2, 0, 9, KUGEL_ERROR_FORMAT, "body", 0},
        {KG_OP_SURFACE_CREATE, 0, 48, 0x7ff8000000000000u, KUGEL_ERROR_INVALID_ARGUMENT,
         "surface.position", 0},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        support_file bad = change_op(&file, rows[k].op, rows[k].n, rows[k].field, rows[k].value);
        kugel_player *player = support_open_player(&bad);
        kugel_play play;
        while ((play = kugel_player_step(player, NULL)) == KUGEL_PLAY_TICK) {}
        cr_assert_eq(play, KUGEL_PLAY_ERROR, "row %zu", k);
        cr_assert_eq(kugel_player_error(player)->status, rows[k].status, "row %zu", k);
        cr_assert_not_null(strstr(kugel_player_error(player)->argument, rows[k].argument),
                           "row %zu: %s", k, kugel_player_error(player)->argument);
        cr_assert_eq(kugel_world_tick(kugel_player_world(player)), rows[k].tick, "row %zu", k);
        cr_assert_eq(kugel_player_step(player, NULL), KUGEL_PLAY_ERROR, "it stays");
        cr_assert_eq(kugel_player_seek(player, rows[k].tick),
                     rows[k].tick ? KUGEL_PLAY_TICK : play);
        kugel_player_close(player);
        support_file_free(&bad);
    }
    support_file_free(&file);
}

Test(player_differences, differences_of_states)
{
    double zero[6] = {0}, one[6] = {0, 0, 0, 0, 1, 0}, minus[6] = {-0.0, -0.0, 0, 0, 0, -0.0};
    uint32_t ids[2] = {3, 8}, other[2] = {3, 9};
    kugel_recorded a = {0, 0, true, 2, ids, zero, zero, zero}, b = a;
    kugel_divergence d = {0};
    cr_assert(!kugel_recorded_difference(&a, &b, &d));
    b.velocity = minus;
    cr_assert(!kugel_recorded_difference(&a, &b, &d), "-0 is +0");
    b.spin = one;
    cr_assert(kugel_recorded_difference(&a, &b, &d));
    cr_assert_eq(d.body, 8);
    cr_assert_str_eq(d.field, "spin.y");
    cr_assert_eq(d.found, 1);
    cr_assert_eq(d.found_bits, 0x3ff0000000000000u);
    b.ids = other;
    cr_assert(kugel_recorded_difference(&a, &b, &d));
    cr_assert_eq(d.body, 8);
    cr_assert_str_eq(d.field, "body");
    cr_assert(d.expected == 1 && d.found == 0);
    b.count = 1;
    cr_assert(kugel_recorded_difference(&b, &a, &d));
    cr_assert_eq(d.body, 8);
    cr_assert(d.expected == 0 && d.found == 1);
    b.has_state = false;
    cr_assert(!kugel_recorded_difference(&b, &a, NULL));
}
