/* Public functions that save, check and restore snapshots, and that clone worlds by a snapshot. */
#include <string.h>

#include "api/api_refuse.h"
#include "base/sized.h"
#include "record/snapshot.h"

/* An error if the world cannot be saved now, or lacks bodies: those of other ranks, unless they
 * were gathered. */
static kugel_status refuse_save(const kugel_world *world)
{
    kugel_status status = kg_refuse_read(world);
    if (status) return status;
    bool whole = world->bodies.count == kg_world_body_total(world);
    return world->creating_ranks || !whole ? KUGEL_ERROR_STATE : KUGEL_OK;
}

kugel_status kugel_snapshot_save(const kugel_world *world, bool meshes, void *buffer,
                                 size_t capacity, size_t *size)
{
    if (size) *size = 0;
    kugel_status status = refuse_save(world);
    if (status) return status;
    if (!size) return KUGEL_ERROR_INVALID_ARGUMENT;
    size_t bound = kg_snapshot_bound(world, meshes);
    bool fits = buffer && capacity >= bound;
    *size = fits ? kg_snapshot_write(world, meshes, buffer) : bound;
    return fits || !buffer ? KUGEL_OK : KUGEL_ERROR_LIMIT;
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

static kugel_status check(const void *data, size_t size, kugel_snapshot_info *info,
                          kugel_error *error)
{
    if (error) *error = (kugel_error){0};
    if (!data) return kg_error_set(error, KUGEL_ERROR_INVALID_ARGUMENT, "data", "is NULL");
    kg_snapshot_view view;
    kugel_status status = kg_snapshot_open(data, size, &view, error);
    if (!status) status = kg_snapshot_validate(&view, error);
    if (status) return status;
    *info = (kugel_snapshot_info){.format = KUGEL_SNAPSHOT_FORMAT,
                                  .physics_epoch = view.physics_epoch,
                                  .exact = view.physics_epoch == KUGEL_PHYSICS_EPOCH,
                                  .tick = view.tick,
                                  .time = view.time,
                                  .bodies = view.counts.bodies,
                                  .contacts = view.counts.contacts};
    return KUGEL_OK;
}

kugel_status kugel_snapshot_check(const void *data, size_t size, kugel_snapshot_info *info,
                                  kugel_error *error, size_t info_size)
{
    kugel_snapshot_info found = {0};
    kugel_status status = check(data, size, &found, error);
    if (info) kg_copy_sized(info, info_size, &found, sizeof found);
    return status;
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

static kugel_status clone_state(const kugel_world *world, kugel_world *made)
{
    size_t capacity = kg_snapshot_bound(world, true);
    void *buffer = kg_allocate(&made->memory, capacity);
    if (!buffer) return KUGEL_ERROR_OUT_OF_MEMORY;
    kg_snapshot_view view;
    kugel_error error;
    size_t size = kg_snapshot_write(world, true, buffer);
    kugel_status status = kg_snapshot_open(buffer, size, &view, NULL);
    if (!status) status = kg_snapshot_apply(made, &view, NULL, &error);
    kg_free(&made->memory, buffer, capacity);
    return !status && !copy_host_data(world, made) ? KUGEL_ERROR_OUT_OF_MEMORY : status;
}

kugel_status kugel_world_clone(const kugel_world *world, kugel_world **clone)
{
    if (clone) *clone = NULL;
    kugel_status status = refuse_save(world);
    if (status) return status;
    if (!clone) return KUGEL_ERROR_INVALID_ARGUMENT;
    kugel_world *made;
    if ((status = kugel_world_create(&world->def, &made))) return status;
    if ((status = clone_state(world, made))) kugel_world_destroy(made);
    else *clone = made;
    return status;
}
