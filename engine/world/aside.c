/* Sets bodies at rest aside and gives them back (aside.h). */
#include "world/aside.h"

#include <string.h>

#include "base/sort.h"
#include "base/vec.h"
#include "world/stride.h"
#include "world/row_hash.h"
#include "world/world.h"

static const kg_column_row rows_by_id[] = {
    KG_COLUMN_ROW(kg_aside, next),   KG_COLUMN_ROW(kg_aside, member),
    KG_COLUMN_ROW(kg_aside, wanted), KG_COLUMN_ROW(kg_aside, wanted_ids),
    KG_COLUMN_ROW(kg_aside, met_at),
};
_Static_assert(sizeof rows_by_id == KG_ASIDE_COLUMNS_BY_ID * sizeof *rows_by_id,
               "a row for each column by id");

void kg_aside_free(kg_memory *memory, kg_aside *aside)
{
    kg_columns_free(memory, aside->columns, KG_ASIDE_COLUMNS_BY_ID);
    kg_column_free(memory, &aside->bucket_column);
    kg_contact_set_free(memory, &aside->contacts);
}

void kg_aside_clear(kg_aside *aside)
{
    aside->count = aside->wanted_count = aside->returned_count = 0;
    aside->contacts.count = aside->contacts.ended_count = 0;
    aside->contacts.version += 1;
    aside->version += 1;
    aside->hashed = false;
    memset(aside->level_count, 0, sizeof aside->level_count);
    if (aside->bucket)
        memset(aside->bucket, 0xff, ((size_t)aside->bucket_mask + 1) * sizeof *aside->bucket);
    if (aside->id_capacity) memset(aside->wanted, 0, aside->id_capacity);
}

bool kg_aside_reserve(kugel_world *world)
{
    kg_aside *aside = &world->aside;
    uint32_t had = aside->id_capacity, ids = world->bodies.id_end;
    for (int k = 0; k < KG_ASIDE_COLUMNS_BY_ID && ids > had; ++k) {
        kg_column *column = &aside->columns[k];
        uint32_t item = rows_by_id[k].item;
        if (!kg_column_reserve(&world->memory, column, item, ids, had)) return false;
        memcpy((char *)aside + rows_by_id[k].pointer, &column->data, sizeof column->data);
        memset((char *)column->data + (size_t)had * item, 0, (size_t)(ids - had) * item);
    }
    if (ids > had) aside->id_capacity = ids;
    return true;
}

static void swap_rows(kg_bodies *bodies, uint32_t i, uint32_t j)
{
    if (i == j) return;
    for (int k = 0; k < KG_BODY_COLUMNS; ++k) {
        if (kg_bodies_lack_column(bodies, k)) continue;
        size_t item = kg_bodies_item_size(k);
        char *data = kg_bodies_column(bodies, &kg_body_fields[k]), was[8];
        memcpy(was, data + i * item, item);
        memcpy(data + i * item, data + j * item, item);
        memcpy(data + j * item, was, item);
    }
    bodies->slot[bodies->id[i]] = i;
    bodies->slot[bodies->id[j]] = j;
}

/* The dynamic body of a contact, by id. */
static uint32_t dynamic_of(const kg_bodies *bodies, const kg_contact *c)
{
    return bodies->mass[bodies->slot[c->a]] > 0 ? c->a : c->b;
}

/* Merge sorted `items` into a sorted set, which has space for them; from the last. */
static void merge(kg_contact_set *set, const kg_contact *items, uint32_t count)
{
    uint32_t from = set->count, to = from + count;
    set->count = to;
    set->version += 1;
    while (count > 0) {
        bool is_old = from > 0 && kg_contact_set_key(&set->items[from - 1]) >
                                      kg_contact_set_key(&items[count - 1]);
        set->items[--to] = is_old ? set->items[--from] : items[--count];
    }
}

static uint64_t key_of(const void *item, int part)
{
    (void)part;
    return kg_contact_set_key(item);
}

/* Move the contacts of chosen rows to the set of those aside. */
static void move_contacts_aside(kugel_world *world, const uint8_t *chosen, kg_contact *moved)
{
    kg_contact_set *set = &world->contacts;
    uint32_t kept = 0, count = 0;
    for (uint32_t k = 0; k < set->count; ++k) {
        const kg_contact *c = &set->items[k];
        if (!chosen[world->bodies.slot[dynamic_of(&world->bodies, c)]]) {
            set->items[kept++] = *c;
            continue;
        }
        moved[count++] = *c;
        if (world->aside.hashed) world->aside.contact_hashes += kg_hash_contact(c);
    }
    set->count = kept;
    set->version += 1;
    kg_contact_set_compact(&world->aside.contacts);
    merge(&world->aside.contacts, moved, count);
}

