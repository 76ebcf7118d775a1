/* Builds, fills and watches the vessels of support_fill.h. */
#include "support/support_fill.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/constants.h"

enum { SIDES = 24, TICKS_AFTER = 1800 };

static const double DT = 1 / 60., G = 9.81, SPACING = 1.08; /* diameters, of a layer */

static double pick(support_random *random, const double *values, uint32_t count)
{
    return values[support_below(random, count)];
}
#define PICK(random, ...)                                                                          \
    pick(random, (const double[]){__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}) / sizeof(double))

static double log_between(support_random *random, double low, double high)
{
    return low * exp(log(high / low) * support_uniform(random));
}

support_fill support_fill_make(uint64_t seed, double width, double layers)
{
    support_random random = {seed};
    support_fill fill = {.vessel = (support_vessel)support_below(&random, SUPPORT_VESSELS)};
    fill.width = log_between(&random, 4, width);
    fill.layers = log_between(&random, 5, layers);
    fill.radius = log_between(&random, 0.1, 0.5);
    fill.ratio = PICK(&random, 1, 1, 0.7, 0.5);
    fill.friction = PICK(&random, 0, 0, 0.02, 0.1, 0.3, 0.5, 1);
    fill.wall_friction = support_below(&random, 2) ? fill.friction : 0;
    fill.restitution = PICK(&random, 0, 0.5);
    fill.slope = support_between(&random, 0.4, 1.1);
    fill.places = seed + 1;
    return fill;
}

bool support_fill_may_stay_awake(const support_fill *fill)
{
    return fill->vessel == SUPPORT_PERIODIC && (fill->friction == 0 || fill->wall_friction == 0);
}

/* A vessel that is being filled. */
typedef struct vessel {
    const support_fill *fill;
    support_scene scene; /* the bodies so far */
    kugel_world *world;
    support_random random;
    double size; /* m, inner width */
    double top;  /* m, of the floor at the walls */
} vessel;

static void add_slopes(vessel *v)
{
    double s = sin(v->fill->slope), c = cos(v->fill->slope);
    for (int k = 0; k < 4; ++k) {
        support_plane *plane = &v->scene.planes[v->scene.plane_count++];
        *plane = (support_plane){.normal = {0, 0, c}, .friction = v->fill->wall_friction};
        plane->normal[k / 2] = k % 2 ? s : -s;
        plane->offset = plane->normal[k / 2] * v->size / 2; /* they meet at height 0 */
    }
    v->top = v->size / 2 * s / c;
}

/* The walls of the drum, inner radius size / 2 at their middle. */
static void add_drum(vessel *v, double height)
{
    double x[2 * SIDES][3], r = v->size / 2 / cos(M_PI / SIDES);
    uint32_t t[2 * SIDES][3];
    kugel_surface_def def = kugel_surface_def_default();
    for (uint32_t k = 0; k < SIDES; ++k) {
        uint32_t next = (k + 1) % SIDES;
        for (uint32_t up = 0; up < 2; ++up) {
            double *at = x[2 * k + up], angle = 2 * M_PI * k / SIDES;
            at[0] = v->size / 2 + r * cos(angle), at[1] = v->size / 2 + r * sin(angle);
            at[2] = up ? height : -1;
        }
        t[2 * k][0] = 2 * k, t[2 * k][1] = 2 * k + 1, t[2 * k][2] = 2 * next;
        t[2 * k + 1][0] = 2 * next, t[2 * k + 1][1] = 2 * k + 1, t[2 * k + 1][2] = 2 * next + 1;
    }
    def.vertices = x[0], def.triangles = t[0];
    def.vertex_count = def.triangle_count = 2 * SIDES;
    def.friction = v->fill->wall_friction;
    cr_assert_eq(kugel_surface_create(v->world, &def, NULL), KUGEL_OK);
}

