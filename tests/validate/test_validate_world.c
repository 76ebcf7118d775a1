/* The validator holds for a sound world, and names each claim that a corrupted one breaks. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "contact/contact.h"
#include "sensors/sensors.h"
#include "support/support_caches.h"
#include "support/support_pile.h"
#include "support/support_substep.h"
#include "validate/validate_world.h"
#include "world/sleep_state.h"
#include "world/surface_tree.h"

#ifndef KG_ASSERTIONS
Test(validate_world, needs_a_debug_build) { cr_skip_test("built without KG_ASSERTIONS"); }
#else
enum { BALLS = 18 };

/* A pile at rest, between steps, or at the start of a step if `in_step`. */
static kugel_world *pile(bool in_step)
{
    support_random random = support_random_start("validate/pile", 1);
    support_scene scene = support_pile(3, 2, 0, &random);
    scene.def.substeps = 1;
    scene.def.sleep = false;
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 1 / 60., 200);
    if (in_step) support_substep_begin(world, 1 / 60.);
    support_scene_free(&scene);
    cr_assert_eq(world->bodies.count, BALLS);
    return world;
}

/* The world is sound with the `size` bytes at `at` as they are; with those at `wrong` instead, the
 * fault has the words. */
static void expect(const kugel_world *world, int stage, void *at, const void *wrong, size_t size,
                   const char *words)
{
    kg_fault fault = {""};
    unsigned char was[64];
    cr_assert(kg_world_is_valid(world, stage, &fault), "before: %s", fault.text);
    memcpy(was, at, size);
    memcpy(at, wrong, size);
    cr_assert(!kg_world_is_valid(world, stage, &fault), "nothing is said of: %s", words);
    cr_assert(strstr(fault.text, words), "%s: expected %s", fault.text, words);
    memcpy(at, was, size);
}
#define EXPECT(stage, lvalue, value, words)                                                        \
    expect(world, stage, &(lvalue), &(__typeof__(lvalue)){value}, sizeof(lvalue), words)

Test(validate_world, bodies_between_steps)
{
    const int stage = KG_VALIDATE_BETWEEN_STEPS;
    kugel_world *world = pile(false);
    kg_bodies *b = &world->bodies;
    EXPECT(stage, b->id[4], b->id[5], "slot[id] is the row");
    EXPECT(stage, b->slot[b->id[3]], 7, "slot[id] is the row");
    EXPECT(stage, b->generation[2], 0, "handle");
    EXPECT(stage, b->material[1], 99, "material is in use");
    EXPECT(stage, b->materials[b->material[0]].body_count, 3, "materials count");
    EXPECT(stage, b->free_id_lower_bound, BALLS + 1, "free_id_lower_bound");
    EXPECT(stage, b->x[1][6], HUGE_VAL, "position.y is finite");
    EXPECT(stage, b->w[2][6], HUGE_VAL, "spin.z is finite");
    EXPECT(stage, b->q[3][6], 2, "unit quaternions");
    EXPECT(stage, b->radius[6], -1, "radii are positive");
    EXPECT(stage, b->mass[6], 0, "finite mass");
    EXPECT(stage, b->sleep_state[6], KG_DRIVEN + 1, "sleep states exist");
    EXPECT(stage, b->type[6], KUGEL_STATIC, "finite mass");
    EXPECT(stage, b->contact_count[6], 77, "count their contacts");
    kugel_world_destroy(world);
}

Test(validate_world, contacts_between_steps)
{
    const int stage = KG_VALIDATE_BETWEEN_STEPS;
    kugel_world *world = pile(false);
    kg_contact *c = world->contacts.items;
    cr_assert(world->contacts.count > 10 && c[0].with == KG_WITH_BODY);
    EXPECT(stage, c[0].b, 999, "both bodies of a contact exist");
    EXPECT(stage, c[0].a, 999, "body of a contact exists");
    expect(world, stage, &c[1], &c[0], sizeof *c, "contacts are sorted");
    EXPECT(stage, c[2].ended, 1, "ended contacts are counted");
    EXPECT(stage, world->contacts.ended_count, 1, "ended contacts are counted");
    EXPECT(stage, c[2].normal_force, -1, "forces are finite and press");
    uint32_t k = 0;
    while (c[k].with == KG_WITH_BODY) ++k;
    EXPECT(stage, c[k].b, 5 - c[k].b, "boundary of a contact exists");
    kugel_world_destroy(world);
}

