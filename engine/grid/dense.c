/* Dense cells: whether they serve, bodies in them, and the way from one to the next. Cost: O(n) when they are made;
 * afterwards only of bodies that cross. */
#include "grid/dense.h"

#include <string.h>

#include "base/wide.h"
#include "geometry/sweep.h"
#include "grid/grid.h"
#include "world/sleep.h"

enum { COLUMN_CELLS, COLUMN_PLACES };
/* Cells a body at most: thinner gases get wider ones. */
static const double cells_most = 4;
/* Bodies in 27 cells at most (a packing of 0.56): where more are near, lists of those that are nearer cost less. */
static const double crowd_most = 29;
/* Cells are wider than two bodies by more than what rounding does to places. */
static const double slack = 1e-6;

/* ---- whether ---- */

/* Nothing falls, rests or sleeps, or could come to rest unseen. */
static bool is_gas(const kugel_world *world)
{
    const kg_work *work = &world->work;
    if (work->own || work->gravity[0] != 0 || work->gravity[1] != 0 || work->gravity[2] != 0) return false;
    if (work->contacts.count || world->def.bounce_threshold != 0) return false;
    bool asleep = false;
    for (uint32_t i = 0; i < world->bodies.count; ++i) asleep |= work->calm[i] == KG_ASLEEP;
    return !asleep;
}

/* The room that the cells share: the world's, or where it is open the bodies'. */
static void find_room(const kugel_world *world, double low[3], double length[3])
{
    const kugel_bounds *bounds = &world->def.bounds;
    for (int axis = 0; axis < 3; ++axis) {
        double least = KG_VALUE_LIMIT, most = -KG_VALUE_LIMIT;
        bool open[2] = {bounds->faces[2 * axis] == KUGEL_FACE_OPEN, bounds->faces[2 * axis + 1] == KUGEL_FACE_OPEN};
        for (uint32_t i = 0; i < world->bodies.count && (open[0] || open[1]); ++i) {
            double x = world->work.motion[i].x[axis];
            least = x < least ? x : least;
            most = x > most ? x : most;
        }
        low[axis] = open[0] ? least : bounds->min[axis];
        length[axis] = (open[1] ? most : bounds->max[axis]) - low[axis];
    }
}

/* Cut the room into cells; false where that makes no sense. */
static bool cut(kugel_world *world, kg_radii radii)
{
    kg_dense *dense = &world->grid->dense;
    uint32_t n = world->bodies.count;
    double length[3], edge = 2 * radii.largest * (1 + slack), volume = 1;
    if (!(radii.largest > 0) || radii.smallest < 0.5 * radii.largest) return false;
    find_room(world, dense->low, length);
    for (int axis = 0; axis < 3; ++axis) {
        if (!(__builtin_fabs(dense->low[axis]) + length[axis] < 1e8 * edge)) return false; /* rounding must be far below the slack */
        volume *= length[axis] > edge ? length[axis] : edge;
    }
    if (27 * n * edge * edge * edge > crowd_most * volume) return false;
    while (volume > cells_most * n * edge * edge * edge) edge *= 1.1;
    uint64_t cells = 1;
    for (int axis = 0; axis < 3; ++axis) {
        bool periodic = world->def.bounds.faces[2 * axis] == KUGEL_FACE_PERIODIC;
        double fit = length[axis] / edge, count = fit < 1 ? 1 : fit > KG_DENSE_MOST - 2 ? KG_DENSE_MOST - 2 : (double)(uint32_t)fit;
        if (periodic && count < 5) return false; /* neighbours are nearer than half the length: traces.c wants that */
        dense->edge[axis] = length[axis] / count > edge ? length[axis] / count : edge;
        dense->low[axis] -= dense->edge[axis];
        dense->count[axis] = (uint32_t)count + 2;
        dense->end[0][axis] = 1;
        dense->end[1][axis] = count;
        dense->stop[0][axis] = dense->stop[1][axis] = -1;
        cells *= dense->count[axis];
    }
    dense->largest = radii.largest;
    dense->way_most = edge * (64 + 0.25 * n);
    return cells <= (uint64_t)(8 * cells_most * n) + 4096;
}

/* ---- bodies in cells ---- */

