/* The sensor stage: the table of pairs inside, the search for sensors near a path, and events.
 * Input, output and cost: see sensors.h. Order: none; events are sorted at the end of the step. */
#include "sensors/sensors.h"

#include <string.h>

#include "base/assert.h"
#include "base/vec.h"
#include "sensors/sensor_pair.h"
#include "world/growth.h"
#include "world/periodic.h"

void kg_sensors_free(kg_memory *memory, kg_sensors *sensors)
{
    kg_columns_free(memory, sensors->columns, KG_SENSOR_COLUMNS);
}

/* The key of a pair: the sensor's id, or the number of a surface, in the high 32 bits, the body's
 * id in the low ones. */
static uint64_t key_of(const kugel_world *world, uint32_t s, uint32_t b)
{
    uint64_t sensor = kg_sensor_is_surface(s) ? s : world->bodies.id[s];
    return sensor << 32 | world->bodies.id[b];
}

/* The number of the sensor in a key. */
static uint32_t sensor_of_key(const kugel_world *world, uint64_t key)
{
    uint32_t sensor = (uint32_t)(key >> 32);
    return kg_sensor_is_surface(sensor) ? sensor : world->bodies.slot[sensor];
}

/* Set in the key of a pair that left in this step. */
static const uint64_t left_flag = (uint64_t)1 << 63;
_Static_assert(KG_BODY_LIMIT <= KG_SENSOR_SURFACE && KG_SURFACE_LIMIT <= KG_SENSOR_SURFACE,
               "ids and numbers of surfaces differ, and leave the flag's bit free");

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

/* Add the event of a body that enters or leaves at a meeting, and update the pairs inside. */
static void add_event(kugel_world *world, uint32_t s, uint32_t b, const kg_sensor_meeting *m,
                      bool entered)
{
    kugel_sensor_event e = {
        .time = world->sensors->start + m->T, .entered = entered, .speed = m->speed};
    kg_sensor_set_names(world, s, b, &e);
    kg_copy3(e.point, m->point);
    kg_copy3(e.normal, m->normal);
    /* A body that a call placed or a contact pushed may enter while it moves outward, or leave
     * while it moves inward. Then the speed is a zero with the sign of entering or leaving. */
    if (!(entered ? e.speed > 0 : e.speed < 0)) e.speed = entered ? 0.0 : -0.0;
    if (!kg_event_set_add_sensor(&world->memory, &world->events.pending, &e))
        world->sensors->failed = true;
    set_inside(world, key_of(world, s, b), entered);
}

static kg_sensor_meeting meeting_at(const kugel_world *world, uint32_t s, uint32_t b, double t)
{
    return kg_sensor_pair_meeting(world, s, b, t, world->sensors->ends);
}

/* True if a body that was inside stays inside at the start of the path, `now`. Rounding or a
 * position correction may have moved it out of reach; it still counts as inside if it
 * approaches. */
static bool overlap_continues(const kg_sensor_overlaps *overlaps, const kg_sensor_meeting *now)
{
    if (overlaps->count == 0) return false;
    return overlaps->items[0].in.T == now->T || now->speed > 0;
}