/* A sleeping body has no velocity, and its partners sleep. */
Test(validate_world, sleep)
{
    kugel_world *world = pile(false);
    kugel_body ball = kugel_world_body(world, world->contacts.items[0].a);
    uint32_t i = world->bodies.slot[world->contacts.items[0].a];
    world->def.sleep = true;
    cr_assert_eq(kugel_body_sleep(world, ball), KUGEL_OK);
    EXPECT(KG_VALIDATE_BETWEEN_STEPS, world->bodies.v[0][i], 1e-9, "sleeping body is at rest");
    EXPECT(KG_VALIDATE_BETWEEN_STEPS, world->bodies.sleep_state[i], 0, "sleep together");
    EXPECT(KG_VALIDATE_BETWEEN_STEPS, world->bodies.asleep_count, 0, "sleeping bodies are counted");
    EXPECT(KG_VALIDATE_BETWEEN_STEPS, world->bodies.woken_count, 1, "sleeping bodies are counted");
    kugel_world_destroy(world);
}

Test(validate_world, groups)
{
    const int stage = KG_STAGE_CONTACT;
    kugel_world *world = pile(true);
    kg_contact_stage *contact = world->contact;
    cr_assert(contact->group_count > 1);
    kg_contact_group *g = contact->groups;
    EXPECT(stage, contact->group_count, contact->group_count - 1, "is in a group");
    EXPECT(stage, contact->order[1], contact->order[0], "in one group");
    EXPECT(stage, contact->group_info[0].count, 0, "spans of the order");
    EXPECT(stage, contact->group_info[0].ended, 1, "mark ended contacts");
    EXPECT(stage, g[0].a[0], g[0].b[0], "slots of its contact");
    EXPECT(stage, world->work.contact_count[3], 50, "count their contacts");
    EXPECT(stage, world->work.motion[3].radius, 9, "body's radius");
    EXPECT(stage, world->work.frame[3], 9, "frames exist");
    kugel_world_destroy(world);
}

Test(validate_world, verlet_lists)
{
    const int stage = KG_STAGE_GRID;
    kugel_world *world = pile(true);
    kg_grid *grid = world->grid;
    EXPECT(stage, grid->nodes[0].count, 0, "lists lack no pair");
    EXPECT(stage, grid->node_count, grid->node_count + 1, "in one list or free");
    EXPECT(stage, grid->unlisted_count, 1, "bodies without a list");
    uint32_t k = 0;
    while (!(grid->nodes[k].flags & KG_NODE_HAS_RESTING)) ++k;
    uint32_t n = 0;
    while (!(grid->nodes[k].neighbour[n] & KG_NEIGHBOUR_RESTING)) ++n;
    EXPECT(stage, grid->nodes[k].neighbour[n], grid->nodes[k].neighbour[n] & ~KG_NEIGHBOUR_RESTING,
           "mark resting pairs");
    k = 0;
    while (!world->work.resting_boundaries[k]) ++k;
    EXPECT(stage, grid->near_boundaries[k], 0, "near boundaries are complete");
    EXPECT(stage, world->work.resting_boundaries[k], 0, "boundaries on which they rest");
    kugel_world_destroy(world);
}

