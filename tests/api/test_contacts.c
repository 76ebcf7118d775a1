/* Resting contacts as arrays: forces balance weights, both sides of a pair agree, and the contacts
 * of a body agree with those of the world after steps and calls. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "support/support_pile.h"
#include "support/support_scene.h"

static kugel_world *make_world(void)
{
    kugel_world_def def = kugel_world_def_default();
    def.gravity[2] = -10;
    kugel_world *world;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    support_add_plane(world, &(support_plane){.normal = {0, 0, 1}, .friction = 0.5}, NULL);
    return world;
}

static kugel_body add(kugel_world *world, double z, double mass, kugel_body_type type)
{
    kugel_body_def def = kugel_body_def_default();
    kugel_body body;
    def.position[2] = z, def.mass = mass, def.type = type;
    cr_assert_eq(kugel_body_create(world, &def, &body), KUGEL_OK);
    return body;
}

Test(contacts, carry_the_weight_of_a_column)
{
    kugel_world *world = make_world();
    kugel_body low = add(world, 0.5, 2, KUGEL_DYNAMIC), high = add(world, 1.5, 3, KUGEL_DYNAMIC);
    kugel_resting_contact c[4];
    size_t count;
    support_run(world, 1 / 60., 30);
    cr_assert_eq(kugel_body_contacts(world, low, 4, c, &count), KUGEL_OK);
    cr_assert_eq(count, 2);
    cr_assert(c[0].target == KUGEL_TARGET_BODY && c[0].a == low && c[0].b == high);
    cr_assert_eq(c[0].index, kugel_body_id(high));
    cr_assert_float_eq(c[0].normal[2], 1, 1e-6);
    cr_assert_float_eq(c[0].force, 30, 0.3, "weight of the upper ball, 1 %%");
    cr_assert_float_eq(c[0].point[2], 1, 0.01);
    cr_assert(c[1].target == KUGEL_TARGET_SURFACE && c[1].index == 0 && c[1].b == KUGEL_NULL_BODY);
    cr_assert_float_eq(c[1].normal[2], -1, 1e-6, "into the plane: along gravity, it stands");
    cr_assert_float_eq(c[1].force, 50, 0.5, "weight of both, 1 %%");
    cr_assert_lt(fabs(c[1].gap), 0.005, "within the slop");
    cr_assert_float_eq(c[1].point[2], 0, 0.01);
    cr_assert_eq(kugel_body_contacts(world, high, 4, c, &count), KUGEL_OK);
    cr_assert(count == 1 && c[0].a == high && c[0].b == low);
    cr_assert_float_eq(c[0].normal[2], -1, 1e-6);
    cr_assert_float_eq(c[0].point[2], 1, 0.01);
    kugel_world_destroy(world);
}

Test(contacts, friction_holds_a_pushed_ball_back)
{
    kugel_world *world = make_world();
    kugel_body ball = add(world, 0.5, 1, KUGEL_DYNAMIC);
    kugel_resting_contact c;
    size_t count;
    support_run(world, 1 / 60., 20);
    kugel_body_apply_force(world, ball, (double[3]){3, 0, 0}, NULL);
    support_run(world, 1 / 60., 1);
    cr_assert_eq(kugel_body_contacts(world, ball, 1, &c, &count), KUGEL_OK);
    cr_assert_eq(count, 1);
    /* a solid sphere that rolls: friction is 2/7 of the force, against it */
    cr_assert_float_eq(c.friction[0], -3 * 2 / 7., 0.05);
    kugel_world_destroy(world);
}

static bool is_same(const kugel_resting_contact *c, const kugel_resting_contact *d, bool exchanged)
{
    bool same = c->a == (exchanged ? d->b : d->a) && c->force == d->force && c->gap == d->gap;
    double sign = exchanged ? -1 : 1;
    for (int k = 0; k < 3; ++k)
        same =
            same && c->normal[k] == sign * d->normal[k] && c->friction[k] == sign * d->friction[k];
    return same;
}

/* Each contact of the world is one of its body a, and of b with the sides exchanged. */
static void check(const kugel_world *world)
{
    enum { MOST = 32 };
    size_t total, count, sum = 0;
    cr_assert_eq(kugel_world_contacts(world, 0, NULL, &total), KUGEL_OK);
    kugel_resting_contact *all = calloc(total + 1, sizeof *all), own[MOST];
    cr_assert_eq(kugel_world_contacts(world, total, all, &count), KUGEL_OK);
    for (uint32_t id = 0; id < kugel_world_id_end(world); ++id) {
        kugel_body body = kugel_world_body(world, id);
        if (body == KUGEL_NULL_BODY) continue;
        cr_assert_eq(kugel_body_contacts(world, body, MOST, own, &count), KUGEL_OK);
        size_t at = 0;
        for (size_t k = 0; k < total; ++k) {
            if (all[k].a != body && all[k].b != body) continue;
            cr_assert_lt(at, count);
            cr_assert(own[at].a == body && is_same(&own[at], &all[k], all[k].b == body),
                      "body %u, contact %zu", id, at);
            at += 1;
        }
        cr_assert_eq(at, count);
        for (size_t k = 1; k < count; ++k)
            cr_assert(own[k].target != KUGEL_TARGET_BODY || own[k - 1].b < own[k].b);
        sum += count;
    }
    cr_assert_geq(sum, total);
    free(all);
}

