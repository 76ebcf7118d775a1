/* Calls that remove resting contacts: the next step reports each end once, at time 0, with point
 * and normal of before the call. Out of memory refuses the call. */
#include <criterion/criterion.h>
#include <math.h>

#include "record/support_recording.h"
#include "support/support_scene.h"
#include "support/support_snapshot.h"

/* A column of two balls on a plane, at rest; and a ball that flies. */
typedef struct column {
    kugel_world *world;
    kugel_body low, high, flies;
    support_memory memory;
} column;

static void column_make(column *c)
{
    kugel_world_def def = kugel_world_def_default();
    def.gravity[2] = -10;
    def.allocator = support_allocator(&c->memory);
    cr_assert_eq(kugel_world_create(&def, &c->world), KUGEL_OK);
    support_plane floor = {.normal = {0, 0, 1}, .friction = 0.5};
    support_add_plane(c->world, &floor, NULL);
    kugel_body_def ball = kugel_body_def_default();
    ball.position[2] = 0.5;
    cr_assert_eq(kugel_body_create(c->world, &ball, &c->low), KUGEL_OK);
    ball.position[2] = 1.5;
    cr_assert_eq(kugel_body_create(c->world, &ball, &c->high), KUGEL_OK);
    ball.position[0] = 20, ball.gravity_scale = 0;
    cr_assert_eq(kugel_body_create(c->world, &ball, &c->flies), KUGEL_OK);
    support_run(c->world, 1 / 60., 10);
    kugel_body_state s;
    kugel_body_get(c->world, c->low, &s);
    cr_assert_eq(s.contacts, 2);
}

/* Steps, and checks that exactly the contacts of `low` ended at time 0: with `high`, and with the
 * plane if `with_plane`. */
static void check_ends(column *c, bool with_plane, const char *what)
{
    size_t count;
    support_run(c->world, 1 / 60., 1);
    const kugel_touch *end = kugel_world_end_events(c->world, &count);
    cr_assert_eq(count, (size_t)(with_plane ? 2 : 1), "%s: %zu ends", what, count);
    cr_assert(end[0].time == 0 && end[0].target == KUGEL_TARGET_BODY, "%s", what);
    cr_assert(end[0].a == c->low && end[0].b == c->high && end[0].index == 1, "%s", what);
    /* the slop is 1 % of the radius */
    cr_assert_float_eq(end[0].normal[2], 1, 1e-12, "%s", what);
    cr_assert_float_eq(end[0].point[2], 1, 0.02, "%s: at %g", what, end[0].point[2]);
    if (!with_plane) return;
    cr_assert(end[1].time == 0 && end[1].target == KUGEL_TARGET_SURFACE, "%s", what);
    cr_assert(end[1].a == c->low && !end[1].b && end[1].index == 0, "%s", what);
    cr_assert_float_eq(end[1].point[2], 0, 0.02, "%s", what);
    support_run(c->world, 1 / 60., 1);
    (void)kugel_world_end_events(c->world, &count);
    cr_assert_eq(count, 0, "%s: reported twice", what);
}

static bool never(void *user, uint64_t key, kugel_pair *pair)
{
    (void)user, (void)key, (void)pair;
    return false;
}

static kugel_status call(column *c, int which)
{
    const kugel_pair_filter none = {.decide = never};
    switch (which) {
    case 0:
        return kugel_body_destroy(c->world, c->low);
    case 1:
        return kugel_body_set_position(c->world, c->low, (double[3]){5, 5, 9});
    case 2:
        return kugel_body_set_radius(c->world, c->low, 0.25);
    case 3:
        return kugel_body_set_type(c->world, c->low, KUGEL_KINEMATIC, 0);
    case 4:
        return kugel_body_set_filter(c->world, c->low, 1, ~1u, 0);
    default:
        return kugel_world_set_pair_filter(c->world, &none);
    }
}

enum { CALLS = 6 };

Test(contact_ends, each_call_that_removes_contacts_is_reported)
{
    static const char *const names[CALLS] = {"destroy", "position",    "radius",
                                             "type",    "body filter", "pair filter"};
    for (int which = 0; which < CALLS; ++which) {
        column c = {0};
        column_make(&c);
        cr_assert_eq(call(&c, which), KUGEL_OK, "%s", names[which]);
        check_ends(&c, which != 4, names[which]);
        kugel_world_destroy(c.world);
        cr_assert_eq(c.memory.bytes, 0, "%s leaks", names[which]);
    }
}

/* Without other contacts, a world whose last body was destroyed does nothing in a step. */
Test(contact_ends, are_reported_by_a_step_of_an_idle_world)
{
    column c = {0};
    column_make(&c);
    kugel_body_destroy(c.world, c.flies);
    kugel_body_destroy(c.world, c.low);
    kugel_body_destroy(c.world, c.high);
    check_ends(&c, true, "destroy");
    kugel_world_destroy(c.world);
}

