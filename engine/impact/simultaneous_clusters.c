/* Simultaneous impacts: all impacts at exactly one time, divided into clusters that share bodies.
 * Clusters are independent and are handled in the order of their first events. Inside a cluster the
 * result must not depend on ids: the strongest approaches, equal up to rounding, are resolved
 * simultaneously (simultaneous_solve.c), and the other events return to the queue. For equal balls
 * in a line, impacts one by one in any order give the same result. Cost: a sort of the events'
 * bodies. */
#include "base/sort.h"
#include "base/union_find.h"
#include "impact/collision.h"
#include "impact/queue.h"

/* Approaches with a smaller relative difference count as equal; mirror images differ by
 * rounding. */
static const double equally_strong = 1e-9;

typedef struct simultaneous_events {
    kugel_world *world;
    double time;
    kg_event *events;
    kg_event *clustered; /* the events again, those of each cluster adjacent */
    /* Union-find parent of each event: an index not above the event's own; later the root. */
    uint32_t *cluster;
    uint32_t count;
} simultaneous_events;

/* True for dynamic bodies, awake or asleep. */
static bool movable(const kugel_world *world, uint32_t slot)
{
    return world->bodies.mass[slot] > 0;
}

/* Collect the slots of the dynamic bodies of an event; return their number. */
static uint32_t movable_bodies_of(const kugel_world *world, const kg_event *e, uint32_t slots[2])
{
    uint32_t n = 0, other = e->b & KG_NEIGHBOUR_SLOT;
    if (movable(world, e->a)) slots[n++] = e->a;
    if (e->kind == KG_EVENT_BODY && movable(world, other)) slots[n++] = other;
    return n;
}

/* True when both events are of the same pair and periodic image; each may be stored for either
 * body. Seen from the other body the image has the opposite code, 26 less the code: codes 0 ... 26
 * have KG_IMAGE_NONE in the middle. */
static bool same_pair(const kg_event *e, const kg_event *f)
{
    if (e->kind != f->kind) return false;
    if (e->kind != KG_EVENT_BODY) return e->a == f->a && e->b == f->b;
    if (e->a == f->a) return (e->b | KG_NEIGHBOUR_RESTING) == (f->b | KG_NEIGHBOUR_RESTING);
    uint32_t back = f->a | (26 - (f->b >> KG_NEIGHBOUR_IMAGE_SHIFT)) << KG_NEIGHBOUR_IMAGE_SHIFT;
    return e->a == (f->b & KG_NEIGHBOUR_SLOT) && (e->b & ~KG_NEIGHBOUR_RESTING) == back;
}

/* Collect all valid events of this time. A pair may be in the queue twice, once for each body;
 * whether it is there twice depends on caches. Adjacent duplicates are dropped here, others by
 * move_strongest_first. */
static bool collect_simultaneous(simultaneous_events *all, const kg_event *first)
{
    kg_impact_stage *stage = all->world->impact;
    kg_memory *memory = &all->world->memory;
    kg_event next = *first;
    do {
        size_t need = (size_t)all->count + 1;
        if (!KG_RESERVE(memory, &stage->columns[KG_COLUMN_SIMULTANEOUS], all->events, need,
                        all->count))
            return false;
        all->events[all->count] = next;
        all->count += all->count == 0 || !same_pair(&all->events[all->count - 1], &next);
    } while (kg_queue_pop_at(all->world, all->time, &next));
    return true;
}

/* Join events that share bodies, directly or through others, into clusters. */
static bool make_clusters(simultaneous_events *all)
{
    size_t most = 2 * (size_t)all->count, n = 0;
    kg_memory *memory = &all->world->memory;
    kg_scratch *scratch = &all->world->impact->scratch;
    kg_sort_arrays s;
    all->cluster = kg_scratch_take(memory, scratch, sizeof *all->cluster, all->count);
    if (!all->cluster || !kg_sort_take(memory, scratch, most, &s)) return false;
    for (uint32_t k = 0; k < all->count; ++k) {
        uint32_t slots[2], moved = movable_bodies_of(all->world, &all->events[k], slots);
        all->cluster[k] = k;
        for (uint32_t m = 0; m < moved; ++m) s.keys[n] = slots[m], s.values[n++] = k;
    }
    kg_sort(&s, n);
    for (size_t k = 1; k < n; ++k) {
        if (s.keys[k] != s.keys[k - 1]) continue;
        uint32_t p = kg_root(all->cluster, s.values[k - 1]), q = kg_root(all->cluster, s.values[k]);
        if (p < q) all->cluster[q] = p;
        else all->cluster[p] = q;
    }
    return true;
}

static kugel_status resolve_one(simultaneous_events *all, const kg_event *e)
{
    /* another event may have changed the motion of a body */
    return kg_queue_is_valid(all->world, e) ? kg_impact_resolve_and_predict(all->world, e)
                                            : KUGEL_OK;
}

