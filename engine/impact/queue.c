/* The event queue: a calendar queue whose current bucket is a binary heap. Order: time, kind, ids.
 * Cost: constant per push and pop while buckets are small. During a prediction pass, tasks write
 * events to parts of the pool instead; an event that does not fit is only counted, and its part is
 * predicted again (window_predict.c). For all other events the pool grows; functions return false
 * when out of memory. A pool that has grown too large ends the window (max_pool_events in
 * impact_stage.c). */
#include "base/compiler.h"
#include "base/wide.h"
#include "impact/prefetch.h"
#include "impact/queue.h"

#include <string.h>

/* Number of bodies whose data fit into the private caches of a core; larger worlds prefetch. */
enum { CACHED = 1 << 14 };
/* s; a shorter window counts as this long, so that per_second stays finite */
#define SHORTEST_WINDOW 1e-290

bool kg_queue_begin(kg_memory *memory, kg_impact_stage *stage, double from, double until,
                    uint32_t bodies)
{
    /* one bucket per event of the last window, at most 4 per body (16 bytes) */
    uint64_t most = (uint64_t)bodies * 4 + 64;
    uint64_t want = stage->pushed < most ? stage->pushed : most;
    uint32_t count = 64;
    while (count < want) count *= 2;
    kg_column *columns = stage->columns;
    if (!KG_RESERVE(memory, &columns[KG_COLUMN_BUCKETS], stage->bucket, count, 0) ||
        !KG_RESERVE(memory, &columns[KG_COLUMN_OCCUPIED], stage->occupied, count / 64, 0))
        return false;
    memset(stage->occupied, 0, count / 64 * sizeof *stage->occupied);
    stage->bucket_count = count;
    stage->per_second = count / (until - from > SHORTEST_WINDOW ? until - from : SHORTEST_WINDOW);
    stage->from = from;
    stage->until = until;
    stage->bodies_per_part = 0;
    stage->current = 0;
    stage->prefetches = bodies > CACHED;
    stage->heap_count = 0;
    stage->event_count = 0;
    stage->free_event = KG_NONE;
    stage->pushed = 0;
    return true;
}

static uint32_t bucket_of(const kg_impact_stage *stage, double time)
{
    double b = (time - stage->from) * stage->per_second;
    if (!(b > 0)) return 0; /* rounding may put an event before the window */
    return b >= stage->bucket_count - 1 ? stage->bucket_count - 1 : (uint32_t)b;
}

/* Ids that order events of one time: low and high id of two bodies, or id and boundary number. */
static void event_ids(const kg_bodies *bodies, const kg_event *e, uint32_t *low, uint32_t *high)
{
    uint32_t a = bodies->id[e->a];
    uint32_t b = e->kind == KG_EVENT_BODY ? bodies->id[e->b & KG_NEIGHBOUR_SLOT] : e->b;
    bool swap = e->kind == KG_EVENT_BODY && b < a;
    *low = swap ? b : a;
    *high = swap ? a : b;
}

/* Order two events of one time by kind, ids and periodic image. */
static KG_NOINLINE bool tied_event_precedes(const kugel_world *world, uint32_t left, uint32_t right)
{
    const kg_event *p = &world->impact->events[left], *q = &world->impact->events[right];
    if (p->kind != q->kind) return p->kind < q->kind;
    uint32_t p_low, p_high, q_low, q_high;
    event_ids(&world->bodies, p, &p_low, &p_high);
    event_ids(&world->bodies, q, &q_low, &q_high);
    if (p_low != q_low) return p_low < q_low;
    if (p_high != q_high) return p_high < q_high;
    return (p->b >> KG_NEIGHBOUR_IMAGE_SHIFT) < (q->b >> KG_NEIGHBOUR_IMAGE_SHIFT);
}

static inline bool event_precedes(const kugel_world *world, kg_heap_item left, kg_heap_item right)
{
    if (left.time != right.time) return left.time < right.time;
    return tied_event_precedes(world, left.event, right.event);
}

static bool heap_push(kugel_world *world, uint32_t event, double time)
{
    kg_impact_stage *stage = world->impact;
    size_t need = (size_t)stage->heap_count + 1;
    if (!KG_RESERVE(&world->memory, &stage->columns[KG_COLUMN_HEAP], stage->heap, need,
                    stage->heap_count))
        return false;
    kg_heap_item *heap = stage->heap, item = {time, event, 0};
    uint32_t at = stage->heap_count++;
    while (at > 0 && event_precedes(world, item, heap[(at - 1) / 2])) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = item;
    return true;
}

