/* Plans the subdomains of a window: how many, where the borders are, and what memory they need. All
 * subdomains get about equally many bodies. Their number is the one with the largest estimated
 * gain. Order: cell layers. Cost: a pass over all bodies, on all threads. */
#include <math.h>
#include <string.h>

#include "base/compiler.h"
#include "base/tasks.h"
#include "impact/subdomain_data.h"

enum { COLUMN_CELLS, COLUMN_ROWS, COLUMN_SLOTS, COLUMNS_OF_SUBDOMAIN };
enum { COLUMN_SUBDOMAINS, COLUMN_LAYERS, COLUMNS };
enum { BUFFER_LAYERS_DEFAULT = 3 };
/* A partition is replaced when the bodies of a subdomain exceed its share by more than 1 /
 * IMBALANCE_SHARE of the share and the bodies of one layer. */
enum { IMBALANCE_SHARE = 16 };
/* Minimum number of bodies per subdomain; with fewer, starting threads costs more than it gains. */
enum { BODIES_MIN = 2048 };
/* Bodies of a task range. */
enum { RANGE = 4096 };
/* Margin as a share of a path, far above the rounding of positions in cells. */
#define PLACE_ROUNDING 1e-6
/* Overhead of an own body and of a ghost, as shares of the cost of a body's impacts. */
static const double own_cost = 0.05, ghost_cost = 0.3;
static const double gain_min = 1.1;         /* smallest estimated speed-up with subdomains */
static const double unchanged_bonus = 1.05; /* factor on the gain of the current partition */
static const double speed_margin_initial = 1.25;
static const double speed_margin_decay = 0.9; /* per window, of the excess over the first */

void kg_subdomains_free(kg_memory *memory, kg_subdomains *subdomains)
{
    if (!subdomains) return;
    uint32_t count = (uint32_t)subdomains->columns[COLUMN_SUBDOMAINS].capacity;
    for (uint32_t s = 0; s < count; ++s) {
        kg_subdomain *subdomain = &subdomains->subdomain[s];
        kg_free(memory, subdomain->arena.base, subdomain->arena.size);
        kg_columns_free(memory, subdomain->columns, COLUMNS_OF_SUBDOMAIN);
    }
    kg_columns_free(memory, subdomains->columns, COLUMNS);
    kg_free(memory, subdomains, sizeof *subdomains);
}

/* Number of subdomains with the largest estimated gain; 0: no gain. Each subdomain handles its own
 * layers and the ghosts on both sides of them. */
static uint32_t best_count(const kugel_world *world, const kg_subdomains *subdomains)
{
    uint32_t n = world->bodies.count, width = kg_tasks_concurrency(world->tasks), best = 0;
    bool periodic = world->grid->cell_lists.periodic_faces & 1u << 4;
    double most = gain_min, layers = subdomains->layers,
           around = subdomains->inner_layers + subdomains->buffer_layers;
    for (uint32_t count = 2;
         count <= width && count <= subdomains->layers && n / count >= BODIES_MIN; ++count) {
        double own = (subdomains->layers + count - 1) / count,
               ghosts = (periodic || count > 2 ? 2 : 1) * around;
        /* else a body could need two ghosts in a subdomain */
        if (periodic && own + ghosts + 2 >= layers) continue;
        double gain = layers / (own * (1 + own_cost) + ghosts * (1 + ghost_cost));
        if (world->grid->cell_lists.in_subdomains && count == subdomains->count)
            gain *= unchanged_bonus;
        if (gain > most) most = gain, best = count;
    }
    return best;
}

/* Results of the pass over all bodies. */
typedef struct survey {
    const kugel_world *world;
    uint32_t *count; /* count[z + 1]: bodies in layer z */
    /* m^2/s^2, largest square of a speed, as bits: non-negative doubles sort as integers */
    kg_shared_number max_speed2;
} survey;