Test(contact_ends, calls_without_contacts_report_none)
{
    column c = {0};
    column_make(&c);
    size_t count;
    cr_assert_eq(kugel_body_set_position(c.world, c.flies, (double[3]){5, 5, 9}), KUGEL_OK);
    cr_assert_eq(kugel_body_destroy(c.world, c.flies), KUGEL_OK);
    support_run(c.world, 1 / 60., 1);
    (void)kugel_world_end_events(c.world, &count);
    cr_assert_eq(count, 0);
    kugel_world_destroy(c.world);
}

/* Each allocation of each call fails once: the call is refused, and repeated it succeeds. */
Test(contact_ends, without_memory_a_call_changes_nothing)
{
    int refused = 0;
    for (int which = 0; which < CALLS; ++which) {
        for (uint64_t at = 1; at < 4; ++at) {
            column c = {0};
            column_make(&c);
            uint64_t before = kugel_world_hash(c.world);
            c.memory.allocations = 0, c.memory.fail_at = at;
            kugel_status status = call(&c, which);
            c.memory.fail_at = 0;
            if (status) {
                refused += 1;
                cr_assert_eq(status, KUGEL_ERROR_OUT_OF_MEMORY);
                cr_assert_eq(kugel_world_hash(c.world), before);
                cr_assert_eq(call(&c, which), KUGEL_OK);
            }
            check_ends(&c, which != 4, "after a refusal");
            kugel_world_destroy(c.world);
        }
    }
    cr_assert_geq(refused, CALLS, "every call allocates its ends");
}

Test(contact_ends, a_restored_world_has_none_that_no_step_reported)
{
    column c = {0};
    column_make(&c);
    size_t count, size, room = support_snapshot_room(c.world, true);
    char *bytes = malloc(room);
    cr_assert_eq(kugel_snapshot_save(c.world, true, bytes, room, &size), KUGEL_OK);
    cr_assert_eq(kugel_body_destroy(c.world, c.low), KUGEL_OK);
    cr_assert_eq(kugel_snapshot_restore(c.world, bytes, size), KUGEL_OK);
    support_run(c.world, 1 / 60., 1);
    (void)kugel_world_end_events(c.world, &count);
    cr_assert_eq(count, 0);
    free(bytes);
    kugel_world_destroy(c.world);
}

Test(contact_ends, a_clone_reports_those_that_no_step_reported)
{
    column c = {0};
    column_make(&c);
    kugel_world *original = c.world;
    cr_assert_eq(kugel_body_destroy(original, c.low), KUGEL_OK);
    cr_assert_eq(kugel_world_clone(original, &c.world), KUGEL_OK);
    check_ends(&c, true, "clone");
    kugel_world_destroy(c.world);
    c.world = original;
    check_ends(&c, true, "original");
    kugel_world_destroy(c.world);
}

/* A ball at rest on a surface gets a filter that excludes it: the contact ends, and the ball falls
 * freely. */
Test(contact_ends, a_body_filter_ends_contacts_with_surfaces)
{
    static const double corners[] = {-9, -9, 0, 9, -9, 0, 0, 9, 0};
    static const uint32_t triangle[] = {0, 1, 2};
    kugel_surface_def surfaces[] = {kugel_surface_def_default(), kugel_surface_def_default(),
                                    kugel_surface_def_default()};
    surfaces[0].vertices = corners, surfaces[0].triangles = triangle;
    surfaces[0].vertex_count = 3, surfaces[0].triangle_count = 1;
    surfaces[1].shape = KUGEL_SURFACE_PLANE;
    surfaces[2].shape = KUGEL_SURFACE_CONE, surfaces[2].position[2] = -1;
    for (int axis = 0; axis < 3; ++axis) surfaces[2].size[axis] = 1;
    for (int k = 0; k < 3; ++k) {
        column c = {0};
        size_t count;
        kugel_body_state s;
        kugel_world_def def = kugel_world_def_default();
        kugel_body_def ball = kugel_body_def_default();
        def.gravity[2] = -10, ball.position[2] = 0.5;
        cr_assert_eq(kugel_world_create(&def, &c.world), KUGEL_OK);
        cr_assert_eq(kugel_surface_create(c.world, &surfaces[k], NULL), KUGEL_OK);
        cr_assert_eq(kugel_body_create(c.world, &ball, &c.low), KUGEL_OK);
        support_run(c.world, 1 / 60., 200);
        kugel_body_get(c.world, c.low, &s);
        cr_assert(s.contacts == 1 && s.asleep, "surface %d", k);
        cr_assert_eq(kugel_body_set_filter(c.world, c.low, 1, 0, 0), KUGEL_OK);
        kugel_body_get(c.world, c.low, &s);
        cr_assert_eq(s.contacts, 0, "surface %d", k);
        double from = s.position[2];
        support_run(c.world, 1 / 60., 1);
        const kugel_touch *end = kugel_world_end_events(c.world, &count);
        cr_assert(count == 1 && end->time == 0 && end->a == c.low, "surface %d", k);
        support_run(c.world, 1 / 60., 59);
        kugel_body_get(c.world, c.low, &s);
        /* parabolas of free flight are exact but for rounding */
        cr_assert_float_eq(s.position[2], from - 5, 1e-9, "surface %d: %g", k, s.position[2]);
        kugel_world_destroy(c.world);
    }
}