static vessel build(const support_fill *fill)
{
    vessel v = {.fill = fill, .random = {fill->places}, .size = fill->width * 2 * fill->radius};
    double height = 2 * fill->radius * (4 * fill->layers + 2 * fill->width + 20);
    v.scene.def = kugel_world_def_default();
    v.scene.def.gravity[2] = -G;
    support_scene_box(&v.scene, v.size, KUGEL_FACE_WALL);
    kugel_bounds *bounds = &v.scene.def.bounds;
    bounds->max[2] = height, bounds->faces[5] = KUGEL_FACE_OPEN;
    bounds->restitution = 0, bounds->friction = fill->wall_friction;
    for (int k = 0; k < 4 && fill->vessel == SUPPORT_PERIODIC; ++k)
        bounds->faces[k] = KUGEL_FACE_PERIODIC;
    for (int k = 0; k < 4 && fill->vessel == SUPPORT_DRUM; ++k) bounds->faces[k] = KUGEL_FACE_OPEN;
    if (fill->vessel == SUPPORT_FUNNEL) add_slopes(&v);
    v.world = support_scene_world(&v.scene);
    if (fill->vessel == SUPPORT_DRUM) add_drum(&v, height);
    return v;
}

/* Mean and largest height of the centres, m. */
static void heights(const vessel *v, double *mean, double *most)
{
    uint32_t n = v->scene.count;
    double *x = calloc(3 * (size_t)n + 1, sizeof *x);
    cr_assert(x);
    kugel_world_read_arrays(v->world, n, &(kugel_body_arrays){.position = x});
    *mean = 0, *most = 0;
    for (uint32_t i = 0; i < n; ++i) {
        *mean += x[3 * i + 2] / n;
        *most = fmax(*most, x[3 * i + 2]);
    }
    free(x);
}

static double least(double a, double b) { return a < b ? a : b; }

/* Distance of a place (m, from the corner of the bounds) to the nearest side of the drum, m. */
static double to_drum(double size, const double x[3])
{
    double nearest = INFINITY;
    for (int k = 0; k < SIDES; ++k) {
        double angle = 2 * M_PI * (k + 0.5) / SIDES;
        double out = (x[0] - size / 2) * cos(angle) + (x[1] - size / 2) * sin(angle);
        nearest = least(nearest, size / 2 - out);
    }
    return nearest;
}

/* Deepest overlap with the vessel, in radii of the ball. */
static double in_vessel(const vessel *v)
{
    uint32_t n = v->scene.count;
    double *x = calloc(3 * (size_t)n + 1, sizeof *x), deep = 0;
    cr_assert(x);
    kugel_world_read_arrays(v->world, n, &(kugel_body_arrays){.position = x});
    for (uint32_t i = 0; i < n; ++i) {
        const double *at = x + 3 * (size_t)i;
        double gap = at[2], r = v->scene.bodies[i].radius;
        for (int k = 0; k < 2 && v->scene.def.bounds.faces[0] == KUGEL_FACE_WALL; ++k)
            gap = least(gap, least(at[k], v->size - at[k]));
        for (uint32_t p = 0; p < v->scene.plane_count; ++p) {
            const support_plane *q = &v->scene.planes[p];
            double distance = -q->offset;
            for (int k = 0; k < 3; ++k) distance += q->normal[k] * at[k];
            gap = least(gap, distance);
        }
        if (v->fill->vessel == SUPPORT_DRUM) gap = least(gap, to_drum(v->size, at));
        deep = fmax(deep, 1 - gap / r);
    }
    free(x);
    return deep;
}

static double deepest(const vessel *v)
{
    return fmax(support_worst_overlap(&v->scene, v->world), in_vessel(v));
}

/* Add a layer above all balls: a loose square lattice with jitter. */
static void add_layer(vessel *v, uint32_t most)
{
    const support_fill *fill = v->fill;
    double d = 2 * fill->radius, mean, high, z;
    heights(v, &mean, &high);
    z = fmax(high + SPACING * d, v->top + 0.6 * d);
    int side = (int)(fill->width / SPACING);
    double step = v->size / side, slack = (step - d) / 2;
    for (int k = 0; k < side * side && v->scene.count < most; ++k) {
        double x[3] = {(k % side + 0.5) * step, (k / side + 0.5) * step, z};
        double r = support_below(&v->random, 2) ? fill->radius : fill->ratio * fill->radius,
               mass = r * r * r / (fill->radius * fill->radius * fill->radius);
        for (int axis = 0; axis < 2; ++axis) x[axis] += support_between(&v->random, -slack, slack);
        if (fill->vessel == SUPPORT_DRUM && to_drum(v->size, x) < 1.01 * r) continue;
        kugel_body_def *ball = support_scene_add(&v->scene, x, NULL, r, mass);
        ball->friction = fill->friction, ball->restitution = fill->restitution;
        cr_assert_eq(kugel_body_create(v->world, ball, NULL), KUGEL_OK);
    }
}

