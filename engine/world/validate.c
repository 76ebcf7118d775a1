/* Checks all values that enter a world.
 * In: a def or the arguments of a call. Out: KUGEL_OK, or a status and an error that names the
 * first invalid field found. Cost: linear in the values. */
#include "world/validate.h"

#include <stdio.h>

#include "world/locks.h"
#include "world/periodic.h"

#define INVALID KUGEL_ERROR_INVALID_ARGUMENT

/* Checks test for valid values, since every comparison with NaN is false. */
kugel_status kg_validate_range(double value, double low, double high, const char *name,
                               kugel_error *error)
{
    if (value >= low && value <= high) return KUGEL_OK;
    if (value != value) return kg_error_set(error, INVALID, name, "is not a number");
    return kg_error_set(error, INVALID, name, "must be in [%.10g, %.10g], got %.10g", low, high,
                        value);
}

kugel_status kg_validate_material(const double *values, int count, const char *prefix,
                                  kugel_error *error)
{
    for (int k = 0; k < count; ++k) {
        char name[sizeof error->argument];
        kg_range range = kg_material_ranges[k];
        if (values[k] >= range.low && values[k] <= range.high) continue;
        snprintf(name, sizeof name, "%s%s", prefix, kg_material_fields[k].name);
        return kg_validate_range(values[k], range.low, range.high, name, error);
    }
    return KUGEL_OK;
}

kugel_status kg_validate_kind(uint32_t kind, const char *name, kugel_error *error)
{
    return kg_validate_range(kind, 0, KUGEL_KIND_COUNT - 1, name, error);
}

static kugel_status check_components(const double *value, const char *name, kugel_error *error)
{
    for (int k = 0; k < 3; ++k) {
        if (value[k] >= -KG_VALUE_LIMIT && value[k] <= KG_VALUE_LIMIT) continue;
        return kg_error_set(error, INVALID, name,
                            "component %d must be finite and within +-%g, got %g", k,
                            KG_VALUE_LIMIT, value[k]);
    }
    return KUGEL_OK;
}

kugel_status kg_validate_vector(const double *value, const char *name, kugel_error *error)
{
    if (!value) return kg_error_set(error, INVALID, name, "is NULL");
    return check_components(value, name, error);
}

static kugel_status check_axis(const kugel_bounds *bounds, int axis, kugel_error *error)
{
    static const char *const names[3] = {"bounds.faces (x)", "bounds.faces (y)",
                                         "bounds.faces (z)"};
    static const char *const spans[3] = {"bounds.min (x)", "bounds.min (y)", "bounds.min (z)"};
    kugel_face low = bounds->faces[2 * axis], high = bounds->faces[2 * axis + 1];
    if ((unsigned)low > KUGEL_FACE_PERIODIC || (unsigned)high > KUGEL_FACE_PERIODIC)
        return kg_error_set(error, INVALID, names[axis], "unknown kind of face");
    if ((low == KUGEL_FACE_PERIODIC) != (high == KUGEL_FACE_PERIODIC))
        return kg_error_set(error, INVALID, names[axis], "periodic faces come in pairs");
    if (low == KUGEL_FACE_OPEN && high == KUGEL_FACE_OPEN) return KUGEL_OK;
    double from = bounds->min[axis], to = bounds->max[axis];
    if (!(fabs(from) <= KG_VALUE_LIMIT) || !(fabs(to) <= KG_VALUE_LIMIT))
        return kg_error_set(error, INVALID, spans[axis],
                            "min and max must be finite and within +-%g", KG_VALUE_LIMIT);
    if (!(from < to))
        return kg_error_set(error, INVALID, spans[axis], "min %g is not below max %g", from, to);
    return KUGEL_OK;
}

static kugel_status check_bounds(const kugel_bounds *bounds, kugel_error *error)
{
    for (int axis = 0; axis < 3; ++axis) {
        kugel_status status = check_axis(bounds, axis, error);
        if (status) return status;
    }
    return kg_validate_material((const double[]){bounds->restitution, bounds->friction}, 2,
                                "bounds.", error);
}

static kugel_status check_face_kinds(const kugel_world_def *def, kugel_error *error)
{
    kugel_status status = KUGEL_OK;
    for (int k = 0; k < 6 && !status; ++k)
        status = kg_validate_kind(def->face_kinds[k], "face_kinds", error);
    return status;
}

static kugel_status check_hooks(const kugel_world_def *def, kugel_error *error)
{
    const kugel_allocator *a = &def->allocator;
    int set = (a->allocate != NULL) + (a->reallocate != NULL) + (a->free != NULL);
    if (set != 0 && set != 3)
        return kg_error_set(error, INVALID, "allocator", "give all three functions or none");
    return kg_validate_range(def->tasks.threads, 1, 256, "tasks.threads", error);
}

