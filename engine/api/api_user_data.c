/* Public functions that set and read the user data of bodies and worlds. Their calls are not
 * recorded. */
#include "api/api_body.h"
#include "kugel/body.h"

kugel_status kugel_body_set_user_data(kugel_world *world, kugel_body body, uint64_t user_data)
{
    KG_CHANGE_LOCAL(world);
    uint32_t i;
    kugel_status status = kg_api_find_row(world, body, &i);
    if (status) return status;
    kg_bodies *b = &world->bodies;
    if (user_data && !kg_bodies_reserve_user_data(&world->memory, b))
        return kg_error_report(world, KUGEL_ERROR_OUT_OF_MEMORY, "user_data",
                               "no memory for user data");
    if (b->user_data) b->user_data[b->id[i]] = user_data;
    return KUGEL_OK;
}

kugel_status kugel_body_get_user_data(const kugel_world *world, kugel_body body,
                                      uint64_t *user_data)
{
    if (!world || !user_data) return KUGEL_ERROR_INVALID_ARGUMENT;
    uint32_t i = kg_bodies_find(&world->bodies, body);
    if (i == KG_NONE) return KUGEL_ERROR_STALE_HANDLE;
    const kg_bodies *b = &world->bodies; /* by id: rows may be moving */
    *user_data = b->user_data ? b->user_data[kugel_body_id(body)] : 0;
    return KUGEL_OK;
}

kugel_status kugel_world_set_user_data(kugel_world *world, uint64_t user_data)
{
    KG_CHANGE_LOCAL(world);
    world->user_data = user_data;
    return KUGEL_OK;
}

uint64_t kugel_world_get_user_data(const kugel_world *world)
{
    return world ? world->user_data : 0;
}
