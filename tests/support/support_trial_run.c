/* Runs a trial and checks each tick. */
#include <math.h>
#include <stdlib.h>

#include "support/support_states.h"
#include "support/support_trial.h"

static const char *const names[SUPPORT_FAULT_KINDS] = {"step", "finite", "wall", "energy", "deep"};

const char *support_fault_name(support_fault_kind kind) { return names[kind]; }

static void note(support_faults *faults, support_fault_kind kind, uint32_t tick, uint32_t body,
                 double value)
{
    support_fault *fault = &faults->first[kind];
    if (!fault->found) *fault = (support_fault){true, tick, body, value};
}

static bool is_finite(const kugel_body_state *b)
{
    double sum = 0; /* 0 times a value is NaN unless the value is finite */
    for (int k = 0; k < 3; ++k) sum += 0 * (b->position[k] + b->velocity[k] + b->spin[k]);
    return sum == 0;
}

/* Distance of the centre from the nearest closed face or plane, m; negative outside. 1e-12 m behind
 * a plane counts as 0, because the engine rounds normals. */
static double inside_by(const support_scene *scene, const double x[3])
{
    const kugel_bounds *bounds = &scene->def.bounds;
    double least = INFINITY;
    for (int face = 0; face < 6; ++face) {
        double gap =
            face & 1 ? bounds->max[face / 2] - x[face / 2] : x[face / 2] - bounds->min[face / 2];
        if (bounds->faces[face] == KUGEL_FACE_WALL) least = fmin(least, gap);
    }
    for (uint32_t p = 0; p < scene->plane_count; ++p) {
        const support_plane *plane = &scene->planes[p];
        const double *n = plane->normal;
        double gap = n[0] * x[0] + n[1] * x[1] + n[2] * x[2] - plane->offset;
        least = fmin(least, gap < 0 && gap > -1e-12 ? 0 : gap);
    }
    return least;
}

typedef struct overlap {
    double depth; /* radii of the smaller body */
    uint32_t body;
} overlap;

static overlap deepest(const support_scene *scene, const kugel_body_state *s)
{
    overlap most = {0, 0};
    for (uint32_t i = 0; i < scene->count; ++i) {
        if (s[i].type == KUGEL_DYNAMIC) {
            double in_wall = 1 - inside_by(scene, s[i].position) / s[i].radius;
            if (in_wall > most.depth) most = (overlap){in_wall, i};
        }
        for (uint32_t j = 0; j < i; ++j) {
            if (s[i].type != KUGEL_DYNAMIC && s[j].type != KUGEL_DYNAMIC) continue;
            double q = 0, reach = s[i].radius + s[j].radius;
            for (int k = 0; k < 3; ++k)
                q += (s[i].position[k] - s[j].position[k]) * (s[i].position[k] - s[j].position[k]);
            if (q >= reach * reach) continue;
            double depth = (reach - sqrt(q)) / fmin(s[i].radius, s[j].radius);
            if (depth > most.depth) most = (overlap){depth, i};
        }
    }
    return most;
}

/* @return NULL if the world is refused, as a scene may be while it is shrunk */
static kugel_world *make_world(const support_scene *scene, support_energy *energy)
{
    kugel_world *world = NULL;
    kugel_world_def def = scene->def;
    def.clock = support_energy_clock(energy);
    bool made = kugel_world_create(&def, &world) == KUGEL_OK;
    for (uint32_t p = 0; p < scene->plane_count && made; ++p)
        made = support_add_plane(world, &scene->planes[p], NULL) == KUGEL_OK;
    for (uint32_t k = 0; k < scene->shape_count && made; ++k)
        made = kugel_surface_create(world, &scene->shapes[k], NULL) == KUGEL_OK;
    for (uint32_t i = 0; i < scene->count && made; ++i)
        made = kugel_body_create(world, &scene->bodies[i], NULL) == KUGEL_OK;
    energy->world = world;
    if (made) return world;
    kugel_world_destroy(world);
    return NULL;
}

/* Checks places and values. @return false if the trial ends here. */
static bool check_bodies(const support_scene *scene, const kugel_body_state *states, uint32_t tick,
                         support_faults *faults)
{
    for (uint32_t i = 0; i < scene->count; ++i) {
        if (!is_finite(&states[i])) note(faults, SUPPORT_FAULT_FINITE, tick, i, NAN);
        double inside = inside_by(scene, states[i].position);
        if (states[i].type == KUGEL_DYNAMIC && !(inside >= 0))
            note(faults, SUPPORT_FAULT_WALL, tick, i, -inside);
    }
    return !faults->first[SUPPORT_FAULT_FINITE].found && !faults->first[SUPPORT_FAULT_WALL].found;
}

static bool all_inside(const support_scene *scene)
{
    for (uint32_t i = 0; i < scene->count; ++i) {
        if (scene->bodies[i].type != KUGEL_DYNAMIC) continue;
        if (!(inside_by(scene, scene->bodies[i].position) >= 0)) return false;
    }
    return true;
}

/* True if overlaps stay below SUPPORT_TRIAL_DEEP. Inelastic hard spheres and coarse substeps cause
 * deeper overlaps, which is a known limit. */
static bool stays_shallow(const kugel_world_def *def)
{
    return def->bounce_threshold > 0 && (def->substeps == 0 || def->substeps >= 4);
}

support_faults support_trial_run(const support_trial *trial)
{
    const support_scene *scene = &trial->scene;
    support_faults faults = {.gain = -INFINITY};
    support_energy energy = support_energy_start(scene);
    kugel_world *world = all_inside(scene) ? make_world(scene, &energy) : NULL;
    if (!world) return faults;
    kugel_body_state *states = malloc(scene->count * sizeof *states);
    support_read_states(world, scene->count, states);
    support_energy_rise(&energy, scene, world, states, 0);
    double start = deepest(scene, states).depth;
    bool checks_depth =
        trial->class == SUPPORT_TRIAL_USUAL && energy.scale > 0 && stays_shallow(&scene->def);
    bool runs_at_all = trial->class == SUPPORT_TRIAL_OVERLAPS || start < 1e-9;
    for (uint32_t tick = 0; tick < trial->tick_count && runs_at_all; ++tick) {
        if (kugel_world_step(world, trial->ticks[tick]) != KUGEL_OK) {
            note(&faults, SUPPORT_FAULT_STEP, tick, 0, 0);
            break;
        }
        support_read_states(world, scene->count, states);
        if (!check_bodies(scene, states, tick, &faults)) break;
        double rise = support_energy_rise(&energy, scene, world, states, trial->ticks[tick]);
        faults.gain = fmax(faults.gain, rise);
        if (rise > SUPPORT_TRIAL_ENERGY) note(&faults, SUPPORT_FAULT_ENERGY, tick, 0, rise);
        overlap most = deepest(scene, states);
        faults.deep = fmax(faults.deep, most.depth);
        if (checks_depth && most.depth > SUPPORT_TRIAL_DEEP)
            note(&faults, SUPPORT_FAULT_DEEP, tick, most.body, most.depth);
    }
    free(states);
    kugel_world_destroy(world);
    return faults;
}
