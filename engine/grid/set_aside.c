/* Which bodies at rest are set aside (world/aside.h), and where bodies that move look for them.
 * A body is set aside when it and all bodies connected with it by contacts have been out of reach
 * of what moves for QUIET ticks. Gases keep all rows, since cell lists have them anyway; so do
 * worlds with sensor bodies, with periodic faces or over several ranks.
 * In: lists, sleep states, contacts. Out: order of rows and contacts. Cost: every EVERY ticks a
 * pass over the bodies that are not aside. */
#include <string.h>

#include "base/union_find.h"
#include "grid/neighbours.h"
#include "world/periodic.h"
#include "world/sleep_state.h"

#ifdef KG_ASSERTIONS /* as often as possible */
enum { EVERY = 1, QUIET = 2, LEAST = 1 };
#else
/* Bodies that are not set aside at once cost less than a rebuild of all lists. */
enum { EVERY = 8, QUIET = 32, LEAST = 16 };
#endif

enum { LONG = 128 }; /* ticks, a multiple of EVERY */
enum { AHEAD = 8 };  /* ticks for which a body that met one aside gets back those on its way */

/* True for a body that nothing but a call or a contact moves. */
static bool is_at_rest(const kg_bodies *bodies, uint32_t i)
{
    if (bodies->sleep_state[i] == KG_ASLEEP) return true;
    return bodies->mass[i] == 0 && !bodies->placed[i] && kg_bodies_is_motionless(bodies, i);
}

static bool suits(const kugel_world *world)
{
    return !world->whole && !world->replicas && !world->creating_ranks &&
           world->def.bounce_threshold != 0 && !kg_bodies_any_sensor(&world->bodies) &&
           !kg_periodic_any(world);
}

/* True when lists say what moves near a body at rest. */
static bool has_lists(const kugel_world *world)
{
    const kg_grid *grid = world->grid;
    if (world->apart) return true; /* places say it */
    return kg_neighbours_valid(world) && !grid->cell_lists.used && !grid->unlisted_count;
}

/* True when the list of a body at rest has something that moves. */
static bool is_met(const kugel_world *world, uint32_t i)
{
    const kg_grid *grid = world->grid;
    if (world->apart) return i < world->rows_in_places;
    for (uint32_t n = i; n != KG_NONE; n = grid->nodes[n].next) {
        const kg_list_node *node = &grid->nodes[n];
        for (uint32_t k = 0; k < node->count; ++k) {
            if (!is_at_rest(&world->bodies, node->neighbour[k] & KG_NEIGHBOUR_SLOT)) return true;
        }
    }
    return world->surfaces.moving_count && world->surfaces.count &&
           kg_neighbours_any_moving_triangle(world, i);
}

/* Join bodies in contact; what touches something that moves is not quiet. */
static void join(const kugel_world *world, uint32_t *root, uint8_t *quiet)
{
    const kg_bodies *bodies = &world->bodies;
    for (uint32_t k = 0; k < world->contacts.count; ++k) {
        const kg_contact *c = &world->contacts.items[k];
        uint32_t a = bodies->slot[c->a];
        if (c->with == KG_WITH_BODY) root[kg_root(root, a)] = kg_root(root, bodies->slot[c->b]);
        else if (kg_boundary_moves(world, c->b)) quiet[a] = 0;
    }
}

/* Mark the bodies to set aside in `chosen`; returns their number. `all_quiet`, by root: all bodies
 * connected with it are quiet. */
static uint32_t choose(kugel_world *world, uint32_t n, bool any_moves, uint32_t *root,
                       uint8_t *chosen, uint8_t *all_quiet)
{
    const kg_bodies *bodies = &world->bodies;
    uint32_t *met_at = world->aside.met_at, count = 0, now = (uint32_t)world->tick;
    for (uint32_t i = 0; i < n; ++i) {
        bool at_rest = is_at_rest(bodies, i);
        root[i] = i;
        if (!at_rest || (any_moves && is_met(world, i))) met_at[bodies->id[i]] = now;
        chosen[i] = at_rest && now - met_at[bodies->id[i]] >= QUIET;
    }
    join(world, root, chosen);
    memset(all_quiet, 1, n);
    for (uint32_t i = 0; i < n; ++i) all_quiet[kg_root(root, i)] &= chosen[i];
    for (uint32_t i = 0; i < n; ++i) {
        root[i] = kg_root(root, i);
        count += chosen[i] = all_quiet[root[i]];
    }
    return count;
}