static uint32_t heap_pop(kugel_world *world)
{
    kg_impact_stage *stage = world->impact;
    kg_heap_item *heap = stage->heap;
    uint32_t top = heap[0].event, count = --stage->heap_count, at = 0;
    kg_heap_item last = heap[count];
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= count) break;
        if (child + 1 < count && event_precedes(world, heap[child + 1], heap[child])) ++child;
        if (!event_precedes(world, heap[child], last)) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return top;
}

bool kg_queue_is_valid(const kugel_world *world, const kg_event *e)
{
    const uint32_t *version = world->work.motion_version;
    if (version[e->a] != e->version_a) return false;
    return e->kind != KG_EVENT_BODY || version[e->b & KG_NEIGHBOUR_SLOT] == e->version_b;
}

static void recycle_event(kg_impact_stage *stage, uint32_t event)
{
    stage->events[event].next = stage->free_event;
    stage->free_event = event;
}

static inline void link_event(kg_impact_stage *stage, uint32_t event, uint32_t bucket)
{
    stage->events[event].next = kg_queue_head(stage, bucket);
    stage->occupied[bucket / 64] |= (uint64_t)1 << bucket % 64;
    stage->bucket[bucket] = event;
    stage->pushed += 1;
}

bool kg_queue_open_parts(kugel_world *world, uint32_t parts, uint32_t bodies)
{
    kg_impact_stage *stage = world->impact;
    kg_column *columns = stage->columns;
    stage->part_capacity =
        stage->part_count_max ? stage->part_count_max + stage->part_count_max / 4 + 32 : bodies / 2;
    if ((uint64_t)parts * stage->part_capacity >= KG_NONE) return false;
    if (!KG_RESERVE(&world->memory, &columns[KG_COLUMN_PARTS], stage->parts, parts, 0) ||
        !KG_RESERVE(&world->memory, &columns[KG_COLUMN_EVENTS], stage->events,
                    (size_t)parts * stage->part_capacity, 0))
        return false;
    stage->event_count = parts * stage->part_capacity;
    stage->part_count = parts;
    stage->bodies_per_part = bodies;
    memset(stage->parts, 0, parts * sizeof *stage->parts);
    return true;
}

/* Place for an event in the part of body a; NULL when the part is full. Counts the event in both
 * cases. */
static kg_event *part_slot(kg_impact_stage *stage, uint32_t a)
{
    uint32_t part = a / stage->bodies_per_part, at = stage->parts[part].count++;
    return at < stage->part_capacity ? &stage->events[part * stage->part_capacity + at] : NULL;
}

bool kg_queue_part_overflowed(const kugel_world *world, uint32_t part)
{
    const kg_impact_stage *stage = world->impact;
    return stage->parts[part].count > stage->part_capacity;
}

void kg_queue_close_parts(kugel_world *world)
{
    kg_impact_stage *stage = world->impact;
    stage->part_count_max = 1;
    for (uint32_t p = stage->part_count; p-- > 0;) {
        if (stage->parts[p].count > stage->part_count_max)
            stage->part_count_max = stage->parts[p].count;
        uint32_t count = kg_queue_part_overflowed(world, p) ? 0 : stage->parts[p].count,
                 first = p * stage->part_capacity;
        for (uint32_t k = stage->part_capacity; k-- > count;) recycle_event(stage, first + k);
        for (uint32_t k = count; k-- > 0;)
            link_event(stage, first + k, bucket_of(stage, stage->events[first + k].time));
    }
    stage->bodies_per_part = 0;
}

/* Index of a free event in the pool; KG_NONE when out of memory. */
static inline uint32_t allocate_event(kugel_world *world)
{
    kg_impact_stage *stage = world->impact;
    uint32_t at = stage->free_event;
    if (at != KG_NONE) {
        stage->free_event = stage->events[at].next;
        return at;
    }
    size_t need = (size_t)stage->event_count + 1;
    return KG_RESERVE(&world->memory, &stage->columns[KG_COLUMN_EVENTS], stage->events, need,
                      stage->event_count)
               ? stage->event_count++
               : KG_NONE;
}

/* Add an event to the queue, or in a prediction pass to the part of its body a. False when out of
 * memory. The event is passed by value, so that the compiler writes its fields directly to their
 * place: copying a structure right after writing its fields stalls on store forwarding. */
