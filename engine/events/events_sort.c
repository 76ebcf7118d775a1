/* Sorts the events of a step into their public order (events_sort.h). In: pending events as
 * appended. Out: lists in an order that does not depend on the order of appending. Cost: a radix
 * sort of each list; of the impacts, which are mostly sorted, only the parts that are not. */
#include "events/events_sort.h"

#include "base/sort.h"

/* Sort keys: part 0 is the least significant. */
static uint64_t touch_key(const void *item, int part)
{
    const kugel_touch *t = item;
    if (part == 0) return t->triangle;
    if (part == 1) return (uint64_t)kugel_body_id(t->a) << 32 | t->index;
    return part == 2 ? (uint64_t)t->target : kg_sort_key(t->time + 0.0);
}

static uint64_t rest_key(const void *item, int part)
{
    const kugel_rest *r = item;
    return part == 0 ? (uint64_t)kugel_body_id(r->body) : kg_sort_key(r->time + 0.0);
}

/* Simultaneous events of one pair keep the order in which they were appended: they alternate. */
static uint64_t sensor_event_key(const void *item, int part)
{
    const kugel_sensor_event *e = item;
    uint64_t sensor = kugel_body_id(e->sensor);
    if (e->surface) sensor = KG_BODY_LIMIT + kugel_surface_index(e->surface);
    return part == 0 ? sensor << 32 | kugel_body_id(e->body) : kg_sort_key(e->time + 0.0);
}

static bool sort_by_keys(kugel_world *world, void *items, size_t size, size_t n, int parts,
                         kg_sort_part *key)
{
    return kg_sort_items(&world->memory, &world->scratch, items, size, n, parts, key);
}

static bool sort_touches(kugel_world *world, kugel_touch *touches, size_t n)
{
    return sort_by_keys(world, touches, sizeof *touches, n, 4, touch_key);
}

static bool sort_sleep_events(kugel_world *world, int kind)
{
    kg_event_set *set = &world->events.pending;
    return sort_by_keys(world, set->rests[kind], sizeof **set->rests, set->rest_count[kind], 2,
                        rest_key);
}

static uint64_t impact_key(const void *item, int part)
{
    const kugel_impact *i = item;
    if (part == 0) return i->triangle;
    return part == 1 ? (uint64_t)kugel_body_id(i->a) << 32 | i->index : (uint64_t)i->target;
}

static uint64_t time_key(const void *item, int part)
{
    const kugel_impact *i = item;
    (void)part;
    return kg_sort_key(i->time + 0.0);
}

/* Impacts are appended in order of time; in windows of subdomains, by subdomain and then time. Of
 * simultaneous impacts the stronger come first. Simultaneous impacts of one pair keep this
 * order. */
static bool sort_impacts(kugel_world *world, kugel_impact *impacts, size_t n)
{
    bool is_sorted = true;
    for (size_t i = 1; i < n; ++i) is_sorted &= impacts[i - 1].time <= impacts[i].time;
    if (!is_sorted && !sort_by_keys(world, impacts, sizeof *impacts, n, 1, time_key)) return false;
    for (size_t from = 0, to; from < n; from = to) {
        bool ordered = true;
        for (to = from + 1; to < n && impacts[to].time == impacts[from].time; ++to) {
            const kugel_impact *a = &impacts[to - 1], *b = &impacts[to];
            bool same = a->target == b->target;
            uint64_t key_a = impact_key(a, 1), key_b = impact_key(b, 1);
            if (same && key_a == key_b) ordered &= a->triangle <= b->triangle;
            else ordered &= same ? key_a < key_b : a->target < b->target;
        }
        if (!ordered &&
            !sort_by_keys(world, impacts + from, sizeof *impacts, to - from, 3, impact_key))
            return false;
    }
    return true;
}

bool kg_events_sort_impacts(kugel_world *world, kg_event_set *set)
{
    return sort_impacts(world, set->impacts, set->impact_count);
}

static uint64_t sum_key(const void *item, int part)
{
    const kugel_impulse_sum *s = item;
    return part == 0 ? (uint64_t)s->target << 32 | s->index : kugel_body_id(s->a);
}

int kg_events_compare_sums(const void *a, const void *b)
{
    for (int part = 1; part >= 0; --part) {
        uint64_t of_a = sum_key(a, part), of_b = sum_key(b, part);
        if (of_a != of_b) return of_a < of_b ? -1 : 1;
    }
    return 0;
}

static void add_sum(kugel_impulse_sum *to, const kugel_impulse_sum *s)
{
    for (int k = 0; k < 3; ++k) {
        to->impulse[k] += s->impulse[k];
        to->angular_impulse[k] += s->angular_impulse[k];
    }
    to->along += s->along;
    to->friction += s->friction;
    to->impacts += s->impacts;
}

/* Sort the exchanges by pair, each pair's in the order of time, and make one row of each pair. */
static bool sort_sums(kugel_world *world, kg_event_set *set)
{
    kugel_impulse_sum *sums = set->sums;
    size_t count = 0;
    if (!sort_by_keys(world, sums, sizeof *sums, set->sum_count, 2, sum_key)) return false;
    for (size_t k = 0; k < set->sum_count; ++k) {
        kugel_impulse_sum *last = count ? &sums[count - 1] : NULL;
        if (last && kg_events_compare_sums(last, &sums[k]) == 0) add_sum(last, &sums[k]);
        else sums[count++] = sums[k];
    }
    set->sum_count = count;
    return true;
}

bool kg_events_sort(kugel_world *world)
{
    kg_event_set *set = &world->events.pending;
    return kg_events_sort_impacts(world, set) &&
           sort_touches(world, set->begins, set->begin_count) &&
           sort_touches(world, set->ends, set->end_count) &&
           sort_sleep_events(world, KG_REST_SLEEP) && sort_sleep_events(world, KG_REST_WAKE) &&
           sort_by_keys(world, set->sensor_events, sizeof *set->sensor_events,
                        set->sensor_event_count, 2, sensor_event_key) &&
           sort_sums(world, set);
}
