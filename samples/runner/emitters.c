/* Emitters make bodies at random free places; drains remove bodies. The random numbers of a tick
 * depend on the emitter's seed and the tick. Cost: a query for each try; O(bodies) if a drain is
 * due. */
#include <string.h>

#include "acts.h"
#include "arrays.h"

enum {
    TRIES = 32,    /* places for a body */
    MISSES = 1000, /* bodies in a row without a free place, after which the box counts as full */
};

/* The part of the emitter's box for centres: within closed faces, a radius away from walls. false:
 * no part is left. */
static bool clear_box(const emitter *e, const kugel_bounds *bounds, double radius, double low[3],
                      double high[3])
{
    for (int k = 0; k < 3; ++k) {
        const kugel_face *faces = bounds->faces + 2 * k;
        low[k] = e->min[k];
        high[k] = e->max[k];
        double least = bounds->min[k] + (faces[0] == KUGEL_FACE_WALL ? radius : 0);
        double most = bounds->max[k] - (faces[1] == KUGEL_FACE_WALL ? radius : 0);
        if (faces[0] != KUGEL_FACE_OPEN && low[k] < least) low[k] = least;
        if (faces[1] != KUGEL_FACE_OPEN && high[k] > most) high[k] = most;
        if (low[k] > high[k]) return false;
    }
    return true;
}

/* A free place for a sphere. `found` is false if none of TRIES places is free, or no part of the
 * box is clear. */
static kugel_status find_place(const emitter *e, const scene *scene, const kugel_world *world,
                               double radius, random_state *random, double x[3], bool *found)
{
    double low[3], high[3];
    *found = false;
    if (!clear_box(e, &scene->world.bounds, radius, low, high)) return KUGEL_OK;
    for (int t = 0; t < TRIES && !*found; ++t) {
        size_t near = 0;
        for (int k = 0; k < 3; ++k) x[k] = low[k] + (high[k] - low[k]) * random_uniform(random);
        kugel_status status = kugel_world_overlap_sphere(world, x, radius, NULL, 0, NULL, &near);
        if (status) return status;
        *found = near == 0;
    }
    return KUGEL_OK;
}

static kugel_body_def def_of(const emitter *e, const scene *scene, double radius)
{
    kugel_body_def def = scene->defaults;
    def.type = KUGEL_DYNAMIC;
    grains_set(&e->grains, radius, &def);
    return def;
}

/* Places the bodies at the point of the box that is nearest to the centre of the bounds. That point
 * is inside the bounds if any point of the box is. */
kugel_status emitter_try(const emitter *e, const scene *scene, kugel_world *empty)
{
    const kugel_bounds *bounds = &scene->world.bounds;
    double range[2];
    kugel_status status = KUGEL_OK;
    radii_range(&e->grains.radii, scene->choices, range);
    for (int i = 0; i < 2 && !status; ++i) {
        kugel_body_def def = def_of(e, scene, range[i]);
        for (int k = 0; k < 3; ++k) {
            double middle = bounds->min[k] / 2 + bounds->max[k] / 2;
            def.velocity[k] = e->velocity[k] + (e->velocity[k] < 0 ? -e->spread : e->spread);
            def.position[k] = middle < e->min[k]   ? e->min[k]
                              : middle > e->max[k] ? e->max[k]
                                                   : middle;
        }
        status = kugel_body_create(empty, &def, NULL);
    }
    return status;
}

kugel_status emitter_run(acts *acts, size_t index, uint64_t tick)
{
    const scene *scene = acts->scene;
    const emitter *e = &scene->emitters[index];
    kugel_world *world = acts->world;
    random_state mixed = random_seed(e->seed), random;
    random_uniform(&mixed); /* spreads the bits of small seeds */
    random = random_seed(mixed.state * 0xd1342543de82ef95u + tick);
    uint64_t misses = 0;
    for (uint64_t i = 0; i < e->count; ++i) {
        acts->cut = acts->ends && acts->ends();
        if (acts->cut) return KUGEL_OK;
        if (misses == MISSES) {
            acts->blocked[index] += e->count - i;
            return KUGEL_OK;
        }
        kugel_body_def def =
            def_of(e, scene, radii_draw(&e->grains.radii, scene->choices, &random));
        bool found;
        for (int k = 0; k < 3; ++k)
            def.velocity[k] = e->velocity[k] + e->spread * (2 * random_uniform(&random) - 1);
        kugel_status status =
            find_place(e, scene, world, def.radius, &random, def.position, &found);
        if (!status && found) status = kugel_body_create(world, &def, NULL);
        if (status) return status;
        acts->blocked[index] += !found;
        misses = found ? 0 : misses + 1;
    }
    return KUGEL_OK;
}

static bool is_inside(const drain *d, const double x[3])
{
    if (d->is_plane)
        return d->normal[0] * x[0] + d->normal[1] * x[1] + d->normal[2] * x[2] < d->offset;
    bool inside = true;
    for (int k = 0; k < 3; ++k) inside = inside && x[k] >= d->min[k] && x[k] <= d->max[k];
    return inside;
}

bool drains_are_due(const scene *scene, uint64_t tick)
{
    bool due = false;
    for (size_t i = 0; i < arrlenu(scene->drains); ++i)
        due = due || span_is_due(&scene->drains[i].span, tick);
    return due;
}

static bool is_drained(const scene *scene, uint64_t tick, const double x[3])
{
    for (size_t i = 0; i < arrlenu(scene->drains); ++i) {
        if (span_is_due(&scene->drains[i].span, tick) && is_inside(&scene->drains[i], x))
            return true;
    }
    return false;
}

static kugel_status remove_bodies(const scene *scene, kugel_world *world, uint64_t tick,
                                  const kugel_body *bodies, const double *position, uint32_t count,
                                  bool *any)
{
    for (size_t i = 0; i < count; ++i) {
        kugel_body_state state;
        if (!is_drained(scene, tick, position + 3 * i)) continue;
        kugel_status status = kugel_body_get(world, bodies[i], &state);
        if (!status && state.type != KUGEL_DYNAMIC) continue;
        if (!status) status = kugel_body_destroy(world, bodies[i]);
        if (status) return status;
        *any = true;
    }
    return KUGEL_OK;
}

kugel_status drains_run(const scene *scene, kugel_world *world, uint64_t tick, bool *any)
{
    if (!drains_are_due(scene, tick)) return KUGEL_OK;
    uint32_t count = kugel_world_body_count(world);
    kugel_body *bodies = malloc(count * sizeof *bodies + 1);
    double *position = malloc(3 * (size_t)count * sizeof *position + 1);
    kugel_status status = bodies && position ? KUGEL_OK : KUGEL_ERROR_OUT_OF_MEMORY;
    if (!status) {
        const kugel_body_arrays arrays = {.bodies = bodies, .position = position};
        kugel_world_read_arrays(world, count, &arrays);
        status = remove_bodies(scene, world, tick, bodies, position, count, any);
    }
    free(bodies);
    free(position);
    return status;
}
