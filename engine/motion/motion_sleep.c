/* Sleep at the end of a tick. An island of bodies in contact falls asleep if it is grounded on
 * something motionless and its bodies have been slow for long enough. One restless body in
 * KG_SLEEP_RESTLESS_ONE_IN is allowed. An island stays awake while its bodies gain velocity
 * together (a slope, a turning point) or while position correction separates some of them. Islands
 * are searched every eighth tick, and never with a bounce threshold of 0. The order of contacts
 * does not matter, since islands are sets. See
 * tools/docs/decisions/13-sleep-support-and-majority.md. */
#include "base/compiler.h"
#include "base/union_find.h"
#include "world/sleep_state.h"

#include "grid/neighbours.h"
#include "motion/motion.h"
#include "world/periodic.h"
#include "world/thresholds.h"

/* Ticks from one search of islands to the next. */
enum { TICKS_BETWEEN = 8 };

/* A balance so low that no number of sleep candidates raises it to 0. */
enum { NEVER_SLEEPS = -(1 << 30) };

/* Velocity gains are whole multiples of 1 / GAIN_UNITS of the gain that counts as rest, clamped to
 * GAIN_LIMIT. So their sums are exact in any order. */
enum { GAIN_UNITS = 1024, GAIN_LIMIT = 1 << 20 };

/* Islands as a union-find forest of slots. The values at the root are those of the island. */
typedef struct islands {
    uint32_t *parent;
    int32_t *balance;  /* count of bodies less KG_SLEEP_RESTLESS_ONE_IN times that of restless */
    uint8_t *grounded; /* true when some body rests on something motionless */
    double (*gain)[3]; /* sum of the velocity gains of the bodies in the tick; whole numbers */
} islands;

/* True when the body is in contact, has no force or torque, and is slow: its speed, and its surface
 * speed by spin, are below these shares of the bounce threshold. */
static bool is_slow(const kugel_world *world, uint32_t i, double speed_share, double spin_share)
{
    const kg_work *work = &world->work;
    double threshold = kg_bounce_threshold(world, work->motion[i].radius),
           most = speed_share * threshold, turns = spin_share * threshold;
    double speed2 = 0, turn2 = 0;
    for (int k = 0; k < 3; ++k) {
        double v = work->motion[i].v[k], u = work->w[k][i] * work->motion[i].radius;
        speed2 += v * v;
        turn2 += u * u;
    }
    return work->contact_count[i] && !kg_bodies_has_load(&world->bodies, i) &&
           speed2 < most * most && turn2 < turns * turns;
}

/* A body that has been slow for this time may sleep, s. With the default threshold a body moves by
 * half its radius in this time at the threshold. */
static double sleep_time(const kugel_world *world, double radius)
{
    return world->def.bounce_threshold < 0 ? 0.5 * radius / kg_bounce_threshold(world, radius)
                                           : KG_SLEEP_TIME;
}

/* Units of a sleep timer that a slow body gains in a tick, at least 1. */
static uint32_t timer_parts(const kugel_world *world, uint32_t i, double dt)
{
    double parts = dt / sleep_time(world, world->work.motion[i].radius) * KG_SLEEP_CANDIDATE;
    return parts < 1 ? 1 : parts < KG_SLEEP_CANDIDATE ? (uint32_t)parts : KG_SLEEP_CANDIDATE;
}

/* Update the times for which bodies have been slow. Sets any_sleep_candidate if some body has been
 * slow for long enough. */
static void update_sleep_timers(kugel_world *world, uint32_t from, uint32_t to, double dt)
{
    bool any_candidate = false;
    for (uint32_t i = from; i < to; ++i) {
        uint32_t *state = &world->work.sleep_state[i];
        if (world->bodies.mass[i] == 0 || *state == KG_ASLEEP) continue;
        bool slow = is_slow(world, i, KG_SLEEP_SPEED, KG_SLEEP_SPIN);
        uint32_t sum = slow ? *state + timer_parts(world, i, dt) : 0;
        *state = sum < KG_SLEEP_CERTAIN ? sum : KG_SLEEP_CERTAIN;
        any_candidate = any_candidate || sum >= KG_SLEEP_CANDIDATE;
    }
    if (any_candidate) KG_ATOMIC_STORE(&world->work.any_sleep_candidate, true);
}