static kugel_status check_bounce_threshold(double threshold, kugel_error *error)
{
    if (threshold == KUGEL_BOUNCE_BY_SIZE) return KUGEL_OK;
    return kg_validate_range(threshold, 0, KG_VALUE_LIMIT, "bounce_threshold", error);
}

kugel_status kg_validate_def(const void *def, void *complete, size_t own, const char *argument,
                             kugel_error *error)
{
    if (!def) return kg_error_set(error, INVALID, argument, "is NULL");
    if (!kg_def_read(def, complete, own))
        return kg_error_set(error, KUGEL_ERROR_UNINITIALIZED_DEF, argument,
                            "was not made by its default function, or sets a member that this "
                            "library lacks");
    return KUGEL_OK;
}

kugel_status kg_validate_world_def(const kugel_world_def *def, kugel_error *error)
{
    kugel_status status = check_components(def->gravity, "gravity", error);
    if (!status) status = kg_validate_range(def->substeps, 0, KG_SUBSTEPS_MAX, "substeps", error);
    if (!status) status = check_bounce_threshold(def->bounce_threshold, error);
    if (!status) status = kg_validate_range(def->slop, 0, 0.5, "slop", error);
    if (!status) status = kg_validate_range(def->linear_damping, 0, 1e6, "linear_damping", error);
    if (!status) status = kg_validate_range(def->angular_damping, 0, 1e6, "angular_damping", error);
    if (!status)
        status = kg_validate_range(def->contact_iterations, 1, 100, "contact_iterations", error);
    if (!status) status = kg_validate_range(def->impact_budget, 1, 1 << 30, "impact_budget", error);
    if (!status)
        status = kg_validate_range(def->step_event_limit, 0, 1 << 30, "step_event_limit", error);
    if (!status) status = kg_validate_range(def->growth, 0, KG_GROWTH_MAX, "growth", error);
    if (!status)
        status = kg_validate_range(def->body_capacity, 0, KG_BODY_LIMIT, "body_capacity", error);
    if (!status) status = check_bounds(&def->bounds, error);
    if (!status) status = check_face_kinds(def, error);
    if (!status) status = check_hooks(def, error);
    return status;
}

kugel_status kg_validate_rotation(const double *rotation, const char *name, kugel_error *error)
{
    double length2 = 0;
    if (!rotation) return kg_error_set(error, INVALID, name, "is NULL");
    for (int k = 0; k < 4; ++k) length2 += rotation[k] * rotation[k];
    if (fabs(sqrt(length2) - 1) <= KG_UNIT_TOLERANCE) return KUGEL_OK;
    return kg_error_set(error, INVALID, name, "must be a unit quaternion, its length is %g",
                        sqrt(length2));
}

static kugel_status check_vertices(const kugel_surface_def *def, kugel_error *error)
{
    for (size_t k = 0; k < 3 * (size_t)def->vertex_count; ++k) {
        if (fabs(def->vertices[k]) <= KG_VALUE_LIMIT) continue;
        return kg_error_set(error, INVALID, "surface.vertices",
                            "must be within %g, vertex %zu has %g", KG_VALUE_LIMIT, k / 3,
                            def->vertices[k]);
    }
    return KUGEL_OK;
}

static kugel_status check_triangles(const kugel_surface_def *def, kugel_error *error)
{
    for (size_t k = 0; k < 3 * (size_t)def->triangle_count; ++k) {
        if (def->triangles[k] < def->vertex_count) continue;
        return kg_error_set(error, INVALID, "surface.triangles",
                            "must name vertices below %u, triangle %zu has %u", def->vertex_count,
                            k / 3, def->triangles[k]);
    }
    return KUGEL_OK;
}

static kugel_status check_size(double size, int k, bool may_be_zero, kugel_error *error)
{
    if (size >= 0 && size <= KG_VALUE_LIMIT && (size > 0 || may_be_zero)) return KUGEL_OK;
    return kg_error_set(error, INVALID, "surface.size",
                        "size[%d] must be %s 0 and at most %g, got %g", k, may_be_zero ? ">=" : ">",
                        KG_VALUE_LIMIT, size);
}

static kugel_status check_kind(const kugel_surface_def *def, kugel_error *error)
{
    if ((uint32_t)def->shape <= KUGEL_SURFACE_BOX) return KUGEL_OK;
    return kg_error_set(error, INVALID, "surface.shape", "must be a kugel_surface_shape, got %d",
                        (int)def->shape);
}