Test(contacts, of_bodies_are_those_of_the_world)
{
    support_random random = support_random_start("contacts", 1);
    support_scene scene = support_pile(4, 4, 0, &random);
    kugel_world *world = support_scene_world(&scene);
    for (int k = 0; k < 12; ++k) {
        support_run(world, 1 / 60., 10);
        check(world);
    }
    kugel_body_destroy(world, kugel_world_body(world, 12));
    check(world);
    kugel_body_set_radius(world, kugel_world_body(world, 13), 0.4);
    check(world);
    kugel_body_set_filter(world, kugel_world_body(world, 20), 1, 0, 0);
    check(world);
    support_run(world, 1 / 60., 1);
    check(world);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

/* Fewer ids than boundary numbers, and a capacity below the count. */
Test(contacts, of_a_world_of_one_body)
{
    kugel_world *world = make_world();
    for (int k = 0; k < 40; ++k)
        support_add_plane(world, &(support_plane){.normal = {0, 0, 1}, .friction = 0.5}, NULL);
    kugel_body ball = add(world, 0.5, 1, KUGEL_DYNAMIC);
    kugel_resting_contact c[2];
    size_t count;
    support_run(world, 1 / 60., 10);
    cr_assert_eq(kugel_body_contacts(world, ball, 2, c, &count), KUGEL_OK);
    cr_assert_eq(count, 41);
    cr_assert(c[0].index == 0 && c[1].index == 1);
    cr_assert_eq(kugel_body_contacts(world, ball, 2, NULL, &count), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_body_contacts(world, ball, 0, NULL, NULL), KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_body_contacts(world, 7, 2, c, &count), KUGEL_ERROR_STALE_HANDLE);
    cr_assert_eq(kugel_world_contacts(NULL, 0, NULL, &count), KUGEL_ERROR_INVALID_ARGUMENT);
    kugel_world_destroy(world);
}

/* Balls roll over a ridge of triangles: the gap of each contact is a length also where another part
 * of the surface has become the nearest since the contact was solved. */
Test(contacts, gaps_at_edges_are_lengths)
{
    static const uint32_t triangles[] = {0, 2, 1, 1, 2, 3, 2, 4, 3, 3, 4, 5};
    uint32_t rows = 0;
    for (int run = 0; run < 12; ++run) {
        double slope = 0.02 + 0.04 * run, low = -20 * slope;
        const double corners[] = {-20, -5, low, -20, 5,  low, 0,  -5, 0,
                                  0,   5,  0,   20,  -5, low, 20, 5,  low};
        kugel_world *world;
        kugel_world_def def = kugel_world_def_default();
        def.gravity[2] = -9.81;
        cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
        kugel_surface_def ridge = kugel_surface_def_default();
        ridge.vertices = corners, ridge.triangles = triangles;
        ridge.vertex_count = 6, ridge.triangle_count = 4;
        cr_assert_eq(kugel_surface_create(world, &ridge, NULL), KUGEL_OK);
        for (int k = 0; k < 5; ++k) {
            kugel_body_def ball = kugel_body_def_default();
            ball.position[0] = -1.0 - 0.13 * k, ball.position[1] = -4 + 2 * k;
            ball.position[2] = ball.position[0] * slope + 0.5 * sqrt(1 + slope * slope);
            ball.velocity[0] = 0.5 + 0.4 * k + 0.3 * run;
            ball.velocity[2] = ball.velocity[0] * slope;
            cr_assert_eq(kugel_body_create(world, &ball, NULL), KUGEL_OK);
        }
        for (int tick = 0; tick < 200; ++tick) {
            kugel_resting_contact found[16];
            size_t count;
            cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
            cr_assert_eq(kugel_world_contacts(world, 16, found, &count), KUGEL_OK);
            /* a contact within the slop (0.005 m) leaves it by less than the path of a substep */
            for (size_t k = 0; k < count && k < 16; ++k, ++rows)
                cr_assert_lt(fabs(found[k].gap), 0.05, "run %d tick %d: %g", run, tick,
                             found[k].gap);
        }
        kugel_world_destroy(world);
    }
    cr_assert_gt(rows, 1000);
}
