/* Planes of cells that zones hold: handed over when the world is cut into zones, kept from window to window, seen by
 * neighbours. Order: cells. Cost: of a window, the cells of what is around the zones; all of them twice where they are cut anew. */
#include <string.h>

#include "base/tasks.h"
#include "impact/zones.h"

const kg_dense_cell *kg_plane(const kugel_world *world, uint32_t z)
{
    const kg_dense *dense = &world->grid->dense;
    const kg_zones *zones = world->impact->zones;
    const kg_dense_cell *cell = dense->elsewhere ? zones->zone[zones->owner[z]].cell : dense->cell;
    return cell + z * kg_plane_size(dense);
}

static void copy_plane(const kugel_world *world, kg_dense_cell *cell, uint32_t z)
{
    size_t size = kg_plane_size(&world->grid->dense);
    memcpy(cell[z * size], kg_plane(world, z), size * sizeof *cell);
}

/* ---- from the world to zones, and back ---- */

static void take_planes(void *context, uint32_t index)
{
    const kugel_world *world = context;
    const kg_zones *zones = world->impact->zones;
    for (uint32_t z = 0; z <= zones->planes + 1; ++z) {
        if (zones->owner[z] == index) copy_plane(world, zones->zone[index].cell, z);
    }
}

/* Ends of a periodic world hold images of the planes at the other; elsewhere they are empty. */
void kg_zones_take_cells(kugel_world *world)
{
    kg_zones *zones = world->impact->zones;
    for (uint32_t s = 0; s < zones->count; ++s) {
        for (uint32_t z = zones->zone[s].first; z < zones->zone[s].end; ++z) zones->owner[z] = (uint16_t)s;
    }
    zones->owner[0] = zones->owner[zones->planes];
    zones->owner[zones->planes + 1] = zones->owner[1];
    kg_tasks_run(world->tasks, zones->count, take_planes, world);
    world->grid->dense.elsewhere = true;
}

static void return_planes(void *context, uint32_t index)
{
    const kugel_world *world = context;
    const kg_zones *zones = world->impact->zones;
    for (uint32_t z = 0; z <= zones->planes + 1; ++z) {
        if (zones->owner[z] == index) copy_plane(world, world->grid->dense.cell, z);
    }
}

void kg_zones_return_cells(kugel_world *world)
{
    kg_zones *zones = world->impact->zones;
    if (zones) zones->planned = false;
    if (!world->grid->dense.elsewhere) return;
    kg_tasks_run(world->tasks, zones->count, return_planes, world);
    world->grid->dense.elsewhere = false;
}

/* ---- what zones see of each other ---- */

void kg_zone_look_ahead(const kugel_world *world, kg_zone *zone)
{
    if (world->impact->zones->owner[zone->end] != zone - world->impact->zones->zone) copy_plane(world, zone->cell, zone->end);
}

/* A plane of cells as the zone sees it; bodies too far away are left out. */
static void see_plane(const kugel_world *world, const kg_zone *zone, uint32_t z, uint32_t sees)
{
    size_t size = kg_plane_size(&world->grid->dense);
    const kg_dense_cell *from = kg_plane(world, z);
    kg_dense_cell *to = zone->cell + z * size;
    memset(to, 0xff, size * sizeof *to); /* KG_NONE */
    for (size_t c = 0; c < size; ++c) {
        uint32_t count = 0;
        for (int k = 0; k < KG_DENSE_ROOM && from[c][k] != KG_NONE; ++k) {
            uint32_t row = kg_zone_row(zone, sees, from[c][k] & KG_ENTRY_SLOT);
            if (row != KG_NONE) to[c][count++] = (from[c][k] & ~KG_ENTRY_SLOT) | row;
        }
    }
}

/* One empty plane is around all that the zone sees; bodies of the outermost planes stay there. */
void kg_zone_see_planes(const kugel_world *world, kg_zone *zone)
{
    const kg_zones *zones = world->impact->zones;
    kg_dense *mine = &zone->grid.dense;
    uint32_t last = zones->planes, sees = zones->inner + zones->depth, me = (uint32_t)(zone - zones->zone);
    size_t size = kg_plane_size(mine);
    for (uint32_t z = 0; z <= last + 1; ++z) {
        if (zones->owner[z] == me) continue;
        if (zone->away[z] <= sees) see_plane(world, zone, z, sees);
        else if (zone->away[z] == sees + 1) memset(zone->cell[z * size], 0xff, size * sizeof *zone->cell);
    }
    for (uint32_t z = 1; z <= last; ++z) {
        uint32_t up = z == last ? 1 : z + 1, down = z == 1 ? last : z - 1;
        if (zone->away[z] != sees) continue;
        if (zone->away[up] > sees) mine->stop[1][2] = z;
        if (zone->away[down] > sees) mine->stop[0][2] = z;
    }
}

/* ---- afterwards ---- */

/* Copies get no further in than the inner ones could touch. */
void kg_zone_settle_planes(const kugel_world *world, const kg_zone *zone)
{
    const kg_zones *zones = world->impact->zones;
    uint32_t me = (uint32_t)(zone - zones->zone);
    size_t size = kg_plane_size(&world->grid->dense);
    for (uint32_t z = 0; z <= zones->planes + 1; ++z) {
        bool inside = z >= zone->first + zones->inner && z + zones->inner < zone->end;
        kg_dense_cell *cell = zone->cell + z * size;
        if (zones->owner[z] != me || inside) continue;
        for (size_t c = 0; c < size; ++c) {
            for (int k = 0; k < KG_DENSE_ROOM && cell[c][k] != KG_NONE; ++k) {
                cell[c][k] = (cell[c][k] & ~KG_ENTRY_SLOT) | kg_zone_slot(zone, cell[c][k] & KG_ENTRY_SLOT);
            }
        }
    }
}
