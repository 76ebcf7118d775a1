/* Projected Gauss-Seidel over groups in their order: normal, friction, rolling resistance of
 * KG_WIDTH contacts at once, or normal alone. A template: solve.c includes it for each width.
 *
 * Spin is stored as u = r w, a surface speed. For solid spheres (I = 2/5 m r^2) an impulse P on b
 * at the contact changes v by P / m and u by -(5/2) n x P / m; a gets -P, and its u
 * changes by the same formula. The effective mass of friction is 2/7 of the normal one
 * (impact/collision.c). */
#include "base/lanes.h"

#define body_lanes KG_LANES_NAME(body_lanes)
#define load KG_LANES_NAME(load)
#define store KG_LANES_NAME(store)
#define positive KG_LANES_NAME(positive)
#define apply_impulse KG_LANES_NAME(apply_impulse)
#define free_share KG_LANES_NAME(free_share)
#define stop KG_LANES_NAME(stop)
#define stop_locked KG_LANES_NAME(stop_locked)
#define masses KG_LANES_NAME(masses)
#define find_masses KG_LANES_NAME(find_masses)
#define solve_normal KG_LANES_NAME(solve_normal)
#define clamp_length KG_LANES_NAME(clamp_length)
#define slip_velocity KG_LANES_NAME(slip_velocity)
#define solve_friction KG_LANES_NAME(solve_friction)
#define apply_angular_impulse KG_LANES_NAME(apply_angular_impulse)
#define solve_rolling KG_LANES_NAME(solve_rolling)
#define solve_group KG_LANES_NAME(solve_group)
#define solve_normals KG_LANES_NAME(solve_normals)
#define mark_changes KG_LANES_NAME(mark_changes)
#define impulse_work KG_LANES_NAME(impulse_work)
#define angular_impulse_work KG_LANES_NAME(angular_impulse_work)
#define warm_start_lanes KG_LANES_NAME(warm_start_lanes)
#define warm_start KG_LANES_NAME(warm_start)
#define sweep KG_LANES_NAME(sweep)
#define brake_spin KG_LANES_NAME(brake_spin)
#define brake_spins KG_LANES_NAME(brake_spins)
#define immovable_lanes KG_LANES_NAME(immovable_lanes)

#define SPIN_PER_SPEED 2.5f
#define FRICTION_MASS (2 / 7.f)

/* Bodies as columns of lanes. */
typedef struct body_lanes {
    kg_lanes v[4]; /* [3]: inverse mass */
    kg_lanes u[4]; /* [3]: inverse radius */
} body_lanes;

static inline body_lanes load(const kg_solver_body *bodies, const uint32_t *slot)
{
    body_lanes s;
    enum { STRIDE = sizeof *bodies / sizeof(float) };
    kg_lanes_load_rows(bodies->v, STRIDE, slot, s.v);
    kg_lanes_load_rows(bodies->u, STRIDE, slot, s.u);
    return s;
}

/* Lanes in `immovable` are not written, since other threads may use their bodies. Most groups have
 * no such lanes; for them the constant 0 lets the compiler leave out the test of each lane. */
static inline void store(kg_solver_body *bodies, const uint32_t *slot, const body_lanes *s,
                         uint32_t immovable)
{
    enum { STRIDE = sizeof *bodies / sizeof(float) };
    if (immovable) {
        kg_lanes_store_rows(bodies->v, STRIDE, slot, s->v, immovable);
        kg_lanes_store_rows(bodies->u, STRIDE, slot, s->u, immovable);
    } else {
        kg_lanes_store_rows(bodies->v, STRIDE, slot, s->v, 0);
        kg_lanes_store_rows(bodies->u, STRIDE, slot, s->u, 0);
    }
}

/* Lanes of immovable bodies, which must not be written; none on a single thread, which may write
 * all lanes. */
static inline uint32_t immovable_lanes(const kg_contact_stage *stage, uint8_t immovable, int lane)
{
    return stage->parallel ? immovable >> lane & ((1u << KG_WIDTH) - 1) : 0;
}

