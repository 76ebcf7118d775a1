/* Random sequential insertion and lattice insertion of a gas, then its velocities. */
#include "gas.h"

#include <math.h>
#include <string.h>

#include "arrays.h"
#include "cell_levels.h"
#include "portable_math.h"

/* State of the insertion of equal spheres among existing bodies of any radii. */
typedef struct filling {
    scene *scene;
    const obstacles *obstacles; /* NULL: none */
    const grains *grains;
    double radius;
    uint32_t count;
    size_t first;      /* index of the gas's first body */
    double *radii;     /* of the existing bodies, then of the gas */
    cell_levels cells; /* of the bodies so far */
    random_state random;
} filling;

static bool keeps_off(void *context, uint32_t index, double d2)
{
    const filling *f = context;
    double reach = f->radius + f->scene->bodies[index].radius;
    return d2 >= reach * reach;
}

static bool fits(filling *f, const double place[3])
{
    for (size_t i = 0; i < arrlenu(f->scene->planes); ++i) {
        const double *n = f->scene->planes[i].normal;
        double height = n[0] * place[0] + n[1] * place[1] + n[2] * place[2];
        if (height - f->scene->planes[i].offset < f->radius) return false;
    }
    return cell_levels_near(&f->cells, place, f->radius, keeps_off, f) &&
           (!f->obstacles || obstacles_clear(f->obstacles, place, f->radius));
}

static void put(filling *f, const double place[3])
{
    kugel_body_def def = scene_generated_body(f->scene, f->grains, f->radius);
    memcpy(def.position, place, sizeof def.position);
    cell_levels_add(&f->cells, (uint32_t)arrlenu(f->scene->bodies), place);
    arrput(f->scene->bodies, def);
}

/* Interval of the gas's centres along an axis, m. */
static void centre_interval(const filling *f, int axis, double *from, double *to)
{
    const kugel_bounds *b = &f->scene->world.bounds;
    bool periodic = b->faces[2 * axis] == KUGEL_FACE_PERIODIC;
    *from = b->min[axis] + (periodic ? 0 : f->radius);
    *to = b->max[axis] - (periodic ? 0 : f->radius);
}

static bool insert_randomly(filling *f)
{
    enum { TRIES = 5000 };
    for (uint32_t n = 0; n < f->count; ++n) {
        double place[3], from, to;
        int tries = 0;
        do {
            if (tries++ == TRIES) return false;
            for (int k = 0; k < 3; ++k) {
                centre_interval(f, k, &from, &to);
                if (to < from) return false;
                place[k] = from + (to - from) * random_uniform(&f->random);
            }
        } while (!fits(f, place));
        put(f, place);
    }
    return true;
}

typedef struct sites {
    int64_t n[3];   /* layers of sites along each axis; even along periodic axes */
    double step[3]; /* m, between layers */
    double from[3]; /* m, the first layer */
    double nearest; /* m, between neighbouring sites */
} sites;

static double smaller(double a, double b) { return a < b ? a : b; }

static double step_along(const filling *f, int axis, int64_t n)
{
    double from, to;
    centre_interval(f, axis, &from, &to);
    if (f->scene->world.bounds.faces[2 * axis] == KUGEL_FACE_PERIODIC) {
        return n % 2 == 0 ? (to - from) / (double)n : 0;
    }
    return n > 1 ? (to - from) / (double)(n - 1) : HUGE_VAL;
}

static double nearest_sites(const double s[3])
{
    double x = s[0] * s[0], y = s[1] * s[1], z = s[2] * s[2];
    double sides = smaller(x + y, smaller(y + z, z + x));       /* next row: one step on two axes */
    return sqrt(smaller(sides, 4 * smaller(x, smaller(y, z)))); /* same row: two steps */
}

static uint64_t sites_in(const int64_t n[3]) { return (uint64_t)(n[0] * n[1] * n[2] + 1) / 2; }

