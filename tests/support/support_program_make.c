/* Makes random programs. Lengths are multiples of 1/1000 m, so that a printed program is exact. */
#include <math.h>
#include <string.h>

#include "support/support_program.h"
#include "support/support_random.h"

/* What a program consists of, apart from its calls. */
typedef struct maker {
    support_random random;
    support_program *program;
    uint32_t bodies, surfaces;
    double dt;        /* s, the usual tick */
    double radius[2]; /* m */
    double edge;      /* m, of the box, from 0 to `edge` along each axis */
} maker;

static bool one_in(maker *m, uint32_t n) { return support_below(&m->random, n) == 0; }

static double pick(maker *m, const double *values, uint32_t count)
{
    return values[support_below(&m->random, count)];
}
#define PICK(m, ...)                                                                               \
    pick(m, (const double[]){__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}) / sizeof(double))

static double rounded(maker *m, double low, double high)
{
    return rint(1000 * support_between(&m->random, low, high)) / 1000;
}

static void vector(maker *m, double length, double out[3])
{
    for (int k = 0; k < 3; ++k) out[k] = rounded(m, -length, length);
}

/* A unit vector, often along an axis. */
static void direction(maker *m, double out[3])
{
    if (one_in(m, 2)) {
        support_direction(&m->random, 1, out);
    } else {
        memset(out, 0, 3 * sizeof *out);
        out[support_below(&m->random, 3)] = one_in(m, 2) ? 1 : -1;
    }
}

static void rotation(maker *m, double out[4])
{
    static const double usual[3][4] = {{0, 0, 0, 1}, {0, 0, 0.6, 0.8}, {0.6, 0, 0, 0.8}};
    double length = 0;
    memcpy(out, usual[support_below(&m->random, 3)], 4 * sizeof *out);
    if (one_in(m, 2)) return;
    for (int k = 0; k < 4; ++k) out[k] = support_gauss(&m->random), length += out[k] * out[k];
    for (int k = 0; k < 4; ++k) out[k] /= sqrt(length);
}

/* A kind of material, of few. */
static uint32_t kind(maker *m) { return one_in(m, 2) ? 0 : support_below(&m->random, 3); }

static support_call *add(maker *m, support_op op)
{
    support_program *p = m->program;
    static support_call none; /* for calls beyond the last */
    if (p->count == SUPPORT_PROGRAM_CALLS) return &none;
    support_call *call = &p->calls[p->count++];
    call->op = op;
    call->at = m->bodies ? support_below(&m->random, m->bodies) : 0;
    call->other = m->bodies ? support_below(&m->random, m->bodies) : 0;
    return call;
}

static void make_world(maker *m)
{
    kugel_world_def *def = &m->program->def;
    *def = kugel_world_def_default();
    if (!one_in(m, 6)) def->gravity[2] = -9.81;
    def->substeps = (int32_t)PICK(m, 0, 1, 1, 2, 4);
    def->bounce_threshold = PICK(m, KUGEL_BOUNCE_BY_SIZE, KUGEL_BOUNCE_BY_SIZE, 0, 0.1, 0.5);
    def->slop = PICK(m, 0.01, 0.01, 0, 0.1);
    def->linear_damping = PICK(m, 0, 0, 0, 0.5);
    def->angular_damping = PICK(m, 0, 0, 0, 0.5);
    def->sleep = !one_in(m, 6);
    def->impact_budget = (int32_t)PICK(m, 256, 256, 16, 1);
    def->contact_iterations = (int32_t)PICK(m, 1, 1, 4);
    def->step_event_limit = 4000;
    def->tasks.threads = one_in(m, 12) ? 2 : 1;
    for (int axis = 0; axis < 3; ++axis) {
        kugel_face *face = &def->bounds.faces[2 * axis];
        uint32_t faces = support_below(&m->random, 5);
        def->bounds.max[axis] = m->edge;
        if (faces < 2) face[0] = face[1] = KUGEL_FACE_PERIODIC;
        if (faces == 2) face[0] = face[1] = KUGEL_FACE_WALL;
        if (faces == 3) face[0] = KUGEL_FACE_WALL;
    }
    if (one_in(m, 2)) def->bounds.faces[4] = def->bounds.faces[5] = KUGEL_FACE_WALL;
    def->bounds.restitution = PICK(m, 0, 0, 0.5, 1);
    def->bounds.friction = PICK(m, 0, 0.5);
    for (int k = 0; k < 6; ++k) def->face_kinds[k] = kind(m);
}

