/* A host that reads and writes each struct that grows. check-growth compiles it with the present
 * headers, with older ones (the last member of each struct is missing) and with newer ones (each
 * struct has `later`), runs it with the same library, and compares what it prints. Each struct lies
 * before guard bytes, and rows are printed by members that all headers have. */
#include <kugel/kugel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 64, ROWS = 16 };

/* A zeroed array before guard bytes. */
static void *guarded(size_t bytes)
{
    unsigned char *block = calloc(1, bytes + GUARD);
    if (!block) exit(3);
    memset(block + bytes, 0xa5, GUARD);
    return block;
}

static void check_guard(const char *name, void *block, size_t bytes)
{
    for (int k = 0; k < GUARD; ++k) {
        if (((unsigned char *)block)[bytes + (size_t)k] == 0xa5) continue;
        printf("%s: written beyond its end\n", name);
        exit(2);
    }
    free(block);
}

static void check(const char *name, kugel_status status)
{
    if (status) printf("%s: %s\n", name, kugel_status_text(status));
}

#ifdef NEWER
#define IS_CLEAR(row) check_clear((row).later)
static void check_clear(double later)
{
    if (later != 0) printf("`later` is %g\n", later);
}
#else
#define IS_CLEAR(row) (void)(row)
#endif

/* Print a member of `count` rows at `row`, and free them. */
#define PRINT(type, row, count, member)                                                            \
    do {                                                                                           \
        for (size_t k_ = 0; k_ < (size_t)(count); ++k_) {                                          \
            printf(#type "." #member " %.17g\n", (double)(row)[k_].member);                        \
            IS_CLEAR((row)[k_]);                                                                   \
        }                                                                                          \
    } while (0)
#define READ(type, rows, call, member)                                                             \
    do {                                                                                           \
        type *row = guarded((rows) * sizeof *row);                                                 \
        size_t count = 1;                                                                          \
        check(#call, call);                                                                        \
        if (count > (rows)) count = (rows);                                                        \
        PRINT(type, row, count, member);                                                           \
        check_guard(#call, row, (rows) * sizeof *row);                                             \
    } while (0)
#define EVENTS(type, function, member)                                                             \
    do {                                                                                           \
        size_t count;                                                                              \
        const type *row = function(world, &count);                                                 \
        PRINT(type, row, count, member);                                                           \
    } while (0)

static kugel_world *make_world(void)
{
    kugel_world *world;
    kugel_world_def def = kugel_world_def_default();
    def.gravity[2] = -10;
    check("create", kugel_world_create(&def, &world));
    kugel_surface_def floor = kugel_surface_def_default();
    floor.shape = KUGEL_SURFACE_PLANE;
    check("surface", kugel_surface_create(world, &floor, NULL));
    kugel_surface_def wall = kugel_surface_def_plane((double[]){1, 0, 0}, -50);
    check("plane", kugel_surface_create(world, &wall, NULL));
    kugel_pair_material *pair = guarded(sizeof *pair);
    pair->friction = 0.25;
    check("pair", kugel_world_set_pair_material(world, 0, 1, pair));
    check_guard("pair", pair, sizeof *pair);
    for (int k = 0; k < 12; ++k) {
        kugel_body_def ball = kugel_body_def_default();
        ball.position[0] = 0.9 * (k % 3);
        ball.position[2] = 0.4 + 1.1 * (k / 3);
        ball.restitution = k % 2 ? 0.5 : 0;
        ball.sensor = k == 5;
        check("body", kugel_body_create(world, &ball, NULL));
    }
    return world;
}

static void read_world(const kugel_world *world)
{
    kugel_body first = kugel_world_body(world, 0);
    READ(kugel_world_def, 1, kugel_world_get_def(world, row), slop);
    READ(kugel_pair_material, 1,
         kugel_world_get_pair_material(world, 1, 0, row) ? KUGEL_OK : KUGEL_ERROR_STATE, friction);
    READ(kugel_stats, 1, (kugel_world_stats(world, row), KUGEL_OK), impacts_total);
    READ(kugel_energy, 1, (kugel_world_energy(world, row), KUGEL_OK), kinetic);
    READ(kugel_step_times, 1, (kugel_world_step_times(world, row, NULL), KUGEL_OK), steps);
    READ(kugel_body_state, 1, kugel_body_get(world, first, row), position[2]);
    READ(kugel_surface_move, ROWS, (count = kugel_world_surface_moves(world, ROWS, row), KUGEL_OK),
         position[2]);
    READ(kugel_move, ROWS, (count = kugel_world_moves(world, ROWS, row), KUGEL_OK), position[2]);
    READ(kugel_resting_contact, ROWS, kugel_body_contacts(world, first, ROWS, row, &count), gap);
    READ(kugel_resting_contact, ROWS, kugel_world_contacts(world, ROWS, row, &count), gap);
    READ(kugel_surface_def, 1, kugel_surface_get(world, kugel_world_surface(world, 0), row, NULL),
         friction);
    kugel_surface_def def;
    READ(kugel_surface_info, 1, kugel_surface_get(world, kugel_world_surface(world, 0), &def, row),
         welded);
    double *z = guarded(3 * ROWS * sizeof *z);
    kugel_body_arrays arrays = {.position = z};
    printf("arrays %u %.17g\n", kugel_world_read_arrays(world, ROWS, &arrays), z[5]);
    check_guard("arrays", z, 3 * ROWS * sizeof *z);
}

static void read_queries(const kugel_world *world)
{
    const kugel_ray ray = {{0.1, 0, 9}, {0, 0, -1}, 20};
    const double low[3] = {0, 0, 0}, high[3] = {2, 2, 2}, up[3] = {0, 0, 1}, ones[3] = {1, 1, 1};
    kugel_filter filter = kugel_filter_default();
    filter.sensors = true;
    const kugel_ray rays[3] = {ray, {{0.9, 0, 9}, {0, 0, -1}, 20}, {{50, 0, 9}, {0, 0, 1}, 20}};
    READ(kugel_ray_hit, 1, kugel_world_ray_closest(world, &ray, &filter, row), target);
    READ(kugel_ray_hit, ROWS, kugel_world_ray_all(world, &ray, &filter, ROWS, row, &count), index);
    READ(kugel_ray_hit, 3, (count = 3, kugel_world_rays_closest(world, 3, rays, NULL, row)), index);
    READ(kugel_cast_hit, 1, kugel_world_cast_closest(world, &ray, 0.2, NULL, row), index);
    READ(kugel_cast_hit, ROWS, kugel_world_cast_all(world, &ray, 0.2, NULL, ROWS, row, &count),
         index);
    READ(kugel_found, ROWS, kugel_world_overlap_sphere(world, low, 1, NULL, ROWS, row, &count),
         gap);
    READ(kugel_found, ROWS, kugel_world_overlap_box(world, low, high, NULL, ROWS, row, &count),
         gap);
    READ(kugel_found, ROWS,
         kugel_world_overlap_ellipsoid(world, low, ones, NULL, NULL, ROWS, row, &count), gap);
    READ(kugel_found, ROWS, kugel_world_nearest(world, low, 9, NULL, ROWS, row, &count), gap);
    READ(kugel_found, ROWS, kugel_world_plane_side(world, up, 1, 1, NULL, ROWS, row, &count), gap);
}

static void read_events(kugel_world *world)
{
    check("sum", kugel_world_sum_impulses(world, true));
    for (int tick = 0; tick < 240; ++tick) {
        check("step", kugel_world_step(world, 1.0 / 60));
        EVENTS(kugel_impact, kugel_world_impact_events, time);
        EVENTS(kugel_touch, kugel_world_begin_events, time);
        EVENTS(kugel_touch, kugel_world_end_events, point[2]);
        EVENTS(kugel_rest, kugel_world_sleep_events, time);
        EVENTS(kugel_rest, kugel_world_wake_events, time);
        EVENTS(kugel_sensor_event, kugel_world_sensor_events, point[2]);
        READ(kugel_impulse_sum, ROWS, kugel_world_impulse_sums(world, ROWS, row, &count),
             impulse[2]);
        if (tick == 60) kugel_body_destroy(world, kugel_world_body(world, 1));
    }
}

static size_t recorded_size;
static unsigned char recording[1 << 20];
static bool keep(void *user, const void *data, size_t size)
{
    (void)user;
    if (recorded_size + size > sizeof recording) return false;
    memcpy(recording + recorded_size, data, size);
    recorded_size += size;
    return true;
}

static void read_recording(kugel_world *world)
{
    kugel_recording_def def = kugel_recording_def_default();
    kugel_player *player;
    def.write = keep;
    check("start", kugel_world_recording_start(world, &def));
    for (int tick = 0; tick < 3; ++tick) check("step", kugel_world_step(world, 1.0 / 60));
    check("stop", kugel_world_recording_stop(world));
    check("open", kugel_player_open(recording, recorded_size, NULL, NULL, 1, &player, NULL));
    READ(kugel_recording_info, 1, (kugel_player_info(player, row), KUGEL_OK), ticks);
    READ(kugel_recorded, 1, kugel_player_recorded(player, 2, row), count);
    kugel_recorded p, q;
    kugel_player_recorded(player, 2, &p);
    kugel_player_recorded(player, 2, &q);
    printf("same %d\n", !kugel_recorded_difference(&p, &q, NULL));
    kugel_player_close(player);
}

static void read_snapshot(kugel_world *world)
{
    size_t capacity, size;
    check("size", kugel_snapshot_save(world, true, NULL, 0, &capacity));
    void *data = guarded(capacity);
    check("save", kugel_snapshot_save(world, true, data, capacity, &size));
    READ(kugel_snapshot_info, 1, kugel_snapshot_check(data, size, row, NULL), bodies);
    check_guard("snapshot", data, capacity);
    kugel_sync_def def = kugel_sync_def_default();
    def.ticks = 3;
    READ(kugel_sync_report, 1, kugel_sync_test(world, &def, row), same);
}

static void count_body(void *user, const kugel_body_state *body)
{
    (void)body;
    *(int *)user += 1;
}

static bool refuse(void *user, uint64_t key, kugel_pair *pair)
{
    (void)user, (void)key, (void)pair;
    return false;
}

/* Structs that the library only reads. */
static void pass(kugel_world *world)
{
    int bodies = 0;
    uint32_t pushed;
    kugel_debug_draw draw = {.body = count_body};
    draw.user = &bodies;
    kugel_pair_filter filter = {.decide = refuse};
    kugel_explosion_def explosion = kugel_explosion_def_default();
    explosion.impulse = 1;
    check("draw", kugel_world_draw(world, &draw));
    check("explode", kugel_world_explode(world, &explosion, &pushed));
    check("filter", kugel_world_set_pair_filter(world, &filter));
    kugel_pair_filter *read = guarded(sizeof *read);
    check("filter", kugel_world_get_pair_filter(world, read));
    double push[3] = {0, 0, 1};
    kugel_body first = kugel_world_body(world, 0);
    check("write", kugel_world_write_arrays(
                       world, 1, &(kugel_body_arrays){.bodies = &first, .velocity = push}));
    printf("bodies %d, pushed %u, filter %d\n", bodies, pushed, read->decide == refuse);
    check_guard("filter", read, sizeof *read);
}

/* Defs without a cookie, and defs with a member that the library lacks, are refused. */
static void refusals(kugel_world *world)
{
    kugel_body_def ball = kugel_body_def_default();
#ifdef NEWER
    ball.later = 1;
#else
    ball.cookie = 0;
#endif
    printf("refused %d\n", kugel_body_create(world, &ball, NULL) == KUGEL_ERROR_UNINITIALIZED_DEF);
}

int main(void)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    kugel_world *world = make_world();
    const double place[3] = {0, 0, 0}, upright[4] = {0, 0, 0, 1};
    read_events(world);
    check("place", kugel_surface_set_pose(world, kugel_world_surface(world, 0), place, upright));
    read_world(world);
    read_queries(world);
    read_recording(world);
    read_snapshot(world);
    pass(world);
    refusals(world);
    kugel_world_destroy(world);
    return 0;
}