/* Move the chosen rows behind the others. */
static void sort_rows(kugel_world *world, const uint8_t *chosen, uint32_t *order, void *scratch)
{
    kg_bodies *bodies = &world->bodies;
    uint32_t n = bodies->count, at = 0;
    for (int side = 0; side < 2; ++side) {
        for (uint32_t i = 0; i < n; ++i) {
            if (chosen[i] == side) order[at++] = i;
        }
    }
    for (int k = 0; k < KG_BODY_COLUMNS; ++k) kg_bodies_permute_column(bodies, k, order, scratch);
    kg_bodies_set_slots(bodies, 0, n);
}

/* Link the bodies of equal roots into rings. */
static void link_members(kugel_world *world, const uint8_t *chosen, const uint32_t *root)
{
    const uint32_t *id = world->bodies.id;
    uint32_t *member = world->aside.member;
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (chosen[i]) member[id[i]] = id[i];
    }
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (!chosen[i] || root[i] == i) continue;
        member[id[i]] = member[id[root[i]]];
        member[id[root[i]]] = id[i];
    }
}

bool kg_aside_add(kugel_world *world, const uint8_t *chosen, const uint32_t *root)
{
    kg_aside *aside = &world->aside;
    kg_bodies *bodies = &world->bodies;
    kg_contact_set *set = &aside->contacts;
    kg_memory *memory = &world->memory;
    uint32_t present = kg_world_present(world), more = 0, *order = NULL;
    size_t contacts = (size_t)set->count + world->contacts.count;
    for (uint32_t i = 0; i < present; ++i) more += chosen[i];
    void *scratch = NULL;
    kg_contact *moved = NULL;
    kg_scratch_mark mark = kg_scratch_top(&world->scratch);
    bool ok = kg_aside_reserve(world) && kg_aside_cells_reserve(world, aside->count + more) &&
              KG_RESERVE(memory, &set->column, set->items, contacts + 1, set->count) &&
              KG_TAKE(world, order, present) && KG_TAKE(world, moved, world->contacts.count + 1) &&
              (scratch = kg_scratch_take(memory, &world->scratch, sizeof(double), present)) != NULL;
    if (ok) {
        uint32_t all = bodies->count;
        bodies->count = present; /* the rows aside stay where they are */
        link_members(world, chosen, root);
        move_contacts_aside(world, chosen, moved);
        sort_rows(world, chosen, order, scratch);
        bodies->count = all;
        if (aside->hashed)
            aside->body_hashes += kg_hash_rows(bodies, 1u << KG_ROLE_STATE, present - more, more);
        for (uint32_t i = present - more; i < present; ++i) {
            kg_aside_cells_add(world, i);
            aside->count += 1;
        }
        aside->rows_changed = true;
        aside->version += 1;
        aside->tick = world->tick;
    }
    kg_scratch_release(memory, &world->scratch, mark);
    return ok;
}

/* Want all bodies connected with those that are wanted. */
static void want_members(kg_aside *aside)
{
    for (uint32_t n = aside->returned_count; n < aside->wanted_count; ++n) {
        uint32_t id = aside->wanted_ids[n];
        for (uint32_t m = aside->member[id]; m != id; m = aside->member[m])
            kg_aside_want_body(aside, m);
    }
}

void kg_aside_return_rows(kugel_world *world)
{
    kg_aside *aside = &world->aside;
    kg_bodies *bodies = &world->bodies;
    uint32_t at = kg_world_present(world), first = at;
    want_members(aside);
    for (; aside->returned_count < aside->wanted_count; aside->returned_count += 1) {
        uint32_t id = aside->wanted_ids[aside->returned_count];
        aside->met_at[id] = (uint32_t)world->tick;
        kg_aside_cells_remove(world, bodies->slot[id]);
        if (aside->hashed)
            aside->body_hashes -= kg_hash_rows(bodies, 1u << KG_ROLE_STATE, bodies->slot[id], 1);
        swap_rows(bodies, bodies->slot[id], at++);
        aside->rows_changed = true;
    }
    aside->count -= at - first;
    if (aside->hidden) bodies->count += at - first;
}

/* Copy the contacts aside of the wanted bodies, or only count them, or mark them as given back. */
static uint32_t take_contacts(kugel_world *world, kg_contact *taken, bool marks)
{
    kg_aside *aside = &world->aside;
    uint32_t count = 0;
    for (uint32_t n = 0; n < aside->wanted_count; ++n) {
        uint32_t id = aside->wanted_ids[n];
        kg_body_contacts walk = kg_contact_index_of(world, id);
        for (kg_contact *c; (c = kg_body_contacts_next(&walk));) {
            if (walk.set != &aside->contacts || dynamic_of(&world->bodies, c) != id) continue;
            if (taken) taken[count] = *c;
            count += 1;
            if (!marks) continue;
            if (aside->hashed) aside->contact_hashes -= kg_hash_contact(c);
            c->ended = true;
            aside->contacts.ended_count += 1;
        }
    }
    return count;
}

