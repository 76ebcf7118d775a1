/* The event queue: events leave in the total order (time, kind, low id, high id, image), whatever
 * the order in which they enter, and only while the motions they were predicted from are the same.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "support/support_substep.h"

enum { SIDE = 4 };
#define BODIES (4u * SIDE * SIDE * SIDE)

/* A gas at the start of a substep of 1 s whose window ends at `until`. */
static kugel_world *world_with_window(support_scene *scene, double until)
{
    support_random random = support_random_start("queue/gas", 1);
    *scene = support_scene_gas(SIDE, 0.2, KUGEL_FACE_PERIODIC, 0, &random);
    kugel_world *world = support_substep_world(scene, 1);
    cr_assert(kg_queue_begin(&world->memory, world->impact, 0, until, BODIES));
    return world;
}

static void end(kugel_world *world, support_scene *scene)
{
    kugel_world_destroy(world);
    support_scene_free(scene);
}

/* An event of random kind and bodies; few times and few bodies, so that many tie. */
static kg_event random_event(const kugel_world *world, double from, support_random *random)
{
    double time = from + (support_below(random, 3) ? support_uniform(random) * (1 - from)
                                                   : support_below(random, 4) * 0.25 * (1 - from));
    uint32_t a = support_below(random, 6), b = support_below(random, 6);
    if (a == b) return support_boundary_event(world, a, support_below(random, 6), time);
    kg_event e = support_pair_event(world, a, b, time);
    e.b = b | support_below(random, 27) << KG_NEIGHBOUR_IMAGE_SHIFT;
    return e;
}

/* The documented order, written out without the queue's functions. */
static int compare(const kugel_world *world, const kg_event *p, const kg_event *q)
{
    uint32_t key[2][4];
    for (int k = 0; k < 2; ++k) {
        const kg_event *e = k ? q : p;
        uint32_t a = world->bodies.id[e->a],
                 b = e->kind == KG_EVENT_BODY ? world->bodies.id[e->b & KG_NEIGHBOUR_SLOT] : e->b;
        bool swap = e->kind == KG_EVENT_BODY && b < a;
        key[k][0] = e->kind, key[k][1] = swap ? b : a, key[k][2] = swap ? a : b;
        key[k][3] = e->b >> KG_NEIGHBOUR_IMAGE_SHIFT;
    }
    if (p->time != q->time) return p->time < q->time ? -1 : 1;
    for (int k = 0; k < 4; ++k) {
        if (key[0][k] != key[1][k]) return key[0][k] < key[1][k] ? -1 : 1;
    }
    return 0;
}

/* Pushes and pops in random turns, against the least event of a plain array. Pushed times are not
 * before the last popped one, as for predictions. */
Test(queue, pops_the_least_event)
{
    enum { MOST = 4000 };
    support_scene scene;
    kugel_world *world = world_with_window(&scene, 1);
    support_random random = support_random_start("queue/order", 2);
    kg_event *waiting = malloc(MOST * sizeof *waiting), got;
    uint32_t count = 0, popped = 0;
    double now = 0;
    for (uint32_t pushed = 0; pushed < MOST || count;) {
        if (pushed < MOST && (count == 0 || support_below(&random, 5) > 1)) {
            waiting[count] = random_event(world, now, &random);
            cr_assert(kg_queue_push(world, &waiting[count++]));
            pushed += 1;
            continue;
        }
        bool ok = true;
        uint32_t least = 0;
        for (uint32_t k = 1; k < count; ++k) {
            if (compare(world, &waiting[k], &waiting[least]) < 0) least = k;
        }
        cr_assert(kg_queue_pop(world, &got, &ok) && ok);
        cr_assert_eq(compare(world, &got, &waiting[least]), 0, "pop %u: %.17g s, least is %.17g s",
                     popped, got.time, waiting[least].time);
        /* of equal events either may come first: remove the one that came */
        waiting[least] = waiting[--count];
        now = got.time;
        popped += 1;
    }
    bool ok = true;
    cr_assert(!kg_queue_pop(world, &got, &ok) && ok, "the queue is not empty at the end");
    cr_assert_leq(world->impact->event_count, MOST, "%u places for %d events",
                  world->impact->event_count, MOST);
    free(waiting);
    end(world, &scene);
}

/* All events of one time, pushed forwards and backwards, come in one order; a pair counts the same
 * from either of its bodies. */
