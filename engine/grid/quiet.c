/* Which bodies have to be looked at in a substep. Most of a settled pile moves by less than its gaps:
 * a body whose way is short is quiet, and keeps account of its room, which no gap that it has is smaller
 * than. Each substep takes off its own way, and the longest quiet one for its neighbour: twice, for both
 * may also be pushed. While more than that is left nothing can be met, and the body needs no look.
 *
 * A pair of quiet bodies is safe by the account that was opened later: since then both were quiet. A body
 * that is not quiet looks at all its neighbours, quiet or not, and opens a new account when it gets quiet.
 * So this changes no result, only what is looked at. */
#include <float.h>
#include <math.h>

#include "grid/grid.h"
#include "world/sleep.h"

static double room_to_bodies(const kugel_world *world, uint32_t i)
{
    const kg_grid *grid = world->grid;
    const kg_motion *mi = &world->work.motion[i];
    double room = grid->skin;
    for (uint32_t c = i; c != KG_NONE; c = grid->chunks[c].next) {
        const kg_chunk *chunk = &grid->chunks[c];
        for (uint32_t k = 0; k < chunk->count; ++k) {
            uint32_t entry = chunk->entry[k], image = entry >> KG_ENTRY_IMAGE_SHIFT;
            if (entry & KG_ENTRY_RESTING) continue;
            const kg_motion *mj = &world->work.motion[entry & KG_ENTRY_SLOT];
            double d[3] = {mj->x[0] - mi->x[0], mj->x[1] - mi->x[1], mj->x[2] - mi->x[2]}, offset[3];
            if (image != KG_IMAGE_NONE) {
                kg_image_offset(&grid->lattice, image, offset);
                for (int x = 0; x < 3; ++x) d[x] += offset[x];
            }
            double gap = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - mi->radius - mj->radius;
            room = gap < room ? gap : room;
        }
    }
    return room;
}

/* Walls and planes are met by the surface, periodic faces are crossed by the centre. */
static double room_to_boundaries(const kugel_world *world, uint32_t i, double room)
{
    const kg_motion *m = &world->work.motion[i];
    uint64_t near = world->grid->near[i] & ~world->work.resting[i];
    for (; near; near &= near - 1) {
        uint32_t k = (uint32_t)__builtin_ctzll(near), axis = k / 2;
        double gap;
        if (k < KG_OTHER_PLANE) {
            gap = k & 1 ? world->def.bounds.max[axis] - m->x[axis] : m->x[axis] - world->def.bounds.min[axis];
            if (world->def.bounds.faces[k] != KUGEL_FACE_PERIODIC) gap -= m->radius;
        } else {
            const kugel_plane *plane = &world->planes[k - KG_OTHER_PLANE];
            gap = -plane->offset - m->radius;
            for (int x = 0; x < 3; ++x) gap += plane->normal[x] * m->x[x];
        }
        room = gap < room ? gap : room;
    }
    return room;
}

static double room_in_skin(const kugel_world *world, uint32_t i, double room)
{
    const double *x = world->work.motion[i].x, *anchor = world->grid->anchor[i].x;
    double way = 0;
    for (int k = 0; k < 3; ++k) way += (x[k] - anchor[k]) * (x[k] - anchor[k]);
    double left = world->grid->skin * (1 - 1e-6) - sqrt(way);
    return left < room ? left : room;
}

static double measure_room(const kugel_world *world, uint32_t i)
{
    return room_in_skin(world, i, room_to_boundaries(world, i, room_to_bodies(world, i))) * (1 - 1e-6);
}

/* The longest way that the body can go in the substep unless it meets something, m, squared. */
static inline double way_squared(const kg_work *work, uint32_t i, double h)
{
    double a[3], speed2 = 0;
    kg_acceleration(work, i, a);
    for (int k = 0; k < 3; ++k) {
        double speed = fabs(work->motion[i].v[k]) + fabs(a[k]) * h;
        speed2 += speed * speed;
    }
    return speed2 * h * h;
}

/* Opens a new account where less room is left than `needed`; closed again when that is still so. */
static void check_room(kugel_world *world, uint32_t i, float needed)
{
    float *room = &world->grid->anchor[i].room;
    bool known = *room > needed && *room <= world->grid->skin; /* more: it slept */
    if (!known) *room = (float)measure_room(world, i);
    if (!(*room > needed)) kg_grid_forget_room(world->grid, i);
}

/* A way up to `most` is short. Room is needed for the body's own and its neighbour's. */
static inline void find_whether_busy(kugel_world *world, uint32_t i, double h, double most, double neighbour, bool spend)
{
    kg_anchor *anchor = &world->grid->anchor[i];
    if (world->work.calm[i] == KG_ASLEEP) {
        anchor->room = FLT_MAX; /* who meets it looks for itself */
        return;
    }
    double way2 = way_squared(&world->work, i, h);
    if (way2 > most * most || kg_grid_is_far(world->grid, i)) {
        kg_grid_forget_room(world->grid, i);
        return;
    }
    float needed = (float)((sqrt(way2) + neighbour) * (1 + 1e-6));
    check_room(world, i, needed);
    if (spend && anchor->room > 0) anchor->room -= needed; /* stays above 0 */
}

double kg_grid_quiet_way(const kugel_world *world, double h)
{
    double way = KG_QUIET_WAY * world->grid->smallest, slow = 0.49 * world->work.rest_speed * h;
    return slow < way ? slow : way;
}

void kg_grid_spend_room(kugel_world *world, uint32_t i, double h, double quiet_way)
{
    find_whether_busy(world, i, h, quiet_way, 2 * quiet_way, true);
}

void kg_grid_find_falling_busy(kugel_world *world, double h)
{
    double g2 = 0;
    for (int k = 0; k < 3; ++k) g2 += world->work.gravity[k] * world->work.gravity[k];
    double most = kg_grid_quiet_way(world, h) + 1.01 * sqrt(g2) * h * h;
    for (uint32_t i = 0; i < world->bodies.count; ++i) find_whether_busy(world, i, h, most, most, false);
}

void kg_grid_pushed(kugel_world *world, uint32_t i, double way, double quiet_way)
{
    float *room = &world->grid->anchor[i].room;
    if (way > quiet_way) kg_grid_forget_room(world->grid, i);
    else *room -= (float)(way * (1 + 1e-6));
}