/* Add the events of a pair's overlaps on a path that starts at the time `from`. */
static void add_overlap_events(kugel_world *world, uint32_t s, uint32_t b,
                               const kg_sensor_overlaps *overlaps, double from)
{
    bool inside = is_inside(world->sensors, key_of(world, s, b));
    if (inside) {
        kg_sensor_meeting now = meeting_at(world, s, b, from);
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
    double from = motion[b].clock;
    if (!kg_sensor_is_surface(s)) from = kg_max(motion[s].clock, from);
    if (!(t >= from) || !kg_sensor_may_report(world, s, b)) return;
    if (is_inside(world->sensors, key_of(world, s, b)) &&
        kg_sensor_pair_stays(world, s, b, from, t))
        return;
    kg_sensor_overlaps overlaps;
    kg_sensor_pair_find_overlaps(world, s, b, from, t, &overlaps);
    add_overlap_events(world, s, b, &overlaps, from);
}

/* A box around a body's path from its clock to t, also when rounded to floats. */
static void motion_box(const kugel_world *world, uint32_t i, double t, double low[3],
                       double high[3])
{
    const kg_motion *m = &world->work.motion[i];
    double p[3], q[3], a[3];
    kg_work_position_at(&world->work, i, m->clock, p);
    kg_work_position_at(&world->work, i, t, q);
    kg_work_acceleration(&world->work, i, a);
    for (int k = 0; k < 3; ++k) {
        double bow = 0.5 * fabs(a[k]) * (t - m->clock) * (t - m->clock);
        double wide = (m->radius + bow) * (1 + 1e-6) + 0x1p-22 * (fabs(p[k]) + fabs(q[k]));
        low[k] = kg_min(p[k], q[k]) - wide;
        high[k] = kg_max(p[k], q[k]) + wide;
    }
}

/* A box around a sensor's path up to h. False where there is none: for planes, and for dynamic
 * bodies, whose paths bend. */
static bool sensor_box(const kugel_world *world, uint32_t s, double h, double low[3],
                       double high[3])
{
    if (kg_sensor_is_surface(s))
        return kg_sensor_surface_box(kg_sensor_surface_of(world, s), world->work.substep_length,
                                     low, high);
    if (world->bodies.type[s] == KUGEL_DYNAMIC) return false;
    motion_box(world, s, h, low, high);
    return true;
}

static bool is_still(const kugel_world *world, uint32_t s)
{
    return kg_sensor_is_surface(s) ? !kg_sensor_surface_of(world, s)->moves
                                   : world->bodies.type[s] == KUGEL_STATIC;
}

/* Build the tree of the boxes for the path up to h; the first one serves the whole tick if all
 * sensors are still. */
static void build_tree(kugel_world *world, double h)
{
    kg_sensors *set = world->sensors;
    kg_tree_item *items = set->boxes.items;
    uint32_t end = set->count, still = 0;
    if (set->until == KG_NEVER) return;
    set->boxed_count = 0;
    for (uint32_t k = 0; k < set->count; ++k) {
        double low[3], high[3];
        still += is_still(world, set->items[k].number);
        if (sensor_box(world, set->items[k].number, h, low, high))
            kg_tree_set_item(&items[set->boxed_count++], low, high, k);
        else items[--end].number = k;
    }
    set->until = still == set->count ? KG_NEVER : h;
    set->boxes = (kg_tree_builder){.items = items, .node = set->boxes.node, .leaf_items = 1};
    if (set->boxed_count) kg_tree_build(&set->boxes, set->boxed_count);
}

typedef void pair_visitor(kugel_world *world, uint32_t sensor, uint32_t body, double t);

/* A visit of the sensors near the path of the body b up to t. */
typedef struct near_search {
    kugel_world *world;
    uint32_t b;
    double t;
    pair_visitor *visit;
} near_search;

/* Visit the k-th sensor, once: several images may be near. */
static void visit_sensor(const near_search *near, uint32_t k)
{
    kg_sensor *s = &near->world->sensors->items[k];
    if (s->visit == near->world->sensors->visits) return;
    s->visit = near->world->sensors->visits;
    near->visit(near->world, s->number, near->b, near->t);
}

/* Visit the sensors whose boxes meet the box of `path`, displaced along the axes from `axis` on by
 * a length or none: in a periodic world a sensor is near if an image is. */
static void visit_images(const near_search *near, const kg_tree_item *path, int axis)
{
    const kg_sensors *set = near->world->sensors;
    if (axis < 3) {
        double length = kg_periodic_length(near->world, axis);
        for (int n = length > 0 ? -1 : 0; n <= (length > 0); ++n) {
            kg_tree_item image = *path;
            double by = n * length, wide = n ? 1e-6 * (length + fabs((double)path->low[axis])) : 0;
            image.low[axis] = (float)((double)path->low[axis] + by - wide);
            image.high[axis] = (float)((double)path->high[axis] + by + wide);
            if (image.low[axis] <= set->boxes.high[axis] &&
                image.high[axis] >= set->boxes.low[axis])
                visit_images(near, &image, axis + 1);
        }
        return;
    }
    kg_mesh_walk walk;
    walk.count = 0;
    kg_mesh_push(&walk, 0, 0, 0);
    while (walk.count) {
        uint32_t child = walk.next[--walk.count].child;
        if (!kg_mesh_is_leaf(child)) kg_tree_push_near(&set->boxes.node[child], path, 0, &walk);
        else visit_sensor(near, set->boxes.items[child & ~KG_MESH_LEAF_BIT].number);
    }
}

/* Visit the pair of the body b and each sensor near its path up to t. */
static void for_sensors_near(kugel_world *world, uint32_t b, double t, pair_visitor *visit)
{
    kg_sensors *set = world->sensors;
    const near_search near = {world, b, t, visit};
    double low[3], high[3];
    KG_ASSERT(t <= set->until);
    set->visits += 1;
    for (uint32_t k = set->boxed_count; k < set->count; ++k)
        visit_sensor(&near, set->boxes.items[k].number);
    if (!set->boxed_count) return;
    kg_tree_item path;
    motion_box(world, b, t, low, high);
    for (int k = 0; k < 3; ++k) path.low[k] = (float)low[k], path.high[k] = (float)high[k];
    visit_images(&near, &path, 0);
}

/* for_sensors_near for every body that is no sensor. */
static void for_all_pairs_near(kugel_world *world, double t, pair_visitor *visit)
{
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (!kg_bodies_is_sensor(&world->bodies, i)) for_sensors_near(world, i, t, visit);
    }
}

/* True if a call has changed the sensor since the last step. */
static bool is_placed(const kugel_world *world, uint32_t s)
{
    return kg_sensor_is_surface(s) ? kg_sensor_surface_of(world, s)->placed
                                   : world->bodies.placed[s];
}

