/* Claims about contacts: they are sorted, their bodies exist, and bodies count them. In a step:
 * contacts have lanes of groups, lanes of a group share no movable body, nor do blocks of one
 * colour. */
#include "validate/claims.h"

#ifdef KG_ASSERTIONS
#include "contact/contact_order.h"
#include "world/row_hash.h"

/* The largest number of bodies, and of contacts, for checks that need an array. */
enum { BODIES = 128, CONTACTS = 1024 };

static bool is_live(const kg_bodies *b, uint32_t id)
{
    return id < b->id_end && b->slot[id] < b->count && b->id[b->slot[id]] == id;
}

static bool has_boundary(const kugel_world *world, const kg_contact *c)
{
    if (c->with == KG_WITH_FEATURE)
        return kg_boundary_is_feature(c->b) &&
               kg_surfaces_find(&world->surfaces, (c->b - KG_BOUNDARY_FEATURES) / KG_PARTS);
    return c->b == c->with && kg_boundary_set_has(kg_boundary_solid(world), c->b);
}

static bool check_pair(const kugel_world *world, const kg_contact *c, kg_fault *fault)
{
    const kg_bodies *b = &world->bodies;
    KG_CLAIM(is_live(b, c->a), "the body of a contact exists: id %u", c->a);
    if (c->with == KG_WITH_BODY) {
        KG_CLAIM(c->a < c->b && is_live(b, c->b), "both bodies of a contact exist: ids %u, %u",
                 c->a, c->b);
        KG_CLAIM(b->mass[b->slot[c->a]] > 0 || b->mass[b->slot[c->b]] > 0,
                 "a body of a contact is movable: ids %u, %u", c->a, c->b);
    } else {
        KG_CLAIM(has_boundary(world, c), "the boundary of a contact exists: id %u, %u", c->a, c->b);
        KG_CLAIM(b->mass[b->slot[c->a]] > 0, "a body on a boundary is movable: id %u", c->a);
    }
    float sum = c->normal_force - c->normal_force;
    for (int k = 0; k < 3; ++k)
        sum += c->friction[k] - c->friction[k] + c->rolling[k] - c->rolling[k];
    KG_CLAIM(sum == 0 && c->normal_force >= 0, "forces are finite and press: ids %u, %u", c->a,
             c->b);
    return true;
}

/* Two dynamic bodies in contact are both awake or both asleep, between steps. */
static bool check_sleep(const kugel_world *world, const kg_contact *c, kg_fault *fault)
{
    const kg_bodies *b = &world->bodies;
    if (c->with != KG_WITH_BODY) return true;
    uint32_t i = b->slot[c->a], j = b->slot[c->b];
    KG_CLAIM(b->mass[i] == 0 || b->mass[j] == 0 ||
                 (b->sleep_state[i] == KG_ASLEEP) == (b->sleep_state[j] == KG_ASLEEP),
             "bodies in contact sleep together: ids %u, %u", c->a, c->b);
    return true;
}

static bool check_ended(const kg_contact_set *set, kg_fault *fault)
{
    uint32_t ended = 0;
    for (uint32_t k = 0; k < set->count; ++k) ended += set->items[k].ended;
    KG_CLAIM(ended == set->ended_count, "ended contacts are counted: %u of %u", set->ended_count,
             ended);
    return true;
}

/* Bodies count the contacts that have not ended. */
static bool check_counts(const kugel_world *world, const kg_contact_set *set, kg_fault *fault)
{
    const kg_bodies *b = &world->bodies;
    const uint32_t *stored =
        kg_validate_in_step(world) ? world->work.contact_count : b->contact_count;
    uint32_t count[BODIES] = {0}, rows = kg_world_body_total(world);
    if (rows > BODIES) return true;
    const kg_contact_set *both[] = {set, &world->aside.contacts};
    for (int n = 0; n < 2; ++n) {
        for (uint32_t k = 0; k < both[n]->count; ++k) {
            const kg_contact *c = &both[n]->items[k];
            if (c->ended) continue;
            count[b->slot[c->a]] += 1;
            if (c->with == KG_WITH_BODY) count[b->slot[c->b]] += 1;
        }
    }
    for (uint32_t i = 0; i < kg_world_present(world); ++i)
        KG_CLAIM(count[i] == stored[i], "bodies count their contacts: id %u, %u of %u", b->id[i],
                 stored[i], count[i]);
    return true;
}

