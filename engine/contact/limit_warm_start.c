/* Limits the energy that the warm start adds. Where a load has just landed, or bodies wedge, the
 * impulses of the last substep are too large and would throw bodies. Impulses s J change the
 * kinetic energy by q s^2 / 2 + b s, with q the sum of m dv^2 over the velocity changes dv, and b
 * the work of the impulses at the velocities before them. In worlds of few contacts the energy of
 * the whole substep counts: gravity does the work -m a h . dv, and a pushed body, which gets the
 * velocity of the substep's end at its start, loses m (a h)^2 / 2. Then s is the root of q s^2 / 2
 * + b s = c. See tools/docs/decisions/22-warm-start-energy-limit.md. */
#include <string.h>

#include "contact/solver.h"

/* Sums over the bodies that the warm start pushes, J; a is the acceleration of the body, t the
 * length of the substep or, where only kinetic energy counts, 0. */
typedef struct energies {
    double change; /* m dv^2, of spins too */
    double fall;   /* m (a t)^2 */
    double work;   /* m a t . dv */
} energies;

static void add_body(const kugel_world *world, uint32_t i, double h, double t, energies *sum)
{
    const kg_solver_body *now = &world->contact->bodies[i];
    kg_solver_body was = {.v = {0}, .u = {0}}; /* kg_solver_body_load does not set [3] */
    double v2 = 0, u2 = 0, fall2 = 0, work = 0, mass = world->bodies.mass[i], a[3];
    kg_solver_body_load(world, i, h, &was);
    kg_frame_free_acceleration(world, i, a);
    for (int k = 0; k < 3; ++k) {
        double v = (double)now->v[k] - (double)was.v[k], u = (double)now->u[k] - (double)was.u[k],
               fall = a[k] * t;
        v2 += v * v, u2 += u * u, fall2 += fall * fall, work += fall * v;
    }
    sum->change += mass * (v2 + 0.4 * u2);
    sum->fall += v2 > 0 ? mass * fall2 : 0;
    sum->work += mass * work;
}

/* True when slot i is the row of a moving surface or kinematic body, which may do work. */
static bool does_work(const kugel_world *world, uint32_t i)
{
    if (i >= world->bodies.count) return i > world->bodies.count; /* a row of a surface */
    return world->bodies.type[i] == KUGEL_KINEMATIC && !kg_sleep_is_motionless(&world->work, i);
}

/* Add each body once, at its first contact in the order of the groups. If any kinematic body or
 * surface may do work, only the kinetic energy counts. */
static energies sum_energies(const kugel_world *world, double h, double t)
{
    const kg_contact_stage *stage = world->contact;
    const kg_bodies *bodies = &world->bodies;
    uint8_t *added = stage->marks;
    bool work_is_done = false;
    energies sum = {0, 0, 0};
    for (uint32_t g = 0; g < stage->group_count; ++g) {
        for (int k = 0; k < 2 * KG_LANES; ++k) {
            uint32_t i = k % 2 ? stage->groups[g].b[k / 2] : stage->groups[g].a[k / 2];
            work_is_done = work_is_done || does_work(world, i);
            if (i >= bodies->count || bodies->mass[i] == 0 || added[i] ||
                !kg_solver_body_is_solved(&world->work, i))
                continue;
            added[i] = 1;
            add_body(world, i, h, t, &sum);
        }
    }
    memset(added, 0, bodies->count);
    if (work_is_done) sum.fall = sum.work = 0;
    return sum;
}

/* The share s of the impulses that the limit leaves; `gain`: energy that the whole impulses add,
 * J. */
static double find_share(double gain, const energies *sum)
{
    double q = sum->change, c = sum->fall / 2, b = gain - sum->work - q / 2,
           root = __builtin_sqrt(b * b + 2 * q * c);
    if (!(q / 2 + b > c)) return 1;
    return b > 0 ? 2 * c / (b + root) : (root - b) / q;
}

typedef struct scale_context {
    kg_contact_stage *stage;
    float share;
} scale_context;

static void scale(void *context, uint32_t range, uint32_t from, uint32_t to)
{
    const scale_context *s = context;
    (void)range;
    for (uint32_t i = from; i < to; ++i) kg_contact_scale_impulses(s->stage, i, s->share);
}

bool kg_contact_limit_warm_start(kugel_world *world, double h)
{
    double gain = kg_contact_warm_start_gain(world->contact);
    bool few = world->work.contacts.count <= KG_SWEEPS_FEW_CONTACTS,
         loaded = world->contact->largest_load > KG_SWEEPS_NORMAL_LOAD;
    if (!few && !(loaded && gain > 0)) return false;
    energies sum = sum_energies(world, h, few ? h : 0);
    double share = find_share(gain, &sum);
    if (share > KG_WARM_START_WHOLE) return false;
    scale_context s = {world->contact, (float)share};
    kg_contact_for_groups(world, 0, scale, &s);
    return true;
}