/* The length by which a pair comes nearer in the tick by growth, m: radii are those of its end. */
static double growth_of_pair(const kugel_world *world, uint32_t s, uint32_t b)
{
    double sensor = kg_sensor_is_surface(s) ? 0 : kg_growth_speed(world, s);
    return (sensor + kg_growth_speed(world, b)) * world->work.substeps * world->work.substep_length;
}

/* Note the pair as inside, without an event, if it overlaps and no call has placed either of the
 * two since the last step. */
static void find_inside_at_start(kugel_world *world, uint32_t s, uint32_t b, double t)
{
    bool known = !is_placed(world, s) && !world->bodies.placed[b];
    if (known && kg_sensor_may_report(world, s, b) &&
        kg_sensor_pair_overlaps(world, s, b, t, 0, growth_of_pair(world, s, b)))
        set_inside(world, key_of(world, s, b), true);
}

/* True if the world has a row of the body with this id. */
static bool has_row(const kg_bodies *bodies, uint32_t id)
{
    return bodies->slot[id] < bodies->count && bodies->id[bodies->slot[id]] == id;
}

/* Note the pairs as inside in which a call changed a body or sensor that did not leave. Bodies of
 * other places have no row here. */
static void find_still_inside(kugel_world *world)
{
    const kg_bodies *bodies = &world->bodies;
    for (size_t k = 0; k < world->events.left_count; ++k) {
        const kugel_sensor_event *e = &world->events.left[k];
        uint32_t sensor = kugel_body_id(e->sensor), body = kugel_body_id(e->body);
        if (!e->entered || !has_row(bodies, body) || (!e->surface && !has_row(bodies, sensor)))
            continue;
        uint32_t s =
            e->surface ? KG_SENSOR_SURFACE + kugel_surface_index(e->surface) : bodies->slot[sensor];
        set_inside(world, key_of(world, s, bodies->slot[body]), true);
    }
}

/* List the sensors; false when out of memory. */
static bool list_sensors(kugel_world *world)
{
    kg_sensors *set = world->sensors;
    const kg_surfaces *surfaces = &world->surfaces;
    uint32_t n = surfaces->sensor_count;
    for (uint32_t i = 0; i < world->bodies.count; ++i) n += kg_bodies_is_sensor(&world->bodies, i);
    kg_column *columns = set->columns;
    if (!KG_RESERVE(&world->memory, &columns[KG_SENSOR_COLUMN_ITEMS], set->items, n, 0) ||
        !KG_RESERVE(&world->memory, &columns[KG_SENSOR_COLUMN_BOXES], set->boxes.items, n, 0) ||
        !KG_RESERVE(&world->memory, &columns[KG_SENSOR_COLUMN_NODES], set->boxes.node, n, 0))
        return false;
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (kg_bodies_is_sensor(&world->bodies, i)) set->items[set->count++] = (kg_sensor){i, 0};
    }
    for (uint32_t k = 0; k < surfaces->sensor_count; ++k)
        set->items[set->count++] = (kg_sensor){KG_SENSOR_SURFACE + surfaces->sensors[k], 0};
    return true;
}

bool kg_sensors_begin(kugel_world *world)
{
    kg_sensors *set = world->sensors;
    uint32_t before = set->inside_count;
    set->count = set->boxed_count = set->inside_count = 0;
    set->visits = 0;
    set->until = 0;
    set->failed = false;
    set->ends = 0;
    if (!kg_world_any_sensor(world) || !world->bodies.count) return true;
    if (!reserve_inside(&world->memory, set, before) || !list_sensors(world)) return false;
    memset(world->work.frame, KG_FRAME_INERTIAL, world->bodies.count * sizeof *world->work.frame);
    build_tree(world, 0);
    for_all_pairs_near(world, 0, find_inside_at_start);
    find_still_inside(world);
    return !set->failed;
}

void kg_sensors_begin_substep(kugel_world *world, double h, double start)
{
    world->sensors->start = start;
    if (world->sensors->count) build_tree(world, h);
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
    bool overlaps = kg_sensor_may_report(world, s, b) &&
                    kg_sensor_pair_overlaps(world, s, b, t, world->sensors->ends, 0);
    if (overlaps == is_inside(world->sensors, key_of(world, s, b))) return;
    kg_sensor_meeting now = meeting_at(world, s, b, t);
    add_event(world, s, b, &now, overlaps);
}

bool kg_sensors_finish(kugel_world *world, double dt)
{
    kg_sensors *set = world->sensors;
    if (!set->count) return true;
    set->start = set->ends = dt;
    memset(world->work.frame, KG_FRAME_INERTIAL, world->bodies.count * sizeof *world->work.frame);
    build_tree(world, 0);
    for_all_pairs_near(world, 0, match_positions);
    /* pairs that are noted as inside and may be no longer near */
    for (uint32_t k = set->inside_count; k-- > 0 && !set->failed;) {
        if (set->inside[k] & left_flag) continue;
        uint32_t b = world->bodies.slot[(uint32_t)set->inside[k]];
        match_positions(world, sensor_of_key(world, set->inside[k]), b, 0);
    }
    return !set->failed;
}
