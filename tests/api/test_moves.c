/* A host that applies each row of moves to its copy has the poses of a full read, in random
 * programs of calls. The flags of the rows agree with a model of the calls and steps. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "support/support_pile.h"
#include "support/support_program.h"
#include "support/support_sanitized.h"
#include "support/support_scene.h"
#include "support/support_snapshot.h"
#include "support/support_states.h"
#include "world/world.h"

enum { IDS = 64, SEEDS = SUPPORT_ROUNDS(200) };

/* What a host knows of the body with an id, or of the surface with an index. */
typedef struct copy {
    kugel_body body; /* null for surfaces */
    double place[7]; /* position, then rotation */
    /* the model of flags; `placed_before`: before the last step */
    bool moved, moved_before, placed, placed_before;
} copy;

typedef struct seen {
    size_t moved, placed, stopped, fell_asleep;
} seen;

typedef struct host {
    kugel_world *world;
    support_program_names names;
    copy bodies[IDS], surfaces[IDS];
    bool stepped; /* the last change of the world was a step: what it moved is not known yet */
    seen of_bodies, of_surfaces;
} host;

static bool has_event(const kugel_world *world, kugel_body body)
{
    size_t count;
    const kugel_rest *sleeps = kugel_world_sleep_events(world, &count);
    for (size_t k = 0; k < count; ++k) {
        if (sleeps[k].body == body) return true;
    }
    return false;
}

/* Apply a row to the copy, and compare its flags with the model. */
static void apply(host *h, copy *at, const double position[3], const double turn[4],
                  const bool flags[3], seen *all)
{
    memcpy(at->place, position, 3 * sizeof(double));
    memcpy(at->place + 3, turn, 4 * sizeof(double));
    if (h->stepped) at->moved = flags[0];
    cr_assert_eq(flags[0], at->moved);
    cr_assert_eq(flags[1], at->placed || at->placed_before);
    cr_assert_eq(flags[2], at->moved_before && !at->moved);
    cr_assert(flags[0] || flags[1] || flags[2], "a row has a flag");
    all->moved += flags[0], all->placed += flags[1], all->stopped += flags[2];
}

/* What exists and is not listed has no flag. */
static void check_unlisted(const host *h, copy *c, bool exists)
{
    if (h->stepped) c->moved = false;
    cr_assert(!exists || !(c->moved || c->moved_before || c->placed || c->placed_before));
}

static void apply_bodies(host *h)
{
    kugel_move moves[IDS];
    bool listed[IDS] = {false};
    uint32_t count = kugel_world_moves(h->world, IDS, moves), next = 0;
    for (uint32_t k = 0; k < count; ++k) {
        const kugel_move *m = &moves[k];
        uint32_t id = kugel_body_id(m->body);
        cr_assert(id >= next && id < IDS, "rows are in the order of ids");
        next = id + 1;
        listed[id] = true;
        cr_assert(m->placed || h->bodies[id].body == m->body, "a new body is placed");
        h->bodies[id].body = m->body;
        apply(h, &h->bodies[id], m->position, m->rotation,
              (bool[]){m->moved, m->placed, m->stopped}, &h->of_bodies);
        cr_assert_eq(m->fell_asleep, has_event(h->world, m->body));
        h->of_bodies.fell_asleep += m->fell_asleep;
    }
    for (uint32_t id = 0; id < IDS; ++id) {
        bool exists = kugel_body_is_valid(h->world, h->bodies[id].body);
        if (!listed[id]) check_unlisted(h, &h->bodies[id], exists);
    }
}

static void apply_surfaces(host *h)
{
    kugel_surface_move moves[IDS];
    bool listed[IDS] = {false};
    uint32_t count = kugel_world_surface_moves(h->world, IDS, moves);
    for (uint32_t k = 0; k < count; ++k) {
        const kugel_surface_move *m = &moves[k];
        uint32_t index = kugel_surface_index(m->surface);
        cr_assert(index < IDS && (k == 0 || index > kugel_surface_index(moves[k - 1].surface)));
        cr_assert_eq(m->surface, kugel_world_surface(h->world, index));
        listed[index] = true;
        apply(h, &h->surfaces[index], m->position, m->rotation,
              (bool[]){m->moved, m->placed, m->stopped}, &h->of_surfaces);
    }
    for (uint32_t k = 0; k < IDS; ++k) {
        bool exists = kugel_world_surface(h->world, k);
        if (!listed[k]) check_unlisted(h, &h->surfaces[k], exists);
    }
}

