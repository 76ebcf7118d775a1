/* Checks the values of a snapshot. In: a view whose parts lie inside its bytes. Out: KUGEL_OK if a
 * world could have saved every value, in range and without -0; else the reason. Cost: one pass over
 * the columns, O(1) for most columns with one value; allocates nothing. */
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "record/snapshot_surfaces.h"
#include "world/sleep_state.h"
#include "world/locks.h"
#include "world/validate.h"

#define BODY_COLUMN(view, member) body_column(view, offsetof(kg_bodies, member))

/* Column of the member of kg_bodies at this offset. */
static const kg_snapshot_column *body_column(const kg_snapshot_view *view, size_t offset)
{
    uint32_t k = 0;
    while (kg_body_fields[k].offset != offset) ++k;
    return &view->columns[KG_VIEW_BODY_FIELDS + k];
}

/* Number of values that a column of floating-point numbers stores. Its rows have these values. */
static uint32_t stored_count(const kg_snapshot_column *view)
{
    return view->mode == KG_MODE_CONSTANT     ? 1
           : view->mode == KG_MODE_DICTIONARY ? view->bytes[1]
                                              : view->count;
}

/* True if all doubles are within +-KG_VALUE_LIMIT, all floats are finite, and none is -0. A NaN
 * fails the comparison with the limit. */
static bool in_range(const kg_snapshot_column *view)
{
    uint32_t n = stored_count(view), bad = 0;
    if (view->kind == KG_F64) {
        for (uint32_t k = 0; k < n; ++k) {
            uint64_t bits = kg_get64(view->values + 8 * (size_t)k);
            bad |=
                !(fabs(kg_double_from_bits(bits)) <= KG_VALUE_LIMIT) | (bits == (uint64_t)1 << 63);
        }
    } else if (view->kind == KG_F32) {
        for (uint32_t k = 0; k < n; ++k) {
            uint32_t bits = kg_get32(view->values + 4 * (size_t)k);
            bad |= ((bits & 0x7f800000u) == 0x7f800000u) | (bits == 0x80000000u);
        }
    }
    return !bad;
}

/* True if all rows of an integer column lie in [low, high]. */
static bool all_within(const kg_snapshot_column *view, uint64_t low, uint64_t high)
{
    for (uint32_t r = 0; r < (view->mode == KG_MODE_CONSTANT ? 1 : view->count); ++r) {
        uint64_t value = kg_snapshot_column_bits(view, r);
        if (value < low || value > high) return false;
    }
    return true;
}

enum { LOCKS = KG_KIND + 4 }; /* row of kg_material_fields */
static const kg_snapshot_column *locks_column(const kg_snapshot_view *view)
{
    return &view->columns[KG_VIEW_MATERIAL_FIELDS + LOCKS];
}

/* Column of the material flag of disabled bodies. */
static const kg_snapshot_column *disabled_column(const kg_snapshot_view *view)
{
    return &view->columns[KG_VIEW_MATERIAL_FIELDS + KG_MATERIAL_FIELDS - 1];
}

static kugel_status check_numbers(const kg_snapshot_view *view, kugel_error *error)
{
    for (uint32_t c = 0; c < KG_VIEW_COLUMNS; ++c) {
        if (view->columns[c].bytes && !in_range(&view->columns[c]))
            return kg_snapshot_error(error, kg_snapshot_field(c)->name, "is out of range, or -0");
    }
    return KUGEL_OK;
}

/* True if a world with these settings would write the same bytes: no -0, flags 0 or 1. */
static bool settings_are_canonical(const kg_snapshot_view *view)
{
    uint8_t encoded[KG_WORLD_DEF_BYTES];
    kugel_world_def def = view->def;
    kg_validate_canonical_def(&def);
    kg_def_encode(kg_world_def_members, &def, encoded);
    return memcmp(encoded, view->data + KG_SNAPSHOT_DEF, sizeof encoded) == 0;
}

static kugel_status check_world(const kg_snapshot_view *view, kugel_error *error)
{
    kugel_error why;
    kugel_status status = kg_validate_world_def(&view->def, &why);
    if (status) return kg_snapshot_error(error, why.argument, why.message);
    if (!settings_are_canonical(view))
        return kg_snapshot_error(error, "settings",
                                 "are not as a world writes them: -0, or a flag that is none");
    if (!(view->time >= 0) || !(view->time <= 1e300))
        return kg_snapshot_error(error, "time", "is out of range");
    if (kg_double_to_bits(view->time) >> 63 || (view->tick > 0) != (view->time > 0))
        return kg_snapshot_error(error, "time", "is not that of its tick");
    if (view->time + view->time_rest != view->time ||
        kg_double_to_bits(view->time_rest) == (uint64_t)1 << 63)
        return kg_snapshot_error(error, "time", "is not the rounded sum, or its rest is -0");
    return KUGEL_OK;
}

