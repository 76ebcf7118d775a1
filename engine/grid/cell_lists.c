/* Cell lists: when they are suitable, insertion of bodies, and crossings from cell to cell. Cost:
 * O(n) to fill the cells; then constant for each crossing. */
#include "grid/cell_lists.h"

#include <string.h>

#include "base/compiler.h"
#include "base/vec.h"
#include "base/wide.h"
#include "geometry/sweep_linear.h"
#include "grid/neighbours.h"
#include "world/sleep_state.h"

/* Maximum number of near cells of oversized bodies per body of the world. Where there are more,
 * Verlet lists cost less. */
static const double max_near_per_body = 6;

/* True when nothing accelerates, rests, sleeps or grows, and there are no surfaces and no bounce
 * threshold. A contact that begins later, by an impact without restitution, ends the use of cell
 * lists (kg_neighbours_need_rebuild). */
static bool is_gas(const kugel_world *world)
{
    const kg_work *work = &world->work;
    if (work->has_own_accelerations || !kg_is_zero3(work->gravity) || work->contacts.count ||
        world->def.bounce_threshold != 0 || world->surfaces.count || world->aside.count ||
        work->growth.rate > 0)
        return false;
    bool asleep = false;
    for (uint32_t i = 0; i < world->bodies.count; ++i) asleep |= work->sleep_state[i] == KG_ASLEEP;
    return !asleep;
}

static uint32_t boundary_faces_of(const kg_cell_lists *cell_lists, uint32_t cell)
{
    uint32_t boundary_faces = 0;
    for (int axis = 0; axis < 3; ++axis) {
        uint32_t c = kg_cell_coordinate(cell, axis);
        boundary_faces |= (uint32_t)(c == 1) << 2 * axis |
                          (uint32_t)(c == cell_lists->count[axis] - 2) << (2 * axis + 1);
    }
    return boundary_faces;
}

/* Bit k: word k of a cell equals `word`. The neighbours of a cell stand first, KG_NONE after
 * them. */
KG_INLINE uint32_t find_word(const kg_cell cell, uint32_t word)
{
    kg_mask4f words;
    memcpy(&words, cell, sizeof words);
    KG_EACH (4) KG_L(words) = KG_MASK(KG_L(words) == (int32_t)word);
    return kg_movemask4f(&words);
}

static uint32_t count_used(const kg_cell cell)
{
    return (uint32_t)kg_lowest_bit(find_word(cell, KG_NONE) | 1u << KG_CELL_CAPACITY);
}

bool kg_cell_add(kg_cell cell, uint32_t neighbour)
{
    uint32_t used = count_used(cell);
    if (used == KG_CELL_CAPACITY) return false;
    cell[used] = neighbour;
    return true;
}

bool kg_cell_remove(kg_cell cell, uint32_t neighbour)
{
    uint32_t found = find_word(cell, neighbour), last = count_used(cell) - 1;
    if (!found) return false;
    cell[kg_lowest_bit(found)] = cell[last];
    cell[last] = KG_NONE;
    return true;
}

/* Add or remove the images of a body along periodic faces: up to seven, in the outer layer. */
static KG_NOINLINE void update_images(kg_cell_lists *cell_lists, const kg_body_cell *body_cell,
                                      uint32_t index, uint32_t slot, bool adding)
{
    uint32_t crossed_faces = body_cell->boundary_faces & cell_lists->periodic_faces, stride = 1,
             step = 1, at[8] = {index}, image[8] = {KG_IMAGE_NONE}, count = 1;
    for (int axis = 0; axis < 3; ++axis) {
        uint32_t n = cell_lists->count[axis], faces = crossed_faces >> 2 * axis & 3, before = count;
        for (uint32_t k = 0; k < before && faces; ++k) {
            bool low = faces & 1; /* its image is beyond the high face */
            at[count] = low ? at[k] + (n - 2) * stride : at[k] - (n - 2) * stride;
            image[count++] = low ? image[k] + step : image[k] - step;
        }
        stride *= n;
        step *= 3;
    }
    for (uint32_t k = 1; k < count; ++k) {
        uint32_t neighbour = slot | image[k] << KG_NEIGHBOUR_IMAGE_SHIFT;
        if (adding) kg_cell_add(cell_lists->cell[at[k]], neighbour);
        else kg_cell_remove(cell_lists->cell[at[k]], neighbour);
    }
}

