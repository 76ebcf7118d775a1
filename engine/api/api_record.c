/* Public functions that record a world. */
#include "api/api_refuse.h"
#include "record/chunk.h"
#include "record/recorder.h"
#include "world/validate.h"

static const kugel_recording_def defaults = {
    .cookie = KG_COOKIE(5, kugel_recording_def), .states = true, .keyframe_ticks = 512};

void kugel_recording_def_init(kugel_recording_def *def, size_t size)
{
    kg_def_write(def, size, &defaults, sizeof defaults);
}

kugel_status kugel_world_recording_start(kugel_world *world, const kugel_recording_def *given)
{
    KG_CHANGE_LOCAL(world);
    kugel_error error;
    kugel_recording_def complete = defaults, *def = &complete;
    if (kg_validate_def(given, def, sizeof complete, "def", &error))
        return kg_refuse_error(world, &error);
    if (!def->write && !def->ring_ticks) return kg_refuse_null(world, "def.write");
    if (def->annotation_size && !def->annotation)
        return kg_error_report(world, KUGEL_ERROR_INVALID_ARGUMENT, "def.annotation",
                               "is NULL but has a size");
    if (def->annotation_size > KG_PAYLOAD_LIMIT)
        return kg_error_report(world, KUGEL_ERROR_LIMIT, "def.annotation_size", "is above 2^30");
    if (world->recorder)
        return kg_error_report(world, KUGEL_ERROR_STATE, "world", "is being recorded already");
    kugel_status status = kg_recorder_create(world, def, &world->recorder);
    if (!status) return KUGEL_OK;
    const char *argument = status == KUGEL_ERROR_IO ? "def.write" : "world";
    return kg_error_report(world, status, argument, "the recording's head: %s",
                           kugel_status_text(status));
}

kugel_status kugel_world_recording_mark(kugel_world *world)
{
    KG_CHANGE_LOCAL_EARLY(world);
    if (!world->recorder)
        return kg_error_report(world, KUGEL_ERROR_STATE, "world", "is not being recorded");
    if (!kg_recorder_mark(world->recorder))
        return kg_error_report(world, KUGEL_ERROR_STATE, "recording", "has a step or a mark");
    return KUGEL_OK;
}

kugel_status kugel_world_recording_stop(kugel_world *world)
{
    KG_CHANGE_LOCAL_EARLY(world);
    if (!world->recorder)
        return kg_error_report(world, KUGEL_ERROR_STATE, "world", "is not being recorded");
    kugel_status status = kg_recorder_finish(world->recorder);
    kg_recorder_destroy(world->recorder);
    world->recorder = NULL;
    return status ? kg_error_report(world, status, "recording", "ended early: %s",
                                    kugel_status_text(status))
                  : KUGEL_OK;
}

kugel_status kugel_world_recording_dump(kugel_world *world,
                                        bool (*write)(void *user, const void *data, size_t size),
                                        void *user)
{
    KG_CHANGE_LOCAL(world);
    if (!write) return kg_refuse_null(world, "write");
    if (!world->recorder)
        return kg_error_report(world, KUGEL_ERROR_STATE, "world", "is not being recorded");
    kugel_status status = kg_recorder_dump(world->recorder, write, user);
    if (status == KUGEL_ERROR_STATE)
        return kg_error_report(world, status, "world", "is recorded without ring_ticks");
    return status ? kg_error_report(world, status, "recording", "cannot be written: %s",
                                    kugel_status_text(status))
                  : KUGEL_OK;
}

kugel_status kugel_world_recording_status(const kugel_world *world)
{
    return world ? kg_recorder_status(world->recorder) : KUGEL_ERROR_INVALID_ARGUMENT;
}
