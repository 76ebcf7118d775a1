/* A host that embeds the library and uses all that it offers for the bodies of a game. It compiles
 * as C and as C++, with its own copy of stb_ds in the same program. It prints two numbers: the hash
 * of the world after the last tick, and a checksum of what the host read from it. Both are the same
 * on every machine, for every way to embed the library. Where the world refuses the host's
 * arithmetic the program prints "refused". */
#define STB_DS_IMPLEMENTATION
#include <stb/stb_ds.h>
#ifdef SINGLE_FILE
#include "kugel.h"
#else
#include <kugel/kugel.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BALLS = 50, BODIES = BALLS + 1, TICKS = 480, CONTACTS = 256 };
static const double dt = 1.0 / 60;

/* Positions and rotations of all bodies, in id order. */
typedef struct poses {
    uint32_t count;
    double position[3 * BODIES];
    double rotation[4 * BODIES];
} poses;

typedef struct game {
    kugel_world *world;
    kugel_body *balls; /* arrays of stb_ds */
    char *recording;
    kugel_body sweeper, sleeper;
    kugel_surface table;
    poses before, after; /* the last step */
    uint64_t checksum;
} game;

static void require(kugel_status status)
{
    if (status == KUGEL_OK) return;
    fprintf(stderr, "host: %s\n", kugel_status_text(status));
    exit(1);
}

/* The checksum. */

static void mix(game *g, uint64_t word)
{
    g->checksum = (g->checksum ^ word) * 0x100000001b3;
    g->checksum ^= g->checksum >> 29;
}

/* The bits of numbers; +0 and -0 count as equal. */
static void mix_numbers(game *g, const double *numbers, int count)
{
    for (int k = 0; k < count; ++k) {
        uint64_t bits;
        memcpy(&bits, &numbers[k], sizeof bits);
        mix(g, bits << 1 ? bits : 0);
    }
}

/* The scene. Its numbers are exact in binary, so the compiler's flags cannot change them. */

static kugel_status create_world(game *g)
{
    kugel_world_def def = kugel_world_def_default();
    def.gravity[2] = -9.81;
    for (int k = 0; k < 3; ++k) def.bounds.min[k] = -8, def.bounds.max[k] = 100;
    for (int face = 0; face < 4; ++face) def.bounds.faces[face] = KUGEL_FACE_WALL;
    return kugel_world_create(&def, &g->world);
}

static void add_ground(game *g)
{
    static const double half[3] = {1, 1, 0.25};
    double corners[3 * KUGEL_MESH_BOX_VERTICES];
    uint32_t sides[3 * KUGEL_MESH_BOX_TRIANGLES];
    const double up[3] = {0, 0, 1};
    kugel_surface_def floor = kugel_surface_def_plane(up, 0);
    kugel_surface_def table = kugel_surface_def_default();
    kugel_mesh_box(half, corners, sides);
    table.vertices = corners, table.vertex_count = KUGEL_MESH_BOX_VERTICES;
    table.triangles = sides, table.triangle_count = KUGEL_MESH_BOX_TRIANGLES;
    table.position[2] = 1;
    table.user_data = 4000;
    require(kugel_surface_create(g->world, &floor, NULL));
    require(kugel_surface_create(g->world, &table, &g->table));
}

/* User data link a body to the host's object; here it is the object's number. */
static void add_bodies(game *g)
{
    for (int i = 0; i < BALLS; ++i) {
        kugel_body_def ball = kugel_body_def_default();
        kugel_body body;
        ball.position[0] = 1.125 * (i % 5) - 2.25;
        ball.position[1] = 1.125 * (i / 5 % 5) - 2.25;
        ball.position[2] = i < 25 ? 2 : 3.5;
        ball.restitution = 0.75;
        ball.user_data = 1000 + (uint64_t)i;
        require(kugel_body_create(g->world, &ball, &body));
        arrput(g->balls, body);
    }
    kugel_body_def sweeper = kugel_body_def_default();
    sweeper.type = KUGEL_KINEMATIC;
    sweeper.position[0] = 4;
    sweeper.position[1] = 2;
    sweeper.position[2] = 0.5;
    require(kugel_body_create(g->world, &sweeper, &g->sweeper));
    require(kugel_body_set_user_data(g->world, g->sweeper, 2000));
    require(kugel_world_set_user_data(g->world, 3000));
}