static uint32_t faces_along(const kg_dense *dense, uint32_t cell)
{
    uint32_t along = 0;
    for (int axis = 0; axis < 3; ++axis) {
        uint32_t c = kg_dense_axis(cell, axis);
        along |= (uint32_t)(c == 1) << 2 * axis | (uint32_t)(c == dense->count[axis] - 2) << (2 * axis + 1);
    }
    return along;
}

/* A cell's entries stand at its beginning, KG_NONE behind them: around.h copies cells one over the end of the other.
 * Bits of the words that are this one. */
KG_INLINE uint32_t find(const kg_dense_cell room, uint32_t word)
{
    kg_mask4f words;
    memcpy(&words, room, sizeof words);
    words = words == (int32_t)word;
    return kg_bits4f(&words);
}

static uint32_t used_of(const kg_dense_cell room)
{
    return (uint32_t)__builtin_ctz(find(room, KG_NONE) | 1u << KG_DENSE_ROOM);
}

static bool add(kg_dense_cell room, uint32_t entry)
{
    uint32_t used = used_of(room);
    if (used == KG_DENSE_ROOM) return false;
    room[used] = entry;
    return true;
}

static bool remove_from(kg_dense_cell room, uint32_t entry)
{
    uint32_t found = find(room, entry), last = used_of(room) - 1;
    if (!found) return false;
    room[__builtin_ctz(found)] = room[last];
    room[last] = KG_NONE;
    return true;
}

/* A body along periodic faces is also seen beyond the opposite ones: in up to seven cells of the layer around. */
static __attribute__((noinline)) void change_images(kg_dense *dense, const kg_dense_place *place, uint32_t index, uint32_t slot, bool comes)
{
    uint32_t seen = place->along & dense->periodic, stride = 1, step = 1, at[8] = {index}, image[8] = {KG_IMAGE_NONE}, count = 1;
    for (int axis = 0; axis < 3; ++axis) {
        uint32_t n = dense->count[axis], faces = seen >> 2 * axis & 3, before = count;
        for (uint32_t k = 0; k < before && faces; ++k) {
            bool low = faces & 1; /* and is seen beyond the high face */
            at[count] = low ? at[k] + (n - 2) * stride : at[k] - (n - 2) * stride;
            image[count++] = low ? image[k] + step : image[k] - step;
        }
        stride *= n;
        step *= 3;
    }
    for (uint32_t k = 1; k < count; ++k) {
        uint32_t entry = slot | image[k] << KG_ENTRY_IMAGE_SHIFT;
        if (comes) add(dense->cell[at[k]], entry);
        else remove_from(dense->cell[at[k]], entry);
    }
}

static void put(kg_dense *dense, uint32_t slot)
{
    kg_dense_place *place = &dense->place[slot];
    uint32_t index = place->index = kg_dense_index(dense, place->cell);
    place->along = faces_along(dense, place->cell);
    if (add(dense->cell[index], slot | KG_ENTRY_AS_IS)) {
        if (place->along & dense->periodic) change_images(dense, place, index, slot, true);
        return;
    }
    if (dense->loose_count < KG_DENSE_LOOSE) dense->loose[dense->loose_count++] = slot;
    else dense->leave = true;
}

static void take(kg_dense *dense, uint32_t slot)
{
    const kg_dense_place *place = &dense->place[slot];
    uint32_t index = place->index;
    if (remove_from(dense->cell[index], slot | KG_ENTRY_AS_IS)) {
        if (place->along & dense->periodic) change_images(dense, place, index, slot, false);
        return;
    }
    for (uint32_t k = 0; k < dense->loose_count; ++k) {
        if (dense->loose[k] == slot) dense->loose[k] = dense->loose[--dense->loose_count];
    }
}

static uint32_t cell_at(const kg_dense *dense, const double x[3])
{
    uint32_t at = 0;
    for (int axis = 0; axis < 3; ++axis) {
        double c = (x[axis] - dense->low[axis]) / dense->edge[axis], least = dense->end[0][axis], most = dense->end[1][axis];
        c = c > least ? c : least;
        at |= (uint32_t)(c < most ? c : most) << (KG_DENSE_BITS * axis);
    }
    return at;
}

bool kg_dense_reserve_rows(kg_memory *memory, kg_grid *grid, size_t rows, size_t keep)
{
    kg_dense *dense = &grid->dense;
    kg_column *places = &dense->columns[COLUMN_PLACES];
    if (!kg_grid_reserve_room(memory, grid, rows, keep) || !kg_column_reserve(memory, places, sizeof *dense->place, rows, keep)) return false;
    dense->place = places->data;
    return true;
}