/* True if `n` or more layers along the axis cannot give a wider lattice than the best one: sites
 * two layers apart are within `nearest`. False for an `n` that a periodic axis cannot have. */
static bool too_many_planes(const filling *f, int axis, int64_t n, double nearest)
{
    double s = step_along(f, axis, n);
    return s > 0 && sqrt(4 * (s * s)) <= nearest;
}

/* Finds the lattice of at least `wanted` sites with the largest distance of sites. false: spheres
 * would overlap even there. */
static bool widest_lattice(const filling *f, uint64_t wanted, sites *best)
{
    int64_t most[3];
    *best = (sites){.nearest = 0};
    for (int k = 0; k < 3; ++k) {
        double to;
        centre_interval(f, k, &best->from[k], &to);
        if (to < best->from[k]) return false;
        double steps = (to - best->from[k]) / f->radius; /* at least one radius each */
        most[k] = (int64_t)smaller(steps, 1e9) + 1;
    }
    for (int64_t x = 1; x <= most[0] && !too_many_planes(f, 0, x, best->nearest); ++x) {
        for (int64_t y = 1; y <= most[1] && !too_many_planes(f, 1, y, best->nearest); ++y) {
            int64_t z = (int64_t)((2 * wanted - 1 + (uint64_t)(x * y) - 1) / (uint64_t)(x * y));
            if (f->scene->world.bounds.faces[4] == KUGEL_FACE_PERIODIC) z += z % 2;
            if (z > most[2]) continue;
            const int64_t n[3] = {x, y, z};
            double step[3];
            for (int k = 0; k < 3; ++k) step[k] = step_along(f, k, n[k]);
            double nearest = nearest_sites(step);
            if (nearest <= best->nearest) continue;
            best->nearest = nearest;
            memcpy(best->n, n, sizeof n);
            memcpy(best->step, step, sizeof step);
        }
    }
    return best->nearest >= 2 * f->radius;
}

/* The sites where a sphere is clear of bodies, planes and obstacles; stb_ds array. */
static double (*free_sites(filling *f, const sites *s))[3]
{
    double(*site)[3] = NULL;
    for (int64_t z = 0; z < s->n[2]; ++z) {
        for (int64_t y = 0; y < s->n[1]; ++y) {
            for (int64_t x = (y + z) % 2; x < s->n[0]; x += 2) {
                const int64_t at[3] = {x, y, z};
                double place[3];
                for (int k = 0; k < 3; ++k) {
                    place[k] = s->from[k] + (at[k] ? (double)at[k] * s->step[k] : 0);
                }
                if (fits(f, place)) memcpy(arraddnptr(site, 1), place, sizeof place);
            }
        }
    }
    return site;
}

/* Choose `count` sites at random; displace each within the gap to its neighbours. */
static void insert_at(filling *f, double (*site)[3], double nearest)
{
    double slack = smaller((nearest - 2 * f->radius) * 0.499 / sqrt(3), f->radius);
    for (size_t i = 0; i < f->count; ++i) {
        size_t j = i + (size_t)random_below(&f->random, arrlenu(site) - i);
        double place[3], from, to;
        for (int k = 0; k < 3; ++k) {
            double swap = site[i][k];
            site[i][k] = site[j][k], site[j][k] = swap;
            centre_interval(f, k, &from, &to);
            place[k] = site[i][k] + slack * (2 * random_uniform(&f->random) - 1);
            place[k] = place[k] < from ? from : place[k] > to ? to : place[k];
        }
        put(f, fits(f, place) ? place : site[i]);
    }
}

/* Tries lattices of more and more sites until enough are free, because bodies and planes occupy
 * some. The number of tested sites is limited: small spheres would allow too many lattices. */
