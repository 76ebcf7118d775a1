/* Contacts of radii that grow. Measured gaps are those of the radii at the tick's end. For the
 * solve of a substep a gap becomes what the centres may approach in it: the gap at its start, or 0
 * in an overlap, less the growth in the substep. So the surfaces, not the centres, stop there, and
 * bodies in contact part as fast as they grow. Position correction reads the gap at the start.
 * In: gaps, radii. Out: gaps. Cost: two passes over the groups while radii grow. */
#include <string.h>

#include "contact/solver.h"
#include "world/growth.h"

/* Speed at which the surfaces of a lane approach by growth, m/s. An immovable body or a moving
 * surface has no slot of a body. */
static double closing_speed(const kugel_world *world, const kg_contact_group *g, int lane)
{
    uint32_t count = world->bodies.count, a = g->a[lane], b = g->b[lane];
    return a < count ? kg_growth_closing_speed(world, a, b < count ? b : KG_NONE) : 0;
}

bool kg_growing_gaps_enter(kugel_world *world, double h)
{
    kg_contact_stage *stage = world->contact;
    if (world->work.growth.rate == 0) return true;
    if (!KG_RESERVE(&world->memory, &stage->columns[KG_CONTACT_COLUMN_GAPS], stage->gaps,
                    stage->group_count, 0))
        return false;
    for (uint32_t i = 0; i < stage->group_count; ++i) {
        kg_contact_group *g = &stage->groups[i];
        for (int lane = 0; lane < KG_LANES; ++lane) {
            double speed = closing_speed(world, g, lane),
                   gap = (double)g->gap[lane] + speed * world->work.growth.until;
            stage->gaps[i][lane] = (float)gap;
            g->gap[lane] = (float)(kg_max(gap, 0) - speed * h);
        }
    }
    return true;
}

void kg_growing_gaps_leave(kugel_world *world)
{
    kg_contact_stage *stage = world->contact;
    for (uint32_t i = 0; i < stage->group_count && world->work.growth.rate > 0; ++i)
        memcpy(stage->groups[i].gap, stage->gaps[i], sizeof stage->groups[i].gap);
}
