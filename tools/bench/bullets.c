/* BULLETS: fast small spheres fly into a lattice of 10,000 targets, at rest or moving. HEADON:
 * pairs of bullets collide. An oracle in long double, independent of the engines, finds every first
 * hit. A bullet is right if its first contact is that hit, at a time within 1e-9 of the flight. For
 * engines without times it is right if it touches the target of that hit in the step of its first
 * contact. It is missed if it has no contact, and wrong otherwise. */
#include <math.h>
#include <stdlib.h>

#include "bench.h"
#include "random.h"
#include "report.h"
#include "times.h"

static const double bullet_radius = 0.05, gap = 1.5,
                    far = 1.3; /* m, m; start outside the lattice, in half diagonals */

typedef struct first_hit {
    uint32_t target;    /* UINT32_MAX: no hit */
    long double time;   /* s */
    long double margin; /* m, by which the most grazing of all targets is hit or missed */
} first_hit;

static void try_target(const scene *s, size_t bullet, size_t target, first_hit *best)
{
    long double dd = 0, dv = 0, vv = 0, reach = (long double)s->radii[bullet] + s->radii[target];
    for (size_t k = 0; k < 3; ++k) {
        long double d = (long double)s->position[3 * target + k] - s->position[3 * bullet + k],
                    v = (long double)s->velocity[3 * target + k] - s->velocity[3 * bullet + k];
        dd += d * d, dv += d * v, vv += v * v;
    }
    if (dv >= 0) return;
    long double nearest2 = dd - dv * dv / vv,
                graze = fabsl(reach - sqrtl(nearest2 > 0 ? nearest2 : 0));
    if (graze < best->margin) best->margin = graze;
    long double disc = dv * dv - vv * (dd - reach * reach);
    if (disc < 0) return;
    long double time = (dd - reach * reach) / (-dv + sqrtl(disc));
    if (time < best->time) best->time = time, best->target = (uint32_t)target;
}

static first_hit find_first(const scene *s, size_t bullet, size_t from, size_t to)
{
    first_hit best = {UINT32_MAX, INFINITY, 1};
    for (size_t i = from; i < to; ++i) try_target(s, bullet, i, &best);
    return best;
}

static scene make(uint32_t count)
{
    scene s = scene_make(count);
    s.boundless = s.continuous = true;
    s.threshold = 0.5, s.slop = 0.01; /* a world with default settings */
    s.radii = malloc(count * sizeof *s.radii);
    s.masses = malloc(count * sizeof *s.masses);
    s.collision_group = calloc(count, sizeof *s.collision_group);
    if (!s.radii || !s.masses || !s.collision_group) abort();
    return s;
}

/* Puts a bullet outside the lattice, in a random direction, with a velocity towards a random point
 * in the lattice. */
static void aim(scene *s, size_t i, double width, double speed)
{
    double x[3], way[3], length = 0;
    random_direction(far * sqrt(3) * (width / 2 + 1), x);
    for (size_t k = 0; k < 3; ++k) {
        x[k] += width / 2;
        way[k] = width * random_uniform() - x[k];
        length += way[k] * way[k];
    }
    for (size_t k = 0; k < 3; ++k) {
        s->position[3 * i + k] = x[k];
        s->velocity[3 * i + k] = speed * way[k] / sqrt(length);
    }
}

/* Makes targets of radius 0.5 at `moving` m/s, which collide only with bullets and are so heavy
 * that they keep their velocity, then bullets at `speed` with their first hits. Grazing hits
 * (within a micrometre) and hits after `late` s are ambiguous and left out. */
