/* Ghosts: copies of the bodies around a subdomain, in rows behind all bodies. After the window they
 * are compared with their originals. Order: cells, then bodies that overflowed their cells. Cost:
 * the visible layers. */
#include <string.h>

#include "impact/subdomains.h"

static void copy_row(const kugel_world *world, uint32_t from, uint32_t to)
{
    const kg_work *work = &world->work;
    const kg_bodies *bodies = &world->bodies;
    const kg_impact_stage *stage = world->impact;
    work->motion[to] = work->motion[from];
    for (int k = 0; k < 3; ++k) work->w[k][to] = work->w[k][from];
    work->frame[to] = work->frame[from];
    work->sleep_state[to] = work->sleep_state[from];
    work->motion_version[to] = work->motion_version[from];
    work->impact_count[to] = work->impact_count[from];
    work->resting_boundaries[to] = work->resting_boundaries[from];
    work->contact_count[to] = work->contact_count[from];
    bodies->id[to] = bodies->id[from];
    bodies->mass[to] = bodies->mass[from];
    bodies->material[to] = bodies->material[from];
    bodies->type[to] = bodies->type[from];
    world->grid->clearance[to] = world->grid->clearance[from];
    world->grid->cell_lists.body_cell[to] = world->grid->cell_lists.body_cell[from];
    stage->quantised.motions[to] = stage->quantised.motions[from];
    stage->path_hash[to] = 0;
}

static void add_ghost(const kugel_world *world, kg_subdomain *subdomain, uint32_t slot, bool inner)
{
    uint32_t row = subdomain->first_ghost + subdomain->ghosts;
    subdomain->ghost_row[slot] = row;
    subdomain->ghost_slot[subdomain->ghosts++] = inner ? slot | KG_GHOST_INNER : slot;
    copy_row(world, slot, row);
}

void kg_ghosts_copy(const kugel_world *world, kg_subdomain *subdomain)
{
    const kg_subdomains *subdomains = world->impact->subdomains;
    const kg_cell_lists *cell_lists = &world->grid->cell_lists;
    kg_cell_lists *own_cells = &subdomain->grid.cell_lists;
    uint32_t visible_layers = subdomains->inner_layers + subdomains->buffer_layers;
    size_t size = kg_cell_layer_size(cell_lists);
    subdomain->ghosts = 0;
    for (uint32_t z = 1; z <= subdomains->layers; ++z) {
        if (subdomain->layer_distance[z] == 0 || subdomain->layer_distance[z] > visible_layers)
            continue;
        const kg_cell *cell = kg_cell_layer(world, z);
        for (size_t c = 0; c < size; ++c) {
            for (int k = 0; k < KG_CELL_CAPACITY && cell[c][k] != KG_NONE; ++k) {
                bool image = (cell[c][k] & ~KG_NEIGHBOUR_SLOT) != KG_NEIGHBOUR_NO_IMAGE;
                if (!image)
                    add_ghost(world, subdomain, cell[c][k] & KG_NEIGHBOUR_SLOT,
                              subdomain->layer_distance[z] <= subdomains->inner_layers);
            }
        }
    }
    for (uint32_t k = own_cells->overflow_count = 0; k < cell_lists->overflow_count; ++k) {
        uint32_t slot = cell_lists->overflow[k],
                 distance = subdomain->layer_distance[kg_cell_layer_of(cell_lists, slot)];
        if (distance && distance <= visible_layers)
            add_ghost(world, subdomain, slot, distance <= subdomains->inner_layers);
        if (distance <= visible_layers)
            own_cells->overflow[own_cells->overflow_count++] =
                kg_subdomain_row(subdomain, visible_layers, slot);
    }
}

/* ---- end of a window ---- */

bool kg_ghosts_agree(const kugel_world *world, const kg_subdomain *subdomain)
{
    const kg_work *work = &world->work;
    const uint64_t *path_hash = world->impact->path_hash;
    const kg_body_cell *place = world->grid->cell_lists.body_cell;
    bool same = true;
    for (uint32_t k = 0; k < subdomain->ghosts && same; ++k) {
        if (!(subdomain->ghost_slot[k] & KG_GHOST_INNER)) continue;
        uint32_t i = subdomain->ghost_slot[k] & ~KG_GHOST_INNER, j = subdomain->first_ghost + k;
        same = memcmp(&work->motion[i], &work->motion[j], sizeof *work->motion) == 0 &&
               path_hash[i] == path_hash[j] && work->motion_version[i] == work->motion_version[j] &&
               work->impact_count[i] == work->impact_count[j] && place[i].cell == place[j].cell;
        for (int x = 0; x < 3; ++x)
            same = same && memcmp(&work->w[x][i], &work->w[x][j], sizeof(double)) == 0;
    }
    return same;
}
