/* Makes the calls of programs. */
#include <kugel/mesh_shapes.h>
#include <math.h>
#include <string.h>

#include "record/support_surfaces.h"
#include "support/support_plane.h"
#include "support/support_program.h"
#include "support/support_random.h"
#include "support/support_setters.h"

/* The kind of what `at` names. */
static bool names_surface(support_op op)
{
    return op >= SUPPORT_OP_REMOVE_SURFACE && op <= SUPPORT_OP_SURFACE_TARGET;
}

static bool names_body(support_op op)
{
    return (op >= SUPPORT_OP_DESTROY && op <= SUPPORT_OP_PLANE) || op == SUPPORT_OP_EXPLODE;
}

/* Moves a coordinate inside closed bounds. */
static double inside(const kugel_world_def *def, int axis, double x)
{
    const kugel_bounds *b = &def->bounds;
    if (b->faces[2 * axis] != KUGEL_FACE_OPEN) x = fmax(x, b->min[axis]);
    return b->faces[2 * axis + 1] != KUGEL_FACE_OPEN ? fmin(x, b->max[axis]) : x;
}

/* out: from a body in the direction value[0..2] by its radius, `more` and the gap value[3]. */
static bool place_beside(const kugel_world *world, kugel_body body, double more, support_call *call)
{
    kugel_body_state state;
    if (kugel_body_get(world, body, &state)) return false;
    double way = state.radius + more + call->value[3];
    for (int k = 0; k < 3; ++k) call->value[k] = state.position[k] + way * call->value[k];
    return true;
}

static bool resolve_plane(const kugel_world *world, kugel_body body, support_call *call)
{
    kugel_body_state state;
    if (kugel_body_get(world, body, &state)) return false;
    double height = 0;
    for (int k = 0; k < 3; ++k) height += call->value[k] * state.position[k];
    call->value[3] = height - state.radius - call->value[3];
    return true;
}

bool support_program_resolve(const kugel_world *world, const support_program_names *names,
                             support_call *call)
{
    kugel_world_def def;
    kugel_world_get_def(world, &def);
    if (names_body(call->op) && !kugel_body_is_valid(world, names->body[call->at])) return false;
    if (names_surface(call->op) && !names->surface[call->at]) return false;
    if (call->op == SUPPORT_OP_PLANE) return resolve_plane(world, names->body[call->at], call);
    if (call->op == SUPPORT_OP_POSITION || call->op == SUPPORT_OP_TARGET) {
        kugel_body_state moved;
        kugel_body_get(world, names->body[call->at], &moved);
        if (!place_beside(world, names->body[call->other], moved.radius, call)) return false;
        for (int k = 0; k < 3; ++k) call->value[k] = inside(&def, k, call->value[k]);
    }
    if (call->op == SUPPORT_OP_ADD_SURFACE || call->op == SUPPORT_OP_PLACE_SURFACE)
        return place_beside(world, names->body[call->other], 0, call);
    return true;
}

