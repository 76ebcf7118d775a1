/* Impacts at exactly one instant. Those that share no body go in the order of ids: it cannot matter.
 * Where some share a body, the order would decide what happens, and ids must not: the strongest
 * approach goes first, and those as strong as it, to rounding, go together (together.c); the others
 * are looked at again after it. For equal balls in a line this is every order's result.
 * In: the earliest event and those at the same time. Order: ids. Cost: a sort of the events' bodies. */
#include "base/sort.h"
#include "impact/collision.h"

/* Approaches that differ by no more than this share are equally strong: rounding of mirror images. */
static const double equally_strong = 1e-9;

typedef struct instant {
    kugel_world *world;
    double time, h;
    kg_event *events;
    uint32_t *group; /* index of an event of the same group, below its own, or its own */
    uint32_t count;
} instant;

static bool movable(const kugel_world *world, uint32_t slot) { return world->bodies.mass[slot] > 0; }

/* Slots of the bodies that an event moves; their number. */
static uint32_t moved_by(const kugel_world *world, const kg_event *e, uint32_t slots[2])
{
    uint32_t n = 0, other = e->b & KG_ENTRY_SLOT;
    if (movable(world, e->a)) slots[n++] = e->a;
    if (e->kind == KG_EVENT_BODY && movable(world, other)) slots[n++] = other;
    return n;
}

/* The pair of an event and its image, whichever body it was predicted for. */
static bool same_pair(const kg_event *e, const kg_event *f)
{
    if (e->kind != f->kind) return false;
    if (e->a == f->a) return (e->b | KG_ENTRY_RESTING) == (f->b | KG_ENTRY_RESTING);
    uint32_t back = f->a | (26 - (f->b >> KG_ENTRY_IMAGE_SHIFT)) << KG_ENTRY_IMAGE_SHIFT;
    return e->kind == KG_EVENT_BODY && e->a == (f->b & KG_ENTRY_SLOT) &&
           (e->b & ~KG_ENTRY_RESTING) == back;
}

/* A pair that was predicted for both of its bodies is one event: how often it stands in the queue is a matter of caches. Its doubles
 * follow one another, in the queue's order. */
static bool collect(instant *now, const kg_event *first)
{
    kg_impact_stage *stage = now->world->impact;
    kg_memory *memory = &now->world->memory;
    kg_event next = *first;
    do {
        size_t need = (size_t)now->count + 1;
        if (!kg_column_reserve(memory, &stage->columns[KG_COLUMN_INSTANT], sizeof next, need, now->count)) return false;
        now->events = stage->columns[KG_COLUMN_INSTANT].data;
        now->events[now->count] = next;
        now->count += now->count == 0 || !same_pair(&now->events[now->count - 1], &next);
    } while (kg_queue_pop_at(now->world, now->time, &next));
    return true;
}

static uint32_t root(uint32_t *group, uint32_t k)
{
    while (group[k] != k) k = group[k] = group[group[k]];
    return k;
}

/* Events that share bodies, directly or through others, into one group. */
static bool make_groups(instant *now)
{
    size_t most = 2 * (size_t)now->count, n = 0;
    kg_column *column = &now->world->impact->columns[KG_COLUMN_GROUPS];
    size_t item = 2 * sizeof(uint64_t) + 3 * sizeof(uint32_t); /* keys, values, scratch of both, group */
    if (!kg_column_reserve(&now->world->memory, column, item, most, 0)) return false;
    uint64_t *keys = column->data, *key_scratch = keys + most;
    uint32_t *event = (uint32_t *)(void *)(key_scratch + most), *scratch = event + most;
    now->group = scratch + most;
    for (uint32_t k = 0; k < now->count; ++k) {
        uint32_t slots[2], moved = moved_by(now->world, &now->events[k], slots);
        now->group[k] = k;
        for (uint32_t s = 0; s < moved; ++s) keys[n] = slots[s], event[n++] = k;
    }
    kg_sort_u64(keys, event, key_scratch, scratch, n);
    for (size_t s = 1; s < n; ++s) {
        if (keys[s] != keys[s - 1]) continue;
        uint32_t p = root(now->group, event[s - 1]), q = root(now->group, event[s]);
        if (p < q) now->group[q] = p;
        else now->group[p] = q;
    }
    return true;
}