/* x, or 1 in unused lanes, where x is 0: avoids division by 0. */
static inline kg_lanes positive(kg_lanes x) { return kg_lanes_select(x > 0, x, kg_lanes_splat(1)); }

/* Effective masses of the lanes of a group. */
typedef struct masses {
    kg_lanes inverse; /* 1/kg, along the normal */
    kg_lanes normal, slip;
    const kg_contact_locks *locks; /* NULL if no body of the group has some */
} masses;

/* |P n|^2 as kg_locks_share. */
static inline kg_lanes free_share(const float *free, int lane, const kg_lanes normal[3])
{
    kg_lanes zero = kg_lanes_splat(0), one = kg_lanes_splat(1), share = zero, locked = zero;
    for (int k = 0; k < 3; ++k) {
        kg_lanes is_free = kg_lanes_load(free + k * KG_LANES + lane), part = normal[k] * normal[k];
        share += is_free * part;
        locked += (1 - is_free) * part;
    }
    return kg_lanes_select(locked > 0, share, one);
}

/* Set what locks hold to 0. */
static inline void stop(const float *free, int lane, body_lanes *body)
{
    kg_lanes zero = kg_lanes_splat(0);
    for (int k = 0; k < 3; ++k) {
        body->v[k] =
            kg_lanes_select(kg_lanes_load(free + k * KG_LANES + lane) > 0, body->v[k], zero);
        body->u[k] =
            kg_lanes_select(kg_lanes_load(free + (k + 3) * KG_LANES + lane) > 0, body->u[k], zero);
    }
}

/* After impulses on the bodies of the lanes. */
KG_INLINE void stop_locked(const masses *m, int lane, body_lanes *a, body_lanes *b)
{
    if (!m->locks) return;
    stop(m->locks->a, lane, a);
    stop(m->locks->b, lane, b);
}

/* Effective masses; 1 where neither body is movable, 0 where locks hold both. `locks` of
 * the group, or NULL. */
KG_INLINE void find_masses(const kg_contact_locks *locks, int lane, const body_lanes *a,
                           const body_lanes *b, const kg_lanes normal[3], masses *m)
{
    m->inverse = a->v[3] + b->v[3];
    m->normal = 1 / positive(m->inverse);
    m->slip = FRICTION_MASS * m->normal;
    m->locks = locks;
    if (!locks) return;
    m->slip = kg_lanes_load(&locks->slip[lane]) * m->normal;
    m->inverse =
        a->v[3] * free_share(locks->a, lane, normal) + b->v[3] * free_share(locks->b, lane, normal);
    m->inverse = kg_lanes_select(m->inverse > (float)KG_LOCKED_SHARE * (a->v[3] + b->v[3]),
                                 m->inverse, kg_lanes_splat(0));
    m->normal = kg_lanes_select(m->inverse > 0, 1 / positive(m->inverse), kg_lanes_splat(0));
}

/* Apply an impulse to b at the contact and its opposite to a. */
static inline void apply_impulse(body_lanes *a, body_lanes *b, const kg_lanes normal[3],
                                 const kg_lanes impulse[3])
{
    kg_lanes moment[3];
    kg_lanes_cross(normal, impulse, moment);
    for (int k = 0; k < 3; ++k) {
        a->v[k] -= a->v[3] * impulse[k];
        b->v[k] += b->v[3] * impulse[k];
        a->u[k] -= SPIN_PER_SPEED * a->v[3] * moment[k];
        b->u[k] -= SPIN_PER_SPEED * b->v[3] * moment[k];
    }
}

