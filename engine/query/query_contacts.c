/* Resting contacts between steps: those of one body, and the description of a single one.
 * The contact set is sorted by (a, b). So the contacts that have the body as a are one range of the
 * set; the index lists those that have it as b.
 * In: the contact set, columns of the bodies. Out: kugel_resting_contact.
 * Cost of the index: two passes over the contacts.
 * Order of a body's contacts: other bodies by id, then surfaces and planes beyond the first
 * KG_SET_PLANES, then faces and the other planes. */
#include "base/assert.h"
#include "query/query.h"
#include "query/query_index.h"
#include "world/boundary.h"
#include "world/pair_gap.h"
#include "world/periodic.h"

/* Set index->all. It is the world's set unless contacts are aside or have ended. */
static bool gather(const kugel_world *world, kg_memory *memory, kg_contact_index *index)
{
    const kg_contact_set *a = &world->contacts, *b = &world->aside.contacts;
    kg_contact_set *to = &index->merged;
    index->all = a;
    if (!world->aside.contact_count && !a->ended_count) return true;
    size_t most = (size_t)a->count + b->count;
    if (!KG_RESERVE(memory, &to->column, to->items, most, 0)) return false;
    to->count = 0;
    kg_contact_walk walk = {.sets = {a, b}};
    for (const kg_contact *c; (c = kg_contact_walk_next(&walk));) to->items[to->count++] = *c;
    index->all = to;
    return true;
}

static bool reserve(const kugel_world *world, kg_memory *memory, kg_contact_index *index)
{
    size_t ids = (size_t)world->bodies.id_end + 1, contacts = index->all->count;
    return KG_RESERVE(memory, &index->columns[0], index->start, ids, 0) &&
           KG_RESERVE(memory, &index->columns[1], index->item, contacts, 0);
}

/* A counting sort by b, which keeps the order of a. While items are placed, start[b] is the place
 * of the next item of b. At the end this is the first item of b + 1, so the array is shifted by
 * one. */
static bool build(const kugel_world *world, kg_memory *memory, kg_contact_index *index)
{
    uint32_t ids = world->bodies.id_end, sum = 0;
    if (!gather(world, memory, index) || !reserve(world, memory, index)) return false;
    const kg_contact_set *set = index->all;
    memset(index->start, 0, ((size_t)ids + 1) * sizeof *index->start);
    for (uint32_t k = 0; k < set->count; ++k) {
        if (set->items[k].with == KG_WITH_BODY) index->start[set->items[k].b] += 1;
    }
    for (uint32_t id = 0; id <= ids; ++id) {
        uint32_t count = index->start[id];
        index->start[id] = sum;
        sum += count;
    }
    for (uint32_t k = 0; k < set->count; ++k) {
        if (set->items[k].with == KG_WITH_BODY) index->item[index->start[set->items[k].b]++] = k;
    }
    memmove(index->start + 1, index->start, ids * sizeof *index->start);
    index->start[0] = 0;
    return true;
}

/* A copy stays right while the world's set gets contacts back. Only `ready` is read without the
 * lock, since another thread may be building. */
static bool is_ready(const kugel_world *world, memory_order order)
{
    uint64_t ready = atomic_load_explicit(&world->query->contacts.ready, order);
    return ready == KG_CONTACTS_COPIED || ready == 1 + (uint64_t)world->contacts.version;
}

kugel_status kg_query_ensure_contacts(const kugel_world *world)
{
    kg_query_index *index = world->query;
    if (is_ready(world, memory_order_acquire)) return KUGEL_OK;
    pthread_mutex_lock(&index->lock);
    bool built =
        is_ready(world, memory_order_relaxed) || build(world, &index->memory, &index->contacts);
    bool copied = built && index->contacts.all != &world->contacts;
    if (built)
        atomic_store_explicit(&index->contacts.ready,
                              copied ? KG_CONTACTS_COPIED : 1 + (uint64_t)world->contacts.version,
                              memory_order_release);
    pthread_mutex_unlock(&index->lock);
    return built ? KUGEL_OK : KUGEL_ERROR_OUT_OF_MEMORY;
}

/* Returns the gap, m. The unit normal points from a to b or into the boundary. */
static double measure_contact(const kugel_world *world, uint32_t a, const kg_contact *c,
                              double normal[3])
{
    const kg_bodies *bodies = &world->bodies;
    const double x[3] = {bodies->x[0][a], bodies->x[1][a], bodies->x[2][a]};
    if (c->with != KG_WITH_BODY)
        return kg_boundary_contact_gap(world, c->b, 0, x, bodies->radius[a], normal);
    uint32_t b = bodies->slot[c->b];
    double d[3];
    for (int k = 0; k < 3; ++k) d[k] = kg_periodic_nearest_image(world, k, bodies->x[k][b] - x[k]);
    return kg_pair_gap(d, bodies->radius[a], bodies->radius[b], normal);
}

static void set_point(const kg_bodies *bodies, uint32_t a, kugel_resting_contact *out)
{
    for (int k = 0; k < 3; ++k)
        out->point[k] = bodies->x[k][a] + bodies->radius[a] * out->normal[k];
}

void kg_query_contact(const kugel_world *world, const kg_contact *c, kugel_resting_contact *out)
{
    const kg_bodies *bodies = &world->bodies;
    uint32_t a = bodies->slot[c->a];
    *out = (kugel_resting_contact){
        .index = c->b, .a = kg_bodies_handle(bodies, a), .force = c->normal_force};
    if (c->with == KG_WITH_BODY) out->b = kg_bodies_handle(bodies, bodies->slot[c->b]);
    else KG_NAME_TARGET(out, kg_boundary_name_of(world, c->b));
    out->gap = measure_contact(world, a, c, out->normal);
    set_point(bodies, a, out);
    /* the set stores the friction force on b, a result has that on a */
    for (int k = 0; k < 3; ++k) out->friction[k] = 0.0 - c->friction[k];
}

/* Exchanges a and b. Point, normal and friction force become those of the new a. */
static void exchange_bodies(const kugel_world *world, kugel_resting_contact *contact)
{
    kugel_body b = contact->b;
    contact->b = contact->a;
    contact->a = b;
    contact->index = kugel_body_id(contact->b);
    for (int k = 0; k < 3; ++k) {
        contact->normal[k] = 0.0 - contact->normal[k];
        contact->friction[k] = 0.0 - contact->friction[k];
    }
    set_point(&world->bodies, world->bodies.slot[kugel_body_id(b)], contact);
}

size_t kg_query_body_contacts(const kugel_world *world, uint32_t id, size_t capacity,
                              kugel_resting_contact *contacts)
{
    const kg_contact_index *index = &world->query->contacts;
    const kg_contact_set *set = index->all;
    KG_ASSERT(is_ready(world, memory_order_relaxed));
    size_t count = world->bodies.contact_count[world->bodies.slot[id]], n = 0;
    for (uint32_t k = index->start[id]; k < index->start[id + 1] && n < capacity; ++k) {
        const kg_contact *c = &set->items[index->item[k]];
        if (c->ended) continue;
        kg_query_contact(world, c, &contacts[n]);
        exchange_bodies(world, &contacts[n++]);
    }
    uint32_t k = kg_contact_set_lower_bound(set->items, set->count, (uint64_t)id << 32);
    for (; k < set->count && set->items[k].a == id && n < capacity; ++k) {
        if (!set->items[k].ended) kg_query_contact(world, &set->items[k], &contacts[n++]);
    }
    return count;
}