/* True if generations are within 1 ... KG_GENERATION_LIMIT, as many live bits are set as there are
 * bodies, and no bit is set beyond the end of ids. */
static bool ids_fit(const kg_snapshot_view *view)
{
    uint32_t count = 0;
    if (view->counts.id_end &&
        !all_within(&view->columns[KG_VIEW_GENERATIONS], 1, KG_GENERATION_LIMIT))
        return false;
    if (!view->live) return true;
    for (uint32_t k = 0; k < (view->counts.id_end + 7) / 8; ++k)
        count += kg_count_bits(view->live[k]);
    if (view->counts.id_end % 8 && view->live[view->counts.id_end / 8] >> view->counts.id_end % 8)
        return false;
    return count == view->counts.bodies;
}

/* True if along each periodic axis all positions lie between the faces, and the distance of the
 * faces exceeds twice the largest diameter. `radius`: the largest, m. */
static bool periodic_axes_fit(const kg_snapshot_view *view, double radius)
{
    const kugel_bounds *bounds = &view->def.bounds;
    for (uint32_t axis = 0; axis < 3; ++axis) {
        if (bounds->faces[2 * axis] != KUGEL_FACE_PERIODIC) continue;
        const kg_snapshot_column *x = &view->columns[KG_VIEW_BODY_FIELDS + axis];
        if (!(bounds->max[axis] - bounds->min[axis] > 4 * radius)) return false;
        for (uint32_t k = 0; k < stored_count(x); ++k) {
            double at = kg_double_from_bits(kg_get64(x->values + 8 * (size_t)k));
            if (!(at >= bounds->min[axis] && at <= bounds->max[axis])) return false;
        }
    }
    return true;
}

/* True if the snapshot has no images, or if its images have a number other than 0 and all such
 * numbers belong to periodic axes. */
static bool images_fit(const kg_snapshot_view *view)
{
    const kg_snapshot_column *images = BODY_COLUMN(view, image[0]);
    bool any = !(view->counts.flags & KG_SNAPSHOT_IMAGES);
    for (int axis = 0; axis < 3 && view->counts.flags & KG_SNAPSHOT_IMAGES; ++axis) {
        if (all_within(&images[axis], 0, 0)) continue;
        if (view->def.bounds.faces[2 * axis] != KUGEL_FACE_PERIODIC) return false;
        any = true;
    }
    return any;
}

/* True if all centres are in [min, max) along periodic axes. */
static bool positions_are_wrapped(const kg_snapshot_view *view)
{
    const kg_snapshot_column *positions = BODY_COLUMN(view, x[0]);
    for (int axis = 0; axis < 3; ++axis) {
        const kg_snapshot_column *column = &positions[axis];
        double low = view->def.bounds.min[axis], high = view->def.bounds.max[axis];
        if (view->def.bounds.faces[2 * axis] != KUGEL_FACE_PERIODIC) continue;
        for (uint32_t k = 0; k < stored_count(column); ++k) {
            double x = kg_double_from_bits(kg_get64(column->values + 8 * (size_t)k));
            if (!(x >= low && x < high)) return false;
        }
    }
    return true;
}

static kugel_status check_radii(const kg_snapshot_view *view, kugel_error *error)
{
    const kg_snapshot_column *radius = BODY_COLUMN(view, radius);
    double smallest = KG_VALUE_LIMIT, largest = 0;
    for (uint32_t k = 0; k < stored_count(radius); ++k) {
        double r = kg_double_from_bits(kg_get64(radius->values + 8 * (size_t)k));
        smallest = r < smallest ? r : smallest;
        largest = r > largest ? r : largest;
    }
    if (!(smallest >= KG_RADIUS_MIN)) return kg_snapshot_error(error, "radius", "is too small");
    return periodic_axes_fit(view, largest)
               ? KUGEL_OK
               : kg_snapshot_error(error, "bounds", "do not hold the bodies along a periodic axis");
}

/* Check type, mass, sleep state and motion. Dynamic bodies have a mass and any sleep state.
 * Kinematic and static bodies have mass 0. The sleep state of a static body is 0, that of a
 * kinematic body 0 or KG_DRIVEN. Static and sleeping bodies have velocity and spin 0. */
