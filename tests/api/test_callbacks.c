/* Which public functions a callback of the host may call. The table has each function that uses a
 * world, ranks or a player, and a call of it that is refused for no other reason. A function that
 * the public headers declare and the table lacks is an error. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/support_recording.h"
#include "support/support_plane.h"

/* What a call is applied to, and what it needs. */
typedef struct scene {
    kugel_world *world;
    kugel_ranks *ranks;
    kugel_player *player;
    support_file file;
    kugel_body body, kinematic, resting, sensor;
    kugel_surface surface, area;
    _Alignas(16) uint8_t snapshot[1 << 16];
    size_t size, count;
    bool found;
    _Alignas(16) char out[1 << 12];
} scene;

typedef struct row {
    const char *name;
    enum kind {
        FREE,   /* allowed in each callback */
        READ,   /* refused while a call changes the world */
        CHANGE, /* refused in each callback but the input of a sync test */
        NOTHING /* returns nothing; does nothing in each callback */
    } kind;
    char of; /* 'w': a world, 'r': ranks, 'p': a player */
    kugel_status (*call)(scene *s);
} row;

static const double v[3] = {0.1, 0.2, 0.3}, up[3] = {0, 0, 1}, q[4] = {0, 0, 0, 1};
static const int32_t image[3];
static const kugel_ray ray = {.origin = {0, 0, 9}, .direction = {0, 0, -1}, .t_max = 20};

static bool put(void *user, const void *data, size_t size)
{
    (void)user, (void)data, (void)size;
    return true;
}

static kugel_recording_def recording_of(uint32_t ring_ticks)
{
    kugel_recording_def def = kugel_recording_def_default();
    def.write = put, def.ring_ticks = ring_ticks;
    return def;
}

static scene one;         /* of the test that runs */
static const char *armed; /* the callback that makes the calls, once; NULL: none does */
static void made_in(const char *callback, char of, bool may_read);

static kugel_status reduce(void *context, kugel_reduction operation, uint64_t *values, size_t count)
{
    (void)context, (void)operation, (void)values, (void)count;
    made_in("reduce", 'r', false);
    return KUGEL_OK;
}
static kugel_status numbers(void *context, const uint64_t *sent, uint64_t *received)
{
    (void)context;
    *received = *sent;
    return KUGEL_OK;
}
static kugel_status words(void *context, const uint64_t *sent, const uint64_t *sent_words,
                          uint64_t *received, const uint64_t *received_words)
{
    (void)context, (void)received_words;
    if (*sent_words) memcpy(received, sent, *sent_words * sizeof *sent);
    return KUGEL_OK;
}

static kugel_exchange exchange_of(scene *s)
{
    return (kugel_exchange){
        .count = 1, .context = s, .reduce = reduce, .numbers = numbers, .words = words};
}

static kugel_surface_def surface_def(void)
{
    kugel_surface_def def = kugel_surface_def_default();
    def.shape = KUGEL_SURFACE_ELLIPSOID, def.position[2] = -90;
    for (int k = 0; k < 3; ++k) def.size[k] = 1;
    return def;
}

static kugel_body_def body_def(void)
{
    kugel_body_def def = kugel_body_def_default();
    def.position[0] = 40;
    return def;
}

/* Calls that return several values or need a def. */
static kugel_status clone(scene *s)
{
    kugel_world *made = NULL;
    kugel_status status = kugel_world_clone(s->world, &made);
    kugel_world_destroy(made);
    return status;
}

static kugel_status ranks_create(scene *s)
{
    kugel_exchange exchange = exchange_of(s);
    kugel_ranks *made = NULL;
    kugel_status status = kugel_ranks_create(s->world, &exchange, &made);
    if (status) return status;
    kugel_ranks_destroy(made);
    s->world = NULL; /* it belonged to the ranks */
    return KUGEL_OK;
}

/* For a world with bodies the call is refused in any case, with an error that says so. */
static kugel_status share_creation(scene *s)
{
    kugel_exchange exchange = exchange_of(s);
    kugel_status status = kugel_ranks_share_creation(s->world, &exchange);
    bool for_bodies = !strcmp(kugel_world_last_error(s->world)->message, "had bodies before");
    return for_bodies ? KUGEL_OK : status;
}

static kugel_status sync_test(scene *s)
{
    kugel_sync_def def = kugel_sync_def_default();
    kugel_sync_report report;
    def.ticks = 1;
    kugel_world_recording_stop(s->world);
    return kugel_sync_test(s->world, &def, &report);
}

static kugel_status restore(scene *s)
{
    kugel_world_recording_stop(s->world);
    return kugel_snapshot_restore(s->world, s->snapshot, s->size);
}

static kugel_status start(scene *s)
{
    kugel_recording_def def = recording_of(0);
    kugel_world_recording_stop(s->world);
    return kugel_world_recording_start(s->world, &def);
}

