/* Snapshots: a restored world continues bit for bit from every tick. Damaged and foreign snapshots
 * are refused and leave the world unchanged. Saving allocates nothing. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "record/snapshot.h"
#include "record/support_recording.h"
#include "support/support_plane.h"
#include "support/support_random.h"
#include "support/support_snapshot.h"
#include "world/sleep_state.h"

static kugel_world *make(uint32_t threads, support_memory *memory)
{
    kugel_world_def def = support_drive_def();
    kugel_world *world;
    def.tasks.threads = threads;
    if (memory) def.allocator = support_allocator(memory);
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    return world;
}

static kugel_world *run_to(uint64_t ticks)
{
    kugel_world *world = make(1, NULL);
    support_drive_fill(world);
    for (uint64_t t = 0; t < ticks; ++t) {
        support_drive_calls(world, t, 4);
        cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
    }
    return world;
}

static void step(kugel_world *world, uint64_t t)
{
    support_drive_calls(world, t, 4);
    cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
}

/* From every tick, in a fresh world with another number of threads: the same bytes at every later
 * tick. The scene makes, destroys and pushes bodies, reuses an id, and comes to rest. */
Test(snapshot, going_on_equals_never_having_stopped)
{
    support_bytes at[SUPPORT_TICKS + 1];
    kugel_world *world = make(1, NULL);
    support_drive_fill(world);
    for (uint64_t t = 0; t < SUPPORT_TICKS; ++t) {
        at[t] = support_snapshot_of(world);
        step(world, t);
    }
    at[SUPPORT_TICKS] = support_snapshot_of(world);
    for (uint64_t from = 0; from < SUPPORT_TICKS; ++from) {
        kugel_world *other = make(1 + from % 3, NULL);
        cr_assert_eq(kugel_snapshot_restore(other, at[from].data, at[from].size), KUGEL_OK, "%s",
                     kugel_world_last_error(other)->message);
        for (uint64_t t = from;; ++t) {
            support_bytes now = support_snapshot_of(other);
            kugel_divergence d = {0};
            kugel_snapshot_difference(at[t].data, at[t].size, now.data, now.size, &d);
            cr_assert(support_same_bytes(&at[t], &now), "from %d at %d: body %u %s", (int)from,
                      (int)t, d.body, d.field);
            free(now.data);
            if (t == SUPPORT_TICKS) break;
            step(other, t);
        }
        cr_assert_eq(kugel_world_hash(other), kugel_world_hash(world));
        kugel_world_destroy(other);
    }
    for (uint64_t t = 0; t <= SUPPORT_TICKS; ++t) free(at[t].data);
    kugel_world_destroy(world);
}

/* Zeros that came by another way, as from a normal that was turned round: equal worlds are equal
 * bytes. */
static support_bytes of_zeros(double zero)
{
    kugel_world_def def = kugel_world_def_default();
    for (int k = 0; k < 3; ++k) def.gravity[k] = def.bounds.min[k] = zero, def.bounds.max[k] = 9;
    for (int f = 0; f < 6; ++f) def.bounds.faces[f] = KUGEL_FACE_WALL;
    def.bounce_threshold = def.slop = def.linear_damping = def.angular_damping = zero;
    def.bounds.restitution = def.bounds.friction = zero;
    kugel_world *world;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    support_plane plane = {{zero, zero, 1}, zero, zero, zero};
    cr_assert_eq(support_add_plane(world, &plane, NULL), KUGEL_OK);
    kugel_body_def body = kugel_body_def_default();
    for (int k = 0; k < 3; ++k)
        body.position[k] = body.velocity[k] = body.spin[k] = zero, body.rotation[k] = zero;
    body.restitution = body.friction = body.rolling_resistance = body.gravity_scale = zero;
    body.tangential_restitution = zero;
    cr_assert_eq(kugel_body_create(world, &body, NULL), KUGEL_OK);
    cr_assert_eq(kugel_world_set_gravity(world, (double[3]){zero, 1, zero}), KUGEL_OK);
    cr_assert_eq(
        kugel_body_apply_force(world, kugel_world_body(world, 0), (double[3]){zero, 2, zero}, NULL),
        KUGEL_OK);
    support_bytes bytes = support_snapshot_of(world);
    kugel_world_destroy(world);
    return bytes;
}

