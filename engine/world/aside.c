/* Sets bodies at rest aside and gives them back (aside.h). A body is in the bucket of one cell, by
 * its centre; cells of a level are four times as wide as its largest radius. */
#include "world/aside.h"

#include <string.h>

#include "base/sort.h"
#include "base/vec.h"
#include "world/world.h"

static const kg_column_row rows_by_id[] = {
    KG_COLUMN_ROW(kg_aside, next),          KG_COLUMN_ROW(kg_aside, member),
    KG_COLUMN_ROW(kg_aside, first_contact), KG_COLUMN_ROW(kg_aside, wanted),
    KG_COLUMN_ROW(kg_aside, wanted_ids),    KG_COLUMN_ROW(kg_aside, met_at),
};
_Static_assert(sizeof rows_by_id == KG_ASIDE_COLUMNS_BY_ID * sizeof *rows_by_id,
               "a row for each column by id");

void kg_aside_free(kg_memory *memory, kg_aside *aside)
{
    kg_columns_free(memory, aside->columns, KG_ASIDE_COLUMNS_BY_ID);
    kg_column_free(memory, &aside->bucket_column);
    kg_column_free(memory, &aside->next_contact_column);
    kg_contact_set_free(memory, &aside->contacts);
}

void kg_aside_clear(kg_aside *aside)
{
    aside->count = aside->contacts.count = aside->contact_count = aside->wanted_count = 0;
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

static int exponent_of(double radius)
{
    int exponent = (int)(kg_double_to_bits(radius) >> 52) - 1022; /* of a normal number */
    if (exponent <= -KG_ASIDE_EXPONENT) return 1 - KG_ASIDE_EXPONENT;
    return exponent < KG_ASIDE_EXPONENT ? exponent : KG_ASIDE_EXPONENT - 1;
}

static uint32_t *level_of(kg_aside *aside, double radius)
{
    return &aside->level_count[exponent_of(radius) + KG_ASIDE_EXPONENT];
}

/* Count a body aside that has this radius. */
static void add_to_level(kg_aside *aside, double radius)
{
    int exponent = exponent_of(radius);
    if (!aside->count || exponent < aside->low) aside->low = exponent;
    if (!aside->count || exponent > aside->high) aside->high = exponent;
    *level_of(aside, radius) += 1;
    aside->count += 1;
}

/* Cells beyond share the coordinate of the last ones. */
static const double largest_cell = 0x1p52;

/* Coordinate of the cell of level `exponent`: a whole number. */
static double cell_of(double x, int exponent)
{
    double at = x * kg_power_of_two(-exponent - 2), whole;
    if (!(kg_abs(at) < largest_cell)) return at < 0 ? -largest_cell : largest_cell;
    whole = (double)(int64_t)at;
    return whole > at ? whole - 1 : whole;
}

static uint32_t bucket_of(const kg_aside *aside, int exponent, const double cell[3])
{
    uint64_t hash = (uint64_t)(uint32_t)exponent;
    for (int k = 0; k < 3; ++k)
        hash = (hash ^ (uint64_t)(int64_t)cell[k]) * 0x9e3779b97f4a7c15u, hash ^= hash >> 29;
    return (uint32_t)(hash >> 16) & aside->bucket_mask;
}

static uint32_t *bucket_of_row(const kugel_world *world, uint32_t slot)
{
    double cell[3];
    int exponent = exponent_of(world->bodies.radius[slot]);
    for (int k = 0; k < 3; ++k) cell[k] = cell_of(world->bodies.x[k][slot], exponent);
    return &world->aside.bucket[bucket_of(&world->aside, exponent, cell)];
}

static void insert(kugel_world *world, uint32_t slot)
{
    uint32_t id = world->bodies.id[slot], *bucket = bucket_of_row(world, slot);
    world->aside.next[id] = *bucket;
    *bucket = id;
}

static void take_out(kugel_world *world, uint32_t slot)
{
    kg_aside *aside = &world->aside;
    uint32_t id = world->bodies.id[slot], *at = bucket_of_row(world, slot);
    while (*at != id) at = &aside->next[*at];
    *at = aside->next[id];
    *level_of(aside, world->bodies.radius[slot]) -= 1;
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

/* Drop the contacts that were given back, and chain the others by their dynamic bodies. */
static void chain_contacts(kugel_world *world)
{
    kg_aside *aside = &world->aside;
    kg_contact_set *set = &aside->contacts;
    const kg_bodies *bodies = &world->bodies;
    uint32_t kept = 0, first = kg_world_present(world);
    for (uint32_t k = 0; k < set->count; ++k) {
        if (!set->items[k].ended) set->items[kept++] = set->items[k];
    }
    set->count = aside->contact_count = kept;
    for (uint32_t i = first; i < first + aside->count; ++i)
        aside->first_contact[bodies->id[i]] = KG_NONE;
    for (uint32_t k = kept; k-- > 0;) {
        uint32_t id = dynamic_of(bodies, &set->items[k]);
        aside->next_contact[k] = aside->first_contact[id];
        aside->first_contact[id] = k;
    }
}

/* Move the contacts of chosen rows to the set of those aside. */
static void move_contacts_aside(kugel_world *world, const uint8_t *chosen, kg_contact *moved)
{
    kg_contact_set *set = &world->contacts;
    uint32_t kept = 0, count = 0;
    for (uint32_t k = 0; k < set->count; ++k) {
        const kg_contact *c = &set->items[k];
        bool is_chosen = chosen[world->bodies.slot[dynamic_of(&world->bodies, c)]];
        if (is_chosen) moved[count++] = *c;
        else set->items[kept++] = *c;
    }
    set->count = kept;
    set->version += 1;
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

/* Make the buckets of all bodies aside anew if there are too few. False when out of memory. */
static bool reserve_buckets(kugel_world *world, uint32_t bodies)
{
    kg_aside *aside = &world->aside;
    uint32_t wanted = 64;
    while (wanted < bodies) wanted *= 2;
    if (aside->bucket && aside->bucket_mask + 1 >= wanted) return true;
    if (!KG_RESERVE(&world->memory, &aside->bucket_column, aside->bucket, wanted, 0)) return false;
    aside->bucket_mask = wanted - 1;
    memset(aside->bucket, 0xff, wanted * sizeof *aside->bucket);
    uint32_t first = kg_world_present(world);
    for (uint32_t i = first; i < first + aside->count; ++i) insert(world, i);
    return true;
}

bool kg_aside_add(kugel_world *world, const uint8_t *chosen, const uint32_t *root)
{
    kg_aside *aside = &world->aside;
    kg_bodies *bodies = &world->bodies;
    kg_contact_set *set = &aside->contacts;
    kg_memory *memory = &world->memory;
    uint32_t present = kg_world_present(world), more = 0, *order;
    size_t contacts = (size_t)set->count + world->contacts.count;
    for (uint32_t i = 0; i < present; ++i) more += chosen[i];
    void *scratch;
    kg_contact *moved;
    kg_scratch_mark mark = kg_scratch_top(&world->scratch);
    bool ok = kg_aside_reserve(world) && reserve_buckets(world, aside->count + more) &&
              KG_RESERVE(memory, &set->column, set->items, contacts + 1, set->count) &&
              KG_RESERVE(memory, &aside->next_contact_column, aside->next_contact, contacts + 1,
                         set->count) &&
              KG_TAKE(world, order, present) && KG_TAKE(world, moved, world->contacts.count + 1) &&
              (scratch = kg_scratch_take(memory, &world->scratch, sizeof(double), present)) != NULL;
    if (ok) {
        uint32_t all = bodies->count;
        bodies->count = present; /* the rows aside stay where they are */
        link_members(world, chosen, root);
        move_contacts_aside(world, chosen, moved);
        sort_rows(world, chosen, order, scratch);
        bodies->count = all;
        for (uint32_t i = present - more; i < present; ++i) {
            add_to_level(aside, bodies->radius[i]);
            insert(world, i);
        }
        chain_contacts(world);
        aside->rows_changed = true;
    }
    kg_scratch_release(memory, &world->scratch, mark);
    return ok;
}

static void want_body(kg_aside *aside, uint32_t id)
{
    if (__atomic_exchange_n(&aside->wanted[id], 1, __ATOMIC_RELAXED)) return;
    aside->wanted_ids[__atomic_fetch_add(&aside->wanted_count, 1, __ATOMIC_RELAXED)] = id;
}

static bool want_if_inside(kugel_world *world, const kg_aside_box *box, uint32_t slot)
{
    const kg_bodies *bodies = &world->bodies;
    double radius = bodies->radius[slot] * (1 + box->wider);
    bool inside = true;
    for (int k = 0; k < 3; ++k) {
        double x = bodies->x[k][slot];
        inside = inside && x + radius >= box->low[k] && x - radius <= box->high[k];
    }
    if (inside) want_body(&world->aside, bodies->id[slot]);
    return inside;
}

static bool want_in_cells(kugel_world *world, const kg_aside_box *box, int exponent,
                          const double low[3], const double high[3])
{
    const kg_aside *aside = &world->aside;
    double at[3];
    bool any = false;
    for (at[2] = low[2]; at[2] <= high[2]; ++at[2]) {
        for (at[1] = low[1]; at[1] <= high[1]; ++at[1]) {
            for (at[0] = low[0]; at[0] <= high[0]; ++at[0]) {
                uint32_t id = aside->bucket[bucket_of(aside, exponent, at)];
                for (; id != KG_NONE; id = aside->next[id])
                    any |= want_if_inside(world, box, world->bodies.slot[id]);
            }
        }
    }
    return any;
}

bool kg_aside_want(kugel_world *world, const kg_aside_box *box)
{
    const kg_aside *aside = &world->aside;
    bool any = false;
    for (int exponent = aside->low; exponent <= aside->high && aside->count; ++exponent) {
        uint32_t count = aside->level_count[exponent + KG_ASIDE_EXPONENT];
        double reach = (1 + box->wider) * kg_power_of_two(exponent), cells = 1, low[3], high[3];
        for (int k = 0; k < 3 && count; ++k) {
            low[k] = cell_of(box->low[k] - reach, exponent);
            high[k] = cell_of(box->high[k] + reach, exponent);
            cells *= high[k] - low[k] + 1;
        }
        if (!count) continue;
        if (cells <= count + 64.) {
            any |= want_in_cells(world, box, exponent, low, high);
            continue;
        }
        uint32_t first = kg_world_present(world);
        for (uint32_t i = first; i < first + aside->count; ++i)
            any |= want_if_inside(world, box, i);
        return any;
    }
    return any;
}

/* Want all bodies connected with those that are wanted. Returns the number of their contacts. */
static uint32_t want_members(kg_aside *aside)
{
    uint32_t contacts = 0;
    for (uint32_t n = 0; n < aside->wanted_count; ++n) {
        uint32_t id = aside->wanted_ids[n];
        for (uint32_t k = aside->first_contact[id]; k != KG_NONE; k = aside->next_contact[k])
            contacts += 1;
        for (uint32_t m = aside->member[id]; m != id; m = aside->member[m]) want_body(aside, m);
    }
    return contacts;
}

/* Copy the contacts of the wanted bodies, or mark them as given back. */
static void take_contacts(kg_aside *aside, kg_contact *taken, bool marks)
{
    uint32_t count = 0;
    for (uint32_t n = 0; n < aside->wanted_count; ++n) {
        uint32_t k = aside->first_contact[aside->wanted_ids[n]];
        for (; k != KG_NONE; k = aside->next_contact[k]) {
            if (marks) aside->contacts.items[k].ended = true, aside->contact_count -= 1;
            else taken[count++] = aside->contacts.items[k];
        }
    }
}

/* Move the wanted rows to the front of those aside, which they leave. */
static void move_rows_back(kugel_world *world)
{
    kg_aside *aside = &world->aside;
    kg_bodies *bodies = &world->bodies;
    uint32_t at = kg_world_present(world);
    for (uint32_t n = 0; n < aside->wanted_count; ++n) {
        uint32_t id = aside->wanted_ids[n];
        aside->wanted[id] = 0;
        aside->met_at[id] = (uint32_t)world->tick;
        take_out(world, bodies->slot[id]);
        swap_rows(bodies, bodies->slot[id], at++);
    }
    aside->count -= aside->wanted_count;
    if (aside->hidden) bodies->count += aside->wanted_count;
    aside->wanted_count = 0;
    aside->rows_changed = true;
}

bool kg_aside_give_back(kugel_world *world)
{
    kg_aside *aside = &world->aside;
    kg_contact_set *set = &world->contacts;
    if (!aside->wanted_count) return true;
    uint32_t contacts = want_members(aside);
    kg_contact *taken;
    kg_scratch_mark mark = kg_scratch_top(&world->scratch);
    bool ok = KG_TAKE(world, taken, contacts + 1) &&
              KG_RESERVE(&world->memory, &set->column, set->items,
                         (size_t)set->count + contacts + 1, set->count);
    if (ok) take_contacts(aside, taken, false);
    ok = ok &&
         kg_sort_items(&world->memory, &world->scratch, taken, sizeof *taken, contacts, 1, key_of);
    if (ok) {
        merge(set, taken, contacts);
        set->version += 1;
        take_contacts(aside, NULL, true);
        move_rows_back(world);
    }
    kg_scratch_release(&world->memory, &world->scratch, mark);
    return ok;
}

bool kg_aside_give_back_all(kugel_world *world)
{
    kg_aside *aside = &world->aside;
    uint32_t first = kg_world_present(world);
    kg_contact_set_compact(&world->contacts);
    for (uint32_t i = first; i < first + aside->count; ++i) want_body(aside, world->bodies.id[i]);
    return kg_aside_give_back(world);
}

bool kg_aside_give_back_on(kugel_world *world, uint32_t first_boundary, uint32_t count)
{
    kg_aside *aside = &world->aside;
    for (uint32_t k = 0; k < aside->contacts.count; ++k) {
        const kg_contact *c = &aside->contacts.items[k];
        if (c->with == KG_WITH_FEATURE && !c->ended && c->b - first_boundary < count)
            want_body(aside, c->a);
    }
    return kg_aside_give_back(world);
}

bool kg_aside_give_back_body(kugel_world *world, uint32_t id)
{
    if (world->bodies.slot[id] < kg_world_present(world)) return true;
    want_body(&world->aside, id);
    return kg_aside_give_back(world);
}

uint32_t kg_aside_move_to_end(kugel_world *world, uint32_t slot)
{
    uint32_t last = kg_world_present(world) - 1;
    if (world->aside.count) swap_rows(&world->bodies, slot, last);
    return world->aside.count ? last : slot;
}

uint32_t kg_aside_take_new_row(kugel_world *world, uint32_t slot)
{
    uint32_t first = kg_world_present(world) - 1; /* the new row is the last of all */
    if (world->aside.count) swap_rows(&world->bodies, slot, first);
    return world->aside.count ? first : slot;
}

/* Want the bodies that a moving surface reaches in dt, s: those in the box of the sphere around its
 * origin that contains it. */
static void want_on_path(kugel_world *world, const kg_surface *surface, double dt)
{
    double extent = kg_surface_extent(surface);
    kg_aside_box box = {.wider = kg_max(world->def.slop, KG_SUPPORT_GAP) + 1e-6};
    for (int k = 0; k < 3; ++k) {
        double from = surface->position[k], to = from + surface->velocity[k] * dt;
        box.low[k] = kg_min(from, to) - extent;
        box.high[k] = kg_max(from, to) + extent;
    }
    kg_aside_want(world, &box);
}

bool kg_aside_hide(kugel_world *world, double dt)
{
    kg_aside *aside = &world->aside;
    const kg_surfaces *set = &world->surfaces;
    for (uint32_t k = 0; k < set->end && aside->count && set->any_moves; ++k) {
        if (set->items[k].used && set->items[k].moves) want_on_path(world, &set->items[k], dt);
    }
    kg_contact_set_compact(&world->contacts);
    bool ok = kg_aside_give_back(world);
    world->bodies.count -= aside->count;
    aside->hidden = true;
    return ok;
}

void kg_aside_show(kugel_world *world)
{
    if (world->aside.hidden) world->bodies.count += world->aside.count;
    world->aside.hidden = false;
}