/* A body: on the floor of the box, or anywhere. */
static kugel_body_def *add_body(maker *m)
{
    support_call *call = add(m, SUPPORT_OP_CREATE);
    kugel_body_def *body = &call->body;
    *body = kugel_body_def_default();
    call->at = m->bodies++;
    body->radius = rounded(m, m->radius[0], m->radius[1]);
    for (int k = 0; k < 3; ++k)
        body->position[k] = rounded(m, body->radius, m->edge - body->radius);
    if (one_in(m, 2)) body->position[2] = body->radius;
    uint32_t type = support_below(&m->random, 12);
    body->type = type < 9 ? KUGEL_DYNAMIC : type < 10 ? KUGEL_STATIC : KUGEL_KINEMATIC;
    if (body->type != KUGEL_STATIC && one_in(m, 2))
        vector(m, PICK(m, 0.01, 1, 5, 20), body->velocity);
    if (body->type != KUGEL_STATIC && one_in(m, 3)) vector(m, PICK(m, 1, 20), body->spin);
    body->mass = PICK(m, 1, 1, 1, 0.1, 50);
    body->restitution = PICK(m, 0, 0, 0.5, 1);
    body->friction = PICK(m, 0.5, 0.5, 0, 1);
    body->rolling_resistance = PICK(m, 0, 0, 0.1);
    support_random other = {m->random.state ^ 0x9e3779b97f4a7c15u};
    body->tangential_restitution = support_below(&other, 2) ? 0 : support_between(&other, -1, 1);
    body->kind = kind(m);
    body->gravity_scale = PICK(m, 1, 1, 1, 1, 0, -0.5);
    body->sensor = one_in(m, 12);
    if (one_in(m, 12)) body->linear_damping = PICK(m, 0.5, 10), body->angular_damping = 2;
    body->can_sleep = !one_in(m, 12);
    body->enabled = !one_in(m, 12);
    for (int k = 0; k < 3 && !body->enabled; ++k) body->velocity[k] = body->spin[k] = 0;
    if (one_in(m, 10)) body->group = 1;
    if (one_in(m, 12)) body->mask = 1 + support_below(&m->random, 3);
    return body;
}

static void surface_motion(maker *m, double velocity[3], double spin[3])
{
    memset(velocity, 0, 3 * sizeof *velocity), memset(spin, 0, 3 * sizeof *spin);
    if (one_in(m, 2)) vector(m, PICK(m, 0.001, 0.5, 3, 20), velocity);
    if (one_in(m, 3)) vector(m, PICK(m, 0.01, 1, 5, 80), spin);
}

static void add_surface(maker *m)
{
    if (m->surfaces == SUPPORT_PROGRAM_SURFACES) return;
    support_call *call = add(m, SUPPORT_OP_ADD_SURFACE);
    kugel_surface_def *surface = &call->surface;
    *surface = kugel_surface_def_default();
    call->at = m->surfaces++;
    call->mesh = support_below(&m->random, 64);
    surface->shape = (kugel_surface_shape)support_below(&m->random, 5);
    for (int k = 0; k < 3; ++k) surface->size[k] = rounded(m, 0.1, one_in(m, 3) ? 4 : 1.5);
    direction(m, call->value);
    call->value[3] = rounded(m, -1, one_in(m, 2) ? 0.1 : 3);
    if (one_in(m, 10)) call->value[3] = rounded(m, 10, 100); /* a long arm of its spin */
    rotation(m, surface->rotation);
    surface_motion(m, surface->velocity, surface->spin);
    if (one_in(m, 4)) vector(m, PICK(m, 0.01, 1, 10), surface->tangent_velocity);
    surface->one_sided = one_in(m, 4);
    surface->restitution = PICK(m, 0, 0, 0.5, 1);
    surface->friction = PICK(m, 0.5, 0, 1);
    surface->kind = kind(m);
    if (one_in(m, 8)) surface->mask = support_below(&m->random, 4);
}