/* Rule 1: bodies whose ids are equal modulo 8 pass through each other, other pairs slide. */
static bool decide(void *user, uint64_t rule, kugel_pair *pair)
{
    (void)user;
    if (rule != 1) return true;
    pair->friction = 0.125;
    return pair->surface || kugel_body_id(pair->a) % 8 != kugel_body_id(pair->b) % 8;
}

/* Calls between steps. */

/* The sweeper goes to and fro and rocks; it pushes balls out of its way. */
static void move_sweeper(game *g, int tick)
{
    static const double upright[4] = {0, 0, 0, 1}, tilted[4] = {0, 0.06, 0, 0.998198};
    int phase = tick % 128;
    double target[3] = {4 - 0.125 * (phase < 64 ? phase : 128 - phase), 2, 0.5};
    require(kugel_body_set_target(g->world, g->sweeper, target, tick % 2 ? tilted : upright, dt));
}

static void change_properties(game *g)
{
    static const double tilted[4] = {0.6, 0, 0, 0.8};
    require(kugel_body_set_mass(g->world, g->balls[0], 8));
    require(kugel_body_set_radius(g->world, g->balls[1], 0.25));
    require(kugel_body_set_material(g->world, g->balls[2], 0, 1, 0.125, 0));
    require(kugel_body_set_gravity_scale(g->world, g->balls[3], 0.5));
    require(kugel_body_set_type(g->world, g->balls[4], KUGEL_STATIC, 0));
    require(kugel_body_set_rotation(g->world, g->balls[5], tilted));
}

static void push(game *g)
{
    static const double force[3] = {50, 0, 0}, impulse[3] = {0, 4, 0};
    double point[3];
    require(kugel_body_get_position(g->world, g->balls[6], point));
    point[2] += 0.5;
    require(kugel_body_apply_force(g->world, g->balls[6], force, point));
    require(kugel_body_apply_impulse(g->world, g->balls[6], impulse, point));
}

static void explode(game *g)
{
    kugel_explosion_def blast = kugel_explosion_def_default();
    uint32_t pushed;
    blast.radius = 1;
    blast.falloff = 4;
    blast.impulse = 6;
    require(kugel_world_explode(g->world, &blast, &pushed));
    mix(g, pushed);
}

static void set_rule(game *g, uint64_t rule)
{
    kugel_pair_filter filter = {decide, NULL, rule};
    require(kugel_world_set_pair_filter(g->world, &filter));
}

/* True if a contact's normal, which points from the body to what it touches, points down. */
static bool is_on_ground(const game *g, kugel_body body)
{
    kugel_resting_contact contacts[16];
    size_t count;
    require(kugel_body_contacts(g->world, body, 16, contacts, &count));
    for (size_t k = 0; k < count && k < 16; ++k) {
        if (contacts[k].normal[2] < -0.75) return true;
    }
    return false;
}

/* The first ball that stands on something. */
static kugel_body standing_ball(const game *g)
{
    for (size_t i = 0; i < arrlenu(g->balls); ++i) {
        if (is_on_ground(g, g->balls[i])) return g->balls[i];
    }
    require(KUGEL_ERROR_STATE);
    return KUGEL_NULL_BODY;
}

/* Its contacts are among the ends of the next step. */
static void remove_ball(game *g)
{
    kugel_body ball = standing_ball(g);
    for (size_t i = arrlenu(g->balls); i-- > 0;) {
        if (g->balls[i] == ball) arrdel(g->balls, i);
    }
    require(kugel_body_destroy(g->world, ball));
}

static void put_to_sleep(game *g)
{
    g->sleeper = standing_ball(g);
    require(kugel_body_sleep(g->world, g->sleeper));
}

