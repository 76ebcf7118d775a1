/* Encodes world and body defs in recordings. A body's `group` is missing on purpose: it is recorded
 * by KG_OP_SET_FILTER after the creation (kugel_body_create in api/api_body.c). */
#include "record/def_encoding.h"

#include <stddef.h>

#include "base/bytes.h"
#include "world/validate.h"

/* WORD: a 32-bit integer, float or enum. FLAG: a bool, as 32 bits. */
typedef enum part_kind { DEF_DOUBLE, DEF_WORD, DEF_FLAG } part_kind;

/* A member of a def: `count` items of one kind. */
typedef struct def_part {
    uint16_t offset;
    uint8_t kind, count;
} def_part;

_Static_assert(sizeof(kugel_face) == 4 && sizeof(kugel_body_type) == 4, "enums take 4 bytes");

/* Rows in the order of the bytes. */
#define PART(def, member, kind, count)                                                             \
    {                                                                                              \
        offsetof(def, member), kind, count                                                         \
    }
#define WORLD(member, kind, count) PART(kugel_world_def, member, kind, count)
static const def_part world_parts[] = {
    WORLD(gravity, DEF_DOUBLE, 3),
    WORLD(substeps, DEF_WORD, 1),
    WORLD(bounce_threshold, DEF_DOUBLE, 1),
    WORLD(slop, DEF_DOUBLE, 1),
    WORLD(linear_damping, DEF_DOUBLE, 1),
    WORLD(angular_damping, DEF_DOUBLE, 1),
    WORLD(sleep, DEF_FLAG, 1),
    WORLD(contact_iterations, DEF_WORD, 1),
    WORLD(impact_budget, DEF_WORD, 1),
    WORLD(step_event_limit, DEF_WORD, 1),
    WORLD(bounds.min, DEF_DOUBLE, 3),
    WORLD(bounds.max, DEF_DOUBLE, 3),
    WORLD(bounds.faces, DEF_WORD, 6),
    WORLD(bounds.restitution, DEF_DOUBLE, 1),
    WORLD(bounds.friction, DEF_DOUBLE, 1),
    {0, 0, 0},
};

#define BODY(member, kind, count) PART(kugel_body_def, member, kind, count)
static const def_part body_parts[] = {
    BODY(type, DEF_WORD, 1),
    BODY(position, DEF_DOUBLE, 3),
    BODY(velocity, DEF_DOUBLE, 3),
    BODY(spin, DEF_DOUBLE, 3),
    BODY(orientation, DEF_WORD, 4),
    BODY(radius, DEF_DOUBLE, 1),
    BODY(mass, DEF_DOUBLE, 1),
    BODY(restitution, DEF_DOUBLE, 1),
    BODY(friction, DEF_DOUBLE, 1),
    BODY(rolling_resistance, DEF_DOUBLE, 1),
    BODY(gravity_scale, DEF_DOUBLE, 1),
    BODY(category, DEF_WORD, 1),
    BODY(mask, DEF_WORD, 1),
    BODY(sensor, DEF_FLAG, 1),
    {0, 0, 0},
};

#define PLANE(member, count) PART(kugel_plane, member, DEF_DOUBLE, count)
static const def_part plane_parts[] = {
    PLANE(normal, 3), PLANE(offset, 1), PLANE(restitution, 1), PLANE(friction, 1), {0, 0, 0},
};

static void encode_parts(const def_part *part, const void *def, uint8_t *out)
{
    for (; part->count; ++part) {
        const char *member = (const char *)def + part->offset;
        for (int k = 0; k < part->count; ++k) {
            uint64_t bits64 = 0;
            uint32_t bits32 = 0;
            if (part->kind == DEF_DOUBLE) memcpy(&bits64, member + 8 * k, sizeof bits64);
            else if (part->kind == DEF_FLAG) bits32 = *(const bool *)member;
            else memcpy(&bits32, member + 4 * k, sizeof bits32);
            if (part->kind == DEF_DOUBLE) kg_put64(out, bits64);
            else kg_put32(out, bits32);
            out += part->kind == DEF_DOUBLE ? 8 : 4;
        }
    }
}

static void decode_parts(const def_part *part, const uint8_t *in, void *def)
{
    for (; part->count; ++part) {
        char *member = (char *)def + part->offset;
        for (int k = 0; k < part->count; ++k) {
            uint64_t bits64 = part->kind == DEF_DOUBLE ? kg_get64(in) : 0;
            uint32_t bits32 = kg_get32(in);
            if (part->kind == DEF_DOUBLE) memcpy(member + 8 * k, &bits64, sizeof bits64);
            else if (part->kind == DEF_FLAG) *(bool *)member = bits32;
            else memcpy(member + 4 * k, &bits32, sizeof bits32);
            in += part->kind == DEF_DOUBLE ? 8 : 4;
        }
    }
}

void kg_def_encode_world(const kugel_world_def *def, uint8_t out[KG_WORLD_DEF_BYTES])
{
    encode_parts(world_parts, def, out);
}

kugel_world_def kg_def_decode_world(const uint8_t in[KG_WORLD_DEF_BYTES])
{
    kugel_world_def def = {.cookie = KG_WORLD_DEF_COOKIE, .tasks = {.threads = 1}};
    decode_parts(world_parts, in, &def);
    return def;
}

void kg_def_encode_body(const kugel_body_def *def, uint8_t out[KG_BODY_DEF_BYTES])
{
    encode_parts(body_parts, def, out);
}

kugel_body_def kg_def_decode_body(const uint8_t in[KG_BODY_DEF_BYTES])
{
    kugel_body_def def = {.cookie = KG_BODY_DEF_COOKIE};
    decode_parts(body_parts, in, &def);
    return def;
}

void kg_def_encode_plane(const kugel_plane *plane, uint8_t out[KG_PLANE_BYTES])
{
    encode_parts(plane_parts, plane, out);
}

kugel_plane kg_def_decode_plane(const uint8_t in[KG_PLANE_BYTES])
{
    kugel_plane plane;
    decode_parts(plane_parts, in, &plane);
    return plane;
}