Test(queue, ties_do_not_depend_on_the_order_of_pushes)
{
    enum { COUNT = 60 };
    support_scene scene;
    kugel_world *world = world_with_window(&scene, 1);
    support_random random = support_random_start("queue/ties", 3);
    kg_event events[COUNT], first[COUNT], got;
    uint32_t n = 0;
    for (uint32_t k = 0; k < COUNT; ++k) {
        events[k] = random_event(world, 0.5, &random);
        events[k].time = 0.5;
    }
    for (int turn = 0; turn < 2; ++turn) {
        bool ok = true;
        cr_assert(kg_queue_begin(&world->memory, world->impact, 0, 1, BODIES));
        for (uint32_t k = 0; k < COUNT; ++k) {
            kg_event e = events[turn ? COUNT - 1 - k : k];
            if (turn && e.kind == KG_EVENT_BODY) { /* the same pair from its other body */
                uint32_t a = e.a, image = e.b >> KG_NEIGHBOUR_IMAGE_SHIFT;
                e.a = e.b & KG_NEIGHBOUR_SLOT;
                e.b = a | image << KG_NEIGHBOUR_IMAGE_SHIFT;
            }
            cr_assert(kg_queue_push(world, &e));
        }
        for (n = 0; kg_queue_pop(world, &got, &ok); ++n) {
            if (turn == 0) first[n] = got;
            else cr_assert_eq(compare(world, &got, &first[n]), 0, "event %u", n);
            cr_assert(turn || n == 0 || compare(world, &first[n - 1], &got) <= 0);
        }
        cr_assert(ok && n == COUNT, "%u of %d events", n, COUNT);
    }
    end(world, &scene);
}

/* An event of a body whose motion has changed is dropped, in a bucket alone or with others. */
Test(queue, drops_events_of_changed_motions)
{
    support_scene scene;
    kugel_world *world = world_with_window(&scene, 1);
    kg_event got;
    bool ok = true;
    for (uint32_t i = 0; i + 1 < BODIES; i += 2) {
        cr_assert(kg_queue_push_predicted(world, (i / 8 + 0.5) / BODIES, i,
                                          support_neighbour(i + 1), KG_EVENT_BODY));
    }
    for (uint32_t i = 0; i < BODIES; i += 6) world->work.motion_version[i + (i & 2) / 2] += 1;
    uint32_t left = 0, stale = (BODIES + 5) / 6;
    while (kg_queue_pop(world, &got, &ok)) {
        cr_assert_neq(got.a % 6, 0, "the event of body %u is stale", got.a);
        left += 1;
    }
    cr_assert_eq(left, BODIES / 2 - stale, "%u events are left", left);
    end(world, &scene);
}

/* Events beyond the window are predicted again in the next one, unless this one ends the substep:
 * then rounding may put an event at its very end. */
Test(queue, keeps_what_is_in_the_window)
{
    for (int last = 0; last < 2; ++last) {
        support_scene scene;
        kugel_world *world = world_with_window(&scene, last ? 1 : 0.25);
        kg_event got;
        bool ok = true;
        uint32_t left = 0;
        for (uint32_t k = 0; k <= 16; ++k) {
            kg_event e = support_boundary_event(world, k, 0, k / 16.);
            cr_assert(kg_queue_push(world, &e));
        }
        for (; kg_queue_pop(world, &got, &ok); ++left) cr_assert_eq(got.a, left);
        cr_assert_eq(left, last ? 17 : 4, "%u events", left);
        end(world, &scene);
    }
}

/* They come first, in the order of time. */
Test(queue, takes_events_before_the_window)
{
    support_scene scene;
    kugel_world *world = world_with_window(&scene, 1);
    bool ok = true;
    cr_assert(kg_queue_begin(&world->memory, world->impact, 0.75, 1, BODIES));
    for (uint32_t k = 0; k <= 16; ++k) {
        kg_event e = support_boundary_event(world, k, 0, (16 - k) / 16.), got;
        cr_assert(kg_queue_push(world, &e));
        if (k % 4 < 3) continue;
        cr_assert(kg_queue_pop(world, &got, &ok) && ok);
        cr_assert_eq(got.a, k);
    }
    end(world, &scene);
}

/* The calendar has a bucket for each event of the last window, at most four a body: a push and a
 * pop stay cheap. */
