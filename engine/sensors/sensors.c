/* The sensor stage: the table of pairs inside, the search for sensors near a path, and events.
 * Input, output and cost: see sensors.h. Order: none; events are sorted at the end of the step. */
#include "sensors/sensors.h"

#include "base/assert.h"
#include "base/sort.h"
#include "base/vec.h"
#include "geometry/sweep_linear.h"
#include "sensors/sensor_pair.h"
#include "world/periodic.h"

void kg_sensors_free(kg_memory *memory, kg_sensors *sensors)
{
    kg_columns_free(memory, sensors->columns, KG_SENSOR_COLUMNS);
}

/* True if the sensor s can report the body b: b is no sensor, their filters match, and one of the
 * two can move. */
static bool can_report(const kg_bodies *bodies, uint32_t s, uint32_t b)
{
    const kg_material *m = kg_bodies_material(bodies, s), *n = kg_bodies_material(bodies, b);
    return !n->sensor && kg_bodies_filters_match(m, n) &&
           (bodies->type[s] != KUGEL_STATIC || bodies->type[b] != KUGEL_STATIC);
}

/* From the sensor's centre to the body's between steps, m. */
static void separation(const kugel_world *world, uint32_t s, uint32_t b, double d[3])
{
    const kg_bodies *bodies = &world->bodies;
    for (int k = 0; k < 3; ++k)
        d[k] = kg_periodic_nearest_image(world, k, bodies->x[k][b] - bodies->x[k][s]);
}

bool kg_sensors_contain(const kugel_world *world, uint32_t s, uint32_t b)
{
    const kg_bodies *bodies = &world->bodies;
    double d[3], reach = bodies->radius[s] + bodies->radius[b];
    if (!kg_bodies_is_sensor(bodies, s) || !can_report(bodies, s, b)) return false;
    separation(world, s, b, d);
    return kg_dot3(d, d) <= reach * reach;
}

/* The direction from the sensor's centre to the body's; up if they coincide. */
static void set_normal(const double d[3], double normal[3])
{
    double length = kg_length3(d);
    for (int k = 0; k < 3; ++k) normal[k] = length > 0 ? d[k] / length : (double)(k == 2);
}

static bool note_exit(kugel_world *world, uint32_t s, uint32_t b)
{
    const kg_bodies *bodies = &world->bodies;
    kugel_sensor_event e = {.speed = -0.0};
    double d[3];
    if (!kg_event_log_reserve_left(&world->memory, &world->events, 1)) return false;
    separation(world, s, b, d);
    set_normal(d, e.normal);
    e.sensor = kg_bodies_handle(bodies, s);
    e.body = kg_bodies_handle(bodies, b);
    for (int k = 0; k < 3; ++k) e.point[k] = bodies->x[k][s] + bodies->radius[s] * e.normal[k];
    world->events.left[world->events.left_count++] = e;
    return true;
}

bool kg_sensors_note_exits(kugel_world *world, uint32_t slot)
{
    const kg_bodies *bodies = &world->bodies;
    if (!kg_bodies_any_sensor(bodies) || bodies->placed[slot]) return true;
    bool is_sensor = kg_bodies_is_sensor(bodies, slot);
    size_t before = world->events.left_count;
    for (uint32_t i = 0; i < bodies->count; ++i) {
        uint32_t s = is_sensor ? slot : i, b = is_sensor ? i : slot;
        /* an exit from or of a body that another call has changed is noted already */
        if (bodies->placed[i] || !kg_sensors_contain(world, s, b)) continue;
        if (note_exit(world, s, b)) continue;
        world->events.left_count = before;
        return false;
    }
    return true;
}

void kg_sensors_settle_exits(kugel_world *world)
{
    kg_event_log *log = &world->events;
    for (size_t k = 0; k < log->left_count; ++k) {
        kugel_sensor_event *e = &log->left[k];
        uint32_t s = kg_bodies_find(&world->bodies, e->sensor),
                 b = kg_bodies_find(&world->bodies, e->body);
        e->entered = s != KG_NONE && b != KG_NONE && kg_sensors_contain(world, s, b);
    }
}

/* The key of a pair: the sensor's id in the high 32 bits, the body's in the low ones. */
static uint64_t key_of(const kg_bodies *bodies, uint32_t s, uint32_t b)
{
    return (uint64_t)bodies->id[s] << 32 | bodies->id[b];
}

/* Set in the key of a pair that left in this step. */
static const uint64_t left_flag = (uint64_t)1 << 63;
_Static_assert(KG_BODY_LIMIT <= (uint64_t)1 << 31, "ids leave the flag's bit free");