/* The copy must equal a full read. */
static void compare(const host *h)
{
    kugel_body_state states[IDS];
    uint32_t count = support_read_states(h->world, IDS, states);
    for (uint32_t k = 0; k < count; ++k) {
        const copy *c = &h->bodies[kugel_body_id(states[k].body)];
        cr_assert_eq(c->body, states[k].body);
        cr_assert(!memcmp(c->place, states[k].position, sizeof states[k].position));
        cr_assert(!memcmp(c->place + 3, states[k].rotation, sizeof states[k].rotation));
    }
    for (uint32_t k = 0; k < kugel_world_surface_end(h->world); ++k) {
        kugel_surface_def def;
        const copy *c = &h->surfaces[k];
        if (kugel_surface_get(h->world, kugel_world_surface(h->world, k), &def, NULL)) continue;
        cr_assert(!memcmp(c->place, def.position, sizeof def.position));
        cr_assert(!memcmp(c->place + 3, def.rotation, sizeof def.rotation));
    }
}

static void read_moves(host *h)
{
    apply_bodies(h);
    apply_surfaces(h);
    compare(h);
    h->stepped = false;
}

static void count_step(copy *copies)
{
    for (uint32_t k = 0; k < IDS; ++k) {
        copy *c = &copies[k];
        c->moved_before = c->moved, c->placed_before = c->placed;
        c->moved = c->placed = false;
    }
}

static void count_restore(copy *copies)
{
    for (uint32_t k = 0; k < IDS; ++k) copies[k] = (copy){.placed = true};
}

/* True if the step moved, or may have moved, what has this motion. */
static bool moves(const double velocity[3], const double spin[3])
{
    bool any = false;
    for (int k = 0; k < 3; ++k) any |= velocity[k] != 0 || spin[k] != 0;
    return any;
}

/* After a step and the read of its moves: what `moved` says of each body and surface must agree
 * with its state before the step and its place after it. */
static void check_moved(const host *h, const host *before, const kugel_body_state *states,
                        uint32_t count)
{
    for (uint32_t k = 0; k < count; ++k) {
        const kugel_body_state *s = &states[k];
        uint32_t id = kugel_body_id(s->body);
        const copy *c = &h->bodies[id];
        kugel_body_state now;
        kugel_body_get(h->world, s->body, &now);
        bool differs = memcmp(c->place, s->position, sizeof s->position) ||
                       memcmp(c->place + 3, s->rotation, sizeof s->rotation);
        cr_assert(c->moved || !differs);
        if (s->type != KUGEL_DYNAMIC) cr_assert_eq(c->moved, moves(s->velocity, s->spin));
        else if (s->asleep && now.asleep) cr_assert_not(c->moved);
        else if (!s->asleep) cr_assert(c->moved);
    }
    for (uint32_t k = 0; k < kugel_world_surface_end(h->world); ++k) {
        kugel_surface_def def;
        const copy *c = &h->surfaces[k], *b = &before->surfaces[k];
        if (kugel_surface_get(h->world, kugel_world_surface(h->world, k), &def, NULL)) continue;
        cr_assert_eq(c->moved, moves(def.velocity, def.spin));
        cr_assert(c->moved || !memcmp(c->place, b->place, sizeof c->place));
    }
}

static void step(host *h, double dt)
{
    kugel_body_state states[IDS];
    read_moves(h);
    const host before = *h;
    uint32_t count = support_read_states(h->world, IDS, states);
    if (kugel_world_step(h->world, dt)) return;
    count_step(h->bodies), count_step(h->surfaces);
    h->stepped = true;
    read_moves(h);
    check_moved(h, &before, states, count);
}

/* Note what a call that succeeded placed. */
static void note_call(host *h, const support_call *call, uint64_t made)
{
    uint32_t id = kugel_body_id(h->names.body[call->at]),
             index = kugel_surface_index(h->names.surface[call->at]);
    if (call->op == SUPPORT_OP_CREATE)
        h->bodies[kugel_body_id(made)] = (copy){.body = made, .placed = true};
    if (call->op == SUPPORT_OP_POSITION || call->op == SUPPORT_OP_ROTATION)
        h->bodies[id].placed = true;
    if (call->op == SUPPORT_OP_ADD_SURFACE || call->op == SUPPORT_OP_PLANE)
        h->surfaces[kugel_surface_index(made)] = (copy){.placed = true};
    if (call->op == SUPPORT_OP_PLACE_SURFACE) h->surfaces[index].placed = true;
}

