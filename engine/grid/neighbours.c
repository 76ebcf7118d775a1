/* Neighbours of a body beyond Verlet lists, and when lists are renewed (neighbours.h).
 * A body that leaves its skin so often that new lists cost more than tests against all bodies has
 * no list: all bodies are its candidates, and it is a candidate of all bodies. */
#include "grid/neighbours.h"

#include "base/tasks.h"
#include "base/vec.h"
#include "grid/neighbour_lists.h"

/* ---- candidates ---- */

static bool are_in_resting_contact(const kugel_world *world, uint32_t i, uint32_t j)
{
    const kg_work *work = &world->work;
    const uint32_t *id = world->bodies.id;
    return work->contact_count[i] && work->contact_count[j] &&
           kg_contact_set_has_pair(&work->contacts, id[i], id[j]);
}

static const kg_list_node *copy_from_cell_lists(kg_candidates *c)
{
    uint32_t around[KG_CELL_NEIGHBOURS_MAX],
        count = kg_cell_lists_neighbours(&c->world->grid->cell_lists, c->slot, KG_CELL_GATHER_ALL,
                                         around);
    for (; c->body < count && c->copied.count < KG_NODE_NEIGHBOURS; ++c->body) {
        if ((around[c->body] & KG_NEIGHBOUR_SLOT) != c->slot)
            kg_list_node_add(&c->copied, around[c->body]);
    }
    return c->copied.count ? &c->copied : NULL;
}

/* All bodies of a body without a list; else those without one. */
static const kg_list_node *copy_unlisted(kg_candidates *c)
{
    const kugel_world *world = c->world;
    const kg_grid *grid = world->grid;
    bool all = kg_grid_is_unlisted(grid, c->slot);
    uint32_t bodies = all ? world->bodies.count : grid->unlisted_count;
    kg_images images = kg_lattice_images(&grid->lattice);
    while (c->body < bodies && c->copied.count < KG_NODE_NEIGHBOURS) {
        uint32_t j = all ? c->body : grid->unlisted[c->body];
        if (j == c->slot || !kg_grid_may_collide(world, c->slot, j)) {
            c->body += 1;
            continue;
        }
        uint32_t resting = are_in_resting_contact(world, c->slot, j) ? KG_NEIGHBOUR_RESTING : 0;
        while (c->image < images.count && c->copied.count < KG_NODE_NEIGHBOURS) {
            uint32_t image = images.code[c->image++];
            kg_list_node_add(&c->copied, j | resting | image << KG_NEIGHBOUR_IMAGE_SHIFT);
        }
        if (c->image < images.count) break;
        c->body += 1;
        c->image = 0;
    }
    return c->copied.count ? &c->copied : NULL;
}

const kg_list_node *kg_candidates_copy(kg_candidates *c)
{
    kg_list_node_clear(&c->copied, c->slot);
    return c->world->grid->cell_lists.used ? copy_from_cell_lists(c) : copy_unlisted(c);
}

/* ---- bodies without a list ---- */

/* true when lists up to `until` would cost more than tests against all bodies. */
static bool outruns_lists(const kugel_world *world, uint32_t i, double until)
{
    const kg_motion *m = &world->work.motion[i];
    double a[3], speed2 = kg_dot3(m->v, m->v), left = until - m->clock;
    double most = world->grid->skin * (1 + (double)world->bodies.count * (1.0 / KG_LIST_COST));
    if (world->work.frame[i] == KG_FRAME_INERTIAL) return speed2 * left * left > most * most;
    kg_work_acceleration(&world->work, i, a);
    double fall = 0.5 * (until + m->clock) * left;
    return speed2 * left * left + kg_dot3(a, a) * fall * fall > most * most;
}

static bool refresh_at(kugel_world *world, uint32_t slot, double now, double h)
{
    double place[3];
    kg_list_origin_choose(world, slot, now, h, place);
    return kg_list_refresh(world, slot, place);
}

bool kg_neighbours_renew(kugel_world *world, uint32_t slot, double now, double h)
{
    return kg_grid_is_unlisted(world->grid, slot) || refresh_at(world, slot, now, h);
}

bool kg_neighbours_note_speed(kugel_world *world, uint32_t slot, double now, double until, double h)
{
    kg_grid *grid = world->grid;
    if (grid->cell_lists.used) return true;
    bool unlisted = kg_grid_is_unlisted(grid, slot), outruns = outruns_lists(world, slot, until);
    if (unlisted == outruns) return true;
    if (outruns) return kg_grid_set_unlisted(world, slot);
    kg_grid_clear_unlisted(grid, slot);
    return refresh_at(world, slot, now, h);
}

typedef struct speed_check {
    const kugel_world *world;
    double until;
    bool any_outruns;
} speed_check;

enum { RANGE = 1024 };

static void check_speeds(void *context, uint32_t index)
{
    speed_check *s = context;
    bool any = false;
    uint32_t from = index * RANGE, to = kg_range_end(index, RANGE, s->world->bodies.count);
    for (uint32_t i = kg_neighbours_next_active(s->world->grid, from, to); i < to;
         i = kg_neighbours_next_active(s->world->grid, i + 1, to)) {
        any |= outruns_lists(s->world, i, s->until);
    }
    if (any) __atomic_store_n(&s->any_outruns, true, __ATOMIC_RELAXED);
}

bool kg_neighbours_note_speeds(kugel_world *world, double now, double until, double h)
{
    uint32_t n = world->bodies.count;
    speed_check s = {.world = world, .until = until};
    kg_for_ranges(world, (n + RANGE - 1) / RANGE, check_speeds, &s);
    for (uint32_t i = 0; i < n && s.any_outruns; ++i) {
        if (kg_grid_is_active(world->grid, i) && !kg_neighbours_note_speed(world, i, now, until, h))
            return false;
    }
    return true;
}

/* ---- all bodies ---- */

bool kg_neighbours_are_worn(const kugel_world *world, uint64_t refreshes_before)
{
    enum { WORN_SHARE = 8 }; /* a refresh costs some two times a body's share of a rebuild */
    const kg_grid *grid = world->grid;
    uint64_t n = world->bodies.count;
    if (grid->cell_lists.used) return grid->cell_lists.abandon || world->work.contacts.count;
    return world->list_refreshes >=
           refreshes_before + n / WORN_SHARE + 16 + grid->unlisted_count * n / KG_LIST_COST;
}

bool kg_neighbours_rebuild(kugel_world *world, double now, double h)
{
    kg_cell_lists *cell_lists = &world->grid->cell_lists;
    if (cell_lists->used) cell_lists->retry_after = KG_CELL_RETRY_AFTER;
    cell_lists->used = false;
    return kg_list_rebuild(world, now, h);
}