static kugel_status single(instant *now, const kg_event *e)
{
    if (!kg_queue_is_true(now->world, e)) return KUGEL_OK; /* a double of one that was resolved */
    kugel_status status = kg_resolve(now->world, e);
    if (status) return status;
    bool ok = e->kind == KG_EVENT_BODY ? kg_predict_both(now->world, e->a, e->b & KG_ENTRY_SLOT, now->time, now->h)
                                       : kg_predict_again(now->world, e->a, now->time, now->h);
    return ok ? KUGEL_OK : KUGEL_ERROR_OUT_OF_MEMORY;
}

/* Of a group the strongest events, each pair once, moved to the front; their number. */
static uint32_t strongest(const kugel_world *world, kg_event *events, uint32_t count)
{
    double most = 0;
    for (uint32_t k = 0; k < count; ++k) {
        kg_collision hit;
        kg_collision_of(world, &events[k], &hit);
        if (!kg_collision_rests(&hit) && hit.approach > most) most = hit.approach;
    }
    uint32_t n = 0;
    for (uint32_t k = 0; k < count && most > 0; ++k) {
        kg_collision hit;
        kg_collision_of(world, &events[k], &hit);
        bool chosen = !kg_collision_rests(&hit) && hit.approach >= most * (1 - equally_strong);
        for (uint32_t i = 0; i < n; ++i) chosen = chosen && !same_pair(&events[i], &events[k]);
        if (!chosen) continue;
        kg_event swap = events[k];
        for (uint32_t i = k; i > n; --i) events[i] = events[i - 1]; /* the rest keeps its order */
        events[n++] = swap;
    }
    return n;
}

/* Everything that the bodies of these events can meet now, each body once. */
static bool predict_all(instant *now, const kg_event *events, uint32_t count)
{
    uint32_t seen[2 * KG_TOGETHER_MOST], n = 0;
    for (uint32_t k = 0; k < count; ++k) {
        uint32_t slots[2], moved = moved_by(now->world, &events[k], slots);
        for (uint32_t s = 0; s < moved; ++s) {
            bool known = false;
            for (uint32_t i = 0; i < n; ++i) known = known || seen[i] == slots[s];
            if (known) continue;
            seen[n++] = slots[s];
            if (!kg_predict_again(now->world, slots[s], now->time, now->h)) return false;
        }
    }
    return true;
}

/* Each body once. */
static bool go_on(instant *now, kg_collision *hits, uint32_t count)
{
    for (uint32_t k = 0; k < count; ++k) {
        for (uint32_t e = 0; e < k; ++e) {
            const kg_side *done[2] = {&hits[e].a, &hits[e].b};
            for (int s = 0; s < 2; ++s) {
                if (done[s]->held && done[s]->slot == hits[k].a.slot) hits[k].a.held = false;
                if (done[s]->held && done[s]->slot == hits[k].b.slot) hits[k].b.held = false;
            }
        }
    }
    bool ok = true;
    for (uint32_t k = 0; k < count && ok; ++k) ok = kg_collision_go_on(now->world, &hits[k], now->time);
    return ok;
}

static uint32_t *impacts_of(kugel_world *world, const kg_side *side)
{
    return side->slot == KG_NONE ? NULL : &world->work.impacts[side->slot];
}

/* The collisions of these events, counted against the budgets of their bodies; `counts` is what those were before. */
static void spend_all(kugel_world *world, double time, const kg_event *events, uint32_t count, kg_collision *hits, uint32_t (*counts)[2])
{
    for (uint32_t k = 0; k < count; ++k) {
        kg_collision_of(world, &events[k], &hits[k]);
        kg_collision_find_lead(world, &hits[k], time);
        const uint32_t *a = impacts_of(world, &hits[k].a), *b = impacts_of(world, &hits[k].b);
        counts[k][0] = a ? *a : 0;
        counts[k][1] = b ? *b : 0;
        kg_collision_spend(world, &hits[k]);
    }
}

static void unspend_all(kugel_world *world, const kg_collision *hits, uint32_t count, uint32_t (*counts)[2])
{
    while (count-- > 0) {
        uint32_t *a = impacts_of(world, &hits[count].a), *b = impacts_of(world, &hits[count].b);
        if (a) *a = counts[count][0];
        if (b) *b = counts[count][1];
    }
}

/* Resolve the `count` strongest of a group. Where no impulses do that at once only the first is resolved, and nothing has
 * happened to the others: a budget that was charged for them would change what is predicted of bodies that are not
 * predicted again. `*resolved` is how many were. */
