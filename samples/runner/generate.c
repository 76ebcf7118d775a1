/* Runs the generators of a scene and appends their bodies: lattices here, a gas of equal spheres in
 * gas.c, mixtures in mixture.c. A seed gives the same bits on every platform: only + - * / sqrt and
 * rounding functions are used. */
#include <stdio.h>
#include <string.h>

#include "arrays.h"
#include "gas.h"
#include "mixture.h"

kugel_body_def scene_generated_body(const scene *scene, const grains *grains, double radius)
{
    kugel_body_def def = scene->defaults;
    if (def.type == KUGEL_STATIC) memset(def.spin, 0, sizeof def.spin);
    grains_set(grains, radius, &def);
    return def;
}

static void make_lattice(scene *scene, const lattice *lattice, const grains *grains, uint64_t seed)
{
    random_state random = random_seed(seed), sizes = random_seed(~seed);
    const uint32_t *count = lattice->count;
    for (uint32_t z = 0; z < count[2]; ++z) {
        for (uint32_t y = 0; y < count[1]; ++y) {
            for (uint32_t x = 0; x < count[0]; ++x) {
                double radius = radii_draw(&grains->radii, scene->choices, &sizes);
                kugel_body_def def = scene_generated_body(scene, grains, radius);
                const uint32_t at[3] = {x, y, z};
                for (int k = 0; k < 3; ++k) {
                    double jitter = (2 * random_uniform(&random) - 1) * lattice->jitter;
                    def.position[k] = lattice->origin[k] + at[k] * lattice->spacing[k] + jitter;
                }
                arrput(scene->bodies, def);
            }
        }
    }
}

static double bodies_asked_for(const generator *g)
{
    if (g->is_gas) return g->gas.count;
    return (double)g->lattice.count[0] * g->lattice.count[1] * g->lattice.count[2];
}

/* `more`: bodies beyond those that exist. */
static bool check_count(const scene *scene, size_t generator, double more, const char *name,
                        complaint *complaint)
{
    double all = (double)arrlenu(scene->bodies) + more;
    return all <= MOST_BODIES ||
           refuse(complaint, EXIT_USAGE, "%s: generators[%zu]: more than %d bodies in all: %.0f",
                  name, generator, MOST_BODIES, all);
}

/* Check counts and bounds before bodies are made, and reserve space. Out: the number of gases. */
static bool check_generators(scene *scene, const char *name, complaint *complaint, size_t *gases)
{
    const kugel_bounds *b = &scene->world.bounds;
    double all = 0;
    *gases = 0;
    for (size_t i = 0; i < arrlenu(scene->generators); ++i) {
        const generator *g = &scene->generators[i];
        all += bodies_asked_for(g);
        *gases += g->is_gas;
        if (!check_count(scene, i, all, name, complaint)) return false;
        for (int k = 0; k < 3 && g->is_gas; ++k) {
            if (b->min[k] < b->max[k]) continue;
            return refuse(complaint, EXIT_USAGE, "%s: generators[%zu].gas: needs bounds to fill",
                          name, i);
        }
    }
    arrsetcap(scene->bodies, arrlenu(scene->bodies) + (size_t)all + 1);
    return true;
}

/* True of a gas whose count and fraction give the radius of equal spheres. */
static bool is_plain(const generator *g)
{
    return g->gas.count && g->gas.packing_fraction > 0 && !g->gas.own_radius &&
           g->grains.radii.kind == RADIUS_FIXED;
}

/* True if the generators can place their bodies one after the other. Gases then must be plain and
 * follow all lattices, because a gas avoids only bodies that exist already. */
static bool can_take_turns(const scene *scene)
{
    bool any_gas = false;
    for (size_t i = 0; i < arrlenu(scene->generators); ++i) {
        const generator *g = &scene->generators[i];
        if (g->is_gas ? !is_plain(g) : any_gas) return false;
        any_gas = any_gas || g->is_gas;
    }
    return true;
}

/* Make the bodies of all generators in their order. @param mixed true: gases get their places
 * together at the end; false: each gas gets them in turn. */
static bool make_all(scene *scene, const obstacles *obstacles, const uint64_t *seeds, bool mixed,
                     const char *name, complaint *complaint)
{
    arrsetlen(scene->bodies, scene->listed);
    arrsetlen(scene->generated, 0);
    for (size_t i = 0; i < arrlenu(scene->generators); ++i) {
        const generator *g = &scene->generators[i];
        bool made = true;
        char path[48];
        snprintf(path, sizeof path, "generators[%zu].gas", i);
        if (!g->is_gas) make_lattice(scene, &g->lattice, &g->grains, seeds[i]);
        else if (mixed) made = mixture_draw(scene, g, seeds[i], name, path, complaint);
        else
            made = make_gas(scene, obstacles, &g->gas, &g->grains, seeds[i], name, path, complaint);
        if (!made || !check_count(scene, i, 0, name, complaint)) return false;
        arrput(scene->generated, arrlenu(scene->bodies));
    }
    return !mixed || mixture_place(scene, obstacles, seeds, name, complaint);
}

bool scene_generate(scene *scene, const uint64_t *seed, const char *name, complaint *complaint)
{
    size_t gases;
    uint64_t *seeds = NULL;
    obstacles *obstacles = NULL;
    if (!check_generators(scene, name, complaint, &gases)) return false;
    if (gases && !obstacles_make(scene, name, &obstacles, complaint)) return false;
    for (size_t i = 0; i < arrlenu(scene->generators); ++i) {
        const generator *g = &scene->generators[i];
        arrput(seeds, seed ? *seed + i : g->is_gas ? g->gas.seed : g->lattice.seed);
    }
    bool in_turn = can_take_turns(scene);
    bool made = in_turn && make_all(scene, obstacles, seeds, false, name, complaint);
    struct complaint unused;
    if (!made && (!in_turn || gases > 1 || obstacles))
        made = make_all(scene, obstacles, seeds, true, name, in_turn ? &unused : complaint);
    obstacles_free(obstacles);
    arrfree(seeds);
    return made;
}

/* Path of a body that was read from a file. */
static void file_path(const scene *scene, size_t body, char path[SCENE_PATH])
{
    unsigned long long place = scene->body_places[body];
    if (scene->places_are_lines)
        snprintf(path, SCENE_PATH, "bodies: %.250s:%llu", scene->bodies_file, place);
    else snprintf(path, SCENE_PATH, "bodies: %.250s: row %llu", scene->bodies_file, place - 1);
}

void scene_body_path(const scene *scene, size_t body, char path[SCENE_PATH])
{
    size_t first = scene->listed, g = 0;
    if (body < arrlenu(scene->body_places)) return file_path(scene, body, path);
    if (body < first) {
        snprintf(path, SCENE_PATH, "bodies[%zu]", body);
        return;
    }
    while (g + 1 < arrlenu(scene->generated) && body >= scene->generated[g]) {
        first = scene->generated[g++];
    }
    snprintf(path, SCENE_PATH, "generators[%zu]: body %zu", g, body - first);
}
