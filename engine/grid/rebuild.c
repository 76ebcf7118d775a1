/* All lists at once: bodies into cells, then every pair of neighbouring cells once. Cost O(n). */
#include "grid/lists.h"

/* A longer skin where lists are short: in steps of 1.3, or where bodies outrun it at once up to what makes the
 * lists as long as they should be. They grow with the third power of the reach, 1 + skin radii; no more
 * than 64 times at once, for bodies need not be spread evenly. */
static double lengthen(double skin, double length, double way)
{
    double ratio = KG_LIST_TARGET_LOW / (length + KG_LIST_TARGET_LOW / 64.), g = 1;
    while (1.3 * g * 1.3 * g * 1.3 * g <= ratio) g *= 1.3;
    double longer = (1 + skin) * g - 1;
    longer = longer > way ? way : longer;
    return longer > 1.3 * skin ? longer : 1.3 * skin;
}

/* How long lists would be if bodies were spread evenly in the box around them, for the first lists of a world. */
static double likely_length(const kugel_world *world, double skin, double largest)
{
    uint32_t n = world->bodies.count;
    double reach = 2 * (1 + skin) * largest, length = 4.19 * n; /* 4/3 pi */
    for (int k = 0; k < 3; ++k) {
        double low = KG_VALUE_LIMIT, high = -KG_VALUE_LIMIT;
        for (uint32_t i = 0; i < n; ++i) {
            double x = world->work.motion[i].x[k];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        length *= reach / (high - low > reach ? high - low : reach);
    }
    return length;
}

/* What a rebuild wants to know of all bodies, and of a range of them. */
typedef struct sizes {
    double way;               /* m/s; speeds along the axes, added up */
    double largest, smallest; /* m, radii; sensors are in no list, however large */
    bool immovable;           /* somebody has no mass */
} sizes;

/* Parts lie where the chunks will be: sums are taken range by range, whoever takes which. */
enum { RANGE = 4096 };
_Static_assert(sizeof(sizes) <= sizeof(kg_chunk), "a part a range has room");

static void measure_range(void *context, uint32_t index)
{
    const kugel_world *world = context;
    const kg_bodies *bodies = &world->bodies;
    const double *radius = bodies->radius, *mass = bodies->mass;
    uint32_t n = world->bodies.count, from = index * RANGE, to = n - from < RANGE ? n : from + RANGE;
    sizes s = {.largest = 0, .smallest = radius[from]};
    for (uint32_t i = from; i < to; ++i) {
        const double *v = world->work.motion[i].v;
        s.way += __builtin_fabs(v[0]) + __builtin_fabs(v[1]) + __builtin_fabs(v[2]);
        if (radius[i] > s.largest && kg_grid_lists(world, i)) s.largest = radius[i];
        s.smallest = radius[i] < s.smallest ? radius[i] : s.smallest;
        s.immovable |= mass[i] == 0;
    }
    ((sizes *)(void *)world->grid->chunks)[index] = s;
}

static sizes measure(kugel_world *world)
{
    const sizes *part = (const sizes *)(const void *)world->grid->chunks;
    uint32_t n = world->bodies.count, ranges = (n + RANGE - 1) / RANGE;
    sizes all = {.largest = 0};
    kg_for_pieces(world, ranges, measure_range, world);
    for (uint32_t k = 0; k < ranges; ++k) {
        all.way += part[k].way;
        all.largest = part[k].largest > all.largest ? part[k].largest : all.largest;
        all.smallest = k == 0 || part[k].smallest < all.smallest ? part[k].smallest : all.smallest;
        all.immovable |= part[k].immovable;
    }
    if (all.largest <= 0) all.largest = n ? kg_bodies_radii(&world->bodies).largest : 1;
    return all;
}

/* The skin for the next lists: long enough for the usual way of three substeps, short enough for short
 * lists. */
static double choose_skin(const kugel_world *world, const sizes *all, double h)
{
    const kg_grid *grid = world->grid;
    uint32_t n = world->bodies.count;
    double skin = grid->skin / all->largest;
    bool first = grid->skin == 0;
    if (!(skin >= KG_SKIN_MIN && skin <= KG_SKIN_MAX)) skin = KG_SKIN_START;
    double length = first ? likely_length(world, skin, all->largest) : grid->body_count ? (double)grid->entries / grid->body_count : KG_LIST_TARGET_LOW;
    double way = n ? 1.2 * all->way / n * h / all->largest : 0;
    if (length > KG_LIST_TARGET_HIGH) skin *= 0.85;
    else if (length < KG_LIST_TARGET_LOW && skin < 3 * way) skin = lengthen(skin, length, way);
    skin = skin < KG_SKIN_MIN ? KG_SKIN_MIN : skin;
    skin = skin > KG_SKIN_MAX ? KG_SKIN_MAX : skin;
    return skin * all->largest;
}

bool kg_grid_any_filter(const kg_bodies *bodies)
{
    for (uint32_t k = 0; k < bodies->material_count; ++k) {
        const kg_material *m = &bodies->materials[k];
        if (m->users && (m->sensor || m->mask != 0xffffffffu || m->category == 0 || m->group)) return true;
    }
    return false;
}

bool kg_grid_rebuild(kugel_world *world, double now, double h)
{
    kg_grid *grid = world->grid;
    uint32_t n = world->bodies.count;
    grid->valid = false;
    if (!kg_grid_reserve(&world->memory, grid, n)) return false;
    grid->filtered = kg_grid_any_filter(&world->bodies);
    sizes all = measure(world);
    grid->smallest = all.smallest;
    grid->solid = kg_sensors_least_solid(world, all.smallest);
    kg_find_giants(world, all.largest);
    all.largest = grid->usual;
    grid->skin = choose_skin(world, &all, h);
    grid->reach = 2 * (all.largest + grid->skin);
    grid->lattice = kg_lattice_make(&world->def.bounds, grid->reach * 1.0001);
    grid->immovable = all.immovable;
    grid->far_count = 0;
    grid->body_count = n;
    if (!kg_grid_fill(world, now, h)) return false;
    kg_lap(world, KG_STAGE_GRID);
    if (!kg_lists_make(world)) return false;
    const kg_contact_set *contacts = &world->work.contacts;
    for (uint32_t k = 0; k < contacts->count; ++k) {
        const kg_contact *c = &contacts->items[k];
        if (c->ended) continue;
        if (c->other != KG_OTHER_BODY) continue;
        kg_grid_mark(grid, world->bodies.slot[c->a], world->bodies.slot[c->b], true);
    }
    grid->valid = true;
    grid->unsorted += 1;
    grid->regrids = world->regrids;
    world->rebuilds += 1;
    kg_lap(world, KG_STAGE_PAIRS);
    return true;
}
