/* The nearest sphere, plane, ellipsoid or surface along a ray. Cost of a beam: O(bodies) for each
 * periodic image of the bounds that it crosses. */
#include <math.h>
#include <string.h>

#include "arrays.h"
#include "make_world.h"
#include "read_states.h"
#include "rows.h"

enum { MOST_BOXES = 1000 };

/* State of a beam that crosses the periodic images of the bounds one after the other. */
typedef struct beam_trace {
    const scene *scene;
    const kugel_world *world;
    const beam *beam;
    const kugel_body_state *bodies;
    uint32_t count;
    int64_t image_index[3]; /* of the periodic image, along each axis */
    double shift[3];        /* m, from the bounds to the image */
    double enter, leave;    /* m along the beam: where it enters and leaves the image */
    bool hit;               /* true: `nearest` is set */
    kugel_hit nearest;      /* the nearest hit so far */
    char name[80];          /* what was hit, as in rows of events */
} beam_trace;

static bool is_periodic(const scene *scene, int axis)
{
    return scene->world.bounds.faces[2 * axis] == KUGEL_FACE_PERIODIC;
}

static double period(const scene *scene, int axis)
{
    return scene->world.bounds.max[axis] - scene->world.bounds.min[axis];
}

/* Sets the distance at which the beam leaves the image. @return the axis of the face where it
 * leaves; -1 if the beam stays inside. */
static int find_exit_face(beam_trace *f)
{
    int out = -1;
    f->leave = HUGE_VAL;
    for (int k = 0; k < 3; ++k) {
        double along = f->beam->direction[k];
        f->shift[k] =
            is_periodic(f->scene, k) ? (double)f->image_index[k] * period(f->scene, k) : 0;
        if (!is_periodic(f->scene, k) || along == 0) continue;
        const kugel_bounds *b = &f->scene->world.bounds;
        double face = (along > 0 ? b->max[k] : b->min[k]) + f->shift[k];
        double t = (face - f->beam->origin[k]) / along;
        if (t < f->leave) f->leave = t, out = k;
    }
    return out;
}

static void keep_nearer(beam_trace *f, const kugel_hit *hit, const char *name)
{
    if (!hit->hit || hit->t_enter > f->beam->length) return;
    if (f->hit && f->nearest.t_enter <= hit->t_enter) return;
    f->hit = true;
    f->nearest = *hit;
    snprintf(f->name, sizeof f->name, "%s", name);
}

/* Test a sphere and those of its periodic images that reach into this image of the bounds. */
static void meet_body(beam_trace *f, const kugel_body_state *body)
{
    int low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    char name[32];
    for (int k = 0; k < 3; ++k) {
        const kugel_bounds *b = &f->scene->world.bounds;
        if (!is_periodic(f->scene, k)) continue;
        if (body->position[k] + body->radius > b->max[k]) low[k] = -1;
        if (body->position[k] - body->radius < b->min[k]) high[k] = 1;
    }
    snprintf(name, sizeof name, "%u", kugel_body_id(body->body));
    for (int x = low[0]; x <= high[0]; ++x) {
        for (int y = low[1]; y <= high[1]; ++y) {
            for (int z = low[2]; z <= high[2]; ++z) {
                const int image[3] = {x, y, z};
                double center[3];
                kugel_hit hit;
                for (int k = 0; k < 3; ++k) {
                    double by = image[k] ? image[k] * period(f->scene, k) : 0;
                    center[k] = body->position[k] + f->shift[k] + by;
                }
                if (kugel_ray_sphere(f->beam->origin, f->beam->direction, INFINITY, center,
                                     body->radius, &hit) == KUGEL_OK) {
                    keep_nearer(f, &hit, name);
                }
            }
        }
    }
}

/* True if the distance lies in this image of the bounds. Planes and ellipsoids repeat in each image
 * and end at its periodic faces. */
static bool is_within(const beam_trace *f, double t) { return t >= f->enter && t <= f->leave; }

/* Uses the world's plane, as a restarted run does. A beam meets planes from both sides. */
static void meet_plane(beam_trace *f, uint32_t index)
{
    plane plane;
    if (!world_plane(f->world, index, &plane)) return;
    const double *n = plane.normal, *s = f->shift;
    double offset = plane.offset + (n[0] * s[0] + n[1] * s[1] + n[2] * s[2]);
    kugel_plane_hit crossing;
    char name[TARGET_NAME];
    if (kugel_ray_plane(f->beam->origin, f->beam->direction, INFINITY, n, offset, &crossing) !=
            KUGEL_OK ||
        !crossing.hit || !is_within(f, crossing.t)) {
        return;
    }
    kugel_hit hit = {.hit = true, .t_enter = crossing.t, .t_exit = crossing.t};
    memcpy(hit.point, crossing.point, sizeof hit.point);
    memcpy(hit.normal, crossing.normal, sizeof hit.normal);
    memcpy(hit.exit_point, crossing.point, sizeof hit.exit_point);
    memcpy(hit.exit_normal, crossing.normal, sizeof hit.exit_normal);
    target_name(name, f->scene, KUGEL_TARGET_SURFACE, index);
    keep_nearer(f, &hit, name);
}

