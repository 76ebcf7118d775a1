/* Who falls asleep at the end of a tick: islands of bodies in contact, anchored to something that keeps
 * still, all of them slow for long enough. An island that floats freely is never put to sleep: its
 * momentum is nobody's to take. In large islands there is always a ball that rolls a little, which nothing
 * stops: one restless body in KG_SLEEP_MAJORITY does not keep the others awake, while it is not fast.
 * Slow is not at rest: an island whose bodies gain speed together, as one on a slope or at its turning point does, stays awake, and so
 * does one where a body is being pushed out of another, or of a boundary, which gives it no speed.
 * In: the state at the end of the tick. Order: none, islands are sets. */
#include "world/sleep.h"

#include "grid/grid.h"
#include "motion/motion.h"

/* Islands are looked for every so many ticks. */
enum { TICKS_BETWEEN = 8 };

/* A balance so low that no number of bodies makes up for it. */
enum { NEVER = -(1 << 30) };

/* What a body gains in a tick is counted in parts of what counts as rest, and at most so many: sums are exact in any order. */
enum { GAIN_PARTS = 1024, GAIN_MOST = 1 << 20 };

/* Roots of a forest of slots; of each island, at its root: calm bodies less KG_SLEEP_MAJORITY times the
 * restless ones, whether it is anchored, and the sum of what its bodies' velocities gained in the tick. In columns that the
 * substeps are done with. */
typedef struct islands {
    uint32_t *parent;
    int32_t *balance;
    uint8_t *anchored;
    double (*gain)[3]; /* whole numbers */
} islands;

static uint32_t root_of(const islands *s, uint32_t i)
{
    while (s->parent[i] != i) i = s->parent[i] = s->parent[s->parent[i]];
    return i;
}

/* Below these shares of the bounce threshold, and nothing drives it? */
static bool is_slow(const kugel_world *world, uint32_t i, double share_moving, double share_turning)
{
    const kg_work *work = &world->work;
    double most = share_moving * world->def.bounce_threshold, turns = share_turning * world->def.bounce_threshold;
    double speed2 = 0, turn2 = 0;
    for (int k = 0; k < 3; ++k) {
        double v = work->motion[i].v[k], u = work->w[k][i] * work->motion[i].radius;
        speed2 += v * v;
        turn2 += u * u;
        if (world->bodies.has_forces && (world->bodies.force[k][i] != 0 || world->bodies.torque[k][i] != 0)) return false;
    }
    return work->contact_count[i] && speed2 < most * most && turn2 < turns * turns;
}

/* Notes whether some body has been slow for long enough. */
static void grow_range(kugel_world *world, uint32_t from, uint32_t to, double dt)
{
    bool enough = false;
    double parts = dt / KG_SLEEP_TIME * KG_CALM;
    uint32_t more = parts < 1 ? 1 : parts < KG_CALM ? (uint32_t)parts : KG_CALM;
    for (uint32_t i = from; i < to; ++i) {
        uint8_t *calm = &world->work.calm[i];
        if (world->bodies.mass[i] == 0 || *calm == KG_ASLEEP) continue;
        uint32_t sum = is_slow(world, i, KG_SLEEP_SPEED, KG_SLEEP_SPIN) ? *calm + more : 0;
        *calm = (uint8_t)(sum < KG_CALM ? sum : KG_CALM);
        enough = enough || *calm == KG_CALM;
    }
    if (enough) __atomic_store_n(&world->work.calmed, true, __ATOMIC_RELAXED);
}

/* A contact's gap at the tick's beginning or end, m. */
static double gap_of(const kugel_world *world, const kg_contact *c, bool at_end)
{
    const kg_bodies *bodies = &world->bodies;
    uint32_t a = bodies->slot[c->a], b = c->other == KG_OTHER_BODY ? bodies->slot[c->b] : a;
    double x[3], d[3];
    for (int k = 0; k < 3; ++k) {
        x[k] = at_end ? world->work.motion[a].x[k] : bodies->x[k][a];
        d[k] = kg_world_nearest(world, k, (at_end ? world->work.motion[b].x[k] : bodies->x[k][b]) - x[k]);
    }
    if (a != b) return __builtin_sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - bodies->radius[a] - bodies->radius[b];
    return kg_boundary_gap(world, c->other, x, bodies->radius[a]);
}

/* Lies deep in what it touches, and is coming out of it? */
static bool comes_apart(const kugel_world *world, const kg_contact *c)
{
    const double *radius = world->bodies.radius;
    double small = radius[world->bodies.slot[c->a]], gap = gap_of(world, c, true);
    if (c->other == KG_OTHER_BODY && radius[world->bodies.slot[c->b]] < small) small = radius[world->bodies.slot[c->b]];
    return gap < -KG_SLEEP_DEEP * small && gap - gap_of(world, c, false) > KG_SLEEP_PARTING * small;
}

