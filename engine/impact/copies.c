/* What a zone has of the bodies around its own: copies of their rows; and whether they went the way of those that they stand
 * for. Order: cells, those that found no room last. Cost: of the planes that the zone sees. */
#include <string.h>

#include "impact/zones.h"

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

static void add_copy(const kugel_world *world, kg_zone *zone, uint32_t slot, bool inner)
{
    uint32_t row = zone->copies_from + zone->copies;
    zone->row[slot] = row;
    zone->slot[zone->copies++] = inner ? slot | KG_ZONE_INNER : slot;
    copy_row(world, slot, row);
}

void kg_zone_copy_rows(const kugel_world *world, kg_zone *zone)
{
    const kg_zones *zones = world->impact->zones;
    const kg_dense *dense = &world->grid->dense;
    kg_dense *mine = &zone->grid.dense;
    uint32_t sees = zones->inner + zones->depth;
    size_t size = kg_plane_size(dense);
    zone->copies = 0;
    for (uint32_t z = 1; z <= zones->planes; ++z) {
        if (zone->away[z] == 0 || zone->away[z] > sees) continue;
        const kg_dense_cell *cell = kg_plane(world, z);
        for (size_t c = 0; c < size; ++c) {
            for (int k = 0; k < KG_DENSE_ROOM && cell[c][k] != KG_NONE; ++k) {
                bool image = (cell[c][k] & ~KG_ENTRY_SLOT) != KG_ENTRY_AS_IS;
                if (!image) add_copy(world, zone, cell[c][k] & KG_ENTRY_SLOT, zone->away[z] <= zones->inner);
            }
        }
    }
    for (uint32_t k = mine->loose_count = 0; k < dense->loose_count; ++k) {
        uint32_t slot = dense->loose[k], away = zone->away[kg_dense_plane(dense, slot)];
        if (away && away <= sees) add_copy(world, zone, slot, away <= zones->inner);
        if (away <= sees) mine->loose[mine->loose_count++] = kg_zone_row(zone, sees, slot);
    }
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
