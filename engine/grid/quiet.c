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
#include <string.h>

#include "base/wide.h"
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
    kg_boundary_set near = world->grid->near[i] & ~KG_NEAR_FAR & ~world->work.resting[i];
    while (near) {
        kg_boundary k = kg_boundary_set_take(&near);
        double gap = kg_boundary_gap(world, k, m->x, kg_boundary_is_periodic(world, k) ? 0 : m->radius);
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

/* What accelerations add to speeds in a substep of length h, at most. */
typedef struct pace {
    double h;       /* s */
    kg_double4 own; /* m/s, of a body that falls with the world */
} pace;

KG_INLINE void kick_of(const double a[3], double h, kg_double4 *kick)
{
    *kick = (kg_double4){fabs(a[0]) * h, fabs(a[1]) * h, fabs(a[2]) * h, 0};
}

/* The longest way that the body can go in the substep unless it meets something, m, squared. */
KG_INLINE double way_squared(const kg_work *work, uint32_t i, const pace *p)
{
    kg_double4 v, kick = {0, 0, 0, 0};
    kg_mask4 bits;
    if (work->frame[i] == KG_FRAME_GRAVITY) kick = p->own;
    if (work->frame[i] >= KG_FRAME_OWN) kick_of(work->acceleration[i], p->h, &kick);
    memcpy(&bits, work->motion[i].v, sizeof bits);
    bits &= INT64_MAX; /* no sign */
    memcpy(&v, &bits, sizeof v);
    v += kick;
    v *= v;
    return (v[0] + v[1] + v[2]) * p->h * p->h;
}

/* Opens a new account where less room is left than `needed`; closed again when that is still so. */
static void check_room(kugel_world *world, uint32_t i, float needed)
{
    float *room = &world->grid->room[i];
    *room = (float)measure_room(world, i);
    if (!(*room > needed)) kg_grid_forget_room(world->grid, i);
}

/* A way up to `most` is short. Room is needed for the body's own and its neighbour's. */
KG_INLINE void find_whether_busy(kugel_world *world, uint32_t i, const pace *p, double most, double neighbour, bool spend)
{
    float *room = &world->grid->room[i];
    if (world->work.calm[i] == KG_ASLEEP) {
        *room = FLT_MAX; /* who meets it looks for itself */
        return;
    }
    double way2 = way_squared(&world->work, i, p);
    if (way2 > most * most || (world->grid->far_count && kg_grid_is_far(world->grid, i))) {
        kg_grid_forget_room(world->grid, i);
        return;
    }
    float needed = (float)((__builtin_sqrt(way2) + neighbour) * (1 + 1e-6));
    bool known = *room > needed && *room <= world->grid->skin; /* more: it slept */
    if (!known) check_room(world, i, needed);
    if (spend && *room > 0) *room -= needed; /* stays above 0 */
}

double kg_grid_quiet_way(const kugel_world *world, double h)
{
    double smallest = world->grid->smallest, way = KG_QUIET_WAY * world->work.stretch * smallest;
    double slow = 0.49 * kg_rest_speed(&world->work, smallest) * h;
    return slow < way ? slow : way;
}

KG_INLINE void spend_room_any(kugel_world *world, uint32_t from, uint32_t to, double h)
{
    double most = kg_grid_quiet_way(world, h);
    pace p = {.h = h};
    kick_of(world->work.gravity, h, &p.own);
    for (uint32_t i = from; i < to; ++i) find_whether_busy(world, i, &p, most, 2 * most, true);
}

/* Who may meet somebody before anything holds it: everybody falls. Where all fall alike and nobody keeps still, bodies fall
 * towards boundaries, but not towards one another. */
typedef struct falling {
    pace pace;
    double most;             /* a way up to this is short, m, and what a body needs besides its own */
    double near_boundaries;  /* what one needs with a boundary near that it does not rest on */
} falling;

KG_INLINE void falling_of(const kugel_world *world, double h, falling *f)
{
    double quiet = kg_grid_quiet_way(world, h), falls = 1.01 * world->work.pull * h * h;
    bool alike = !world->work.own && !world->work.inert;
    *f = (falling){.pace = {.h = h}, .most = alike ? quiet : quiet + falls, .near_boundaries = quiet + falls};
    if (!alike) kick_of(world->work.gravity, h, &f->pace.own);
}

KG_INLINE double neighbour_of(const kugel_world *world, uint32_t i, const falling *f)
{
    return world->grid->near[i] & ~world->work.resting[i] ? f->near_boundaries : f->most;
}

KG_INLINE void find_falling_any(kugel_world *world, uint32_t from, uint32_t to, double h)
{
    falling f;
    falling_of(world, h, &f);
    for (uint32_t i = from; i < to; ++i) find_whether_busy(world, i, &f.pace, f.most, neighbour_of(world, i, &f), false);
}

/* Whoever was quiet in the substep before has not become faster than that. */
KG_INLINE void find_falling_again_any(kugel_world *world, uint32_t from, uint32_t to, double h)
{
    falling f;
    falling_of(world, h, &f);
    float skin = (float)world->grid->skin; /* more: it slept */
    for (uint32_t i = from; i < to; ++i) {
        double neighbour = neighbour_of(world, i, &f);
        float room = world->grid->room[i], enough = (float)((f.most + neighbour) * (1 + 1e-6));
        if (!(room > enough && room <= skin)) find_whether_busy(world, i, &f.pace, f.most, neighbour, false);
    }
}

KG_WIDE_PASS(spend_room, (kugel_world *world, uint32_t from, uint32_t to, double h), world, from, to, h)
KG_WIDE_PASS(find_falling, (kugel_world *world, uint32_t from, uint32_t to, double h), world, from, to, h)
KG_WIDE_PASS(find_falling_again, (kugel_world *world, uint32_t from, uint32_t to, double h), world, from, to, h)

void kg_grid_spend_room(kugel_world *world, double h) { kg_for_bodies(world, KG_WIDEST(spend_room), h); }

void kg_grid_find_falling_busy(kugel_world *world, double h, bool first)
{
    bool all = first || world->work.own; /* a force that a contact held may be any */
    kg_for_bodies(world, all ? KG_WIDEST(find_falling) : KG_WIDEST(find_falling_again), h);
}