static void make_call(host *h, support_call call)
{
    uint64_t made;
    if (!support_program_resolve(h->world, &h->names, &call)) return;
    if (support_program_call(h->world, &h->names, &call, &made)) return;
    note_call(h, &call, made);
    if (call.op == SUPPORT_OP_CREATE) h->names.body[call.at] = made;
    if (call.op == SUPPORT_OP_ADD_SURFACE) h->names.surface[call.at] = made;
    if (call.op == SUPPORT_OP_REMOVE_SURFACE) h->names.surface[call.at] = 0;
}

/* A clone takes the place of the world, or a step is rolled back. */
static void restore(host *h, const support_call *call)
{
    kugel_world *made;
    support_bytes bytes = support_snapshot_of(h->world);
    if (call->op == SUPPORT_OP_CLONE) {
        cr_assert_eq(kugel_world_clone(h->world, &made), KUGEL_OK);
        kugel_world_destroy(h->world);
        h->world = made;
    } else {
        (void)kugel_world_step(h->world, 0.01);
        cr_assert_eq(kugel_snapshot_restore(h->world, bytes.data, bytes.size), KUGEL_OK);
    }
    free(bytes.data);
    count_restore(h->bodies), count_restore(h->surfaces);
}

/* Programs rarely stop a surface. */
static void stop_surface(host *h, uint32_t at)
{
    const double none[3] = {0};
    if (h->names.surface[at]) kugel_surface_set_motion(h->world, h->names.surface[at], none, none);
}

/* Moves are read before and after each step, and after a third of the calls. */
static void run_program(uint64_t seed, seen *bodies, seen *surfaces)
{
    support_random random = support_random_start("moves", seed);
    support_program program = support_program_make(random.state);
    host h = {.of_bodies = *bodies, .of_surfaces = *surfaces};
    if (kugel_world_create(&program.def, &h.world)) return;
    for (uint32_t k = 0; k < program.count; ++k) {
        const support_call *call = &program.calls[k];
        if (call->op == SUPPORT_OP_STEP) step(&h, call->value[0]);
        else if (call->op < SUPPORT_OP_CLONE) make_call(&h, *call);
        else if (call->op <= SUPPORT_OP_ROLLBACK) restore(&h, call);
        if (support_below(&random, 3) == 0) read_moves(&h);
        stop_surface(&h, support_below(&random, SUPPORT_PROGRAM_SURFACES));
    }
    *bodies = h.of_bodies, *surfaces = h.of_surfaces;
    kugel_world_destroy(h.world);
}

Test(moves, keep_a_copy_of_all_poses)
{
    seen bodies = {0}, surfaces = {0};
    bool all = false; /* kinds of rows were seen: few programs may lack some */
    for (uint64_t seed = 0; seed < SEEDS || (!all && seed < 500); ++seed) {
        run_program(seed, &bodies, &surfaces);
        all = bodies.moved && bodies.placed && bodies.stopped && bodies.fell_asleep &&
              surfaces.moved && surfaces.placed && surfaces.stopped;
    }
    cr_assert(all);
}

/* A pile falls asleep: each body is listed until then, once more as one that stopped, and not after
 * that, also when it is set aside. */
