/* Trajectory and event rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "run.h"

const char csv_head[] = "tick,time,id,x,y,z,vx,vy,vz,wx,wy,wz\n";
const char events_head[] = "tick,time,kind,a,b,px,py,pz,nx,ny,nz,speed,impulse\n";

bool write_csv(FILE *to, const kugel_world *world, uint64_t tick, double time)
{
    uint32_t n = kugel_world_body_count(world);
    uint32_t *ids = malloc(n * sizeof *ids + 1);
    double *x = malloc((size_t)n * 9 * sizeof *x + 1);
    if (!ids || !x) {
        free(ids);
        free(x);
        return false;
    }
    double *v = x + 3 * (size_t)n, *w = v + 3 * (size_t)n;
    kugel_world_read(world, n, ids, x, v, w);
    for (size_t i = 0; i < n; ++i) {
        const double *p = x + 3 * i, *q = v + 3 * i, *r = w + 3 * i;
        fprintf(to, "%llu,%.17g,%u,%.17g,%.17g,%.17g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", (unsigned long long)tick, time,
                ids[i], p[0], p[1], p[2], q[0], q[1], q[2], r[0], r[1], r[2]);
    }
    free(ids);
    free(x);
    return true;
}

/* "17", "wall:x-min", "plane:0". */
static void target_name(char out[32], kugel_target target, uint32_t index)
{
    static const char *const faces[6] = {"x-min", "x-max", "y-min", "y-max", "z-min", "z-max"};
    if (target == KUGEL_TARGET_BODY) snprintf(out, 32, "%u", index);
    else if (target == KUGEL_TARGET_FACE) snprintf(out, 32, "wall:%s", faces[index]);
    else snprintf(out, 32, "plane:%u", index);
}

static void write_row(FILE *to, uint64_t tick, double time, const char *kind, uint32_t a, const char *b, const double p[3],
                      const double n[3], double speed, double impulse)
{
    fprintf(to, "%llu,%.17g,%s,%u,%s,%.17g,%.17g,%.17g,%.9g,%.9g,%.9g,%.9g,%.9g\n", (unsigned long long)tick, time, kind, a,
            b, p[0], p[1], p[2], n[0], n[1], n[2], speed, impulse);
}

static void write_touch(FILE *to, const kugel_touch *t, const char *kind, uint64_t tick, double start)
{
    static const double none[3] = {0, 0, 0};
    char b[32];
    target_name(b, t->target, t->index);
    write_row(to, tick, start + t->time, kind, kugel_body_id(t->a), b, none, none, 0, 0);
}

/* Three sorted lists become one: at one time impacts come first, then begins, then ends. */
void write_events(FILE *to, const scene *scene, const kugel_world *world, uint64_t tick, double start)
{
    size_t count[3], at[3] = {0, 0, 0};
    const kugel_impact *impacts = kugel_world_impacts(world, &count[0]);
    const kugel_touch *begins = kugel_world_begins(world, &count[1]), *ends = kugel_world_ends(world, &count[2]);
    (void)scene;
    for (;;) {
        double time[3];
        int first = -1;
        for (int k = 0; k < 3; ++k) {
            if (at[k] == count[k]) continue;
            time[k] = k == 0 ? impacts[at[0]].time : k == 1 ? begins[at[1]].time : ends[at[2]].time;
            if (first < 0 || time[k] < time[first]) first = k;
        }
        if (first < 0) return;
        size_t i = at[first]++;
        if (first) {
            write_touch(to, first == 1 ? &begins[i] : &ends[i], first == 1 ? "begin" : "end", tick, start);
            continue;
        }
        char b[32];
        target_name(b, impacts[i].target, impacts[i].index);
        write_row(to, tick, start + impacts[i].time, "impact", kugel_body_id(impacts[i].a), b, impacts[i].point,
                  impacts[i].normal, impacts[i].speed, impacts[i].impulse);
    }
}

/* ---- beams ---- */

/* The nearest of what a beam has met so far. */
typedef struct beam_hit {
    bool hit;
    kugel_hit where;
    char name[80];
} beam_hit;

