/* Random sequential insertion and lattice insertion of a gas. */
#include "gas.h"

#include <math.h>
#include <string.h>

#include "arrays.h"
#include "cell_levels.h"
#include "packing.h"
#include "portable_math.h"

/* State of the insertion of equal spheres among existing bodies of any radii. */
typedef struct filling {
    const scene *scene;
    const obstacles *obstacles; /* NULL: none */
    double radius;
    uint32_t count;
    double *existing_radii; /* [id], m; stb_ds array */
    cell_levels existing;   /* the bodies before the gas */
    cells own;              /* the gas so far */
    uint32_t added;         /* number of bodies in `existing` */
    random_state random;
} filling;

static bool keeps_off(void *context, uint32_t index, double d2)
{
    const filling *f = context;
    double reach = f->radius + f->existing_radii[index];
    return d2 >= reach * reach;
}

static bool keeps_off_own(void *context, uint32_t index, double d2)
{
    const filling *f = context;
    double reach = f->radius + f->radius;
    (void)index;
    return d2 >= reach * reach;
}

static bool fits(filling *f, const double place[3])
{
    for (size_t i = 0; i < arrlenu(f->scene->planes); ++i) {
        const double *n = f->scene->planes[i].normal;
        double height = n[0] * place[0] + n[1] * place[1] + n[2] * place[2];
        if (height - f->scene->planes[i].offset < f->radius) return false;
    }
    return cells_near(&f->own, place, f->radius + f->radius, keeps_off_own, f) &&
           cell_levels_near(&f->existing, place, f->radius, keeps_off, f) &&
           (!f->obstacles || obstacles_clear(f->obstacles, place, f->radius));
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
        cells_add(&f->own, place);
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
        cells_add(&f->own, fits(f, place) ? place : site[i]);
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

static bool count_existing(void *context, const sphere *sphere)
{
    filling *f = context;
    arrput(f->existing_radii, sphere->radius);
    return true;
}

static bool add_existing(void *context, const sphere *sphere)
{
    filling *f = context;
    cell_levels_add(&f->existing, f->added++, sphere->place);
    return true;
}

/* Put the bodies that exist before the gas into cells. */
static bool open_existing(filling *f)
{
    const scene *scene = f->scene;
    scene_each_sphere(scene, count_existing, f);
    if (!cell_levels_open(&f->existing, &scene->world.bounds, f->existing_radii,
                          (uint32_t)arrlenu(f->existing_radii), 1))
        return false;
    return scene_each_sphere(scene, add_existing, f);
}

/* Place the gas. Out: places and velocities of `generated`. */
static packing_result fill(filling *f, const gas *gas, generated *generated)
{
    const bool random_first = gas->packing_fraction <= 0.25,
               too_dense_for_random = gas->packing_fraction > 0.38;
    for (int attempt = 0; attempt < 2; ++attempt) {
        bool randomly = random_first == (attempt == 0);
        if (randomly && too_dense_for_random) break;
        f->random = random_seed(generated->seed);
        if (!cells_open(&f->own, f->count, 2 * f->radius)) return PACKING_NO_MEMORY;
        cells_wrap_bounds(&f->own, &f->scene->world.bounds);
        if (randomly ? insert_randomly(f) : insert_on_lattice(f)) {
            generated->place = cells_take_places(&f->own);
            generated->velocity = f->random;
            return PACKING_DONE;
        }
        cells_close(&f->own);
    }
    return PACKING_TOO_DENSE;
}

bool make_gas(const scene *scene, const obstacles *obstacles, const gas *gas, generated *generated,
              const char *name, const char *path, complaint *complaint)
{
    if (gas->packing_fraction > 0.74) {
        return refuse(complaint, EXIT_USAGE,
                      "%s: %s.packing_fraction: no packing of equal spheres reaches %.10g", name,
                      path, gas->packing_fraction);
    }
    generated->equal_radius = gas_radius(scene, gas);
    filling f = {.scene = scene,
                 .obstacles = obstacles,
                 .radius = generated->equal_radius,
                 .count = gas->count};
    packing_result result = open_existing(&f) ? fill(&f, gas, generated) : PACKING_NO_MEMORY;
    cell_levels_close(&f.existing);
    arrfree(f.existing_radii);
    if (result == PACKING_NO_MEMORY)
        return refuse(complaint, EXIT_RESOURCES, "%s: %s: out of memory", name, path);
    return result == PACKING_DONE ||
           refuse(complaint, EXIT_USAGE,
                  "%s: %s.packing_fraction: %.10g cannot be reached with %u spheres here", name,
                  path, gas->packing_fraction, gas->count);
}
