/* Hashes rows of bodies, block by block, and contacts (row_hash.h). */
#include "world/row_hash.h"

#include "base/bytes.h"

enum { BLOCK = 256 }; /* rows hashed together */

/* Mix rows [from, from + n) of a column into hash[0 ... n - 1]. Iterations are independent. */
static void mix_column(uint64_t *restrict hash, const void *column, kg_field_kind kind,
                       uint32_t from, uint32_t n)
{
    const double *f64 = (const double *)column + from;
    const float *f32 = (const float *)column + from;
    const uint32_t *u32 = (const uint32_t *)column + from;
    const uint8_t *u8 = (const uint8_t *)column + from;
    if (kind == KG_F64) {
        for (uint32_t i = 0; i < n; ++i)
            hash[i] = kg_hash_mix(hash[i], kg_field_bits(&f64[i], KG_F64));
    } else if (kind == KG_F32) {
        for (uint32_t i = 0; i < n; ++i)
            hash[i] = kg_hash_mix(hash[i], kg_field_bits(&f32[i], KG_F32));
    } else if (kind == KG_U32) {
        for (uint32_t i = 0; i < n; ++i) hash[i] = kg_hash_mix(hash[i], u32[i]);
    } else {
        for (uint32_t i = 0; i < n; ++i) hash[i] = kg_hash_mix(hash[i], u8[i]);
    }
}

static uint64_t hash_block(const kg_bodies *bodies, uint32_t roles, uint32_t from, uint32_t n)
{
    uint64_t hash[BLOCK], all = 0;
    for (uint32_t i = 0; i < n; ++i) {
        uint32_t id = bodies->id[from + i];
        hash[i] = kg_hash_mix(0, (uint64_t)bodies->generation[id] << 32 | id);
    }
    for (uint32_t k = 0; k < KG_BODY_COLUMNS; ++k) {
        const kg_field *f = &kg_body_fields[k];
        if (!(roles >> f->role & 1) || kg_bodies_lack_column(bodies, (int)k)) continue;
        mix_column(hash, kg_bodies_column(bodies, f), f->kind, from, n);
    }
    for (uint32_t i = 0; i < n; ++i) all += kg_hash_avalanche(hash[i]);
    return all;
}

uint64_t kg_hash_rows(const kg_bodies *bodies, uint32_t roles, uint32_t from, uint32_t count)
{
    uint64_t all = 0;
    for (uint32_t k = 0; k < count; k += BLOCK)
        all += hash_block(bodies, roles, from + k, count - k < BLOCK ? count - k : BLOCK);
    return all;
}

uint64_t kg_hash_contact(const kg_contact *c)
{
    uint64_t hash = kg_hash_mix(kg_hash_mix(0, (uint64_t)c->a << 32 | c->b), c->with);
    for (uint32_t f = 0; f < KG_CONTACT_FIELDS; ++f) {
        const kg_field *field = &kg_contact_fields[f];
        if (field->role != KG_ROLE_STATE) continue;
        hash = kg_hash_mix(hash, kg_field_bits((const char *)c + field->offset, field->kind));
    }
    return kg_hash_avalanche(hash);
}

uint64_t kg_hash_contacts(const kg_contact_set *set, uint32_t from, uint32_t end)
{
    uint64_t all = 0;
    for (uint32_t k = from; k < end; ++k) {
        if (!set->items[k].ended) all += kg_hash_contact(&set->items[k]);
    }
    return all;
}
