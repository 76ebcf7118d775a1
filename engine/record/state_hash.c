/* The hash of the canonical state: tick, time, gravity, planes, bodies, resting contacts.
 * In: a world between steps. Out: 64 bits, the same on every platform: each item is a row of fields of
 * fixed width, little-endian, -0 as +0, and is hashed with XXH3. Bodies and contacts are sets: their
 * hashes are added (each row carries its ids, a contact's row its place), so the columns are read in the
 * order in which they lie, and slots do not matter.
 * Cost: about 10 ns a body; no memory. */
#include "base/bytes.h"
#include "base/hash.h"
#include "world/world.h"

enum { BODY_WORDS = 13, CONTACT_WORDS = 12, PLANE_WORDS = 6, HEAD_WORDS = 10 };

static uint32_t float_bits(float x)
{
    uint32_t bits;
    x += 0.0f; /* -0 becomes +0 */
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint64_t number(double x) { return kg_little64(kg_canonical_bits(x)); }

static uint64_t pair(uint32_t low, uint32_t high)
{
    return kg_little64((uint64_t)high << 32 | low);
}

/* Row of a body: position, velocity, spin, orientation, id and generation. */
static uint64_t hash_bodies(const kg_bodies *b)
{
    uint64_t row[BODY_WORDS], sum = 0;
    for (uint32_t i = 0; i < b->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            row[k] = number(b->x[k][i]);
            row[3 + k] = number(b->v[k][i]);
            row[6 + k] = number(b->w[k][i]);
        }
        row[9] = pair(float_bits(b->q[0][i]), float_bits(b->q[1][i]));
        row[10] = pair(float_bits(b->q[2][i]), float_bits(b->q[3][i]));
        row[11] = pair(b->id[i], b->generation[b->id[i]]);
        row[12] = kg_little64(b->calm[i]);
        sum += XXH3_64bits(row, sizeof row);
    }
    return sum;
}

/* Row of a contact: who, and the impulses that warm start the next solve. */
static uint64_t hash_contacts(const kg_contact_set *set)
{
    uint64_t sum = 0;
    for (uint32_t k = 0; k < set->count; ++k) {
        const kg_contact *c = &set->items[k];
        uint32_t row[CONTACT_WORDS] = {c->a, c->b, c->other, float_bits(c->normal_impulse)};
        for (int i = 0; i < 3; ++i) {
            row[4 + i] = float_bits(c->friction[i]);
            row[7 + i] = float_bits(c->rolling[i]);
        }
        row[10] = k; /* the solver follows their order */
        row[11] = c->leads;
        for (int i = 0; i < CONTACT_WORDS; ++i) row[i] = kg_little32(row[i]);
        sum += XXH3_64bits(row, sizeof row);
    }
    return sum;
}

/* Planes keep their order: it is their index. */
static uint64_t hash_planes(const kugel_world *world)
{
    uint64_t hash = 0;
    for (uint32_t p = 0; p < world->plane_count; ++p) {
        const kugel_plane *plane = &world->planes[p];
        uint64_t row[PLANE_WORDS] = {number(plane->normal[0]),   number(plane->normal[1]),
                                     number(plane->normal[2]),   number(plane->offset),
                                     number(plane->restitution), number(plane->friction)};
        hash = XXH3_64bits_withSeed(row, sizeof row, hash);
    }
    return hash;
}

uint64_t kugel_world_hash(const kugel_world *world)
{
    if (!world) return 0;
    const double *gravity = world->def.gravity;
    const uint64_t head[HEAD_WORDS] = {
        kg_little64(world->tick),
        number(world->time),
        number(gravity[0]),
        number(gravity[1]),
        number(gravity[2]),
        pair(world->plane_count, world->bodies.count),
        pair(world->contacts.count, world->contacts.changes),
        kg_little64(hash_planes(world)),
        kg_little64(hash_bodies(&world->bodies)),
        kg_little64(hash_contacts(&world->contacts)),
    };
    return XXH3_64bits(head, sizeof head);
}
