#include "events/publish.h"

#include <string.h>

#include "base/sort.h"

/* One sort for each part of the order, the least important first: the sort is stable. */
static bool sort_touches(kugel_world *world, kugel_touch *touches, size_t n)
{
    if (n < 2) return true;
    kg_column *scratch = &world->events.scratch;
    size_t item = 2 * sizeof(uint64_t) + 2 * sizeof(uint32_t) + sizeof *touches;
    if (!kg_column_reserve(&world->memory, scratch, item, n, 0)) return false;
    kugel_touch *copy = scratch->data;
    uint64_t *keys = (uint64_t *)(void *)(copy + n), *key_scratch = keys + n;
    uint32_t *order = (uint32_t *)(void *)(key_scratch + n), *order_scratch = order + n;
    memcpy(copy, touches, n * sizeof *touches);
    for (size_t i = 0; i < n; ++i) order[i] = (uint32_t)i;
    for (int part = 0; part < 3; ++part) {
        for (size_t i = 0; i < n; ++i) {
            const kugel_touch *t = &copy[order[i]];
            keys[i] = part == 0   ? (uint64_t)kugel_body_id(t->a) << 32 | t->index
                      : part == 1 ? (uint64_t)t->target
                                  : kg_sort_key(t->time + 0.0);
        }
        kg_sort_u64(keys, order, key_scratch, order_scratch, n);
    }
    for (size_t i = 0; i < n; ++i) touches[i] = copy[order[i]];
    return true;
}

/* Few at a time, or all of a pile at one time: one sort by id, one by time. */
static bool sort_rests(kugel_world *world, kugel_rest *rests, size_t n)
{
    if (n < 2) return true;
    kg_column *scratch = &world->events.scratch;
    size_t item = 2 * sizeof(uint64_t) + 2 * sizeof(uint32_t) + sizeof *rests;
    if (!kg_column_reserve(&world->memory, scratch, item, n, 0)) return false;
    kugel_rest *copy = scratch->data;
    uint64_t *keys = (uint64_t *)(void *)(copy + n), *key_scratch = keys + n;
    uint32_t *order = (uint32_t *)(void *)(key_scratch + n), *order_scratch = order + n;
    memcpy(copy, rests, n * sizeof *rests);
    for (size_t i = 0; i < n; ++i) order[i] = (uint32_t)i;
    for (int part = 0; part < 2; ++part) {
        for (size_t i = 0; i < n; ++i) {
            const kugel_rest *r = &copy[order[i]];
            keys[i] = part == 0 ? (uint64_t)kugel_body_id(r->body) : kg_sort_key(r->time + 0.0);
        }
        kg_sort_u64(keys, order, key_scratch, order_scratch, n);
    }
    for (size_t i = 0; i < n; ++i) rests[i] = copy[order[i]];
    return true;
}

bool kg_events_sort(kugel_world *world)
{
    kg_event_set *set = &world->events.pending;
    return sort_touches(world, set->begins, set->begin_count) && sort_touches(world, set->ends, set->end_count) &&
           sort_rests(world, set->rests[KG_REST_SLEEP], set->rest_count[KG_REST_SLEEP]) &&
           sort_rests(world, set->rests[KG_REST_WAKE], set->rest_count[KG_REST_WAKE]);
}