static void insert_body(kugel_world *world, uint32_t slot)
{
    kg_cell_lists *cell_lists = &world->grid->cell_lists;
    kg_body_cell *body_cell = &cell_lists->body_cell[slot];
    uint32_t index = body_cell->index = kg_cell_index(cell_lists, body_cell->cell);
    if (kg_cell_lists_is_oversized(cell_lists, slot)) {
        kg_oversized_update(world, slot, true);
        return;
    }
    body_cell->boundary_faces = boundary_faces_of(cell_lists, body_cell->cell);
    if (kg_cell_add(cell_lists->cell[index], slot | KG_NEIGHBOUR_NO_IMAGE)) {
        if (body_cell->boundary_faces & cell_lists->periodic_faces)
            update_images(cell_lists, body_cell, index, slot, true);
        return;
    }
    if (cell_lists->overflow_count < KG_CELL_OVERFLOW_MAX)
        cell_lists->overflow[cell_lists->overflow_count++] = slot;
    else cell_lists->abandon = true;
}

static void remove_body(kugel_world *world, uint32_t slot)
{
    kg_cell_lists *cell_lists = &world->grid->cell_lists;
    const kg_body_cell *body_cell = &cell_lists->body_cell[slot];
    uint32_t index = body_cell->index;
    if (kg_cell_lists_is_oversized(cell_lists, slot)) {
        kg_oversized_update(world, slot, false);
        return;
    }
    if (kg_cell_remove(cell_lists->cell[index], slot | KG_NEIGHBOUR_NO_IMAGE)) {
        if (body_cell->boundary_faces & cell_lists->periodic_faces)
            update_images(cell_lists, body_cell, index, slot, false);
        return;
    }
    for (uint32_t k = 0; k < cell_lists->overflow_count; ++k) {
        if (cell_lists->overflow[k] == slot)
            cell_lists->overflow[k] = cell_lists->overflow[--cell_lists->overflow_count];
    }
}

bool kg_cell_lists_reserve_rows(kg_memory *memory, kg_grid *grid, size_t rows, size_t keep)
{
    kg_cell_lists *cell_lists = &grid->cell_lists;
    return kg_grid_reserve_clearance(memory, grid, rows, keep) &&
           KG_RESERVE(memory, &cell_lists->columns[KG_CELL_LIST_COLUMN_BODY_CELLS],
                      cell_lists->body_cell, rows, keep);
}

/* The cells of bodies this many slots ahead are prefetched: bodies are not in the order of the
 * cells. */
enum { INSERT_AHEAD = 16 };

/* Insert the bodies from a slot on. Their body_cell.cell is set. */
static void insert_bodies(kugel_world *world, uint32_t from)
{
    const kg_cell_lists *cell_lists = &world->grid->cell_lists;
    uint32_t n = world->bodies.count;
    for (uint32_t i = from; i < n; ++i) {
        if (i + INSERT_AHEAD < n) {
            uint32_t cell = cell_lists->body_cell[i + INSERT_AHEAD].cell;
            KG_PREFETCH_WRITE(cell_lists->cell[kg_cell_index(cell_lists, cell)]);
        }
        insert_body(world, i);
    }
}

