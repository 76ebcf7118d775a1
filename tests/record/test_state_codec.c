/* The state codec is lossless for any motion and any change of the set of bodies. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/bytes.h"
#include "kugel/body.h"
#include "record/state_codec.h"
#include "world/world.h"
#include "support/support_random.h"

enum { MOST = 700 };

typedef struct rows {
    uint32_t count, ids[MOST];
    double values[3][3 * MOST];
} rows;

static kg_memory memory;

static void begin(void) { kg_memory_init(&memory, &(kugel_allocator){0}); }

/* Any finite number, and those at the edges. */
static double any_number(support_random *random)
{
    static const double edges[] = {
        0, -0.0, 1, -1, 5e-324, -5e-324, 1e15, -1e15, 2.2250738585072014e-308};
    if (support_below(random, 4) == 0) return edges[support_below(random, 9)];
    return support_gauss(random) * (support_below(random, 2) ? 1 : 1e-200);
}

/* Some bodies leave, some come, some move a little, some anywhere. */
static void change(rows *r, support_random *random)
{
    static rows old;
    old = *r;
    uint32_t churn = support_below(random, 3), j = 0;
    r->count = 0;
    for (uint32_t id = 0; id < 1000 && r->count < MOST; ++id) {
        while (j < old.count && old.ids[j] < id) ++j;
        bool was = j < old.count && old.ids[j] == id;
        bool is = was ? churn == 0 || support_below(random, 20)
                      : churn == 1 && support_below(random, 9) == 0;
        if (!is) continue;
        r->ids[r->count] = id;
        for (int f = 0; f < 3; ++f) {
            for (int k = 0; k < 3; ++k) {
                double x = was ? old.values[f][3 * j + (uint32_t)k] : any_number(random);
                if (support_below(random, 5) == 0) x = any_number(random);
                r->values[f][3 * r->count + (uint32_t)k] = x;
            }
        }
        r->count += 1;
    }
}

static void give(kg_state_codec *codec, const rows *r)
{
    kg_state *next = &codec->next;
    cr_assert(kg_state_reserve(&memory, next, r->count));
    next->count = r->count;
    memcpy(next->ids, r->ids, r->count * sizeof *r->ids);
    for (int f = 0; f < 3; ++f)
        memcpy(next->values[f], r->values[f], 3 * r->count * sizeof(double));
}

static void check(const kg_state_codec *codec, const rows *r, int round)
{
    const kg_state *last = &codec->last;
    cr_assert_eq(last->count, r->count, "round %d", round);
    if (!r->count) return;
    cr_assert_eq(memcmp(last->ids, r->ids, r->count * sizeof *r->ids), 0, "round %d", round);
    for (int f = 0; f < 3; ++f) {
        size_t size = 3 * r->count * sizeof(double);
        cr_assert_eq(memcmp(last->values[f], r->values[f], size), 0, "round %d field %d", round, f);
    }
}

Test(states, every_bit_comes_back, .init = begin)
{
    support_random random = support_random_start("every_bit_comes_back", 7101);
    static rows r;
    kg_state_codec in = {0}, out = {0};
    kg_chunk_buffer bytes = {0};
    for (int round = 0; round < 300; ++round) {
        change(&r, &random);
        kg_state_predictor predictor = {
            .dt = support_between(&random, 1e-4, 1), .gravity = {0, 1, -9.81}, .substeps = 4};
        if (round % 50 == 49) in.last.count = out.last.count = 0; /* a key */
        bytes.size = 0;
        give(&in, &r);
        cr_assert_eq(kg_state_encode(&memory, &bytes, &in, &predictor), KUGEL_OK);
        size_t used = 0;
        cr_assert_eq(kg_state_decode(&memory, bytes.data, bytes.size, &out, &used), KUGEL_OK);
        cr_assert_eq(used, bytes.size);
        check(&in, &r, round);
        check(&out, &r, round);
    }
    kg_chunk_buffer_free(&memory, &bytes);
    kg_state_codec_free(&memory, &in);
    kg_state_codec_free(&memory, &out);
    cr_assert_eq(memory.used, 0);
}