kugel_status kg_validate_shape(const kugel_surface_def *def, kugel_error *error)
{
    static const bool may_be_zero[KUGEL_SURFACE_BOX + 1][3] = {
        [KUGEL_SURFACE_PLANE] = {true},
        [KUGEL_SURFACE_CAPSULE] = {false, true},
        [KUGEL_SURFACE_CONE] = {true, true, false}};
    kugel_status status = check_kind(def, error);
    for (int k = 0; !status && k < kg_shape_sizes(def->shape); ++k)
        status = check_size(def->size[k], k, may_be_zero[def->shape][k], error);
    if (status) return status;
    if (def->shape == KUGEL_SURFACE_CONE && def->size[0] == 0 && def->size[1] == 0)
        return kg_error_set(error, INVALID, "surface.size", "one radius must be > 0");
    return KUGEL_OK;
}

static kugel_status check_counts(const kugel_surface_def *def, kugel_error *error)
{
    if (def->shape != KUGEL_SURFACE_MESH) {
        if (!def->vertex_count && !def->triangle_count && !def->one_sided) return KUGEL_OK;
        return kg_error_set(error, INVALID, "surface.vertices", "of a solid shape must be none");
    }
    if (def->vertex_count < 3 || def->vertex_count > 0x7fffffffu)
        return kg_error_set(error, INVALID, "surface.vertices", "must be 3 ... 2^31 - 1 vertices");
    if (def->triangle_count < 1)
        return kg_error_set(error, INVALID, "surface.triangles", "must be at least 1 triangle");
    if (def->triangle_count > KG_MESH_TRIANGLE_LIMIT)
        return kg_error_set(error, KUGEL_ERROR_LIMIT, "surface.triangles",
                            "are %u, at most %u are possible", def->triangle_count,
                            KG_MESH_TRIANGLE_LIMIT);
    return KUGEL_OK;
}

kugel_status kg_validate_surface_head(const kugel_surface_def *def, kugel_error *error)
{
    kugel_status status = check_components(def->position, "surface.position", error);
    if (!status && def->shape == KUGEL_SURFACE_PLANE && kg_is_zero3(def->rotation) &&
        def->rotation[3] == 0) /* from kugel_surface_def_init_plane */
        status = kg_error_set(error, INVALID, "normal", "must be a unit vector");
    if (!status) status = kg_validate_rotation(def->rotation, "surface.rotation", error);
    if (!status) status = check_components(def->velocity, "surface.velocity", error);
    if (!status) status = check_components(def->spin, "surface.spin", error);
    if (!status)
        status = check_components(def->tangent_velocity, "surface.tangent_velocity", error);
    if (!status)
        status = kg_validate_material((const double[]){def->restitution, def->friction,
                                                       def->rolling_resistance,
                                                       def->tangential_restitution},
                                      KG_CONTACT_NUMBERS, "surface.", error);
    if (!status) status = kg_validate_kind(def->kind, "surface.kind", error);
    if (!status && def->sensor && def->shape == KUGEL_SURFACE_MESH)
        status = kg_error_set(error, INVALID, "surface.sensor", "is for solid shapes");
    if (!status) status = check_kind(def, error);
    return status ? status : check_counts(def, error);
}

kugel_status kg_validate_surface_def(const kugel_surface_def *def, kugel_error *error)
{
    kugel_status shape = kg_validate_shape(def, error);
    if (shape) return shape;
    bool is_mesh = def->shape == KUGEL_SURFACE_MESH;
    if (is_mesh && !def->vertices)
        return kg_error_set(error, INVALID, "surface.vertices", "is NULL");
    if (is_mesh && !def->triangles)
        return kg_error_set(error, INVALID, "surface.triangles", "is NULL");
    kugel_status status = kg_validate_surface_head(def, error);
    if (!status) status = check_vertices(def, error);
    return status ? status : check_triangles(def, error);
}

kugel_status kg_validate_radius(const kugel_world *world, double radius, const char *name,
                                kugel_error *error)
{
    kugel_status status = kg_validate_range(radius, KG_RADIUS_MIN, KG_VALUE_LIMIT, name, error);
    for (int axis = 0; axis < 3 && !status; ++axis) {
        double length = kg_periodic_length(world, axis);
        if (length > 0 && !(length > 4 * radius))
            status = kg_error_set(error, INVALID, name,
                                  "%g is not below a quarter of the periodic length %g along %c",
                                  radius, length, "xyz"[axis]);
    }
    return status;
}