static kugel_status together(instant *now, const kg_event *events, uint32_t count, uint32_t *resolved)
{
    kugel_world *world = now->world;
    kg_collision hits[KG_TOGETHER_MOST];
    uint32_t counts[KG_TOGETHER_MOST][2];
    uint64_t exhausted = world->work.budgets_exhausted;
    spend_all(world, now->time, events, count, hits, counts);
    *resolved = count;
    if (!kg_collide_together(world, hits, count, now->time)) {
        unspend_all(world, hits, count, counts);
        world->work.budgets_exhausted = exhausted;
        *resolved = 1;
        return single(now, events);
    }
    if (!go_on(now, hits, count)) return KUGEL_ERROR_OUT_OF_MEMORY;
    for (uint32_t k = 0; k < count; ++k) {
        if (!(hits[k].impulse > 0)) continue; /* the others part these two */
        kugel_status status = kg_collision_report(world, &hits[k], now->time);
        if (status) return status;
    }
    return predict_all(now, events, count) ? KUGEL_OK : KUGEL_ERROR_OUT_OF_MEMORY;
}

/* Does a chain of impacts reach a copy? A zone does not know how far it goes on there. */
static bool reaches_out(const instant *now, const kg_event *events, uint32_t count)
{
    bool chain = false, out = false;
    for (uint32_t k = 0; k < count; ++k) {
        uint32_t slots[2], moved = moved_by(now->world, &events[k], slots);
        chain |= !same_pair(&events[0], &events[k]);
        for (uint32_t s = 0; s < moved; ++s) out |= kg_is_copy(now->world->impact, slots[s]);
    }
    return chain && out;
}

static kugel_status resolve_group(instant *now, kg_event *events, uint32_t count)
{
    kugel_status status = KUGEL_OK;
    if (now->world->impact->copies_from && reaches_out(now, events, count)) {
        now->world->grid->dense.leave = true;
        return KUGEL_OK;
    }
    if (count > KG_TOGETHER_MOST) {
        for (uint32_t k = 0; k < count && !status; ++k) status = single(now, &events[k]);
        return status;
    }
    uint32_t n = count > 1 ? strongest(now->world, events, count) : 1, resolved = 1;
    status = n > 1 ? together(now, events, n, &resolved) : single(now, events);
    for (uint32_t k = resolved; k < count && !status; ++k) {
        bool still_true = kg_queue_is_true(now->world, &events[k]);
        if (still_true && !kg_queue_push(now->world, &events[k])) status = KUGEL_ERROR_OUT_OF_MEMORY;
    }
    return status;
}

/* Events of a group side by side, groups in the order of their first events. */
static bool order_groups(instant *now)
{
    kg_impact_stage *stage = now->world->impact;
    size_t n = now->count;
    kg_column *column = &stage->columns[KG_COLUMN_GROUPS]; /* two entries an event: room enough for one */
    uint64_t *keys = column->data, *key_scratch = keys + n;
    uint32_t *order = (uint32_t *)(void *)(key_scratch + n), *scratch = order + n;
    if (!kg_column_reserve(&now->world->memory, &stage->columns[KG_COLUMN_INSTANT], sizeof *now->events, 2 * n, n)) {
        return false;
    }
    now->events = stage->columns[KG_COLUMN_INSTANT].data;
    for (uint32_t k = 0; k < n; ++k) keys[k] = root(now->group, k), order[k] = k;
    kg_sort_u64(keys, order, key_scratch, scratch, n);
    for (uint32_t k = 0; k < n; ++k) now->events[n + k] = now->events[order[k]];
    for (uint32_t k = 0; k < n; ++k) now->group[k] = (uint32_t)keys[k];
    now->events += n;
    return true;
}

kugel_status kg_resolve_instant(kugel_world *world, const kg_event *first, double h)
{
    instant now = {.world = world, .time = first->time, .h = h};
    if (!collect(&now, first) || !make_groups(&now) || !order_groups(&now)) return KUGEL_ERROR_OUT_OF_MEMORY;
    for (uint32_t k = 0, end; k < now.count; k = end) {
        for (end = k + 1; end < now.count && now.group[end] == now.group[k];) ++end;
        kugel_status status = resolve_group(&now, now.events + k, end - k);
        if (status) return status;
    }
    return KUGEL_OK;
}