static bool insert_on_lattice(filling *f)
{
    const uint64_t most = 100000000 + 64 * (uint64_t)f->count;
    uint64_t tried = 0;
    sites lattice;
    for (uint64_t wanted = f->count; tried < most && widest_lattice(f, wanted, &lattice);) {
        double(*site)[3] = free_sites(f, &lattice);
        size_t found = arrlenu(site);
        if (found >= f->count) insert_at(f, site, lattice.nearest);
        arrfree(site);
        if (found >= f->count) return true;
        uint64_t had = sites_in(lattice.n);
        tried += had;
        wanted = (had > wanted ? had : wanted) + (f->count - found);
    }
    return false;
}

void gas_give_speeds(kugel_body_def *bodies, uint32_t count, double sigma, random_state *random)
{
    double mean[3] = {0, 0, 0}, all = 0;
    for (uint32_t i = 0; i < count; ++i) {
        double weight = bodies[i].mass / bodies[0].mass;
        all += weight;
        for (int k = 0; k < 3; ++k) {
            bodies[i].velocity[k] = sigma * random_gauss(random);
            mean[k] += weight * bodies[i].velocity[k];
        }
    }
    for (uint32_t i = 0; i < count && count > 1; ++i) {
        for (int k = 0; k < 3; ++k) bodies[i].velocity[k] -= mean[k] / all;
    }
}

double bounds_volume(const kugel_bounds *b)
{
    return (b->max[0] - b->min[0]) * (b->max[1] - b->min[1]) * (b->max[2] - b->min[2]);
}

double gas_radius(const scene *scene, const gas *gas)
{
    const double pi = 3.14159265358979323846;
    double volume = bounds_volume(&scene->world.bounds);
    double radius = portable_cbrt(3 * gas->packing_fraction * volume / (4 * pi * gas->count));
    double given = scene->grains.radii.low;
    return fabs(radius - given) <= 1e-6 * given ? given : radius;
}

/* Begin again with only the bodies that existed before the gas. */
static bool clear(filling *f)
{
    uint32_t all = (uint32_t)f->first + f->count;
    arrsetlen(f->scene->bodies, f->first);
    arrsetlen(f->radii, all);
    for (size_t i = 0; i < all; ++i) {
        f->radii[i] = i < f->first ? f->scene->bodies[i].radius : f->radius;
    }
    if (!cell_levels_open(&f->cells, &f->scene->world.bounds, f->radii, all, 1, 1)) return false;
    for (uint32_t i = 0; i < f->first; ++i) {
        cell_levels_add(&f->cells, i, f->scene->bodies[i].position);
    }
    return true;
}

bool make_gas(scene *scene, const obstacles *obstacles, const gas *gas, const grains *grains,
              uint64_t seed, const char *name, const char *path, complaint *complaint)
{
    if (gas->packing_fraction > 0.74) {
        return refuse(complaint, EXIT_USAGE,
                      "%s: %s.packing_fraction: no packing of equal spheres reaches %.10g", name,
                      path, gas->packing_fraction);
    }
    filling f = {.scene = scene,
                 .obstacles = obstacles,
                 .grains = grains,
                 .count = gas->count,
                 .first = arrlenu(scene->bodies)};
    f.radius = gas_radius(scene, gas);
    const bool random_first = gas->packing_fraction <= 0.25,
               too_dense_for_random = gas->packing_fraction > 0.38;
    bool done = false;
    for (int attempt = 0; attempt < 2 && !done; ++attempt) {
        bool randomly = random_first == (attempt == 0);
        if (randomly && too_dense_for_random) break;
        f.random = random_seed(seed);
        if (!clear(&f)) {
            arrfree(f.radii);
            return refuse(complaint, EXIT_RESOURCES, "%s: %s: out of memory", name, path);
        }
        done = randomly ? insert_randomly(&f) : insert_on_lattice(&f);
        if (done) gas_give_speeds(scene->bodies + f.first, f.count, gas->speed_sigma, &f.random);
        cell_levels_close(&f.cells);
    }
    arrfree(f.radii);
    return done || refuse(complaint, EXIT_USAGE,
                          "%s: %s.packing_fraction: %.10g cannot be reached with %u spheres here",
                          name, path, gas->packing_fraction, gas->count);
}