static double processor_time(void) { return (double)clock() / CLOCKS_PER_SEC; }

static uint32_t count_awake(const vessel *v)
{
    kugel_stats stats;
    kugel_world_stats(v->world, &stats);
    return v->scene.count - (uint32_t)stats.asleep;
}

/* The largest slip at the contacts of a ball with friction, as a share of its surface speed.
 * `spins`: of all balls, by id. Contacts that do not press brake nothing. Balls that roll on each
 * other, as gears do, have none. */
static double slip_of(const vessel *v, uint32_t id, const double *spins,
                      const kugel_resting_contact *contacts, size_t count)
{
    const double *w = spins + 3 * (size_t)id;
    double most2 = 0, r = v->scene.bodies[id].radius,
           speed2 = (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) * r * r;
    for (size_t k = 0; k < count; ++k) {
        const kugel_resting_contact *c = &contacts[k];
        double along = 0, u2 = 0, friction = c->b ? v->fill->friction : v->fill->wall_friction;
        uint32_t a = kugel_body_id(c->a), b = c->b ? kugel_body_id(c->b) : a;
        if (friction == 0 || c->force == 0 || (a != id && b != id)) continue;
        for (int axis = 0; axis < 3; ++axis) {
            double u = w[axis] * r;
            if (a != b) {
                uint32_t other = a == id ? b : a;
                u += spins[3 * (size_t)other + (size_t)axis] * v->scene.bodies[other].radius;
            }
            along += u * c->normal[axis];
            u2 += u * u;
        }
        most2 = fmax(most2, (u2 - along * along) / speed2);
    }
    return sqrt(most2);
}

/* Count the tops among the balls. Slip of 1 % of the surface speed brakes a ball within a second. 0
 * when a ball moves faster than sleep allows. */
static uint32_t count_tops(const vessel *v)
{
    uint32_t n = v->scene.count, *ids = calloc(n, sizeof *ids), tops = 0;
    size_t count = 0, most = 16 * (size_t)n;
    double *moves = calloc(6 * (size_t)n, sizeof *moves), *spins = moves + 3 * (size_t)n;
    kugel_resting_contact *contacts = calloc(most, sizeof *contacts);
    cr_assert(ids && moves && contacts);
    kugel_world_read_arrays(v->world, n,
                            &(kugel_body_arrays){.ids = ids, .velocity = moves, .spin = spins});
    cr_assert_eq(kugel_world_contacts(v->world, most, contacts, &count), KUGEL_OK);
    bool still = true;
    for (uint32_t i = 0; i < n; ++i) {
        const double *u = spins + 3 * (size_t)i, *m = moves + 3 * (size_t)i;
        double r = v->scene.bodies[ids[i]].radius, threshold = sqrt(G * r / KG_BOUNCE_SCALE);
        still = still && hypot(hypot(m[0], m[1]), m[2]) < KG_SLEEP_SPEED * threshold;
        if (hypot(hypot(u[0], u[1]), u[2]) * r < KG_SLEEP_SPIN * threshold) continue;
        tops += slip_of(v, ids[i], spins, contacts, count) < 0.01;
    }
    free(ids), free(moves), free(contacts);
    return still ? tops : 0;
}

support_fill_figures support_fill_run(const support_fill *fill)
{
    support_fill_figures f = {0};
    vessel v = build(fill);
    double small = (1 + fill->ratio * fill->ratio * fill->ratio) / 2, start = processor_time();
    uint32_t most = (uint32_t)(1.1 / small * fill->width * fill->width * fill->layers);
    /* a layer falls by its own height until the next one follows */
    uint32_t pause = (uint32_t)ceil(sqrt(2 * SPACING * 2 * fill->radius / G) / DT);
    while (v.scene.count < most) {
        add_layer(&v, most);
        support_run(v.world, DT, pause);
    }
    double before = 0, after, high;
    for (uint32_t tick = 0; tick < TICKS_AFTER; tick += 20) {
        if (tick == TICKS_AFTER - 600) heights(&v, &before, &high);
        support_run(v.world, DT, 20);
        if (tick % 100 == 0 && tick > 600) f.deepest = fmax(f.deepest, deepest(&v));
        if (count_awake(&v)) continue;
        f.asleep_at = (tick + 20) * DT;
        break;
    }
    f.seconds = processor_time() - start;
    heights(&v, &after, &high);
    f.count = v.scene.count;
    f.sunk = f.asleep_at > 0 ? 0 : (before - after) / fill->radius;
    f.awake = count_awake(&v);
    f.tops = count_tops(&v);
    f.deep = deepest(&v);
    f.deepest = fmax(f.deepest, f.deep);
    kugel_world_destroy(v.world);
    support_scene_free(&v.scene);
    return f;
}

