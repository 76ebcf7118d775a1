/* Measures normals and gaps of all contacts at the substep's start. Ends contacts that opened and,
 * at the tick's start, those of bodies that a call drove together so fast that they bounce.
 * In: positions, groups. Out: groups, end events. Cost: one parallel pass; ends are serial, in
 * order. */
#include <math.h>
#include <string.h>

#include "base/compiler.h"
#include "base/wide.h"
#define KG_WIDTH KG_LANES_4
#include "base/lanes.h"
#include "contact/contact.h"
#include "geometry/sweep_linear.h"
#include "world/pair_gap.h"
#include "world/periodic.h"

static double boundary_geometry(const kugel_world *world, uint32_t a, kg_boundary boundary,
                                double normal[3])
{
    const double unreachable = 1e30; /* finite in float */
    double gap = kg_resting_measure_boundary(world, a, boundary, normal);
    return gap < unreachable ? gap : unreachable;
}

double kg_contact_geometry(const kugel_world *world, uint32_t a, uint32_t b, uint32_t other,
                           double normal[3])
{
    if (other != KG_WITH_BODY) return boundary_geometry(world, a, other, normal);
    double d[3];
    for (int k = 0; k < 3; ++k) {
        double apart = world->work.motion[b].x[k] - world->work.motion[a].x[k];
        d[k] = kg_nearest_image(apart, world->grid->lattice->length[k]);
    }
    return kg_pair_gap(d, world->work.motion[a].radius, world->work.motion[b].radius, normal);
}

kugel_touch kg_contact_touch_event(const kugel_world *world, const kg_contact *c, double time)
{
    const kg_bodies *bodies = &world->bodies;
    uint32_t a = bodies->slot[c->a], b = c->with == KG_WITH_BODY ? bodies->slot[c->b] : KG_NONE;
    const kg_motion *m = &world->work.motion[a];
    kugel_touch touch = kg_resting_touch_event(world, c, time);
    kg_contact_geometry(world, a, b, b != KG_NONE ? KG_WITH_BODY : c->b, touch.normal);
    kg_add_scaled3(touch.point, m->x, m->radius, touch.normal);
    return touch;
}

/* Separations of KG_WIDTH pairs, of their nearest images, as columns; subtracted in double, then
 * rounded to float. */
KG_INLINE void separations(const kg_motion *motion, const kg_lattice *wraps, const uint32_t *a,
                           const uint32_t *b, kg_lanes d[4])
{
    kg_float4 row[KG_WIDTH];
    for (int k = 0; k < KG_WIDTH; ++k) {
        kg_double4 xa, xb; /* [3]: the clocks, which are 0 */
        memcpy(&xa, motion[a[k]].x, sizeof xa);
        memcpy(&xb, motion[b[k]].x, sizeof xb);
        KG_EACH (4) KG_L(xb) -= KG_L(xa);
        for (int axis = 0; axis < 3 && wraps; ++axis)
            KG_AT(xb, axis) = kg_nearest_image(KG_AT(xb, axis), wraps->length[axis]);
        KG_EACH (4) KG_L(row[k]) = KG_CONVERT(kg_float4, KG_L(xb));
    }
    kg_lanes_transpose(row, d);
}

/* Measure the pairs of a group. Returns bit k when the gap of lane k exceeds `least`; undefined for
 * boundaries. */
KG_INLINE uint32_t measure_pairs(const kg_motion *motion, const kg_lattice *wraps,
                                 kg_contact_group *g, float least)
{
    uint32_t open = 0;
    for (int lane = 0; lane < KG_LANES; lane += KG_WIDTH) {
        kg_lanes d[4], one = kg_lanes_splat(1), zero = kg_lanes_splat(0), reach;
        separations(motion, wraps, &g->a[lane], &g->b[lane], d);
        for (int k = 0; k < KG_WIDTH; ++k)
            KG_LANE(reach, k) =
                (float)(motion[g->a[lane + k]].radius + motion[g->b[lane + k]].radius);
        kg_lanes length = kg_lanes_sqrt(kg_lanes_dot(d, d));
        kg_lane_mask apart = length > 0; /* false: equal centres, normal +z */
        kg_lanes per = kg_lanes_select(apart, one / kg_lanes_select(apart, length, one), zero);
        for (int k = 0; k < 3; ++k) kg_lanes_store(&g->normal[k][lane], d[k] * per);
        if (kg_lanes_bits(apart) != (1u << KG_WIDTH) - 1) {
            kg_lanes up = kg_lanes_load(&g->normal[2][lane]);
            kg_lanes_store(&g->normal[2][lane], kg_lanes_select(apart, up, one));
        }
        kg_lanes gap = length - reach;
        kg_lanes_store(&g->gap[lane], gap);
        open |= kg_lanes_bits(gap > least) << lane;
    }
    return open;
}