/* Sum of the bytes behind the state's head: 0 when every guess was right. */
static uint64_t weight(const kg_chunk_buffer *bytes)
{
    uint64_t sum = 0;
    for (size_t i = 38; i < bytes->size; ++i) sum += bytes->data[i];
    return sum;
}

/* Bodies that meet nothing are guessed to the bit, those that keep their speed at once, falling
 * ones from their second tick on: the world's own steps are the judge, whether they take all
 * substeps or, with hard spheres, one. */
Test(states, free_flight_is_guessed_to_the_bit, .init = begin)
{
    enum { STRAIGHT, FALLS, HARD, KINDS };
    for (int kind = 0; kind < KINDS; ++kind) {
        bool falls = kind == FALLS;
        kugel_world_def def = kugel_world_def_default();
        kugel_body_def ball = kugel_body_def_default();
        kugel_world *world;
        def.gravity[2] = falls ? -9.81 : 0;
        if (kind == HARD) def.bounce_threshold = 0, ball.restitution = 1, ball.friction = 0;
        cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
        for (int i = 0; i < 20; ++i) {
            ball.position[0] = 10.1 * i;
            ball.velocity[1] = 0.37 * i;
            ball.spin[2] = 0.1 * i;
            kugel_body_create(world, &ball, NULL);
        }
        kg_state_codec codec = {0};
        kg_chunk_buffer bytes = {0};
        kg_state_predictor predictor = {.dt = 1 / 60., .gravity = {0, 0, def.gravity[2]}};
        for (int tick = 0; tick < 30; ++tick) {
            cr_assert_eq(kugel_world_step(world, predictor.dt), KUGEL_OK);
            predictor.substeps = world->work.substeps;
            cr_assert_eq(predictor.substeps, kind == HARD ? 1 : 4);
            kg_state *next = &codec.next;
            cr_assert(kg_state_reserve(&memory, next, 20));
            next->count = kugel_world_read_arrays(world, 20,
                                                  &(kugel_body_arrays){.ids = next->ids,
                                                                       .position = next->values[0],
                                                                       .velocity = next->values[1],
                                                                       .spin = next->values[2]});
            bytes.size = 0;
            cr_assert_eq(kg_state_encode(&memory, &bytes, &codec, &predictor), KUGEL_OK);
            if (tick >= 1 + falls) cr_assert_eq(weight(&bytes), 0, "kind %d tick %d", kind, tick);
        }
        kg_chunk_buffer_free(&memory, &bytes);
        kg_state_codec_free(&memory, &codec);
        kugel_world_destroy(world);
    }
}

Test(states, cut_bytes_are_refused, .init = begin)
{
    support_random random = support_random_start("cut_bytes_are_refused", 7102);
    static rows r;
    kg_state_codec in = {0}, out = {0};
    kg_chunk_buffer bytes = {0};
    kg_state_predictor predictor = {.dt = 0.1, .substeps = 1};
    while (r.count < 5) change(&r, &random);
    r.count = 5;
    give(&in, &r);
    cr_assert_eq(kg_state_encode(&memory, &bytes, &in, &predictor), KUGEL_OK);
    for (size_t size = 0; size < bytes.size; ++size) {
        size_t used = 0;
        kugel_status status = kg_state_decode(&memory, bytes.data, size, &out, &used);
        cr_assert_eq(status, KUGEL_ERROR_FORMAT, "%zu bytes", size);
    }
    /* "the same ids as before" when there is no state before */
    bytes.data[4] = 1;
    size_t used;
    cr_assert_eq(kg_state_decode(&memory, bytes.data, bytes.size, &out, &used), KUGEL_ERROR_FORMAT);
    /* a count that no memory could hold */
    kg_put32(bytes.data, UINT32_MAX);
    cr_assert_eq(kg_state_decode(&memory, bytes.data, bytes.size, &out, &used), KUGEL_ERROR_FORMAT);
    kg_chunk_buffer_free(&memory, &bytes);
    kg_state_codec_free(&memory, &in);
    kg_state_codec_free(&memory, &out);
}