static kugel_status check_types(const kg_snapshot_view *view, kugel_error *error)
{
    const kg_snapshot_column *type = BODY_COLUMN(view, type), *mass = BODY_COLUMN(view, mass),
                             *sleep_state = BODY_COLUMN(view, sleep_state),
                             *disabled = disabled_column(view), *locks = locks_column(view);
    const kg_snapshot_column *motion = BODY_COLUMN(view, v[0]); /* 6 columns: velocity, spin */
    bool all_constant = type->mode == KG_MODE_CONSTANT && mass->mode == KG_MODE_CONSTANT &&
                        sleep_state->mode == KG_MODE_CONSTANT &&
                        disabled->mode == KG_MODE_CONSTANT && locks->mode == KG_MODE_CONSTANT,
         one_motion = true;
    for (int k = 0; k < 6; ++k) one_motion = one_motion && motion[k].mode == KG_MODE_CONSTANT;
    for (uint32_t r = 0; r < (all_constant && one_motion ? 1 : view->counts.bodies); ++r) {
        uint64_t t = kg_snapshot_column_bits(type, r), m = kg_snapshot_column_bits(mass, r),
                 c = kg_snapshot_column_bits(sleep_state, r),
                 off = kg_snapshot_column_bits(disabled, r);
        if (t > KUGEL_KINEMATIC) return kg_snapshot_error(error, "type", "is not known");
        if (t == KUGEL_DYNAMIC ? !(kg_double_from_bits(m) >= KG_MASS_MIN) : m != 0)
            return kg_snapshot_error(error, "mass", "is out of range");
        if (t == KUGEL_DYNAMIC ? c > KG_DRIVEN : c && (t == KUGEL_STATIC || c != KG_DRIVEN))
            return kg_snapshot_error(error, "sleep_state", "is out of range");
        if (off && t == KUGEL_DYNAMIC && c != KG_ASLEEP)
            return kg_snapshot_error(error, "sleep_state", "of a disabled body is not asleep");
        uint64_t held = t == KUGEL_STATIC || c == KG_ASLEEP || off ? KG_LOCKS_ALL
                        : t == KUGEL_DYNAMIC ? kg_snapshot_column_bits(locks, r)
                                             : 0;
        if (!held && all_constant) break;
        for (int k = 0; k < 6 && held; ++k) {
            if (held >> k & 1 && kg_snapshot_column_bits(&motion[k], r))
                return kg_snapshot_error(error, "velocity",
                                         "or spin of a body that keeps still is not 0, or along a "
                                         "locked axis");
        }
    }
    return KUGEL_OK;
}

static bool rotations_are_unit(const kg_snapshot_view *view)
{
    const kg_snapshot_column *columns = BODY_COLUMN(view, q[0]);
    bool all_constant = columns[0].mode == KG_MODE_CONSTANT &&
                        columns[1].mode == KG_MODE_CONSTANT &&
                        columns[2].mode == KG_MODE_CONSTANT && columns[3].mode == KG_MODE_CONSTANT;
    for (uint32_t r = 0; r < (all_constant ? 1 : view->counts.bodies); ++r) {
        double q[4];
        for (int k = 0; k < 4; ++k)
            q[k] = kg_double_from_bits(kg_snapshot_column_bits(&columns[k], r));
        if (kg_validate_rotation(q, "q", NULL)) return false;
    }
    return true;
}

/* True if the kinds of the pair exist, and a world would write its row in these bytes: numbers in
 * range, without -0. */
static bool pair_is_valid(const kg_pair_row *row, const uint8_t *at)
{
    const kg_contact_material *m = &row->material;
    const double numbers[KG_CONTACT_NUMBERS] = {m->restitution, m->friction, m->rolling_resistance,
                                                m->tangential_restitution};
    uint8_t encoded[KG_PAIR_BYTES];
    kg_pair_row canonical = *row;
    canonical.material =
        (kg_contact_material){m->restitution + 0.0, m->friction + 0.0, m->rolling_resistance + 0.0,
                              m->tangential_restitution + 0.0, 0};
    kg_def_encode(kg_pair_members, &canonical, encoded);
    return row->kinds[0] <= row->kinds[1] && row->kinds[1] < KUGEL_KIND_COUNT &&
           !kg_validate_material(numbers, KG_CONTACT_NUMBERS, "", NULL) &&
           memcmp(at, encoded, sizeof encoded) == 0;
}