static void meet_ellipsoid(beam_trace *f, const ellipsoid *shield)
{
    kugel_hit hit;
    double center[3];
    char name[80];
    for (int k = 0; k < 3; ++k) center[k] = shield->center[k] + f->shift[k];
    if (kugel_ray_ellipsoid(f->beam->origin, f->beam->direction, INFINITY, center,
                            shield->semi_axes, shield->rotation, &hit) != KUGEL_OK ||
        !hit.hit || !is_within(f, hit.t_enter)) {
        return;
    }
    snprintf(name, sizeof name, "ellipsoid:%s", shield->name);
    keep_nearer(f, &hit, name);
}

/* False for the planes of the scene, which meet_plane tests. */
static bool is_no_plane(void *user, kugel_target target, uint64_t surface)
{
    const beam_trace *f = user;
    return target != KUGEL_TARGET_SURFACE ||
           kugel_surface_index(surface) >= arrlenu(f->scene->planes);
}

/* A surface has no inside, so the exit is the entry, as for planes. */
static void meet_surfaces(beam_trace *f)
{
    kugel_filter filter = kugel_filter_default();
    kugel_ray ray = {.t_max = fmin(f->leave, f->beam->length) - f->enter};
    kugel_ray_hit found;
    char name[80];
    if (!(ray.t_max >= 0) || !kugel_world_surface_end(f->world)) return;
    filter.targets = KUGEL_TARGETS_SURFACES;
    filter.accept = is_no_plane, filter.user = f;
    for (int k = 0; k < 3; ++k) { /* in the bounds: surfaces have no periodic images */
        ray.origin[k] = f->beam->origin[k] - f->shift[k] + f->enter * f->beam->direction[k];
        ray.direction[k] = f->beam->direction[k];
    }
    if (kugel_world_ray_closest(f->world, &ray, &filter, &found) != KUGEL_OK || !found.hit.hit)
        return;
    kugel_hit hit = found.hit;
    hit.t_enter += f->enter, hit.t_exit = hit.t_enter;
    for (int k = 0; k < 3; ++k) hit.exit_point[k] = hit.point[k] += f->shift[k];
    target_name(name, f->scene, KUGEL_TARGET_SURFACE, found.index);
    keep_nearer(f, &hit, name);
}

static void meet_all(beam_trace *f)
{
    for (uint32_t i = 0; i < f->count; ++i) meet_body(f, &f->bodies[i]);
    for (uint32_t i = 0; i < arrlenu(f->scene->planes); ++i) meet_plane(f, i);
    for (size_t i = 0; i < arrlenu(f->scene->ellipsoids); ++i) {
        meet_ellipsoid(f, &f->scene->ellipsoids[i]);
    }
    meet_surfaces(f);
}

/* Follows the beam from image to image until the nearest hit is found. */
static void trace(beam_trace *f)
{
    const scene *scene = f->scene;
    for (int k = 0; k < 3; ++k) {
        if (!is_periodic(scene, k)) continue;
        double images = (f->beam->origin[k] - scene->world.bounds.min[k]) / period(scene, k);
        f->image_index[k] = (int64_t)floor(fmin(fmax(images, -1e15), 1e15));
    }
    for (int n = 0; n < MOST_BOXES; ++n) {
        int out = find_exit_face(f);
        meet_all(f);
        if (out < 0 || f->leave > f->beam->length) break;
        if (f->hit && f->nearest.t_enter <= f->leave) break;
        f->image_index[out] += f->beam->direction[out] > 0 ? 1 : -1;
        f->enter = f->leave;
    }
}

bool write_beam(FILE *to, const scene *scene, const kugel_world *world, size_t index, uint64_t tick,
                double time)
{
    uint32_t count = kugel_world_body_count(world);
    kugel_body_state *bodies = malloc(count * sizeof *bodies + 1);
    beam_trace f = {.scene = scene,
                    .world = world,
                    .beam = &scene->beams[index],
                    .bodies = bodies,
                    .count = count};
    if (!bodies) return false;
    read_states(world, bodies);
    trace(&f);
    free(bodies);
    if (!f.hit) return true;
    const kugel_hit *h = &f.nearest;
    write_event(to, tick, time, "beam", (uint32_t)index, f.name,
                h->started_inside ? f.beam->origin : h->point, h->normal, h->t_enter, 0);
    write_event(to, tick, time, "beam-exit", (uint32_t)index, f.name, h->exit_point, h->exit_normal,
                h->t_exit, 0);
    return true;
}