static bool give_back_contacts(kugel_world *world)
{
    kg_contact_set *set = &world->contacts;
    uint32_t count = take_contacts(world, NULL, false);
    kg_contact *taken;
    kg_scratch_mark mark = kg_scratch_top(&world->scratch);
    bool ok =
        KG_TAKE(world, taken, count + 1) && KG_RESERVE(&world->memory, &set->column, set->items,
                                                       (size_t)set->count + count + 1, set->count);
    if (ok) take_contacts(world, taken, false);
    ok = ok &&
         kg_sort_items(&world->memory, &world->scratch, taken, sizeof *taken, count, 1, key_of);
    if (ok) {
        take_contacts(world, NULL, true);
        if (count) merge(set, taken, count);
    }
    kg_scratch_release(&world->memory, &world->scratch, mark);
    return ok;
}

bool kg_aside_give_back(kugel_world *world)
{
    kg_aside *aside = &world->aside;
    if (!aside->wanted_count) return true;
    want_members(aside);
    if (!kg_contact_index_ensure(world) || !give_back_contacts(world)) return false;
    kg_aside_return_rows(world);
    for (uint32_t n = 0; n < aside->wanted_count; ++n) aside->wanted[aside->wanted_ids[n]] = 0;
    aside->wanted_count = aside->returned_count = 0;
    aside->rows_changed = true;
    return true;
}

bool kg_aside_give_back_all(kugel_world *world)
{
    kg_aside *aside = &world->aside;
    uint32_t first = kg_world_present(world);
    for (uint32_t i = first; i < first + aside->count; ++i)
        kg_aside_want_body(aside, world->bodies.id[i]);
    if (!kg_aside_give_back(world)) return false;
    kg_contact_set_compact(&world->contacts);
    return true;
}

bool kg_aside_give_back_on(kugel_world *world, uint32_t first_boundary, uint32_t count)
{
    kg_aside *aside = &world->aside;
    for (uint32_t k = 0; k < aside->contacts.count; ++k) {
        const kg_contact *c = &aside->contacts.items[k];
        if (c->with == KG_WITH_FEATURE && !c->ended && c->b - first_boundary < count)
            kg_aside_want_body(aside, c->a);
    }
    return kg_aside_give_back(world);
}

void kg_aside_return_body(kugel_world *world, uint32_t id)
{
    if (world->bodies.slot[id] < kg_world_present(world)) return;
    kg_aside_want_body(&world->aside, id);
    kg_aside_return_rows(world);
}

uint32_t kg_aside_move_to_end(kugel_world *world, uint32_t slot)
{
    uint32_t last = kg_world_present(world) - 1;
    if (world->aside.count) swap_rows(&world->bodies, slot, last);
    return world->aside.count ? last : slot;
}

void kg_aside_end_contact(kugel_world *world, kg_contact *contact)
{
    if (world->aside.hashed) world->aside.contact_hashes -= kg_hash_contact(contact);
    kg_contact_set_end(&world->aside.contacts, &world->bodies, contact);
}

/* Want the bodies that a moving surface may touch in dt, s, and no fewer than kg_stride_meets. */
static void want_on_path(kugel_world *world, const kg_surface *surface, double dt)
{
    double reach = kg_stride_of_surface(surface, dt);
    kg_aside_box box = {.wider = 1 + 1e-6}; /* as kg_stride_meets does */
    for (int k = 0; k < 3; ++k) {
        box.low[k] = surface->position[k] - reach;
        box.high[k] = surface->position[k] + reach;
    }
    kg_aside_want(world, &box);
}

bool kg_aside_hide(kugel_world *world, double dt)
{
    kg_aside *aside = &world->aside;
    const kg_surfaces *set = &world->surfaces;
    for (uint32_t k = 0; k < set->moving_count && aside->count; ++k)
        want_on_path(world, &set->items[set->moving[k]], dt);
    bool ok = kg_aside_give_back(world);
    if (ok) kg_contact_set_compact(&world->contacts);
    world->bodies.count -= aside->count;
    aside->hidden = true;
    return ok;
}

void kg_aside_show(kugel_world *world)
{
    if (world->aside.hidden) world->bodies.count += world->aside.count;
    world->aside.hidden = false;
    kg_aside_return_rows(world); /* those that a step without memory wanted */
}
