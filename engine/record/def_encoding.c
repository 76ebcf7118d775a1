/* Encodes and decodes defs of worlds, bodies, planes and surfaces. `group` and `image` of a body
 * are not encoded: KG_OP_SET_FILTER and KG_OP_SET_IMAGE record them after the creation
 * (kugel_body_create in api/api_body.c). */
#include "record/def_encoding.h"

#include <stddef.h>
#include <stdio.h>

#include "base/bytes.h"
#include "world/validate.h"

/* DEF_WORD: a 32-bit integer, float or enum. DEF_FLAG: a bool, encoded in 32 bits. */
typedef enum part_kind { DEF_DOUBLE, DEF_WORD, DEF_FLAG } part_kind;

/* A row of a table: a member of a def that has `count` items of one kind. */
typedef struct def_part {
    uint16_t offset;
    uint8_t kind, count;
    const char *name;
} def_part;

_Static_assert(sizeof(kugel_face) == 4 && sizeof(kugel_body_type) == 4, "enums take 4 bytes");

/* Tables: rows in the order of the bytes. */
#define PART(def, member, kind, count)                                                             \
    {                                                                                              \
        offsetof(def, member), kind, count, #member                                                \
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
    {0},
};

#define BODY(member, kind, count) PART(kugel_body_def, member, kind, count)
static const def_part body_parts[] = {
    BODY(type, DEF_WORD, 1),
    BODY(position, DEF_DOUBLE, 3),
    BODY(velocity, DEF_DOUBLE, 3),
    BODY(spin, DEF_DOUBLE, 3),
    BODY(orientation, DEF_DOUBLE, 4),
    BODY(radius, DEF_DOUBLE, 1),
    BODY(mass, DEF_DOUBLE, 1),
    BODY(restitution, DEF_DOUBLE, 1),
    BODY(friction, DEF_DOUBLE, 1),
    BODY(rolling_resistance, DEF_DOUBLE, 1),
    BODY(gravity_scale, DEF_DOUBLE, 1),
    BODY(category, DEF_WORD, 1),
    BODY(mask, DEF_WORD, 1),
    BODY(sensor, DEF_FLAG, 1),
    {0},
};

#define PLANE(member, count) PART(kugel_plane, member, DEF_DOUBLE, count)
static const def_part plane_parts[] = {
    PLANE(normal, 3), PLANE(offset, 1), PLANE(restitution, 1), PLANE(friction, 1), {0},
};

#define SURFACE(member, kind, count) PART(kugel_surface_def, member, kind, count)
static const def_part surface_parts[] = {
    SURFACE(vertex_count, DEF_WORD, 1), SURFACE(triangle_count, DEF_WORD, 1),
    SURFACE(one_sided, DEF_FLAG, 1),    SURFACE(position, DEF_DOUBLE, 3),
    SURFACE(rotation, DEF_DOUBLE, 4),   SURFACE(velocity, DEF_DOUBLE, 3),
    SURFACE(spin, DEF_DOUBLE, 3),       SURFACE(restitution, DEF_DOUBLE, 1),
    SURFACE(friction, DEF_DOUBLE, 1),   SURFACE(rolling_resistance, DEF_DOUBLE, 1),
    SURFACE(category, DEF_WORD, 1),     SURFACE(mask, DEF_WORD, 1),
    SURFACE(group, DEF_WORD, 1),        {0},
};

/* Offset of one_sided in an encoded surface. These 4 bytes hold the shape, too: bit 0 is one_sided,
 * the bits from 1 on are the shape (kg_surface_kind_word). */
enum { KIND_AT = 8 };

static size_t bytes_of(const def_part *part) { return part->kind == DEF_DOUBLE ? 8 : 4; }

/* The bits of item k of a member. */
static uint64_t bits_of(const def_part *part, const void *def, int k)
{
    const char *member = (const char *)def + part->offset;
    uint64_t bits64;
    uint32_t bits32;
    if (part->kind == DEF_DOUBLE) return memcpy(&bits64, member + 8 * k, sizeof bits64), bits64;
    if (part->kind == DEF_FLAG) return *(const bool *)member;
    return memcpy(&bits32, member + 4 * k, sizeof bits32), bits32;
}

static void encode_parts(const def_part *part, const void *def, uint8_t *out)
{
    for (; part->count; ++part) {
        for (int k = 0; k < part->count; ++k, out += bytes_of(part))
            kg_put(out, bits_of(part, def, k), bytes_of(part));
    }
}

