/* See motions.h. */
#include "motions.h"

#include "arrays.h"
#include "make_world.h"
#include "rotation.h"

const char *const mover_names[] = {
    [MOVES_BODY] = "body", [MOVES_SURFACE] = "surface", [MOVES_PLANE] = "plane"};

static int compare_movers(const mover *a, const mover *b)
{
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

/* Order by body or surface, tick, then index in the scene: at one tick the later motion replaces
 * the earlier. */
static int compare_motions(const void *a, const void *b)
{
    const motion *p = *(const motion *const *)a, *q = *(const motion *const *)b;
    int order = compare_movers(&p->mover, &q->mover);
    if (order) return order;
    if (p->tick != q->tick) return p->tick < q->tick ? -1 : 1;
    return p < q ? -1 : p > q;
}

/* Add the ends of motions that have a target position or, if `spins`, a target rotation. Such a
 * motion has no end if a later motion of the same body or surface replaces it before: one with a
 * velocity or position or, if `spins`, with a spin or rotation. */
static motion_stop *add_stops(motion_stop *stops, const motion *motions, bool spins)
{
    const motion **sorted = NULL;
    for (size_t i = 0; i < arrlenu(motions); ++i) {
        const motion *m = &motions[i];
        bool sets = spins ? m->has_spin || m->has_rotation : m->has_velocity || m->has_position;
        if (sets) arrput(sorted, m);
    }
    size_t count = arrlenu(sorted);
    if (count) qsort(sorted, count, sizeof *sorted, compare_motions);
    for (size_t i = 0; i < count; ++i) {
        const motion *m = sorted[i], *next = i + 1 < count ? sorted[i + 1] : NULL;
        motion_stop stop = {m->tick + m->ticks, m->mover, spins, (size_t)(m - motions)};
        bool replaced =
            next && compare_movers(&next->mover, &m->mover) == 0 && next->tick < stop.tick;
        if ((spins ? m->has_rotation : m->has_position) && !replaced) arrput(stops, stop);
    }
    arrfree(sorted);
    return stops;
}

motion_stop *motions_make_stops(const motion *motions)
{
    return add_stops(add_stops(NULL, motions, false), motions, true);
}

kugel_status motion_begin_body(kugel_world *world, kugel_body body, const motion *m, double dt)
{
    kugel_status status = KUGEL_OK;
    if (m->has_velocity) status = kugel_body_set_velocity(world, body, m->velocity);
    if (!status && m->has_spin) status = kugel_body_set_spin(world, body, m->spin);
    if (!status && (m->has_position || m->has_rotation))
        status = kugel_body_set_target(world, body, m->has_position ? m->position : NULL,
                                       m->has_rotation ? m->rotation : NULL, (double)m->ticks * dt);
    return status;
}

/* The pose of the def of what moves, relative to that of the scene's keys. */
typedef struct frame {
    const double *offset, *turn;
} frame;

static frame frame_of(const scene *scene, const mover *mover)
{
    static const double none[3] = {0, 0, 0}, as_is[4] = {0, 0, 0, 1};
    size_t index = mover->index;
    if (mover->kind == MOVES_PLANE && index < arrlenu(scene->planes))
        return (frame){none, scene->planes[index].turn};
    if (mover->kind == MOVES_SURFACE && index < arrlenu(scene->surfaces))
        return (frame){scene->surfaces[index].offset, scene->surfaces[index].turn};
    return (frame){none, as_is}; /* only the restart has it */
}

/* Move a surface towards the position and the rotation of the motion. */
static kugel_status aim(kugel_world *world, const scene *scene, const motion *m)
{
    frame frame = frame_of(scene, &m->mover);
    double position[3], rotation[4];
    for (int k = 0; k < 3; ++k) position[k] = m->position[k] + frame.offset[k];
    rotation_multiply(m->rotation, frame.turn, rotation);
    return kugel_surface_set_target(
        world, world_moved(world, scene, &m->mover), m->has_position ? position : NULL,
        m->has_rotation ? rotation : NULL, (double)m->ticks * scene->dt);
}

kugel_status motion_begin_surface(kugel_world *world, const scene *scene, const motion *m)
{
    kugel_surface_def now;
    kugel_surface surface = world_moved(world, scene, &m->mover);
    kugel_status status = kugel_surface_get(world, surface, &now, NULL);
    if (!status && (m->has_velocity || m->has_spin))
        status =
            kugel_surface_set_motion(world, surface, m->has_velocity ? m->velocity : now.velocity,
                                     m->has_spin ? m->spin : now.spin);
    if (!status && (m->has_position || m->has_rotation)) status = aim(world, scene, m);
    if (!status && m->has_tangent) {
        double tangent[3];
        rotation_undo(frame_of(scene, &m->mover).turn, m->tangent, tangent);
        status = kugel_surface_set_tangent_velocity(world, surface, tangent);
    }
    return status;
}

kugel_status motion_end(kugel_world *world, const scene *scene, const motion_stop *stop)
{
    static const double none[3] = {0, 0, 0};
    kugel_surface_def now;
    if (stop->mover.kind == MOVES_BODY) {
        kugel_body body = kugel_world_body(world, stop->mover.index);
        if (!body) return KUGEL_OK;
        return stop->ends_spin ? kugel_body_set_spin(world, body, none)
                               : kugel_body_set_velocity(world, body, none);
    }
    kugel_surface surface = world_moved(world, scene, &stop->mover);
    kugel_status status = kugel_surface_get(world, surface, &now, NULL);
    if (status) return status;
    return kugel_surface_set_motion(world, surface, stop->ends_spin ? now.velocity : none,
                                    stop->ends_spin ? none : now.spin);
}
