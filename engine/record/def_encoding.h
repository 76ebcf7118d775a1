/* Structs as bytes: the members that a table lists, in its order, little-endian. Enums, bools and
 * 32-bit integers take 4 bytes, doubles and 64-bit integers 8. Of defs, hooks, threads, capacity
 * and user data are not encoded. Decoding does not check values: its callers do. */
#ifndef KG_RECORD_DEF_ENCODING_H
#define KG_RECORD_DEF_ENCODING_H

#include <stddef.h>

#include "base/memory.h"
#include "world/surfaces.h"

/* The members of each def: MEMBER(name, KIND, count). */
#define KG_WORLD_DEF_MEMBERS(MEMBER)                                                               \
    MEMBER(gravity, DOUBLE, 3)                                                                     \
    MEMBER(substeps, WORD, 1)                                                                      \
    MEMBER(bounce_threshold, DOUBLE, 1)                                                            \
    MEMBER(slop, DOUBLE, 1)                                                                        \
    MEMBER(linear_damping, DOUBLE, 1)                                                              \
    MEMBER(angular_damping, DOUBLE, 1)                                                             \
    MEMBER(sleep, FLAG, 1)                                                                         \
    MEMBER(contact_iterations, WORD, 1)                                                            \
    MEMBER(impact_budget, WORD, 1)                                                                 \
    MEMBER(step_event_limit, WORD, 1)                                                              \
    MEMBER(bounds.min, DOUBLE, 3)                                                                  \
    MEMBER(bounds.max, DOUBLE, 3)                                                                  \
    MEMBER(bounds.faces, WORD, 6)                                                                  \
    MEMBER(bounds.restitution, DOUBLE, 1)                                                          \
    MEMBER(bounds.friction, DOUBLE, 1)                                                             \
    MEMBER(face_kinds, WORD, 6)                                                                    \
    MEMBER(growth, DOUBLE, 1)
#define KG_BODY_DEF_MEMBERS(MEMBER)                                                                \
    MEMBER(type, WORD, 1)                                                                          \
    MEMBER(position, DOUBLE, 3)                                                                    \
    MEMBER(velocity, DOUBLE, 3)                                                                    \
    MEMBER(spin, DOUBLE, 3)                                                                        \
    MEMBER(rotation, DOUBLE, 4)                                                                    \
    MEMBER(image, WORD, 3)                                                                         \
    MEMBER(radius, DOUBLE, 1)                                                                      \
    MEMBER(mass, DOUBLE, 1)                                                                        \
    MEMBER(restitution, DOUBLE, 1)                                                                 \
    MEMBER(friction, DOUBLE, 1)                                                                    \
    MEMBER(rolling_resistance, DOUBLE, 1)                                                          \
    MEMBER(tangential_restitution, DOUBLE, 1)                                                      \
    MEMBER(gravity_scale, DOUBLE, 1)                                                               \
    MEMBER(linear_damping, DOUBLE, 1)                                                              \
    MEMBER(angular_damping, DOUBLE, 1)                                                             \
    MEMBER(category, WORD, 1)                                                                      \
    MEMBER(mask, WORD, 1)                                                                          \
    MEMBER(group, WORD, 1)                                                                         \
    MEMBER(kind, WORD, 1)                                                                          \
    MEMBER(locks, WORD, 1)                                                                         \
    MEMBER(sensor, FLAG, 1)                                                                        \
    MEMBER(can_sleep, FLAG, 1)                                                                     \
    MEMBER(enabled, FLAG, 1)                                                                       \
    MEMBER(contact_events, FLAG, 1)
/* Events that no step has reported yet: of an end and an exit the time is 0. */
#define KG_END_MEMBERS(MEMBER)                                                                     \
    MEMBER(target, WORD, 1)                                                                        \
    MEMBER(index, WORD, 1)                                                                         \
    MEMBER(a, LONG, 1)                                                                             \
    MEMBER(b, LONG, 1)                                                                             \
    MEMBER(point, DOUBLE, 3)                                                                       \
    MEMBER(normal, DOUBLE, 3)                                                                      \
    MEMBER(triangle, WORD, 1)
#define KG_EXIT_MEMBERS(MEMBER)                                                                    \
    MEMBER(sensor, LONG, 1)                                                                        \
    MEMBER(body, LONG, 1)                                                                          \
    MEMBER(point, DOUBLE, 3)                                                                       \
    MEMBER(normal, DOUBLE, 3)                                                                      \
    MEMBER(surface, LONG, 1)
#define KG_SURFACE_DEF_MEMBERS(MEMBER)                                                             \
    MEMBER(shape, WORD, 1)                                                                         \
    MEMBER(size, DOUBLE, 3)                                                                        \
    MEMBER(vertex_count, WORD, 1)                                                                  \
    MEMBER(triangle_count, WORD, 1)                                                                \
    MEMBER(one_sided, FLAG, 1)                                                                     \
    MEMBER(position, DOUBLE, 3)                                                                    \
    MEMBER(rotation, DOUBLE, 4)                                                                    \
    MEMBER(velocity, DOUBLE, 3)                                                                    \
    MEMBER(spin, DOUBLE, 3)                                                                        \
    MEMBER(tangent_velocity, DOUBLE, 3)                                                            \
    MEMBER(restitution, DOUBLE, 1)                                                                 \
    MEMBER(friction, DOUBLE, 1)                                                                    \
    MEMBER(rolling_resistance, DOUBLE, 1)                                                          \
    MEMBER(tangential_restitution, DOUBLE, 1)                                                      \
    MEMBER(category, WORD, 1)                                                                      \
    MEMBER(mask, WORD, 1)                                                                          \
    MEMBER(group, WORD, 1)                                                                         \
    MEMBER(kind, WORD, 1)                                                                          \
    MEMBER(sensor, FLAG, 1)