static kugel_status explode(scene *s)
{
    kugel_explosion_def def = kugel_explosion_def_default();
    return kugel_world_explode(s->world, &def, NULL);
}

/* KUGEL_OK for a result that is there. */
static kugel_status given(bool result) { return result ? KUGEL_OK : KUGEL_ERROR_STATE; }

static kugel_status stats(scene *s)
{
    kugel_stats result;
    kugel_world_stats(s->world, &result);
    return given(result.resting_contacts);
}

static kugel_status energy(scene *s)
{
    kugel_energy result;
    kugel_world_energy(s->world, &result);
    return given(result.kinetic != 0 || result.potential != 0);
}

static kugel_status played(kugel_play play)
{
    return play == KUGEL_PLAY_ERROR ? KUGEL_ERROR_STATE : KUGEL_OK;
}

#define OUT ((void *)s->out)
#define MOST 4
/* clang-format off */
#define ROWS(ROW) \
    ROW(FREE, 'w', kugel_world_last_error, given(kugel_world_last_error(w))) \
    ROW(FREE, 'w', kugel_world_get_def, kugel_world_get_def(w, OUT)) \
    ROW(FREE, 'w', kugel_world_step_times, (kugel_world_step_times(w, OUT, NULL), KUGEL_OK)) \
    ROW(FREE, 'w', kugel_world_tick, given(kugel_world_tick(w))) \
    ROW(FREE, 'w', kugel_world_time, given(kugel_world_time(w) > 0)) \
    ROW(FREE, 'w', kugel_world_body_count, given(kugel_world_body_count(w))) \
    ROW(FREE, 'w', kugel_world_id_end, given(kugel_world_id_end(w))) \
    ROW(FREE, 'w', kugel_body_is_valid, given(kugel_body_is_valid(w, b))) \
    ROW(FREE, 'w', kugel_world_body, given(kugel_world_body(w, 0) == b)) \
    ROW(FREE, 'w', kugel_body_get_user_data, kugel_body_get_user_data(w, b, OUT)) \
    ROW(FREE, 'w', kugel_world_get_user_data, given(kugel_world_get_user_data(w) == 7)) \
    ROW(FREE, 'w', kugel_world_surface_end, given(kugel_world_surface_end(w))) \
    ROW(FREE, 'w', kugel_world_recording_status, kugel_world_recording_status(w)) \
    ROW(FREE, 'w', kugel_world_get_pair_filter, kugel_world_get_pair_filter(w, OUT)) \
    ROW(FREE, 'w', kugel_interpolate_positions, kugel_interpolate_positions(w, 1, v, v, 0.5, OUT)) \
    ROW(READ, 'w', kugel_world_hash, given(kugel_world_hash(w))) \
    ROW(READ, 'w', kugel_world_stats, stats(s)) \
    ROW(READ, 'w', kugel_world_energy, energy(s)) \
    ROW(READ, 'w', kugel_body_get, kugel_body_get(w, b, OUT)) \
    ROW(READ, 'w', kugel_body_get_position, kugel_body_get_position(w, b, OUT)) \
    ROW(READ, 'w', kugel_body_get_velocity, kugel_body_get_velocity(w, b, OUT)) \
    ROW(READ, 'w', kugel_body_velocity_at, kugel_body_velocity_at(w, b, v, OUT)) \
    ROW(READ, 'w', kugel_body_get_spin, kugel_body_get_spin(w, b, OUT)) \
    ROW(READ, 'w', kugel_body_get_rotation, kugel_body_get_rotation(w, b, OUT)) \
    ROW(READ, 'w', kugel_body_contacts, kugel_body_contacts(w, b, MOST, OUT, &s->count)) \
    ROW(READ, 'w', kugel_world_contacts, kugel_world_contacts(w, MOST, OUT, &s->count)) \
    ROW(READ, 'w', kugel_world_impulse_sums, \
        kugel_world_impulse_sums(w, MOST, OUT, &s->count)) \
    ROW(READ, 'w', kugel_world_read_arrays, \
        given(kugel_world_read_arrays(w, MOST, &(kugel_body_arrays){.bodies = OUT}))) \
    ROW(CHANGE, 'w', kugel_world_write_arrays, \
        kugel_world_write_arrays(w, 1, &(kugel_body_arrays){.bodies = &b})) \
    ROW(READ, 'w', kugel_world_moves, given(kugel_world_moves(w, MOST, OUT))) \
    ROW(READ, 'w', kugel_world_surface_moves, given(kugel_world_surface_moves(w, MOST, OUT))) \
    ROW(READ, 'w', kugel_world_impact_events, given(kugel_world_impact_events(w, &s->count))) \
    ROW(READ, 'w', kugel_world_begin_events, given(kugel_world_begin_events(w, &s->count))) \
    ROW(READ, 'w', kugel_world_end_events, given(kugel_world_end_events(w, &s->count))) \
    ROW(READ, 'w', kugel_world_sleep_events, given(kugel_world_sleep_events(w, &s->count))) \
    ROW(READ, 'w', kugel_world_wake_events, given(kugel_world_wake_events(w, &s->count))) \
    ROW(READ, 'w', kugel_world_sensor_bodies, \
        kugel_world_sensor_bodies(w, s->sensor, MOST, OUT, &s->count)) \
    ROW(READ, 'w', kugel_world_sensor_events, given(kugel_world_sensor_events(w, &s->count))) \
    ROW(READ, 'w', kugel_surface_bodies, \
        kugel_surface_bodies(w, s->area, MOST, OUT, &s->count)) \
    ROW(READ, 'w', kugel_surface_is_valid, \
        given(kugel_surface_is_valid(w, f))) \
    ROW(READ, 'w', kugel_world_surface, given(kugel_world_surface(w, 0))) \
    ROW(READ, 'w', kugel_surface_get, kugel_surface_get(w, f, OUT, NULL)) \
    ROW(READ, 'w', kugel_surface_get_user_data, \
        kugel_surface_get_user_data(w, f, OUT)) \
    ROW(READ, 'w', kugel_world_draw, kugel_world_draw(w, &(kugel_debug_draw){0})) \
    ROW(READ, 'w', kugel_world_prepare_queries, kugel_world_prepare_queries(w)) \
    ROW(READ, 'w', kugel_world_ray_closest, kugel_world_ray_closest(w, &ray, NULL, OUT)) \
    ROW(READ, 'w', kugel_world_ray_any, kugel_world_ray_any(w, &ray, NULL, &s->found)) \
    ROW(READ, 'w', kugel_world_ray_all, kugel_world_ray_all(w, &ray, NULL, MOST, OUT, &s->count)) \
    ROW(READ, 'w', kugel_world_rays_closest, kugel_world_rays_closest(w, 1, &ray, NULL, OUT)) \
    ROW(READ, 'w', kugel_world_cast_closest, kugel_world_cast_closest(w, &ray, 0.1, NULL, OUT)) \
    ROW(READ, 'w', kugel_world_cast_any, kugel_world_cast_any(w, &ray, 0.1, NULL, &s->found)) \
    ROW(READ, 'w', kugel_world_cast_all, \
        kugel_world_cast_all(w, &ray, 0.1, NULL, MOST, OUT, &s->count)) \
    ROW(READ, 'w', kugel_world_overlap_sphere, \
        kugel_world_overlap_sphere(w, v, 1, NULL, MOST, OUT, &s->count)) \
    ROW(READ, 'w', kugel_world_overlap_box, \
        kugel_world_overlap_box(w, v, v, NULL, MOST, OUT, &s->count)) \
    ROW(READ, 'w', kugel_world_overlap_ellipsoid, \
        kugel_world_overlap_ellipsoid(w, v, v, q, NULL, MOST, OUT, &s->count)) \
    ROW(READ, 'w', kugel_world_nearest, kugel_world_nearest(w, v, 1, NULL, MOST, OUT, &s->count)) \
    ROW(READ, 'w', kugel_world_plane_side, \
        kugel_world_plane_side(w, up, 0, 1, NULL, MOST, OUT, &s->count)) \
    ROW(CHANGE, 'w', kugel_world_step, kugel_world_step(w, 0.01)) \
    ROW(CHANGE, 'w', kugel_world_set_gravity, kugel_world_set_gravity(w, v)) \
    ROW(CHANGE, 'w', kugel_world_set_user_data, kugel_world_set_user_data(w, 1)) \
    ROW(CHANGE, 'w', kugel_world_report_impacts_above, kugel_world_report_impacts_above(w, 1)) \
    ROW(CHANGE, 'w', kugel_world_sum_impulses, kugel_world_sum_impulses(w, true)) \
    ROW(CHANGE, 'w', kugel_world_set_pair_filter, kugel_world_set_pair_filter(w, NULL)) \
    ROW(CHANGE, 'w', kugel_world_set_growth, kugel_world_set_growth(w, 0)) \
    ROW(CHANGE, 'w', kugel_world_set_temperature, kugel_world_set_temperature(w, 1)) \
    ROW(CHANGE, 'w', kugel_world_draw_velocities, kugel_world_draw_velocities(w, 1, 1, 1)) \
    ROW(CHANGE, 'w', kugel_world_set_pair_material, \
        kugel_world_set_pair_material(w, 1, 2, &(kugel_pair_material){0})) \
    ROW(READ, 'w', kugel_world_get_pair_material, \
        given(kugel_world_get_pair_material(w, 0, 0, NULL))) \
    ROW(CHANGE, 'w', kugel_world_explode, explode(s)) \
    ROW(CHANGE, 'w', kugel_body_create, \
        kugel_body_create(w, &(kugel_body_def[]){body_def()}[0], NULL)) \
    ROW(CHANGE, 'w', kugel_body_destroy, kugel_body_destroy(w, b)) \
    ROW(CHANGE, 'w', kugel_body_set_position, kugel_body_set_position(w, b, v)) \
    ROW(CHANGE, 'w', kugel_body_set_velocity, kugel_body_set_velocity(w, b, v)) \
    ROW(CHANGE, 'w', kugel_body_set_spin, kugel_body_set_spin(w, b, v)) \
    ROW(CHANGE, 'w', kugel_body_set_rotation, kugel_body_set_rotation(w, b, q)) \
    ROW(CHANGE, 'w', kugel_body_set_filter, kugel_body_set_filter(w, b, 1, 1, 1)) \
    ROW(CHANGE, 'w', kugel_body_set_user_data, kugel_body_set_user_data(w, b, 1)) \
    ROW(CHANGE, 'w', kugel_body_set_mass, kugel_body_set_mass(w, b, 2)) \
    ROW(CHANGE, 'w', kugel_body_set_radius, kugel_body_set_radius(w, b, 0.4)) \
    ROW(CHANGE, 'w', kugel_body_set_material, kugel_body_set_material(w, b, 0, 0.5, 0, 0)) \
    ROW(CHANGE, 'w', kugel_body_set_kind, kugel_body_set_kind(w, b, 1)) \
    ROW(CHANGE, 'w', kugel_body_set_gravity_scale, kugel_body_set_gravity_scale(w, b, 0.5)) \
    ROW(CHANGE, 'w', kugel_body_set_damping, kugel_body_set_damping(w, b, 0.5, 0)) \
    ROW(CHANGE, 'w', kugel_body_set_sensor, kugel_body_set_sensor(w, b, true)) \
    ROW(CHANGE, 'w', kugel_body_set_can_sleep, kugel_body_set_can_sleep(w, b, false)) \
    ROW(CHANGE, 'w', kugel_body_set_contact_events, kugel_body_set_contact_events(w, b, false)) \
    ROW(CHANGE, 'w', kugel_body_set_locks, kugel_body_set_locks(w, b, KUGEL_LOCK_ROTATION)) \
    ROW(CHANGE, 'w', kugel_body_set_enabled, kugel_body_set_enabled(w, b, false)) \
    ROW(CHANGE, 'w', kugel_body_set_type, kugel_body_set_type(w, b, KUGEL_STATIC, 0)) \
    ROW(CHANGE, 'w', kugel_body_set_image, kugel_body_set_image(w, b, image)) \
    ROW(CHANGE, 'w', kugel_body_wake, kugel_body_wake(w, b)) \
    ROW(CHANGE, 'w', kugel_body_sleep, kugel_body_sleep(w, s->resting)) \
    ROW(CHANGE, 'w', kugel_body_apply_force, kugel_body_apply_force(w, b, v, NULL)) \
    ROW(CHANGE, 'w', kugel_body_apply_torque, kugel_body_apply_torque(w, b, v)) \
    ROW(CHANGE, 'w', kugel_body_apply_impulse, kugel_body_apply_impulse(w, b, v, NULL)) \
    ROW(CHANGE, 'w', kugel_body_apply_angular_impulse, kugel_body_apply_angular_impulse(w, b, v)) \
    ROW(CHANGE, 'w', kugel_body_set_target, kugel_body_set_target(w, s->kinematic, v, NULL, 1)) \
    ROW(CHANGE, 'w', kugel_surface_create, \
        kugel_surface_create(w, &(kugel_surface_def[]){surface_def()}[0], NULL)) \
    ROW(CHANGE, 'w', kugel_surface_destroy, kugel_surface_destroy(w, f)) \
    ROW(CHANGE, 'w', kugel_surface_set_pose, kugel_surface_set_pose(w, f, v, q)) \
    ROW(CHANGE, 'w', kugel_surface_set_material, \
        kugel_surface_set_material(w, f, 0, 0.5, 0, 0)) \
    ROW(CHANGE, 'w', kugel_surface_set_kind, kugel_surface_set_kind(w, f, 1)) \
    ROW(CHANGE, 'w', kugel_surface_set_tangent_velocity, \
        kugel_surface_set_tangent_velocity(w, f, v)) \
    ROW(CHANGE, 'w', kugel_surface_set_filter, kugel_surface_set_filter(w, f, 1, 1, 0)) \
    ROW(CHANGE, 'w', kugel_surface_set_motion, kugel_surface_set_motion(w, f, v, v)) \
    ROW(CHANGE, 'w', kugel_surface_set_target, \
        kugel_surface_set_target(w, f, v, q, 1)) \
    ROW(CHANGE, 'w', kugel_surface_set_user_data, \
        kugel_surface_set_user_data(w, f, 1)) \
    ROW(CHANGE, 'w', kugel_world_recording_start, start(s)) \
    ROW(CHANGE, 'w', kugel_world_recording_mark, kugel_world_recording_mark(w)) \
    ROW(CHANGE, 'w', kugel_world_recording_stop, kugel_world_recording_stop(w)) \
    ROW(CHANGE, 'w', kugel_world_recording_dump, kugel_world_recording_dump(w, put, NULL)) \
    ROW(READ, 'w', kugel_snapshot_save, \
        kugel_snapshot_save(w, true, s->snapshot, sizeof s->snapshot, &s->count)) \
    ROW(CHANGE, 'w', kugel_snapshot_restore, restore(s)) \
    ROW(READ, 'w', kugel_world_clone, clone(s)) \
    ROW(CHANGE, 'w', kugel_sync_test, sync_test(s)) \
    ROW(CHANGE, 'w', kugel_ranks_share_creation, share_creation(s)) \
    ROW(CHANGE, 'w', kugel_ranks_create, ranks_create(s)) \
    ROW(NOTHING, 'w', kugel_world_destroy, (kugel_world_destroy(w), KUGEL_OK)) \
    ROW(FREE, 'r', kugel_ranks_get_counts, (kugel_ranks_get_counts(s->ranks, OUT), KUGEL_OK)) \
    ROW(FREE, 'r', kugel_ranks_world, given(kugel_ranks_world(s->ranks))) \
    ROW(CHANGE, 'r', kugel_ranks_step, kugel_ranks_step(s->ranks, 0.01)) \
    ROW(CHANGE, 'r', kugel_ranks_hash, kugel_ranks_hash(s->ranks, OUT)) \
    ROW(CHANGE, 'r', kugel_ranks_world_stats, kugel_ranks_world_stats(s->ranks, OUT)) \
    ROW(CHANGE, 'r', kugel_ranks_world_energy, kugel_ranks_world_energy(s->ranks, OUT)) \
    ROW(CHANGE, 'r', kugel_ranks_gather, kugel_ranks_gather(s->ranks)) \
    ROW(CHANGE, 'r', kugel_ranks_gather_impacts, kugel_ranks_gather_impacts(s->ranks)) \
    ROW(CHANGE, 'r', kugel_ranks_edit, kugel_ranks_edit(s->ranks, OUT)) \
    ROW(NOTHING, 'r', kugel_ranks_destroy, (kugel_ranks_destroy(s->ranks), KUGEL_OK)) \
    ROW(FREE, 'p', kugel_player_info, (kugel_player_info(s->player, OUT), KUGEL_OK)) \
    ROW(FREE, 'p', kugel_player_seek_from, (kugel_player_seek_from(s->player, 1), KUGEL_OK)) \
    ROW(FREE, 'p', kugel_player_world, given(kugel_player_world(s->player))) \
    ROW(FREE, 'p', kugel_player_error, given(kugel_player_error(s->player))) \
    ROW(FREE, 'p', kugel_player_hash, given(kugel_player_hash(s->player, 1))) \
    ROW(CHANGE, 'p', kugel_player_step, played(kugel_player_step(s->player, NULL))) \
    ROW(CHANGE, 'p', kugel_player_seek, played(kugel_player_seek(s->player, 1))) \
    ROW(NOTHING, 'p', kugel_player_cache_keyframes, \
        (kugel_player_cache_keyframes(s->player, 1), KUGEL_OK)) \
    ROW(CHANGE, 'p', kugel_player_recorded, kugel_player_recorded(s->player, 1, OUT)) \
    ROW(CHANGE, 'p', kugel_player_rewrite, kugel_player_rewrite(s->player, put, NULL)) \
    ROW(CHANGE, 'p', kugel_player_set_pair_filter, \
        kugel_player_set_pair_filter(s->player, NULL, NULL)) \
    ROW(NOTHING, 'p', kugel_player_close, (kugel_player_close(s->player), KUGEL_OK))
