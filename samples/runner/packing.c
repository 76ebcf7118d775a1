/* Random sequential addition, largest first. Where it fails, overlaps are allowed and relaxed: each
 * sweep moves overlapping pairs apart, one after the other in a fixed order (a force-bias method,
 * Moscinski et al. 1989). */
#include "packing.h"

#include <math.h>
#include <string.h>

#include "arrays.h"
#include "cell_levels.h"
#include "gas.h"
#include "portable_math.h"

/* Packing up to which random addition needs few tries. Equal spheres jam near 0.38. */
static const double easy_fraction = 0.25;
/* Ratios of successive scales of the radii: first with few tries, then with many. */
static const double quick_step = 0.95, patient_step = 0.85, least_scale = 0.1;
/* Relaxation enlarges radii by this share, so that the last overlaps end soon. */
static const double margin = 0.005;
/* Lists hold pairs with gaps up to this share of the sum of radii. */
static const double skin = 0.2;
/* Factor of a sweep's displacements; above 1: overrelaxation. */
static const double relaxation = 1.3;
/* Maximum tries for each ball, quick and patient; maximum sweeps; sweeps between tests of progress;
 * minimum sweeps with the same lists. */
enum { QUICK_TRIES = 200, TRIES = 2000, SWEEPS = 4000, STALLED = 150, LIST_SWEEPS = 3 };
/* A few spheres near walls may jam. Then the packing starts again, at most STARTS times and for at
 * most STARTED_BALLS balls in total. */
enum { STARTS = 10, STARTED_BALLS = 10000 };

typedef struct ball {
    double place[3], radius; /* m */
    uint64_t cell;           /* number of its cell, for the order in memory */
    uint32_t id;             /* of the body */
    bool movable;            /* true: this ball is to be placed */
} ball;

typedef struct near_pair {
    uint32_t a, b;
    double share; /* share of the displacement for a, by surface areas; b gets the rest */
} near_pair;

typedef struct packing {
    const scene *scene;
    const obstacles *obstacles; /* NULL: none */
    ball *balls;                /* all bodies */
    uint32_t count, movable;    /* numbers of all balls and of movable ones */
    double *radius;             /* [ball], m, for the cell levels */
    double (*origin)[3];        /* [ball], m, place where the lists were made */
    double length[3];           /* m, of a periodic axis; else 0 */
    cell_levels cells;
    near_pair *pairs; /* the lists; stb_ds array */
    random_state random;
} packing;

/* Interval of the centres of balls of this radius along an axis, m. */
static void range_along(const packing *p, int axis, double radius, double *from, double *to)
{
    const kugel_bounds *b = &p->scene->world.bounds;
    double inset = p->length[axis] > 0 ? 0 : radius;
    *from = b->min[axis] + inset;
    *to = b->max[axis] - inset;
}

static double height(const plane *plane, const double place[3])
{
    const double *n = plane->normal;
    return n[0] * place[0] + n[1] * place[1] + n[2] * place[2] - plane->offset;
}

static bool clear_of_surroundings(const packing *p, const ball *ball)
{
    for (size_t i = 0; i < arrlenu(p->scene->planes); ++i) {
        if (height(&p->scene->planes[i], ball->place) < ball->radius) return false;
    }
    return !p->obstacles || obstacles_clear(p->obstacles, ball->place, ball->radius);
}

static bool inside_faces(const packing *p, const ball *ball)
{
    for (int k = 0; k < 3; ++k) {
        double from, to;
        range_along(p, k, ball->radius, &from, &to);
        if (ball->place[k] < from || ball->place[k] > to) return false;
    }
    return true;
}

/* Random sequential addition. */
typedef struct addition {
    const packing *packing;
    double radius;  /* m */
    double overlap; /* allowed overlap, in radii of the smaller ball */
} addition;

static bool keeps_clear(void *context, uint32_t index, double d2)
{
    const addition *a = context;
    double other = a->packing->radius[index], smaller = other < a->radius ? other : a->radius,
           reach = a->radius + other - a->overlap * smaller;
    return d2 >= reach * reach;
}

