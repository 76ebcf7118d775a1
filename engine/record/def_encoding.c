/* Encodes and decodes structs by tables of their members (def_encoding.h). */
#include "record/def_encoding.h"

#include <stdio.h>

#include "base/bytes.h"
#include "world/validate.h"

#define ROW(def, member, kind, count) {#member, NULL, offsetof(def, member), KG_DEF_##kind, count},
#define WORLD(member, kind, count) ROW(kugel_world_def, member, kind, count)
#define BODY(member, kind, count) ROW(kugel_body_def, member, kind, count)
#define SURFACE(member, kind, count) ROW(kugel_surface_def, member, kind, count)
#define END(member, kind, count) ROW(kugel_touch, member, kind, count)
#define EXIT(member, kind, count) ROW(kugel_sensor_event, member, kind, count)
#define PAIR(member, kind, count) ROW(kg_pair_row, member, kind, count)

const kg_def_member kg_world_def_members[] = {KG_WORLD_DEF_MEMBERS(WORLD){0}};
const kg_def_member kg_body_def_members[] = {KG_BODY_DEF_MEMBERS(BODY){0}};
const kg_def_member kg_surface_def_members[] = {KG_SURFACE_DEF_MEMBERS(SURFACE){0}};
const kg_def_member kg_end_members[] = {KG_END_MEMBERS(END){0}};
const kg_def_member kg_exit_members[] = {KG_EXIT_MEMBERS(EXIT){0}};
const kg_def_member kg_pair_members[] = {KG_PAIR_MEMBERS(PAIR){0}};

_Static_assert(sizeof(kugel_face) == 4 && sizeof(kugel_body_type) == 4, "enums take 4 bytes");

static size_t bytes_of(const kg_def_member *member)
{
    static const uint8_t bytes[] = {KG_BYTES_DOUBLE, KG_BYTES_LONG, KG_BYTES_WORD, KG_BYTES_FLAG};
    return bytes[member->kind];
}

size_t kg_def_size(const kg_def_member *member)
{
    size_t size = 0;
    for (; member->name; ++member)
        size += member->members ? kg_def_size(member->members) : bytes_of(member) * member->count;
    return size;
}

/* The bits of item k of a member. */
static uint64_t bits_of(const kg_def_member *member, const void *def, int k)
{
    const char *at = (const char *)def + member->offset;
    uint64_t bits64;
    uint32_t bits32;
    if (bytes_of(member) == 8) return memcpy(&bits64, at + 8 * k, sizeof bits64), bits64;
    if (member->kind == KG_DEF_FLAG) return *(const bool *)at;
    return memcpy(&bits32, at + 4 * k, sizeof bits32), bits32;
}

uint8_t *kg_def_encode(const kg_def_member *member, const void *from, uint8_t *out)
{
    for (; member->name; ++member) {
        if (member->members)
            out = kg_def_encode(member->members, (const char *)from + member->offset, out);
        for (int k = 0; k < member->count; ++k, out += bytes_of(member))
            kg_put(out, bits_of(member, from, k), bytes_of(member));
    }
    return out;
}

const uint8_t *kg_def_decode(const kg_def_member *member, const uint8_t *in, void *to)
{
    for (; member->name; ++member) {
        char *at = (char *)to + member->offset;
        if (member->members) in = kg_def_decode(member->members, in, at);
        for (int k = 0; k < member->count; ++k, in += bytes_of(member)) {
            uint64_t bits64 = kg_get(in, bytes_of(member));
            uint32_t bits32 = (uint32_t)bits64;
            if (bytes_of(member) == 8) memcpy(at + 8 * k, &bits64, sizeof bits64);
            else if (member->kind == KG_DEF_FLAG) *(bool *)at = bits32;
            else memcpy(at + 4 * k, &bits32, sizeof bits32);
        }
    }
    return in;
}

kugel_world_def kg_def_decode_world(const uint8_t in[KG_WORLD_DEF_BYTES])
{
    kugel_world_def def = {.cookie = KG_WORLD_DEF_COOKIE, .tasks = {.threads = 1}};
    kg_def_decode(kg_world_def_members, in, &def);
    return def;
}

kugel_surface_def kg_def_decode_surface(const uint8_t in[KG_SURFACE_DEF_BYTES])
{
    kugel_surface_def def = {.cookie = KG_SURFACE_DEF_COOKIE, .code = &kg_surface_code_all};
    kg_def_decode(kg_surface_def_members, in, &def);
    return def;
}

bool kg_def_surfaces_differ(const kugel_surface_def *p, const kugel_surface_def *q, char name[32],
                            double *in_p, double *in_q)
{
    static const char components[4][3] = {".x", ".y", ".z", ".w"};
    for (const kg_def_member *member = kg_surface_def_members; member->name; ++member) {
        for (int k = 0; k < member->count; ++k) {
            uint64_t x = bits_of(member, p, k), y = bits_of(member, q, k);
            if (x == y) continue;
            snprintf(name, 32, "surface.%s%s", member->name,
                     member->count > 1 ? components[k] : "");
            *in_p = member->kind == KG_DEF_DOUBLE ? kg_double_from_bits(x) : (double)x;
            *in_q = member->kind == KG_DEF_DOUBLE ? kg_double_from_bits(y) : (double)y;
            return true;
        }
    }
    return false;
}

uint64_t kg_def_mesh_bytes(const kugel_surface_def *def)
{
    return (uint64_t)KG_VERTEX_BYTES * def->vertex_count +
           (uint64_t)KG_TRIANGLE_BYTES * def->triangle_count;
}

uint8_t *kg_def_encode_mesh(const kugel_surface_def *def, uint8_t *out)
{
    size_t vertices = 3 * (size_t)def->vertex_count, triangles = 3 * (size_t)def->triangle_count;
    for (size_t k = 0; k < vertices; ++k, out += 8)
        kg_put64(out, kg_canonical_bits(def->vertices[k]));
    for (size_t k = 0; k < triangles; ++k, out += 4) kg_put32(out, def->triangles[k]);
    return out;
}

bool kg_def_decode_mesh(kg_memory *memory, kugel_surface_def *def, const uint8_t *in)
{
    size_t vertex_end = 3 * (size_t)def->vertex_count, end = 3 * (size_t)def->triangle_count;
    double *vertices = kg_allocate(memory, vertex_end * sizeof *vertices);
    uint32_t *triangles = kg_allocate(memory, end * sizeof *triangles);
    def->vertices = vertices, def->triangles = triangles;
    if (!vertices || !triangles) {
        kg_def_free_mesh(memory, def);
        return false;
    }
    for (size_t k = 0; k < vertex_end; ++k, in += 8)
        vertices[k] = kg_double_from_bits(kg_get64(in));
    for (size_t k = 0; k < end; ++k, in += 4) triangles[k] = kg_get32(in);
    return true;
}

void kg_def_free_mesh(kg_memory *memory, kugel_surface_def *def)
{
    size_t vertex_bytes = sizeof *def->vertices * 3 * def->vertex_count,
           triangle_bytes = sizeof *def->triangles * 3 * def->triangle_count;
    kg_free(memory, (void *)(uintptr_t)def->triangles, triangle_bytes);
    kg_free(memory, (void *)(uintptr_t)def->vertices, vertex_bytes);
    def->vertices = NULL, def->triangles = NULL;
}