static void survey_range(void *context, uint32_t index)
{
    survey *s = context;
    const kugel_world *world = s->world;
    uint32_t end = kg_range_end(index, RANGE, world->bodies.count),
             in[KG_CELL_COORDINATE_MAX + 1] = {0};
    double most = 0;
    uint64_t bits, found = KG_ATOMIC_LOAD(&s->max_speed2);
    for (uint32_t i = index * RANGE; i < end; ++i) {
        const double *v = world->work.motion[i].v;
        most = kg_max(kg_dot3(v, v), most);
        in[kg_cell_layer_of(&world->grid->cell_lists, i)] += 1;
    }
    memcpy(&bits, &most, sizeof bits);
    while (bits > found && !KG_ATOMIC_REPLACE(&s->max_speed2, &found, bits)) {}
    for (uint32_t z = 1; z <= world->impact->subdomains->layers; ++z) {
        if (in[z]) KG_ATOMIC_ADD(&s->count[z + 1], in[z]);
    }
}

/* Find the number of bodies in layers [0, z), `below[z]`, and the largest speed, m/s. */
static bool survey_bodies(kugel_world *world, uint32_t **below, double *max_speed)
{
    kg_subdomains *subdomains = world->impact->subdomains;
    uint32_t layers = subdomains->layers, n = world->bodies.count;
    survey s = {.world = world};
    if (!KG_RESERVE(&world->memory, &subdomains->columns[COLUMN_LAYERS], s.count, layers + 3, 0))
        return false;
    memset(s.count, 0, (layers + 3) * sizeof *s.count);
    kg_for_ranges(world, (n + RANGE - 1) / RANGE, survey_range, &s);
    for (uint32_t z = 1; z <= layers + 2; ++z) s.count[z] += s.count[z - 1];
    double max_speed2;
    memcpy(&max_speed2, &s.max_speed2, sizeof max_speed2);
    *max_speed = sqrt(max_speed2);
    *below = s.count;
    return true;
}

static bool reserve_subdomains(kg_memory *memory, kg_subdomains *subdomains, uint32_t count)
{
    kg_column *column = &subdomains->columns[COLUMN_SUBDOMAINS];
    size_t had = column->capacity;
    if (!kg_column_reserve_exact(memory, column, sizeof *subdomains->subdomain, count, had))
        return false;
    subdomains->subdomain = column->data;
    for (size_t s = had; s < column->capacity; ++s) subdomains->subdomain[s] = (kg_subdomain){0};
    return true;
}

/* Distance of layer z to the own layers of a subdomain, in layers; 0 for own layers. */
static uint32_t layer_distance_of(const kg_cell_lists *cell_lists, const kg_subdomain *subdomain,
                                  uint32_t z)
{
    uint32_t layers = cell_lists->count[2] - 2,
             around = cell_lists->periodic_faces & 1u << 4 ? layers : 2 * layers;
    if (z >= subdomain->first_layer && z < subdomain->end_layer) return 0;
    uint32_t up = z >= subdomain->end_layer ? z - subdomain->end_layer + 1
                                            : z + around - subdomain->end_layer + 1;
    uint32_t down = z < subdomain->first_layer ? subdomain->first_layer - z
                                               : subdomain->first_layer + around - z;
    return up < down ? up : down;
}

/* Assign layers to subdomains, with about equally many bodies each. */
static void partition(const kugel_world *world, kg_subdomains *subdomains, uint32_t count,
                      const uint32_t *below)
{
    uint32_t n = world->bodies.count, z = 1;
    subdomains->count = count;
    for (uint32_t s = 0; s < count; ++s) {
        kg_subdomain *subdomain = &subdomains->subdomain[s];
        uint64_t want = (uint64_t)n * (s + 1) / count;
        subdomain->first_layer = z;
        for (z += 1; z + (count - 1 - s) <= subdomains->layers && below[z] < want;) z += 1;
        subdomain->end_layer = z = s + 1 == count ? subdomains->layers + 1 : z;
    }
}