static void act(game *g, int tick)
{
    move_sweeper(g, tick);
    if (tick == 20) change_properties(g);
    if (tick == 40) set_rule(g, 1);
    if (tick == 60) push(g);
    if (tick == 200) explode(g);
    if (tick == 280) set_rule(g, 2);
    if (tick == 300) put_to_sleep(g);
    if (tick == 310) require(kugel_body_wake(g->world, g->sleeper));
    if (tick == 340) remove_ball(g);
}

/* Reading after a step. */

static void read_moves(game *g)
{
    kugel_move moves[BODIES];
    uint32_t count = kugel_world_moves(g->world, BODIES, moves);
    mix(g, count);
    for (uint32_t k = 0; k < count; ++k) {
        mix(g, moves[k].user_data);
        mix(g, moves[k].moved + 2 * moves[k].placed + 4 * moves[k].stopped);
        mix(g, moves[k].fell_asleep);
        mix_numbers(g, moves[k].position, 3);
        mix_numbers(g, moves[k].rotation, 4);
    }
}

static void read_contacts(game *g)
{
    kugel_resting_contact contacts[CONTACTS];
    size_t count;
    require(kugel_world_contacts(g->world, CONTACTS, contacts, &count));
    mix(g, count);
    for (size_t k = 0; k < count && k < CONTACTS; ++k) {
        mix(g, contacts[k].a);
        mix(g, contacts[k].b);
        mix_numbers(g, contacts[k].point, 3);
        mix_numbers(g, contacts[k].normal, 3);
        mix_numbers(g, &contacts[k].force, 1);
    }
}

static void read_ends(game *g)
{
    size_t count;
    const kugel_touch *ends = kugel_world_end_events(g->world, &count);
    for (size_t k = 0; k < count; ++k) {
        mix(g, ends[k].a);
        mix(g, kugel_body_is_valid(g->world, ends[k].a));
        mix_numbers(g, &ends[k].time, 1);
    }
}

static void read_sweeper(game *g)
{
    double numbers[9];
    double rotation[4];
    uint64_t user_data, user_data_of_table;
    require(kugel_body_get_position(g->world, g->sweeper, numbers));
    require(kugel_body_get_velocity(g->world, g->sweeper, numbers + 3));
    require(kugel_body_get_spin(g->world, g->sweeper, numbers + 6));
    require(kugel_body_get_rotation(g->world, g->sweeper, rotation));
    require(kugel_body_get_user_data(g->world, g->sweeper, &user_data));
    require(kugel_surface_get_user_data(g->world, g->table, &user_data_of_table));
    mix_numbers(g, numbers, 9);
    mix_numbers(g, rotation, 4);
    mix(g, user_data);
    mix(g, user_data_of_table);
    mix(g, kugel_world_get_user_data(g->world));
}

static void read_states(game *g)
{
    for (size_t i = 0; i < arrlenu(g->balls); ++i) {
        kugel_body_state state;
        require(kugel_body_get(g->world, g->balls[i], &state));
        mix(g, state.contacts);
        mix(g, state.type);
        mix_numbers(g, &state.mass, 1);
    }
}

static void read_arrays(game *g)
{
    kugel_body bodies[BODIES];
    double velocity[3 * BODIES], spin[3 * BODIES], radius[BODIES];
    bool asleep[BODIES];
    kugel_body_arrays arrays;
    memset(&arrays, 0, sizeof arrays);
    arrays.bodies = bodies;
    arrays.velocity = velocity, arrays.spin = spin, arrays.radius = radius;
    arrays.asleep = asleep;
    uint32_t count = kugel_world_read_arrays(g->world, BODIES, &arrays);
    mix_numbers(g, velocity, 3 * (int)count);
    mix_numbers(g, spin, 3 * (int)count);
    mix_numbers(g, radius, (int)count);
    for (uint32_t k = 0; k < count; ++k)
        if (asleep[k]) mix(g, bodies[k]);
}

/* Drawing. */

static void read_poses(const game *g, poses *p)
{
    kugel_body_arrays arrays;
    memset(&arrays, 0, sizeof arrays);
    arrays.position = p->position, arrays.rotation = p->rotation;
    p->count = kugel_world_read_arrays(g->world, BODIES, &arrays);
}