static bool fill(kugel_world *world)
{
    kg_grid *grid = world->grid;
    kg_dense *dense = &grid->dense;
    uint32_t n = world->bodies.count;
    size_t cells = (size_t)dense->count[0] * dense->count[1] * dense->count[2];
    if (!kg_dense_reserve_rows(&world->memory, grid, n, 0) ||
        !kg_column_reserve(&world->memory, &dense->columns[COLUMN_CELLS], sizeof *dense->cell, cells, 0)) {
        return false;
    }
    dense->cell = dense->columns[COLUMN_CELLS].data;
    memset(dense->cell, 0xff, cells * sizeof *dense->cell); /* KG_NONE */
    dense->elsewhere = false;
    dense->loose_count = 0;
    for (uint32_t i = 0; i < n; ++i) {
        kg_grid_forget_room(grid, i); /* all are to be looked at */
        dense->place[i].cell = cell_at(dense, world->work.motion[i].x);
        put(dense, i);
    }
    return true;
}

/* New cells, with all bodies in them; used only where they serve. */
static bool begin(kugel_world *world)
{
    kg_grid *grid = world->grid;
    kg_dense *dense = &grid->dense;
    kg_radii radii = kg_bodies_radii(&world->bodies);
    dense->leave = false;
    dense->closed = dense->periodic = 0;
    for (uint32_t f = 0; f < 6; ++f) {
        dense->closed |= (uint32_t)(world->def.bounds.faces[f] != KUGEL_FACE_OPEN) << f;
        dense->periodic |= (uint32_t)(world->def.bounds.faces[f] == KUGEL_FACE_PERIODIC) << f;
    }
    dense->used = cut(world, radii);
    if (dense->used && !fill(world)) return false;
    dense->used = dense->used && !dense->leave;
    if (!dense->used) {
        dense->wait = KG_DENSE_WAIT;
        return true;
    }
    grid->far_count = 0;
    grid->smallest = radii.smallest;
    grid->solid = kg_sensors_least_solid(world, radii.smallest);
    grid->lattice = kg_lattice_make(&world->def.bounds, dense->edge[0]);
    grid->filtered = kg_grid_any_filter(&world->bodies);
    dense->filtered = grid->filtered;
    for (uint32_t i = 0; i < world->bodies.count; ++i) dense->filtered |= world->bodies.mass[i] == 0;
    grid->valid = true;
    world->rebuilds += 1;
    return true;
}

bool kg_dense_prepare(kugel_world *world)
{
    kg_grid *grid = world->grid;
    kg_dense *dense = &grid->dense;
    bool serves = !dense->never && is_gas(world), kept = dense->used && grid->valid;
    if (serves && kept) return true; /* all are where they were at the end of the last substep */
    if (dense->used) grid->valid = false;
    dense->used = false;
    if (!serves) return true;
    if (!dense->wait) return begin(world);
    dense->wait -= 1;
    return true;
}

/* ---- from cell to cell ---- */

void kg_dense_cross(kugel_world *world, uint32_t slot, uint32_t face)
{
    kg_dense *dense = &world->grid->dense;
    uint32_t axis = face / 2, shift = KG_DENSE_BITS * axis, c = kg_dense_axis(dense->place[slot].cell, (int)axis), last = dense->count[axis] - 2;
    if (c == dense->stop[face & 1][axis]) return;
    take(dense, slot);
    if (face & 1) c = c == last ? 1 : c + 1;
    else c = c == 1 ? last : c - 1;
    dense->place[slot].cell = (dense->place[slot].cell & ~((uint32_t)KG_DENSE_MOST << shift)) | c << shift;
    put(dense, slot);
    kg_dense_note_crossings(world, 1);
}

void kg_dense_note_crossings(kugel_world *world, uint32_t count)
{
    kg_dense *dense = &world->grid->dense;
    dense->crossings += count;
    if (dense->crossings <= world->bodies.count) return;
    dense->crossings = 0;
    world->grid->unsorted += 1;
}

void kg_dense_free(kg_memory *memory, kg_dense *dense)
{
    for (size_t k = 0; k < sizeof dense->columns / sizeof *dense->columns; ++k) kg_column_free(memory, &dense->columns[k]);
}