void kg_neighbours_set_aside(kugel_world *world, bool any_moves)
{
    uint32_t n = kg_world_present(world), *root = NULL, at_rest = 0;
    /* bodies that are worth a rebuild of lists; in the long run one is */
    uint32_t least = LEAST > 1 && world->tick % LONG ? LEAST + n / 32 : 1;
    uint8_t *chosen = NULL, *all_quiet = NULL;
    if (world->tick % EVERY || !suits(world) || (any_moves && !has_lists(world))) return;
    for (uint32_t i = 0; i < n; ++i) at_rest += is_at_rest(&world->bodies, i);
    if (at_rest < least) return;
    kg_scratch_mark mark = kg_scratch_top(&world->scratch);
    bool ok = kg_aside_reserve(world) && KG_TAKE(world, root, n) && KG_TAKE(world, chosen, n) &&
              KG_TAKE(world, all_quiet, n);
    if (ok && choose(world, n, any_moves, root, chosen, all_quiet) >= least)
        ok = kg_aside_add(world, chosen, root);
    world->aside.refused += !ok;
    kg_scratch_release(&world->memory, &world->scratch, mark);
}

/* Want what a body can meet that stays within `path`, m, of places from `low` to `high`, m. If
 * there is something, also what it may meet in the next ticks, so that few ticks are repeated. */
static void want_around(kugel_world *world, uint32_t slot, const double low[3],
                        const double high[3], double path)
{
    double gap = world->def.slop > KG_SUPPORT_GAP ? world->def.slop : KG_SUPPORT_GAP,
           reach = world->bodies.radius[slot] * (1 + gap) * (1 + 1e-6) + path;
    kg_aside_box box = {.wider = gap + 1e-6};
    for (int k = 0; k < 3; ++k) {
        box.low[k] = (low[k] < high[k] ? low[k] : high[k]) - reach;
        box.high[k] = (low[k] < high[k] ? high[k] : low[k]) + reach;
    }
    if (!kg_aside_want(world, &box)) return;
    const kg_work *work = &world->work;
    double time = AHEAD * work->substeps * work->substep_length;
    for (int k = 0; k < 3; ++k) {
        double ahead = work->motion[slot].v[k] * time;
        box.low[k] += (ahead < 0 ? ahead : 0) - 2 * world->bodies.radius[slot];
        box.high[k] += (ahead > 0 ? ahead : 0) + 2 * world->bodies.radius[slot];
    }
    (void)kg_aside_want(world, &box);
}

void kg_grid_want_near_origin(kugel_world *world, uint32_t slot)
{
    const kg_grid *grid = world->grid;
    if (world->work.sleep_state[slot] == KG_ASLEEP ||
        (world->bodies.mass[slot] == 0 && kg_sleep_is_motionless(&world->work, slot)))
        return;
    const double *x = grid->origin[slot].x;
    want_around(world, slot, x, x, kg_grid_widened_list_displacement(grid) + grid->skin);
}

void kg_grid_want_near_woken(kugel_world *world)
{
    bool looks = world->work.woken_unseen && world->aside.count && world->grid->valid;
    for (uint32_t i = 0; i < world->bodies.count && looks; ++i) kg_grid_want_near_origin(world, i);
    world->work.woken_unseen = false;
}

void kg_grid_want_on_path(kugel_world *world, uint32_t slot, double until)
{
    const kg_motion *m = &world->work.motion[slot];
    double from[3], to[3], a[3], left = until - m->clock;
    kg_work_acceleration(&world->work, slot, a);
    kg_work_position_at(&world->work, slot, m->clock, from);
    kg_work_position_at(&world->work, slot, until, to);
    want_around(world, slot, from, to, kg_length3(a) * left * left + world->grid->skin);
}