/* True if the pairs of the table are valid, and their places ascend. */
static bool pairs_fit(const kg_snapshot_view *view)
{
    uint32_t next = 0;
    for (uint32_t k = 0; k < view->counts.pairs; ++k) {
        kg_pair_row row = kg_snapshot_pair(view, k);
        if (!pair_is_valid(&row, view->pairs + k * (size_t)KG_PAIR_BYTES)) return false;
        uint32_t place = kg_pairs_place(row.kinds[0], row.kinds[1]);
        if (place < next) return false;
        next = place + 1;
    }
    return true;
}

static kugel_status check_materials(const kg_snapshot_view *view, kugel_error *error)
{
    for (int f = 0; f < KG_MATERIAL_NUMBERS; ++f) {
        const char *name = kg_material_fields[f].name;
        const kg_snapshot_column *column = &view->columns[KG_VIEW_MATERIAL_FIELDS + f];
        for (uint32_t k = 0; k < stored_count(column); ++k) {
            double value = kg_double_from_bits(kg_get64(column->values + 8 * (size_t)k));
            if (!(value >= kg_material_ranges[f].low && value <= kg_material_ranges[f].high))
                return kg_snapshot_error(error, name, "is out of range");
        }
    }
    if (!all_within(&view->columns[KG_VIEW_MATERIAL_FIELDS + KG_KIND], 0, KUGEL_KIND_COUNT - 1))
        return kg_snapshot_error(error, "kind", "is out of range");
    if (!all_within(locks_column(view), 0, KG_LOCKS_ALL))
        return kg_snapshot_error(error, "locks", "are out of range");
    for (int f = LOCKS + 1; f < KG_MATERIAL_FIELDS; ++f) {
        bool is_flag = kg_material_fields[f].kind == KG_U8;
        if (is_flag && !all_within(&view->columns[KG_VIEW_MATERIAL_FIELDS + f], false, true))
            return kg_snapshot_error(error, kg_material_fields[f].name,
                                     "is neither true nor false");
    }
    return KUGEL_OK;
}

static kugel_status check_bodies(const kg_snapshot_view *view, kugel_error *error)
{
    kugel_status status = check_radii(view, error);
    if (!status) status = check_types(view, error);
    if (!status && !rotations_are_unit(view))
        status = kg_snapshot_error(error, "rotation", "is not a unit quaternion");
    if (!status && !positions_are_wrapped(view))
        status = kg_snapshot_error(error, "position", "is not inside a periodic axis");
    if (!status && !images_fit(view))
        status = kg_snapshot_error(error, "image",
                                   "is 0 for all, or not 0 along an axis that is not periodic");
    if (!status && !all_within(BODY_COLUMN(view, placed), false, true))
        status = kg_snapshot_error(error, "placed", "is neither true nor false");
    return status ? status : check_materials(view, error);
}

/* An index of the live bits, to find the row of an id. The bytes of the live bits are divided into
 * ranges; before[k] is the number of live ids before range k. */
typedef struct row_directory {
    uint32_t before[1024];
    uint32_t bytes_per_entry; /* bytes of a range */
} row_directory;

static void make_row_directory(const kg_snapshot_view *view, row_directory *d)
{
    uint32_t bytes = (view->counts.id_end + 7) / 8, count = 0,
             max_ranges = sizeof d->before / sizeof *d->before;
    d->bytes_per_entry = bytes / max_ranges + 1;
    for (uint32_t k = 0; view->live && k < bytes; ++k) {
        if (k % d->bytes_per_entry == 0) d->before[k / d->bytes_per_entry] = count;
        count += kg_count_bits(view->live[k]);
    }
}

/* Find the row of an id; false if the id is not live. */
static bool find_row(const kg_snapshot_view *view, const row_directory *d, uint32_t id,
                     uint32_t *row)
{
    *row = id;
    if (id >= view->counts.id_end || !view->live) return id < view->counts.id_end;
    uint32_t from = id / 8 / d->bytes_per_entry * d->bytes_per_entry, here = view->live[id / 8],
             bit = id % 8;
    *row = d->before[id / 8 / d->bytes_per_entry] + kg_count_bits(here & ((1u << bit) - 1));
    for (uint32_t k = from; k < id / 8; ++k) *row += kg_count_bits(view->live[k]);
    return here >> bit & 1;
}

/* True if the snapshot has the boundary. */
static bool boundary_exists(const kg_snapshot_view *view, const kg_surface_directory *surfaces,
                            kg_boundary k)
{
    if (kg_boundary_is_feature(k)) return kg_snapshot_surfaces_have(view, surfaces, k);
    return k < KG_FACE_COUNT && view->def.bounds.faces[k] == KUGEL_FACE_WALL;
}

