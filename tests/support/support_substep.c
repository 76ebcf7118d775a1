/* Calls the stages of a tick up to the impacts. */
#include "support/support_substep.h"

#include <criterion/criterion.h>
#include <string.h>

#include "contact/contact.h"
#include "motion/motion.h"
#include "sensors/sensors.h"

void support_substep_begin(kugel_world *world, double h)
{
    world->work.refinement = 1;
    kg_event_log_begin(&world->memory, &world->events);
    cr_assert_eq(kg_motion_begin(world), KUGEL_OK);
    cr_assert(kg_contact_stage_begin(world));
    kg_contact_choose_substeps(world, h);
    cr_assert_eq(world->work.substeps, 1, "the tick has %d substeps", (int)world->work.substeps);
    cr_assert(kg_sensors_begin(world) && kg_grid_prepare(world, h));
    kg_motion_accelerate(world, h);
    kg_resting_begin_substep(world, h);
    kg_sensors_begin_substep(world, h, 0);
    world->impact->h = h;
    cr_assert(kg_queue_begin(&world->memory, world->impact, 0, h, world->bodies.count));
}

kugel_world *support_substep_world(const support_scene *scene, double h)
{
    kugel_world *world = support_scene_world(scene);
    support_substep_begin(world, h);
    return world;
}

uint32_t support_neighbour(uint32_t slot) { return slot | KG_NEIGHBOUR_NO_IMAGE; }

kg_event support_pair_event(const kugel_world *world, uint32_t a, uint32_t b, double time)
{
    const uint32_t *version = world->work.motion_version;
    return (kg_event){.time = time,
                      .a = a,
                      .b = support_neighbour(b),
                      .version_a = version[a],
                      .version_b = version[b],
                      .kind = KG_EVENT_BODY};
}

kg_event support_boundary_event(const kugel_world *world, uint32_t a, kg_boundary boundary,
                                double time)
{
    return (kg_event){.time = time,
                      .a = a,
                      .b = boundary,
                      .version_a = world->work.motion_version[a],
                      .kind = KG_EVENT_BOUNDARY};
}

void support_place(kugel_world *world, uint32_t slot, const double x[3], const double v[3],
                   double t)
{
    kg_motion *m = &world->work.motion[slot];
    memcpy(m->x, x, sizeof m->x);
    memcpy(m->v, v, sizeof m->v);
    m->clock = t;
}