kugel_status kg_validate_position(const kugel_world *world, const double *position,
                                  const char *name, kugel_error *error)
{
    static const char axis_name[] = "xyz";
    const kugel_bounds *bounds = &world->def.bounds;
    kugel_status status = kg_validate_vector(position, name, error);
    if (status) return status;
    for (int axis = 0; axis < 3; ++axis) {
        double x = position[axis];
        kugel_face low = bounds->faces[2 * axis], high = bounds->faces[2 * axis + 1];
        bool outside = (low != KUGEL_FACE_OPEN && x < bounds->min[axis]) ||
                       (high != KUGEL_FACE_OPEN && x > bounds->max[axis]);
        if (outside) {
            return kg_error_set(error, INVALID, name,
                                "%c = %g is outside the closed bounds [%g, %g]", axis_name[axis], x,
                                bounds->min[axis], bounds->max[axis]);
        }
    }
    return KUGEL_OK;
}

static kugel_status check_still(const kugel_body_def *def, kugel_error *error)
{
    const char *kind = !def->enabled ? "disabled" : "static";
    for (int k = 0; k < 3 && (def->type == KUGEL_STATIC || !def->enabled); ++k) {
        if (def->velocity[k] != 0)
            return kg_error_set(error, INVALID, "def.velocity", "of a %s body must be 0", kind);
        if (def->spin[k] != 0)
            return kg_error_set(error, INVALID, "def.spin", "of a %s body must be 0", kind);
    }
    return KUGEL_OK;
}

kugel_status kg_validate_image(const kugel_world *world, const int32_t *image, const char *name,
                               kugel_error *error)
{
    for (int k = 0; k < 3; ++k) {
        if (image[k] == 0 || kg_periodic_length(world, k) > 0) continue;
        return kg_error_set(error, INVALID, name,
                            "must be 0 along %c, which is not periodic, got %d", "xyz"[k],
                            image[k]);
    }
    return KUGEL_OK;
}

double kg_body_def_mass(const kugel_body_def *def)
{
    const double pi = 3.14159265358979323846;
    double r = def->radius;
    return def->density > 0 ? def->density * (4. / 3 * pi) * r * r * r : def->mass;
}

kugel_status kg_validate_locks(uint32_t locks, const char *name, kugel_error *error)
{
    if (locks <= KG_LOCKS_ALL) return KUGEL_OK;
    return kg_error_set(error, INVALID, name, "has bits beyond those of kugel_locks");
}

kugel_status kg_validate_body_def(const kugel_world *world, const kugel_body_def *def,
                                  kugel_error *error)
{
    if ((unsigned)def->type > KUGEL_KINEMATIC)
        return kg_error_set(error, INVALID, "def.type", "unknown type of body");
    kugel_status status = kg_validate_radius(world, def->radius, "def.radius", error);
    if (!status) status = check_components(def->velocity, "def.velocity", error);
    if (!status) status = check_components(def->spin, "def.spin", error);
    if (!status) status = check_still(def, error);
    if (!status) status = kg_validate_rotation(def->rotation, "def.rotation", error);
    if (!status) status = kg_validate_range(def->density, 0, KG_VALUE_LIMIT, "def.density", error);
    if (!status && def->type == KUGEL_DYNAMIC)
        status = kg_validate_range(kg_body_def_mass(def), KG_MASS_MIN, KG_VALUE_LIMIT, "def.mass",
                                   error);
    if (!status)
        status = kg_validate_material(
            (const double[]){def->restitution, def->friction, def->rolling_resistance,
                             def->tangential_restitution, def->gravity_scale, def->linear_damping,
                             def->angular_damping},
            KG_MATERIAL_NUMBERS, "def.", error);
    if (!status) status = kg_validate_kind(def->kind, "def.kind", error);
    if (!status) status = kg_validate_locks(def->locks, "def.locks", error);
    if (!status) status = kg_validate_position(world, def->position, "def.position", error);
    if (!status) status = kg_validate_image(world, def->image, "def.image", error);
    return status;
}

static void clear_negative_zeros(double *values, int n)
{
    for (int k = 0; k < n; ++k) values[k] += 0.0;
}

void kg_validate_canonical_def(kugel_world_def *def)
{
    clear_negative_zeros(def->gravity, 3);
    clear_negative_zeros(&def->bounce_threshold, 1);
    clear_negative_zeros(&def->slop, 1);
    clear_negative_zeros(&def->growth, 1);
    clear_negative_zeros(&def->linear_damping, 1);
    clear_negative_zeros(&def->angular_damping, 1);
    clear_negative_zeros(def->bounds.min, 3);
    clear_negative_zeros(def->bounds.max, 3);
    clear_negative_zeros(&def->bounds.restitution, 1);
    clear_negative_zeros(&def->bounds.friction, 1);
    for (int k = 0; k < 3; ++k) { /* NaN is valid on an open axis, which uses neither bound */
        if (def->bounds.min[k] != def->bounds.min[k]) def->bounds.min[k] = 0;
        if (def->bounds.max[k] != def->bounds.max[k]) def->bounds.max[k] = 0;
    }
}