/* Change the normal impulses. Returns the magnitude of the change of the closing speeds, m/s. */
KG_INLINE kg_lanes solve_normal(const sweep_settings *s, kg_contact_group *g, int lane,
                                body_lanes *a, body_lanes *b, const kg_lanes normal[3],
                                const masses *m)
{
    /* the approach that closes the gap in the substep */
    kg_lanes gap = kg_lanes_load(&g->gap[lane]), least = kg_lanes_splat(s->least_gap);
    kg_lanes allowed_approach = kg_lanes_select(gap > least, gap, least) * s->inverse_h;
    kg_lanes was = kg_lanes_load(&g->impulse[lane]), apart[3];
    for (int k = 0; k < 3; ++k) apart[k] = b->v[k] - a->v[k];
    kg_lanes sum =
        was - s->relaxation * (kg_lanes_dot(apart, normal) + allowed_approach) * m->normal;
    sum = kg_lanes_select(sum > s->negligible * m->normal, sum, kg_lanes_splat(0));
    kg_lanes_store(&g->impulse[lane], sum);
    for (int k = 0; k < 3; ++k) {
        kg_lanes impulse = (sum - was) * normal[k];
        a->v[k] -= a->v[3] * impulse;
        b->v[k] += b->v[3] * impulse;
    }
    stop_locked(m, lane, a, b);
    kg_lanes change = (sum - was) * m->inverse;
    return kg_lanes_select(change > 0, change, -change);
}

/* Clamp the length of an impulse to `most`. Squares of small or large impulses would leave the
 * range of float, so impulses are scaled by a power of two first, chosen by `most`. Impulses longer
 * than 2^63 times `most` become 0. */
static inline void clamp_length(kg_lanes v[3], kg_lanes most)
{
    kg_lanes unit = kg_lanes_inverse_power2(most), limit = unit * most, scaled[3];
    for (int k = 0; k < 3; ++k) scaled[k] = unit * v[k];
    kg_lanes length2 = kg_lanes_dot(scaled, scaled);
    kg_lane_mask longer = length2 > limit * limit;
    if (!kg_lanes_any(longer)) return; /* the usual case in a settled pile */
    kg_lanes scale = kg_lanes_select(
        longer, limit / kg_lanes_sqrt(kg_lanes_select(longer, length2, kg_lanes_splat(1))),
        kg_lanes_splat(1));
    for (int k = 0; k < 3; ++k) v[k] *= scale;
}

/* Velocity of the surface of b relative to that of a, where they touch. */
static inline void slip_velocity(const body_lanes *a, const body_lanes *b, const kg_lanes normal[3],
                                 kg_lanes slip[3])
{
    kg_lanes turn[3];
    for (int k = 0; k < 3; ++k) turn[k] = a->u[k] + b->u[k];
    kg_lanes_cross(normal, turn, slip);
    for (int k = 0; k < 3; ++k) slip[k] += b->v[k] - a->v[k];
}

KG_INLINE void solve_friction(kg_contact_group *g, int lane, body_lanes *a, body_lanes *b,
                              const kg_lanes normal[3], const masses *m)
{
    kg_lanes slip[3], sum[3], was[3];
    slip_velocity(a, b, normal, slip);
    kg_lanes along = kg_lanes_dot(slip, normal);
    kg_lanes_load3(g->friction_impulse[0], lane, was);
    for (int k = 0; k < 3; ++k) sum[k] = was[k] - (slip[k] - along * normal[k]) * m->slip;
    clamp_length(sum, kg_lanes_load(&g->friction[lane]) * kg_lanes_load(&g->impulse[lane]));
    kg_lanes_store3(g->friction_impulse[0], lane, sum);
    for (int k = 0; k < 3; ++k) sum[k] -= was[k];
    apply_impulse(a, b, normal, sum);
    stop_locked(m, lane, a, b);
}

/* Apply an angular impulse to b and its opposite to a. */
static inline void apply_angular_impulse(body_lanes *a, body_lanes *b, const kg_lanes impulse[3])
{
    kg_lanes per_a = SPIN_PER_SPEED * a->v[3] * a->u[3], per_b = SPIN_PER_SPEED * b->v[3] * b->u[3];
    for (int k = 0; k < 3; ++k) {
        a->u[k] -= per_a * impulse[k];
        b->u[k] += per_b * impulse[k];
    }
}

