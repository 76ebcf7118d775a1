/* Loads bodies into the solve and stores its results. The solver works in float. Only its change is
 * added to the state, in double, so rounding is relative to the change.
 * In: the state at the substep's start. Out: velocities, positions, frames. Order: none; bodies are
 * independent. */
#include <string.h>

#include "base/compiler.h"
#include "base/wide.h"
#include "contact/solver.h"

static const kg_column_row rows_by_slot[] = {
    KG_COLUMN_ROW(kg_contact_stage, bodies),     KG_COLUMN_ROW(kg_contact_stage, corrections),
    KG_COLUMN_ROW(kg_contact_stage, marks),      KG_COLUMN_ROW(kg_contact_stage, load_before),
    KG_COLUMN_ROW(kg_contact_stage, body_block),
};
_Static_assert(sizeof rows_by_slot == KG_CONTACT_COLUMNS_BY_SLOT * sizeof *rows_by_slot,
               "a row for each column by slot");

bool kg_solver_bodies_reserve(kugel_world *world)
{
    kg_contact_stage *stage = world->contact;
    return kg_columns_reserve(&world->memory, stage->columns, rows_by_slot,
                              KG_CONTACT_COLUMNS_BY_SLOT, stage, (size_t)world->bodies.count + 1);
}

/* Velocity that the world's gravity adds in the substep, m/s. */
KG_INLINE void gravity_increment(const kugel_world *world, double h, kg_double4 *increment)
{
    const double *g = world->def.gravity;
    *increment = (kg_double4){g[0] * h, g[1] * h, g[2] * h, 0};
}

/* Velocity with the acceleration of the substep added; [3]: radius. */
KG_INLINE void accelerated_velocity(const kugel_world *world, uint32_t i, double h,
                                    const kg_double4 *increment, kg_double4 *v)
{
    kg_double4 adds = {0};
    if (world->work.has_own_accelerations) {
        double a[3];
        kg_frame_free_acceleration(world, i, a);
        adds = (kg_double4){a[0] * h, a[1] * h, a[2] * h, 0};
    } else if (world->bodies.mass[i] != 0) {
        adds = *increment;
    }
    memcpy(v, world->work.motion[i].v, sizeof *v);
    KG_EACH (4) KG_L(*v) += KG_L(adds);
}

KG_INLINE void spin(const kg_work *work, uint32_t i, kg_double4 *w)
{
    *w = (kg_double4){work->w[0][i], work->w[1][i], work->w[2][i], 0};
}

/* Convert the first three to float; keep to[3]. */
KG_INLINE void store_float(float to[4], const kg_double4 *v)
{
    kg_float4 x;
    KG_EACH (4) KG_L(x) = KG_CONVERT(kg_float4, KG_L(*v));
    KG_AT(x, 3) = to[3];
    memcpy(to, &x, sizeof x);
}

/* Change of a vector by the solve: its float now less the float that it was loaded from; [3]: 0. */
KG_INLINE void solver_change(const float now[4], const kg_double4 *was, kg_double4 *change)
{
    kg_float4 is;
    memcpy(&is, now, sizeof is);
    KG_EACH (4) {
        kg_float4_lane loaded = KG_CONVERT(kg_float4, KG_L(*was));
        KG_L(*change) = KG_CONVERT(kg_double4, KG_L(is)) - KG_CONVERT(kg_double4, loaded);
    }
    KG_AT(*change, 3) = 0;
}

/* Load the inverse masses and radii, which are constant through the tick. */
static void load_masses_range(kugel_world *world, uint32_t from, uint32_t to, double unused)
{
    kg_contact_stage *stage = world->contact;
    (void)unused;
    for (uint32_t i = from; i < to; ++i) {
        double mass = world->bodies.mass[i], per_radius = 1 / world->bodies.radius[i];
        /* keeps 1 / (m r) finite in float: below m r = 1e-37 kg m, r counts as larger */
        if (mass > 0 && per_radius > 1e37 * mass) per_radius = 1e37 * mass;
        stage->bodies[i].v[3] = (float)(mass > 0 ? 1 / mass : 0);
        stage->bodies[i].u[3] = (float)per_radius;
        stage->corrections[i].x[3] = stage->bodies[i].v[3];
    }
}

static void load_masses(kugel_world *world)
{
    kg_contact_stage *stage = world->contact;
    uint32_t n = world->bodies.count;
    kg_for_bodies(world, load_masses_range, 0);
    memset(&stage->bodies[n], 0, sizeof *stage->bodies);
    memset(&stage->corrections[n], 0, sizeof *stage->corrections);
    stage->masses_loaded = true;
}