static bool add_ball(packing *p, uint32_t index, double overlap, int most_tries)
{
    ball *ball = &p->balls[index];
    addition a = {p, ball->radius, overlap};
    for (int tries = 0; tries < most_tries; ++tries) {
        for (int k = 0; k < 3; ++k) {
            double from, to;
            range_along(p, k, ball->radius, &from, &to);
            if (to < from) return false;
            ball->place[k] = from + (to - from) * random_uniform(&p->random);
        }
        if (!cell_levels_near(&p->cells, ball->place, a.radius, keeps_clear, &a)) continue;
        if (!clear_of_surroundings(p, ball)) continue;
        cell_levels_add(&p->cells, index, ball->place);
        return true;
    }
    return false;
}

/* Add the movable balls in their order. @param scale balls may overlap so far that equal balls,
 * scaled by it, would just touch. */
static packing_result add_all(packing *p, double scale, int most_tries)
{
    for (uint32_t i = 0; i < p->count; ++i) p->radius[i] = p->balls[i].radius;
    if (!cell_levels_open(&p->cells, &p->scene->world.bounds, p->radius, p->count, 1))
        return PACKING_NO_MEMORY;
    for (uint32_t i = 0; i < p->count; ++i) {
        if (!p->balls[i].movable) cell_levels_add(&p->cells, i, p->balls[i].place);
    }
    bool added = true;
    for (uint32_t i = 0; i < p->count && added; ++i) {
        if (p->balls[i].movable) added = add_ball(p, i, 2 - 2 * scale, most_tries);
    }
    cell_levels_close(&p->cells);
    return added ? PACKING_DONE : PACKING_TOO_DENSE;
}

/* d = a - b to the nearest periodic image. @return the squared distance */
static double apart(const packing *p, const ball *a, const ball *b, double d[3])
{
    double d2 = 0;
    for (int k = 0; k < 3; ++k) {
        double length = p->length[k];
        d[k] = a->place[k] - b->place[k];
        if (length > 0 && (d[k] > 0.5 * length || d[k] < -0.5 * length))
            d[k] -= length * nearbyint(d[k] / length);
        d2 += d[k] * d[k];
    }
    return d2;
}

typedef struct listing {
    packing *packing;
    uint32_t index;
} listing;

/* Add a pair if it is near and one of the balls is movable. Each pair is added once, when its
 * smaller ball searches. */
static bool list_pair(void *context, uint32_t other, double d2)
{
    const listing *l = context;
    packing *p = l->packing;
    const ball *own = &p->balls[l->index], *neighbour = &p->balls[other];
    double sum = own->radius + neighbour->radius, reach = sum * p->cells.stretch;
    if (d2 >= reach * reach || neighbour->radius < own->radius) return true;
    if (neighbour->radius == own->radius && other >= l->index) return true;
    if (!own->movable && !neighbour->movable) return true;
    double a = own->radius * own->radius, b = neighbour->radius * neighbour->radius,
           share = !neighbour->movable ? 1
                   : own->movable      ? b / (a + b)
                                       : 0;
    near_pair pair = {l->index, other, share};
    arrput(p->pairs, pair);
    return true;
}

static bool list_pairs(packing *p)
{
    const kugel_bounds *bounds = &p->scene->world.bounds;
    for (uint32_t i = 0; i < p->count; ++i) {
        p->radius[i] = p->balls[i].radius;
        memcpy(p->origin[i], p->balls[i].place, sizeof p->origin[i]);
    }
    if (!cell_levels_open(&p->cells, bounds, p->radius, p->count, 1 + margin + skin)) return false;
    arrsetlen(p->pairs, 0);
    for (uint32_t i = 0; i < p->count; ++i) cell_levels_add(&p->cells, i, p->balls[i].place);
    for (uint32_t i = 0; i < p->count; ++i) {
        listing l = {p, i};
        cell_levels_near_larger(&p->cells, p->balls[i].place, p->radius[i], list_pair, &l);
    }
    cell_levels_close(&p->cells);
    return true;
}

/* Move overlapping pairs apart. @return the sum of the overlaps before, as shares of the sums of
 * radii */