/* True when the current partition can be kept. */
static bool are_balanced(const kugel_world *world, const kg_subdomains *subdomains, uint32_t count,
                         const uint32_t *below)
{
    uint32_t share = world->bodies.count / count + 1, most = share + share / IMBALANCE_SHARE;
    bool even = world->grid->cell_lists.in_subdomains && subdomains->count == count;
    for (uint32_t s = 0; s < count && even; ++s) {
        const kg_subdomain *subdomain = &subdomains->subdomain[s];
        /* A border cannot divide a layer. */
        uint32_t layer = below[subdomain->end_layer] - below[subdomain->end_layer - 1];
        even = below[subdomain->end_layer] - below[subdomain->first_layer] <= most + layer;
    }
    return even;
}

/* Find the distance of each layer and the rows of ghosts of each subdomain; returns the number of
 * ghosts. */
static uint32_t count_ghosts(const kugel_world *world, kg_subdomains *subdomains,
                             const uint32_t *below)
{
    uint32_t n = world->bodies.count, row = n + 1; /* row n: the solver's immovable body */
    for (uint32_t s = 0; s < subdomains->count; ++s) {
        kg_subdomain *subdomain = &subdomains->subdomain[s];
        subdomain->first_ghost = row;
        subdomain->visible_layers = subdomains->inner_layers + subdomains->buffer_layers;
        subdomain->layer_distance[0] = subdomain->layer_distance[subdomains->layers + 1] = 1;
        for (uint32_t p = 1; p <= subdomains->layers; ++p) {
            subdomain->layer_distance[p] =
                (uint16_t)layer_distance_of(&world->grid->cell_lists, subdomain, p);
            if (subdomain->layer_distance[p] &&
                subdomain->layer_distance[p] <= subdomain->visible_layers)
                row += below[p + 1] - below[p];
        }
        subdomain->ghosts = row - subdomain->first_ghost;
    }
    return row - n - 1;
}

/* Reserve rows for ghosts behind those of the bodies. The work area cannot grow within a step: if
 * it is too small, `*ready` is false and the next step enlarges it. */
static bool reserve_rows(kugel_world *world, uint32_t ghosts, bool *ready)
{
    kg_impact_stage *stage = world->impact;
    uint32_t n = world->bodies.count;
    uint64_t rows = (uint64_t)n + 1 + ghosts;
    *ready = rows <= world->work.row_capacity && rows < KG_BODY_LIMIT;
    if (!*ready) {
        world->work.ghost_rows = ghosts + ghosts / 4 + 1;
        return true;
    }
    rows = world->work.row_capacity;
    return kg_bodies_reserve(&world->memory, &world->bodies, rows, rows) &&
           kg_cell_lists_reserve_rows(&world->memory, world->grid, rows, n) &&
           KG_RESERVE(&world->memory, &stage->columns[KG_COLUMN_PATH_HASH], stage->path_hash, rows,
                      0);
}

/* Reserve the memory of a subdomain except its cells. */
static bool reserve_subdomain(kugel_world *world, const kg_subdomains *subdomains,
                              kg_subdomain *subdomain)
{
    uint32_t n = world->bodies.count;
    kg_memory *memory = &world->memory;
    kg_column *c = subdomain->columns;
    return kg_arena_reserve(memory, subdomain, n / subdomains->count + subdomain->ghosts,
                            subdomains->arena_scale) &&
           KG_RESERVE(memory, &c[COLUMN_ROWS], subdomain->ghost_row, n, 0) &&
           KG_RESERVE(memory, &c[COLUMN_SLOTS], subdomain->ghost_slot, subdomain->ghosts, 0);
}

static bool reserve_cells(kugel_world *world, kg_subdomain *subdomain)
{
    const kg_cell_lists *cell_lists = &world->grid->cell_lists;
    size_t cells = kg_cell_layer_size(cell_lists) * cell_lists->count[2];
    return KG_RESERVE(&world->memory, &subdomain->columns[COLUMN_CELLS], subdomain->cell, cells, 0);
}

bool kg_subdomains_are_allowed(const kugel_world *world)
{
    return !world->work.subdomains_disabled && kg_tasks_concurrency(world->tasks) > 1 &&
           world->bodies.count >= 2 * BODIES_MIN && !kg_world_any_sensor(world) &&
           !world->grid->cell_lists.oversized_count && world->impact->first_ghost == KG_NONE;
}

bool kg_subdomains_are_planned(const kugel_world *world)
{
    return world->impact->subdomains && world->impact->subdomains->planned;
}

