/* Calls on bodies during a run are recorded: a player repeats properties, sleep, pushes at points,
 * targets, rotations and explosions to the same hashes and states. */
#include <criterion/criterion.h>

#include "record/support_recording.h"
#include "support/support_setters.h"

static kugel_body body_of(const kugel_world *world, uint32_t id)
{
    return kugel_world_body(world, id);
}

/* The first dynamic body with a resting contact. */
static kugel_body find_resting(const kugel_world *world)
{
    kugel_body_state s;
    for (uint32_t id = 0; id < kugel_world_id_end(world); ++id) {
        if (kugel_body_get(world, body_of(world, id), &s)) continue;
        if (s.type == KUGEL_DYNAMIC && s.contacts) return s.body;
    }
    cr_assert_fail("no body rests");
    return KUGEL_NULL_BODY;
}

static kugel_status change(kugel_world *world, uint64_t tick)
{
    static const double push[3] = {0.3, -0.2, 0.1}, point[3] = {0, 0.1, 1}, target[3] = {1, 2, 5};
    static const double turned[4] = {0, 1, 0, 0};
    static const kugel_pair_material pair = {0.9, 0.1, 0.02, -0.5};
    static kugel_body sleeper;
    kugel_body body = body_of(world, 2);
    kugel_explosion_def blast = kugel_explosion_def_default();
    blast.radius = 3, blast.impulse = 0.5;
    switch (tick) {
    case 2:
        return kugel_body_set_mass(world, body, 2.5);
    case 4:
        return kugel_body_set_radius(world, body, 0.3);
    case 6:
        return support_set_restitution(world, body, 0.7);
    case 8:
        return support_set_friction(world, body, 0.9);
    case 10:
        return kugel_body_set_material(world, body, 0.3, 0.4, 0.01, -0.75);
    case 12:
        return kugel_body_set_gravity_scale(world, body, 1.5);
    case 14:
        return kugel_body_set_type(world, body_of(world, 4), KUGEL_STATIC, 0);
    case 18:
        return kugel_body_set_type(world, body_of(world, 4), KUGEL_DYNAMIC, 3);
    case 20:
        return kugel_body_apply_force(world, body, push, point);
    case 22:
        return kugel_body_apply_impulse(world, body, push, point);
    case 24:
        return kugel_body_set_target(world, body_of(world, 8), target, NULL, 0.1);
    case 25:
        return kugel_body_set_rotation(world, body, (const double[4]){0.6, -0.0, 0, 0.8});
    case 27:
        return kugel_body_set_target(world, body_of(world, 8), NULL, turned, 0.1);
    case 26:
        return kugel_world_explode(world, &blast, NULL);
    case 28:
        return support_set_linear_damping(world, body, 0.5);
    case 29:
        return support_set_angular_damping(world, body, 2);
    case 30:
        return kugel_body_set_sensor(world, body, true);
    case 34:
        return kugel_body_set_sensor(world, body, false);
    case 36:
        return kugel_body_set_can_sleep(world, body, false);
    case 40:
    case 50:
        return kugel_body_set_enabled(world, body_of(world, 4), tick == 50);
    case 51:
        return kugel_body_set_contact_events(world, body, false);
    case 49:
        return kugel_body_set_locks(world, body, KUGEL_LOCK_PLANE);
    case 52:
        return kugel_body_set_kind(world, body, 5);
    case 54:
        return kugel_world_set_pair_material(world, 5, 0, &pair);
    case 60:
        return kugel_world_draw_velocities(world, 0.1, 0.5, 3);
    case 64:
        return kugel_world_set_temperature(world, 0.2);
    case 66:
        return kugel_world_set_growth(world, 0.01);
    case 76:
        return kugel_world_set_growth(world, 0);
    case 80:
        return kugel_world_set_pair_material(world, 0, 5, NULL);
    case 100:
        return kugel_body_sleep(world, sleeper = find_resting(world));
    case 110:
        return kugel_body_wake(world, sleeper);
    default:
        return KUGEL_OK;
    }
}

Test(recorded_calls, are_played_to_the_same_states)
{
    enum { TICKS = 120 };
    support_file file = {0};
    kugel_world_def def = support_drive_def();
    kugel_recording_def recording = support_recording_def(&file, true);
    kugel_world *world;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    cr_assert_eq(kugel_world_recording_start(world, &recording), KUGEL_OK);
    support_drive_fill(world);
    for (uint64_t tick = 0; tick < TICKS; ++tick) {
        uint64_t before = kugel_world_hash(world);
        kugel_status status = change(world, tick);
        cr_assert_eq(status, KUGEL_OK, "tick %d: %s", (int)tick, kugel_status_text(status));
        if (tick == 100) cr_assert_neq(kugel_world_hash(world), before, "sleep is hashed");
        cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
    }
    cr_assert_eq(kugel_world_recording_stop(world), KUGEL_OK);
    cr_assert_eq(support_play(file.data, file.size, 1), TICKS);
    cr_assert_eq(support_play(file.data, file.size, 2), TICKS);
    kugel_world_destroy(world);
    support_file_free(&file);
}
