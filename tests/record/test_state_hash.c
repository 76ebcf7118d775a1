/* The state hash changes with every canonical field and with nothing else. The tests write single
 * fields into the world's columns. */
#include <criterion/criterion.h>
#include <string.h>

#include "record/support_recording.h"
#include "support/support_plane.h"
#include "world/world.h"

/* A pile in the making: bodies, planes, resting contacts. */
static kugel_world *make(uint32_t threads)
{
    kugel_world_def def = support_drive_def();
    kugel_world *world;
    def.tasks.threads = threads;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    support_drive_fill(world);
    for (uint64_t tick = 0; tick < 70; ++tick) {
        support_drive_calls(world, tick, 4);
        cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
    }
    cr_assert_gt(world->contacts.count, 1, "the scene must have resting contacts");
    return world;
}

/* Flip each bit of a field in turn; each must change the hash, and all hashes must differ. */
static void check_bits(kugel_world *world, void *field, size_t size, const char *name)
{
    enum { MOST = 64 };
    uint64_t seen[MOST + 1] = {kugel_world_hash(world)};
    uint8_t *bytes = field;
    cr_assert_leq(8 * size, MOST);
    for (size_t bit = 0; bit < 8 * size; ++bit) {
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        seen[bit + 1] = kugel_world_hash(world);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        for (size_t k = 0; k <= bit; ++k)
            cr_assert_neq(seen[k], seen[bit + 1], "%s bit %zu", name, bit);
    }
    cr_assert_eq(kugel_world_hash(world), seen[0]);
}

/* Sets x to 1.5 first: the bits of a zero's sign alone would not count. */
static void check_double(kugel_world *world, double *x, const char *name)
{
    *x = 1.5;
    check_bits(world, x, sizeof *x, name);
}

static void check_float(kugel_world *world, float *x, const char *name)
{
    *x = 1.5f;
    check_bits(world, x, sizeof *x, name);
}

Test(state_hash, every_field_counts)
{
    kugel_world *world = make(1);
    kg_bodies *b = &world->bodies;
    check_bits(world, &world->tick, sizeof world->tick, "tick");
    check_double(world, &world->time, "time");
    check_double(world, &world->time_rest, "rest of the time");
    for (int k = 0; k < 3; ++k) check_double(world, &world->def.gravity[k], "gravity");
    for (uint32_t i = 0; i < b->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            check_double(world, &b->x[k][i], "position");
            check_double(world, &b->v[k][i], "velocity");
            check_double(world, &b->w[k][i], "spin");
        }
        for (int k = 0; k < 4; ++k) check_double(world, &b->q[k][i], "rotation");
        check_bits(world, &b->generation[b->id[i]], 4, "generation");
    }
    for (uint32_t p = 0; p < world->surfaces.count; ++p) {
        kg_surface *plane = &world->surfaces.items[p];
        for (int k = 0; k < 3; ++k) check_double(world, &plane->position[k], "position");
        for (int k = 0; k < 4; ++k) check_double(world, &plane->rotation[k], "rotation");
        check_double(world, &plane->material.restitution, "restitution");
        check_double(world, &plane->material.friction, "friction");
    }
    for (uint32_t k = 0; k < world->contacts.count; ++k) {
        kg_contact *c = &world->contacts.items[k];
        check_bits(world, &c->a, 4, "contact a");
        check_bits(world, &c->b, 4, "contact b");
        check_bits(world, &c->with, 1, "contact kind");
        check_float(world, &c->normal_force, "normal force");
        for (int i = 0; i < 3; ++i) {
            check_float(world, &c->friction[i], "friction impulse");
            check_float(world, &c->rolling[i], "rolling impulse");
        }
    }
    kugel_world_destroy(world);
}

Test(state_hash, minus_zero_is_zero)
{
    kugel_world *world = make(1);
    kg_bodies *b = &world->bodies;
    double *doubles[] = {&b->x[0][0],
                         &b->v[1][1],
                         &b->w[2][2],
                         &world->def.gravity[1],
                         &world->surfaces.items[0].position[0],
                         &world->time,
                         &b->q[0][0]};
    float *floats[] = {&world->contacts.items[0].normal_force,
                       &world->contacts.items[0].friction[1], &world->contacts.items[0].rolling[2]};
    for (size_t k = 0; k < sizeof doubles / sizeof *doubles; ++k) {
        *doubles[k] = 0.0;
        uint64_t plus = kugel_world_hash(world);
        *doubles[k] = -0.0;
        cr_assert_eq(kugel_world_hash(world), plus, "double %zu", k);
    }
    for (size_t k = 0; k < sizeof floats / sizeof *floats; ++k) {
        *floats[k] = 0.0f;
        uint64_t plus = kugel_world_hash(world);
        *floats[k] = -0.0f;
        cr_assert_eq(kugel_world_hash(world), plus, "float %zu", k);
    }
    kugel_world_destroy(world);
}

/* Two bodies that exchange their states are another state. */
Test(state_hash, bodies_are_not_interchangeable)
{
    kugel_world *world = make(1);
    kg_bodies *b = &world->bodies;
    uint64_t before = kugel_world_hash(world);
    for (int k = 0; k < 3; ++k) {
        double x = b->x[k][0];
        b->x[k][0] = b->x[k][1];
        b->x[k][1] = x;
    }
    cr_assert_neq(kugel_world_hash(world), before);
    kugel_world_destroy(world);
}

/* Where a body lies in the columns, and the order of the contacts, are no part of the state. */
Test(state_hash, slots_do_not_count)
{
    kugel_world *world = make(1);
    kg_bodies *b = &world->bodies;
    uint64_t before = kugel_world_hash(world);
    uint32_t order[64];
    double scratch[64];
    cr_assert_leq(b->count, 64);
    for (uint32_t i = 0; i < b->count; ++i) order[i] = b->count - 1 - i;
    for (int k = 0; k < KG_BODY_COLUMNS; ++k) kg_bodies_permute_column(b, k, order, scratch);
    kg_bodies_set_slots(b, 0, b->count);
    kg_contact first = world->contacts.items[0];
    world->contacts.items[0] = world->contacts.items[1];
    world->contacts.items[1] = first;
    cr_assert_eq(kugel_world_hash(world), before);
    kugel_world_destroy(world);
}

Test(state_hash, threads_do_not_count)
{
    kugel_world *one = make(1), *three = make(3);
    cr_assert_eq(kugel_world_hash(one), kugel_world_hash(three));
    kugel_world_destroy(one);
    kugel_world_destroy(three);
}

/* The hash of the empty world does not depend on the target. If this fails, the hash has changed:
 * that needs a new physics epoch, or recordings made before look different. */
Test(state_hash, known_values)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_body_def ball = kugel_body_def_default();
    kugel_world *world;
    cr_assert_eq(kugel_world_hash(NULL), 0);
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    uint64_t empty = kugel_world_hash(world);
    ball.position[0] = 0.1;
    ball.velocity[1] = -2.5;
    ball.spin[2] = 1e-3;
    cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
    uint64_t one = kugel_world_hash(world);
    cr_assert_eq(empty, 0xaf60304232a17df2u, "empty %#llx", (unsigned long long)empty);
    cr_assert_eq(one, 0x4f4309ca0dde6991u, "one %#llx", (unsigned long long)one);
    kugel_world_destroy(world);
}