static inline void solve_rolling(const kg_contact_group *g, kg_contact_rolling *r, int lane,
                                 body_lanes *a, body_lanes *b)
{
    kg_lanes sum[3], was[3], inertia = kg_lanes_load(&r->inertia[lane]), per_a = a->u[3],
                             per_b = b->u[3];
    kg_lanes_load3(r->impulse[0], lane, was);
    for (int k = 0; k < 3; ++k) sum[k] = was[k] - (b->u[k] * per_b - a->u[k] * per_a) * inertia;
    clamp_length(sum, kg_lanes_load(&r->rolling_arm[lane]) * kg_lanes_load(&g->impulse[lane]));
    kg_lanes_store3(r->impulse[0], lane, sum);
    for (int k = 0; k < 3; ++k) sum[k] -= was[k];
    apply_angular_impulse(a, b, sum);
}

/* Mark the movable bodies of contacts that have not converged. */
static inline void mark_changes(const sweep_settings *s, const kg_contact_group *g,
                                const kg_contact_group_info *info, int lane, kg_lanes change)
{
    kg_lane_mask changes = change > s->tolerance;
    if (!kg_lanes_any(changes)) return;
    for (int k = 0; k < KG_WIDTH; ++k) {
        if (KG_LANE(changes, k) && !(info->immovable_a >> (lane + k) & 1))
            s->stage->marks[g->a[lane + k]] = s->mark;
        if (KG_LANE(changes, k) && !(info->immovable_b >> (lane + k) & 1))
            s->stage->marks[g->b[lane + k]] = s->mark;
    }
}

/* Change all impulses of a group. Returns the largest changes of closing speeds by lane, m/s. */
static inline kg_lanes solve_group(const sweep_settings *s, uint32_t index)
{
    kg_contact_stage *stage = s->stage;
    kg_lanes most = kg_lanes_splat(0);
    kg_contact_group *g = &stage->groups[index];
    const kg_contact_group_info *info = &stage->group_info[index];
    const kg_contact_locks *locks = kg_contact_locks_of(stage, index);
    for (int lane = 0; lane < KG_LANES; lane += KG_WIDTH) {
        body_lanes a = load(stage->bodies, &g->a[lane]), b = load(stage->bodies, &g->b[lane]);
        kg_lanes normal[3];
        masses m;
        kg_lanes_load3(g->normal[0], lane, normal);
        find_masses(locks, lane, &a, &b, normal, &m);
        kg_lanes change = solve_normal(s, g, lane, &a, &b, normal, &m);
        most = kg_lanes_select(change > most, change, most);
        if (s->marks_bodies) mark_changes(s, g, info, lane, change);
        if (info->has_friction) solve_friction(g, lane, &a, &b, normal, &m);
        if (stage->rolling) solve_rolling(g, &stage->rolling[index], lane, &a, &b);
        if (stage->rolling) stop_locked(&m, lane, &a, &b);
        store(stage->bodies, &g->a[lane], &a, immovable_lanes(stage, info->immovable_a, lane));
        store(stage->bodies, &g->b[lane], &b, immovable_lanes(stage, info->immovable_b, lane));
    }
    return most;
}

/* solve_group for normal impulses alone: spins and the other impulses do not change. */
static inline kg_lanes solve_normals(const sweep_settings *s, uint32_t index)
{
    kg_contact_stage *stage = s->stage;
    enum { STRIDE = sizeof *stage->bodies / sizeof(float) };
    kg_lanes most = kg_lanes_splat(0);
    kg_contact_group *g = &stage->groups[index];
    const kg_contact_group_info *info = &stage->group_info[index];
    const kg_contact_locks *locks = kg_contact_locks_of(stage, index);
    for (int lane = 0; lane < KG_LANES; lane += KG_WIDTH) {
        body_lanes a, b;
        kg_lanes_load_rows(stage->bodies->v, STRIDE, &g->a[lane], a.v);
        kg_lanes_load_rows(stage->bodies->v, STRIDE, &g->b[lane], b.v);
        kg_lanes normal[3];
        masses m;
        kg_lanes_load3(g->normal[0], lane, normal);
        find_masses(locks, lane, &a, &b, normal, &m);
        kg_lanes change = solve_normal(s, g, lane, &a, &b, normal, &m);
        most = kg_lanes_select(change > most, change, most);
        if (s->marks_bodies) mark_changes(s, g, info, lane, change);
        kg_lanes_store_rows(stage->bodies->v, STRIDE, &g->a[lane], a.v,
                            immovable_lanes(stage, info->immovable_a, lane));
        kg_lanes_store_rows(stage->bodies->v, STRIDE, &g->b[lane], b.v,
                            immovable_lanes(stage, info->immovable_b, lane));
    }
    return most;
}