/* clang-format on */

#define CALL(kind, of, name, result)                                                               \
    static kugel_status call_##name(scene *s)                                                      \
    {                                                                                              \
        kugel_world *w = s->world;                                                                 \
        kugel_body b = s->body;                                                                    \
        kugel_surface f = s->surface;                                                              \
        (void)w, (void)b, (void)f;                                                                 \
        return result;                                                                             \
    }
ROWS(CALL)

#define ROW_OF(kind, of, name, result) {#name, kind, of, call_##name},
static const row rows[] = {ROWS(ROW_OF)};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

static kugel_body add(kugel_world *world, double x, double z, double speed)
{
    kugel_body made;
    kugel_body_def def = kugel_body_def_default();
    def.position[0] = x, def.position[2] = z, def.velocity[2] = speed, def.restitution = 0.5;
    cr_assert_eq(kugel_body_create(world, &def, &made), KUGEL_OK);
    return made;
}

static kugel_world *world_of(const kugel_world_def *def)
{
    kugel_world *world;
    cr_assert_eq(kugel_world_create(def, &world), KUGEL_OK);
    return world;
}

/* A recording of two ticks with a pair filter. */
static bool always(void *user, uint64_t key, kugel_pair *pair)
{
    (void)user, (void)key, (void)pair;
    return true;
}