static scene shooting(uint32_t targets, uint32_t bullets, double moving, double speed, double late,
                      first_hit *hits)
{
    scene s = make(targets + bullets);
    uint32_t side = 1;
    while (side * side * side < targets) ++side;
    for (size_t i = 0; i < targets; ++i) {
        const size_t at[3] = {i % side, i / side % side, i / side / side};
        for (int k = 0; k < 3; ++k) s.position[3 * i + (size_t)k] = gap * (double)at[k];
        random_direction(moving, s.velocity + 3 * i);
        s.radii[i] = 0.5, s.masses[i] = 1e9;
    }
    for (size_t i = targets; i < s.count;) {
        first_hit *hit = &hits[i - targets];
        s.radii[i] = bullet_radius, s.masses[i] = 1e-3, s.collision_group[i] = 1;
        aim(&s, i, gap * (side - 1), speed);
        *hit = find_first(&s, i, 0, targets);
        i += hit->target != UINT32_MAX && hit->margin > 1e-6L && hit->time < late;
    }
    return s;
}

/* Makes pairs in separate lanes, offset by up to 99 % of the sum of radii. All collide within
 * `late` s. */
static scene duels(uint32_t pairs, double speed, double late, first_hit *hits)
{
    scene s = make(2 * pairs);
    for (size_t k = 0; k < pairs; ++k) {
        double apart = 2 * speed * late * (0.05 + 0.9 * random_uniform()),
               turn = 6.28 * random_uniform(), off = 0.099 * random_uniform(),
               *x = s.position + 6 * k, lane = 3 * speed * late;
        for (size_t i = 2 * k; i < 2 * k + 2; ++i)
            s.radii[i] = bullet_radius, s.masses[i] = 1, s.collision_group[i] = i & 1;
        x[1] = lane * (double)(k % 32), x[2] = lane * (double)(k / 32);
        x[3] = apart, x[4] = x[1] + off * cos(turn), x[5] = x[2] + off * sin(turn);
        s.velocity[6 * k] = speed, s.velocity[6 * k + 3] = -speed;
        hits[k] = find_first(&s, 2 * k + 1, 2 * k, 2 * k + 1);
    }
    return s;
}

typedef struct shot {
    int step; /* of its first contact; -1: none so far */
    bool right;
} shot;

typedef struct range {
    const scene *scene;
    const first_hit *hits; /* of each bullet */
    uint32_t bullets;
    size_t (*bullet_of)(const scene *s, uint32_t bullets, const contact_event *m, uint32_t *target);
    double late;
} range;

/* Index of the bullet in a contact: the second body, counted after the targets; in a pair of
 * bullets the odd one. */
static size_t of_shooting(const scene *s, uint32_t bullets, const contact_event *m,
                          uint32_t *target)
{
    *target = m->a;
    return m->b - (s->count - bullets);
}
static size_t of_duel(const scene *s, uint32_t bullets, const contact_event *m, uint32_t *target)
{
    (void)s, (void)bullets;
    *target = m->b & 1 ? m->a : m->b;
    return (m->b & 1 ? m->b : m->a) / 2;
}

static void judge(const range *r, shot *shots, const contact_event *m, int step)
{
    uint32_t target;
    size_t bullet = r->bullet_of(r->scene, r->bullets, m, &target);
    if (bullet >= r->bullets) return;
    shot *s = &shots[bullet];
    const first_hit *hit = &r->hits[bullet];
    bool timeless = isnan(m->time), fresh = s->step < 0;
    if (!fresh && !(timeless && s->step == step)) return;
    long double time = step * (long double)r->scene->dt + m->time;
    s->step = step;
    s->right = s->right ||
               (target == hit->target && (timeless || fabsl(time - hit->time) <= 1e-9L * r->late));
}

