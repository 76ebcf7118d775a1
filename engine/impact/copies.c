/* What a zone sees of the bodies around its own: copies of their rows and cells that hold them; and whether they went the
 * way of those that they stand for. Order: slots, cells. Cost: one look at each body's cell, and the zone's cells twice. */
#include <string.h>

#include "impact/zones.h"

static uint32_t plane_of(const kg_dense *dense, uint32_t slot) { return kg_dense_axis(dense->place[slot].cell, 2); }

/* ---- rows ---- */

static void copy_row(const kugel_world *world, uint32_t from, uint32_t to)
{
    const kg_work *work = &world->work;
    const kg_bodies *bodies = &world->bodies;
    const kg_impact_stage *stage = world->impact;
    work->motion[to] = work->motion[from];
    for (int k = 0; k < 3; ++k) work->w[k][to] = work->w[k][from];
    work->frame[to] = work->frame[from];
    work->calm[to] = work->calm[from];
    work->stamp[to] = work->stamp[from];
    work->impacts[to] = work->impacts[from];
    work->resting[to] = work->resting[from];
    work->contact_count[to] = work->contact_count[from];
    bodies->id[to] = bodies->id[from];
    bodies->mass[to] = bodies->mass[from];
    bodies->material[to] = bodies->material[from];
    bodies->type[to] = bodies->type[from];
    world->grid->room[to] = world->grid->room[from];
    world->grid->dense.place[to] = world->grid->dense.place[from];
    stage->traces.of[to] = stage->traces.of[from];
    stage->history[to] = 0;
}

static void copy_rows(const kugel_world *world, kg_zone *zone)
{
    const kg_zones *zones = world->impact->zones;
    const kg_dense *dense = &world->grid->dense;
    uint32_t copies = 0;
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        uint32_t away = zone->away[plane_of(dense, i)];
        zone->row[i] = away ? KG_NONE : i;
        if (!away) world->impact->history[i] = 0;
        if (!away || away > zones->inner + zones->depth) continue;
        zone->row[i] = zone->copies_from + copies;
        zone->slot[copies++] = away <= zones->inner ? i | KG_ZONE_INNER : i;
        copy_row(world, i, zone->row[i]);
    }
}

/* ---- cells ---- */

static size_t plane_size(const kg_dense *dense) { return (size_t)dense->count[0] * dense->count[1]; }

/* The entry for the same body in the zone; bodies too far away are left out. */
static uint32_t entry_in(const kg_zone *zone, uint32_t entry)
{
    uint32_t row = zone->row[entry & KG_ENTRY_SLOT];
    return row == KG_NONE ? KG_NONE : (entry & ~KG_ENTRY_SLOT) | row;
}

/* The entry for the body that a copy stands for. */
static uint32_t entry_of(const kg_zone *zone, uint32_t entry)
{
    uint32_t row = entry & KG_ENTRY_SLOT;
    if (row < zone->copies_from || row >= zone->copies_from + zone->copies) return entry;
    return (entry & ~KG_ENTRY_SLOT) | (zone->slot[row - zone->copies_from] & ~KG_ZONE_INNER);
}

/* A plane of cells with its entries exchanged; those that become none are left out. */
static void translate_plane(const kg_dense *from, const kg_dense *to, uint32_t z, const kg_zone *zone, uint32_t (*entry)(const kg_zone *, uint32_t))
{
    size_t size = plane_size(from);
    memset(to->cell[z * size], 0xff, size * sizeof *to->cell); /* KG_NONE */
    for (size_t c = z * size; c < (z + 1) * size; ++c) {
        uint32_t count = 0;
        for (int k = 0; k < KG_DENSE_ROOM && from->cell[c][k] != KG_NONE; ++k) {
            uint32_t e = entry(zone, from->cell[c][k]);
            to->cell[c][count] = e;
            count += e != KG_NONE;
        }
    }
}

static void copy_plane(const kg_dense *from, const kg_dense *to, uint32_t z)
{
    size_t size = plane_size(from);
    memcpy(to->cell[z * size], from->cell[z * size], size * sizeof *from->cell);
}

/* The layers at both ends of the world hold images of the planes at the other; one empty plane is around all that the zone sees. */
static void copy_cells(const kugel_world *world, kg_zone *zone)
{
    const kg_zones *zones = world->impact->zones;
    const kg_dense *dense = &world->grid->dense;
    kg_dense *mine = &zone->grid.dense;
    uint32_t last = zones->planes, sees = zones->inner + zones->depth;
    for (uint32_t z = 0; z <= last + 1; ++z) {
        if (zone->away[z] == 0) copy_plane(dense, mine, z);
        else if (zone->away[z] <= sees + 1) translate_plane(dense, mine, z, zone, entry_in);
    }
    for (uint32_t k = mine->loose_count = 0; k < dense->loose_count; ++k) {
        uint32_t row = zone->row[dense->loose[k]];
        if (row != KG_NONE) mine->loose[mine->loose_count++] = row;
    }
    for (uint32_t z = 1; z <= last; ++z) { /* bodies of the outermost planes stay there */
        uint32_t up = z == last ? 1 : z + 1, down = z == 1 ? last : z - 1;
        if (zone->away[z] != sees) continue;
        if (zone->away[up] > sees) mine->stop[1][2] = z;
        if (zone->away[down] > sees) mine->stop[0][2] = z;
    }
}

void kg_zone_copy(const kugel_world *world, kg_zone *zone)
{
    copy_rows(world, zone);
    copy_cells(world, zone);
}

/* ---- afterwards ---- */

bool kg_zone_agrees(const kugel_world *world, const kg_zone *zone)
{
    const kg_work *work = &world->work;
    const uint64_t *history = world->impact->history;
    const kg_dense_place *place = world->grid->dense.place;
    bool same = true;
    for (uint32_t k = 0; k < zone->copies && same; ++k) {
        if (!(zone->slot[k] & KG_ZONE_INNER)) continue;
        uint32_t i = zone->slot[k] & ~KG_ZONE_INNER, j = zone->copies_from + k;
        same = memcmp(&work->motion[i], &work->motion[j], sizeof *work->motion) == 0 && history[i] == history[j] &&
               work->stamp[i] == work->stamp[j] && work->impacts[i] == work->impacts[j] && place[i].cell == place[j].cell;
        for (int x = 0; x < 3; ++x) same = same && memcmp(&work->w[x][i], &work->w[x][j], sizeof(double)) == 0;
    }
    return same;
}

void kg_zone_return_cells(const kugel_world *world, const kg_zone *zone)
{
    const kg_zones *zones = world->impact->zones;
    const kg_dense *dense = &world->grid->dense, *mine = &zone->grid.dense;
    for (uint32_t z = zone->first; z < zone->end; ++z) {
        bool copies = z < zone->first + zones->inner || z + zones->inner >= zone->end; /* none gets further in */
        if (copies) translate_plane(mine, dense, z, zone, entry_of);
        else copy_plane(mine, dense, z);
    }
    if (zone->first == 1) translate_plane(mine, dense, zones->planes + 1, zone, entry_of);
    if (zone->end == zones->planes + 1) translate_plane(mine, dense, 0, zone, entry_of);
}
