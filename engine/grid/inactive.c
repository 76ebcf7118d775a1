/* Finds the active bodies, which can meet something in a substep; inactive ones need no test.
 * The clearance of a body is a lower bound of the gaps around it. Each substep reduces it by the
 * body's own motion and by twice the largest motion of an inactive neighbour, which contacts may
 * displace, too. While the clearance is positive, the body is inactive. Two inactive bodies cannot
 * meet: of their two clearances the one measured later covers the motion of both. An active body
 * tests all its neighbours, and measures its clearance when it becomes inactive. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "base/wide.h"
#include "grid/neighbours.h"
#include "world/sleep_state.h"
#include "world/thresholds.h"

static double clearance_to_bodies(const kugel_world *world, uint32_t i, double clearance)
{
    const kg_grid *grid = world->grid;
    const kg_motion *mi = &world->work.motion[i];
    for (uint32_t c = i; c != KG_NONE; c = grid->nodes[c].next) {
        const kg_list_node *node = &grid->nodes[c];
        for (uint32_t k = 0; k < node->count; ++k) {
            uint32_t neighbour = node->neighbour[k], image = neighbour >> KG_NEIGHBOUR_IMAGE_SHIFT;
            if (neighbour & KG_NEIGHBOUR_RESTING) continue;
            const kg_motion *mj = &world->work.motion[neighbour & KG_NEIGHBOUR_SLOT];
            double d[3];
            kg_sub3(d, mj->x, mi->x);
            if (image != KG_IMAGE_NONE) kg_add_scaled3(d, d, 1, grid->lattice->shift[image]);
            double gap = kg_length3(d) - mi->radius - mj->radius;
            clearance = gap < clearance ? gap : clearance;
        }
    }
    return clearance;
}

/* A body meets walls with its surface, and crosses periodic faces with its centre. */
static double clearance_to_boundaries(const kugel_world *world, uint32_t i, double clearance)
{
    const kg_motion *m = &world->work.motion[i];
    kg_boundary_set near =
        world->grid->near_boundaries[i] & ~KG_NEAR_UNLISTED & ~world->work.resting_boundaries[i];
    while (near) {
        kg_boundary k = kg_boundary_set_take(&near);
        double gap =
            kg_boundary_gap(world, k, 0, m->x, kg_boundary_is_periodic(world, k) ? 0 : m->radius);
        clearance = gap < clearance ? gap : clearance;
    }
    return clearance;
}

/* Features that the body rests on do not count. */
static double clearance_to_surfaces(const kugel_world *world, uint32_t i, double clearance)
{
    const kg_motion *m = &world->work.motion[i];
    kg_near_triangles near = kg_neighbours_triangles_within(world, i, m->x, m->radius + clearance);
    for (uint32_t triangle; kg_near_triangles_next(&near, &triangle);) {
        if (!(kg_boundary_distance(world, triangle, m->x) - m->radius < clearance)) continue;
        bool rests;
        double gap = kg_boundary_clearance(world, triangle, i, clearance, &rests);
        clearance = gap < clearance ? gap : clearance;
    }
    return clearance;
}

/* The range of the body's lists; below 0 where contacts moved it out of its skin. */
static double clearance_in_skin(const kugel_world *world, uint32_t i)
{
    double d[3];
    if (world->grid->drift_path > 0) return -1; /* a drifting skin leaves even a body at rest */
    kg_sub3(d, world->work.motion[i].x, world->grid->origin[i].x);
    return world->grid->skin * (1 - 1e-6) - kg_length3(d);
}

static double measure_clearance(const kugel_world *world, uint32_t i)
{
    double clearance = clearance_in_skin(world, i);
    if (!(clearance > 0)) return clearance; /* the lists may lack neighbours */
    clearance = clearance_to_boundaries(world, i, clearance_to_bodies(world, i, clearance));
    return clearance_to_surfaces(world, i, clearance) * (1 - 1e-6);
}

/* Largest change of velocity along each axis by acceleration in a substep of length h. */
typedef struct speed_gain {
    double h;                /* s */
    kg_double4 gravity_gain; /* m/s, of a body accelerated by gravity alone */
} speed_gain;

KG_INLINE void speed_gain_of(const double a[3], double h, kg_double4 *gain)
{
    *gain = (kg_double4){fabs(a[0]) * h, fabs(a[1]) * h, fabs(a[2]) * h, 0};
}

/* Square of the longest motion in the substep without a collision, m^2. */
KG_INLINE double displacement_squared(const kg_work *work, uint32_t i, const speed_gain *p)
{
    kg_double4 v, gain = {0};
    if (work->frame[i] == KG_FRAME_GRAVITY) gain = p->gravity_gain;
    if (work->frame[i] >= KG_FRAME_PER_BODY) speed_gain_of(work->acceleration[i], p->h, &gain);
    memcpy(&v, work->motion[i].v, sizeof v);
    KG_EACH (4) {
        kg_double4_lane most = KG_ABSOLUTE4(KG_L(v)) + KG_L(gain);
        KG_L(v) = most * most;
    }
    return (KG_AT(v, 0) + KG_AT(v, 1) + KG_AT(v, 2)) * p->h * p->h;
}