static double part_pairs(packing *p)
{
    double overlaps = 0;
    for (size_t i = 0; i < arrlenu(p->pairs); ++i) {
        const near_pair *pair = &p->pairs[i];
        ball *a = &p->balls[pair->a], *b = &p->balls[pair->b];
        double d[3], reach = a->radius + b->radius, wanted = reach * (1 + margin),
                     d2 = apart(p, a, b, d);
        if (d2 >= wanted * wanted) continue;
        double distance = sqrt(d2);
        if (d2 < reach * reach) overlaps += (reach - distance) / reach;
        if (distance == 0) d[0] = distance = 1e-9 * reach;
        double push = relaxation * (wanted - distance) / distance;
        for (int k = 0; k < 3; ++k) {
            a->place[k] += d[k] * (push * pair->share);
            b->place[k] -= d[k] * (push * (1 - pair->share));
        }
    }
    return overlaps;
}

/* Move a ball into the bounds, out of planes and obstacles; twice, for edges between them. */
static void confine(const packing *p, ball *ball)
{
    for (int round = 0; round < 2; ++round) {
        for (size_t i = 0; i < arrlenu(p->scene->planes); ++i) {
            const plane *plane = &p->scene->planes[i];
            double lift = ball->radius * (1 + margin) - height(plane, ball->place);
            for (int k = 0; k < 3 && lift > 0; ++k) ball->place[k] += plane->normal[k] * lift;
        }
        if (p->obstacles) obstacles_push(p->obstacles, ball->place, ball->radius * (1 + margin));
        for (int k = 0; k < 3; ++k) {
            double from, to;
            range_along(p, k, ball->radius, &from, &to);
            double x = ball->place[k];
            if (p->length[k] > 0) x -= p->length[k] * floor((x - from) / p->length[k]);
            ball->place[k] = x < from ? from : x > to ? to : x;
        }
    }
}

/* Confine all movable balls. @return true if none has moved beyond the skin, so that the lists
 * still hold all pairs that may overlap */
static bool confine_all(packing *p)
{
    bool near = true;
    for (uint32_t i = 0; i < p->count; ++i) {
        ball *ball = &p->balls[i], old = *ball;
        double d[3];
        if (!ball->movable) continue;
        confine(p, ball);
        memcpy(old.place, p->origin[i], sizeof old.place);
        near = near && apart(p, ball, &old, d) < skin * skin * ball->radius * ball->radius;
    }
    return near;
}

/* True if no pair of new lists overlaps and all movable balls are inside and clear. */
static bool is_packed(const packing *p)
{
    for (size_t i = 0; i < arrlenu(p->pairs); ++i) {
        const ball *a = &p->balls[p->pairs[i].a], *b = &p->balls[p->pairs[i].b];
        double d[3], reach = a->radius + b->radius;
        if (apart(p, a, b, d) < reach * reach) return false;
    }
    for (uint32_t i = 0; i < p->count; ++i) {
        const ball *ball = &p->balls[i];
        if (ball->movable && !(inside_faces(p, ball) && clear_of_surroundings(p, ball)))
            return false;
    }
    return true;
}

static packing_result relax(packing *p)
{
    double overlaps = 0, earlier = HUGE_VAL;
    bool listed = false;
    int age = LIST_SWEEPS; /* sweeps since the lists were made */
    for (int sweep = 1; sweep <= SWEEPS; ++sweep, ++age) {
        if (!listed && age >= LIST_SWEEPS) {
            if (!list_pairs(p)) return PACKING_NO_MEMORY;
            age = 0;
        }
        overlaps = part_pairs(p);
        listed = confine_all(p);
        if (overlaps == 0) {
            if (!list_pairs(p)) return PACKING_NO_MEMORY;
            if (is_packed(p)) return PACKING_DONE;
            listed = true;
        }
        if (sweep % STALLED) continue;
        if (overlaps > 0.9 * earlier) break;
        earlier = overlaps;
    }
    return PACKING_TOO_DENSE;
}

static int larger_first(const void *a, const void *b)
{
    const ball *i = a, *j = b;
    if (i->radius != j->radius) return i->radius > j->radius ? -1 : 1;
    return i->id < j->id ? -1 : i->id > j->id;
}

static int by_cell(const void *a, const void *b)
{
    const ball *i = a, *j = b;
    if (i->cell != j->cell) return i->cell < j->cell ? -1 : 1;
    return i->id < j->id ? -1 : i->id > j->id;
}