/* Measure the pairs of very unlike radii again in double, since the float of a large radius is too
 * coarse for a gap. Returns `open` (the bits of measure_pairs) with the bits of these pairs
 * updated. */
static uint32_t measure_in_double(const kugel_world *world, kg_contact_group *g, uint32_t pairs,
                                  uint32_t open, float least)
{
    for (uint32_t lanes = pairs; lanes; lanes &= lanes - 1) {
        int lane = kg_lowest_bit(lanes);
        uint32_t a = g->a[lane], b = g->b[lane];
        double normal[3], reach = world->work.motion[a].radius + world->work.motion[b].radius;
        if (!(reach >
              KG_GAP_DOUBLE_RATIO * (double)kg_contact_smaller_radius(world->work.motion, a, b)))
            continue;
        g->gap[lane] = (float)kg_contact_geometry(world, a, b, KG_WITH_BODY, normal);
        open = (open & ~(1u << lane)) | (uint32_t)(g->gap[lane] > least) << lane;
    }
    return open;
}

/* False for walls, planes and facets of meshes, which are flat. */
static bool is_round(const kugel_world *world, kg_boundary k)
{
    if (!kg_boundary_is_feature(k)) return false;
    return !kg_boundary_is_facet(k) ||
           kg_surface_is_solid(kg_boundary_surface(world, (k - KG_BOUNDARY_FEATURES) / KG_PARTS));
}

/* The same distance for an open contact with a boundary, m; 0 where the boundary is flat. */
static double boundary_bend(const kugel_world *world, uint32_t slot, kg_boundary boundary,
                            double gap, const double normal[3])
{
    const kg_motion *m = &world->work.motion[slot];
    double h = world->work.substep_length, velocity[3], end[3], unused[3], along = 0;
    if (!is_round(world, boundary)) return 0;
    kg_boundary_velocity(world, boundary, 0, m->x, velocity);
    for (int k = 0; k < 3; ++k) {
        double path = (m->v[k] - velocity[k]) * h;
        end[k] = m->x[k] + path;
        along += path * normal[k];
    }
    double gap_at_end = kg_boundary_contact_gap(world, boundary, 0, end, m->radius, unused);
    return kg_max(gap_at_end - (gap - along), 0);
}

/* Measure the boundary contacts of a group. Returns bits like measure_pairs. */
static uint32_t measure_boundaries(const kugel_world *world, kg_contact_group *g,
                                   const kg_contact_group_info *info, float least)
{
    uint32_t open = 0;
    for (uint32_t lanes = info->boundary; lanes; lanes &= lanes - 1) {
        int lane = kg_lowest_bit(lanes);
        const kg_contact *c =
            &world->work.contacts.items[kg_contact_item(world->contact, info, lane)];
        double normal[3], gap = boundary_geometry(world, g->a[lane], c->b, normal);
        if (gap > 0) gap += boundary_bend(world, g->a[lane], c->b, gap, normal);
        open |= (uint32_t)((float)gap > least) << lane;
        g->gap[lane] = (float)gap;
        for (int k = 0; k < 3; ++k) g->normal[k][lane] = (float)normal[k];
    }
    return open;
}

/* Project the friction impulse of the last substep onto the tangent plane. */
KG_INLINE void project_friction(kg_contact_group *g)
{
    for (int lane = 0; lane < KG_LANES; lane += KG_WIDTH) {
        kg_lanes normal[3], friction_impulse[3];
        kg_lanes_load3(g->normal[0], lane, normal);
        kg_lanes_load3(g->friction_impulse[0], lane, friction_impulse);
        kg_lanes along = kg_lanes_dot(friction_impulse, normal);
        for (int k = 0; k < 3; ++k) friction_impulse[k] -= along * normal[k];
        kg_lanes_store3(g->friction_impulse[0], lane, friction_impulse);
    }
}