static void decode_parts(const def_part *part, const uint8_t *in, void *def)
{
    for (; part->count; ++part) {
        char *member = (char *)def + part->offset;
        for (int k = 0; k < part->count; ++k, in += bytes_of(part)) {
            uint64_t bits64 = kg_get(in, bytes_of(part));
            uint32_t bits32 = (uint32_t)bits64;
            if (part->kind == DEF_DOUBLE) memcpy(member + 8 * k, &bits64, sizeof bits64);
            else if (part->kind == DEF_FLAG) *(bool *)member = bits32;
            else memcpy(member + 4 * k, &bits32, sizeof bits32);
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

void kg_def_encode_surface(const kugel_surface_def *def, uint8_t out[KG_SURFACE_DEF_BYTES])
{
    encode_parts(surface_parts, def, out);
    kg_put32(out + KIND_AT, kg_surface_kind_word(def));
}

kugel_surface_def kg_def_decode_surface(const uint8_t in[KG_SURFACE_DEF_BYTES])
{
    kugel_surface_def def = {.cookie = KG_SURFACE_DEF_COOKIE};
    decode_parts(surface_parts, in, &def);
    uint32_t kind = kg_get32(in + KIND_AT);
    def.one_sided = kind & 1;
    def.shape = (kugel_surface_shape)(kind >> 1);
    return def;
}

bool kg_def_surfaces_differ(const kugel_surface_def *p, const kugel_surface_def *q, char name[32],
                            double *in_p, double *in_q)
{
    static const char components[4][3] = {".x", ".y", ".z", ".w"};
    for (const def_part *part = surface_parts; part->count; ++part) {
        for (int k = 0; k < part->count; ++k) {
            uint64_t x = bits_of(part, p, k), y = bits_of(part, q, k);
            if (x == y) continue;
            snprintf(name, 32, "surface.%s%s", part->name, part->count > 1 ? components[k] : "");
            *in_p = part->kind == DEF_DOUBLE ? kg_double_from_bits(x) : (double)x;
            *in_q = part->kind == DEF_DOUBLE ? kg_double_from_bits(y) : (double)y;
            return true;
        }
    }
    return false;
}

void kg_def_decode_size(kugel_surface_def *def, const uint8_t *geometry)
{
    if (def->shape == KUGEL_SURFACE_MESH || def->vertex_count != 1) return;
    for (int k = 0; k < 3; ++k) def->size[k] = kg_double_from_bits(kg_get64(geometry + 8 * k));
}

uint64_t kg_def_geometry_bytes(const kugel_surface_def *def)
{
    return (uint64_t)KG_VERTEX_BYTES * def->vertex_count +
           (uint64_t)KG_TRIANGLE_BYTES * def->triangle_count;
}

uint8_t *kg_def_encode_geometry(const kugel_surface_def *def, uint8_t *out)
{
    size_t vertices = 3 * (size_t)def->vertex_count, triangles = 3 * (size_t)def->triangle_count;
    for (size_t k = 0; k < vertices; ++k, out += 8)
        kg_put64(out, kg_canonical_bits(def->vertices[k]));
    for (size_t k = 0; k < triangles; ++k, out += 4) kg_put32(out, def->triangles[k]);
    return out;
}

bool kg_def_decode_geometry(kg_memory *memory, kugel_surface_def *def, const uint8_t *in)
{
    size_t vertex_end = 3 * (size_t)def->vertex_count, end = 3 * (size_t)def->triangle_count;
    double *vertices = kg_allocate(memory, vertex_end * sizeof *vertices);
    uint32_t *triangles = kg_allocate(memory, end * sizeof *triangles);
    def->vertices = vertices, def->triangles = triangles;
    kg_def_decode_size(def, in);
    if (!vertices || !triangles) {
        kg_def_free_geometry(memory, def);
        return false;
    }
    for (size_t k = 0; k < vertex_end; ++k, in += 8)
        vertices[k] = kg_double_from_bits(kg_get64(in));
    for (size_t k = 0; k < end; ++k, in += 4) triangles[k] = kg_get32(in);
    return true;
}

void kg_def_free_geometry(kg_memory *memory, kugel_surface_def *def)
{
    size_t vertex_bytes = sizeof *def->vertices * 3 * def->vertex_count,
           triangle_bytes = sizeof *def->triangles * 3 * def->triangle_count;
    kg_free(memory, (void *)(uintptr_t)def->triangles, triangle_bytes);
    kg_free(memory, (void *)(uintptr_t)def->vertices, vertex_bytes);
    def->vertices = NULL, def->triangles = NULL;
}