/* True if the contacts are valid: each joins a live body with a live body of higher id or with an
 * existing boundary, at least one of its bodies has a mass, none is disabled, its normal force is
 * not negative, and the keys (kg_contact_set_key) ascend. */
static bool contacts_fit(const kg_snapshot_view *view)
{
    /* a, b, with, normal force */
    const kg_snapshot_column *columns = &view->columns[KG_VIEW_CONTACT_FIELDS];
    const kg_snapshot_column *mass = BODY_COLUMN(view, mass), *disabled = disabled_column(view);
    row_directory d;
    kg_surface_directory surfaces;
    uint64_t before = 0;
    make_row_directory(view, &d);
    kg_snapshot_surfaces_index(view, &surfaces);
    for (uint32_t k = 0; k < view->counts.contacts; ++k) {
        uint32_t row_a, row_b;
        kg_contact c = {.a = (uint32_t)kg_snapshot_column_bits(&columns[0], k),
                        .b = (uint32_t)kg_snapshot_column_bits(&columns[1], k),
                        .with = (uint8_t)kg_snapshot_column_bits(&columns[2], k)};
        if (!find_row(view, &d, c.a, &row_a)) return false;
        row_b = row_a;
        if (c.with == KG_WITH_BODY
                ? c.b <= c.a || !find_row(view, &d, c.b, &row_b)
                : c.with != kg_boundary_contact_with(c.b) || !boundary_exists(view, &surfaces, c.b))
            return false;
        if (!kg_snapshot_column_bits(mass, row_a) && !kg_snapshot_column_bits(mass, row_b))
            return false;
        if (kg_snapshot_column_bits(disabled, row_a) || kg_snapshot_column_bits(disabled, row_b))
            return false;
        if (kg_snapshot_column_bits(&columns[3], k) >> 31) return false; /* the sign */
        if (k && kg_contact_set_key(&c) <= before) return false;
        before = kg_contact_set_key(&c);
    }
    return true;
}

/* True for a handle that a body of the world had. */
static bool was_given(const kg_snapshot_view *view, kugel_body body)
{
    return body >> 32 && body >> 32 <= KG_GENERATION_LIMIT &&
           kugel_body_id(body) < view->counts.id_end;
}

/* The same of a surface. */
static bool surface_was_given(const kg_snapshot_view *view, kugel_surface surface)
{
    return kugel_surface_index(surface) < view->counts.surface_indices &&
           kg_indices_may_be(KG_HANDLE_SURFACE, surface);
}

static bool is_place(const double point[3], const double normal[3])
{
    return kg_finite3(point) && kg_finite3(normal);
}

/* True if the ends and exits that no step has reported name bodies that were there. */
static bool events_fit(const kg_snapshot_view *view)
{
    const uint8_t *at = view->ends;
    for (uint32_t k = 0; k < view->counts.ends; ++k) {
        kugel_touch end;
        at = kg_def_decode(kg_end_members, at, &end);
        bool has_body = end.target == KUGEL_TARGET_BODY;
        if ((unsigned)end.target > KUGEL_TARGET_SURFACE || !was_given(view, end.a) ||
            (end.target == KUGEL_TARGET_SURFACE && end.index >= view->counts.surface_indices) ||
            (has_body ? !was_given(view, end.b) : end.b != 0) || !is_place(end.point, end.normal))
            return false;
    }
    for (uint32_t k = 0; k < view->counts.exits; ++k) {
        kugel_sensor_event exit;
        at = kg_def_decode(kg_exit_members, at, &exit);
        bool named = exit.surface ? !exit.sensor && surface_was_given(view, exit.surface)
                                  : was_given(view, exit.sensor);
        if (!named || !was_given(view, exit.body) || !is_place(exit.point, exit.normal))
            return false;
    }
    return true;
}

kugel_status kg_snapshot_validate(const kg_snapshot_view *view, kugel_error *error)
{
    kugel_status status = check_world(view, error);
    if (!status && !pairs_fit(view))
        status = kg_snapshot_error(error, "pairs", "are out of range or out of order");
    if (!status) status = kg_snapshot_surfaces_check(view, error);
    if (!status) status = check_numbers(view, error);
    if (!status && view->counts.bodies) status = check_bodies(view, error);
    if (!status && !ids_fit(view))
        status =
            kg_snapshot_error(error, "ids", "are not as many as bodies, or one was never given");
    if (!status && !contacts_fit(view))
        status = kg_snapshot_error(
            error, "contacts", "name what is not there or cannot touch, pull, or are out of order");
    if (!status && !events_fit(view))
        status = kg_snapshot_error(error, "events", "name what was not there");
    return status;
}