/* Sort balls by cell, so that neighbours in space are close in memory. */
static void sort_by_cell(packing *p)
{
    const kugel_bounds *b = &p->scene->world.bounds;
    double n = ceil(portable_cbrt(p->count));
    for (uint32_t i = 0; i < p->count; ++i) {
        double cell = 0;
        for (int k = 0; k < 3; ++k) {
            double c = floor((p->balls[i].place[k] - b->min[k]) / (b->max[k] - b->min[k]) * n);
            cell = cell * n + (c < 0 ? 0 : c < n ? c : n - 1);
        }
        p->balls[i].cell = (uint64_t)cell;
    }
    qsort(p->balls, p->count, sizeof *p->balls, by_cell);
}

static bool add_sphere(void *context, const sphere *sphere)
{
    packing *p = context;
    ball *ball = &p->balls[p->count];
    *ball = (struct ball){.radius = sphere->radius, .id = p->count++};
    memcpy(ball->place, sphere->place, sizeof ball->place);
    ball->movable = sphere->generator && sphere->generator->is_gas;
    p->movable += ball->movable;
    return true;
}

static void open_packing(packing *p)
{
    const kugel_bounds *b = &p->scene->world.bounds;
    size_t count = scene_body_count(p->scene);
    arrsetlen(p->balls, count);
    arrsetlen(p->radius, count);
    arrsetlen(p->origin, count);
    for (int k = 0; k < 3; ++k) {
        bool periodic = b->faces[2 * k] == KUGEL_FACE_PERIODIC;
        p->length[k] = periodic ? b->max[k] - b->min[k] : 0;
    }
    scene_each_sphere(p->scene, add_sphere, p);
}

/* Store the places of the movable balls. false: out of memory. */
static bool store_places(const packing *p, scene *scene)
{
    for (size_t g = 0; g < arrlenu(scene->generated); ++g) {
        generated *gas = &scene->generated[g];
        if (!scene->generators[g].is_gas) continue;
        gas->place = malloc(arrlenu(gas->radius) * sizeof *gas->place);
        if (!gas->place) return false;
    }
    for (uint32_t i = 0; i < p->count; ++i) {
        const ball *ball = &p->balls[i];
        if (!ball->movable) continue;
        size_t g = scene_generator_of(scene, ball->id), first = scene_first_of(scene, g);
        memcpy(scene->generated[g].place[ball->id - first], ball->place, sizeof ball->place);
    }
    return true;
}

static void close_packing(packing *p)
{
    arrfree(p->balls);
    arrfree(p->radius);
    arrfree(p->origin);
    arrfree(p->pairs);
}

/* Packing fraction of the movable balls. */
static double fraction_filled(const packing *p)
{
    double volume = 0;
    for (uint32_t i = 0; i < p->count; ++i) {
        if (p->balls[i].movable) volume += sphere_volume(p->balls[i].radius);
    }
    return volume / bounds_volume(&p->scene->world.bounds);
}

/* Add all balls at the largest scale that succeeds. Scales begin at 1, because mixtures of very
 * different sizes reach large packings without overlaps. */
static packing_result add_at_some_scale(packing *p, double *scale)
{
    double fraction = fraction_filled(p), easy = 1;
    packing_result result = PACKING_TOO_DENSE;
    if (fraction > easy_fraction) easy = portable_cbrt(easy_fraction / fraction);
    for (*scale = 1; *scale > easy; *scale *= quick_step) {
        result = add_all(p, *scale, QUICK_TRIES);
        if (result != PACKING_TOO_DENSE) return result;
    }
    for (*scale = easy; *scale > least_scale; *scale *= patient_step) {
        result = add_all(p, *scale, TRIES);
        if (result != PACKING_TOO_DENSE) break;
    }
    return result;
}

static packing_result start(packing *p)
{
    double scale;
    qsort(p->balls, p->count, sizeof *p->balls, larger_first);
    packing_result result = add_at_some_scale(p, &scale);
    sort_by_cell(p);
    return result == PACKING_DONE && scale < 1 ? relax(p) : result;
}

packing_result pack_gases(scene *scene, const obstacles *obstacles, random_state random)
{
    packing p = {.scene = scene, .obstacles = obstacles, .random = random};
    open_packing(&p);
    packing_result result = start(&p);
    for (uint32_t n = 2; n <= STARTS && result == PACKING_TOO_DENSE; ++n) {
        if ((uint64_t)n * p.movable > STARTED_BALLS) break;
        result = start(&p);
    }
    if (result == PACKING_DONE && !store_places(&p, scene)) result = PACKING_NO_MEMORY;
    close_packing(&p);
    return result;
}