/* Three balls that are surfaces, one of which moves: what is derived from them. */
Test(validate_world, surfaces)
{
    const int stage = KG_VALIDATE_BETWEEN_STEPS;
    kugel_world_def def = kugel_world_def_default();
    kugel_surface_def ball = kugel_surface_def_default();
    kugel_world *world;
    ball.shape = KUGEL_SURFACE_ELLIPSOID;
    for (int k = 0; k < 3; ++k) ball.size[k] = 1;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    for (int k = 0; k < 3; ++k) {
        ball.position[0] = 3 * k, ball.velocity[1] = k == 2;
        cr_assert_eq(kugel_surface_create(world, &ball, NULL), KUGEL_OK);
    }
    cr_assert_eq(kugel_world_prepare_queries(world), KUGEL_OK);
    kg_surfaces *set = &world->surfaces;
    cr_assert(set->tree->rest_is_built && set->tree->other_count == 1);
    EXPECT(stage, set->items[0].moves, true, "surfaces that move are listed");
    EXPECT(stage, set->items[2].moves, false, "have no others");
    EXPECT(stage, set->items[0].material.sensor, true, "sensors are listed");
    EXPECT(stage, set->number_total, 4, "kinds of surfaces are counted");
    EXPECT(stage, set->items[0].material.rolling_resistance, 1, "kinds of surfaces are counted");
    EXPECT(stage, set->items[0].pose.origin[0], 1, "at rest are in their boxes");
    EXPECT(stage, set->items[0].rests, false, "at rest or others");
    kugel_world_destroy(world);
}

/* A body that approaches its neighbour is not inactive. */
Test(validate_world, inactive_bodies)
{
    kugel_world *world = pile(true);
    for (uint32_t i = 0; i < BALLS; ++i) world->grid->clearance[i] = 1e-9f;
    kg_fault fault;
    cr_assert(kg_world_is_valid(world, KG_STAGE_IMPACT, &fault), "%s", fault.text);
    EXPECT(KG_STAGE_IMPACT, world->work.motion[4].v[0], 60, "inactive bodies");
    kugel_world_destroy(world);
}

Test(validate_world, cell_lists)
{
    support_random random = support_random_start("validate/gas", 2);
    support_scene scene = support_scene_gas(5, 0.2, KUGEL_FACE_PERIODIC, 5, &random);
    kugel_world *world = support_scene_world(&scene);
    support_run(world, 0.02, 1);
    cr_assert(support_caches_use_cell_lists(world));
    kg_cell_lists *cells = &world->grid->cell_lists;
    const int stage = KG_VALIDATE_BETWEEN_STEPS;
    uint32_t i =
        (uint32_t)(world->tick * 7919 % world->bodies.count); /* the body that is checked */
    EXPECT(stage, cells->body_cell[i].index, 0, "index is that of the cell");
    EXPECT(stage, cells->cell[cells->body_cell[i].index][0], KG_NONE, "cell");
    double far = world->bodies.x[0][i] < 5 ? world->bodies.x[0][i] + 4 : world->bodies.x[0][i] - 4;
    EXPECT(stage, world->bodies.x[0][i], far, "centre is in its cell");
    EXPECT(stage, world->bodies.x[0][i], -1e3, "[min, max)");
    kugel_world_destroy(world);
    support_scene_free(&scene);
}

Test(validate_world, sensors_and_events)
{
    kugel_world *world = pile(false);
    kugel_body_def def = kugel_body_def_default();
    def.type = KUGEL_KINEMATIC, def.sensor = true, def.position[2] = 1;
    cr_assert_eq(kugel_body_create(world, &def, NULL), KUGEL_OK);
    kugel_impact impacts[2] = {{.time = 0.1}, {.time = 0.2}};
    for (int k = 0; k < 2; ++k)
        cr_assert(kg_event_set_add_impact(&world->memory, &world->events.published, &impacts[k]));
    kg_event_set *set = &world->events.published;
    EXPECT(KG_VALIDATE_BETWEEN_STEPS, set->impacts[set->impact_count - 1].time, -1,
           "order of time");
    set->impact_count -= 2;
    support_substep_begin(world, 1 / 60.);
    EXPECT(KG_STAGE_SWEEP, world->sensors->boxes.items[0].high[1], 0, "paths of sensors");
    kugel_world_destroy(world);
}
#endif
