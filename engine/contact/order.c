/* The order in which contacts are solved: by the colour of their block, block, group. A pure function of the state at
 * the time of arranging. */
#include "base/sort.h"
#include "contact/order.h"

/* What the arrangement works with, where groups and bodies of the solver will be. */
typedef struct arrangement {
    uint64_t *keys, *key_scratch;
    uint32_t *items, *item_scratch;
    kg_contact_dealer dealer;
} arrangement;

static bool get_scratch(kugel_world *world, size_t n, arrangement *s)
{
    kg_contact_stage *stage = world->contact;
    kg_column *groups = &stage->columns[KG_CONTACT_COLUMN_GROUPS];
    size_t each = 2 * sizeof *s->keys + 2 * sizeof *s->items + sizeof *s->dealer.filled;
    if (!kg_column_reserve(&world->memory, groups, sizeof *stage->groups, n * each / sizeof *stage->groups + 1, 0) ||
        !kg_contact_reserve_bodies(world) || !kg_contact_reserve_order(world, n)) {
        return false;
    }
    s->keys = groups->data;
    s->key_scratch = s->keys + n;
    s->items = (uint32_t *)(void *)(s->key_scratch + n);
    s->item_scratch = s->items + n;
    /* sorting is over when blocks are dealt */
    s->dealer = (kg_contact_dealer){(kg_contact_place *)(void *)stage->bodies, (uint32_t *)(void *)s->key_scratch,
                                    (uint32_t *)(void *)s->key_scratch + n, (uint8_t *)(void *)(s->item_scratch + n), 0};
    return true;
}

/* Few bits make short work of sorting; blocks 2^19 apart would share a key, which is slower, not wrong. */
static void place_bodies(kugel_world *world, kg_contact_place *places)
{
    kg_contact_stage *stage = world->contact;
    const uint32_t *contacts = world->work.contact_count;
    int32_t high[3];
    stage->lattice = kg_lattice_make(&world->def.bounds, KG_CONTACT_CELL * stage->largest);
    for (int axis = 0; axis < 3; ++axis) stage->low[axis] = INT32_MAX, high[axis] = INT32_MIN, stage->bits[axis] = 0;
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        int32_t *home = stage->home[i];
        home[0] = INT32_MIN; /* nowhere */
        if (!contacts[i]) continue;
        places[i].window = world->bodies.mass[i] > 0 ? 0 : KG_NONE;
        kg_contact_find_home(stage, world->work.motion[i].x, home);
        for (int axis = 0; axis < 3; ++axis) {
            stage->low[axis] = home[axis] < stage->low[axis] ? home[axis] : stage->low[axis];
            high[axis] = home[axis] > high[axis] ? home[axis] : high[axis];
        }
    }
    for (int axis = 0; axis < 3; ++axis) {
        while (stage->bits[axis] < 19 && (uint32_t)(high[axis] - stage->low[axis]) >> stage->bits[axis]) stage->bits[axis] += 1;
    }
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (contacts[i]) places[i].key = kg_contact_block_key(stage, stage->home[i]);
    }
}

static uint64_t key_of(const kugel_world *world, const kg_contact_place *places, const kg_contact *c)
{
    uint32_t a = kg_contact_first_slot(world, c), b = kg_contact_second_slot(world, c);
    if (places[a].key == places[b].key) return places[a].key;
    return kg_contact_pair_key(world->contact, world->contact->home[a], world->contact->home[b]);
}

static bool note_block(kugel_world *world, kg_contact_block block)
{
    kg_contact_stage *stage = world->contact;
    size_t n = (size_t)stage->block_count + 1;
    if (!kg_column_reserve(&world->memory, &stage->columns[KG_CONTACT_COLUMN_BLOCKS], sizeof *stage->blocks, n, stage->block_count)) return false;
    stage->blocks = stage->columns[KG_CONTACT_COLUMN_BLOCKS].data;
    stage->blocks[stage->block_count++] = block;
    return true;
}

bool kg_contact_arrange(kugel_world *world)
{
    kg_contact_stage *stage = world->contact;
    const kg_contact_set *set = &world->work.contacts;
    size_t n = set->count;
    arrangement s;
    stage->block_count = 0;
    if (n == 0) return true;
    if (!get_scratch(world, n, &s)) return false;
    place_bodies(world, s.dealer.places);
    for (size_t i = 0; i < n; ++i) {
        s.items[i] = (uint32_t)i;
        s.keys[i] = key_of(world, s.dealer.places, &set->items[i]);
    }
    kg_sort_u64(s.keys, s.items, s.key_scratch, s.item_scratch, n);
    uint64_t colour = UINT64_MAX;
    uint32_t groups = 0;
    for (size_t from = 0, to; from < n; from = to) {
        uint64_t key = s.keys[from], colour_before = colour;
        for (to = from + 1; to < n && s.keys[to] == key; ++to) {}
        uint32_t used = kg_contact_deal(world, &s.dealer, &s.items[from], to - from, &stage->order[from]);
        if (!note_block(world, (kg_contact_block){key, (uint32_t)from, groups, used})) return false;
        groups += used;
        colour = kg_contact_key_colour(stage, key);
        if (colour != colour_before) stage->order[from] |= KG_CONTACT_COLOUR;
    }
    return true;
}

void kg_contact_sort_new(kg_contact *items, uint32_t count)
{
    for (uint32_t gap = count / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11) {
        for (uint32_t k = gap; k < count; ++k) {
            kg_contact c = items[k];
            uint32_t at = k;
            for (; at >= gap && kg_contact_key(&c) < kg_contact_key(&items[at - gap]); at -= gap) items[at] = items[at - gap];
            items[at] = c;
        }
    }
}
