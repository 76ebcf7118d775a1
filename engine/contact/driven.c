/* Finds the contacts that end because calls, since the last step, drove their bodies together so
 * fast that they bounce. The bodies then collide.
 * In: groups with normals, velocities at the tick's start, materials. Out: lanes of a group. Cost:
 * only in ticks with driven bodies (world/sleep_state.h). resting/resting.h has the thresholds. */
#include "base/compiler.h"
#include "contact/contact.h"

/* Approach speed of a contact at the tick's start, without accelerations, m/s. */
static double lane_approach(const kugel_world *world, const kg_contact_group *g, int lane,
                            const kg_contact *c)
{
    const kg_motion *a = &world->work.motion[g->a[lane]], *b = &world->work.motion[g->b[lane]];
    double of_boundary[3], approach = 0;
    if (c->with != KG_WITH_BODY) kg_boundary_velocity(world, c->b, 0, a->x, of_boundary);
    const double *other = c->with != KG_WITH_BODY ? of_boundary : b->v;
    for (int k = 0; k < 3; ++k) approach += (a->v[k] - other[k]) * (double)g->normal[k][lane];
    return approach;
}

/* Largest approach of a driven contact that does not bounce, m/s. It allows a host to accelerate a
 * support at up to twice the acceleration of gravity by setting the support's velocity once a
 * tick. */
static double smooth_approach(const kugel_world *world)
{
    const kg_work *work = &world->work;
    return 2 * work->gravity_magnitude * work->substeps * work->substep_length;
}

static bool any_is_driven(const kugel_world *world, uint32_t a, uint32_t b)
{
    return kg_sleep_is_driven(&world->bodies, a) ||
           (b < world->bodies.count && kg_sleep_is_driven(&world->bodies, b));
}

/* True when the contact of a lane was driven and bounces. In a boundary contact, slot b is at least
 * the number of bodies. */
static bool bounces(const kugel_world *world, const kg_contact_group *g,
                    const kg_contact_group_info *info, int lane)
{
    uint32_t a = g->a[lane], b = g->b[lane];
    if (!any_is_driven(world, a, b)) return false;
    const kg_contact *c = &world->work.contacts.items[kg_contact_item(world->contact, info, lane)];
    double approach = lane_approach(world, g, lane, c);
    double restitution = kg_contact_material_between(world, c, a, b).restitution;
    double radius = (double)kg_contact_smaller_radius(
        world->work.motion, a, b < world->bodies.count ? b : world->bodies.count);
    return approach > kg_max(smooth_approach(world), kg_press_speed(world, radius)) &&
           restitution * approach >= kg_bounce_threshold(world, radius);
}

uint32_t kg_contact_driven_lanes(const kugel_world *world, uint32_t group)
{
    const kg_contact_group *g = &world->contact->groups[group];
    const kg_contact_group_info *info = &world->contact->group_info[group];
    uint32_t driven = 0, used = ((1u << info->count) - 1) & ~(uint32_t)info->ended;
    for (; used; used &= used - 1) {
        int lane = kg_lowest_bit(used);
        driven |= (uint32_t)bounces(world, g, info, lane) << lane;
    }
    return driven;
}