static void shoot(const range *r, const peer *peer, double moving, double speed)
{
    enum { STEPS_MOST = 64 };
    const scene *s = r->scene;
    size_t room = 16 * (size_t)s->count;
    contact_event *met = malloc(room * sizeof *met);
    shot *shots = malloc(r->bullets * sizeof *shots);
    double seconds[STEPS_MOST];
    int steps = 0;
    if (!met || !shots) abort();
    for (uint32_t k = 0; k < r->bullets; ++k) shots[k] = (shot){.step = -1};
    void *engine = peer->open(s);
    for (; steps * s->dt < r->late + s->dt && steps < STEPS_MOST; ++steps) {
        double start = now();
        peer->step(engine, s->dt);
        seconds[steps] = now() - start;
        size_t count = peer->contact_events(engine, met, room);
        for (size_t k = 0; k < count && k < room; ++k) judge(r, shots, &met[k], steps);
    }
    uint32_t right = 0, missed = 0;
    for (uint32_t k = 0; k < r->bullets; ++k) right += shots[k].right, missed += shots[k].step < 0;
    times t = times_of(seconds, (size_t)steps);
    ROW(NUMBER(s->count), NUMBER(speed), NUMBER(moving), TEXT(peer->name), NUMBER(right),
        NUMBER(missed), NUMBER(r->bullets - right - missed), NUMBER(r->bullets), NUMBER(t.median),
        NUMBER(t.least), NUMBER(t.spread));
    peer->close(engine);
    free(met);
    free(shots);
}

static const column columns[] = {
    {"n", "n", "%8.0f", 1},
    {"bullets, m/s", "speed", "%7.0f", 1},
    {"targets, m/s", "target_speed", "%4.0f", 1},
    {"engine", "engine", "%-7s", 1},
    {"right", "right", "%5.0f", 1},
    {"missed", "missed", "%5.0f", 1},
    {"wrong", "wrong", "%5.0f", 1},
    {"of", "bullets", "%5.0f", 1},
    {"ms a step", "seconds", "%9.3f", 1e3},
    {"least", "seconds_least", "%9.3f", 1e3},
    {"spread", "seconds_spread", "%6.1f%%", 100},
};

/* At 500 m/s a flight through the lattice takes 19 ticks; at 5e6 it ends in the first. */
static void shoot_all(uint32_t targets, uint32_t bullets, double moving, double speed)
{
    first_hit *hits = malloc(bullets * sizeof *hits);
    if (!hits) abort();
    double late = 150 / speed;
    scene s = shooting(targets, bullets, moving, speed, late, hits);
    for (int p = 0; peers[p]; ++p)
        shoot(&(range){&s, hits, bullets, of_shooting, late}, peers[p], moving, speed);
    scene_free(&s);
    free(hits);
}

void bench_bullets(const bench_options *chosen)
{
    static const double speeds[] = {500, 5e6}, moving[] = {0, 120};
    uint32_t targets = chosen->size ? chosen->size : 10000, bullets = targets / 10;
    report_table("BULLETS",
                 "spheres of radius 0.05 into a lattice of spheres of radius 0.5, continuous "
                 "detection on, ticks of 1/60 s: first contact",
                 columns, sizeof columns / sizeof *columns);
    for (int v = 0; v < (chosen->quick ? 1 : 2); ++v) {
        /* fewer targets for fast bullets: engines that find their hits test all pairs */
        for (int m = 0; m < 2; ++m) shoot_all(v ? bullets : targets, bullets, moving[m], speeds[v]);
    }
}

void bench_headon(const bench_options *chosen)
{
    static const double speeds[] = {500, 5e6}, late = 0.05;
    uint32_t pairs = (chosen->size ? chosen->size : 10000) / 10;
    report_table("HEADON",
                 "pairs of bullets of radius 0.05 collide, continuous detection on, ticks "
                 "of 1/60 s: missed have passed through",
                 columns, sizeof columns / sizeof *columns);
    for (int v = 0; v < (chosen->quick ? 1 : 2); ++v) {
        first_hit *hits = malloc(pairs * sizeof *hits);
        if (!hits) abort();
        scene s = duels(pairs, speeds[v], late, hits);
        for (int p = 0; peers[p]; ++p)
            shoot(&(range){&s, hits, pairs, of_duel, late}, peers[p], speeds[v], speeds[v]);
        scene_free(&s);
        free(hits);
    }
}