/* In a step: the sets of boundaries have each boundary on which a body rests. */
static bool check_boundaries(const kugel_world *world, const kg_contact_set *set, kg_fault *fault)
{
    const kg_work *work = &world->work;
    uint32_t rests = 0, stored = 0;
    for (uint32_t k = 0; k < set->count; ++k) {
        const kg_contact *c = &set->items[k];
        if (c->ended || c->with == KG_WITH_BODY) continue;
        rests += 1;
        KG_CLAIM(kg_work_rests_on(work, world->bodies.slot[c->a], c->b),
                 "bodies store the boundaries on which they rest: id %u, %u", c->a, c->b);
    }
    for (uint32_t i = 0; i < world->bodies.count; ++i) stored += kg_work_count_resting(work, i);
    KG_CLAIM(rests == stored, "bodies store no other boundaries: %u of %u", stored, rests);
    return true;
}

/* A body that is aside, or whose contacts are. */
static bool is_aside(const kugel_world *world, uint32_t id)
{
    return world->bodies.slot[id] >= kg_world_present(world) || world->aside.wanted[id];
}

/* Contacts aside are sorted, and their bodies are aside. */
static bool check_contacts_aside(const kugel_world *world, kg_fault *fault)
{
    const kg_contact_set *set = &world->aside.contacts;
    for (uint32_t k = 0; k < set->count; ++k) {
        const kg_contact *c = &set->items[k];
        KG_CLAIM(!k || kg_contact_set_key(c - 1) < kg_contact_set_key(c),
                 "contacts aside are sorted: ids %u, %u", c->a, c->b);
        KG_CLAIM(c->ended ||
                     (is_aside(world, c->a) && (c->with != KG_WITH_BODY || is_aside(world, c->b))),
                 "the bodies of a contact aside are aside: ids %u, %u", c->a, c->b);
    }
    KG_CLAIM(!world->aside.hashed ||
                 world->aside.contact_hashes == kg_hash_contacts(set, 0, set->count),
             "the hashes of contacts aside are summed");
    return check_ended(set, fault);
}

bool kg_validate_contacts(const kugel_world *world, kg_fault *fault)
{
    const kg_contact_set *set = kg_validate_contact_set(world);
    bool in_step = kg_validate_in_step(world);
    uint32_t sorted = in_step ? set->sorted_count : set->count;
    for (uint32_t k = 0; k < set->count; ++k) {
        const kg_contact *c = &set->items[k];
        if (!in_step && c->ended) continue; /* by a call */
        if (!check_pair(world, c, fault)) return false;
        KG_CLAIM(!k || k >= sorted || kg_contact_set_key(c - 1) < kg_contact_set_key(c),
                 "contacts are sorted: ids %u, %u", c->a, c->b);
        KG_CLAIM(k < sorted || c->ended || c->with != KG_WITH_BODY ||
                     !kg_contact_set_has_sorted_pair(set, c->a, c->b),
                 "a pair has one contact: ids %u, %u", c->a, c->b);
        if (!in_step && !check_sleep(world, c, fault)) return false;
    }
    return (in_step || check_ended(set, fault)) && check_counts(world, set, fault) &&
           check_contacts_aside(world, fault) && (!in_step || check_boundaries(world, set, fault));
}

/* A lane has the slots of its contact, or is unused. */
static bool check_lane(const kugel_world *world, uint32_t group, uint32_t lane, kg_fault *fault)
{
    const kg_contact_stage *stage = world->contact;
    const kg_contact_group_info *info = &stage->group_info[group];
    const kg_contact_group *g = &stage->groups[group];
    const kg_contact *c = &world->work.contacts.items[kg_contact_item(stage, info, (int)lane)];
    uint32_t a = g->a[lane], b = g->b[lane], unused = world->bodies.count;
    bool ended = info->ended >> lane & 1;
    KG_CLAIM(ended == (bool)c->ended, "groups mark ended contacts: ids %u, %u", c->a, c->b);
    if (ended) {
        KG_CLAIM(a == unused && b == unused, "an ended contact has no lane: ids %u, %u", c->a,
                 c->b);
        return true;
    }
    KG_CLAIM(a == world->bodies.slot[c->a] &&
                 b == (c->with == KG_WITH_BODY ? world->bodies.slot[c->b] : unused),
             "a lane has the slots of its contact: ids %u, %u", c->a, c->b);
    for (uint32_t other = 0; other < lane; ++other) {
        uint32_t p = g->a[other], q = g->b[other];
        KG_CLAIM((p != a && q != a) || world->bodies.mass[a] == 0,
                 "lanes of a group share no movable body: id %u", c->a);
        KG_CLAIM(b == unused || (p != b && q != b) || world->bodies.mass[b] == 0,
                 "lanes of a group share no movable body: id %u", c->b);
    }
    return true;
}