/* The place of a pair in the table; it is free (0) if the pair has none yet. */
static uint32_t *find_inside(const kg_sensors *set, uint64_t key)
{
    uint32_t at = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32) & set->table_mask;
    while (set->table[at] && (set->inside[set->table[at] - 1] & ~left_flag) != key)
        at = (at + 1) & set->table_mask;
    return &set->table[at];
}

static bool is_inside(const kg_sensors *set, uint64_t key)
{
    uint32_t at = *find_inside(set, key);
    return at && !(set->inside[at - 1] & left_flag);
}

/* Reserve room for `count` pairs and rebuild the table; false when out of memory. */
static bool reserve_inside(kg_memory *memory, kg_sensors *set, size_t count)
{
    size_t places = 64;
    while (places < 2 * count) places *= 2;
    if (!KG_RESERVE(memory, &set->columns[KG_SENSOR_COLUMN_INSIDE], set->inside, places / 2,
                    set->inside_count) ||
        !KG_RESERVE(memory, &set->columns[KG_SENSOR_COLUMN_TABLE], set->table, places, 0))
        return false;
    set->table_mask = (uint32_t)(places - 1);
    memset(set->table, 0, places * sizeof *set->table);
    for (uint32_t k = 0; k < set->inside_count; ++k)
        *find_inside(set, set->inside[k] & ~left_flag) = k + 1;
    return true;
}

static void set_inside(kugel_world *world, uint64_t key, bool inside)
{
    kg_sensors *set = world->sensors;
    uint32_t *at = find_inside(set, key);
    if (*at) {
        set->inside[*at - 1] = inside ? key : key | left_flag;
        return;
    }
    if (set->inside_count == (set->table_mask + 1) / 2) {
        if (set->inside_count > UINT32_MAX / 8 ||
            !reserve_inside(&world->memory, set, (size_t)set->inside_count + 1)) {
            set->failed = true;
            return;
        }
        at = find_inside(set, key);
    }
    set->inside[set->inside_count++] = key;
    *at = set->inside_count;
}

/* Add the event of a body that enters or leaves with the relative motion v, and update the pairs
 * inside. */
static void add_event(kugel_world *world, uint32_t s, uint32_t b, const kg_relative_motion *v,
                      bool entered)
{
    const kg_bodies *bodies = &world->bodies;
    kugel_sensor_event e = {.time = world->sensors->start + v->T, .entered = entered};
    double centre[3];
    kg_work_position_at(&world->work, s, v->T, centre);
    set_normal(v->d, e.normal);
    e.sensor = kg_bodies_handle(bodies, s);
    e.body = kg_bodies_handle(bodies, b);
    for (int k = 0; k < 3; ++k) {
        e.point[k] = centre[k] + world->work.motion[s].radius * e.normal[k];
        e.speed -= v->w[k] * e.normal[k];
    }
    /* A body that a call placed or a contact pushed may enter while it moves outward, or leave
     * while it moves inward. Then the speed is a zero with the sign of entering or leaving. */
    if (!(entered ? e.speed > 0 : e.speed < 0)) e.speed = entered ? 0.0 : -0.0;
    if (!kg_event_set_add_sensor(&world->memory, &world->events.pending, &e))
        world->sensors->failed = true;
    set_inside(world, key_of(&world->bodies, s, b), entered);
}

/* True if a body that was inside stays inside at the start of the path, `now`. Rounding or a
 * position correction may have moved it out of reach; it still counts as inside if it
 * approaches. */
static bool overlap_continues(const kg_sensor_overlaps *overlaps, const kg_relative_motion *now)
{
    if (overlaps->count == 0) return false;
    return overlaps->items[0].in.T == now->T || kg_dot3(now->d, now->w) < 0;
}

/* Add the events of a pair's overlaps on a path that starts at the time `from`. */
static void add_overlap_events(kugel_world *world, uint32_t s, uint32_t b,
                               const kg_sensor_overlaps *overlaps, double from)
{
    bool inside = is_inside(world->sensors, key_of(&world->bodies, s, b));
    if (inside) {
        kg_relative_motion now = kg_sensor_pair_motion(world, s, b, from);
        inside = overlap_continues(overlaps, &now);
        if (!inside) add_event(world, s, b, &now, false);
    }
    for (int k = 0; k < overlaps->count && !world->sensors->failed; ++k) {
        const kg_sensor_overlap *at = &overlaps->items[k];
        if (!inside) add_event(world, s, b, &at->in, true);
        inside = at->continues || (k + 1 < overlaps->count && at[1].in.T <= at->out.T);
        if (!inside && !world->sensors->failed) add_event(world, s, b, &at->out, false);
    }
}