static void record(scene *s)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_recording_def recording = support_recording_def(&s->file, true);
    kugel_world *world = world_of(&def);
    cr_assert_eq(kugel_world_recording_start(world, &recording), KUGEL_OK);
    kugel_world_set_pair_filter(world, &(kugel_pair_filter){.decide = always});
    add(world, 0, 0, 0.1), add(world, 0, 1.01, 0);
    for (int tick = 0; tick < 2; ++tick) kugel_world_step(world, 0.01);
    cr_assert_eq(kugel_world_recording_stop(world), KUGEL_OK);
    kugel_world_destroy(world);
}

/* True if bodies fall asleep in the next step. */
static bool sleep_follows(kugel_world *world)
{
    kugel_world *next;
    size_t count;
    cr_assert_eq(kugel_world_clone(world, &next), KUGEL_OK);
    cr_assert_eq(kugel_world_step(next, 0.01), KUGEL_OK);
    bool follows = kugel_world_sleep_events(next, &count);
    kugel_world_destroy(next);
    return follows;
}

/* A world with bodies, contacts, events of each kind, a surface and a recording. */
static void fill(scene *s, const kugel_world_def *hooks)
{
    kugel_world_def def = hooks ? *hooks : kugel_world_def_default();
    kugel_body_def other = kugel_body_def_default();
    kugel_surface_def surface = surface_def();
    def.gravity[2] = -9.81;
    kugel_world *world = s->world = world_of(&def);
    support_add_plane(world, &(support_plane){.normal = {0, 0, 1}, .offset = -0.5}, NULL);
    s->body = add(world, 0, 0, 0), s->resting = add(world, 3, 0, 0);
    kugel_body sleeper = add(world, 6, 0, 0), moved = add(world, 9, 0, 0);
    add(world, 0, 1, 0); /* on the body: the pair filter is called */
    while (!sleep_follows(world)) cr_assert_eq(kugel_world_step(world, 0.01), KUGEL_OK);
    other.type = KUGEL_KINEMATIC, other.position[0] = -9, other.velocity[0] = 0.1;
    kugel_body_create(world, &other, &s->kinematic);
    other.sensor = true, other.position[0] = 12;
    kugel_body_create(world, &other, &s->sensor);
    cr_assert_eq(kugel_body_sleep(world, sleeper), KUGEL_OK);
    add(world, 12, 0.01, -9), add(world, 15, 0.0001, -0.01);
    kugel_body_wake(world, sleeper);
    kugel_body_set_position(world, moved, (const double[3]){9, 0, 9});
    cr_assert_eq(kugel_world_step(world, 0.01), KUGEL_OK);
    cr_assert_eq(kugel_surface_create(world, &surface, &s->surface), KUGEL_OK);
    surface.shape = KUGEL_SURFACE_BOX, surface.sensor = true;
    surface.size[0] = surface.size[1] = surface.size[2] = 1;
    cr_assert_eq(kugel_surface_create(world, &surface, &s->area), KUGEL_OK);
    kugel_world_set_user_data(world, 7);
    cr_assert_eq(kugel_world_set_pair_material(world, 0, 0, &(kugel_pair_material){0, 0.5, 0, 0}),
                 KUGEL_OK);
    cr_assert_eq(kugel_snapshot_save(world, true, s->snapshot, sizeof s->snapshot, &s->size),
                 KUGEL_OK);
    kugel_recording_def ring = recording_of(4);
    cr_assert_eq(kugel_world_recording_start(world, &ring), KUGEL_OK);
    record(s);
    s->player = support_open_player(&s->file);
    kugel_player_set_pair_filter(s->player, always, NULL);
    kugel_player_seek(s->player, 1);
    kugel_exchange exchange = exchange_of(s);
    kugel_world *divided = world_of(&def);
    cr_assert_eq(kugel_ranks_create(divided, &exchange, &s->ranks), KUGEL_OK);
}

