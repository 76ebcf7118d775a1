/* Bodies on their way into the solve and out of it. In: the state at the substep's start. Each body by itself. */
#include <string.h>

#include "base/wide.h"
#include "contact/contact.h"

bool kg_contact_reserve_bodies(kugel_world *world)
{
    kg_contact_stage *stage = world->contact;
    size_t n = (size_t)world->bodies.count + 1;
    if (!kg_column_reserve(&world->memory, &stage->columns[KG_CONTACT_COLUMN_BODIES], sizeof *stage->bodies, n, 0) ||
        !kg_column_reserve(&world->memory, &stage->columns[KG_CONTACT_COLUMN_SHIFTS], sizeof *stage->shifts, n, 0) ||
        !kg_column_reserve(&world->memory, &stage->columns[KG_CONTACT_COLUMN_HELD], sizeof *stage->held, n, 0) ||
        !kg_column_reserve(&world->memory, &stage->columns[KG_CONTACT_COLUMN_HOME], sizeof *stage->home, n, 0)) {
        return false;
    }
    stage->home = stage->columns[KG_CONTACT_COLUMN_HOME].data;
    stage->held = stage->begins = stage->columns[KG_CONTACT_COLUMN_HELD].data;
    stage->bodies = stage->columns[KG_CONTACT_COLUMN_BODIES].data;
    stage->shifts = stage->columns[KG_CONTACT_COLUMN_SHIFTS].data;
    return true;
}

/* What the world's gravity adds to a speed in the substep, m/s. */
KG_INLINE void gravity_kick(const kugel_world *world, double h, kg_double4 *kick)
{
    const double *g = world->def.gravity;
    *kick = (kg_double4){g[0] * h, g[1] * h, g[2] * h, 0};
}

/* Velocity with what the acceleration adds in the substep, for the solver to hold, and the radius. */
KG_INLINE void kicked(const kugel_world *world, uint32_t i, double h, const kg_double4 *kick, kg_double4 *v)
{
    kg_double4 adds = {0, 0, 0, 0};
    if (world->work.own) {
        double a[3];
        (void)kg_own_acceleration(world, i, a);
        adds = (kg_double4){a[0] * h, a[1] * h, a[2] * h, 0};
    } else if (world->bodies.mass[i] != 0) {
        adds = *kick;
    }
    memcpy(v, world->work.motion[i].v, sizeof *v);
    *v += adds;
}

KG_INLINE void spin(const kg_work *work, uint32_t i, kg_double4 *w)
{
    *w = (kg_double4){work->w[0][i], work->w[1][i], work->w[2][i], 0};
}

/* The vector in float, with the fourth that is there. */
KG_INLINE void put(float to[4], const kg_double4 *v)
{
    kg_float4 x = __builtin_convertvector(*v, kg_float4);
    x[3] = to[3];
    memcpy(to, &x, sizeof x);
}

/* What the solve has made of a vector that went in as `was`, less what that was in float; the fourth: 0. */
KG_INLINE void changed(const float now[4], const kg_double4 *was, kg_double4 *change)
{
    kg_float4 is;
    memcpy(&is, now, sizeof is);
    *change = __builtin_convertvector(is, kg_double4) - __builtin_convertvector(__builtin_convertvector(*was, kg_float4), kg_double4);
    (*change)[3] = 0;
}

/* What stays through the tick. */
static void weigh_range(kugel_world *world, uint32_t from, uint32_t to, double unused)
{
    kg_contact_stage *stage = world->contact;
    (void)unused;
    for (uint32_t i = from; i < to; ++i) {
        double mass = world->bodies.mass[i], per_radius = 1 / world->bodies.radius[i];
        /* with a product that is no float spins would be; what turns bodies of 1e-37 kg m and less is 0 in float */
        if (mass > 0 && per_radius > 1e37 * mass) per_radius = 1e37 * mass;
        stage->bodies[i].v[3] = (float)(mass > 0 ? 1 / mass : 0);
        stage->bodies[i].u[3] = (float)per_radius;
        stage->shifts[i].x[3] = stage->bodies[i].v[3];
    }
}

static void weigh_bodies(kugel_world *world)
{
    kg_contact_stage *stage = world->contact;
    uint32_t n = world->bodies.count;
    kg_for_bodies(world, weigh_range, 0);
    memset(&stage->bodies[n], 0, sizeof *stage->bodies);
    memset(&stage->shifts[n], 0, sizeof *stage->shifts);
    stage->weighed = true;
}

KG_INLINE void load_body(const kugel_world *world, uint32_t i, double h, const kg_double4 *kick, kg_contact_body *body)
{
    kg_double4 v, w;
    kicked(world, i, h, kick, &v);
    spin(&world->work, i, &w);
    w *= v[3];
    put(body->v, &v);
    put(body->u, &w);
}

