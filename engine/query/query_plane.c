/* The bodies on a side of a plane. In: scope, plane, side. Out: bodies with the results of
 * kugel_plane_sphere. Order: id. Cost: O(ids); the index is not used, since the result is often
 * half of the world. */
#include "base/vec.h"
#include "query/query.h"

static void write_found(const double normal[3], uint32_t id, kugel_body body,
                        const kugel_plane_gap *gap, kugel_found *found)
{
    *found = (kugel_found){.body = body, .index = id, .gap = gap->distance};
    kg_copy3(found->point, gap->point);
    kg_scale3(found->normal, normal, gap->height < 0 ? 1 : -1);
}

size_t kg_query_plane_side(const kg_query_scope *scope, const double normal[3], double offset,
                           int side, size_t capacity, kugel_found *found)
{
    const kg_bodies *bodies = &scope->world->bodies;
    size_t count = 0;
    if (!scope->find_bodies) return 0;
    for (uint32_t id = 0; id < bodies->id_end; ++id) {
        uint32_t slot = bodies->slot[id];
        if (slot == KG_NONE) continue;
        const double center[3] = {bodies->x[0][slot], bodies->x[1][slot], bodies->x[2][slot]};
        kugel_plane_gap gap;
        kugel_plane_sphere(normal, offset, center, bodies->radius[slot], &gap);
        int where = gap.hit ? 0 : gap.height > 0 ? 1 : -1;
        if (where != side || !kg_query_accepts(scope, kg_bodies_handle(bodies, slot))) continue;
        if (count < capacity)
            write_found(normal, id, kg_bodies_handle(bodies, slot), &gap, &found[count]);
        count += 1;
    }
    return count;
}