static void nearer(beam_hit *best, const kugel_hit *hit, double length, const char *name)
{
    if (!hit->hit || hit->t_enter > length || (best->hit && best->where.t_enter <= hit->t_enter)) return;
    best->hit = true;
    best->where = *hit;
    snprintf(best->name, sizeof best->name, "%s", name);
}

/* A sphere as the beam sees it across periodic faces: every image that the beam can reach. */
static void meet_sphere(const scene *scene, const beam *beam, const kugel_body_state *body, beam_hit *best)
{
    enum { MOST = 64 };
    const kugel_bounds *b = &scene->world.bounds;
    int low[3], high[3];
    for (int k = 0; k < 3; ++k) {
        double length = b->max[k] - b->min[k], end = beam->origin[k] + beam->direction[k] * beam->length;
        double from = fmin(beam->origin[k], end), to = fmax(beam->origin[k], end);
        bool periodic = b->faces[2 * k] == KUGEL_FACE_PERIODIC;
        low[k] = periodic ? (int)fmax(-MOST, floor((from - b->max[k]) / length)) : 0;
        high[k] = periodic ? (int)fmin(MOST, ceil((to - b->min[k]) / length)) : 0;
    }
    char name[32];
    snprintf(name, sizeof name, "%u", kugel_body_id(body->body));
    for (int x = low[0]; x <= high[0]; ++x) {
        for (int y = low[1]; y <= high[1]; ++y) {
            for (int z = low[2]; z <= high[2]; ++z) {
                const int step[3] = {x, y, z};
                double center[3];
                for (int k = 0; k < 3; ++k) center[k] = body->position[k] + step[k] * (b->max[k] - b->min[k]);
                kugel_hit hit;
                if (kugel_ray_sphere(beam->origin, beam->direction, center, body->radius, &hit) == KUGEL_OK) {
                    nearer(best, &hit, beam->length, name);
                }
            }
        }
    }
}

static void meet_plane(const beam *beam, const kugel_plane *plane, size_t index, beam_hit *best)
{
    kugel_plane_hit crossing;
    char name[32];
    if (kugel_ray_plane(beam->origin, beam->direction, plane->normal, plane->offset, &crossing) || !crossing.hit) return;
    kugel_hit hit = {.hit = true, .t_enter = crossing.t, .t_exit = crossing.t};
    memcpy(hit.point, crossing.point, sizeof hit.point);
    memcpy(hit.normal, crossing.normal, sizeof hit.normal);
    memcpy(hit.exit_point, crossing.point, sizeof hit.exit_point);
    memcpy(hit.exit_normal, crossing.normal, sizeof hit.exit_normal);
    snprintf(name, sizeof name, "plane:%zu", index);
    nearer(best, &hit, beam->length, name);
}

void write_beam(FILE *to, const scene *scene, const kugel_world *world, size_t index, uint64_t tick, double time)
{
    const beam *beam = &scene->beams[index];
    beam_hit best = {0};
    kugel_body_state body;
    for (uint32_t id = 0; id < kugel_world_id_end(world); ++id) {
        if (kugel_body_get(world, kugel_world_body(world, id), &body) == KUGEL_OK) meet_sphere(scene, beam, &body, &best);
    }
    for (size_t p = 0; p < arrlenu(scene->planes); ++p) meet_plane(beam, &scene->planes[p], p, &best);
    for (size_t e = 0; e < arrlenu(scene->ellipsoids); ++e) {
        const ellipsoid *shield = &scene->ellipsoids[e];
        kugel_hit hit;
        char name[80];
        snprintf(name, sizeof name, "ellipsoid:%s", shield->name);
        if (kugel_ray_ellipsoid(beam->origin, beam->direction, shield->center, shield->semi_axes, shield->rotation, &hit) ==
            KUGEL_OK) {
            nearer(&best, &hit, beam->length, name);
        }
    }
    if (!best.hit) return;
    const kugel_hit *h = &best.where;
    write_row(to, tick, time, "beam", (uint32_t)index, best.name, h->started_inside ? beam->origin : h->point, h->normal,
              h->t_enter, 0);
    write_row(to, tick, time, "beam-exit", (uint32_t)index, best.name, h->exit_point, h->exit_normal, h->t_exit, 0);
}