/* Store the forces of a contact that ends, for another feature of the surface that takes them over.
 * They replace the old forces of the contact; a backup keeps these in case the step fails. False
 * when out of memory. */
static bool keep_forces(kugel_world *world, uint32_t group, int lane, kg_contact *c)
{
    if (!kg_work_back_up_contacts(&world->memory, &world->work)) return false;
    kg_contact_store_lane(world, group, lane, c);
    return true;
}

/* End a contact. Its lane stays unused until the groups are made again. */
static bool end_contact(kugel_world *world, uint32_t group, int lane, double start)
{
    kg_contact_stage *stage = world->contact;
    kg_contact_group *g = &stage->groups[group];
    kg_contact_group_info *info = &stage->group_info[group];
    kg_contact *c = &world->work.contacts.items[kg_contact_item(stage, info, lane)];
    kugel_touch touch = kg_contact_touch_event(world, c, start);
    kg_resting_end_contact(world, c);
    c->ended = true;
    if (c->with == KG_WITH_FEATURE && !keep_forces(world, group, lane, c)) return false;
    stage->ended_count += 1;
    info->ended |= (uint8_t)(1u << lane);
    info->boundary &= (uint8_t) ~(1u << lane);
    kg_contact_clear_lane(world, g, info, lane);
    g->friction[lane] = g->impulse[lane] = g->gap[lane] = 0;
    for (int k = 0; k < 3; ++k) g->friction_impulse[k][lane] = 0;
    for (int k = 0; k < 3 && stage->rolling; ++k) stage->rolling[group].impulse[k][lane] = 0;
    return kg_resting_report_end(world, c, &touch);
}

/* Add to the gaps of open pairs the distance by which a straight path at the velocities of the
 * substep's start bends away from the normal: the gap at its end is then gap - approach h. So an
 * open contact acts only where the path ends in an overlap, not where it passes by. Returns the
 * lanes whose gap now exceeds `least`. */
static uint32_t bend_pairs(const kg_motion *motion, kg_contact_group *g, uint32_t lanes, double h,
                           float least)
{
    uint32_t wide = 0;
    for (; lanes; lanes &= lanes - 1) {
        int lane = kg_lowest_bit(lanes);
        const kg_motion *a = &motion[g->a[lane]], *b = &motion[g->b[lane]];
        double along = 0, path2 = 0, reach = a->radius + b->radius + (double)g->gap[lane];
        for (int k = 0; k < 3; ++k) {
            double path = (b->v[k] - a->v[k]) * h;
            along += path * (double)g->normal[k][lane];
            path2 += path * path;
        }
        double aside2 = kg_max(path2 - along * along, 0), end = reach + along,
               distance = sqrt(end * end + aside2);
        g->gap[lane] += (float)(end > 0 ? aside2 / (distance + end) : distance - end);
        wide |= (uint32_t)(g->gap[lane] > least) << lane;
    }
    return wide;
}

/* Bits of the lanes with a gap, except boundaries. */
KG_INLINE uint32_t open_pairs(const kg_contact_group *g, uint32_t pairs)
{
    kg_float8 gap;
    memcpy(&gap, g->gap, sizeof gap);
    kg_mask8 open;
    KG_EACH (8) KG_L(open) = KG_MASK(KG_L(gap) > 0);
    return kg_movemask8(&open) & pairs;
}

typedef struct measurement {
    const kugel_world *world;
    const kg_lattice *wraps; /* NULL: no periodic axis */
    float slop;              /* as a share of the smaller radius */
    float least;             /* m, slop of the smallest body: a lower bound of all slops */
    float smallest;          /* m, radius of that body */
    float force_time;        /* s, length of the substep, by which forces become impulses */
    bool needs_double;       /* true when radii may be too unlike for floats */
    bool driven; /* true at a tick's start when calls drove bodies since the last step */
} measurement;

static bool is_open(const measurement *m, const kg_contact_group *g, int lane)
{
    return g->gap[lane] >
           m->slop * kg_contact_smaller_radius(m->world->work.motion, g->a[lane], g->b[lane]);
}