/* Approach of an event, m/s; 0 where the pair begins to rest. */
static double event_approach(const kugel_world *world, const kg_event *e)
{
    kg_collision hit;
    kg_collision_from_event(world, e, &hit);
    return kg_collision_begins_rest(&hit) ? 0 : hit.approach;
}

/* Move the events with the strongest approach to the front, each pair once; return their number: 0
 * if no pair approaches, as where pairs only begin to rest. `count`: at most
 * KG_SIMULTANEOUS_MAX. */
static uint32_t move_strongest_first(const kugel_world *world, kg_event *events, uint32_t count)
{
    double approach[KG_SIMULTANEOUS_MAX], most = 0;
    for (uint32_t k = 0; k < count; ++k) {
        approach[k] = event_approach(world, &events[k]);
        most = approach[k] > most ? approach[k] : most;
    }
    uint32_t n = 0;
    for (uint32_t k = 0; k < count && most > 0; ++k) {
        bool chosen = approach[k] >= most * (1 - equally_strong);
        for (uint32_t i = 0; i < n; ++i) chosen = chosen && !same_pair(&events[i], &events[k]);
        if (!chosen) continue;
        kg_event swap = events[k];
        /* the others keep their order */
        for (uint32_t i = k; i > n; --i) events[i] = events[i - 1];
        events[n++] = swap;
    }
    return n;
}

/* Predict the next events of all bodies of these events, each body once. */
static bool repredict_all(simultaneous_events *all, const kg_event *events, uint32_t count)
{
    uint32_t predicted[2 * KG_SIMULTANEOUS_MAX], n = 0;
    for (uint32_t k = 0; k < count; ++k) {
        uint32_t slots[2], moved = movable_bodies_of(all->world, &events[k], slots);
        for (uint32_t s = 0; s < moved; ++s) {
            bool done = false;
            for (uint32_t i = 0; i < n; ++i) done = done || predicted[i] == slots[s];
            if (done) continue;
            predicted[n++] = slots[s];
            if (!kg_impact_repredict(all->world, slots[s], all->time)) return false;
        }
    }
    return true;
}

/* Let bodies that part from their supports fall freely, each body once. */
static bool release_parting(simultaneous_events *all, kg_collision *hits, uint32_t count)
{
    for (uint32_t k = 0; k < count; ++k) {
        for (uint32_t e = 0; e < k; ++e) {
            const kg_side *done[2] = {&hits[e].a, &hits[e].b};
            for (int s = 0; s < 2; ++s) {
                if (done[s]->anticipated.known && done[s]->slot == hits[k].a.slot)
                    hits[k].a.anticipated.known = false;
                if (done[s]->anticipated.known && done[s]->slot == hits[k].b.slot)
                    hits[k].b.anticipated.known = false;
            }
        }
    }
    bool ok = true;
    for (uint32_t k = 0; k < count && ok; ++k)
        ok = kg_collision_release_parting(all->world, &hits[k], all->time);
    return ok;
}

static kg_impact_load *load_of(kugel_world *world, const kg_side *side)
{
    return side->slot == KG_NONE ? NULL : &world->work.impact_load[side->slot];
}

/* Fill in the collisions and charge budgets. Each before[k] receives the loads of both bodies
 * before charge k. */
static void charge_all(kugel_world *world, double time, const kg_event *events, uint32_t count,
                       kg_collision *hits, kg_impact_load (*before)[2])
{
    for (uint32_t k = 0; k < count; ++k) {
        kg_collision_from_event(world, &events[k], &hits[k]);
        kg_collision_find_anticipated(world, &hits[k], time);
        const kg_impact_load *a = load_of(world, &hits[k].a), *b = load_of(world, &hits[k].b);
        before[k][0] = a ? *a : (kg_impact_load){0};
        before[k][1] = b ? *b : (kg_impact_load){0};
        kg_collision_decide_restitution(world, &hits[k]);
    }
}

/* Restore the loads of all bodies, in the reverse order of the charges. */
static void refund_all(kugel_world *world, const kg_collision *hits, uint32_t count,
                       kg_impact_load (*before)[2])
{
    while (count-- > 0) {
        kg_impact_load *a = load_of(world, &hits[count].a), *b = load_of(world, &hits[count].b);
        if (a) *a = before[count][0];
        if (b) *b = before[count][1];
    }
}

/* Resolve the `count` strongest events of a cluster; `*resolved` is the number of resolved events.
 * If they have no simultaneous solution, or it has no impulse, only the first is resolved. The
 * budgets of the others are restored then: predictions depend on budgets, and these bodies are not
 * predicted again. */
