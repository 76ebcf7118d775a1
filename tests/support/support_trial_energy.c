/* The bound of the energy. A body in overlap has been pressed in, which costs it potential energy;
 * position correction lifts it again without work. So the energy of a tick is at most the energy
 * of each tick before plus the lift of its overlaps then, zero without gravity. With a number of
 * substeps in the def, which may be coarse, there is more: a body in contact has the velocity of
 * the end of its substep, so each may have the energy that gravity gives it from rest in the
 * longest substep h so far, m (g h)^2 / 2. The scale is the kinetic energy at the start plus the
 * potential energy of a fall through the box. */
#include <math.h>
#include <stdlib.h>

#include "support/support_trial.h"

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static bool is_checked(const support_scene *scene)
{
    for (uint32_t i = 0; i < scene->count; ++i)
        if (scene->bodies[i].type == KUGEL_KINEMATIC) return false;
    return true;
}

support_energy support_energy_start(const support_scene *scene)
{
    support_energy energy = {.least = INFINITY};
    const double *gravity = scene->def.gravity;
    energy.g = sqrt(dot(gravity, gravity));
    if (!is_checked(scene)) return energy;
    double height = 0;
    for (int k = 0; k < 3; ++k) {
        if (energy.g > 0) energy.up[k] = -gravity[k] / energy.g;
        height += fabs(energy.up[k]) * (scene->def.bounds.max[k] - scene->def.bounds.min[k]);
    }
    for (uint32_t i = 0; i < scene->count; ++i) {
        const kugel_body_def *b = &scene->bodies[i];
        if (b->type != KUGEL_DYNAMIC) continue;
        energy.scale += b->mass * (dot(b->velocity, b->velocity) / 2 + energy.g * height +
                                   0.2 * b->radius * b->radius * dot(b->spin, b->spin));
    }
    return energy;
}

/* Contacts steeper than this count as beside a body. */
static const double BESIDE = 0.1;

/* Pairs closer than this part of their distance at touch can turn until one is above the other. */
static const double TURNS = 0.98;
enum { CONTACTS = 64, SWEEPS = 200 };

/* Overlaps of one body. */
typedef struct support {
    double sum;                                  /* m, with what is not above it */
    double least;                                /* of n . up over contacts below it; 1 without */
    double below;                                /* largest h of the bodies below it, m */
    double normal[CONTACTS][3], depth[CONTACTS]; /* unit, towards the body; m */
    int count;
} support;

/* A contact with this overlap, m, and unit normal towards the body. */
static void add(support *s, double depth, const double normal[3], const double up[3])
{
    double upward = dot(normal, up);
    if (depth <= 0) return;
    if (s->count < CONTACTS) {
        for (int k = 0; k < 3; ++k) s->normal[s->count][k] = normal[k];
        s->depth[s->count++] = depth;
    }
    if (upward < -BESIDE) return;
    s->sum += depth;
    if (upward > BESIDE) s->least = fmin(s->least, upward);
}

/* Rise of the least move that ends all overlaps, m, as position correction finds it. */
static double rise_of(const support *s, const double up[3])
{
    double x[3] = {0, 0, 0};
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        for (int c = 0; c < s->count; ++c) {
            double by = fmax(0, s->depth[c] - dot(x, s->normal[c]));
            for (int k = 0; k < 3; ++k) x[k] += by * s->normal[c][k];
        }
    }
    return dot(x, up);
}

static void add_boundaries(support *s, const support_scene *scene, const kugel_body_state *a,
                           const double up[3])
{
    const kugel_bounds *bounds = &scene->def.bounds;
    for (int face = 0; face < 6; ++face) {
        int k = face / 2;
        double gap = face & 1 ? bounds->max[k] - a->position[k] : a->position[k] - bounds->min[k];
        double normal[3] = {0, 0, 0};
        normal[k] = face & 1 ? -1 : 1;
        if (bounds->faces[face] == KUGEL_FACE_WALL) add(s, a->radius - gap, normal, up);
    }
    for (uint32_t p = 0; p < scene->plane_count; ++p) {
        const kugel_plane *plane = &scene->planes[p];
        double gap = dot(plane->normal, a->position) - plane->offset;
        add(s, a->radius - gap, plane->normal, up);
    }
}

/* `h`: of the body b, m. */
static void add_pair(support *s, const kugel_body_state *a, const kugel_body_state *b, double h,
                     const double up[3])
{
    double d[3], reach = a->radius + b->radius;
    for (int k = 0; k < 3; ++k) d[k] = a->position[k] - b->position[k];
    double distance = sqrt(dot(d, d));
    if (distance >= reach) return;
    double height = dot(d, up), aside2 = fmax(0, distance * distance - height * height);
    for (int k = 0; k < 3; ++k) d[k] = distance > 0 ? d[k] / distance : up[k];
    if (distance < TURNS * reach) add(s, sqrt(reach * reach - aside2) - height, up, up);
    else add(s, reach - distance, d, up);
    s->below = fmax(s->below, h);
}

typedef struct row {
    double height;
    uint32_t id;
} row;

static int by_height(const void *a, const void *b)
{
    const row *x = a, *y = b;
    if (x->height != y->height) return x->height < y->height ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Energy that position correction can add, J: the sum of m g h. A body's h is the larger of two
 * heights, plus the largest h of the bodies below it: the sum of its overlaps with what is below or
 * beside it, over the least n . up of the contacts below it (a wedge); and the rise of the least
 * move out of all its overlaps (a corner). Out of deep overlaps it can turn upwards. */
static double lift(const support_energy *energy, const support_scene *scene,
                   const kugel_body_state *states)
{
    uint32_t n = scene->count;
    row *rows = malloc(n * sizeof *rows);
    double *h = calloc(n, sizeof *h), sum = 0;
    for (uint32_t i = 0; i < n; ++i) rows[i] = (row){dot(states[i].position, energy->up), i};
    qsort(rows, n, sizeof *rows, by_height);
    for (uint32_t i = 0; i < n; ++i) {
        const kugel_body_state *a = &states[rows[i].id];
        support s = {.least = 1};
        if (a->type != KUGEL_DYNAMIC) continue;
        add_boundaries(&s, scene, a, energy->up);
        for (uint32_t j = 0; j < n; ++j)
            if (j != i) add_pair(&s, a, &states[rows[j].id], h[j], energy->up);
        h[i] = fmax(s.sum / s.least, rise_of(&s, energy->up)) + s.below;
        sum += a->mass * energy->g * h[i];
    }
    free(rows), free(h);
    return sum;
}

double support_energy_rise(support_energy *energy, const support_scene *scene,
                           const kugel_world *world, const kugel_body_state *states, double dt)
{
    kugel_stats stats;
    if (energy->scale == 0) return 0;
    kugel_world_stats(world, &stats);
    double now = stats.kinetic_energy + stats.potential_energy, mass = 0;
    for (uint32_t i = 0; i < scene->count; ++i)
        mass += states[i].type == KUGEL_DYNAMIC ? states[i].mass : 0;
    energy->fall = fmax(energy->fall, energy->g * dt / fmax((double)stats.substeps, 1));
    double fallen = scene->def.substeps ? mass * energy->fall * energy->fall / 2 : 0;
    double rise = (now - fallen - energy->least) / energy->scale;
    double bound = now + (energy->g > 0 ? lift(energy, scene, states) : 0);
    energy->least = fmin(energy->least, bound);
    return rise;
}
