/* Runs the generators of a scene: places the bodies of gases, equal spheres in gas.c, mixtures in
 * mixture.c. They are placed before any body is made, since none may overlap another. A lattice is
 * computed where it is used. A seed gives the same bits on every platform: only + - * / sqrt and
 * rounding functions are used. */
#include <math.h>
#include <stdio.h>

#include "arrays.h"
#include "gas.h"
#include "lattice.h"
#include "mixture.h"

static double bodies_asked_for(const generator *g)
{
    if (g->is_gas) return g->gas.count;
    return (double)lattice_count(&g->lattice);
}

/* `more`: bodies beyond those that exist. */
static bool check_count(const scene *scene, size_t generator, double more, const char *name,
                        complaint *complaint)
{
    double all = (double)scene_body_count(scene) + more;
    return all <= MOST_BODIES ||
           refuse(complaint, EXIT_USAGE, "%s: generators[%zu]: more than %d bodies in all: %.0f",
                  name, generator, MOST_BODIES, all);
}

/* Refuse a gas of the preset whose count and packing fraction contradict the diameter of 1 by over
 * 1 %. */
static bool check_diameter(const scene *scene, size_t index, const char *name, complaint *complaint)
{
    const generator *g = &scene->generators[index];
    const radii *radii = &g->grains.radii;
    if (!(scene->gas_temperature > 0) || !g->gas.count || !(g->gas.packing_fraction > 0) ||
        g->gas.own_radius || radii->kind != RADIUS_FIXED || radii->low != 0.5)
        return true;
    double diameter = 2 * gas_radius(scene, &g->gas);
    return fabs(diameter - 1) <= 0.01 ||
           refuse(complaint, EXIT_USAGE,
                  "%s: generators[%zu].gas.packing_fraction: with count it makes the diameter "
                  "%.6g, that of the preset is 1: give one of them",
                  name, index, diameter);
}

/* Check counts and bounds before bodies are placed. Out: the number of gases. */
static bool check_generators(const scene *scene, const char *name, complaint *complaint,
                             size_t *gases)
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
        if (g->is_gas && !check_diameter(scene, i, name, complaint)) return false;
    }
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

/* Run a generator. @param mixed true: gases get their places together at the end; false: each gas
 * gets them in turn. */
static bool make_one(scene *scene, const obstacles *obstacles, size_t index, generated *out,
                     bool mixed, const char *name, complaint *complaint)
{
    const generator *g = &scene->generators[index];
    size_t before = scene_body_count(scene);
    char path[48];
    snprintf(path, sizeof path, "generators[%zu].gas", index);
    out->end = before + lattice_count(&g->lattice);
    if (!g->is_gas) return true;
    bool made = mixed ? mixture_draw(scene, g, out, name, path, complaint)
                      : make_gas(scene, obstacles, &g->gas, out, name, path, complaint);
    out->end = before + (mixed ? arrlenu(out->radius) : g->gas.count);
    return made;
}

/* Run all generators in their order. @param seed as in scene_generate. @param mixed as in
 * make_one. */
static bool make_all(scene *scene, const obstacles *obstacles, const uint64_t *seed, bool mixed,
                     const char *name, complaint *complaint)
{
    scene_free_generated(scene);
    for (size_t i = 0; i < arrlenu(scene->generators); ++i) {
        const generator *g = &scene->generators[i];
        generated out = {.seed = seed ? *seed + i : g->is_gas ? g->gas.seed : g->lattice.seed};
        bool made = make_one(scene, obstacles, i, &out, mixed, name, complaint);
        arrput(scene->generated, out);
        if (!made || !check_count(scene, i, 0, name, complaint)) return false;
    }
    return !mixed || mixture_place(scene, obstacles, name, complaint);
}

bool scene_generate(scene *scene, const uint64_t *seed, const char *name, complaint *complaint)
{
    size_t gases;
    obstacles *obstacles = NULL;
    if (!check_generators(scene, name, complaint, &gases)) return false;
    if (gases && !obstacles_make(scene, name, &obstacles, complaint)) return false;
    bool in_turn = can_take_turns(scene);
    bool made = in_turn && make_all(scene, obstacles, seed, false, name, complaint);
    struct complaint unused;
    if (!made && (!in_turn || gases > 1 || obstacles))
        made = make_all(scene, obstacles, seed, true, name, in_turn ? &unused : complaint);
    obstacles_free(obstacles);
    return made;
}