/* Adds a surface whose mesh is made from call->mesh and the sizes. */
static kugel_status add_surface(kugel_world *world, const support_call *call, kugel_surface *made)
{
    enum { GRID = 5, SEGMENTS = 6 };
    static const double from[3] = {0, 0, -1}, to[3] = {0, 0, 1};
    support_random random = {call->mesh};
    support_terrain terrain;
    double vertices[3 * 32], heights[GRID * GRID];
    uint32_t triangles[3 * 32];
    kugel_surface_def def = call->surface;
    const double *size = def.size;
    memcpy(def.position, call->value, sizeof def.position);
    if (def.shape == KUGEL_SURFACE_MESH) {
        kugel_surface_def mesh = def;
        mesh.vertices = vertices, mesh.triangles = triangles;
        const double origin[3] = {-2 * size[0], -2 * size[1], 0};
        switch (call->mesh % 5) {
        case 0:
            mesh = support_tetrahedron();
            break;
        case 1:
            mesh = support_terrain_make(&terrain, &random, call->mesh & 8 ? size[2] : 0);
            break;
        case 2:
            mesh.vertex_count = KUGEL_MESH_BOX_VERTICES;
            mesh.triangle_count = KUGEL_MESH_BOX_TRIANGLES;
            kugel_mesh_box(size, vertices, triangles);
            break;
        case 3:
            for (int k = 0; k < GRID * GRID; ++k)
                heights[k] = call->mesh & 8 ? support_between(&random, 0, size[2]) : 0;
            mesh.vertex_count = KUGEL_MESH_HEIGHT_FIELD_VERTICES(GRID, GRID);
            mesh.triangle_count = KUGEL_MESH_HEIGHT_FIELD_TRIANGLES(GRID, GRID);
            kugel_mesh_height_field(origin, size[0], size[1], GRID, GRID, heights, vertices,
                                    triangles);
            break;
        default:
            mesh.vertex_count = KUGEL_MESH_CONE_VERTICES(SEGMENTS);
            kugel_mesh_cone(from, to, size[0], size[1], SEGMENTS,
                            (kugel_mesh_caps)(call->mesh / 8 % 4), vertices, triangles,
                            &mesh.triangle_count);
        }
        def.vertices = mesh.vertices, def.vertex_count = mesh.vertex_count;
        def.triangles = mesh.triangles, def.triangle_count = mesh.triangle_count;
    }
    return kugel_surface_create(world, &def, made);
}

static kugel_status call_world(kugel_world *world, const support_program_names *names,
                               const support_call *call, uint64_t *made)
{
    const double *v = call->value;
    support_plane plane = {{v[0], v[1], v[2]}, v[3], v[4], v[5]};
    kugel_explosion_def explosion = kugel_explosion_def_default();
    const kugel_pair_material pair = {v[0], v[1], v[2], v[4]};
    switch (call->op) {
    case SUPPORT_OP_CREATE:
        return kugel_body_create(world, &call->body, made);
    case SUPPORT_OP_PLANE:
        return support_add_plane(world, &plane, made);
    case SUPPORT_OP_GRAVITY:
        return kugel_world_set_gravity(world, v);
    case SUPPORT_OP_EXPLODE:
        kugel_body_get_position(world, names->body[call->at], explosion.center);
        explosion.radius = v[0], explosion.falloff = v[1], explosion.impulse = v[2];
        return kugel_world_explode(world, &explosion, NULL);
    case SUPPORT_OP_PAIR:
        return kugel_world_set_pair_material(world, call->at, call->other,
                                             v[3] != 0 ? NULL : &pair);
    case SUPPORT_OP_STEP:
        return kugel_world_step(world, v[0]);
    case SUPPORT_OP_ADD_SURFACE:
        return add_surface(world, call, made);
    default:
        return KUGEL_OK;
    }
}

static kugel_status call_surface(kugel_world *world, kugel_surface surface,
                                 const support_call *call)
{
    const double *v = call->value;
    switch (call->op) {
    case SUPPORT_OP_REMOVE_SURFACE:
        return kugel_surface_destroy(world, surface);
    case SUPPORT_OP_PLACE_SURFACE:
        return kugel_surface_set_pose(world, surface, v, v + 4);
    case SUPPORT_OP_SURFACE_MOTION:
        return kugel_surface_set_motion(world, surface, v, v + 3);
    case SUPPORT_OP_SURFACE_TANGENT:
        return kugel_surface_set_tangent_velocity(world, surface, v);
    case SUPPORT_OP_SURFACE_MATERIAL:
        return kugel_surface_set_material(world, surface, v[0], v[1], v[2], v[3]);
    case SUPPORT_OP_SURFACE_FILTER:
        return kugel_surface_set_filter(world, surface, 1, 1 + call->other % 3, call->other / 4);
    case SUPPORT_OP_SURFACE_KIND:
        return kugel_surface_set_kind(world, surface, call->other);
    default:
        return kugel_surface_set_target(world, surface, call->other & 1 ? v : NULL,
                                        call->other & 1 ? NULL : v + 4, v[3]);
    }
}

