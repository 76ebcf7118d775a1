/* Position correction of the deep contacts of a group, KG_WIDTH at once. A template:
 * position_correction.c includes it for each width. */
#include "base/lanes.h"

#define limited_inverse_mass KG_LANES_NAME(limited_inverse_mass)
#define smaller_radii KG_LANES_NAME(smaller_radii)
#define correct_group KG_LANES_NAME(correct_group)
#define correct_positions KG_LANES_NAME(correct_positions)

/* The inverse mass of a body of a deep contact: the heavier of the two counts as at most
 * KG_CORRECTION_MASS_RATIO times as heavy as the lighter. Otherwise a light body between two heavy
 * ones would be moved out of one into the other. An immovable body keeps 0. */
static inline kg_lanes limited_inverse_mass(kg_lanes inverse, kg_lanes other)
{
    kg_lanes least = other / (float)KG_CORRECTION_MASS_RATIO;
    return kg_lanes_select((inverse > 0) & (inverse < least), least, inverse);
}

static inline kg_lanes smaller_radii(const kugel_world *world, const kg_contact_group *g, int lane)
{
    const kg_contact_stage *stage = world->contact;
    if (stage->smallest_radius == stage->largest_radius)
        return kg_lanes_splat((float)stage->smallest_radius);
    kg_lanes radius;
    for (int k = 0; k < KG_WIDTH; ++k)
        KG_LANE(radius, k) =
            kg_contact_smaller_radius(world->work.motion, g->a[lane + k], g->b[lane + k]);
    return radius;
}

static inline void correct_group(const correction *c, uint32_t group)
{
    const kg_contact_group *g = &c->world->contact->groups[group];
    const kg_contact_group_info *info = &c->world->contact->group_info[group];
    kg_position_correction *shifts = c->world->contact->corrections;
    const kg_contact_locks *locks = kg_contact_locks_of(c->world->contact, group);
    uint32_t moving =
        kg_surfaces_any_drags(&c->world->surfaces) ? kg_moving_surfaces_lanes(c->world, group) : 0;
    for (int lane = 0; lane < KG_LANES; lane += KG_WIDTH) {
        kg_lanes xa[4], xb[4], separation[3], normal[3], zero = kg_lanes_splat(0);
        kg_lanes_load_rows(shifts->x, 4, &g->a[lane], xa);
        kg_lanes_load_rows(shifts->x, 4, &g->b[lane], xb);
        kg_lanes_load3(g->normal[0], lane, normal);
        kg_lanes radius = smaller_radii(c->world, g, lane);
        for (int k = 0; k < 3; ++k) separation[k] = xb[k] - xa[k];
        kg_lanes gap = kg_lanes_load(&g->gap[lane]) + kg_lanes_dot(separation, normal);
        kg_lanes max_correction = c->most * radius, most_shallow = kg_lanes_splat(c->most_shallow);
        for (int k = 0; k < KG_WIDTH; ++k)
            if (moving >> (lane + k) & 1) KG_LANE(most_shallow, k) = KG_LANE(max_correction, k);
        kg_lanes correction = c->share * (-gap - (float)KG_CORRECTION_SLOP * radius);
        correction = kg_lanes_select(correction > most_shallow, most_shallow, correction);
        kg_lanes deep = -gap - (float)KG_CORRECTION_DEEP * radius,
                 inverse_a = kg_lanes_select(deep > 0, limited_inverse_mass(xa[3], xb[3]), xa[3]),
                 inverse_b = kg_lanes_select(deep > 0, limited_inverse_mass(xb[3], xa[3]), xb[3]),
                 inverse = inverse_a + inverse_b;
        correction += c->deep_share * kg_lanes_select(deep > 0, deep, zero);
        correction = kg_lanes_select(correction > max_correction, max_correction, correction);
        correction = kg_lanes_select(correction > 0, correction, zero) /
                     kg_lanes_select(inverse > 0, inverse, kg_lanes_splat(1));
        for (int k = 0; k < 3; ++k) {
            xa[k] -= correction * normal[k] * inverse_a;
            xb[k] += correction * normal[k] * inverse_b;
        }
        if (locks) {
            for (int k = 0; k < 3; ++k) {
                xa[k] *= kg_lanes_load(&locks->a[k * KG_LANES + lane]);
                xb[k] *= kg_lanes_load(&locks->b[k * KG_LANES + lane]);
            }
        }
        kg_lanes_store_rows(shifts->x, 4, &g->a[lane], xa,
                            info->immovable_a >> lane & ((1u << KG_WIDTH) - 1));
        kg_lanes_store_rows(shifts->x, 4, &g->b[lane], xb,
                            info->immovable_b >> lane & ((1u << KG_WIDTH) - 1));
    }
}

static void correct_positions(void *context, uint32_t range, uint32_t from, uint32_t to)
{
    const correction *c = context;
    const kg_contact_stage *stage = c->world->contact;
    float leave = (float)(KG_CORRECTION_SLOP * c->world->work.smallest_moving_radius);
    (void)range;
    for (uint32_t i = from; i < to; ++i) {
        mark_supported(stage, i);
        if (any_deep(&stage->groups[i], leave)) correct_group(c, i);
    }
}

#undef limited_inverse_mass
#undef smaller_radii
#undef correct_group
#undef correct_positions
