/* Public functions that save, check and restore snapshots, and that clone worlds by a snapshot. */
#include <string.h>

#include "api/api_refuse.h"
#include "record/snapshot.h"

size_t kugel_snapshot_bound(const kugel_world *world)
{
    return world ? kg_snapshot_bound(world, true) : 0;
}

size_t kugel_snapshot_bound_without_meshes(const kugel_world *world)
{
    return world ? kg_snapshot_bound(world, false) : 0;
}

/* An error if the world of a rank lacks bodies: those of other ranks, unless they were gathered. */
static kugel_status check_whole(kugel_world *world)
{
    if (world->bodies.count == kg_world_body_total(world)) return KUGEL_OK;
    return kg_error_report(world, KUGEL_ERROR_STATE, "world",
                           "has the bodies of one rank: kugel_ranks_gather adds the others");
}

static kugel_status save(kugel_world *world, bool with_meshes, void *buffer, size_t capacity,
                         size_t *size)
{
    if (size) *size = 0;
    KG_CHANGE_LOCAL(world);
    if (!buffer) return kg_refuse_null(world, "buffer");
    if (!size) return kg_refuse_null(world, "size");
    kugel_status status = check_whole(world);
    if (status) return status;
    size_t bound = kg_snapshot_bound(world, with_meshes);
    if (capacity < bound)
        return kg_error_report(world, KUGEL_ERROR_LIMIT, "capacity", "is %zu bytes, %zu are needed",
                               capacity, bound);
    *size = kg_snapshot_write(world, with_meshes, buffer);
    return KUGEL_OK;
}

kugel_status kugel_snapshot_save(kugel_world *world, void *buffer, size_t capacity, size_t *size)
{
    return save(world, true, buffer, capacity, size);
}

kugel_status kugel_snapshot_save_without_meshes(kugel_world *world, void *buffer, size_t capacity,
                                                size_t *size)
{
    return save(world, false, buffer, capacity, size);
}

kugel_status kugel_snapshot_restore(kugel_world *world, const void *data, size_t size)
{
    KG_CHANGE_LOCAL(world);
    if (!data) return kg_refuse_null(world, "data");
    if (world->recorder)
        return kg_error_report(world, KUGEL_ERROR_STATE, "world",
                               "is being recorded: a recording holds calls only");
    kugel_error error;
    kugel_status status = kg_snapshot_restore(world, data, size, NULL, &error);
    return status ? kg_refuse_error(world, &error) : KUGEL_OK;
}

kugel_status kugel_snapshot_check(const void *data, size_t size, kugel_snapshot_info *info,
                                  kugel_error *error)
{
    if (info) *info = (kugel_snapshot_info){0};
    if (error) *error = (kugel_error){0};
    if (!data) return kg_error_set(error, KUGEL_ERROR_INVALID_ARGUMENT, "data", "is NULL");
    kg_snapshot_view view;
    kugel_status status = kg_snapshot_open(data, size, &view, error);
    if (!status) status = kg_snapshot_validate(&view, error);
    if (status || !info) return status;
    *info = (kugel_snapshot_info){.format = KUGEL_SNAPSHOT_FORMAT,
                                  .physics_epoch = view.physics_epoch,
                                  .exact = view.physics_epoch == KUGEL_PHYSICS_EPOCH,
                                  .tick = view.tick,
                                  .time = view.time,
                                  .bodies = view.counts.bodies,
                                  .contacts = view.counts.contacts};
    return KUGEL_OK;
}

/* Copy what a snapshot does not contain: user data and the pair filter. False if there
 * is no memory. */
static bool copy_host_data(const kugel_world *world, kugel_world *made)
{
    const kg_bodies *b = &world->bodies;
    made->user_data = world->user_data;
    made->pair_filter = world->pair_filter;
    for (uint32_t k = 0; k < world->surfaces.end; ++k)
        made->surfaces.items[k].user_data = world->surfaces.items[k].user_data;
    if (!b->user_data || !b->id_end) return true;
    if (!kg_bodies_reserve_user_data(&made->memory, &made->bodies)) return false;
    memcpy(made->bodies.user_data, b->user_data, b->id_end * sizeof *b->user_data);
    return true;
}

static kugel_status clone_state(kugel_world *world, kugel_world *made, void *buffer)
{
    kg_snapshot_view view;
    kugel_error error;
    size_t size = kg_snapshot_write(world, true, buffer);
    kugel_status status = kg_snapshot_open(buffer, size, &view, NULL);
    if (!status) status = kg_snapshot_apply(made, &view, NULL, &error);
    if (!status && !copy_host_data(world, made)) status = KUGEL_ERROR_OUT_OF_MEMORY;
    return status;
}

kugel_status kugel_world_clone(kugel_world *world, kugel_world **clone)
{
    if (clone) *clone = NULL;
    KG_CHANGE_LOCAL(world);
    if (!clone) return kg_refuse_null(world, "clone");
    kugel_world *made;
    kugel_status status = check_whole(world);
    if (status) return status;
    status = kugel_world_create(&world->def, &made);
    if (status) return kg_error_report(world, status, "clone", "%s", kugel_status_text(status));
    size_t capacity = kg_snapshot_bound(world, true);
    void *buffer = kg_allocate(&world->memory, capacity);
    status = buffer ? clone_state(world, made, buffer) : KUGEL_ERROR_OUT_OF_MEMORY;
    kg_free(&world->memory, buffer, capacity);
    if (!status) {
        *clone = made;
        return KUGEL_OK;
    }
    kugel_world_destroy(made);
    return kg_error_report(world, status, "clone", "%s", kugel_status_text(status));
}
