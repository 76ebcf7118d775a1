/* The set of resting contacts: append, copy, search, count, remove.
 * In: contacts. Out: the array, and contact counts of bodies. Cost: searches are bisections of the
 * items sorted by kg_contact_set_key; kg_contact_set_has_pair also passes over the others. Order:
 * removal keeps the order of the other contacts. */
#include "world/contact_set.h"

#include <string.h>

#include "world/fields.h"

#define FIELD(name, member, kind, role) KG_FIELD(kg_contact, name, member, kind, role)

/* `a`, `b` and `with` have another role than KG_ROLE_STATE, because the state hash of a contact
 * begins with them anyway. */
const kg_field kg_contact_fields[] = {
    FIELD("contact", a, KG_U32, KG_ROLE_CONSTANT),
    FIELD("contact.with", b, KG_U32, KG_ROLE_CONSTANT),
    FIELD("contact.with", with, KG_U8, KG_ROLE_CONSTANT),
    FIELD("contact.normal", normal_force, KG_F32, KG_ROLE_STATE),
    FIELD("contact.friction.x", friction[0], KG_F32, KG_ROLE_STATE),
    FIELD("contact.friction.y", friction[1], KG_F32, KG_ROLE_STATE),
    FIELD("contact.friction.z", friction[2], KG_F32, KG_ROLE_STATE),
    FIELD("contact.rolling.x", rolling[0], KG_F32, KG_ROLE_STATE),
    FIELD("contact.rolling.y", rolling[1], KG_F32, KG_ROLE_STATE),
    FIELD("contact.rolling.z", rolling[2], KG_F32, KG_ROLE_STATE),
};

uint32_t kg_contact_set_lower_bound(const kg_contact *items, uint32_t count, uint64_t key)
{
    uint32_t low = 0;
    while (count > 0) {
        uint32_t half = count / 2;
        bool higher = kg_contact_set_key(&items[low + half]) < key;
        low += higher ? half + 1 : 0;
        count = higher ? count - half - 1 : half;
    }
    return low;
}

static uint64_t key_of_pair(uint32_t a, uint32_t b)
{
    const kg_contact pair = {.a = a < b ? a : b, .b = a < b ? b : a, .with = KG_WITH_BODY};
    return kg_contact_set_key(&pair);
}

bool kg_contact_set_has_sorted_pair(const kg_contact_set *set, uint32_t a, uint32_t b)
{
    uint64_t key = key_of_pair(a, b);
    uint32_t place = kg_contact_set_lower_bound(set->items, set->sorted_count, key);
    return place < set->sorted_count && kg_contact_set_key(&set->items[place]) == key &&
           !set->items[place].ended;
}

bool kg_contact_set_has_pair(const kg_contact_set *set, uint32_t a, uint32_t b)
{
    if (kg_contact_set_has_sorted_pair(set, a, b)) return true;
    uint64_t key = key_of_pair(a, b);
    for (uint32_t k = set->sorted_count; k < set->count; ++k) {
        if (kg_contact_set_key(&set->items[k]) == key && !set->items[k].ended) return true;
    }
    return false;
}

bool kg_contact_set_add(kg_memory *memory, kg_contact_set *set, kg_contact contact)
{
    if (set->count == KG_CONTACT_LIMIT - 1) return false;
    if (!KG_RESERVE(memory, &set->column, set->items, (size_t)set->count + 1, set->count))
        return false;
    set->items[set->count++] = contact;
    return true;
}

bool kg_contact_set_copy(kg_memory *memory, kg_contact_set *dst, const kg_contact_set *src)
{
    if (!KG_RESERVE(memory, &dst->column, dst->items, src->count, 0)) return false;
    dst->count = src->count;
    if (src->count) memcpy(dst->items, src->items, src->count * sizeof *dst->items);
    return true;
}

void kg_contact_set_free(kg_memory *memory, kg_contact_set *set)
{
    kg_column_free(memory, &set->column);
    *set = (kg_contact_set){0};
}

/* Add a number, 1 or -1 modulo 2^32, to the contact counts of a contact's bodies. */
static void add_to_counts(kg_bodies *bodies, const kg_contact *c, uint32_t change)
{
    bodies->contact_count[bodies->slot[c->a]] += change;
    if (c->with == KG_WITH_BODY) bodies->contact_count[bodies->slot[c->b]] += change;
}

void kg_contact_set_count(const kg_contact_set *set, kg_bodies *bodies)
{
    if (bodies->count)
        memset(bodies->contact_count, 0, bodies->count * sizeof *bodies->contact_count);
    for (uint32_t k = 0; k < set->count; ++k) add_to_counts(bodies, &set->items[k], 1);
}

void kg_contact_set_end(kg_contact_set *set, kg_bodies *bodies, kg_contact *contact)
{
    contact->ended = true;
    set->ended_count += 1;
    add_to_counts(bodies, contact, (uint32_t)-1);
}

const kg_contact *kg_contact_walk_next(kg_contact_walk *walk)
{
    const kg_contact *next[2] = {NULL, NULL};
    for (int k = 0; k < 2; ++k) {
        const kg_contact_set *set = walk->sets[k];
        while (walk->at[k] < set->count && set->items[walk->at[k]].ended) walk->at[k] += 1;
        if (walk->at[k] < set->count) next[k] = &set->items[walk->at[k]];
    }
    int first =
        next[0] && (!next[1] || kg_contact_set_key(next[0]) < kg_contact_set_key(next[1])) ? 0 : 1;
    walk->at[first] += next[first] != NULL;
    return next[first];
}

void kg_contact_set_compact(kg_contact_set *set)
{
    uint32_t kept = 0;
    if (!set->ended_count) return;
    for (uint32_t k = 0; k < set->count; ++k) {
        if (!set->items[k].ended) set->items[kept++] = set->items[k];
    }
    set->count = kept;
    set->ended_count = 0;
    set->version += 1;
}