KG_INLINE bool add_event(kugel_world *world, kg_event event)
{
    kg_impact_stage *stage = world->impact;
    if (event.time >= stage->until && stage->until < stage->h) return true;
    if (stage->bodies_per_part) {
        kg_event *out = part_slot(stage, event.a);
        if (out) *out = event;
        return true;
    }
    uint32_t at = allocate_event(world), bucket = bucket_of(stage, event.time);
    if (at == KG_NONE) return false;
    stage->events[at] = event;
    if (bucket >= stage->current) {
        link_event(stage, at, bucket);
        return true;
    }
    stage->pushed += 1;
    return heap_push(world, at, event.time);
}

bool kg_queue_push(kugel_world *world, const kg_event *event) { return add_event(world, *event); }

bool kg_queue_push_predicted(kugel_world *world, double time, uint32_t a, uint32_t b, uint32_t kind)
{
    const uint32_t *version = world->work.motion_version;
    return add_event(world, (kg_event){time, a, b, version[a],
                                       kind == KG_EVENT_BODY ? version[b & KG_NEIGHBOUR_SLOT] : 0,
                                       kind, KG_NONE});
}

/* The next occupied bucket, or bucket_count. In large worlds it visits all buckets on the way, to
 * prefetch. */
static uint32_t next_occupied(kugel_world *world)
{
    kg_impact_stage *stage = world->impact;
    for (; stage->prefetches && stage->current < stage->bucket_count; ++stage->current) {
        kg_prefetch_buckets(world);
        if (kg_queue_head(stage, stage->current) != KG_NONE) return stage->current;
    }
    for (uint32_t at = stage->current; at < stage->bucket_count; at = (at | 63) + 1) {
        uint64_t later = stage->occupied[at / 64] >> at % 64;
        if (later) return at + (uint32_t)kg_lowest_bit64(later);
    }
    return stage->bucket_count;
}

/* The earliest event, valid or not; the heap must be empty. KG_NONE at the end of the window or,
 * with *ok false, when out of memory. If a bucket holds several events, its valid ones go to the
 * heap. */
static uint32_t next_event(kugel_world *world, bool *ok)
{
    kg_impact_stage *stage = world->impact;
    while (!stage->heap_count) {
        uint32_t at = next_occupied(world);
        if (at == stage->bucket_count) return KG_NONE;
        stage->current = at + 1;
        uint32_t e = stage->bucket[at];
        if (stage->events[e].next == KG_NONE) return e;
        for (uint32_t next; e != KG_NONE; e = next) {
            next = stage->events[e].next;
            if (!kg_queue_is_valid(world, &stage->events[e])) {
                recycle_event(stage, e);
            } else if (!heap_push(world, e, stage->events[e].time)) {
                *ok = false;
                return KG_NONE;
            }
        }
    }
    return heap_pop(world);
}

/* True if a face hides the edge, vertex or shape that the body meets. This is tested only when the
 * event is due, since most predicted events never are. */
static bool is_hidden(const kugel_world *world, const kg_event *e)
{
    double x[3];
    if (e->kind != KG_EVENT_BOUNDARY || !kg_boundary_is_curved(world, e->b)) return false;
    kg_work_position_at(&world->work, e->a, e->time, x);
    return kg_neighbours_is_hidden(world, e->a, e->b, e->time, x);
}

static bool is_due(const kugel_world *world, const kg_event *e)
{
    return kg_queue_is_valid(world, e) && !is_hidden(world, e);
}

bool kg_queue_pop(kugel_world *world, kg_event *event, bool *ok)
{
    kg_impact_stage *stage = world->impact;
    for (;;) {
        uint32_t top = stage->heap_count ? heap_pop(world) : next_event(world, ok);
        if (top == KG_NONE) return false;
        *event = stage->events[top];
        recycle_event(stage, top);
        if (is_due(world, event)) return true;
    }
}

bool kg_queue_has_simultaneous(const kugel_world *world, double time)
{
    const kg_impact_stage *stage = world->impact;
    if (!stage->heap_count || stage->heap[0].time != time) return false;
    uint32_t kind = stage->events[stage->heap[0].event].kind;
    return kind == KG_EVENT_BODY || kind == KG_EVENT_BOUNDARY;
}

bool kg_queue_pop_at(kugel_world *world, double time, kg_event *event)
{
    while (kg_queue_has_simultaneous(world, time)) {
        uint32_t top = heap_pop(world);
        *event = world->impact->events[top];
        recycle_event(world->impact, top);
        if (is_due(world, event)) return true;
    }
    return false;
}