/* End the contacts of a group that opened, or bounce because a call drove them. */
static bool end_marked(kugel_world *world, const measurement *m, uint32_t group, double start)
{
    const kg_contact_group *g = &world->contact->groups[group];
    const kg_contact_group_info *info = &world->contact->group_info[group];
    uint32_t used = ~(uint32_t)info->ended,
             driven = m->driven ? kg_contact_driven_lanes(world, group) : 0;
    for (uint32_t lanes = info->may_end & used; lanes; lanes &= lanes - 1) {
        int lane = kg_lowest_bit(lanes);
        if (!is_open(m, g, lane) && !(driven >> lane & 1)) continue;
        if (!end_contact(world, group, lane, start)) return false;
    }
    return true;
}

/* True when a pair overlaps by more than ENGULFED smaller radii, as bodies do that have less space
 * than their volume, and no others. `smallest`: a lower bound of
 * the radii, m. */
#define ENGULFED 0.25f
KG_INLINE bool any_engulfed(const kg_motion *motion, const kg_contact_group *g, uint32_t pairs,
                            float smallest)
{
    kg_float8 gap;
    memcpy(&gap, g->gap, sizeof gap);
    kg_mask8 deep;
    KG_EACH (8) KG_L(deep) = KG_MASK(KG_L(gap) < -ENGULFED * smallest);
    bool any = false;
    for (uint32_t lanes = kg_movemask8(&deep) & pairs; lanes; lanes &= lanes - 1) {
        int lane = kg_lowest_bit(lanes);
        any = any ||
              g->gap[lane] < -ENGULFED * kg_contact_smaller_radius(motion, g->a[lane], g->b[lane]);
    }
    return any;
}

KG_INLINE void measure(void *context, uint32_t range, uint32_t from, uint32_t to)
{
    const measurement *m = context;
    kg_contact_stage *stage = m->world->contact;
    bool engulfed = false;
    (void)range;
    for (uint32_t i = from; i < to; ++i) {
        if (i >= stage->impulse_group_count) kg_contact_scale_impulses(stage, i, m->force_time);
        kg_contact_group *g = &stage->groups[i];
        kg_contact_group_info *info = &stage->group_info[i];
        uint32_t pairs =
            measure_pairs(m->world->work.motion, m->wraps, g, m->least) & ~(uint32_t)info->boundary;
        if (m->needs_double)
            pairs =
                measure_in_double(m->world, g, 0xffu & ~(uint32_t)info->boundary, pairs, m->least);
        uint32_t open = open_pairs(g, 0xffu & ~(uint32_t)info->boundary);
        if (open)
            pairs |=
                bend_pairs(m->world->work.motion, g, open, m->world->work.substep_length, m->least);
        info->may_end =
            (uint8_t)(pairs |
                      (info->boundary ? measure_boundaries(m->world, g, info, m->least) : 0) |
                      (m->driven ? kg_contact_driven_lanes(m->world, i) : 0));
        if (info->has_friction) project_friction(g);
        engulfed = engulfed || any_engulfed(m->world->work.motion, g,
                                            0xffu & ~(uint32_t)info->boundary, m->smallest);
    }
    if (engulfed) KG_ATOMIC_STORE(&stage->any_engulfed, true);
}

KG_VARIANTS(void, measure, (void *context, uint32_t range, uint32_t from, uint32_t to),
            (context, range, from, to))

kugel_status kg_contact_measure_and_end(kugel_world *world, uint32_t from, double start)
{
    kg_contact_stage *stage = world->contact;
    const kg_lattice *lattice = world->grid->lattice;
    bool wraps = lattice->length[0] + lattice->length[1] + lattice->length[2] > 0;
    float slop = (float)kg_resting_slop_share(&world->def);
    measurement m = {world,
                     wraps ? lattice : NULL,
                     slop,
                     slop * (float)stage->smallest_radius,
                     (float)stage->smallest_radius,
                     (float)world->work.substep_length,
                     stage->largest_radius > (KG_GAP_DOUBLE_RATIO - 1.001) * stage->smallest_radius,
                     world->work.any_driven && start == 0};
    if (from == 0) stage->any_engulfed = false;
    kg_contact_for_groups(world, from, KG_WIDEST(measure), &m);
    stage->impulse_group_count = stage->group_count;
    for (uint32_t i = from; i < stage->group_count; ++i) {
        if (stage->group_info[i].may_end && !end_marked(world, &m, i, start))
            return KUGEL_ERROR_OUT_OF_MEMORY;
    }
    return KUGEL_OK;
}
