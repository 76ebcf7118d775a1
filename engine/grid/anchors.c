/* Anchors: where a body's list was made, and which boundaries it can meet from there. */
#include "grid/lists.h"

/* Faces and planes that the body can meet within its skin (periodic faces: that its centre can cross). */
static kg_boundary_set near_boundaries(const kugel_world *world, const kg_anchor *anchor, kg_boundary_set all, double skin)
{
    kg_boundary_set near = 0;
    while (all) {
        kg_boundary k = kg_boundary_set_take(&all);
        double radius = kg_boundary_is_periodic(world, k) ? 0 : (double)anchor->radius;
        if (kg_boundary_gap(world, k, anchor->x, radius) <= skin) near |= kg_boundary_set_of(k);
    }
    return near;
}

bool kg_grid_set_far(kugel_world *world, uint32_t slot)
{
    enum { COLUMN_FAR = 7 };
    kg_grid *grid = world->grid;
    kg_column *column = &grid->columns[COLUMN_FAR];
    size_t need = (size_t)grid->far_count + 1;
    if (!kg_column_reserve(&world->memory, column, sizeof *grid->far, need, grid->far_count)) return false;
    grid->far = column->data;
    grid->near[slot] = kg_boundary_all(world) | KG_NEAR_FAR;
    grid->far[grid->far_count++] = slot;
    return true;
}

void kg_grid_unset_far(kg_grid *grid, uint32_t slot)
{
    uint32_t k = 0;
    while (grid->far[k] != slot) ++k;
    grid->far[k] = grid->far[--grid->far_count];
}

static inline void anchor_place(const kugel_world *world, uint32_t slot, double now, double h, double place[3])
{
    const kugel_bounds *bounds = &world->def.bounds;
    const kg_motion *m = &world->work.motion[slot];
    const double *v = m->v, skin = world->grid->skin, rest = h - now;
    double speed2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    double lead = speed2 * rest * rest > skin * skin ? KG_ANCHOR_LEAD * skin / __builtin_sqrt(speed2) : 0;
    for (int k = 0; k < 3; ++k) place[k] = m->x[k]; /* at 0 frames may not be chosen yet */
    if (now > 0) kg_place_at(&world->work, slot, now, place);
    for (int k = 0; k < 3; ++k) {
        place[k] += lead * v[k];
        if (bounds->faces[2 * k] != KUGEL_FACE_PERIODIC) continue;
        place[k] = place[k] < bounds->min[k] ? bounds->min[k] : place[k];
        place[k] = place[k] > bounds->max[k] ? bounds->max[k] : place[k];
    }
}

void kg_anchor_place(const kugel_world *world, uint32_t slot, double now, double h, double place[3])
{
    anchor_place(world, slot, now, h, place);
}

static inline void set_anchor(kugel_world *world, uint32_t slot, const double place[3])
{
    kg_anchor *anchor = &world->grid->anchor[slot];
    for (int k = 0; k < 3; ++k) anchor->x[k] = place[k];
    anchor->radius = (float)(world->bodies.radius[slot] * (1 + 0x1p-23)); /* rounded up */
}

/* A little more than the skin: sides are taken from rounded places. */
static double near_skin(const kg_grid *grid) { return grid->skin * 1.0625; }

void kg_anchor_at(kugel_world *world, uint32_t slot, const double place[3])
{
    kg_grid *grid = world->grid;
    set_anchor(world, slot, place);
    grid->near[slot] = near_boundaries(world, &grid->anchor[slot], kg_boundary_all(world), near_skin(grid));
}

/* Inside these bounds a body is not near a face. */
typedef struct inner {
    double low[3], high[3]; /* m; of bodies without extent */
} inner;

static inner inner_bounds(const kugel_world *world, double skin)
{
    const kugel_bounds *bounds = &world->def.bounds;
    inner in;
    for (int k = 0; k < 3; ++k) {
        double most = 4 * KG_VALUE_LIMIT, least = -most;
        in.low[k] = bounds->faces[2 * k] == KUGEL_FACE_OPEN ? least : bounds->min[k] + skin;
        in.high[k] = bounds->faces[2 * k + 1] == KUGEL_FACE_OPEN ? most : bounds->max[k] - skin;
    }
    return in;
}

/* With a margin for rounding. */
static inline bool is_inside(const inner *in, const kg_anchor *anchor)
{
    bool inside = true;
    for (int k = 0; k < 3; ++k) {
        double x = anchor->x[k], more = anchor->radius + 1e-12 * __builtin_fabs(x);
        inside &= (x - more > in->low[k]) & (x + more < in->high[k]);
    }
    return inside;
}

void kg_anchor_range(kugel_world *world, uint32_t from, uint32_t to, double now, double h)
{
    kg_grid *grid = world->grid;
    double skin = near_skin(grid);
    inner in = inner_bounds(world, skin * (1 + 1e-9));
    kg_boundary_set all = kg_boundary_all(world);
    for (uint32_t i = from; i < to; ++i) {
        double place[3];
        anchor_place(world, i, now, h, place);
        set_anchor(world, i, place);
        kg_grid_forget_room(grid, i);
        bool far = !world->plane_count && is_inside(&in, &grid->anchor[i]);
        grid->near[i] = far ? 0 : near_boundaries(world, &grid->anchor[i], all, skin);
    }
}
