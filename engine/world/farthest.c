/* Notes how far bodies were from their start (farthest.h).
 * In: positions at the start of the tick, motions. Out: world->farthest. Order: none. */
#include "world/farthest.h"

#include "base/vec.h"
#include "world/periodic.h"

void kg_farthest_note(kugel_world *world, uint32_t from, uint32_t to, double unused)
{
    double length[3];
    (void)unused;
    for (int k = 0; k < 3; ++k) length[k] = kg_periodic_length(world, k);
    for (uint32_t i = from; i < to; ++i) {
        double d[3], *farthest = &world->farthest[world->bodies.id[i]];
        for (int k = 0; k < 3; ++k) {
            d[k] = world->work.motion[i].x[k] - world->bodies.x[k][i];
            if (length[k] > 0) d[k] += world->work.crossings[i][k] * length[k];
        }
        double distance = kg_length3(d);
        if (distance > *farthest) *farthest = distance;
    }
}
