#include "motion/motion.h"

#include "base/vec3f.h"
#include "grid/grid.h"
#include "world/sleep.h"

/* Turn a unit quaternion (u, s) by the rotation vector w h: q + (h/2) (w, 0) q, then unit length again.
 * First order in the angle of a substep: orientation is for looking at, spheres do not feel it. */
static void turn(kg_work *work, uint32_t i, double h)
{
    vec3 half = {(float)(work->w[0][i] * h * 0.5), (float)(work->w[1][i] * h * 0.5), (float)(work->w[2][i] * h * 0.5)};
    if (half[0] == 0 && half[1] == 0 && half[2] == 0) return;
    vec3 u = {work->q[0][i], work->q[1][i], work->q[2][i]}, change;
    float s = work->q[3][i], s_next = s - glm_vec3_dot(half, u);
    glm_vec3_cross(half, u, change);
    glm_vec3_muladds(half, s, change);
    glm_vec3_add(u, change, u);
    float scale = 1 / __builtin_sqrtf(glm_vec3_dot(u, u) + s_next * s_next);
    for (int k = 0; k < 3; ++k) work->q[k][i] = u[k] * scale;
    work->q[3][i] = s_next * scale;
}

/* false when the place or a speed is out of range. */
static bool advance_body(kg_work *work, uint32_t i, double h)
{
    kg_motion *m = &work->motion[i];
    double rest = h - m->clock, a[3];
    bool finite = true;
    kg_acceleration(work, i, a);
    for (int k = 0; k < 3; ++k) {
        m->x[k] = m->x[k] + m->v[k] * rest + 0.5 * a[k] * h * h;
        m->v[k] += a[k] * h;
        finite = finite && __builtin_fabs(m->x[k]) <= KG_VALUE_LIMIT && __builtin_fabs(m->v[k]) <= KG_VALUE_LIMIT &&
                 __builtin_fabs(work->w[k][i]) <= KG_VALUE_LIMIT;
    }
    m->clock = 0;
    turn(work, i, h);
    return finite;
}

static void advance_range(kugel_world *world, uint32_t from, uint32_t to, double h)
{
    bool finite = true;
    for (uint32_t i = from; i < to; ++i) {
        bool rests = world->bodies.type[i] == KUGEL_STATIC || world->work.calm[i] == KG_ASLEEP;
        if (!rests) finite &= advance_body(&world->work, i, h);
    }
    if (!finite) __atomic_store_n(&world->work.out_of_range, true, __ATOMIC_RELAXED);
}

/* Crossing a periodic face is an event of the impact stage; here only its rounding is left: a centre
 * that ended on or just past the face. The lists hold images relative to the old place. */
static void wrap_range(kugel_world *world, uint32_t from, uint32_t to, double unused)
{
    const kugel_bounds *bounds = &world->def.bounds;
    bool moved = false;
    (void)unused;
    for (int axis = 0; axis < 3; ++axis) {
        if (bounds->faces[2 * axis] != KUGEL_FACE_PERIODIC) continue;
        double low = bounds->min[axis], high = bounds->max[axis], length = high - low;
        for (uint32_t i = from; i < to; ++i) {
            double *x = &world->work.motion[i].x[axis];
            if (*x >= low && *x < high) continue;
            *x = *x < low ? *x + length : *x - length;
            if (!(*x >= low && *x < high)) *x = low;
            moved = true;
        }
    }
    if (moved) __atomic_store_n(&world->grid->valid, false, __ATOMIC_RELAXED);
}

static bool is_periodic(const kugel_bounds *bounds)
{
    bool is = false;
    for (int axis = 0; axis < 3; ++axis) is = is || bounds->faces[2 * axis] == KUGEL_FACE_PERIODIC;
    return is;
}

bool kg_motion_advance(kugel_world *world, double h)
{
    world->work.out_of_range = false;
    kg_for_bodies(world, advance_range, h);
    if (world->work.out_of_range) return false;
    if (is_periodic(&world->def.bounds)) kg_for_bodies(world, wrap_range, 0);
    return true;
}