static void call_surface(maker *m)
{
    if (!m->surfaces || one_in(m, 3)) {
        add_surface(m);
        return;
    }
    support_op op = SUPPORT_OP_REMOVE_SURFACE + (support_op)support_below(&m->random, 8);
    support_call *call = add(m, op);
    double *v = call->value;
    call->at = support_below(&m->random, m->surfaces);
    if (op == SUPPORT_OP_SURFACE_KIND) call->other = kind(m);
    if (op == SUPPORT_OP_PLACE_SURFACE)
        direction(m, v), v[3] = rounded(m, -1, 1), rotation(m, v + 4);
    if (op == SUPPORT_OP_SURFACE_MOTION) surface_motion(m, v, v + 3);
    if (op == SUPPORT_OP_SURFACE_TANGENT && one_in(m, 2)) vector(m, PICK(m, 0.01, 1, 10), v);
    if (op == SUPPORT_OP_SURFACE_MATERIAL)
        v[0] = PICK(m, 0, 0.5, 1), v[1] = PICK(m, 0, 0.5, 1), v[2] = PICK(m, 0, 0.1),
        v[3] = 1.5 * v[0] - 1;
    if (op == SUPPORT_OP_SURFACE_FILTER) call->other = support_below(&m->random, 8);
    if (op == SUPPORT_OP_SURFACE_TARGET)
        vector(m, m->edge, v), v[3] = PICK(m, 0.01, 0.5), rotation(m, v + 4);
}

static void call_body(maker *m)
{
    support_op op = SUPPORT_OP_DESTROY +
                    (support_op)support_below(&m->random, SUPPORT_OP_PLANE - SUPPORT_OP_DESTROY);
    if (one_in(m, 5)) op = SUPPORT_OP_SLEEP;
    support_call *call = add(m, op);
    double *v = call->value;
    switch (op) {
    case SUPPORT_OP_POSITION:
    case SUPPORT_OP_TARGET:
        direction(m, v);
        v[3] = rounded(m, -0.05, 0.05), v[4] = m->dt;
        break;
    case SUPPORT_OP_ROTATION:
    case SUPPORT_OP_TARGET_ROTATION:
        rotation(m, v), v[4] = m->dt;
        break;
    case SUPPORT_OP_MASS:
    case SUPPORT_OP_TYPE:
        v[0] = PICK(m, 0.1, 1, 5), call->other = support_below(&m->random, 3);
        break;
    case SUPPORT_OP_RADIUS:
        v[0] = rounded(m, m->radius[0], m->radius[1]);
        break;
    case SUPPORT_OP_GRAVITY_SCALE:
        v[0] = PICK(m, 1, 0, -1, 2);
        break;
    case SUPPORT_OP_RESTITUTION:
    case SUPPORT_OP_FRICTION:
    case SUPPORT_OP_ROLLING:
    case SUPPORT_OP_DAMPING:
        v[0] = PICK(m, 0, 0.1, 0.5, 1);
        break;
    case SUPPORT_OP_KIND:
        call->other = kind(m);
        break;
    case SUPPORT_OP_FILTER:
        call->other = support_below(&m->random, 8);
        break;
    case SUPPORT_OP_IMAGE:
        for (int k = 0; k < 3; ++k) {
            bool periodic = m->program->def.bounds.faces[2 * k] == KUGEL_FACE_PERIODIC;
            v[k] = periodic ? support_below(&m->random, 5) : 0;
        }
        break;
    default: /* vectors, of which some calls use none or two */
        vector(m, PICK(m, 0.01, 1, 10, 40), v), vector(m, m->edge, v + 3);
    }
}