Test(queue, calendar_grows_with_the_events)
{
    support_scene scene;
    kugel_world *world = world_with_window(&scene, 1);
    support_random random = support_random_start("queue/growth", 4);
    uint32_t before = world->impact->bucket_count;
    for (uint32_t round = 0; round < 3; ++round) {
        for (uint32_t k = 0; k < BODIES << round; ++k) {
            kg_event e = random_event(world, 0, &random);
            cr_assert(kg_queue_push(world, &e));
        }
        cr_assert_eq(world->impact->pushed, BODIES << round);
        cr_assert(kg_queue_begin(&world->memory, world->impact, 0, 1, BODIES));
        uint32_t buckets = world->impact->bucket_count;
        cr_assert(buckets >= BODIES << round && buckets < 2 * (BODIES << round),
                  "%u buckets for %d events", buckets, BODIES << round);
        cr_assert_gt(buckets, before);
        before = buckets;
    }
    for (uint32_t k = 0; k < 40 * BODIES; ++k) {
        kg_event e = random_event(world, 0, &random);
        cr_assert(kg_queue_push(world, &e));
    }
    cr_assert(kg_queue_begin(&world->memory, world->impact, 0, 1, BODIES));
    cr_assert_lt(world->impact->bucket_count, 2 * (4 * BODIES + 64));
    end(world, &scene);
}

/* Events written to parts come out as if they had been pushed; an overflowed part has none. */
Test(queue, parts_give_the_events_of_pushes)
{
    enum { PARTS = 4, PER_PART = BODIES / PARTS, EACH = 3 };
    support_scene scene;
    kugel_world *world = world_with_window(&scene, 1);
    for (int round = 0; round < 2;
         ++round) { /* the second round has parts for what the first had */
        support_random random = support_random_start("queue/parts", 5);
        kg_event got;
        bool ok = true;
        uint32_t left = 0, expected = 0;
        double before = 0;
        cr_assert(kg_queue_begin(&world->memory, world->impact, 0, 1, BODIES));
        cr_assert(kg_queue_open_parts(world, PARTS, PER_PART));
        for (uint32_t i = 0; i < BODIES; ++i) {
            uint32_t events = i / PER_PART == 2 ? EACH : i % 3 == 0;
            for (uint32_t k = 0; k < events; ++k) {
                kg_event e = support_boundary_event(world, i, k, support_uniform(&random));
                cr_assert(kg_queue_push(world, &e));
            }
        }
        for (uint32_t p = 0; p < PARTS; ++p) {
            bool over = kg_queue_part_overflowed(world, p);
            cr_assert_eq(over, round == 0 && p == 2, "round %d, part %u", round, p);
            for (uint32_t i = p * PER_PART; i < (p + 1) * PER_PART && !over; ++i)
                expected += p == 2 ? EACH : i % 3 == 0;
        }
        kg_queue_close_parts(world);
        for (; kg_queue_pop(world, &got, &ok); ++left) {
            cr_assert_geq(got.time, before);
            before = got.time;
        }
        cr_assert_eq(left, expected, "round %d: %u of %u events", round, left, expected);
    }
    end(world, &scene);
}

/* Impacts of exactly one time are found and taken apart from later ones. */
Test(queue, finds_simultaneous_impacts)
{
    support_scene scene;
    kugel_world *world = world_with_window(&scene, 1);
    static const double times[5] = {0.5, 0.5, 0.5, 0.5 + 0x1p-52, 0.75};
    kg_event got;
    bool ok = true;
    for (uint32_t k = 0; k < 5; ++k) {
        kg_event e = support_pair_event(world, 2 * k, 2 * k + 1, times[k]);
        cr_assert(kg_queue_push(world, &e));
    }
    cr_assert(kg_queue_pop(world, &got, &ok) && got.a == 0);
    cr_assert(kg_queue_has_simultaneous(world, 0.5));
    cr_assert(kg_queue_pop_at(world, 0.5, &got) && got.a == 2);
    cr_assert(kg_queue_pop_at(world, 0.5, &got) && got.a == 4);
    cr_assert(!kg_queue_has_simultaneous(world, 0.5) && !kg_queue_pop_at(world, 0.5, &got));
    cr_assert(kg_queue_pop(world, &got, &ok) && got.a == 6 && got.time > 0.5);
    end(world, &scene);
}
