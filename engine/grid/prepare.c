/* Keep, mend or rebuild the lists at the start of a substep. */
#include "grid/grid.h"

/* Bodies of a piece. */
enum { RANGE = 2048 };

static double squared(double x) { return x * x; }

static double way_squared(const double x[3], const double anchor[3])
{
    return squared(x[0] - anchor[0]) + squared(x[1] - anchor[1]) + squared(x[2] - anchor[2]);
}

/* A body outside its skin (it was far, or pushed out of an overlap) has to be anchored anew. */
static double mend_beyond(const kg_grid *grid) { return squared(grid->skin * (1 - 1e-6)); }

/* Bodies that will have left their skins at the end of the substep if nothing stops them; is one outside now? Those
 * with room left are inside, and slow. */
typedef struct leavers {
    kugel_world *world;
    double h;
    uint32_t count;
    bool outside;
} leavers;

static void count_leavers(void *context, uint32_t index)
{
    leavers *l = context;
    const kg_grid *grid = l->world->grid;
    const kg_motion *motion = l->world->work.motion;
    double skin2 = squared(grid->skin), beyond = mend_beyond(grid), h = l->h;
    uint32_t n = l->world->bodies.count, count = 0, to = n - index * RANGE < RANGE ? n : (index + 1) * RANGE;
    bool outside = false;
    for (uint32_t i = index * RANGE; i < to; ++i) {
        if (!kg_grid_is_busy(grid, i)) continue;
        const kg_motion *m = &motion[i];
        const double *anchor = grid->anchor[i].x, ahead[3] = {m->x[0] + m->v[0] * h, m->x[1] + m->v[1] * h, m->x[2] + m->v[2] * h};
        count += way_squared(ahead, anchor) > skin2;
        outside |= way_squared(m->x, anchor) > beyond;
    }
    if (count) __atomic_fetch_add(&l->count, count, __ATOMIC_RELAXED);
    if (outside) __atomic_store_n(&l->outside, true, __ATOMIC_RELAXED);
}

static bool mend(kugel_world *world, bool outside)
{
    kg_grid *grid = world->grid;
    for (uint32_t k = 0; k < grid->far_count; ++k) {
        uint32_t slot = grid->far[k];
        if (!kg_grid_regrid(world, slot, world->work.motion[slot].x)) return false;
    }
    grid->far_count = 0;
    for (uint32_t i = 0; i < world->bodies.count && outside; ++i) {
        const double *x = world->work.motion[i].x;
        if (way_squared(x, grid->anchor[i].x) > mend_beyond(grid) && !kg_grid_regrid(world, i, x)) return false;
    }
    return true;
}

bool kg_grid_prepare(kugel_world *world, double h)
{
    /* a rebuild costs as much as moving some third of the bodies singly; it is also the time to adapt */
    enum { LEAVERS_SHARE = 10, REGRIDS_SHARE = 4 };
    kg_grid *grid = world->grid;
    uint32_t n = world->bodies.count;
    if (!kg_dense_prepare(world)) return false;
    if (grid->dense.used) return true;
    bool worn = world->regrids - grid->regrids > n / REGRIDS_SHARE + 16;
    if (!grid->valid || worn) return kg_grid_rebuild(world, 0, h);
    leavers l = {.world = world, .h = h};
    kg_for_pieces(world, (n + RANGE - 1) / RANGE, count_leavers, &l);
    return l.count > n / LEAVERS_SHARE ? kg_grid_rebuild(world, 0, h) : mend(world, l.outside);
}
