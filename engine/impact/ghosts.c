/* Ghosts: copies of the bodies around a subdomain, in rows behind all bodies. After the window they
 * are compared with their originals. Order: by cell, then the bodies that overflowed their cells.
 * Cost: proportional to the visible layers. */
#include <string.h>

#include "impact/subdomain_data.h"

/* Columns that a ghost copies. KG_GHOST_STATE: the state that impacts change. KG_GHOST_COLUMNS:
 * also the state that impacts only read. */
#define KG_GHOST_STATE(COLUMN)                                                                     \
    COLUMN(work->motion)                                                                           \
    COLUMN(work->w[0])                                                                             \
    COLUMN(work->w[1])                                                                             \
    COLUMN(work->w[2])                                                                             \
    COLUMN(work->motion_version)                                                                   \
    COLUMN(work->impact_load)
#define KG_GHOST_COLUMNS(COLUMN)                                                                   \
    KG_GHOST_STATE(COLUMN)                                                                         \
    COLUMN(work->frame)                                                                            \
    COLUMN(work->sleep_state)                                                                      \
    COLUMN(work->resting_boundaries)                                                               \
    COLUMN(work->contact_count)                                                                    \
    COLUMN(bodies->id)                                                                             \
    COLUMN(bodies->mass)                                                                           \
    COLUMN(bodies->material)                                                                       \
    COLUMN(bodies->type)                                                                           \
    COLUMN(grid->clearance)                                                                        \
    COLUMN(grid->cell_lists.body_cell)                                                             \
    COLUMN(stage->quantised.motions)

static void copy_row(const kugel_world *world, uint32_t from, uint32_t to)
{
    const kg_work *work = &world->work;
    const kg_bodies *bodies = &world->bodies;
    const kg_grid *grid = world->grid;
    const kg_impact_stage *stage = world->impact;
#define KG_GHOST_COPY(column) (column)[to] = (column)[from];
    KG_GHOST_COLUMNS(KG_GHOST_COPY)
    stage->path_hash[to] = 0;
}

/* True when both rows have the same state, cell and path, bit for bit. */
static bool is_same_row(const kugel_world *world, uint32_t i, uint32_t j)
{
    const kg_work *work = &world->work;
    const kg_body_cell *place = world->grid->cell_lists.body_cell;
    const uint64_t *path_hash = world->impact->path_hash;
    bool same = place[i].cell == place[j].cell && path_hash[i] == path_hash[j];
#define KG_GHOST_COMPARE(column)                                                                   \
    same = same && memcmp(&(column)[i], &(column)[j], sizeof *(column)) == 0;
    KG_GHOST_STATE(KG_GHOST_COMPARE)
    return same;
}

#ifdef KG_ASSERTIONS
/* True if impacts may read the column of the bodies. Columns that change in a step are read in the
 * work area; forces, torques and images are not read. */
static bool may_be_read(const kg_field *field)
{
    return (field->role == KG_ROLE_CONSTANT || field->role == KG_ROLE_LOCAL) &&
           !field->unread_by_impacts;
}

/* Call pass(column, item, from, to) for each column of which impacts may read ghosts: all columns
 * of the work area that have rows in a gas but rotations, and those of the bodies by their table
 * (kg_body_fields). */
typedef bool column_pass(void *column, size_t item, uint32_t from, uint32_t to);

static bool for_columns(const kugel_world *world, uint32_t from, uint32_t to, column_pass *pass)
{
    bool all = true;
    for (int k = 0; k < KG_WORK_ALWAYS; ++k) {
        void *column = world->work.columns[k].data;
        bool turns = column == world->work.q[0] || column == world->work.q[1] ||
                     column == world->work.q[2] || column == world->work.q[3];
        all = all && (turns || pass(column, kg_work_rows[k].item, from, to));
    }
    for (int k = 0; k < KG_BODY_COLUMNS; ++k) {
        const kg_field *field = &kg_body_fields[k];
        all = all && (!may_be_read(field) || pass(kg_bodies_column(&world->bodies, field),
                                                  kg_bodies_item_size(k), from, to));
    }
    kg_cell_lists *cells = &world->grid->cell_lists;
    kg_quantised_motion *motions = world->impact->quantised.motions;
    return all && pass(world->grid->clearance, sizeof *world->grid->clearance, from, to) &&
           pass(cells->body_cell, sizeof *cells->body_cell, from, to) &&
           pass(motions, sizeof *motions, from, to);
}

/* Overwrite a row: a column that is read and not copied changes the results. */
static bool spoil(void *column, size_t item, uint32_t from, uint32_t to)
{
    (void)from;
    memset((char *)column + to * item, 0xee, item);
    return true;
}

static bool is_same_item(void *column, size_t item, uint32_t from, uint32_t to)
{
    return memcmp((char *)column + to * item, (char *)column + from * item, item) == 0;
}
#endif

static void add_ghost(const kugel_world *world, kg_subdomain *subdomain, uint32_t slot, bool inner)
{
    uint32_t row = subdomain->first_ghost + subdomain->ghosts;
    subdomain->ghost_row[slot] = row;
    subdomain->ghost_slot[subdomain->ghosts++] = inner ? slot | KG_GHOST_INNER : slot;
#ifdef KG_ASSERTIONS
    for_columns(world, slot, row, spoil);
    copy_row(world, slot, row);
    KG_ASSERT(for_columns(world, slot, row, is_same_item));
#else
    copy_row(world, slot, row);
#endif
}

void kg_ghosts_copy(const kugel_world *world, kg_subdomain *subdomain)
{
    const kg_subdomains *subdomains = world->impact->subdomains;
    const kg_cell_lists *cell_lists = &world->grid->cell_lists;
    kg_cell_lists *own_cells = &subdomain->grid.cell_lists;
    uint32_t visible_layers = subdomain->visible_layers;
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
            own_cells->overflow[own_cells->overflow_count++] = kg_subdomain_row(subdomain, slot);
    }
}

bool kg_ghosts_agree(const kugel_world *world, const kg_subdomain *subdomain)
{
    bool same = true;
    for (uint32_t k = 0; k < subdomain->ghosts && same; ++k) {
        uint32_t original = subdomain->ghost_slot[k];
        if (original & KG_GHOST_INNER)
            same = is_same_row(world, original & ~KG_GHOST_INNER, subdomain->first_ghost + k);
    }
    return same;
}
