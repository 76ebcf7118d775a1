/* Interpolation between ticks, and the callbacks of debug drawing. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "support/support_pile.h"
#include "support/support_scene.h"

Test(draw, positions_between_ticks)
{
    support_scene scene = support_scene_start();
    support_scene_box(&scene, 10, KUGEL_FACE_PERIODIC);
    kugel_world *world = support_scene_world(&scene);
    const double from[6] = {1, 2, 3, 9.5, 0.25, 5}, to[6] = {2, 2, 1, 0.5, 9.75, 5};
    double out[6];
    cr_assert_eq(kugel_interpolate_positions(world, 2, from, to, 0.25, out), KUGEL_OK);
    static const double quarter[6] = {1.25, 2, 2.5, 9.75, 0.125, 5};
    for (int k = 0; k < 6; ++k) cr_assert_float_eq(out[k], quarter[k], 1e-14);
    kugel_interpolate_positions(world, 2, from, to, 0, out);
    cr_assert(!memcmp(out, from, sizeof from));
    kugel_interpolate_positions(world, 1, from, to, 1, out);
    cr_assert(!memcmp(out, to, 3 * sizeof *to));
    cr_assert_eq(kugel_interpolate_positions(world, 2, from, to, 1.01, out),
                 KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_interpolate_positions(world, 2, from, to, NAN, out),
                 KUGEL_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(kugel_interpolate_positions(NULL, 2, from, to, 0, out),
                 KUGEL_ERROR_INVALID_ARGUMENT);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

Test(draw, rotations_between_ticks)
{
    /* a quarter turn about z, given as q and -q, and the opposite of the identity */
    double h = sqrt(0.5);
    const double from[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1},
                 to[12] = {0, 0, h, h, 0, 0, -h, -h, 0, 0, 1, 0};
    double out[12];
    cr_assert_eq(kugel_interpolate_rotations(3, from, to, 0.5, out), KUGEL_OK);
    for (int i = 0; i < 2; ++i) {
        cr_assert_float_eq(out[4 * i + 2], sin(M_PI / 8), 1e-15);
        cr_assert_float_eq(out[4 * i + 3], cos(M_PI / 8), 1e-15);
    }
    cr_assert_float_eq(out[10], h, 1e-15);
    const double mirrored[4] = {0, 0, 0, -1};
    kugel_interpolate_rotations(1, from, mirrored, 0.5, out);
    cr_assert_eq(out[3], 1, "q and -q are one rotation");
    cr_assert_eq(kugel_interpolate_rotations(1, NULL, to, 0.5, out), KUGEL_ERROR_INVALID_ARGUMENT);
}

typedef struct drawn {
    uint32_t boxes, planes, surfaces, bodies, contacts, impacts;
} drawn;

static void on_box(void *user, const kugel_bounds *bounds)
{
    (void)bounds;
    ((drawn *)user)->boxes += 1;
}

static void on_surface(void *user, kugel_surface handle, const kugel_surface_def *surface)
{
    double normal[3], offset;
    cr_assert(((drawn *)user)->surfaces++ == kugel_surface_index(handle));
    if (kugel_surface_def_get_plane(surface, normal, &offset)) {
        ((drawn *)user)->planes += 1;
        cr_assert(normal[2] == 1 && offset == -5);
        return;
    }
    cr_assert_eq(surface->triangle_count, 1);
    cr_assert_eq(surface->vertices[3 * surface->triangles[1]], 1);
}

static void on_body(void *user, const kugel_body_state *body)
{
    cr_assert_eq(((drawn *)user)->bodies++, kugel_body_id(body->body));
}

static void on_contact(void *user, const kugel_resting_contact *contact)
{
    cr_assert_neq(contact->a, KUGEL_NULL_BODY);
    ((drawn *)user)->contacts += 1;
}

static void on_impact(void *user, const kugel_impact *impact)
{
    cr_assert_geq(impact->speed, 0);
    ((drawn *)user)->impacts += 1;
}

Test(draw, calls_back_for_all_there_is)
{
    support_random random = support_random_start("draw", 1);
    support_scene scene = support_pile(3, 3, 0.3, &random);
    kugel_world *world = support_scene_world(&scene);
    support_add_plane(world, &(support_plane){.normal = {0, 0, 1}, .offset = -5}, NULL);
    size_t impacts = 0, contacts = 0;
    kugel_surface_def surface = kugel_surface_def_default();
    surface.vertices = (double[9]){0, 0, -7, 1, 0, -7, 0, 1, -7}, surface.vertex_count = 3;
    surface.triangles = (uint32_t[3]){0, 1, 2}, surface.triangle_count = 1;
    for (int k = 0; k < 2; ++k) cr_assert_eq(kugel_surface_create(world, &surface, NULL), KUGEL_OK);
    for (int tick = 0; tick < 200 && !(impacts && contacts); ++tick) {
        support_run(world, 1 / 60., 1);
        kugel_world_impact_events(world, &impacts);
        kugel_world_contacts(world, 0, NULL, &contacts);
    }
    drawn d = {0};
    kugel_debug_draw draw = {on_box, on_surface, on_body, on_contact, on_impact, &d};
    cr_assert_eq(kugel_world_draw(world, &draw), KUGEL_OK);
    cr_assert(d.boxes == 1 && d.planes == 1 && d.surfaces == 3 && d.bodies == scene.count);
    cr_assert(impacts && contacts && d.contacts == contacts && d.impacts == impacts);
    kugel_debug_draw none = {0};
    cr_assert_eq(kugel_world_draw(world, &none), KUGEL_OK);
    cr_assert_eq(kugel_world_draw(world, NULL), KUGEL_ERROR_INVALID_ARGUMENT);
    kugel_world_destroy(world);
    support_scene_free(&scene);
}
