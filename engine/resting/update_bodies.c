/* Updates what bodies store of their contacts: counts, marks in neighbour lists, boundaries that
 * they rest on.
 * In: a contact that begins or ends. Out: its bodies, neighbour lists. Cost: two neighbour
 * lists. */
#include "resting/resting.h"

bool kg_resting_update_bodies(kugel_world *world, const kg_contact *c, bool begins)
{
    kg_work *work = &world->work;
    uint32_t a = world->bodies.slot[c->a], step = begins ? 1 : (uint32_t)-1;
    work->contact_count[a] += step;
    if (!begins) kg_neighbours_note_motion(world, a);
    if (c->with == KG_WITH_BODY) {
        uint32_t b = world->bodies.slot[c->b];
        work->contact_count[b] += step;
        kg_grid_mark_resting(world->grid, a, b, begins);
        if (!begins) kg_neighbours_note_motion(world, b);
    } else if (begins) {
        return kg_work_add_resting(&world->memory, work, a, c->b, kg_boundary_moves(world, c->b));
    } else {
        kg_work_remove_resting(work, a, c->b);
    }
    return true;
}