/* Find the cells of the bodies from a slot on, and insert them. */
static void place_bodies(kugel_world *world, uint32_t from)
{
    kg_cell_lists *cell_lists = &world->grid->cell_lists;
    uint32_t n = world->bodies.count, oversized = 0;
    for (uint32_t i = from; i < n; ++i) {
        kg_grid_reset_clearance(world->grid, i); /* all bodies are active */
        cell_lists->body_cell[i].cell = kg_cell_box_cell_at(cell_lists, world->work.motion[i].x);
        cell_lists->body_cell[i].boundary_faces =
            world->bodies.radius[i] > cell_lists->largest_radius
                ? KG_CELL_FACES | KG_CELL_OVERSIZED | oversized++ << KG_CELL_OVERSIZED_SHIFT
                : 0;
    }
    insert_bodies(world, from);
    cell_lists->rows = n;
}

static bool fill_cells(kugel_world *world)
{
    kg_grid *grid = world->grid;
    kg_cell_lists *cell_lists = &grid->cell_lists;
    uint32_t n = world->bodies.count;
    size_t cells = (size_t)cell_lists->count[0] * cell_lists->count[1] * cell_lists->count[2],
           near = cell_lists->oversized_count ? cells : 0;
    if (!kg_cell_lists_reserve_rows(&world->memory, grid, n, 0) ||
        !KG_RENEW(&world->memory, &cell_lists->columns[KG_CELL_LIST_COLUMN_CELLS], cell_lists->cell,
                  cells) ||
        !KG_RESERVE(&world->memory, &cell_lists->columns[KG_CELL_LIST_COLUMN_NEAR],
                    cell_lists->near_cell, near, 0) ||
        !KG_RESERVE(&world->memory, &cell_lists->columns[KG_CELL_LIST_COLUMN_FIRST],
                    cell_lists->first_oversized, near, 0))
        return false;
    memset(cell_lists->cell, 0xff, cells * sizeof *cell_lists->cell); /* KG_NONE */
    if (near) {
        memset(cell_lists->near_cell, 0xff, near * sizeof *cell_lists->near_cell);
        memset(cell_lists->first_oversized, 0xff, near * sizeof *cell_lists->first_oversized);
    }
    cell_lists->in_subdomains = false;
    cell_lists->overflow_count = 0;
    place_bodies(world, 0);
    return true;
}

/* Add new rows to valid cells. False when the cells do not suit the new bodies, or when out of
 * memory; in both cases the cells are made anew. */
static bool add_rows(kugel_world *world)
{
    kg_grid *grid = world->grid;
    kg_cell_lists *cell_lists = &grid->cell_lists;
    const kg_bodies *bodies = &world->bodies;
    uint32_t rows = cell_lists->rows;
    if (rows == bodies->count) return true;
    for (uint32_t i = rows; i < bodies->count; ++i) {
        bool inert = bodies->mass[i] == 0 && !cell_lists->has_filters;
        if (inert || bodies->radius[i] < grid->smallest_radius ||
            bodies->radius[i] > cell_lists->largest_radius)
            return false;
    }
    if (!kg_cell_lists_reserve_rows(&world->memory, grid, bodies->count, rows)) return false;
    place_bodies(world, rows);
    return !cell_lists->abandon;
}

/* Choose and fill new cells. Afterwards `used` is true when they are suitable. False when out of
 * memory. */
static bool make_cells(kugel_world *world)
{
    kg_grid *grid = world->grid;
    kg_cell_lists *cell_lists = &grid->cell_lists;
    kg_radii radii = kg_bodies_radii(&world->bodies);
    cell_lists->abandon = false;
    cell_lists->closed_faces = cell_lists->periodic_faces = 0;
    for (uint32_t f = 0; f < 6; ++f) {
        cell_lists->closed_faces |= (uint32_t)(world->def.bounds.faces[f] != KUGEL_FACE_OPEN) << f;
        cell_lists->periodic_faces |= (uint32_t)(world->def.bounds.faces[f] == KUGEL_FACE_PERIODIC)
                                      << f;
    }
    cell_lists->used = kg_cell_box_choose(world, radii);
    if (cell_lists->used &&
        !kg_oversized_find(world, max_near_per_body * world->bodies.count, &cell_lists->used))
        return false;
    if (cell_lists->used && !fill_cells(world)) return false;
    cell_lists->used = cell_lists->used && !cell_lists->abandon;
    if (!cell_lists->used) {
        cell_lists->retry_after = KG_CELL_RETRY_AFTER;
        return true;
    }
    grid->unlisted_count = 0;
    grid->smallest_radius = radii.smallest;
    grid->lattice[0] = kg_lattice_make(&world->def.bounds, cell_lists->edge[0]);
    grid->has_filters = kg_grid_has_filters(world);
    cell_lists->has_filters = grid->has_filters;
    for (uint32_t i = 0; i < world->bodies.count; ++i)
        cell_lists->has_filters |= world->bodies.mass[i] == 0;
    grid->valid = true;
    world->list_rebuilds += 1;
    return true;
}