void kg_contact_load_body(const kugel_world *world, uint32_t slot, double h, kg_contact_body *body)
{
    kg_double4 kick;
    gravity_kick(world, h, &kick);
    load_body(world, slot, h, &kick, body);
}

KG_INLINE void load_any(kugel_world *world, uint32_t from, uint32_t to, double h)
{
    kg_contact_stage *stage = world->contact;
    kg_double4 kick;
    bool apart = false;
    gravity_kick(world, h, &kick);
    for (uint32_t i = from; i < to; ++i) {
        if (!kg_contact_takes_part(&world->work, i)) continue;
        apart |= kg_rests_apart(&world->work, i);
        load_body(world, i, h, &kick, &stage->bodies[i]);
        memset(stage->shifts[i].x, 0, 3 * sizeof *stage->shifts[i].x);
        stage->held[i] = 0;
    }
    if (apart) __atomic_store_n(&stage->apart, true, __ATOMIC_RELAXED);
}

/* What the solver changed of the velocity is added to the state: float rounds the change, to a part of the speed, and no more. */
KG_INLINE void solved(const kugel_world *world, uint32_t i, double h, const kg_double4 *kick, kg_double4 *v)
{
    kg_double4 change;
    kicked(world, i, h, kick, v);
    changed(world->contact->bodies[i].v, v, &change);
    *v += change;
}

KG_INLINE void solved_spin(const kugel_world *world, uint32_t i, double radius, kg_double4 *change)
{
    kg_double4 u;
    spin(&world->work, i, &u);
    u *= radius;
    changed(world->contact->bodies[i].u, &u, change);
    *change /= radius;
}

KG_INLINE void hold(kugel_world *world, uint32_t i, double h, const kg_double4 *kick)
{
    kg_work *work = &world->work;
    kg_double4 v, turns;
    double a[3], now[4], spins[4];
    solved(world, i, h, kick, &v);
    solved_spin(world, i, v[3], &turns);
    memcpy(now, &v, sizeof now);
    memcpy(spins, &turns, sizeof spins);
    for (int k = 0; k < 3; ++k) work->w[k][i] += spins[k];
    bool slides = world->contact->apart && kg_rests_apart(work, i) && kg_contact_find_slide(world, i, now, h, a);
    memcpy(work->motion[i].v, now, sizeof now);
    work->frame[i] = KG_FRAME_INERTIAL;
    if (slides) kg_contact_slide(work, i, a, spins, h);
}

/* Room for accelerations where somebody slides; false when out of memory. */
static bool reserve_slides(kugel_world *world, double h)
{
    const kg_work *work = &world->work;
    kg_double4 kick, v;
    double now[4], a[3];
    bool slides = false;
    gravity_kick(world, h, &kick);
    for (uint32_t i = 0; i < world->bodies.count && !slides && world->contact->apart; ++i) {
        if (!kg_contact_takes_part(work, i) || !world->contact->held[i] || !kg_rests_apart(work, i)) continue;
        solved(world, i, h, &kick, &v);
        memcpy(now, &v, sizeof now);
        slides = kg_contact_find_slide(world, i, now, h, a);
    }
    return !slides || kg_work_reserve_slides(&world->memory, &world->work);
}

KG_INLINE void shift(kugel_world *world, uint32_t i, double quiet_way)
{
    const float *x = world->contact->shifts[i].x;
    double way[3] = {(double)x[0], (double)x[1], (double)x[2]}, way2 = way[0] * way[0] + way[1] * way[1] + way[2] * way[2];
    if (!(way2 > 0)) return;
    for (int k = 0; k < 3; ++k) world->work.motion[i].x[k] += way[k];
    kg_grid_pushed(world->grid, i, __builtin_sqrt(way2), quiet_way);
}

/* Bodies that a contact holds are done with their acceleration, the others fly on in their own frame. */
KG_INLINE void unload_any(kugel_world *world, uint32_t from, uint32_t to, double h)
{
    double quiet_way = kg_grid_quiet_way(world, h);
    kg_double4 kick;
    gravity_kick(world, h, &kick);
    for (uint32_t i = from; i < to; ++i) {
        if (!kg_contact_takes_part(&world->work, i)) continue;
        if (world->contact->held[i] && world->bodies.mass[i] > 0) hold(world, i, h, &kick);
        shift(world, i, quiet_way);
    }
}

KG_WIDE_PASS(load, (kugel_world *world, uint32_t from, uint32_t to, double h), world, from, to, h)
KG_WIDE_PASS(unload, (kugel_world *world, uint32_t from, uint32_t to, double h), world, from, to, h)

void kg_contact_load(kugel_world *world, double h)
{
    if (!world->contact->weighed) weigh_bodies(world);
    world->contact->apart = false;
    kg_for_bodies(world, KG_WIDEST(load), h);
}

bool kg_contact_unload(kugel_world *world, double h)
{
    if (!reserve_slides(world, h)) return false;
    kg_for_bodies(world, KG_WIDEST(unload), h);
    return true;
}
