/* Rebuilds all lists: chooses the skin, sorts bodies into cells, builds the lists, marks resting
 * pairs. Cost O(n). */
#include <math.h>

#include "base/compiler.h"
#include "base/tasks.h"
#include "base/vec.h"
#include "grid/neighbour_lists.h"

/* A longer skin for lists that are too short: 1.3 times as long, or as long at once as the target
 * length of lists allows, since the length grows with (1 + skin)^3. This second skin is at most
 * `displacement`, because bodies may be unevenly spread. Skins and displacement in mean radii. */
static double lengthen_skin(double skin, double length, double displacement)
{
    double ratio = KG_LIST_TARGET_LOW / (length + KG_LIST_TARGET_LOW / 64.), g = 1;
    while (1.3 * g * 1.3 * g * 1.3 * g <= ratio) g *= 1.3;
    double longer = (1 + skin) * g - 1;
    longer = longer > displacement ? displacement : longer;
    return longer > 1.3 * skin ? longer : 1.3 * skin;
}

/* Mean length of the lists, estimated for bodies spread evenly in their bounding box; for the first
 * lists of a world. */
static double estimate_list_length(const kugel_world *world, double skin, double radius)
{
    uint32_t n = world->bodies.count;
    double reach = 2 * (1 + skin) * radius, length = 4.19 * n; /* 4/3 pi */
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

/* A summary of all bodies. */
typedef struct body_summary {
    double speed_sum;   /* m/s; sum over bodies and axes */
    double smallest;    /* m, radius */
    double largest;     /* m, radius; without sensors, unless all are sensors */
    double mean;        /* m, radius; without sensors, unless all are sensors */
    bool any_immovable; /* some body is immovable (mass 0) */
} body_summary;

static body_summary summarise(const kugel_world *world)
{
    const kg_bodies *bodies = &world->bodies;
    const double *radius = bodies->radius;
    body_summary s = {.smallest = bodies->count ? radius[0] : 0};
    uint32_t solid = 0;
    for (uint32_t i = 0; i < bodies->count; ++i) {
        const double *v = world->work.motion[i].v;
        s.speed_sum += fabs(v[0]) + fabs(v[1]) + fabs(v[2]);
        if (kg_grid_is_solid(world, i)) {
            s.largest = radius[i] > s.largest ? radius[i] : s.largest;
            s.mean += radius[i];
            solid += 1;
        }
        s.smallest = radius[i] < s.smallest ? radius[i] : s.smallest;
        s.any_immovable |= bodies->mass[i] == 0;
    }
    if (s.largest <= 0) s.largest = bodies->count ? kg_bodies_radii(bodies).largest : 1;
    s.mean = solid ? s.mean / solid : s.largest;
    s.mean = s.mean < s.largest ? s.mean : s.largest; /* rounding */
    return s;
}

/* Number of substeps of average motion that the skin may cover. It is larger while lists are nearly
 * empty: longer lists cost little then, and a rebuild is slow where each body has a cell of its
 * own. */
static double most_substeps(double length) { return length < 1 ? 24 : 3; }

/* The longest skin at which near triangles cost less than it saves, in mean radii. Their number
 * grows with the square of 1 + skin. Up to a skin of half a radius most of them are within the
 * reach of the body itself; beyond, at most KG_LIST_TARGET_LOW a body are added. */
static double longest_skin_on_triangles(const kg_grid *grid, double mean_radius)
{
    if (!grid->near_triangle_total) return KG_SKIN_MAX;
    double width = 1 + grid->skin / mean_radius,
           mean_number = (double)grid->near_triangle_total / grid->body_count,
           at_half_radius = mean_number * (1.5 * 1.5) / (width * width);
    return 1.5 * sqrt(1 + KG_LIST_TARGET_LOW / at_half_radius) - 1;
}

/* The skin of the next lists, m. */
static double choose_skin(const kugel_world *world, const body_summary *all, double h)
{
    const kg_grid *grid = world->grid;
    uint32_t n = world->bodies.count;
    double skin = grid->skin / all->mean;
    bool first = grid->skin == 0;
    if (!(skin >= KG_SKIN_MIN && skin <= KG_SKIN_MAX)) skin = KG_SKIN_INITIAL;
    double length = first              ? estimate_list_length(world, skin, all->mean)
                    : grid->body_count ? (double)grid->neighbour_total / grid->body_count
                                       : KG_LIST_TARGET_LOW;
    double displacement = n ? 1.2 * all->speed_sum / n * h / all->mean : 0;
    if (length > KG_LIST_TARGET_HIGH) skin *= 0.85;
    else if (length < KG_LIST_TARGET_LOW && skin < most_substeps(length) * displacement)
        skin = lengthen_skin(skin, length, displacement);
    skin = kg_min(skin, longest_skin_on_triangles(grid, all->mean));
    skin = skin < KG_SKIN_MIN ? KG_SKIN_MIN : skin;
    skin = skin > KG_SKIN_MAX ? KG_SKIN_MAX : skin;
    return skin * all->mean;
}

bool kg_grid_has_filters(const kugel_world *world)
{
    const kg_bodies *bodies = &world->bodies;
    if (world->pair_filter.decide) return true;
    for (uint32_t k = 0; k < bodies->material_count; ++k) {
        const kg_material *m = &bodies->materials[k];
        if (m->body_count &&
            (m->sensor || m->disabled || m->mask != 0xffffffffu || m->category == 0 || m->group))
            return true;
    }
    return false;
}

/* Longest path of a body in a window, m, for which list refreshes cost less than tests against all
 * bodies and triangles. */
static double longest_path(const kugel_world *world, double skin)
{
    double tests = (double)world->bodies.count + world->aside.count + world->surfaces.number_total;
    return skin * (1 + tests * (1.0 / KG_LIST_COST));
}

/* Mark resting pairs on threads. Each task marks them in the lists of its own slots. */
typedef struct marks_job {
    const kugel_world *world;
    uint32_t tasks;
} marks_job;

/* Mark the pair in the list of `slot` if the slot belongs to the task. Tasks take slots in turn,
 * so that all get about equally many contacts. */
static inline void mark_side(const marks_job *j, uint32_t task, uint32_t slot, uint32_t other)
{
    enum { SLOTS_A_TURN = 512 };
    if (slot / SLOTS_A_TURN % j->tasks == task)
        kg_list_mark_resting(j->world->grid, slot, other, true);
}

/* Each task reads all contacts, because most of the time goes to marking the lists. */
static void mark_pairs(void *context, uint32_t task)
{
    enum { AHEAD = 8 }; /* contacts from the prefetch of a list to its use */
    const marks_job *j = context;
    const kg_contact_set *contacts = &j->world->work.contacts;
    const kg_list_node *nodes = j->world->grid->nodes;
    const uint32_t *slot = j->world->bodies.slot;
    for (uint32_t k = 0; k < contacts->count; ++k) {
        const kg_contact *c = &contacts->items[k];
        if (k + AHEAD < contacts->count && c[AHEAD].with == KG_WITH_BODY) {
            KG_PREFETCH(&nodes[slot[c[AHEAD].a]]);
            KG_PREFETCH(&nodes[slot[c[AHEAD].b]]);
        }
        if (c->ended || c->with != KG_WITH_BODY) continue;
        mark_side(j, task, slot[c->a], slot[c->b]);
        mark_side(j, task, slot[c->b], slot[c->a]);
    }
}

static void mark_resting_pairs(kugel_world *world)
{
    enum { CONTACTS_A_TASK = 8192 };
    uint32_t threads = kg_tasks_concurrency(world->tasks),
             most = world->work.contacts.count / CONTACTS_A_TASK + 1;
    marks_job j = {world, threads < most ? threads : most};
    kg_tasks_run(world->tasks, j.tasks, mark_pairs, &j);
}

bool kg_list_rebuild(kugel_world *world, double now, double h)
{
    kg_grid *grid = world->grid;
    uint32_t n = world->bodies.count;
    grid->valid = false;
    if (!kg_grid_reserve(&world->memory, grid, n)) return false;
    grid->has_filters = kg_grid_has_filters(world);
    body_summary all = summarise(world);
    grid->smallest_radius = all.smallest;
    grid->skin = choose_skin(world, &all, h);
    grid->longest_path = longest_path(world, grid->skin);
    kg_list_drift_choose(world, now, h);
    grid->usual_reach = 2 * (all.mean + grid->skin);
    kg_levels_choose(world, all.largest);
    grid->any_immovable = all.any_immovable;
    grid->unlisted_count = 0;
    grid->body_count = n;
    kg_list_origins_set_all(world, now, h);
    if (!kg_near_triangles_find_all(world) || !kg_grid_fill_cells(world)) return false;
    grid->near_triangle_total = grid->near_triangle_count;
    kg_stopwatch_lap(world, KG_STAGE_GRID);
    if (!kg_list_build_all(world, now)) return false;
    mark_resting_pairs(world);
    grid->valid = true;
    grid->rebuilds_since_sort += 1;
    grid->refreshes_at_rebuild = world->list_refreshes;
    world->list_rebuilds += 1;
    kg_stopwatch_lap(world, KG_STAGE_PAIRS);
    return true;
}
