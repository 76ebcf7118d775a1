/* Makes and walks the chains of contacts (contact_index.h). */
#include "world/contact_index.h"

#include <string.h>

#include "base/assert.h"
#include "world/world.h"

static kg_contact_set *set_of(const kugel_world *world, int number)
{
    const kg_contact_set *set = number ? &world->aside.contacts : &world->contacts;
    return (kg_contact_set *)(uintptr_t)set;
}

/* The index is derived; threads change it under its lock. */
static kg_contact_index *index_of(const kugel_world *world)
{
    return (kg_contact_index *)(uintptr_t)&world->contact_index;
}

bool kg_contact_index_create(kg_contact_index *index, const kg_memory *memory)
{
    index->memory.hooks = memory->hooks;
    for (int k = 0; k < KG_CONTACT_SETS; ++k) atomic_init(&index->chains[k].ready, 0);
    return kg_mutex_init(&index->lock);
}

void kg_contact_index_free(kg_contact_index *index)
{
    for (int k = 0; k < KG_CONTACT_SETS; ++k)
        kg_columns_free(&index->memory, index->chains[k].columns, 2);
    kg_column_free(&index->memory, &index->queue_column);
    kg_mutex_free(&index->lock);
}

size_t kg_contact_index_memory(const kugel_world *world)
{
    kg_contact_index *index = index_of(world);
    kg_mutex_lock(&index->lock); /* a query on another thread may make chains */
    size_t used = index->memory.used;
    kg_mutex_unlock(&index->lock);
    return used;
}

static bool is_ready(const kugel_world *world, int number, memory_order order)
{
    uint64_t ready = atomic_load_explicit(&world->contact_index.chains[number].ready, order);
    return ready == 1 + set_of(world, number)->version;
}

static bool reserve(const kugel_world *world, kg_contact_index *index, int number)
{
    kg_contact_chains *chains = &index->chains[number];
    uint32_t ids = world->bodies.id_end, had = chains->id_capacity;
    bool ok = KG_RESERVE(&index->memory, &chains->columns[0], chains->head, ids, had) &&
              KG_RESERVE(&index->memory, &chains->columns[1], chains->next,
                         set_of(world, number)->count, 0) &&
              KG_RESERVE(&index->memory, &index->queue_column, index->queue, ids, 0);
    if (!ok || ids <= had) return ok;
    memset(chains->head + had, 0, (ids - had) * sizeof *chains->head);
    chains->id_capacity = ids;
    return true;
}

/* From the last contact, so that each chain is in the order of the set. */
static bool make(const kugel_world *world, kg_contact_index *index, int number)
{
    const kg_contact_set *set = set_of(world, number);
    kg_contact_chains *chains = &index->chains[number];
    if (!reserve(world, index, number)) return false;
    if (++chains->made == 0) { /* as often as numbers exist */
        memset(chains->head, 0, chains->id_capacity * sizeof *chains->head);
        chains->made = 1;
    }
    for (uint32_t k = set->count; k-- > 0;) {
        const kg_contact *c = &set->items[k];
        if (c->ended || c->with != KG_WITH_BODY) continue;
        kg_contact_chain_head *head = &chains->head[c->b];
        chains->next[k] = head->made == chains->made ? head->first : KG_NONE;
        *head = (kg_contact_chain_head){k, chains->made};
    }
    return true;
}

bool kg_contact_index_ensure(const kugel_world *world)
{
    kg_contact_index *index = index_of(world);
    bool ready = true;
    for (int k = 0; k < KG_CONTACT_SETS && ready; ++k) {
        if (is_ready(world, k, memory_order_acquire)) continue;
        kg_mutex_lock(&index->lock);
        ready = is_ready(world, k, memory_order_relaxed) || make(world, index, k);
        if (ready)
            atomic_store_explicit(&index->chains[k].ready, 1 + set_of(world, k)->version,
                                  memory_order_release);
        kg_mutex_unlock(&index->lock);
    }
    return ready;
}

bool kg_contact_index_is_ready(const kugel_world *world)
{
    return is_ready(world, 0, memory_order_relaxed) && is_ready(world, 1, memory_order_relaxed);
}

kg_body_contacts kg_contact_index_of(const kugel_world *world, uint32_t id)
{
    kg_body_contacts walk = {.world = world, .id = id};
    for (int k = 0; k < KG_CONTACT_SETS; ++k) {
        const kg_contact_set *set = set_of(world, k);
        const kg_contact_chains *chains = &world->contact_index.chains[k];
        bool any = id < chains->id_capacity && chains->head[id].made == chains->made;
        KG_ASSERT(!set->count || is_ready(world, k, memory_order_relaxed));
        walk.at[0][k] = set->count && any ? chains->head[id].first : KG_NONE;
        walk.at[1][k] = kg_contact_set_lower_bound(set->items, set->count, (uint64_t)id << 32);
    }
    return walk;
}

/* The next contact of one kind in a set, or NULL. With `skips` behind the present one. */
static kg_contact *find(kg_body_contacts *walk, int as_a, int number, bool skips)
{
    const kg_contact_set *set = set_of(walk->world, number);
    const uint32_t *next = walk->world->contact_index.chains[number].next;
    uint32_t *at = &walk->at[as_a][number];
    for (;; skips = true) {
        if (skips) *at = as_a ? *at + 1 : next[*at];
        if (as_a ? *at >= set->count || set->items[*at].a != walk->id : *at == KG_NONE) return NULL;
        if (!set->items[*at].ended) return &set->items[*at];
    }
}

kg_contact *kg_body_contacts_next(kg_body_contacts *walk)
{
    for (int as_a = 0; as_a < 2; ++as_a) {
        kg_contact *c[KG_CONTACT_SETS];
        for (int k = 0; k < KG_CONTACT_SETS; ++k) c[k] = find(walk, as_a, k, false);
        if (!c[0] && !c[1]) continue;
        int first = c[0] && (!c[1] || kg_contact_set_key(c[0]) < kg_contact_set_key(c[1])) ? 0 : 1;
        walk->set = set_of(walk->world, first);
        find(walk, as_a, first, true);
        return c[first];
    }
    return NULL;
}