/* Slip velocity times impulse, J. The work of an impulse is the mean of this product before and
 * after the impulse is applied. */
static inline kg_lanes impulse_work(const body_lanes *a, const body_lanes *b,
                                    const kg_lanes normal[3], const kg_lanes impulse[3])
{
    kg_lanes slip[3];
    slip_velocity(a, b, normal, slip);
    return kg_lanes_dot(slip, impulse);
}

/* Spin difference times angular impulse, J. The work follows from it as for impulse_work. */
static inline kg_lanes angular_impulse_work(const body_lanes *a, const body_lanes *b,
                                            const kg_lanes impulse[3])
{
    kg_lanes spin[3];
    for (int k = 0; k < 3; ++k) spin[k] = b->u[k] * b->u[3] - a->u[k] * a->u[3];
    return kg_lanes_dot(spin, impulse);
}

/* Apply the warm-starting impulses. Returns twice the kinetic energy that they add, J. */
static inline kg_lanes warm_start_lanes(kg_contact_stage *stage, uint32_t index, int lane)
{
    kg_contact_group *g = &stage->groups[index];
    body_lanes a = load(stage->bodies, &g->a[lane]), b = load(stage->bodies, &g->b[lane]);
    kg_lanes normal[3], impulse[3], along = kg_lanes_load(&g->impulse[lane]);
    masses m;
    kg_lanes_load3(g->normal[0], lane, normal);
    find_masses(kg_contact_locks_of(stage, index), lane, &a, &b, normal, &m);
    kg_lanes_load3(g->friction_impulse[0], lane, impulse);
    for (int k = 0; k < 3; ++k) impulse[k] += along * normal[k];
    kg_lanes work = impulse_work(&a, &b, normal, impulse);
    apply_impulse(&a, &b, normal, impulse);
    stop_locked(&m, lane, &a, &b);
    work += impulse_work(&a, &b, normal, impulse);
    if (stage->rolling) {
        kg_lanes_load3(stage->rolling[index].impulse[0], lane, impulse);
        work += angular_impulse_work(&a, &b, impulse);
        apply_angular_impulse(&a, &b, impulse);
        stop_locked(&m, lane, &a, &b);
        work += angular_impulse_work(&a, &b, impulse);
    }
    store(stage->bodies, &g->a[lane], &a,
          immovable_lanes(stage, stage->group_info[index].immovable_a, lane));
    store(stage->bodies, &g->b[lane], &b,
          immovable_lanes(stage, stage->group_info[index].immovable_b, lane));
    return work;
}

static void warm_start(void *context, uint32_t range, uint32_t from, uint32_t to)
{
    kg_contact_stage *stage = ((const sweep_settings *)context)->stage;
    float gain[KG_LANES] = {0};
    for (uint32_t i = from; i < to; ++i) {
        for (int lane = 0; lane < KG_LANES; lane += KG_WIDTH)
            kg_lanes_store(&gain[lane],
                           kg_lanes_load(&gain[lane]) + warm_start_lanes(stage, i, lane));
    }
    float sum = 0;
    for (int lane = 0; lane < KG_LANES; ++lane) sum += gain[lane];
    stage->task_ranges[range].energy_gain = 0.5f * sum;
}

/* One sweep of a task range. Stores the largest change of a closing speed, m/s, as speed_change. */
static void sweep(void *context, uint32_t range, uint32_t from, uint32_t to)
{
    const sweep_settings *s = context;
    kg_task_range *task = &s->stage->task_ranges[range];
    kg_lanes most = kg_lanes_splat(0);
    task->changes = !s->watches;
    for (uint32_t i = from; i < to; ++i) {
        kg_contact_group was;
        if (has_ended(s, i) || (s->skips && is_converged(s, i))) continue;
        if (s->watches) was = s->stage->groups[i];
        kg_lanes change = s->normal_only ? solve_normals(s, i) : solve_group(s, i);
        most = kg_lanes_select(change > most, change, most);
        if (s->watches) task->changes |= memcmp(&was, &s->stage->groups[i], sizeof was) != 0;
    }
    task->speed_change = kg_lanes_max(most);
}