static void clear(scene *s)
{
    kugel_world_destroy(s->world);
    kugel_ranks_destroy(s->ranks);
    kugel_player_close(s->player);
    support_file_free(&s->file);
}

/* Called by each callback. In the armed one, make all calls on the object that runs it. */
static void made_in(const char *callback, char of, bool may_read)
{
    if (!armed || strcmp(armed, callback) != 0) return;
    armed = NULL;
    for (int k = 0; k < ROW_COUNT; ++k) {
        const row *r = &rows[k];
        if (r->of != of) continue;
        bool allowed = r->kind == FREE || r->kind == NOTHING || (r->kind == READ && may_read);
        kugel_status status = r->call(&one);
        cr_expect_eq(status, allowed ? KUGEL_OK : KUGEL_ERROR_STATE, "%s in %s: %s", r->name,
                     callback, kugel_status_text(status));
    }
}

/* The callbacks. */
static void *allocate(void *user, size_t size)
{
    (void)user;
    made_in("allocator", 'w', false);
    return malloc(size);
}
static void *reallocate(void *user, void *block, size_t old_size, size_t new_size)
{
    (void)user, (void)old_size;
    made_in("allocator", 'w', false);
    return realloc(block, new_size);
}
static void release(void *user, void *block, size_t size)
{
    (void)user, (void)size;
    free(block);
}
static void write_log(void *user, kugel_status status, const char *text)
{
    (void)user, (void)status, (void)text;
    made_in("log", 'w', false);
}
static uint64_t now(void *user)
{
    (void)user;
    made_in("clock", 'w', false);
    return 0;
}
static void run_tasks(void *user, uint32_t count, void (*task)(void *context, uint32_t index),
                      void *context)
{
    (void)user;
    made_in("tasks", 'w', true); /* of a query */
    for (uint32_t k = 0; k < count; ++k) task(context, k);
}
static bool decide(void *user, uint64_t key, kugel_pair *pair)
{
    (void)user, (void)key, (void)pair;
    made_in("decide", 'w', false);
    return true;
}
static bool decide_played(void *user, uint64_t key, kugel_pair *pair)
{
    (void)user, (void)key, (void)pair;
    made_in("played decide", 'p', false);
    return true;
}
static bool accept(void *user, kugel_target target, uint64_t handle)
{
    (void)user, (void)target, (void)handle;
    made_in("accept", 'w', true);
    return true;
}
static void draw_body(void *user, const kugel_body_state *body)
{
    (void)user, (void)body;
    made_in("draw", 'w', true);
}
static bool write_recording(void *user, const void *data, size_t size)
{
    (void)user, (void)data, (void)size;
    made_in("write", 'w', false);
    return true;
}
static bool write_rewritten(void *user, const void *data, size_t size)
{
    (void)user, (void)data, (void)size;
    made_in("rewrite", 'p', true);
    return true;
}