void support_fill_print(const support_fill *fill, const support_fill_figures *f)
{
    static const char *const names[] = {"box", "periodic", "funnel", "drum"};
    fprintf(stderr,
            "%s of %.2f diameters, %.1f layers, %u balls of %.3f m (ratio %g), friction %g, vessel "
            "%g, restitution %g: %.3f %% deep (%.3f %%), sinks by %.2g radii, %u awake, %u tops, "
            "asleep "
            "after %.1f s; %.1f s of processor time\n",
            names[fill->vessel], fill->width, fill->layers, f->count, fill->radius, fill->ratio,
            fill->friction, fill->wall_friction, fill->restitution, 100 * f->deep, 100 * f->deepest,
            f->sunk, f->awake, f->tops, f->asleep_at, f->seconds);
}

/* Sinking is measured in 10 s. Balls that settle may change the mean height by a thousandth of a
 * radius; fills that sank lost 0.05 to 1.4 radii. */
bool support_fill_fails(const support_fill *fill, const support_fill_figures *f)
{
    bool awake = f->awake > 1 + f->count / KG_SLEEP_RESTLESS_ONE_IN;
    awake = awake && f->tops == 0 && !support_fill_may_stay_awake(fill);
    return f->deep > 0.01 || f->sunk > 1e-3 || awake;
}

/* Keep the change of *fill to `next` if it still fails. */
static bool try(support_fill *fill, support_fill next)
{
    support_fill_figures f = support_fill_run(&next);
    if (!support_fill_fails(&next, &f)) return false;
    *fill = next;
    return true;
}

void support_fill_shrink(support_fill *fill)
{
    support_fill next = *fill;
    next.vessel = SUPPORT_BOX, (void)try(fill, next), next = *fill;
    next.ratio = 1, (void)try(fill, next), next = *fill;
    next.restitution = 0, (void)try(fill, next), next = *fill;
    next.friction = next.wall_friction = 0, (void)try(fill, next);
    for (bool smaller = true; smaller;) {
        next = *fill, next.layers *= 0.75;
        smaller = next.layers > 2 && try(fill, next);
        next = *fill, next.width *= 0.75;
        smaller |= next.width > 2 && try(fill, next);
    }
}

static void report(const char *test, uint64_t seed, support_fill fill,
                   const support_fill_figures *figures, bool smaller)
{
    fprintf(stderr, "KUGEL_SEED=%llu KUGEL_WORLDS=1, %s: ", (unsigned long long)seed, test);
    support_fill_print(&fill, figures);
    if (!smaller) return;
    support_fill_shrink(&fill);
    support_fill_figures f = support_fill_run(&fill);
    fprintf(stderr, "a smaller one: ");
    support_fill_print(&fill, &f);
}

void support_fill_check(const char *test, uint64_t seed, uint64_t count, double width,
                        double layers)
{
    const char *worlds = getenv("KUGEL_WORLDS");
    uint64_t failed = 0, first = support_random_start(test, seed).state;
    double deep = 0, seconds = 0;
    if (worlds) count = strtoull(worlds, NULL, 0);
    for (uint64_t k = 0; k < count; ++k) {
        support_fill fill = support_fill_make(first + k, width, layers);
        support_fill_figures figures = support_fill_run(&fill);
        deep = fmax(deep, figures.deep), seconds += figures.seconds;
        if (!support_fill_fails(&fill, &figures)) continue;
        report(test, first + k, fill, &figures, failed == 0);
        failed += 1;
    }
    fprintf(stderr, "%s: %.3f %% deep at most, %.1f s of processor time\n", test, 100 * deep,
            seconds);
    cr_assert_eq(failed, 0, "%llu of %llu fills do not rest", (unsigned long long)failed,
                 (unsigned long long)count);
}