/* Groups are spans of the order, one after the other. `in_group[item]` becomes true. */
static bool check_group(const kugel_world *world, uint32_t group, bool *in_group, kg_fault *fault)
{
    const kg_contact_stage *stage = world->contact;
    const kg_contact_group_info *info = &stage->group_info[group];
    uint32_t least = group ? (info - 1)->first + (info - 1)->count : 0;
    KG_CLAIM(info->count > 0 && info->count <= KG_LANES && info->first >= least &&
                 info->first + info->count <= stage->ordered_count,
             "groups are spans of the order: %u", group);
    for (uint32_t lane = 0; lane < KG_LANES; ++lane) {
        const kg_contact_group *g = &stage->groups[group];
        if (lane >= info->count) {
            KG_CLAIM(g->a[lane] == world->bodies.count && g->b[lane] == world->bodies.count,
                     "lanes without a contact are unused: group %u", group);
            continue;
        }
        uint32_t item = kg_contact_item(stage, info, (int)lane);
        KG_CLAIM(item < world->work.contacts.count, "the order has contacts alone: %u", item);
        if (in_group) {
            KG_CLAIM(!in_group[item], "a contact is in one group: %u", item);
            in_group[item] = true;
        }
        if (!check_lane(world, group, lane, fault)) return false;
    }
    return true;
}

/* Blocks of one colour share no movable body: threads solve them at the same time. */
static bool check_colours(const kugel_world *world, kg_fault *fault)
{
    const kg_contact_stage *stage = world->contact;
    uint32_t owner[BODIES + 1];
    uint64_t last = UINT64_MAX;
    for (uint32_t n = 0; n < stage->block_count; ++n) {
        const kg_contact_block *block = &stage->blocks[n];
        uint64_t colour = kg_contact_block_colour(stage, block->key);
        KG_CLAIM(!n || block->key > (block - 1)->key, "blocks are sorted: %u", n);
        if (colour != last) memset(owner, 0, sizeof owner);
        last = colour;
        for (uint32_t g = block->first_group; g < block->first_group + block->group_count; ++g) {
            for (int lane = 0; lane < 2 * KG_LANES; ++lane) {
                const kg_contact_group *group = &stage->groups[g];
                uint32_t i = lane < KG_LANES ? group->a[lane] : group->b[lane - KG_LANES];
                if (i == world->bodies.count || world->bodies.mass[i] == 0) continue;
                KG_CLAIM(!owner[i] || owner[i] == n + 1,
                         "blocks of one colour share no movable body: id %u", world->bodies.id[i]);
                owner[i] = n + 1;
            }
        }
    }
    return true;
}

bool kg_validate_groups(const kugel_world *world, kg_fault *fault)
{
    const kg_contact_stage *stage = world->contact;
    const kg_contact_set *set = &world->work.contacts;
    bool in_group[CONTACTS] = {false}, few = set->count <= CONTACTS;
    if (!kg_validate_in_step(world) || !stage->ordered_count) return true;
    for (uint32_t g = 0; g < stage->group_count; ++g) {
        if (!check_group(world, g, few ? in_group : NULL, fault)) return false;
    }
    for (uint32_t k = 0; few && !world->work.groups_outdated && k < stage->ordered_count; ++k) {
        const kg_contact *c = &set->items[k];
        /* bodies may have fallen asleep since groups were made */
        KG_CLAIM(in_group[k] || c->ended || kg_contact_is_asleep(world, c),
                 "each contact of awake bodies is in a group: ids %u, %u", c->a, c->b);
    }
    return world->bodies.count > BODIES || check_colours(world, fault);
}
#endif