/* What a velocity gained, in parts of `rest`, m/s. */
static double parts_of(double gained, double rest)
{
    double parts = gained / rest * GAIN_PARTS;
    if (!(parts < GAIN_MOST)) return GAIN_MOST; /* nor is it told */
    return parts > -GAIN_MOST ? (double)(int32_t)parts : -GAIN_MOST;
}

static void join(const kugel_world *world, const islands *s, const kg_contact *c)
{
    const kg_bodies *bodies = &world->bodies;
    uint32_t a = bodies->slot[c->a], b = c->other == KG_OTHER_BODY ? bodies->slot[c->b] : a;
    if (comes_apart(world, c)) s->balance[root_of(s, bodies->mass[a] > 0 ? a : b)] = NEVER;
    if (bodies->mass[a] > 0 && bodies->mass[b] > 0 && a != b) {
        uint32_t root_a = root_of(s, a), root_b = root_of(s, b);
        if (root_a == root_b) return;
        int32_t sum = s->balance[root_a] + s->balance[root_b]; /* at most 2^26 bodies: no overflow */
        s->parent[root_a] = root_b;
        s->balance[root_b] = sum < NEVER ? NEVER : sum;
        s->anchored[root_b] |= s->anchored[root_a];
        for (int k = 0; k < 3; ++k) s->gain[root_b][k] += s->gain[root_a][k];
        return;
    }
    uint32_t moves = bodies->mass[a] > 0 ? a : b, support = moves == a ? b : a;
    bool still = c->other != KG_OTHER_BODY || kg_keeps_still(&world->work, support);
    if (still) s->anchored[root_of(s, moves)] = true;
    else s->balance[root_of(s, moves)] = NEVER;
}

static void find_islands(const kugel_world *world, const islands *s, double dt)
{
    double rest = KG_SLEEP_GAIN * KG_SLEEP_SPEED * world->def.bounce_threshold * dt / KG_SLEEP_TIME;
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        s->parent[i] = i;
        s->anchored[i] = false;
        for (int k = 0; k < 3; ++k) s->gain[i][k] = parts_of(world->work.motion[i].v[k] - world->bodies.v[k][i], rest);
        s->balance[i] = world->work.calm[i] == KG_CALM ? 1 : 1 - KG_SLEEP_MAJORITY;
        if (s->balance[i] < 0 && !is_slow(world, i, KG_SLEEP_RESTLESS, 2)) s->balance[i] = NEVER;
    }
    for (uint32_t k = 0; k < world->work.contacts.count; ++k) {
        const kg_contact *c = &world->work.contacts.items[k];
        if (!c->ended) join(world, s, c);
    }
}

/* Is what its bodies gained together so little for those of them that speak for rest (its balance) that the island, as it is slow, does? */
static bool rests(const islands *s, uint32_t root)
{
    double most = (double)GAIN_PARTS * (s->balance[root] > 1 ? s->balance[root] : 1), gain2 = 0;
    for (int k = 0; k < 3; ++k) gain2 += s->gain[root][k] * s->gain[root][k];
    return s->anchored[root] && s->balance[root] >= 0 && gain2 <= most * most;
}

static bool put_to_sleep(kugel_world *world, uint32_t i, double time)
{
    kugel_rest rest = {.time = time, .body = kg_bodies_handle(&world->bodies, i)};
    world->work.calm[i] = KG_ASLEEP;
    for (int k = 0; k < 3; ++k) world->work.motion[i].v[k] = world->work.w[k][i] = 0;
    return kg_event_rest(&world->memory, &world->events.pending, KG_REST_SLEEP, &rest);
}

bool kg_motion_sleep(kugel_world *world, double dt)
{
    if (!world->def.sleep || world->def.bounce_threshold == 0) return true;
    world->work.calmed = false;
    kg_for_bodies(world, grow_range, dt);
    if (!world->work.calmed || world->tick % TICKS_BETWEEN != 0) return true;
    if (!kg_work_reserve_accelerations(&world->memory, &world->work)) return false;
    islands s = {world->work.stamp, (int32_t *)world->work.impacts, world->work.frame, world->work.acceleration};
    bool any = false;
    find_islands(world, &s, dt);
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (world->bodies.mass[i] == 0 || world->work.calm[i] == KG_ASLEEP) continue;
        if (!rests(&s, root_of(&s, i))) continue;
        if (!put_to_sleep(world, i, dt)) return false;
        any = true;
    }
    /* what was known of rooms counted on the sleepers to look for themselves */
    for (uint32_t i = 0; i < world->bodies.count && any; ++i) kg_grid_forget_room(world->grid, i);
    return true;
}