bool kg_cell_lists_prepare(kugel_world *world)
{
    kg_grid *grid = world->grid;
    kg_cell_lists *cell_lists = &grid->cell_lists;
    bool suitable = !cell_lists->disabled && is_gas(world),
         still_valid = cell_lists->used && grid->valid;
    if (suitable && still_valid && add_rows(world))
        return true; /* the last substep moved bodies from cell to cell */
    if (cell_lists->used) grid->valid = false;
    cell_lists->used = false;
    if (!suitable) return true;
    if (!cell_lists->retry_after) return make_cells(world);
    cell_lists->retry_after -= 1;
    return true;
}

void kg_cell_lists_cross_face(kugel_world *world, uint32_t slot, uint32_t face)
{
    kg_cell_lists *cell_lists = &world->grid->cell_lists;
    uint32_t axis = face / 2, shift = KG_CELL_COORDINATE_BITS * axis,
             c = kg_cell_coordinate(cell_lists->body_cell[slot].cell, (int)axis),
             last = cell_lists->count[axis] - 2;
    if (c == cell_lists->border_cell[face & 1][axis]) return;
    remove_body(world, slot);
    if (face & 1) c = c == last ? 1 : c + 1;
    else c = c == 1 ? last : c - 1;
    cell_lists->body_cell[slot].cell =
        (cell_lists->body_cell[slot].cell & ~((uint32_t)KG_CELL_COORDINATE_MAX << shift)) |
        c << shift;
    insert_body(world, slot);
    kg_cell_lists_add_crossings(world, 1);
}

void kg_cell_lists_truncate(kugel_world *world, uint32_t count)
{
    kg_cell_lists *cell_lists = &world->grid->cell_lists;
    for (; cell_lists->rows > count; cell_lists->rows -= 1)
        remove_body(world, cell_lists->rows - 1);
}

void kg_cell_lists_remove_row(kugel_world *world, uint32_t slot)
{
    kg_cell_lists *cell_lists = &world->grid->cell_lists;
    uint32_t last = cell_lists->rows - 1;
    remove_body(world, slot);
    cell_lists->rows = last;
    if (slot == last) return;
    remove_body(world, last);
    cell_lists->body_cell[slot] = cell_lists->body_cell[last];
    kg_grid_reset_clearance(world->grid, slot);
    insert_body(world, slot);
}

void kg_cell_lists_add_crossings(kugel_world *world, uint32_t count)
{
    kg_cell_lists *cell_lists = &world->grid->cell_lists;
    cell_lists->crossings += count;
    if (cell_lists->crossings <= world->bodies.count) return;
    cell_lists->crossings = 0;
    world->grid->rebuilds_since_sort += 1;
}

void kg_cell_lists_check_path(kugel_world *world, uint32_t slot, double time)
{
    const double *v = world->work.motion[slot].v, most = world->grid->cell_lists.motion_limit;
    if (kg_dot3(v, v) * time * time <= most * most) return;
    KG_ATOMIC_STORE(&world->grid->cell_lists.path_exceeded, true);
    kg_neighbours_abandon_cells(world);
}

void kg_cell_lists_free(kg_memory *memory, kg_cell_lists *cell_lists)
{
    kg_columns_free(memory, cell_lists->columns, KG_CELL_LIST_COLUMNS);
}