/* Gap of a contact at the tick's start or end, m. */
static double gap_of(const kugel_world *world, const kg_contact *c, bool at_end)
{
    const kg_bodies *bodies = &world->bodies;
    uint32_t a = bodies->slot[c->a], b = c->with == KG_WITH_BODY ? bodies->slot[c->b] : a;
    double x[3], d[3];
    for (int k = 0; k < 3; ++k) {
        x[k] = at_end ? world->work.motion[a].x[k] : bodies->x[k][a];
        d[k] = kg_periodic_nearest_image(
            world, k, (at_end ? world->work.motion[b].x[k] : bodies->x[k][b]) - x[k]);
    }
    if (a != b) return kg_length3(d) - bodies->radius[a] - bodies->radius[b];
    return kg_boundary_gap(world, c->b, 0, x, bodies->radius[a]);
}

/* True if the contact is deeper than KG_SLEEP_PENETRATION and its gap grew by more than
 * KG_SLEEP_SEPARATION in the tick. */
static bool is_separating(const kugel_world *world, const kg_contact *c)
{
    const double *radius = world->bodies.radius;
    double small = radius[world->bodies.slot[c->a]], gap = gap_of(world, c, true);
    if (c->with == KG_WITH_BODY) small = kg_min(small, radius[world->bodies.slot[c->b]]);
    return gap < -KG_SLEEP_PENETRATION * small &&
           gap - gap_of(world, c, false) > KG_SLEEP_SEPARATION * small;
}

/* A velocity gain in whole units of rest / GAIN_UNITS. `rest`: the gain that counts as rest; both
 * m/s. */
static double quantise_gain(double gained, double rest)
{
    double parts = gained / rest * GAIN_UNITS;
    if (!(parts < GAIN_LIMIT)) return GAIN_LIMIT;
    return parts > -GAIN_LIMIT ? (double)(int32_t)parts : -GAIN_LIMIT;
}

/* Join the islands of the bodies of a contact. The contact may ground its island or keep it
 * awake. */
static void join_islands(const kugel_world *world, const islands *s, const kg_contact *c)
{
    const kg_bodies *bodies = &world->bodies;
    uint32_t a = bodies->slot[c->a], b = c->with == KG_WITH_BODY ? bodies->slot[c->b] : a;
    if (is_separating(world, c))
        s->balance[kg_root(s->parent, bodies->mass[a] > 0 ? a : b)] = NEVER_SLEEPS;
    if (bodies->mass[a] > 0 && bodies->mass[b] > 0 && a != b) {
        uint32_t root_a = kg_root(s->parent, a), root_b = kg_root(s->parent, b);
        if (root_a == root_b) return;
        int32_t sum = s->balance[root_a] + s->balance[root_b]; /* no overflow with 2^26 bodies */
        s->parent[root_a] = root_b;
        s->balance[root_b] = sum < NEVER_SLEEPS ? NEVER_SLEEPS : sum;
        s->grounded[root_b] |= s->grounded[root_a];
        for (int k = 0; k < 3; ++k) s->gain[root_b][k] += s->gain[root_a][k];
        return;
    }
    uint32_t moves = bodies->mass[a] > 0 ? a : b, support = moves == a ? b : a;
    bool is_still = c->with == KG_WITH_BODY ? kg_sleep_is_motionless(&world->work, support)
                                            : !kg_boundary_moves(world, c->b);
    if (is_still) s->grounded[kg_root(s->parent, moves)] = true;
    else s->balance[kg_root(s->parent, moves)] = NEVER_SLEEPS;
}

