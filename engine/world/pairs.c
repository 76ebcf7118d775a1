/* The table of pairs: changes, and what holds for all pairs of a world. */
#include "world/pairs.h"

#include "world/world.h"

bool kg_pairs_reserve(kg_memory *memory, kg_pairs *pairs, uint32_t a, uint32_t b)
{
    uint32_t end = kg_pairs_place(a, b) + 1;
    if (end <= pairs->end) return true;
    if (!KG_RESERVE(memory, &pairs->column, pairs->rows, end, pairs->end)) return false;
    for (; pairs->end < end; ++pairs->end) pairs->rows[pairs->end] = (kg_pair_row){0};
    return true;
}

void kg_pairs_set(kg_pairs *pairs, uint32_t a, uint32_t b, const kg_contact_material *material)
{
    kg_pair_row *row = &pairs->rows[kg_pairs_place(a, b)];
    pairs->count += !row->given;
    *row = (kg_pair_row){{a < b ? a : b, a < b ? b : a}, true, *material};
}

void kg_pairs_remove(kg_pairs *pairs, uint32_t a, uint32_t b)
{
    if (!kg_pairs_find(pairs, a, b)) return;
    pairs->rows[kg_pairs_place(a, b)].given = false;
    pairs->count -= 1;
}

void kg_pairs_clear(kg_pairs *pairs)
{
    for (uint32_t k = 0; k < pairs->end; ++k) pairs->rows[k].given = false;
    pairs->count = 0;
}

void kg_pairs_free(kg_memory *memory, kg_pairs *pairs) { kg_column_free(memory, &pairs->column); }

bool kg_pairs_any_rolling(const kg_pairs *pairs)
{
    KG_FOR_PAIRS(row, pairs)
    {
        if (row->material.rolling_resistance > 0) return true;
    }
    return false;
}

/* Sets of kinds: bit k is kind k. */
_Static_assert(KUGEL_KIND_COUNT == 64, "a set of kinds has a bit for each");

/* The kinds of bodies other than sensors. *lossy: those of bodies with friction, with rolling
 * resistance, or with another restitution than 1. */
static uint64_t kinds_of_bodies(const kg_bodies *bodies, uint64_t *lossy)
{
    uint64_t kinds = 0;
    *lossy = 0;
    for (uint32_t k = 0; k < bodies->material_count; ++k) {
        const kg_material *m = &bodies->materials[k];
        if (!m->body_count || m->sensor) continue;
        kinds |= (uint64_t)1 << m->kind;
        if (kg_material_is_lossy(m)) *lossy |= (uint64_t)1 << m->kind;
    }
    return kinds;
}

static uint64_t kinds_of_boundaries(const kugel_world *world)
{
    uint64_t kinds = 0;
    for (int k = 0; k < 6; ++k) {
        if (world->def.bounds.faces[k] == KUGEL_FACE_WALL)
            kinds |= (uint64_t)1 << world->def.face_kinds[k];
    }
    for (uint32_t k = 0; k < world->surfaces.end; ++k) {
        const kg_surface *surface = &world->surfaces.items[k];
        if (surface->used && !surface->material.sensor)
            kinds |= (uint64_t)1 << surface->material.kind;
    }
    return kinds;
}

/* Without a row a pair is lossless if both sides are. */
bool kg_pairs_lose_nothing(const kugel_world *world)
{
    uint64_t lossy, bodies = kinds_of_bodies(&world->bodies, &lossy),
                    all = bodies | kinds_of_boundaries(world);
    for (uint32_t a = 0; a < KUGEL_KIND_COUNT; ++a) {
        for (uint32_t b = 0; b < KUGEL_KIND_COUNT && bodies >> a & 1; ++b) {
            if (!(all >> b & 1)) continue;
            const kg_pair_row *row = kg_pairs_find(&world->pairs, a, b);
            if (row ? row->material.restitution != 1 || row->material.friction != 0 ||
                          row->material.rolling_resistance != 0
                    : lossy >> a & 1)
                return false;
        }
    }
    return true;
}
