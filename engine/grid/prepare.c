/* Keep, mend or rebuild the lists at the start of a substep. */
#include "grid/grid.h"

static double squared(double x) { return x * x; }

/* Bodies that will have left their skins at the end of the substep if nothing stops them. */
static uint32_t leavers(const kugel_world *world, double h)
{
    const kg_grid *grid = world->grid;
    double skin2 = squared(grid->skin);
    uint32_t count = 0;
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        const kg_motion *m = &world->work.motion[i];
        const double *anchor = grid->anchor[i].x;
        double way = 0;
        for (int k = 0; k < 3; ++k) way += squared(m->x[k] + m->v[k] * h - anchor[k]);
        count += way > skin2;
    }
    return count;
}

/* Bodies that are outside their skins now (they were far, or pushed out of an overlap). */
static bool mend(kugel_world *world)
{
    kg_grid *grid = world->grid;
    double skin2 = squared(grid->skin * (1 - 1e-6));
    for (uint32_t k = 0; k < grid->far_count; ++k) {
        uint32_t slot = grid->far[k];
        if (!kg_grid_regrid(world, slot, world->work.motion[slot].x)) return false;
    }
    grid->far_count = 0;
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        const double *x = world->work.motion[i].x, *anchor = grid->anchor[i].x;
        double way = squared(x[0] - anchor[0]) + squared(x[1] - anchor[1]) + squared(x[2] - anchor[2]);
        if (way > skin2 && !kg_grid_regrid(world, i, x)) return false;
    }
    return true;
}

bool kg_grid_prepare(kugel_world *world, double h)
{
    /* a rebuild costs as much as moving some third of the bodies singly; it is also the time to adapt */
    enum { LEAVERS_SHARE = 10, REGRIDS_SHARE = 4 };
    kg_grid *grid = world->grid;
    uint32_t n = world->bodies.count;
    bool worn = world->regrids - grid->regrids > n / REGRIDS_SHARE + 16;
    if (!grid->valid || worn || leavers(world, h) > n / LEAVERS_SHARE) return kg_grid_rebuild(world, 0, h);
    return mend(world);
}
