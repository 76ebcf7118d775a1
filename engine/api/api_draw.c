/* Public functions for drawing: values interpolated between two ticks, and calls of the host's
 * functions for all that a world contains. Order: bodies by id, contacts and impacts as stored.
 * Cost: O(items). */
#include "kugel/draw.h"

#include "base/sized.h"
#include "base/vec.h"
#include "query/query.h"
#include "query/query_index.h"
#include "world/guard.h"
#include "world/periodic.h"

static bool is_share(double alpha) { return alpha >= 0 && alpha <= 1; }

kugel_status kugel_interpolate_positions(const kugel_world *world, uint32_t count,
                                         const double *from, const double *to, double alpha,
                                         double *out)
{
    if (!world || !from || !to || !out || !is_share(alpha)) return KUGEL_ERROR_INVALID_ARGUMENT;
    for (int axis = 0; axis < 3; ++axis) {
        double length = kg_periodic_length(world, axis);
        for (size_t k = (size_t)axis; k < 3 * (size_t)count; k += 3) {
            double end = to[k];
            if (length > 0) end = from[k] + kg_nearest_image(to[k] - from[k], length);
            out[k] = (1 - alpha) * from[k] + alpha * end;
        }
    }
    return KUGEL_OK;
}

static void mix_rotations(const double *from, const double *to, double alpha, double *out)
{
    double q[4], cosine = 0, length2 = 0;
    for (int k = 0; k < 4; ++k) cosine += from[k] * to[k];
    double weight = cosine < 0 ? -alpha : alpha; /* q and -q are one rotation */
    for (int k = 0; k < 4; ++k) {
        q[k] = (1 - alpha) * from[k] + weight * to[k];
        length2 += q[k] * q[k];
    }
    double length = sqrt(length2);
    for (int k = 0; k < 4; ++k) out[k] = length > 0 ? q[k] / length : from[k];
}

kugel_status kugel_interpolate_rotations(uint32_t count, const double *from, const double *to,
                                         double alpha, double *out)
{
    if (!from || !to || !out || !is_share(alpha)) return KUGEL_ERROR_INVALID_ARGUMENT;
    for (size_t i = 0; i < count; ++i) mix_rotations(from + 4 * i, to + 4 * i, alpha, out + 4 * i);
    return KUGEL_OK;
}

static bool has_box(const kugel_bounds *bounds)
{
    bool any = false;
    for (int face = 0; face < 6; ++face) any |= bounds->faces[face] != KUGEL_FACE_OPEN;
    return any;
}

static void draw_surfaces(const kugel_world *world, const kugel_debug_draw *draw)
{
    const kg_surfaces *set = &world->surfaces;
    for (uint32_t k = 0; k < set->end; ++k) {
        if (!set->items[k].used) continue;
        kugel_surface_def def = kg_surface_shown_def(&set->items[k]);
        draw->surface(draw->user, kugel_world_surface(world, k), &def);
    }
}

static void draw_bodies(const kugel_world *world, const kugel_debug_draw *draw)
{
    kugel_body_state state;
    for (uint32_t id = 0; id < world->bodies.id_end; ++id) {
        if (!kugel_body_get(world, kugel_world_body(world, id), &state, sizeof state))
            draw->body(draw->user, &state);
    }
}

static void draw_contacts(const kugel_world *world, const kugel_debug_draw *draw)
{
    kugel_resting_contact contact;
    kg_contact_walk walk = kg_world_contacts(world);
    for (const kg_contact *c; (c = kg_contact_walk_next(&walk));) {
        kg_query_contact(world, c, &contact);
        draw->contact(draw->user, &contact);
    }
}

static void draw_all(const kugel_world *world, const kugel_debug_draw *draw)
{
    const kg_event_set *events = &world->events.published;
    if (draw->box && has_box(&world->def.bounds)) draw->box(draw->user, &world->def.bounds);
    if (draw->surface) draw_surfaces(world, draw);
    if (draw->body) draw_bodies(world, draw);
    if (draw->contact) draw_contacts(world, draw);
    for (size_t k = 0; draw->impact && k < events->impact_count; ++k)
        draw->impact(draw->user, &events->impacts[k]);
}

kugel_status kugel_world_draw(const kugel_world *world, const kugel_debug_draw *draw, size_t size)
{
    kugel_debug_draw complete;
    kugel_status status = kg_refuse_read(world);
    if (status) return status;
    if (!draw) return KUGEL_ERROR_INVALID_ARGUMENT;
    kg_copy_sized(&complete, sizeof complete, draw, size);
    kg_begin_reading(world);
    draw_all(world, &complete);
    kg_end_reading(world);
    return KUGEL_OK;
}