KG_INLINE void load_body(const kugel_world *world, uint32_t i, double h,
                         const kg_double4 *increment, kg_solver_body *body)
{
    kg_double4 v, w;
    accelerated_velocity(world, i, h, increment, &v);
    spin(&world->work, i, &w);
    double radius = KG_AT(v, 3);
    KG_EACH (4) KG_L(w) *= radius;
    store_float(body->v, &v);
    store_float(body->u, &w);
}

void kg_solver_body_load(const kugel_world *world, uint32_t slot, double h, kg_solver_body *body)
{
    kg_double4 increment;
    gravity_increment(world, h, &increment);
    load_body(world, slot, h, &increment, body);
}

KG_INLINE void load(kugel_world *world, uint32_t from, uint32_t to, double h)
{
    kg_contact_stage *stage = world->contact;
    kg_double4 increment;
    bool on_boundaries_only = false;
    gravity_increment(world, h, &increment);
    for (uint32_t i = from; i < to; ++i) {
        if (!kg_solver_body_is_solved(&world->work, i)) continue;
        on_boundaries_only |= kg_work_rests_on_boundaries(&world->work, i);
        load_body(world, i, h, &increment, &stage->bodies[i]);
        memset(stage->corrections[i].x, 0, 3 * sizeof *stage->corrections[i].x);
        stage->marks[i] = 0;
    }
    if (on_boundaries_only) KG_ATOMIC_STORE(&stage->any_on_boundaries_only, true);
}

KG_INLINE void store_velocity(kugel_world *world, uint32_t i, double h, const kg_double4 *increment)
{
    kg_work *work = &world->work;
    const kg_solver_body *solved = &world->contact->bodies[i];
    kg_double4 v, u, change;
    double a[3], now[4], spin_change[4];
    accelerated_velocity(world, i, h, increment, &v);
    spin(work, i, &u);
    double radius = KG_AT(v, 3);
    KG_EACH (4) KG_L(u) *= radius;
    solver_change(solved->u, &u, &change);
    KG_EACH (4) KG_L(change) /= radius;
    memcpy(spin_change, &change, sizeof spin_change);
    solver_change(solved->v, &v, &change);
    KG_EACH (4) KG_L(v) += KG_L(change);
    memcpy(now, &v, sizeof now);
    for (int k = 0; k < 3; ++k) work->w[k][i] += spin_change[k];
    bool slides = world->contact->any_on_boundaries_only && kg_work_rests_on_boundaries(work, i) &&
                  kg_slide_acceleration(world, i, now, h, a);
    memcpy(work->motion[i].v, now, sizeof now);
    work->frame[i] = KG_FRAME_INERTIAL;
    if (slides) kg_slide_start(work, i, a, spin_change, h);
}

KG_INLINE void correct_position(kugel_world *world, uint32_t i, double inactive_motion)
{
    const float *x = world->contact->corrections[i].x;
    double displacement[3] = {(double)x[0], (double)x[1], (double)x[2]},
           length = kg_length3(displacement), *place = world->work.motion[i].x;
    if (!(length > 0)) return;
    kg_add_scaled3(place, place, 1, displacement);
    kg_grid_note_displacement(world->grid, i, length, inactive_motion);
}

/* Bodies that a contact pushes get the solver's velocity; others keep their falling frame. */
KG_INLINE void unload(kugel_world *world, uint32_t from, uint32_t to, double h)
{
    double inactive_motion = kg_grid_inactive_motion(world, h);
    kg_double4 increment;
    bool fits = true;
    gravity_increment(world, h, &increment);
    for (uint32_t i = from; i < to; ++i) {
        if (!kg_solver_body_is_solved(&world->work, i)) continue;
        bool supported = world->contact->marks[i];
        if (supported && world->bodies.mass[i] > 0) {
            store_velocity(world, i, h, &increment);
            fits &= kg_work_speeds_are_in_range(&world->work, i);
        }
        correct_position(world, i, inactive_motion);
    }
    if (!fits) KG_ATOMIC_STORE(&world->work.out_of_range, true);
}

KG_RANGE_VARIANTS(load)
KG_RANGE_VARIANTS(unload)

void kg_solver_bodies_load(kugel_world *world, double h)
{
    if (!world->contact->masses_loaded) load_masses(world);
    world->contact->any_on_boundaries_only = false;
    kg_for_bodies(world, KG_WIDEST(load), h);
}

kugel_status kg_solver_bodies_store(kugel_world *world, double h)
{
    if (world->contact->any_on_boundaries_only && /* bodies on boundaries alone may slide */
        !kg_work_reserve_sliding(&world->memory, &world->work))
        return KUGEL_ERROR_OUT_OF_MEMORY;
    world->work.out_of_range = false;
    kg_for_bodies(world, KG_WIDEST(unload), h);
    return world->work.out_of_range ? KUGEL_ERROR_LIMIT : KUGEL_OK;
}
