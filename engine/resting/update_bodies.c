/* Updates what is stored for each body about its contacts: their number, marks in neighbour lists,
 * boundaries on which the body rests.
 * In: a contact that begins or ends. Out: columns of its bodies, neighbour lists. Cost: two
 * neighbour lists. */
#include "resting/resting.h"

bool kg_resting_begin_contact(kugel_world *world, const kg_contact *c)
{
    kg_work *work = &world->work;
    uint32_t a = world->bodies.slot[c->a];
    work->contact_count[a] += 1;
    if (c->with != KG_WITH_BODY)
        return kg_work_add_resting(&world->memory, work, a, c->b, kg_boundary_moves(world, c->b));
    uint32_t b = world->bodies.slot[c->b];
    work->contact_count[b] += 1;
    kg_grid_mark_resting(world->grid, a, b, true);
    return true;
}

void kg_resting_end_contact(kugel_world *world, const kg_contact *c)
{
    kg_work *work = &world->work;
    uint32_t a = world->bodies.slot[c->a];
    work->contact_count[a] -= 1;
    kg_neighbours_note_motion(world, a);
    if (c->with != KG_WITH_BODY) {
        kg_work_remove_resting(work, a, c->b);
        return;
    }
    uint32_t b = world->bodies.slot[c->b];
    work->contact_count[b] -= 1;
    kg_grid_mark_resting(world->grid, a, b, false);
    kg_neighbours_note_motion(world, b);
}