/* A row of the table of pairs. */
#define KG_PAIR_MEMBERS(MEMBER)                                                                    \
    MEMBER(kinds, WORD, 2)                                                                         \
    MEMBER(material.restitution, DOUBLE, 1)                                                        \
    MEMBER(material.friction, DOUBLE, 1)                                                           \
    MEMBER(material.rolling_resistance, DOUBLE, 1)                                                 \
    MEMBER(material.tangential_restitution, DOUBLE, 1)

/* WORD: a 32-bit integer or enum. FLAG: a bool. */
typedef enum kg_def_kind { KG_DEF_DOUBLE, KG_DEF_LONG, KG_DEF_WORD, KG_DEF_FLAG } kg_def_kind;
enum { KG_BYTES_DOUBLE = 8, KG_BYTES_LONG = 8, KG_BYTES_WORD = 4, KG_BYTES_FLAG = 4 };

#define KG_ADD_BYTES(member, kind, count) +KG_BYTES_##kind *(count)
enum {
    KG_WORLD_DEF_BYTES = 0 KG_WORLD_DEF_MEMBERS(KG_ADD_BYTES),
    KG_BODY_DEF_BYTES = 0 KG_BODY_DEF_MEMBERS(KG_ADD_BYTES),
    KG_END_BYTES = 0 KG_END_MEMBERS(KG_ADD_BYTES),
    KG_EXIT_BYTES = 0 KG_EXIT_MEMBERS(KG_ADD_BYTES),
    KG_SURFACE_DEF_BYTES = 0 KG_SURFACE_DEF_MEMBERS(KG_ADD_BYTES),
    KG_PAIR_BYTES = 0 KG_PAIR_MEMBERS(KG_ADD_BYTES),
    KG_VERTEX_BYTES = 3 * KG_BYTES_DOUBLE,
    KG_TRIANGLE_BYTES = 3 * KG_BYTES_WORD
};

/* A row of a table: a member that has `count` items of one kind, or is a struct. */
typedef struct kg_def_member {
    const char *name;                    /* NULL: behind the last row */
    const struct kg_def_member *members; /* of a struct; NULL: items */
    uint16_t offset;
    uint8_t kind, count;
} kg_def_member;

/* The number of rows of a table, with the last. */
#define KG_ADD_ROW(member, kind, count) +1
#define KG_ROWS(MEMBERS) (1 MEMBERS(KG_ADD_ROW))
extern const kg_def_member kg_world_def_members[KG_ROWS(KG_WORLD_DEF_MEMBERS)],
    kg_body_def_members[KG_ROWS(KG_BODY_DEF_MEMBERS)],
    kg_surface_def_members[KG_ROWS(KG_SURFACE_DEF_MEMBERS)],
    kg_end_members[KG_ROWS(KG_END_MEMBERS)], kg_exit_members[KG_ROWS(KG_EXIT_MEMBERS)],
    kg_pair_members[KG_ROWS(KG_PAIR_MEMBERS)];

/* Bytes of the members of a table. */
size_t kg_def_size(const kg_def_member *members);
/* Write the members of *from; returns the end of the bytes. */
uint8_t *kg_def_encode(const kg_def_member *members, const void *from, uint8_t *out);
/* Set the members of *to; returns the end of the bytes. */
const uint8_t *kg_def_decode(const kg_def_member *members, const uint8_t *in, void *to);

/* A valid def if its values are; other members have their defaults or are 0. */
kugel_world_def kg_def_decode_world(const uint8_t in[KG_WORLD_DEF_BYTES]);
kugel_surface_def kg_def_decode_surface(const uint8_t in[KG_SURFACE_DEF_BYTES]);
/* True if a member in the table of surfaces differs. *name becomes the name of the first such
 * member, such as "surface.position.x"; *in_p and *in_q become its values. */
bool kg_def_surfaces_differ(const kugel_surface_def *p, const kugel_surface_def *q, char name[32],
                            double *in_p, double *in_q);
/* Bytes of a mesh: vertices, then triangles; 0 for a solid shape. */
uint64_t kg_def_mesh_bytes(const kugel_surface_def *def);
/* Write the vertices and triangles; returns the end of the bytes. */
uint8_t *kg_def_encode_mesh(const kugel_surface_def *def, uint8_t *out);
/* Allocate and decode the vertices and triangles. False when out of memory: both are then NULL. */
bool kg_def_decode_mesh(kg_memory *memory, kugel_surface_def *def, const uint8_t *in);
void kg_def_free_mesh(kg_memory *memory, kugel_surface_def *def);

#endif