Test(snapshot, minus_zero_is_zero)
{
    support_bytes a = of_zeros(0.0), b = of_zeros(-0.0);
    cr_assert(support_same_bytes(&a, &b));
    free(a.data), free(b.data);
}

Test(snapshot, there_is_no_clone_of_no_world)
{
    kugel_world *clone = (kugel_world *)&clone;
    cr_assert_eq(kugel_world_clone(NULL, &clone), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_null(clone);
    kugel_world *world = run_to(1);
    cr_assert_eq(kugel_world_clone(world, NULL), KUGEL_ERROR_INVALID_ARGUMENT);
    kugel_world_destroy(world);
}

/* Forces given before the snapshot belong to it. */
Test(snapshot, forces_for_the_next_step_are_kept)
{
    kugel_world *world = run_to(10), *clone;
    cr_assert_eq(
        kugel_body_apply_force(world, kugel_world_body(world, 2), (double[3]){9, 8, 7}, NULL),
        KUGEL_OK);
    cr_assert_eq(kugel_body_apply_torque(world, kugel_world_body(world, 4), (double[3]){1, 2, 3}),
                 KUGEL_OK);
    cr_assert_eq(kugel_world_clone(world, &clone), KUGEL_OK);
    kugel_world_step(world, 0.01);
    kugel_world_step(clone, 0.01);
    support_bytes a = support_snapshot_of(world), b = support_snapshot_of(clone);
    cr_assert(support_same_bytes(&a, &b));
    free(a.data), free(b.data);
    kugel_world_destroy(world);
    kugel_world_destroy(clone);
}

/* A world that held other bodies, planes and forces forgets them all. */
Test(snapshot, restoring_replaces_everything)
{
    kugel_world *world = run_to(60), *other = run_to(4);
    cr_assert_eq(
        kugel_body_apply_force(other, kugel_world_body(other, 0), (double[3]){9, 8, 7}, NULL),
        KUGEL_OK);
    support_bytes a = support_snapshot_of(world);
    cr_assert_eq(kugel_snapshot_restore(other, a.data, a.size), KUGEL_OK);
    support_bytes b = support_snapshot_of(other);
    cr_assert(support_same_bytes(&a, &b));
    cr_assert_eq(kugel_world_surface_end(other), 2);
    size_t impacts;
    kugel_world_impact_events(other, &impacts);
    cr_assert_eq(impacts, 0);
    kugel_snapshot_info info;
    cr_assert_eq(kugel_snapshot_check(a.data, a.size, &info, NULL), KUGEL_OK);
    cr_assert_eq(info.tick, 60);
    cr_assert_eq(info.bodies, kugel_world_body_count(world));
    free(a.data), free(b.data);
    kugel_world_destroy(world);
    kugel_world_destroy(other);
}

/* Every byte: flipped, and as the end. */
Test(snapshot, damage_is_refused_and_the_world_stays_as_it_was)
{
    kugel_world *world = run_to(50), *target = run_to(7);
    support_bytes s = support_snapshot_of(world), before = support_snapshot_of(target);
    for (size_t k = 0; k < s.size; ++k) {
        s.data[k] ^= (uint8_t)(1 << k % 8);
        cr_assert_eq(kugel_snapshot_restore(target, s.data, s.size), KUGEL_ERROR_FORMAT, "byte %zu",
                     k);
        s.data[k] ^= (uint8_t)(1 << k % 8);
        cr_assert_eq(kugel_snapshot_restore(target, s.data, k), KUGEL_ERROR_FORMAT, "cut at %zu",
                     k);
    }
    cr_assert_neq(kugel_world_last_error(target)->message[0], 0);
    support_bytes after = support_snapshot_of(target);
    cr_assert(support_same_bytes(&before, &after));
    free(s.data), free(before.data), free(after.data);
    kugel_world_destroy(world);
    kugel_world_destroy(target);
}

/* Foreign bytes with a valid checksum: refused, or a world that can be stepped. */
Test(snapshot, foreign_bytes_with_a_right_check_do_no_harm)
{
    enum { TRIES = 20000 };
    support_random random = support_random_start("foreign_bytes", 20260121);
    kugel_world *world = run_to(50), *target = make(1, NULL);
    support_bytes s = support_snapshot_of(world), copy = {malloc(s.size), s.size};
    uint32_t taken = 0;
    for (int k = 0; k < TRIES; ++k) {
        memcpy(copy.data, s.data, s.size);
        int flips = 1 + (int)support_between(&random, 0, 3);
        for (int f = 0; f < flips; ++f) {
            size_t at = 32 + (size_t)support_between(&random, 0, (double)s.size - 32.5);
            copy.data[at] = (uint8_t)support_between(&random, 0, 256);
        }
        support_put_checksum(&copy);
        kugel_status status = kugel_snapshot_restore(target, copy.data, s.size);
        cr_assert(status == KUGEL_OK || status == KUGEL_ERROR_FORMAT, "%s",
                  kugel_world_last_error(target)->message);
        taken += status == KUGEL_OK;
        if (status == KUGEL_OK && taken % 50 == 0) {
            support_bytes again = support_snapshot_of(target);
            free(again.data);
        }
    }
    cr_assert(taken > 0 && taken < TRIES);
    free(s.data), free(copy.data);
    kugel_world_destroy(world);
    kugel_world_destroy(target);
}

/* Refused with the name of what is wrong, by checking and by restoring, and the world stays as it
 * was. */
static void refuse(const support_bytes *s, const char *name)
{
    kugel_world *target = run_to(3);
    support_bytes before = support_snapshot_of(target), after;
    kugel_error error = {0};
    kugel_snapshot_check(s->data, s->size, NULL, &error);
    cr_expect_str_eq(error.argument, name, "%s is taken, or is refused as \"%s\": %s", name,
                     error.argument, error.message);
    cr_expect_eq(kugel_snapshot_restore(target, s->data, s->size), KUGEL_ERROR_FORMAT, "%s", name);
    after = support_snapshot_of(target);
    cr_expect(support_same_bytes(&before, &after));
    free(before.data), free(after.data);
    kugel_world_destroy(target);
}

/* All bodies are disabled and at rest, but keep their contacts. */
static void disable_all(kg_bodies *bodies)
{
    for (uint32_t s = 0; s < bodies->count; ++s) {
        bodies->materials[bodies->material[s]].disabled = true;
        bodies->sleep_state[s] = bodies->mass[s] > 0 ? KG_ASLEEP : 0;
        for (int k = 0; k < 3; ++k) bodies->v[k][s] = bodies->w[k][s] = 0;
    }
}

/* A snapshot of a state that no calls can make is refused, although its checksum is valid. An
 * rotation of length 3, and a contact of two immovable bodies, brought NaN into the state. */
Test(snapshot, what_no_world_can_hold_is_refused)
{
    kugel_world *world = run_to(74), *forged;
    support_bytes a = support_snapshot_of(world), b;
    cr_assert_eq(kugel_world_clone(world, &forged), KUGEL_OK);
    kg_bodies *bodies = &forged->bodies;
    uint32_t i = 0, fixed = 0;
    while (bodies->mass[bodies->slot[i]] == 0) ++i;
    while (bodies->type[bodies->slot[fixed]] != KUGEL_STATIC) cr_assert_lt(++fixed, bodies->id_end);
    cr_assert_gt(forged->contacts.count, 1);
#define REFUSED(change, name)                                                                      \
    do {                                                                                           \
        cr_assert_eq(kugel_snapshot_restore(forged, a.data, a.size), KUGEL_OK);                    \
        uint32_t s = bodies->slot[i], f = bodies->slot[fixed];                                     \
        kg_material *m = &bodies->materials[bodies->material[s]];                                  \
        kg_contact *c = forged->contacts.items;                                                    \
        (void)s, (void)f, (void)m, (void)c;                                                        \
        change;                                                                                    \
        b = support_snapshot_of(forged);                                                           \
        refuse(&b, name);                                                                          \
        free(b.data);                                                                              \
    } while (0)
    REFUSED(bodies->q[1][s] = 3, "rotation");
    REFUSED(bodies->radius[s] = 0, "radius");
    REFUSED(bodies->mass[s] = 0, "mass");
    REFUSED(bodies->type[s] = 3, "type");
    REFUSED(bodies->x[2][s] = NAN, "position.z");
    REFUSED(bodies->sleep_state[s] = KG_DRIVEN + 1, "sleep_state");
    REFUSED(bodies->sleep_state[f] = KG_ASLEEP, "sleep_state");
    REFUSED(bodies->sleep_state[f] = KG_DRIVEN, "sleep_state");
    REFUSED((bodies->sleep_state[s] = KG_ASLEEP, bodies->w[2][s] = 1), "velocity");
    REFUSED(bodies->v[1][f] = 1, "velocity");
    REFUSED(bodies->placed[s] = 2, "placed");
    REFUSED(m->restitution = 1.5, "restitution");
    REFUSED(m->friction = -1, "friction");
    REFUSED(m->rolling_resistance = -1, "rolling_resistance");
    REFUSED(m->tangential_restitution = -1.5, "tangential_restitution");
    REFUSED(m->gravity_scale = 2e6, "gravity_scale");
    REFUSED(m->linear_damping = -1, "linear_damping");
    REFUSED(m->angular_damping = 2e6, "angular_damping");
    REFUSED(m->disabled = true, "sleep_state");
    REFUSED(disable_all(bodies), "contacts");
    REFUSED(memset(&m->stays_awake, 2, 1), "stays_awake");
    REFUSED(bodies->generation[i] = 0, "ids");
    REFUSED(bodies->generation[i] = KG_GENERATION_LIMIT + 1, "ids");
    REFUSED(forged->time = 0, "time");
    REFUSED(forged->tick = 0, "time");
    REFUSED(forged->def.substeps = -1, "substeps");
    REFUSED(c[0].normal_force = INFINITY, "contact.normal");
    REFUSED((c[0].a = c[1].a, c[0].b = c[1].b, c[0].with = c[1].with), "contacts");
    REFUSED((c[0].a = i, c[0].b = c[0].with = 5, forged->contacts.count = 1),
            "contacts"); /* an open face */
    REFUSED((c[0].a = fixed, c[0].b = c[0].with = 6, forged->contacts.count = 1), "contacts");
    REFUSED(c[0].normal_force = -1, "contacts");
#undef REFUSED
    free(a.data);
    kugel_world_destroy(world);
    kugel_world_destroy(forged);
}

/* Numbers that a world would have written otherwise: a restored -0 was written back as +0. */
Test(snapshot, other_bytes_for_the_same_state_are_refused)
{
    kugel_world *world = run_to(60);
    support_bytes a = support_snapshot_of(world);
    kg_snapshot_view view;
    cr_assert_eq(kg_snapshot_open(a.data, a.size, &view, NULL), KUGEL_OK);
    const kg_snapshot_column *x = &view.columns[KG_VIEW_BODY_FIELDS],
                             *push = &view.columns[KG_VIEW_CONTACT_FIELDS + 4];
    cr_assert(x->kind == KG_F64 && push->kind == KG_F32 && push->values);
    const struct {
        size_t at;
        uint64_t bits;
        size_t bytes;
        const char *name;
    } rows[] = {
        {40, (uint64_t)1 << 63, 8, "time"},
        {80, 9, 4, "data"},
        {KG_SNAPSHOT_DEF, (uint64_t)1 << 63, 8, "settings"},
        {KG_SNAPSHOT_DEF + 24 + 4 + 32, 2, 4, "settings"}, /* sleep */
        {(size_t)(x->values - a.data), (uint64_t)1 << 63, 8, "position.x"},
        {(size_t)(push->values - a.data), 0x80000000u, 4, "contact.friction.x"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        support_bytes b = {malloc(a.size), a.size};
        memcpy(b.data, a.data, a.size);
        if (rows[k].bytes == 8) kg_put64(b.data + rows[k].at, rows[k].bits);
        else kg_put32(b.data + rows[k].at, (uint32_t)rows[k].bits);
        support_put_checksum(&b);
        refuse(&b, rows[k].name);
        free(b.data);
    }
    free(a.data);
    kugel_world_destroy(world);
}

/* The snapshot with columns of images, all 0, before the column that follows them. */
static support_bytes with_zero_images(const support_bytes *from)
{
    enum { COLUMN = 5 }; /* one value for all rows */
    static const uint8_t zero[COLUMN] = {1};
    kg_snapshot_view view;
    uint32_t f = 0;
    cr_assert_eq(kg_snapshot_open(from->data, from->size, &view, NULL), KUGEL_OK);
    while (kg_body_fields[f].role != KG_ROLE_IMAGE) ++f;
    cr_assert(!view.columns[KG_VIEW_BODY_FIELDS + f].bytes);
    while (!view.columns[KG_VIEW_BODY_FIELDS + f].bytes) ++f;
    size_t at = (size_t)(view.columns[KG_VIEW_BODY_FIELDS + f].bytes - from->data);
    support_bytes to = {malloc(from->size + 3 * COLUMN), from->size + 3 * COLUMN};
    memcpy(to.data, from->data, at);
    for (int k = 0; k < 3; ++k) memcpy(to.data + at + k * COLUMN, zero, COLUMN);
    memcpy(to.data + at + 3 * COLUMN, from->data + at, from->size - at);
    to.data[76] |= KG_SNAPSHOT_IMAGES;
    kg_put64(to.data + 16, to.size);
    support_put_checksum(&to);
    return to;
}

/* No world without a periodic axis has columns of images, not even of zeros. */
Test(snapshot, images_without_a_value_are_refused)
{
    kugel_world *world = run_to(60);
    support_bytes a = support_snapshot_of(world), b = with_zero_images(&a);
    refuse(&b, "image");
    cr_assert_eq(kugel_snapshot_restore(world, b.data, b.size), KUGEL_ERROR_FORMAT);
    free(a.data), free(b.data);
    kugel_world_destroy(world);
}

/* Of an open axis nothing is used, so it may be anything: NaN of whatever bits is no difference. */
Test(snapshot, ends_of_open_axes_that_are_no_numbers_make_no_difference)
{
    support_bytes s[2];
    for (int k = 0; k < 2; ++k) {
        kugel_world_def def = kugel_world_def_default();
        uint64_t bits = k ? 0xfff8000000000001u : 0x7ff8000000000000u;
        kugel_world *world;
        memcpy(&def.bounds.min[1], &bits, sizeof bits);
        memcpy(&def.bounds.max[1], &bits, sizeof bits);
        cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
        s[k] = support_snapshot_of(world);
        cr_assert_eq(kugel_snapshot_restore(world, s[k].data, s[k].size), KUGEL_OK, "%s",
                     kugel_world_last_error(world)->message);
        kugel_world_destroy(world);
    }
    cr_assert(support_same_bytes(&s[0], &s[1]));
    free(s[0].data), free(s[1].data);
}

Test(snapshot, saving_takes_no_memory_and_restoring_again_none_either)
{
    support_memory memory = {0};
    kugel_world *world = make(1, &memory);
    support_drive_fill(world);
    for (uint64_t t = 0; t < 60; ++t) step(world, t);
    support_bytes room = support_snapshot_of(world);
    uint64_t before = memory.allocations;
    size_t size, bound = support_snapshot_room(world, true);
    uint8_t *buffer = malloc(bound + 1);
    cr_assert_eq(kugel_snapshot_save(world, true, buffer + 1, bound, &size),
                 KUGEL_OK); /* any alignment */
    cr_assert(size == room.size && memcmp(buffer + 1, room.data, size) == 0);
    cr_assert_eq(kugel_snapshot_restore(world, buffer + 1, size), KUGEL_OK);
    cr_assert_eq(memory.allocations, before);
    cr_assert_eq(kugel_snapshot_save(world, true, buffer, bound - 1, &size), KUGEL_ERROR_LIMIT);
    cr_assert_eq(size, bound);
    free(buffer), free(room.data);
    kugel_world_destroy(world);
    cr_assert_eq(memory.bytes, 0);
}

Test(snapshot, out_of_memory_leaves_the_world_as_it_was)
{
    kugel_world *world = run_to(60);
    support_bytes s = support_snapshot_of(world);
    for (uint64_t fail = 1;; ++fail) {
        support_memory memory = {0};
        kugel_world *target = make(1, &memory);
        kugel_body_def def = kugel_body_def_default();
        def.position[2] = 3;
        cr_assert_eq(kugel_body_create(target, &def, NULL), KUGEL_OK);
        support_bytes before = support_snapshot_of(target);
        memory.fail_at = memory.allocations + fail;
        kugel_status status = kugel_snapshot_restore(target, s.data, s.size);
        memory.fail_at = 0;
        support_bytes after = support_snapshot_of(target);
        if (status)
            cr_assert(status == KUGEL_ERROR_OUT_OF_MEMORY && support_same_bytes(&before, &after));
        else cr_assert(support_same_bytes(&s, &after));
        if (status) cr_assert_eq(kugel_snapshot_restore(target, s.data, s.size), KUGEL_OK);
        kugel_world_step(target, 0.01);
        free(before.data), free(after.data);
        kugel_world_destroy(target);
        cr_assert_eq(memory.bytes, 0);
        if (!status) break;
        cr_assert_lt(fail, 200);
    }
    free(s.data);
    kugel_world_destroy(world);
}

Test(snapshot, a_recorded_world_is_not_restored)
{
    support_file file = {0};
    kugel_recording_def recording = support_recording_def(&file, false);
    kugel_world *world = make(1, NULL);
    support_bytes s = support_snapshot_of(world);
    cr_assert_eq(kugel_world_recording_start(world, &recording), KUGEL_OK);
    cr_assert_eq(kugel_snapshot_restore(world, s.data, s.size), KUGEL_ERROR_STATE);
    free(s.data);
    kugel_world_destroy(world);
    support_file_free(&file);
}

/* A difference is named: the field, the body, both values. */
Test(snapshot, differences_are_named)
{
    kugel_world *world = run_to(60), *clone;
    cr_assert_eq(kugel_world_clone(world, &clone), KUGEL_OK);
    kugel_divergence d = {0};
    support_bytes a = support_snapshot_of(world), b;
#define CHECK(call, name, id)                                                                      \
    do {                                                                                           \
        kugel_snapshot_restore(clone, a.data, a.size);                                             \
        call;                                                                                      \
        b = support_snapshot_of(clone);                                                            \
        cr_assert(kugel_snapshot_difference(a.data, a.size, b.data, b.size, &d), name);            \
        cr_assert_str_eq(d.field, name);                                                           \
        cr_assert_eq(d.body, id);                                                                  \
        free(b.data);                                                                              \
    } while (0)
    const double v[3] = {1.5, 2, 3};
    cr_assert_not(kugel_snapshot_difference(a.data, a.size, a.data, a.size, &d));
    CHECK((clone->bodies.q[1][clone->bodies.slot[3]] = 1,
           clone->bodies.q[3][clone->bodies.slot[3]] = 0),
          "rotation.y", 3);
    CHECK(kugel_body_set_spin(clone, kugel_world_body(clone, 2), v), "spin.x", 2);
    CHECK(kugel_body_apply_force(clone, kugel_world_body(clone, 5), v, NULL), "force.x", 5);
    CHECK(kugel_world_set_gravity(clone, v), "gravity.x", 0);
    CHECK(kugel_body_destroy(clone, kugel_world_body(clone, 4)), "body", 4);
    CHECK(clone->bodies.generation[1] += 1, "generation", 1);
    CHECK(clone->contacts.items[0].rolling[1] += 1, "contact.rolling.y",
          clone->contacts.items[0].a);
    CHECK(clone->contacts.count -= 1, "contact", clone->contacts.items[clone->contacts.count].a);
    CHECK(clone->tick += 1, "tick", 0);
#undef CHECK
    free(a.data);
    kugel_world_destroy(world);
    kugel_world_destroy(clone);
}

/* A delta between any two ticks gives back the second snapshot. It is refused for another base, or
 * with a byte changed. */
Test(delta, gives_back_the_snapshot)
{
    enum { N = 75 };
    support_bytes at[N];
    kugel_world *world = make(1, NULL);
    support_drive_fill(world);
    for (uint64_t t = 0; t < N; ++t) {
        at[t] = support_snapshot_of(world);
        step(world, t);
    }
    for (int base = 0; base < N; base += 7) {
        for (int to = 0; to < N; to += 3) {
            support_bytes delta = support_delta_of(&at[base], &at[to]);
            uint8_t *out = malloc(at[to].size);
            size_t got;
            cr_assert_eq(kugel_delta_apply(at[base].data, at[base].size, delta.data, delta.size,
                                           out, at[to].size - 1, &got),
                         KUGEL_ERROR_LIMIT);
            cr_assert_eq(got, at[to].size);
            support_bytes *wrong = &at[(base + 1) % N];
            cr_assert_eq(kugel_delta_apply(wrong->data, wrong->size, delta.data, delta.size, out,
                                           at[to].size, &got),
                         KUGEL_ERROR_FORMAT);
            for (size_t k = 0; base == 21 && k < delta.size; ++k) {
                delta.data[k] ^= 4;
                cr_assert_neq(kugel_delta_apply(at[base].data, at[base].size, delta.data,
                                                delta.size, out, at[to].size, &got),
                              KUGEL_OK);
                delta.data[k] ^= 4;
                cr_assert_neq(kugel_delta_apply(at[base].data, at[base].size, delta.data, k, out,
                                                at[to].size, &got),
                              KUGEL_OK);
            }
            free(delta.data), free(out);
        }
    }
    for (int t = 0; t < N; ++t) free(at[t].data);
    kugel_world_destroy(world);
}

/* A force that is taken back, or whose body goes, leaves nothing behind that a snapshot does not
 * hold: what has settled takes as many substeps as before in both. */
Test(snapshot, forces_that_were_are_no_state)
{
    const double up[3] = {0, 0, 1}, down[3] = {0, 0, -1}, none[3] = {0, 0, 0};
    for (int variant = 0; variant < 3; ++variant) {
        kugel_world_def def = kugel_world_def_default();
        kugel_body_def ball = kugel_body_def_default();
        kugel_world *world, *copy;
        kugel_body body;
        def.gravity[2] = -9.81;
        def.sleep = false;
        cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
        cr_assert_eq(
            support_add_plane(world, &(support_plane){.normal = {0, 0, 1}, .friction = 0.5}, NULL),
            KUGEL_OK);
        for (int i = 0; i < 400; ++i) {
            ball.position[0] = 1.1 * (i % 20);
            ball.position[1] = 1.1 * (i / 20);
            ball.position[2] = 0.5;
            cr_assert_eq(kugel_body_create(world, &ball, &body), KUGEL_OK);
        }
        for (int t = 0; t < 60; ++t) cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
        ball.position[2] = 50;
        if (variant == 2) cr_assert_eq(kugel_body_create(world, &ball, &body), KUGEL_OK);
        cr_assert_eq(kugel_body_apply_force(world, body, variant ? up : none, NULL), KUGEL_OK);
        if (variant == 1) cr_assert_eq(kugel_body_apply_force(world, body, down, NULL), KUGEL_OK);
        if (variant == 2) cr_assert_eq(kugel_body_destroy(world, body), KUGEL_OK);
        cr_assert_eq(kugel_world_clone(world, &copy), KUGEL_OK);
        cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
        cr_assert_eq(kugel_world_step(copy, 1 / 60.), KUGEL_OK);
        cr_assert_eq(kugel_world_hash(copy), kugel_world_hash(world), "variant %d", variant);
        kugel_world_destroy(copy);
        kugel_world_destroy(world);
    }
}

/* Missing arguments are refused. */
Test(snapshot, deltas_refuse_missing_arguments)
{
    kugel_world *world = run_to(3);
    support_bytes at = support_snapshot_of(world);
    uint8_t delta[64], out[64];
    size_t size = 1;
    kugel_divergence found;
    cr_assert_eq(kugel_delta_make(NULL, 0, at.data, at.size, delta, sizeof delta, &size),
                 KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(size, 0);
    cr_assert_eq(kugel_delta_make(at.data, at.size, NULL, 0, delta, sizeof delta, &size),
                 KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_delta_make(at.data, at.size, at.data, at.size, NULL, 0, &size), KUGEL_OK);
    cr_assert_gt(size, sizeof delta, "without a buffer the call asks for the room");
    cr_assert_eq(kugel_delta_make(at.data, at.size, at.data, at.size, delta, sizeof delta, NULL),
                 KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_delta_apply(NULL, 0, delta, sizeof delta, out, sizeof out, &size),
                 KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_delta_apply(at.data, at.size, NULL, 0, out, sizeof out, &size),
                 KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_delta_apply(at.data, at.size, delta, sizeof delta, NULL, 0, &size),
                 KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_delta_apply(at.data, at.size, delta, sizeof delta, out, sizeof out, NULL),
                 KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert(kugel_snapshot_difference(NULL, 0, at.data, at.size, &found));
    cr_assert(!strcmp(found.field, "data") && found.expected == 0 && found.found == 1);
    cr_assert(kugel_snapshot_difference(at.data, at.size, NULL, 0, &found));
    cr_assert(!strcmp(found.field, "data") && found.expected == 1 && found.found == 0);
    cr_assert(!kugel_snapshot_difference(at.data, at.size, at.data, at.size, NULL));
    free(at.data);
    kugel_world_destroy(world);
}

/* A snapshot of another physics epoch is restored, and says that its bits are not promised. */
Test(snapshot, another_epoch_is_restored_without_the_promise)
{
    kugel_world *world = run_to(30), *other = run_to(3);
    support_bytes at = support_snapshot_of(world);
    kugel_snapshot_info info;
    cr_assert_eq(kugel_snapshot_check(at.data, at.size, &info, NULL), KUGEL_OK);
    cr_assert(info.exact && info.physics_epoch == KUGEL_PHYSICS_EPOCH);
    kg_put32(at.data + 12, KUGEL_PHYSICS_EPOCH + 7);
    cr_assert_eq(kugel_snapshot_restore(other, at.data, at.size), KUGEL_ERROR_FORMAT); /* damaged */
    kg_put64(at.data + KG_SNAPSHOT_CHECKSUM, kg_snapshot_checksum(at.data, at.size));
    cr_assert_eq(kugel_snapshot_check(at.data, at.size, &info, NULL), KUGEL_OK);
    cr_assert(!info.exact && info.physics_epoch == KUGEL_PHYSICS_EPOCH + 7);
    cr_assert_eq(kugel_snapshot_restore(other, at.data, at.size), KUGEL_OK);
    cr_assert_eq(kugel_world_hash(other), kugel_world_hash(world));
    cr_assert_eq(kugel_world_step(other, 1 / 60.), KUGEL_OK);
    free(at.data);
    kugel_world_destroy(world);
    kugel_world_destroy(other);
}

/* Counts of events that no bytes can hold are refused, also where their product wraps. */
Test(snapshot, counts_of_events_are_checked)
{
    kugel_world *world = run_to(0);
    support_bytes at = support_snapshot_of(world);
    static const uint32_t counts[] = {1, 1u << 26, 1u << 30, UINT32_MAX};
    for (int k = 0; k < 8; ++k) {
        size_t offset = k < 4 ? 96 : 100;
        kg_put32(at.data + offset, counts[k % 4]);
        kg_put64(at.data + KG_SNAPSHOT_CHECKSUM, kg_snapshot_checksum(at.data, at.size));
        cr_assert_eq(kugel_snapshot_check(at.data, at.size, NULL, NULL), KUGEL_ERROR_FORMAT);
        kg_put32(at.data + offset, 0);
    }
    free(at.data);
    kugel_world_destroy(world);
}

/* Pairs of kinds, in the order of the table, with numbers in range and without -0. */
Test(snapshot, pairs_that_no_world_has_are_refused)
{
    enum { FIRST = KG_SNAPSHOT_HEADER, SECOND = FIRST + KG_PAIR_BYTES };
    static const struct {
        int at;
        double number;
        uint32_t word;
    } rows[] = {{FIRST, 0, 4}, /* the lower kind is above the higher */
                {FIRST + 4, 0, KUGEL_KIND_COUNT},
                {FIRST + 4, 0, 6}, /* behind the next pair */
                {SECOND, 0, 1},    /* the pair before */
                {FIRST + 8, 1.5, 0},
                {FIRST + 16, -0.0, 0},
                {SECOND + 24, NAN, 0},
                {SECOND + 32, -1.5, 0}};
    const kugel_pair_material pair = {0.5, 0.25, 0.125, -0.5};
    kugel_world *world;
    kugel_world_def def = kugel_world_def_default();
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    cr_assert_eq(kugel_world_set_pair_material(world, 3, 2, &pair), KUGEL_OK);
    cr_assert_eq(kugel_world_set_pair_material(world, 3, 1, &pair), KUGEL_OK);
    support_bytes s = support_snapshot_of(world);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        uint8_t was[8];
        kugel_error error = {0};
        memcpy(was, s.data + rows[k].at, 8);
        if (rows[k].word) kg_put32(s.data + rows[k].at, rows[k].word);
        else kg_put64(s.data + rows[k].at, kg_double_to_bits(rows[k].number));
        support_put_checksum(&s);
        cr_expect_eq(kugel_snapshot_check(s.data, s.size, NULL, &error), KUGEL_ERROR_FORMAT,
                     "row %zu", k);
        cr_expect_str_eq(error.argument, "pairs");
        memcpy(s.data + rows[k].at, was, 8);
    }
    support_put_checksum(&s);
    cr_assert_eq(kugel_snapshot_check(s.data, s.size, NULL, NULL), KUGEL_OK);
    free(s.data);
    kugel_world_destroy(world);
}