/* A frame between the last two ticks. */
static void draw_frame(game *g, double alpha)
{
    poses drawn;
    const poses *from = &g->before, *to = &g->after;
    require(kugel_interpolate_positions(g->world, to->count, from->position, to->position, alpha,
                                        drawn.position));
    require(kugel_interpolate_rotations(to->count, from->rotation, to->rotation, alpha,
                                        drawn.rotation));
    mix_numbers(g, drawn.position, 3 * (int)to->count);
    mix_numbers(g, drawn.rotation, 4 * (int)to->count);
}

static void draw_box(void *user, const kugel_bounds *bounds)
{
    mix_numbers((game *)user, bounds->min, 3);
    mix_numbers((game *)user, bounds->max, 3);
}

static void draw_surface(void *user, kugel_surface handle, const kugel_surface_def *surface)
{
    double normal[3], offset;
    mix((game *)user, handle);
    if (kugel_surface_def_get_plane(surface, normal, &offset)) mix_numbers((game *)user, normal, 3);
    mix_numbers((game *)user, surface->vertices, 3 * (int)surface->vertex_count);
}

static void draw_body(void *user, const kugel_body_state *body)
{
    mix_numbers((game *)user, body->position, 3);
    mix_numbers((game *)user, &body->radius, 1);
}

static void draw_contact(void *user, const kugel_resting_contact *contact)
{
    mix_numbers((game *)user, contact->point, 3);
    mix_numbers((game *)user, contact->normal, 3);
}

static void draw_impact(void *user, const kugel_impact *impact)
{
    mix_numbers((game *)user, impact->point, 3);
    mix_numbers((game *)user, &impact->impulse, 1);
}

static void draw_debug(game *g)
{
    kugel_debug_draw draw;
    draw.box = draw_box;
    draw.surface = draw_surface;
    draw.body = draw_body;
    draw.contact = draw_contact;
    draw.impact = draw_impact;
    draw.user = g;
    require(kugel_world_draw(g->world, &draw));
}

/* The recording of the run. */

static bool append(void *user, const void *data, size_t size)
{
    game *g = (game *)user;
    memcpy(arraddnptr(g->recording, size), data, size);
    return true;
}

static void start_recording(game *g)
{
    kugel_recording_def def = kugel_recording_def_default();
    def.write = append;
    def.user = g;
    require(kugel_world_recording_start(g->world, &def));
}

/* Run the recording again; the result of each tick must be the recorded one. */
static void verify_recording(game *g)
{
    kugel_player *player;
    kugel_play play;
    require(kugel_world_recording_stop(g->world));
    require(kugel_player_open(g->recording, arrlenu(g->recording), NULL, NULL, 1, &player, NULL));
    require(kugel_player_set_pair_filter(player, decide, NULL));
    do {
        play = kugel_player_step(player, NULL);
    } while (play == KUGEL_PLAY_TICK);
    require(play == KUGEL_PLAY_END ? KUGEL_OK : KUGEL_ERROR_STATE);
    mix(g, kugel_world_tick(kugel_player_world(player)));
    kugel_player_close(player);
}

static void step(game *g, int tick)
{
    act(g, tick);
    read_poses(g, &g->before);
    require(kugel_world_step(g->world, dt));
    read_poses(g, &g->after);
    read_moves(g);
    read_contacts(g);
    read_ends(g);
    read_sweeper(g);
    draw_frame(g, 0.25);
    draw_debug(g);
}

int main(void)
{
    static game g;
    kugel_status status = create_world(&g);
    if (status == KUGEL_ERROR_FLOATING_POINT) return puts("refused") < 0;
    require(status);
    add_ground(&g);
    add_bodies(&g);
    start_recording(&g);
    for (int tick = 0; tick < TICKS; ++tick) step(&g, tick);
    read_states(&g);
    read_arrays(&g);
    verify_recording(&g);
    printf("%016llx %016llx\n", (unsigned long long)kugel_world_hash(g.world),
           (unsigned long long)g.checksum);
    arrfree(g.balls);
    arrfree(g.recording);
    kugel_world_destroy(g.world);
    return 0;
}