static kugel_world_def hooks(void)
{
    kugel_world_def def = kugel_world_def_default();
    def.allocator = (kugel_allocator){allocate, reallocate, release, NULL};
    def.log.write = write_log, def.clock.now = now;
    def.tasks.run = run_tasks, def.tasks.threads = 2;
    return def;
}

/* Calls that run the callbacks. */
static void grow(void)
{
    for (int k = 0; k < 200; ++k) add(one.world, 100 + 2 * k, 0, 0);
}
static void step(void) { kugel_world_step(one.world, 0.01); }
static void fail(void) { kugel_body_set_mass(one.world, one.body, -1); }
static void set_filter(void)
{
    kugel_world_set_pair_filter(one.world, &(kugel_pair_filter){.decide = decide});
}
static void step_with_filter(void)
{
    const char *name = armed;
    armed = NULL;
    set_filter();
    armed = name;
    step();
}
static void query(void)
{
    kugel_filter filter = kugel_filter_default();
    kugel_found found;
    size_t count;
    filter.accept = accept;
    kugel_world_overlap_sphere(one.world, v, 5, &filter, 1, &found, &count);
}
static void trace(void)
{
    static kugel_ray rays[4096];
    static kugel_ray_hit hits[4096];
    for (int k = 0; k < 4096; ++k) rays[k] = ray;
    kugel_world_rays_closest(one.world, 4096, rays, NULL, hits);
}
static void draw(void) { kugel_world_draw(one.world, &(kugel_debug_draw){.body = draw_body}); }
static void start_recording(void)
{
    kugel_recording_def def = recording_of(0);
    def.write = write_recording;
    kugel_world_recording_stop(one.world);
    kugel_world_recording_start(one.world, &def);
}
static void step_ranks(void) { kugel_ranks_step(one.ranks, 0.01); }
static void play(void)
{
    kugel_player_set_pair_filter(one.player, decide_played, NULL);
    kugel_player_seek(one.player, 0);
    kugel_player_step(one.player, NULL);
}
static void rewrite(void) { kugel_player_rewrite(one.player, write_rewritten, NULL); }