/* Measure the clearance; the body is active when the clearance is at most `needed`, m. */
static void remeasure_clearance(kugel_world *world, uint32_t i, float needed)
{
    float *clearance = &world->grid->clearance[i];
    *clearance = (float)measure_clearance(world, i);
    if (!(*clearance > needed)) kg_grid_reset_clearance(world->grid, i);
}

/* The body is inactive if it moves by at most `inactive_limit` (m) and its clearance exceeds its
 * own motion plus `neighbour_motion` (m). `spend`: reduce the clearance by both. */
KG_INLINE void update_active(kugel_world *world, uint32_t i, const speed_gain *p,
                             double inactive_limit, double neighbour_motion, bool spend)
{
    float *clearance = &world->grid->clearance[i];
    if (world->surfaces.moving_count && kg_neighbours_any_moving_triangle(world, i)) {
        /* a surface may come to a body at rest, also to a sleeping one, which begins no other
         * contact (contact_find.c) */
        kg_grid_reset_clearance(world->grid, i);
        return;
    }
    if (world->work.sleep_state[i] == KG_ASLEEP) {
        *clearance = FLT_MAX; /* an awake body that meets it tests the pair */
        return;
    }
    double displacement2 = displacement_squared(&world->work, i, p);
    /* true for a body that accelerates although it has contacts: one of them may constrain it at
     * once */
    bool unconstrained =
        spend && world->work.contact_count[i] && world->work.frame[i] != KG_FRAME_INERTIAL;
    if (displacement2 > inactive_limit * inactive_limit || unconstrained ||
        (world->grid->unlisted_count && kg_grid_is_unlisted(world->grid, i))) {
        kg_grid_reset_clearance(world->grid, i);
        return;
    }
    float needed = (float)((sqrt(displacement2) + neighbour_motion) * (1 + 1e-6));
    KG_ASSERT(!(*clearance > world->grid->skin) || *clearance > FLT_MAX / 2);
    bool known =
        *clearance > needed && *clearance <= world->grid->skin; /* above the skin: set in sleep */
    if (!known) remeasure_clearance(world, i, needed);
    if (spend && *clearance > 0) kg_grid_reduce_clearance(clearance, needed); /* stays above 0 */
}

double kg_grid_inactive_motion(const kugel_world *world, double h)
{
    double smallest = world->grid->smallest_radius,
           displacement = KG_INACTIVE_TRAVEL * world->work.substep_ratio * smallest;
    double rest_limit = 0.49 * kg_rest_speed(world, smallest) * h;
    return rest_limit < displacement ? rest_limit : displacement;
}

KG_INLINE void spend_clearance(kugel_world *world, uint32_t from, uint32_t to, double h)
{
    double inactive_limit = kg_grid_inactive_motion(world, h);
    speed_gain p = {.h = h};
    speed_gain_of(world->work.gravity, h, &p.gravity_gain);
    for (uint32_t i = from; i < to; ++i)
        update_active(world, i, &p, inactive_limit, 2 * inactive_limit, true);
}

/* Limits for the search of new contacts, in which all bodies are assumed to fall. Where all fall
 * alike and none is at rest, they approach boundaries but not each other. */
typedef struct falling {
    speed_gain speed_gain;
    /* m, longest path of an inactive body; clearances also cover this path of a neighbour */
    double inactive_limit;
    /* m, replaces inactive_limit as the covered motion of a neighbour, for a body near a triangle
     * or near a boundary on which it does not rest */
    double needed_near_boundary;
} falling;

KG_INLINE void falling_of(const kugel_world *world, double h, falling *f)
{
    double inactive = kg_grid_inactive_motion(world, h),
           fall = 1.01 * world->work.gravity_magnitude * h * h;
    bool uniform_fall = !world->work.has_own_accelerations && !world->work.any_inert;
    *f = (falling){.speed_gain = {.h = h},
                   .inactive_limit = uniform_fall ? inactive : inactive + fall,
                   .needed_near_boundary = inactive + fall};
    if (!uniform_fall) speed_gain_of(world->work.gravity, h, &f->speed_gain.gravity_gain);
}

KG_INLINE double neighbour_motion_of(const kugel_world *world, uint32_t i, const falling *f)
{
    return world->grid->near_boundaries[i] & ~world->work.resting_boundaries[i] ||
                   kg_neighbours_any_triangle(world, i)
               ? f->needed_near_boundary
               : f->inactive_limit;
}

KG_INLINE void find_falling(kugel_world *world, uint32_t from, uint32_t to, double h)
{
    falling f;
    falling_of(world, h, &f);
    for (uint32_t i = from; i < to; ++i)
        update_active(world, i, &f.speed_gain, f.inactive_limit, neighbour_motion_of(world, i, &f),
                      false);
}

KG_RANGE_VARIANTS(spend_clearance)
KG_RANGE_VARIANTS(find_falling)

void kg_grid_spend_clearance(kugel_world *world, double h)
{
    kg_for_bodies(world, KG_WIDEST(spend_clearance), h);
}

void kg_grid_find_falling_active(kugel_world *world, double h)
{
    kg_for_bodies(world, KG_WIDEST(find_falling), h);
}