static void find_islands(const kugel_world *world, const islands *s, double dt)
{
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        double radius = world->work.motion[i].radius, rest = KG_SLEEP_SPEED / KG_SLEEP_GAIN_ONE_IN *
                                                             kg_bounce_threshold(world, radius) *
                                                             dt / sleep_time(world, radius);
        s->parent[i] = i;
        s->grounded[i] = false;
        uint32_t state = world->work.sleep_state[i];
        for (int k = 0; k < 3; ++k) {
            double gained = world->work.motion[i].v[k] - world->bodies.v[k][i];
            s->gain[i][k] = state == KG_SLEEP_CERTAIN ? 0 : quantise_gain(gained, rest);
        }
        s->balance[i] = kg_sleep_is_candidate(state) ? 1 : 1 - KG_SLEEP_RESTLESS_ONE_IN;
        if (s->balance[i] < 0 &&
            !is_slow(world, i, KG_SLEEP_RESTLESS_SPEED, KG_SLEEP_RESTLESS_SPIN))
            s->balance[i] = NEVER_SLEEPS;
        if (kg_bodies_material(&world->bodies, i)->stays_awake) s->balance[i] = NEVER_SLEEPS;
    }
    for (uint32_t k = 0; k < world->work.contacts.count; ++k) {
        const kg_contact *c = &world->work.contacts.items[k];
        if (!c->ended) join_islands(world, s, c);
    }
}

/* True if the island is grounded and slow, and its mean velocity gain counts as rest. */
static bool island_rests(const islands *s, uint32_t root)
{
    double most = (double)GAIN_UNITS * (s->balance[root] > 1 ? s->balance[root] : 1);
    return s->grounded[root] && s->balance[root] >= 0 &&
           kg_dot3(s->gain[root], s->gain[root]) <= most * most;
}

static bool fall_asleep(kugel_world *world, uint32_t i, double time)
{
    kugel_rest rest = {.time = time, .body = kg_bodies_handle(&world->bodies, i)};
    world->work.sleep_state[i] = KG_ASLEEP;
    for (int k = 0; k < 3; ++k) world->work.motion[i].v[k] = world->work.w[k][i] = 0;
    return kg_event_set_add_rest(&world->memory, &world->events.pending, KG_REST_SLEEP, &rest);
}

/* Returns false when out of memory. */
static bool take_islands(kugel_world *world, islands *s)
{
    uint32_t n = world->bodies.count;
    return KG_TAKE(world, s->parent, n) && KG_TAKE(world, s->balance, n) &&
           KG_TAKE(world, s->grounded, n) && KG_TAKE(world, s->gain, n);
}

static bool put_islands_to_sleep(kugel_world *world, const islands *s, double dt)
{
    bool any = false;
    find_islands(world, s, dt);
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (world->bodies.mass[i] == 0 || world->work.sleep_state[i] == KG_ASLEEP) continue;
        if (!island_rests(s, kg_root(s->parent, i))) continue;
        if (!fall_asleep(world, i, dt)) return false;
        any = true;
    }
    /* a clearance may rely on a test that the other body makes, but sleeping bodies make none */
    for (uint32_t i = 0; i < world->bodies.count && any; ++i) kg_neighbours_note_motion(world, i);
    return true;
}

bool kg_motion_sleep(kugel_world *world, double dt)
{
    if (!world->def.sleep || world->def.bounce_threshold == 0) return true;
    world->work.any_sleep_candidate = false;
    kg_for_bodies(world, update_sleep_timers, dt);
    if (!world->work.any_sleep_candidate || world->tick % TICKS_BETWEEN != 0) return true;
    kg_scratch_mark mark = kg_scratch_top(&world->scratch);
    islands s;
    bool ok = take_islands(world, &s) && put_islands_to_sleep(world, &s, dt);
    kg_scratch_release(&world->memory, &world->scratch, mark);
    return ok;
}