Test(moves, of_a_pile_end_with_its_sleep)
{
    enum { MOST = 700 };
    static kugel_move moves[MOST];
    support_random random = support_random_start("moves", 1);
    support_scene scene = support_pile(4, 2, 0, &random);
    for (uint32_t i = 0; i < scene.count; ++i) scene.bodies[i].user_data = 100 + i;
    kugel_world *world = support_scene_world(&scene);
    uint32_t fell_asleep = 0, stopped = 0, count = 1;
    for (int tick = 0; tick < 1200 && count; ++tick) {
        support_run(world, 1 / 60., 1);
        count = kugel_world_moves(world, MOST, moves);
        for (uint32_t k = 0; k < count; ++k) {
            cr_assert_eq(moves[k].user_data, 100 + kugel_body_id(moves[k].body));
            fell_asleep += moves[k].fell_asleep;
            stopped += moves[k].stopped;
            cr_assert(!moves[k].stopped || tick > 0);
        }
    }
    cr_assert_eq(count, 0, "all sleep");
    cr_assert(fell_asleep >= scene.count && stopped == fell_asleep);
    kugel_body_wake(world, kugel_world_body(world, 3));
    cr_assert_eq(kugel_world_moves(world, 0, NULL), 0, "a call woke it: it did not move");
    support_run(world, 1 / 60., 1);
    cr_assert_gt(kugel_world_moves(world, 0, NULL), 0);
    cr_assert_eq(kugel_world_moves(NULL, 0, NULL), 0);
    cr_assert_eq(kugel_world_surface_moves(NULL, 0, NULL), 0);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* A kinematic body and a surface that calls stop are listed once more, with the same place. */
Test(moves, list_what_stops)
{
    support_scene scene = support_scene_start();
    double v[3] = {1, 0, 0}, none[3] = {0};
    support_scene_add(&scene, none, v, 0.5, 1)->type = KUGEL_KINEMATIC;
    kugel_world *world = support_scene_world(&scene);
    kugel_surface_def lift = kugel_surface_def_default();
    lift.shape = KUGEL_SURFACE_ELLIPSOID, lift.size[0] = lift.size[1] = lift.size[2] = 1;
    lift.position[2] = 9, lift.velocity[2] = 1, lift.user_data = 5;
    cr_assert_eq(kugel_surface_create(world, &lift, NULL), KUGEL_OK);
    kugel_move body = {0};
    kugel_surface_move surface = {0};
    support_run(world, 0.5, 2);
    cr_assert(kugel_world_moves(world, 1, &body) == 1 && body.moved && !body.placed);
    kugel_body_set_velocity(world, body.body, none);
    kugel_surface_set_motion(world, kugel_world_surface(world, 0), none, none);
    cr_assert(kugel_world_moves(world, 1, &body) == 1 && body.moved, "the step moved it");
    support_run(world, 0.5, 1);
    cr_assert(kugel_world_moves(world, 1, &body) == 1 && body.stopped && !body.moved);
    cr_assert(kugel_world_surface_moves(world, 1, &surface) == 1 && surface.stopped);
    cr_assert(body.position[0] == 1 && surface.position[2] == 10 && surface.user_data == 5);
    support_run(world, 0.5, 1);
    cr_assert_eq(kugel_world_moves(world, 1, &body) + kugel_world_surface_moves(world, 0, NULL), 0);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* The step after a call may set the body aside: its row is then behind those that moved. */
Test(moves, list_a_placed_body_that_is_set_aside)
{
    support_scene scene = support_scene_start();
    scene.def = kugel_world_def_default();
    kugel_world *world = support_scene_world(&scene);
    kugel_body_def def = kugel_body_def_default();
    def.type = KUGEL_STATIC;
    for (int tick = 0; tick < 300; ++tick) {
        kugel_body body;
        kugel_move listed[2];
        def.position[0] = 3 * tick;
        cr_assert_eq(kugel_body_create(world, &def, &body), KUGEL_OK);
        support_run(world, 0.01, 1);
        uint32_t count = kugel_world_moves(world, 2, listed);
        cr_assert(count == 1 && listed[0].body == body && listed[0].placed, "tick %d", tick);
    }
    cr_assert_gt(world->aside.count, 0);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* A body that is created in the place of one that fell asleep has its id, not its sleep. */
Test(moves, a_new_body_did_not_fall_asleep)
{
    support_scene scene = support_scene_start();
    scene.def = kugel_world_def_default();
    scene.def.gravity[2] = -9.81;
    support_scene_add(&scene, (double[3]){0, 0, 0.5}, NULL, 0.5, 1);
    kugel_world *world = support_scene_world(&scene);
    const support_plane ground = {.normal = {0, 0, 1}};
    kugel_body_def def = kugel_body_def_default();
    kugel_body old = kugel_world_body(world, 0), new;
    kugel_move move = {.fell_asleep = false};
    cr_assert_eq(support_add_plane(world, &ground, NULL), KUGEL_OK);
    for (int tick = 0; tick < 600 && !move.fell_asleep; ++tick) {
        support_run(world, 1 / 60., 1);
        kugel_world_moves(world, 1, &move);
    }
    cr_assert(move.fell_asleep && move.body == old);
    def.position[2] = 5;
    cr_assert_eq(kugel_body_destroy(world, old), KUGEL_OK);
    cr_assert_eq(kugel_body_create(world, &def, &new), KUGEL_OK);
    cr_assert_eq(kugel_body_id(new), 0);
    kugel_world_moves(world, 1, &move);
    cr_assert(move.body == new &&move.placed && !move.moved && !move.fell_asleep);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}
