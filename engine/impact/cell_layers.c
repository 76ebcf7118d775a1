/* Cell layers of subdomains. While a world is divided, each subdomain keeps the layers that it owns
 * from window to window. The layers around its own are copied from their owners in each window.
 * Order: cells. Cost: the copied layers; a new partition copies all cells twice. */
#include <string.h>

#include "base/tasks.h"
#include "impact/subdomain_data.h"

const kg_cell *kg_cell_layer(const kugel_world *world, uint32_t z)
{
    const kg_cell_lists *cell_lists = &world->grid->cell_lists;
    const kg_subdomains *subdomains = world->impact->subdomains;
    kg_cell *cell = cell_lists->in_subdomains ? subdomains->subdomain[subdomains->owner[z]].cell
                                              : cell_lists->cell;
    return (const kg_cell *)cell + z * kg_cell_layer_size(cell_lists);
}

kugel_world *kg_subdomain_world(kugel_world *world, uint32_t slot)
{
    const kg_subdomains *subdomains = world->impact->subdomains;
    uint32_t z = kg_cell_layer_of(&world->grid->cell_lists, slot);
    return &subdomains->subdomain[subdomains->owner[z]].world;
}

static void copy_layer(const kugel_world *world, kg_cell *cell, uint32_t z)
{
    size_t size = kg_cell_layer_size(&world->grid->cell_lists);
    memcpy(cell[z * size], kg_cell_layer(world, z), size * sizeof *cell);
}

/* Copy the layers that subdomain `index` owns. */
static void copy_owned_layers(const kugel_world *world, uint32_t index, kg_cell *to)
{
    const kg_subdomains *subdomains = world->impact->subdomains;
    for (uint32_t z = 0; z <= subdomains->layers + 1; ++z) {
        if (subdomains->owner[z] == index) copy_layer(world, to, z);
    }
}

static void distribute_layers(void *context, uint32_t index)
{
    const kugel_world *world = context;
    copy_owned_layers(world, index, world->impact->subdomains->subdomain[index].cell);
}

/* In a periodic world the outer layers hold images of the opposite layers, so they have the owners
 * of those; in other worlds they are empty. */
void kg_cell_layers_distribute(kugel_world *world)
{
    kg_subdomains *subdomains = world->impact->subdomains;
    for (uint32_t s = 0; s < subdomains->count; ++s) {
        for (uint32_t z = subdomains->subdomain[s].first_layer;
             z < subdomains->subdomain[s].end_layer; ++z)
            subdomains->owner[z] = (uint16_t)s;
    }
    subdomains->owner[0] = subdomains->owner[subdomains->layers];
    subdomains->owner[subdomains->layers + 1] = subdomains->owner[1];
    kg_tasks_run(world->tasks, subdomains->count, distribute_layers, world);
    world->grid->cell_lists.in_subdomains = true;
}

static void collect_layers(void *context, uint32_t index)
{
    const kugel_world *world = context;
    copy_owned_layers(world, index, world->grid->cell_lists.cell);
}

void kg_cell_layers_collect(kugel_world *world)
{
    kg_subdomains *subdomains = world->impact->subdomains;
    kg_subdomains_cancel(world);
    if (!world->grid->cell_lists.in_subdomains) return;
    kg_tasks_run(world->tasks, subdomains->count, collect_layers, world);
    world->grid->cell_lists.in_subdomains = false;
}

void kg_cell_layers_copy_next(const kugel_world *world, kg_subdomain *subdomain)
{
    if (world->impact->subdomains->owner[subdomain->end_layer] !=
        subdomain - world->impact->subdomains->subdomain)
        copy_layer(world, subdomain->cell, subdomain->end_layer);
}

/* Copy a cell layer of another subdomain; slots become rows, and invisible bodies are left
 * out. */
static void copy_halo_layer(const kugel_world *world, const kg_subdomain *subdomain, uint32_t z)
{
    size_t size = kg_cell_layer_size(&world->grid->cell_lists);
    const kg_cell *from = kg_cell_layer(world, z);
    kg_cell *to = subdomain->cell + z * size;
    memset(to, 0xff, size * sizeof *to); /* sets all to KG_NONE */
    for (size_t c = 0; c < size; ++c) {
        uint32_t count = 0;
        for (int k = 0; k < KG_CELL_CAPACITY && from[c][k] != KG_NONE; ++k) {
            uint32_t row = kg_subdomain_row(subdomain, from[c][k] & KG_NEIGHBOUR_SLOT);
            if (row != KG_NONE) to[c][count++] = (from[c][k] & ~KG_NEIGHBOUR_SLOT) | row;
        }
    }
}

/* An empty layer surrounds the visible ones. Bodies do not leave the outermost visible layers
 * (border_cell). */
void kg_cell_layers_copy_halo(const kugel_world *world, kg_subdomain *subdomain)
{
    const kg_subdomains *subdomains = world->impact->subdomains;
    kg_cell_lists *own_cells = &subdomain->grid.cell_lists;
    uint32_t last = subdomains->layers, visible_layers = subdomain->visible_layers,
             own_index = (uint32_t)(subdomain - subdomains->subdomain);
    size_t size = kg_cell_layer_size(own_cells);
    for (uint32_t z = 0; z <= last + 1; ++z) {
        if (subdomains->owner[z] == own_index) continue;
        if (subdomain->layer_distance[z] <= visible_layers) copy_halo_layer(world, subdomain, z);
        else if (subdomain->layer_distance[z] == visible_layers + 1)
            memset(subdomain->cell[z * size], 0xff, size * sizeof *subdomain->cell);
    }
    for (uint32_t z = 1; z <= last; ++z) {
        uint32_t up = z == last ? 1 : z + 1, down = z == 1 ? last : z - 1;
        if (subdomain->layer_distance[z] != visible_layers) continue;
        if (subdomain->layer_distance[up] > visible_layers) own_cells->border_cell[1][2] = z;
        if (subdomain->layer_distance[down] > visible_layers) own_cells->border_cell[0][2] = z;
    }
}

/* Ghosts can move into at most `inner_layers` own layers at each border, so own layers farther
 * inside hold no ghosts. */
void kg_cell_layers_restore_slots(const kugel_world *world, const kg_subdomain *subdomain)
{
    const kg_subdomains *subdomains = world->impact->subdomains;
    uint32_t own_index = (uint32_t)(subdomain - subdomains->subdomain);
    size_t size = kg_cell_layer_size(&world->grid->cell_lists);
    for (uint32_t z = 0; z <= subdomains->layers + 1; ++z) {
        bool inside = z >= subdomain->first_layer + subdomains->inner_layers &&
                      z + subdomains->inner_layers < subdomain->end_layer;
        kg_cell *cell = subdomain->cell + z * size;
        if (subdomains->owner[z] != own_index || inside) continue;
        for (size_t c = 0; c < size; ++c) {
            for (int k = 0; k < KG_CELL_CAPACITY && cell[c][k] != KG_NONE; ++k)
                cell[c][k] = (cell[c][k] & ~KG_NEIGHBOUR_SLOT) |
                             kg_subdomain_slot(subdomain, cell[c][k] & KG_NEIGHBOUR_SLOT);
        }
    }
}
