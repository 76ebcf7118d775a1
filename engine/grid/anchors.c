/* Anchors: where a body's list was made, and which boundaries it can meet from there. */
#include "grid/lists.h"

/* Faces and planes that the body can meet within its skin (periodic faces: that its centre can cross). */
static uint64_t near_boundaries(const kugel_world *world, const kg_anchor *anchor, double skin)
{
    const kugel_bounds *bounds = &world->def.bounds;
    uint64_t near = 0;
    for (uint32_t f = 0; f < 6; ++f) {
        if (bounds->faces[f] == KUGEL_FACE_OPEN) continue;
        double x = anchor->x[f / 2];
        double distance = f & 1 ? bounds->max[f / 2] - x : x - bounds->min[f / 2];
        double radius = bounds->faces[f] == KUGEL_FACE_WALL ? anchor->radius : 0;
        if (distance - radius <= skin) near |= (uint64_t)1 << f;
    }
    for (uint32_t p = 0; p < world->plane_count; ++p) {
        const kugel_plane *plane = &world->planes[p];
        double distance = plane->normal[0] * anchor->x[0] + plane->normal[1] * anchor->x[1] +
                          plane->normal[2] * anchor->x[2] - plane->offset;
        if (distance - anchor->radius <= skin) near |= (uint64_t)1 << (KG_OTHER_PLANE + p);
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
    uint64_t all = KG_NEAR_FAR;
    for (uint32_t f = 0; f < 6; ++f) {
        if (world->def.bounds.faces[f] != KUGEL_FACE_OPEN) all |= (uint64_t)1 << f;
    }
    all |= (((uint64_t)1 << world->plane_count) - 1) << KG_OTHER_PLANE;
    grid->near[slot] = all;
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
    grid->near[slot] = near_boundaries(world, &grid->anchor[slot], near_skin(grid));
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
    for (uint32_t i = from; i < to; ++i) {
        double place[3];
        anchor_place(world, i, now, h, place);
        set_anchor(world, i, place);
        kg_grid_forget_room(grid, i);
        bool far = !world->plane_count && is_inside(&in, &grid->anchor[i]);
        grid->near[i] = far ? 0 : near_boundaries(world, &grid->anchor[i], skin);
    }
}