/* The state of all objects of the scene. */
static uint64_t state(void)
{
    uint64_t hash = kugel_world_hash(one.world) ^ 3 * kugel_world_body_count(one.world);
    return hash ^ 5 * kugel_world_hash(kugel_ranks_world(one.ranks)) ^
           7 * kugel_world_hash(kugel_player_world(one.player));
}

/* In each callback the calls are allowed or refused as the table says, and those that are refused
 * change nothing. */
Test(callbacks, refuse_what_the_table_says)
{
    static const struct {
        const char *callback;
        void (*run)(void);
    } runs[] = {
        {"allocator", grow},
        {"clock", step},
        {"log", fail},
        {"decide", set_filter},
        {"decide", step_with_filter},
        {"accept", query},
        {"tasks", trace},
        {"draw", draw},
        {"write", start_recording},
        {"reduce", step_ranks},
        {"played decide", play},
        {"rewrite", rewrite},
    };
    for (size_t k = 0; k < sizeof runs / sizeof *runs; ++k) {
        uint64_t hash[2];
        for (int act = 0; act < 2; ++act) {
            kugel_world_def def = hooks();
            one = (scene){0};
            fill(&one, &def);
            armed = act ? runs[k].callback : NULL;
            runs[k].run();
            cr_expect(!armed, "%s: did not run", runs[k].callback);
            armed = NULL;
            hash[act] = state();
            clear(&one);
        }
        cr_expect_eq(hash[0], hash[1], "%s: a refused call changed something", runs[k].callback);
    }
}