/* Add the events of a pair from the later of their clocks to t. */
static void sweep_pair(kugel_world *world, uint32_t s, uint32_t b, double t)
{
    const kg_motion *motion = world->work.motion;
    double from = motion[s].clock > motion[b].clock ? motion[s].clock : motion[b].clock;
    if (!(t >= from) || !can_report(&world->bodies, s, b)) return;
    kg_sensor_overlaps overlaps;
    kg_sensor_pair_find_overlaps(world, s, b, from, t, &overlaps);
    add_overlap_events(world, s, b, &overlaps, from);
}

/* A box around a body's path from its clock to t. unbounded: all of space instead. */
static void motion_box(const kugel_world *world, uint32_t i, double t, bool unbounded,
                       double low[3], double high[3])
{
    const kg_motion *m = &world->work.motion[i];
    double p[3], q[3], a[3];
    kg_work_position_at(&world->work, i, m->clock, p);
    kg_work_position_at(&world->work, i, t, q);
    kg_work_acceleration(&world->work, i, a);
    for (int k = 0; k < 3; ++k) {
        double bow = 0.5 * fabs(a[k]) * (t - m->clock) * (t - m->clock);
        double wide = m->radius * (1 + 1e-9) + bow + 1e-12 * (fabs(p[k]) + fabs(q[k]));
        low[k] = unbounded ? -KG_NEVER : (p[k] < q[k] ? p[k] : q[k]) - wide;
        high[k] = unbounded ? KG_NEVER : (p[k] < q[k] ? q[k] : p[k]) + wide;
    }
}

/* Sort key: the low end of a sensor's box along x. */
static uint64_t low_end(const void *sensor, int part)
{
    (void)part;
    return kg_sort_key(((const kg_sensor *)sensor)->low[0] + 0.0);
}

/* Set the boxes of all sensors for the path up to h, and sort the sensors by the low ends of the
 * boxes along x; false when out of memory. */
static bool sort_sensors(kugel_world *world, double h)
{
    kg_sensors *set = world->sensors;
    set->max_width = 0;
    set->until = h;
    for (uint32_t k = 0; k < set->count; ++k) {
        kg_sensor *s = &set->items[k];
        motion_box(world, s->slot, h, world->bodies.type[s->slot] == KUGEL_DYNAMIC, s->low,
                   s->high);
        set->max_width = kg_max(s->high[0] - s->low[0], set->max_width);
    }
    return kg_sort_items(&world->memory, &world->scratch, set->items, sizeof *set->items,
                         set->count, 1, low_end);
}

/* True if along some axis no images of the two boxes meet. */
static bool are_apart(const kugel_world *world, const kg_sensor *s, const double low[3],
                      const double high[3])
{
    for (int k = 0; k < 3; ++k) {
        if (s->high[k] >= low[k] && s->low[k] <= high[k]) continue;
        double between = 0.5 * (s->low[k] + s->high[k]) - 0.5 * (low[k] + high[k]),
               reach = 0.5 * (s->high[k] - s->low[k]) + 0.5 * (high[k] - low[k]);
        /* coordinates are below 1e15 m: the rounding is far below the margin of motion_box */
        if (fabs(kg_periodic_nearest_image(world, k, between)) > reach) return true;
    }
    return false;
}

typedef void pair_visitor(kugel_world *world, uint32_t sensor, uint32_t body, double t);

/* Visit the pair of the body b and each sensor whose box meets the box of b's path up to t. */
static void for_sensors_near(kugel_world *world, uint32_t b, double t, pair_visitor *visit)
{
    const kg_sensors *set = world->sensors;
    double low[3], high[3];
    KG_ASSERT(t <= set->until);
    motion_box(world, b, t, false, low, high);
    bool wraps = kg_periodic_length(world, 0) > 0; /* then the order along x does not help */
    uint32_t from = 0, to = wraps ? 0 : set->count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (set->items[middle].low[0] < low[0] - set->max_width) from = middle + 1;
        else to = middle;
    }
    for (; from < set->count && (wraps || set->items[from].low[0] <= high[0]); ++from) {
        if (!are_apart(world, &set->items[from], low, high))
            visit(world, set->items[from].slot, b, t);
    }
}

/* for_sensors_near for every body that is no sensor. */
static void for_all_pairs_near(kugel_world *world, double t, pair_visitor *visit)
{
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (!kg_bodies_is_sensor(&world->bodies, i)) for_sensors_near(world, i, t, visit);
    }
}