static kugel_status call_body(kugel_world *world, kugel_body body, const support_call *call)
{
    const double *v = call->value;
    const int32_t image[3] = {(int32_t)v[0], (int32_t)v[1], (int32_t)v[2]};
    const double turn[4] = {v[0], v[1], v[2], v[3]};
    switch (call->op) {
    case SUPPORT_OP_DESTROY:
        return kugel_body_destroy(world, body);
    case SUPPORT_OP_POSITION:
        return kugel_body_set_position(world, body, v);
    case SUPPORT_OP_VELOCITY:
        return kugel_body_set_velocity(world, body, v);
    case SUPPORT_OP_SPIN:
        return kugel_body_set_spin(world, body, v);
    case SUPPORT_OP_ROTATION:
        return kugel_body_set_rotation(world, body, turn);
    case SUPPORT_OP_MASS:
        return kugel_body_set_mass(world, body, v[0]);
    case SUPPORT_OP_RADIUS:
        return kugel_body_set_radius(world, body, v[0]);
    case SUPPORT_OP_RESTITUTION:
        return support_set_restitution(world, body, v[0]);
    case SUPPORT_OP_FRICTION:
        return support_set_friction(world, body, v[0]);
    case SUPPORT_OP_ROLLING:
        return support_set_rolling_resistance(world, body, v[0]);
    case SUPPORT_OP_GRAVITY_SCALE:
        return kugel_body_set_gravity_scale(world, body, v[0]);
    case SUPPORT_OP_DAMPING:
        return call->other % 2 ? support_set_linear_damping(world, body, v[0])
                               : support_set_angular_damping(world, body, v[0]);
    case SUPPORT_OP_KIND:
        return kugel_body_set_kind(world, body, call->other);
    case SUPPORT_OP_SENSOR:
        return kugel_body_set_sensor(world, body, call->other % 2);
    case SUPPORT_OP_CAN_SLEEP:
        return kugel_body_set_can_sleep(world, body, call->other % 2);
    case SUPPORT_OP_ENABLED:
        return kugel_body_set_enabled(world, body, call->other % 2);
    case SUPPORT_OP_TYPE:
        return kugel_body_set_type(world, body, (kugel_body_type)call->other, v[0]);
    case SUPPORT_OP_FILTER:
        return kugel_body_set_filter(world, body, 1, 1 + call->other % 3, call->other / 4);
    case SUPPORT_OP_IMAGE:
        return kugel_body_set_image(world, body, image);
    case SUPPORT_OP_FORCE:
        return kugel_body_apply_force(world, body, v, NULL);
    case SUPPORT_OP_TORQUE:
        return kugel_body_apply_torque(world, body, v);
    case SUPPORT_OP_IMPULSE:
        return kugel_body_apply_impulse(world, body, v, NULL);
    case SUPPORT_OP_ANGULAR_IMPULSE:
        return kugel_body_apply_angular_impulse(world, body, v);
    case SUPPORT_OP_FORCE_AT:
        return kugel_body_apply_force(world, body, v, v + 3);
    case SUPPORT_OP_IMPULSE_AT:
        return kugel_body_apply_impulse(world, body, v, v + 3);
    case SUPPORT_OP_WAKE:
        return kugel_body_wake(world, body);
    case SUPPORT_OP_SLEEP:
        return kugel_body_sleep(world, body);
    case SUPPORT_OP_TARGET:
        return kugel_body_set_target(world, body, v, NULL, v[4]);
    default:
        return kugel_body_set_target(world, body, NULL, turn, v[4]);
    }
}

kugel_status support_program_call(kugel_world *world, const support_program_names *names,
                                  const support_call *call, uint64_t *made)
{
    *made = KUGEL_NULL_BODY;
    if (names_surface(call->op)) return call_surface(world, names->surface[call->at], call);
    bool of_body =
        names_body(call->op) && call->op != SUPPORT_OP_PLANE && call->op != SUPPORT_OP_EXPLODE;
    if (of_body) return call_body(world, names->body[call->at], call);
    return call_world(world, names, call, made);
}