static void call_world(maker *m)
{
    support_call *call;
    double *v;
    switch (support_below(&m->random, 8)) {
    case 6:
    case 7:
        call = add(m, SUPPORT_OP_PAIR);
        call->at = kind(m), call->other = kind(m), v = call->value;
        v[0] = PICK(m, 0, 0.3, 0.9, 1), v[1] = PICK(m, 0, 0.3, 1), v[2] = PICK(m, 0, 0, 0.1);
        v[3] = one_in(m, 4), v[4] = v[1] - v[0];
        break;
    case 0:
        call = add(m, SUPPORT_OP_GRAVITY);
        call->value[2] = PICK(m, -9.81, 0, 9.81, -1);
        if (one_in(m, 3)) call->value[0] = 3;
        break;
    case 1:
        call = add(m, SUPPORT_OP_EXPLODE);
        call->value[0] = 0.5, call->value[1] = 2, call->value[2] = PICK(m, 1, 10, -5);
        break;
    case 2:
        add_body(m);
        break;
    default: /* planes over bodies */
        call = add(m, SUPPORT_OP_PLANE);
        direction(m, call->value);
        call->value[3] = PICK(m, -0.02, 0, 0.001, 0.02, 0.3, -0.3);
        call->value[4] = PICK(m, 0, 0, 0.5), call->value[5] = PICK(m, 0.5, 0);
    }
}

static void disturb(maker *m)
{
    support_op op =
        SUPPORT_OP_CLONE + (support_op)support_below(&m->random, SUPPORT_OPS - SUPPORT_OP_CLONE);
    if (one_in(m, 3)) op = SUPPORT_OP_SHORTEST_SKIN + (support_op)support_below(&m->random, 2);
    support_call *call = add(m, op);
    if (op == SUPPORT_OP_FOREIGN) call->other = one_in(m, 4) ? 3 : 1;
    if (op == SUPPORT_OP_ROLLBACK) call->value[0] = PICK(m, m->dt, m->dt, 0.3);
    if (op == SUPPORT_OP_SHORTEST_SKIN) call->value[0] = PICK(m, 0, 0, 0.1, 0.2);
    if (op == SUPPORT_OP_LONGEST_SKIN) call->value[0] = PICK(m, 1, 1, 0.3, 0.4, 0.6);
    if (op == SUPPORT_OP_WINDOW) call->value[0] = rounded(m, 0.0005, 0.01);
    if (op == SUPPORT_OP_CELLS || op == SUPPORT_OP_SORT) call->other = one_in(m, 2);
}

static void step(maker *m)
{
    add(m, SUPPORT_OP_STEP)->value[0] =
        one_in(m, 8) ? PICK(m, 1e-4, 0.002, 1 / 240., 1 / 30., 0.1, 0.3, 1) : m->dt;
}

/* A fast body far away, which makes skins long. It is the last body; a later call may remove it. */
static void add_bullet(maker *m)
{
    kugel_body_def *body = add_body(m);
    body->type = KUGEL_DYNAMIC;
    body->enabled = true;
    body->velocity[support_below(&m->random, 3)] = PICK(m, 100, 300);
    if (one_in(m, 2)) body->gravity_scale = 0;
}

support_program support_program_make(uint64_t seed)
{
    support_program program;
    memset(&program, 0, sizeof program); /* with its padding, since programs are compared */
    maker m = {.random = {seed * 0x9e3779b97f4a7c15u + 5}, .program = &program};
    m.dt = PICK(&m, 1 / 60., 1 / 60., 1 / 60., 1 / 240., 0.05, 0.2);
    m.radius[0] = PICK(&m, 0.4, 0.4, 0.2, 0.1), m.radius[1] = PICK(&m, 0.5, 0.5, 0.4, 1);
    m.edge = PICK(&m, 6, 8, 12, 4.5);
    make_world(&m);
    program.keyframe_ticks = one_in(&m, 2) ? (int32_t)PICK(&m, 1, 2, 3, 5) : -1;
    uint32_t bodies = 1 + support_below(&m.random, 8);
    for (uint32_t k = 0; k < bodies; ++k) add_body(&m);
    if (one_in(&m, 3)) add_surface(&m);
    if (one_in(&m, 3)) add_bullet(&m);
    for (int quiet = one_in(&m, 2) ? 4 : 0; quiet > 0; --quiet) step(&m);
    uint32_t calls = 12 + support_below(&m.random, 40);
    while (program.count < SUPPORT_PROGRAM_CALLS - 4 && calls--) {
        switch (support_below(&m.random, 8)) {
        case 0:
        case 1:
            disturb(&m);
            break;
        case 2:
            call_body(&m);
            break;
        case 3:
            call_world(&m);
            break;
        case 4:
            call_surface(&m);
            break;
        default:
            step(&m);
        }
    }
    step(&m);
    return program;
}
