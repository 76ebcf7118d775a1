/* Writes the ops of a recording: a function for each kind of public call that changes a world. */
#include "base/bytes.h"
#include "record/def_encoding.h"
#include "record/recorder_chunks.h"
#include "record/snapshot_surfaces.h"

/* Bytes of the fixed fields of an op after its type byte. */
static const uint16_t fixed_sizes[] = {
    [KG_OP_STEP] = KG_STEP_BYTES,
    [KG_OP_PLANE] = KG_PLANE_BYTES,
    [KG_OP_GRAVITY] = 24,
    [KG_OP_BODY_CREATE] = 8 + KG_BODY_DEF_BYTES,
    [KG_OP_BODY_DESTROY] = 8,
    [KG_OP_SET_POSITION... KG_OP_SET_IMAGE] = 32,
    [KG_OP_ADD_SURFACE] = 4 + KG_SURFACE_DEF_BYTES,
    [KG_OP_REMOVE_SURFACE] = 4,
    [KG_OP_PLACE_SURFACE] = 4 + 7 * 8,
    [KG_OP_MOVE_SURFACE] = 4 + 6 * 8,
    [KG_OP_SET_ORIENTATION] = 40,
    [KG_OP_PAIR_FILTER] = 16,
    [KG_OP_PAIR_FILTER_IN_USE] = 16,
};

static size_t fixed_size(uint8_t op)
{
    return op < sizeof fixed_sizes / sizeof *fixed_sizes ? fixed_sizes[op] : 0;
}

size_t kg_record_op_size(const uint8_t *op, size_t size)
{
    size_t fixed = fixed_size(*op);
    uint64_t whole = fixed;
    if (fixed > size - 1) return 0;
    if (*op == KG_OP_ADD_SURFACE) {
        kugel_surface_def def = kg_def_decode_surface(op + 1 + 4);
        whole += kg_surface_record_geometry_bytes(&def, true);
    }
    return whole > size - 1 ? 0 : (size_t)whole;
}

static uint8_t *begin_op(kg_recorder *recorder, kg_op op)
{
    return kg_recorder_begin_op(recorder, op, fixed_size((uint8_t)op));
}

static void put_vector(uint8_t *to, const double value[3])
{
    for (int k = 0; k < 3; ++k) kg_put64(to + 8 * k, kg_double_to_bits(value[k]));
}

void kg_record_plane(kg_recorder *recorder, const kugel_plane *plane)
{
    uint8_t *at = begin_op(recorder, KG_OP_PLANE);
    if (at) kg_def_encode_plane(plane, at);
}

void kg_record_add_surface(kg_recorder *recorder, const kg_surface *surface, uint32_t index)
{
    if (!recorder || recorder->status) return;
    kugel_surface_def def = kg_surface_def(surface);
    kg_recorder_emit_mesh(recorder, surface);
    size_t size =
        fixed_size(KG_OP_ADD_SURFACE) + (size_t)kg_surface_record_geometry_bytes(&def, true);
    uint8_t *at = kg_recorder_begin_op(recorder, KG_OP_ADD_SURFACE, size);
    if (!at) return;
    kg_put32(at, index);
    kg_def_encode_surface(&def, at + 4);
    kg_surface_record_put_geometry(surface, true, at + 4 + KG_SURFACE_DEF_BYTES);
}

void kg_record_remove_surface(kg_recorder *recorder, uint32_t index)
{
    uint8_t *at = begin_op(recorder, KG_OP_REMOVE_SURFACE);
    if (at) kg_put32(at, index);
}

void kg_record_place_surface(kg_recorder *recorder, uint32_t index, const double position[3],
                             const double rotation[4])
{
    uint8_t *at = begin_op(recorder, KG_OP_PLACE_SURFACE);
    if (!at) return;
    kg_put32(at, index);
    put_vector(at + 4, position);
    for (int k = 0; k < 4; ++k) kg_put64(at + 28 + 8 * k, kg_double_to_bits(rotation[k]));
}

void kg_record_move_surface(kg_recorder *recorder, uint32_t index, const double velocity[3],
                            const double spin[3])
{
    uint8_t *at = begin_op(recorder, KG_OP_MOVE_SURFACE);
    if (!at) return;
    kg_put32(at, index);
    put_vector(at + 4, velocity);
    put_vector(at + 28, spin);
}

void kg_record_gravity(kg_recorder *recorder, const double gravity[3])
{
    uint8_t *at = begin_op(recorder, KG_OP_GRAVITY);
    if (at) put_vector(at, gravity);
}

void kg_record_body_create(kg_recorder *recorder, const kugel_body_def *def, kugel_body body)
{
    uint8_t *at = begin_op(recorder, KG_OP_BODY_CREATE);
    if (!at) return;
    kg_put64(at, body);
    kg_def_encode_body(def, at + 8);
}

void kg_record_body_destroy(kg_recorder *recorder, kugel_body body)
{
    uint8_t *at = begin_op(recorder, KG_OP_BODY_DESTROY);
    if (at) kg_put64(at, body);
}

void kg_record_body_value(kg_recorder *recorder, kg_op op, kugel_body body, const double value[3])
{
    uint8_t *at = begin_op(recorder, op);
    if (!at) return;
    kg_put64(at, body);
    put_vector(at + 8, value);
}

void kg_record_orientation(kg_recorder *recorder, kugel_body body, const double orientation[4])
{
    uint8_t *at = begin_op(recorder, KG_OP_SET_ORIENTATION);
    if (!at) return;
    kg_put64(at, body);
    for (int k = 0; k < 4; ++k) kg_put64(at + 8 + 8 * k, kg_double_to_bits(orientation[k]));
}

static void put_pair_filter(kg_recorder *recorder, kg_op op, const kugel_pair_filter *filter)
{
    uint8_t *at = begin_op(recorder, op);
    if (!at) return;
    kg_put64(at, filter->key);
    kg_put64(at + 8, filter->decide != NULL);
}

void kg_record_pair_filter(kg_recorder *recorder, const kugel_pair_filter *filter)
{
    put_pair_filter(recorder, KG_OP_PAIR_FILTER, filter);
}

void kg_recorder_repeat_pair_filter(kg_recorder *recorder, const kugel_world *world)
{
    if (world->pair_filter.decide)
        put_pair_filter(recorder, KG_OP_PAIR_FILTER_IN_USE, &world->pair_filter);
}