void kg_subdomains_cancel(kugel_world *world)
{
    if (world->impact->subdomains) world->impact->subdomains->planned = false;
}

static bool open_subdomains(kugel_world *world)
{
    kg_impact_stage *stage = world->impact;
    if (stage->subdomains) return true;
    stage->subdomains = kg_allocate(&world->memory, sizeof *stage->subdomains);
    if (stage->subdomains)
        *stage->subdomains = (kg_subdomains){.buffer_layers = BUFFER_LAYERS_DEFAULT,
                                             .arena_scale = 1,
                                             .retry_delay = KG_SUBDOMAINS_RETRY_MIN,
                                             .speed_margin = speed_margin_initial};
    return stage->subdomains;
}

/* Set the limit of a body's path in the window, and the number of inner ghost layers that follows
 * from it. False when bodies are too fast for subdomains. */
static bool find_max_path(const kugel_world *world, kg_subdomains *subdomains, double max_speed)
{
    const kg_impact_stage *stage = world->impact;
    double edge = world->grid->cell_lists.edge[2];
    subdomains->speed_margin =
        speed_margin_initial +
        speed_margin_decay * (subdomains->speed_margin - speed_margin_initial);
    subdomains->max_path = subdomains->speed_margin * max_speed * (stage->until - stage->from);
    if (!(subdomains->max_path < edge * subdomains->layers)) return false;
    /* a body in the d-th layer beside the own ones is at least d - 1 layers away from these */
    double reach = 2 * (subdomains->max_path + world->grid->cell_lists.largest_radius);
    subdomains->inner_layers = 1 + (uint32_t)(reach * (1 + PLACE_ROUNDING) / edge);
    return true;
}

/* Make a new partition and distribute the cells. */
static bool repartition(kugel_world *world, kg_subdomains *subdomains, uint32_t count,
                        const uint32_t *below)
{
    kg_cell_layers_collect(world);
    if (!reserve_subdomains(&world->memory, subdomains, count)) return false;
    partition(world, subdomains, count, below);
    for (uint32_t s = 0; s < count; ++s) {
        if (!reserve_cells(world, &subdomains->subdomain[s])) return false;
    }
    kg_cell_layers_distribute(world);
    return true;
}

/* Make the world of a subdomain for the prediction pass. It shares everything with the whole world
 * but the cells. */
static void prepare_subdomain(void *context, uint32_t index)
{
    const kugel_world *world = context;
    kg_subdomain *subdomain = &world->impact->subdomains->subdomain[index];
    subdomain->grid = *world->grid;
    subdomain->grid.cell_lists.cell = subdomain->cell;
    subdomain->world = *world;
    subdomain->world.grid = &subdomain->grid;
    kg_cell_layers_copy_next(world, subdomain);
}

static bool reserve_all(kugel_world *world, kg_subdomains *subdomains, const uint32_t *below)
{
    bool ready;
    if (!reserve_rows(world, count_ghosts(world, subdomains, below), &ready)) return false;
    if (!ready) return true;
    for (uint32_t s = 0; s < subdomains->count; ++s) {
        if (!reserve_subdomain(world, subdomains, &subdomains->subdomain[s])) return false;
    }
    kg_tasks_run(world->tasks, subdomains->count, prepare_subdomain, world);
    subdomains->planned = true;
    return true;
}

bool kg_subdomains_plan(kugel_world *world)
{
    if (!open_subdomains(world)) return false;
    kg_subdomains *subdomains = world->impact->subdomains;
    uint32_t *below, count;
    double max_speed;
    if (subdomains->retry_after) {
        subdomains->retry_after -= 1;
        return true;
    }
    subdomains->layers = world->grid->cell_lists.count[2] - 2;
    if (!survey_bodies(world, &below, &max_speed)) return false;
    if (!find_max_path(world, subdomains, max_speed) || !(count = best_count(world, subdomains)))
        return true;
    if (!are_balanced(world, subdomains, count, below) &&
        !repartition(world, subdomains, count, below))
        return false;
    return reserve_all(world, subdomains, below);
}
