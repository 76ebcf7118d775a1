/* The canonical state as bytes, and their hash: tick, gravity, bodies in id order, resting contacts by
 * (low id, high id). Field by field, fixed width, little-endian, -0 as +0: no padding, no slot, no
 * pointer. A body's row is hashed in blocks, so that no memory is needed. */
#include "base/bytes.h"
#include "base/hash.h"
#include "record/recorder.h"
#include "world/world.h"

enum { BODY_WORDS = 12, BLOCK_BODIES = 64 };

static void body_words(const kg_bodies *b, uint32_t i, uint64_t out[BODY_WORDS])
{
    uint32_t q[4];
    for (int k = 0; k < 3; ++k) {
        out[k] = kg_little64(kg_canonical_bits(b->x[k][i]));
        out[3 + k] = kg_little64(kg_canonical_bits(b->v[k][i]));
        out[6 + k] = kg_little64(kg_canonical_bits(b->w[k][i]));
    }
    for (int k = 0; k < 4; ++k) {
        float value = b->q[k][i] + 0.0f;
        memcpy(&q[k], &value, sizeof value);
    }
    out[9] = kg_little64((uint64_t)q[1] << 32 | q[0]);
    out[10] = kg_little64((uint64_t)q[3] << 32 | q[2]);
    uint32_t id = b->id[i];
    out[11] = kg_little64((uint64_t)b->generation[id] << 32 | id);
}

static uint64_t hash_bodies(const kg_bodies *b, uint64_t seed)
{
    uint64_t block[BLOCK_BODIES * BODY_WORDS];
    size_t rows = 0;
    for (uint32_t id = 0; id < b->id_end; ++id) {
        if (b->slot[id] == KG_NONE) continue;
        body_words(b, b->slot[id], block + rows * BODY_WORDS);
        if (++rows < BLOCK_BODIES) continue;
        seed = XXH3_64bits_withSeed(block, sizeof block, seed);
        rows = 0;
    }
    return XXH3_64bits_withSeed(block, rows * BODY_WORDS * sizeof *block, seed);
}

/* The set of contacts does not depend on the order of its items: a sum of their hashes. */
static uint64_t hash_contacts(const kg_contact_set *set)
{
    uint64_t sum = set->count;
    for (uint32_t k = 0; k < set->count; ++k) {
        const kg_contact *c = &set->items[k];
        uint32_t words[10] = {c->a, c->b, c->other};
        float impulses[7] = {c->normal_impulse, c->friction[0], c->friction[1], c->friction[2],
                             c->rolling[0],     c->rolling[1],  c->rolling[2]};
        for (int i = 0; i < 7; ++i) {
            float value = impulses[i] + 0.0f;
            memcpy(&words[3 + i], &value, sizeof value);
        }
        for (int i = 0; i < 10; ++i) words[i] = kg_little32(words[i]);
        sum += XXH3_64bits(words, sizeof words);
    }
    return sum;
}

uint64_t kugel_world_hash(const kugel_world *world)
{
    if (!world) return 0;
    uint64_t head[6] = {world->tick, kg_canonical_bits(world->time), world->bodies.count};
    for (int k = 0; k < 3; ++k) head[3 + k] = kg_canonical_bits(world->def.gravity[k]);
    for (int k = 0; k < 6; ++k) head[k] = kg_little64(head[k]);
    uint64_t hash = hash_bodies(&world->bodies, XXH3_64bits(head, sizeof head));
    uint64_t tail[2] = {kg_little64(hash), kg_little64(hash_contacts(&world->contacts))};
    return XXH3_64bits(tail, sizeof tail);
}
