#include "record/def_encoding.h"

#include "base/bytes.h"
#include "world/validate.h"

static uint8_t *put_doubles(uint8_t *to, const double *values, int n)
{
    for (int k = 0; k < n; ++k, to += 8) kg_put64(to, kg_double_to_bits(values[k]));
    return to;
}

static const uint8_t *get_doubles(const uint8_t *from, double *values, int n)
{
    for (int k = 0; k < n; ++k, from += 8) values[k] = kg_double_from_bits(kg_get64(from));
    return from;
}

static uint8_t *put_word(uint8_t *to, uint32_t value)
{
    kg_put32(to, value);
    return to + 4;
}

static const uint8_t *get_word(const uint8_t *from, uint32_t *value)
{
    *value = kg_get32(from);
    return from + 4;
}

void kg_def_encode_world(const kugel_world_def *def, uint8_t out[KG_WORLD_DEF_BYTES])
{
    out = put_doubles(out, def->gravity, 3);
    out = put_word(out, (uint32_t)def->substeps);
    out = put_doubles(out, &def->bounce_threshold, 1);
    out = put_doubles(out, &def->slop, 1);
    out = put_doubles(out, &def->linear_damping, 1);
    out = put_doubles(out, &def->angular_damping, 1);
    out = put_word(out, def->sleep);
    out = put_word(out, (uint32_t)def->contact_iterations);
    out = put_word(out, (uint32_t)def->impact_budget);
    out = put_doubles(out, def->bounds.min, 3);
    out = put_doubles(out, def->bounds.max, 3);
    for (int f = 0; f < 6; ++f) out = put_word(out, (uint32_t)def->bounds.faces[f]);
    out = put_doubles(out, &def->bounds.restitution, 1);
    put_doubles(out, &def->bounds.friction, 1);
}

kugel_world_def kg_def_decode_world(const uint8_t in[KG_WORLD_DEF_BYTES])
{
    kugel_world_def def = {.cookie = KG_WORLD_DEF_COOKIE, .tasks = {.threads = 1}};
    uint32_t substeps, sleep, iterations, budget, face;
    in = get_doubles(in, def.gravity, 3);
    in = get_word(in, &substeps);
    in = get_doubles(in, &def.bounce_threshold, 1);
    in = get_doubles(in, &def.slop, 1);
    in = get_doubles(in, &def.linear_damping, 1);
    in = get_doubles(in, &def.angular_damping, 1);
    in = get_word(in, &sleep);
    in = get_word(in, &iterations);
    in = get_word(in, &budget);
    in = get_doubles(in, def.bounds.min, 3);
    in = get_doubles(in, def.bounds.max, 3);
    for (int f = 0; f < 6; ++f) {
        in = get_word(in, &face);
        def.bounds.faces[f] = (kugel_face)face;
    }
    in = get_doubles(in, &def.bounds.restitution, 1);
    get_doubles(in, &def.bounds.friction, 1);
    def.substeps = (int32_t)substeps;
    def.sleep = sleep;
    def.contact_iterations = (int32_t)iterations;
    def.impact_budget = (int32_t)budget;
    return def;
}

void kg_def_encode_body(const kugel_body_def *def, uint8_t out[KG_BODY_DEF_BYTES])
{
    out = put_word(out, (uint32_t)def->type);
    out = put_doubles(out, def->position, 3);
    out = put_doubles(out, def->velocity, 3);
    out = put_doubles(out, def->spin, 3);
    for (int k = 0; k < 4; ++k) {
        uint32_t bits;
        memcpy(&bits, &def->orientation[k], sizeof bits);
        out = put_word(out, bits);
    }
    out = put_doubles(out, &def->radius, 1);
    out = put_doubles(out, &def->mass, 1);
    out = put_doubles(out, &def->restitution, 1);
    out = put_doubles(out, &def->friction, 1);
    out = put_doubles(out, &def->rolling_resistance, 1);
    out = put_doubles(out, &def->gravity_scale, 1);
    out = put_word(out, def->category);
    out = put_word(out, def->mask);
    put_word(out, def->sensor);
}

kugel_body_def kg_def_decode_body(const uint8_t in[KG_BODY_DEF_BYTES])
{
    kugel_body_def def = {.cookie = KG_BODY_DEF_COOKIE};
    uint32_t type, bits, sensor;
    in = get_word(in, &type);
    in = get_doubles(in, def.position, 3);
    in = get_doubles(in, def.velocity, 3);
    in = get_doubles(in, def.spin, 3);
    for (int k = 0; k < 4; ++k) {
        in = get_word(in, &bits);
        memcpy(&def.orientation[k], &bits, sizeof bits);
    }
    in = get_doubles(in, &def.radius, 1);
    in = get_doubles(in, &def.mass, 1);
    in = get_doubles(in, &def.restitution, 1);
    in = get_doubles(in, &def.friction, 1);
    in = get_doubles(in, &def.rolling_resistance, 1);
    in = get_doubles(in, &def.gravity_scale, 1);
    in = get_word(in, &def.category);
    in = get_word(in, &def.mask);
    get_word(in, &sensor);
    def.type = (kugel_body_type)type;
    def.sensor = sensor;
    return def;
}

void kg_def_encode_plane(const kugel_plane *plane, uint8_t out[KG_PLANE_BYTES])
{
    out = put_doubles(out, plane->normal, 3);
    out = put_doubles(out, &plane->offset, 1);
    out = put_doubles(out, &plane->restitution, 1);
    put_doubles(out, &plane->friction, 1);
}

kugel_plane kg_def_decode_plane(const uint8_t in[KG_PLANE_BYTES])
{
    kugel_plane plane;
    in = get_doubles(in, plane.normal, 3);
    in = get_doubles(in, &plane.offset, 1);
    in = get_doubles(in, &plane.restitution, 1);
    get_doubles(in, &plane.friction, 1);
    return plane;
}