static kugel_status resolve_strongest(simultaneous_events *all, const kg_event *events,
                                      uint32_t count, uint32_t *resolved)
{
    kugel_world *world = all->world;
    kg_collision hits[KG_SIMULTANEOUS_MAX];
    kg_impact_load before[KG_SIMULTANEOUS_MAX][2];
    kg_impact_tally tally = world->work.tally;
    charge_all(world, all->time, events, count, hits, before);
    *resolved = count;
    if (!kg_simultaneous_solve(world, hits, count, all->time)) {
        refund_all(world, hits, count, before);
        world->work.tally = tally;
        *resolved = 1;
        return resolve_one(all, events);
    }
    if (!release_parting(all, hits, count)) return KUGEL_ERROR_OUT_OF_MEMORY;
    for (uint32_t k = 0; k < count; ++k) {
        kg_resolve_count_event(world, &events[k]);
        if (!(hits[k].impulse > 0)) continue; /* the other impulses separate this pair */
        kugel_status status = kg_collision_finish(world, &hits[k], all->time);
        if (status) return status;
    }
    return repredict_all(all, events, count) ? KUGEL_OK : KUGEL_ERROR_OUT_OF_MEMORY;
}

/* True when a chain of impacts includes a ghost: it may continue with bodies that are missing. */
static bool chain_reaches_ghost(const simultaneous_events *all, const kg_event *events,
                                uint32_t count)
{
    bool chain = false, ghost = false;
    for (uint32_t k = 0; k < count; ++k) {
        uint32_t slots[2], moved = movable_bodies_of(all->world, &events[k], slots);
        chain |= !same_pair(&events[0], &events[k]);
        for (uint32_t s = 0; s < moved; ++s) ghost |= kg_is_ghost(all->world->impact, slots[s]);
    }
    return chain && ghost;
}

/* Resolve the strongest events of a cluster; the others return to the queue. If no pair approaches,
 * only the first event is resolved. The events of a very large cluster are resolved one by one. */
static kugel_status resolve_cluster(simultaneous_events *all, kg_event *events, uint32_t count)
{
    kugel_status status = KUGEL_OK;
    if (all->world->impact->partial && chain_reaches_ghost(all, events, count))
        return kg_impact_give_up(all->world);
    if (count > KG_SIMULTANEOUS_MAX) {
        for (uint32_t k = 0; k < count && !status; ++k) status = resolve_one(all, &events[k]);
        return status;
    }
    uint32_t n = count > 1 ? move_strongest_first(all->world, events, count) : 1, resolved = 1;
    status = n > 1 ? resolve_strongest(all, events, n, &resolved) : resolve_one(all, events);
    for (uint32_t k = resolved; k < count && !status; ++k) {
        bool still_true = kg_queue_is_valid(all->world, &events[k]);
        if (still_true && !kg_queue_push(all->world, &events[k]))
            status = KUGEL_ERROR_OUT_OF_MEMORY;
    }
    return status;
}

/* Fill all->clustered; clusters are in order of their first events. */
static bool order_clusters(simultaneous_events *all)
{
    kg_impact_stage *stage = all->world->impact;
    size_t n = all->count;
    kg_memory *memory = &all->world->memory;
    kg_sort_arrays s;
    if (!kg_sort_take(memory, &stage->scratch, n, &s) ||
        !KG_RESERVE(memory, &stage->columns[KG_COLUMN_SIMULTANEOUS], all->events, 2 * n, n))
        return false;
    for (uint32_t k = 0; k < n; ++k) s.keys[k] = kg_root(all->cluster, k), s.values[k] = k;
    kg_sort(&s, n);
    all->clustered = all->events + n;
    for (uint32_t k = 0; k < n; ++k) all->clustered[k] = all->events[s.values[k]];
    for (uint32_t k = 0; k < n; ++k) all->cluster[k] = (uint32_t)s.keys[k];
    return true;
}

static kugel_status resolve_all(simultaneous_events *all, const kg_event *first)
{
    if (!collect_simultaneous(all, first) || !make_clusters(all) || !order_clusters(all))
        return KUGEL_ERROR_OUT_OF_MEMORY;
    for (uint32_t k = 0, end; k < all->count; k = end) {
        for (end = k + 1; end < all->count && all->cluster[end] == all->cluster[k];) ++end;
        kugel_status status = resolve_cluster(all, all->clustered + k, end - k);
        if (status) return status;
    }
    return KUGEL_OK;
}

kugel_status kg_impact_resolve_simultaneous(kugel_world *world, const kg_event *first)
{
    simultaneous_events all = {.world = world, .time = first->time};
    kg_scratch *scratch = &world->impact->scratch;
    kg_scratch_mark mark = kg_scratch_top(scratch);
    kugel_status status = resolve_all(&all, first);
    kg_scratch_release(&world->memory, scratch, mark);
    return status;
}
