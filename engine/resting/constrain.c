/* A contact that begins within a substep constrains its bodies until the next solve takes it over.
 * A body that only immovable things support then slides (slide.c). Otherwise both bodies move in
 * straight lines: their velocities change at once by the acceleration of the remaining substep,
 * less what would press the pair together (semi-implicit Euler, as in the solver). This press is
 * shared by mass, even if other contacts support one of the two; these resist in the next solve.
 * Otherwise the pair would lose momentum and, on a moving body, gain energy. No energy is added; at
 * most m g^2 h^2 / 2 is lost. See tools/docs/decisions/03-constrain-new-contacts.md. */
#include "base/vec.h"
#include "resting/supports.h"
#include "world/locks.h"
#include "world/impulse_sums.h"

static bool is_immovable(const kugel_world *world, uint32_t slot)
{
    return slot == KG_NONE || world->bodies.mass[slot] == 0;
}

/* 1/kg, along the normal; 0 for an immovable body and a boundary. */
static double inverse_mass(const kugel_world *world, uint32_t slot, const double normal[3])
{
    if (is_immovable(world, slot)) return 0;
    uint32_t locks = world->work.any_locks ? kg_locks_of(&world->bodies, slot) : 0;
    return (locks ? kg_locks_share(locks, normal) : 1) / world->bodies.mass[slot];
}

/* Acceleration of the body's frame, m/s^2; 0 for an immovable body and a boundary. */
static void frame_acceleration(const kugel_world *world, uint32_t slot, double a[3])
{
    kg_set3(a, 0, 0, 0);
    if (!is_immovable(world, slot)) kg_work_acceleration(&world->work, slot, a);
}

/* Take the body out of its falling frame at t. Its stored velocity v changes by a h less the
 * impulse `press` (N s) along the normal over the mass. So its velocity in the world, which was
 * v + a t, changes by a (h - t) less the latter. */
static void constrain_body(kugel_world *world, uint32_t slot, const double a[3],
                           const double normal[3], double press, double h, double t)
{
    kg_work *work = &world->work;
    kg_motion *m = &work->motion[slot];
    double spin[3], by = press * (1 / world->bodies.mass[slot]);
    kg_work_spin_at(work, slot, h, spin);
    for (int k = 0; k < 3; ++k) {
        work->w[k][slot] = spin[k];
        m->x[k] += 0.5 * a[k] * t * t;
        m->v[k] += a[k] * h - normal[k] * by;
    }
    if (work->any_locks) kg_locks_project(kg_locks_of(&world->bodies, slot), m->v);
    work->frame[slot] = KG_FRAME_INERTIAL;
    work->frame_is_shared = false;
}

bool kg_constrain_pair(kugel_world *world, uint32_t a, uint32_t b, kg_boundary boundary,
                       const double normal[3], double h, double t)
{
    double of_a[3], of_b[3], pull = 0;
    double inverse_a = inverse_mass(world, a, normal), inverse_b = inverse_mass(world, b, normal);
    frame_acceleration(world, a, of_a);
    frame_acceleration(world, b, of_b);
    for (int k = 0; k < 3; ++k) pull += (of_a[k] - of_b[k]) * normal[k];
    if (!(pull > 0) || !(inverse_a + inverse_b > 0)) return true;
    if (is_immovable(world, b) && kg_supports_are_immovable(world, a, t))
        return kg_slide_update(world, a, h, t);
    if (is_immovable(world, a) && kg_supports_are_immovable(world, b, t))
        return kg_slide_update(world, b, h, t);
    double press = pull * (h - t) / (inverse_a + inverse_b);
    if (inverse_a > 0) constrain_body(world, a, of_a, normal, press, h, t);
    if (inverse_b > 0) constrain_body(world, b, of_b, normal, -press, h, t);
    kg_exchanged e = {.a = a, .b = b, .boundary = boundary, .time = t, .along = press};
    kg_copy3(e.normal, normal);
    return !world->sums_impulses || kg_impulse_sums_add(world, &e);
}