/* Torsional friction: about the normal, over a patch of even pressure, with an arm of 2/3 of the
 * radius of the patch. It only brakes the spins that the sweeps leave, and carries no load: without
 * a warm start, impulses that carry load would disturb each substep, and the pile would creep. */
static inline kg_lanes brake_spin(const kg_contact_group *g, int lane, body_lanes *a, body_lanes *b,
                                  const kg_contact_locks *locks)
{
    kg_lanes normal[3];
    masses m;
    kg_lanes_load3(g->normal[0], lane, normal);
    find_masses(locks, lane, a, b, normal, &m);
    kg_lanes curvature = positive(a->u[3] + b->u[3]), per_a = a->v[3] * a->u[3],
             per_b = b->v[3] * b->u[3];
    kg_lanes of_a = per_a * a->u[3], of_b = per_b * b->u[3];
    if (m.locks) {
        of_a *= free_share(locks->a + KG_LOCKS_ANGULAR_SHIFT * KG_LANES, lane, normal);
        of_b *= free_share(locks->b + KG_LOCKS_ANGULAR_SHIFT * KG_LANES, lane, normal);
    }
    kg_lanes inverse_inertia = positive(SPIN_PER_SPEED * (of_a + of_b));
    kg_lanes spin = kg_lanes_dot(b->u, normal) * b->u[3] - kg_lanes_dot(a->u, normal) * a->u[3];
    kg_lanes most = kg_lanes_load(&g->friction[lane]) * kg_lanes_load(&g->impulse[lane]) *
                    (2 / 3.f * (float)KG_FRICTION_PATCH_RADIUS) / curvature;
    kg_lanes impulse = -spin / inverse_inertia;
    impulse = kg_lanes_select(impulse > most, most, impulse);
    impulse = kg_lanes_select(impulse < -most, -most, impulse);
    for (int k = 0; k < 3; ++k) {
        a->u[k] -= SPIN_PER_SPEED * impulse * per_a * normal[k];
        b->u[k] += SPIN_PER_SPEED * impulse * per_b * normal[k];
    }
    stop_locked(&m, lane, a, b);
    return impulse;
}

/* Torsional friction of the groups, after the sweeps. */
static void brake_spins(void *context, uint32_t range, uint32_t from, uint32_t to)
{
    const kg_contact_stage *stage = ((const sweep_settings *)context)->stage;
    (void)range;
    for (uint32_t i = from; i < to; ++i) {
        const kg_contact_group *g = &stage->groups[i];
        const kg_contact_group_info *info = &stage->group_info[i];
        for (int lane = 0; lane < KG_LANES && info->has_friction; lane += KG_WIDTH) {
            body_lanes a = load(stage->bodies, &g->a[lane]), b = load(stage->bodies, &g->b[lane]);
            kg_lanes impulse = brake_spin(g, lane, &a, &b, kg_contact_locks_of(stage, i));
            if (stage->torsion) kg_lanes_store(&stage->torsion[i].impulse[lane], impulse);
            store(stage->bodies, &g->a[lane], &a, immovable_lanes(stage, info->immovable_a, lane));
            store(stage->bodies, &g->b[lane], &b, immovable_lanes(stage, info->immovable_b, lane));
        }
    }
}

#undef SPIN_PER_SPEED
#undef FRICTION_MASS
#undef body_lanes
#undef load
#undef store
#undef positive
#undef apply_impulse
#undef free_share
#undef stop
#undef stop_locked
#undef masses
#undef find_masses
#undef solve_normal
#undef clamp_length
#undef slip_velocity
#undef solve_friction
#undef apply_angular_impulse
#undef solve_rolling
#undef solve_group
#undef solve_normals
#undef mark_changes
#undef impulse_work
#undef angular_impulse_work
#undef warm_start_lanes
#undef warm_start
#undef sweep
#undef brake_spin
#undef brake_spins
#undef immovable_lanes