/* Note the pair as inside, without an event, if it overlaps and no call has placed either of the
 * two since the last step. */
static void find_inside_at_start(kugel_world *world, uint32_t s, uint32_t b, double t)
{
    kg_relative_motion now = kg_sensor_pair_motion(world, s, b, t);
    bool known = !world->bodies.placed[s] && !world->bodies.placed[b];
    if (known && can_report(&world->bodies, s, b) && kg_sensor_pair_overlaps(&now))
        set_inside(world, key_of(&world->bodies, s, b), true);
}

/* Note the pairs as inside in which a call changed a body or sensor that did not leave. Bodies of
 * other places have no row here. */
static void find_still_inside(kugel_world *world)
{
    const kg_bodies *bodies = &world->bodies;
    for (size_t k = 0; k < world->events.left_count; ++k) {
        const kugel_sensor_event *e = &world->events.left[k];
        uint32_t sensor = kugel_body_id(e->sensor), body = kugel_body_id(e->body);
        if (!e->entered) continue;
        uint32_t s = bodies->slot[sensor], b = bodies->slot[body];
        if (s < bodies->count && b < bodies->count && bodies->id[s] == sensor &&
            bodies->id[b] == body)
            set_inside(world, key_of(bodies, s, b), true);
    }
}

bool kg_sensors_begin(kugel_world *world)
{
    kg_sensors *set = world->sensors;
    uint32_t before = set->inside_count;
    set->count = set->inside_count = 0;
    set->failed = false;
    if (!kg_bodies_any_sensor(&world->bodies)) return true;
    if (!reserve_inside(&world->memory, set, before)) return false;
    uint32_t n = 0;
    for (uint32_t i = 0; i < world->bodies.count; ++i) n += kg_bodies_is_sensor(&world->bodies, i);
    if (!KG_RESERVE(&world->memory, &set->columns[KG_SENSOR_COLUMN_ITEMS], set->items, n, 0))
        return false;
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (kg_bodies_is_sensor(&world->bodies, i)) set->items[set->count++].slot = i;
    }
    memset(world->work.frame, KG_FRAME_INERTIAL, world->bodies.count * sizeof *world->work.frame);
    if (!sort_sensors(world, 0)) return false;
    for_all_pairs_near(world, 0, find_inside_at_start);
    find_still_inside(world);
    return !set->failed;
}

bool kg_sensors_begin_substep(kugel_world *world, double h, double start)
{
    world->sensors->start = start;
    return !world->sensors->count || sort_sensors(world, h);
}

void kg_sensors_sweep_body(kugel_world *world, uint32_t slot, double t)
{
    if (!world->sensors->count || world->sensors->failed) return;
    if (!kg_bodies_is_sensor(&world->bodies, slot)) {
        for_sensors_near(world, slot, t, sweep_pair);
        return;
    }
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (!kg_bodies_is_sensor(&world->bodies, i)) sweep_pair(world, slot, i, t);
    }
}

bool kg_sensors_sweep_all(kugel_world *world, double h)
{
    if (world->sensors->count) for_all_pairs_near(world, h, sweep_pair);
    return !world->sensors->failed;
}

/* The next step derives the pairs inside from the positions. If by rounding the swept events
 * disagree with the positions, add an event. */
static void match_positions(kugel_world *world, uint32_t s, uint32_t b, double t)
{
    kg_relative_motion now = kg_sensor_pair_motion(world, s, b, t);
    bool overlaps = can_report(&world->bodies, s, b) && kg_sensor_pair_overlaps(&now);
    if (overlaps != is_inside(world->sensors, key_of(&world->bodies, s, b)))
        add_event(world, s, b, &now, overlaps);
}

bool kg_sensors_finish(kugel_world *world, double dt)
{
    kg_sensors *set = world->sensors;
    if (!set->count) return true;
    set->start = dt;
    memset(world->work.frame, KG_FRAME_INERTIAL, world->bodies.count * sizeof *world->work.frame);
    if (!sort_sensors(world, 0)) return false;
    for_all_pairs_near(world, 0, match_positions);
    /* pairs that are noted as inside and may be no longer near */
    for (uint32_t k = set->inside_count; k-- > 0 && !set->failed;) {
        if (set->inside[k] & left_flag) continue;
        uint32_t s = world->bodies.slot[set->inside[k] >> 32],
                 b = world->bodies.slot[(uint32_t)set->inside[k]];
        match_positions(world, s, b, 0);
    }
    return !set->failed;
}