/* The input of a sync test changes the world, but cannot destroy it. */
static kugel_status input(void *user, kugel_world *world, uint64_t tick)
{
    (void)user, (void)tick;
    kugel_world_destroy(world);
    return kugel_body_set_velocity(world, one.body, v);
}

Test(callbacks, input_of_a_sync_test_changes_the_world)
{
    kugel_sync_def def = kugel_sync_def_default();
    kugel_sync_report report;
    one = (scene){0};
    fill(&one, NULL);
    def.input = input, def.ticks = 3;
    kugel_world_recording_stop(one.world);
    cr_assert_eq(kugel_sync_test(one.world, &def, &report), KUGEL_OK);
    cr_assert(report.same && report.ticks == 3);
    clear(&one);
}

/* Without a callback each call succeeds, so that no row is refused for another reason. */
Test(callbacks, calls_of_the_table_succeed_alone)
{
    for (int k = 0; k < ROW_COUNT; ++k) {
        if (rows[k].kind == NOTHING) continue;
        one = (scene){0};
        fill(&one, NULL);
        kugel_status status = rows[k].call(&one);
        cr_expect_eq(status, KUGEL_OK, "%s: %s", rows[k].name, kugel_status_text(status));
        clear(&one);
    }
}

static bool is_listed(const char *name, size_t length)
{
    for (int k = 0; k < ROW_COUNT; ++k) {
        if (strlen(rows[k].name) == length && !memcmp(rows[k].name, name, length)) return true;
    }
    return false;
}

/* Each function that a header declares with a world, ranks or a player is in the table. Returns how
 * many there are. */
static int check_header(const char *path)
{
    static char text[1 << 18];
    static const char *const arguments[] = {"kugel_world *world", "kugel_ranks *ranks",
                                            "kugel_player *player"};
    int count = 0;
    FILE *file = fopen(path, "r");
    cr_assert(file, "%s", path);
    size_t size = fread(text, 1, sizeof text - 1, file);
    cr_assert_lt(size, sizeof text - 1);
    text[size] = 0;
    fclose(file);
    for (char *at = text; (at = strstr(at, "\nKUGEL_API "));) {
        char *open = strchr(at, '('), *end = strchr(at, ';'), *name = open;
        cr_assert(open && end);
        while (name[-1] == '_' || (name[-1] >= 'a' && name[-1] <= 'z')) --name;
        *end = 0;
        bool uses = false;
        for (int k = 0; k < 3; ++k) uses = uses || strstr(open, arguments[k]);
        if (uses) cr_expect(is_listed(name, (size_t)(open - name)), "%.60s is not listed", name);
        count += uses;
        at = end + 1;
    }
    return count;
}

Test(callbacks, the_table_is_complete)
{
    char path[1024];
    int count = 0;
    snprintf(path, sizeof path, "%s/include/kugel", getenv("KUGEL_SOURCE"));
    DIR *folder = opendir(path);
    cr_assert(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (!strstr(entry->d_name, ".h")) continue;
        snprintf(path, sizeof path, "%s/include/kugel/%s", getenv("KUGEL_SOURCE"), entry->d_name);
        count += check_header(path);
    }
    closedir(folder);
    cr_assert_eq(count, ROW_COUNT, "%d functions in the headers, %d rows", count, ROW_COUNT);
}
