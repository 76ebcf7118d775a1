/* Predictions in dense cells (grid/dense.h): what can a body meet next, and when does it leave its cell? Between them
 * such events are most of what a gas is: gathering, filtering and predicting are compiled as one pass, for each
 * width of vectors. Nothing falls and nothing rests here: predict.c, which knows the rest, says the same to the
 * last bit. Cost: some 1,000 instructions for all around a body. */
#include "grid/around.h"
#include "impact/straight.h"

/* Who is around a body, and of the first 64 of them those that it can meet in the window, and possibly a few more. */
typedef struct around {
    uint32_t entry[KG_DENSE_NEAR], count;
    uint64_t near;
} around;

KG_INLINE uint64_t near_of(const kugel_world *world, uint32_t i, const around *a, uint32_t from, double now, bool wide)
{
    uint32_t count = a->count - from;
    count = count < 64 ? count : 64;
    uint64_t near = kg_filter_eights(&world->impact->traces, i, a->entry + from, count, now, wide);
    return count < 64 ? near & (((uint64_t)1 << count) - 1) : near;
}

KG_INLINE void look_around(const kugel_world *world, uint32_t i, uint32_t which, double now, around *a, bool wide)
{
    uint64_t self;
    a->count = kg_gather(&world->grid->dense, i, which, a->entry, &self, wide);
    a->near = near_of(world, i, a, 0, now, wide) & ~self;
}

/* `but`: a slot that will look itself, or the body's own. */
KG_INLINE bool predict_bits(kugel_world *world, uint32_t i, const uint32_t *entry, uint64_t near, uint32_t but, double h)
{
    const kg_dense *dense = &world->grid->dense;
    for (; near; near &= near - 1) {
        uint32_t e = entry[__builtin_ctzll(near)], j = e & KG_ENTRY_SLOT;
        if (j == but || (dense->filtered && !kg_grid_may_meet(world, i, j))) continue;
        double t = kg_predict_straight(world, i, e, h);
        if (t != KG_NEVER && !kg_queue_note(world, t, i, e, KG_EVENT_BODY)) return false;
    }
    return true;
}

KG_INLINE bool predict_around(kugel_world *world, uint32_t i, const around *a, uint32_t but, double now, double h, bool wide)
{
    bool ok = predict_bits(world, i, a->entry, a->near, but, h);
    for (uint32_t from = 64; from < a->count && ok; from += 64) {
        ok = predict_bits(world, i, a->entry + from, near_of(world, i, a, from, now, wide), but, h);
    }
    return ok;
}

KG_INLINE bool predict_near(kugel_world *world, uint32_t i, uint32_t which, double now, double h, bool wide)
{
    around a;
    look_around(world, i, which, now, &a, wide);
    return predict_around(world, i, &a, i, now, h, wide);
}

KG_INLINE bool predict_others(kugel_world *world, uint32_t i, uint32_t along, kg_boundary_set planes, double now, double h)
{
    uint32_t face;
    if (along) planes |= kg_faces_ahead(world, i, along);
    if (planes && !kg_predict_boundaries(world, i, planes, h)) return false;
    double t = kg_leaves(&world->grid->dense, &world->work.motion[i], world->grid->dense.place[i].cell, &face);
    t = t > now ? t : now;
    return t >= world->impact->until || kg_queue_note(world, t, i, face, KG_EVENT_SKIN);
}

/* Along faces and planes, and out of its cell. */
KG_INLINE bool predict_rest(kugel_world *world, uint32_t i, double now, double h)
{
    const kg_dense *dense = &world->grid->dense;
    return predict_others(world, i, dense->place[i].along & dense->closed, kg_boundary_planes(world), now, h);
}

KG_INLINE bool predict_all(kugel_world *world, uint32_t i, double now, double h, bool later_only, bool wide)
{
    if (!later_only) kg_trace_body(world, i);
    return predict_near(world, i, later_only ? KG_DENSE_LATER : KG_DENSE_ALL, now, h, wide) && predict_rest(world, i, now, h);
}

/* Two that have met. Who is near both is found before anything that depends on it: the processor has guessed how many they
 * are, and what was begun for the other body is not lost where it guessed wrong for the one. */
KG_INLINE bool predict_two(kugel_world *world, uint32_t i, uint32_t j, double now, double h, bool wide)
{
    around of_i, of_j;
    kg_trace_body(world, i);
    kg_trace_body(world, j);
    look_around(world, i, KG_DENSE_ALL, now, &of_i, wide);
    look_around(world, j, KG_DENSE_ALL, now, &of_j, wide);
    return predict_around(world, i, &of_i, j, now, h, wide) && predict_around(world, j, &of_j, j, now, h, wide) &&
           predict_rest(world, i, now, h) && predict_rest(world, j, now, h);
}

KG_INLINE bool predict_crossed(kugel_world *world, uint32_t i, uint32_t face, double now, double h, bool wide)
{
    const kg_dense *dense = &world->grid->dense;
    return predict_near(world, i, face, now, h, wide) &&
           predict_others(world, i, dense->place[i].along & dense->closed & 1u << face, 0, now, h);
}

#ifdef KG_AVX2
KG_AVX2 static bool predict_all_avx2(kugel_world *world, uint32_t i, double now, double h, bool later_only)
{
    return predict_all(world, i, now, h, later_only, true);
}

KG_AVX2 static bool predict_two_avx2(kugel_world *world, uint32_t i, uint32_t j, double now, double h)
{
    return predict_two(world, i, j, now, h, true);
}

KG_AVX2 static bool predict_crossed_avx2(kugel_world *world, uint32_t i, uint32_t face, double now, double h)
{
    return predict_crossed(world, i, face, now, h, true);
}

KG_AVX2 static uint64_t filter_avx2(const kg_traces *t, uint32_t i, const uint32_t *entry, uint32_t count, double now)
{
    return kg_filter_eights(t, i, entry, count, now, true);
}
#endif

static __attribute__((noinline)) bool predict_all_any(kugel_world *world, uint32_t i, double now, double h, bool later_only)
{
    return predict_all(world, i, now, h, later_only, false);
}

static __attribute__((noinline)) bool predict_two_any(kugel_world *world, uint32_t i, uint32_t j, double now, double h)
{
    return predict_two(world, i, j, now, h, false);
}

static __attribute__((noinline)) bool predict_crossed_any(kugel_world *world, uint32_t i, uint32_t face, double now, double h)
{
    return predict_crossed(world, i, face, now, h, false);
}

static uint64_t filter_any(const kg_traces *t, uint32_t i, const uint32_t *entry, uint32_t count, double now)
{
    return kg_filter_eights(t, i, entry, count, now, false);
}

bool kg_predict_in_cells(kugel_world *world, uint32_t i, double now, double h, bool later_only)
{
    return KG_STRAIGHT_WIDEST(predict_all_avx2, predict_all_any)(world, i, now, h, later_only);
}

bool kg_predict_two_in_cells(kugel_world *world, uint32_t i, uint32_t j, double now, double h)
{
    return KG_STRAIGHT_WIDEST(predict_two_avx2, predict_two_any)(world, i, j, now, h);
}

bool kg_predict_crossed(kugel_world *world, uint32_t i, uint32_t face, double now, double h)
{
    return KG_STRAIGHT_WIDEST(predict_crossed_avx2, predict_crossed_any)(world, i, face, now, h);
}

uint64_t kg_filter_traces(const kugel_world *world, uint32_t i, const uint32_t *entry, uint32_t count, double now)
{
    return KG_STRAIGHT_WIDEST(filter_avx2, filter_any)(&world->impact->traces, i, entry, count, now);
}
