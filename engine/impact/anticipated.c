/* What a body that bodies hold is ahead of its time: at the substep's beginning (or when it came to
 * rest on something within it) its velocity changed at once by all that its acceleration adds to
 * the end, but for what presses it onto what it rests on: anticipated = (a + sum of l n) (h - t) =
 * a' (h - t),    l >= 0,    a' n >= 0,    l (a' n) = 0 with n from what it rests on towards it.
 * What it bounces off before is met at the speed of that moment, or it would bounce off the floor
 * with more than it has; and a bounce that lifts it off what it rests on gives it back to its
 * acceleration. a' has one value, found by sweeps over what it rests on. Bodies that give way are
 * no such thing: what they took is not to be told from its velocity, so that it is taken for
 * nothing, the bounce for a weaker one at worst, and nobody is let go. Order: boundaries, then ids.
 * What nothing but boundaries holds, and what comes to rest within the substep on what does not
 * give way, slides: it has a' for its acceleration, and no anticipated velocity. */
#include "impact/collision.h"
#include "world/periodic.h"
#include "world/sleep_state.h"

/* Sums of radii that are between two that rest, at most; lists hold what is nearer than a skin. */
static const double contact_reach = 1.01;
enum { SUPPORTS_MAX = 64, SWEEPS_MAX = 50 };
/* A body with more changes of its motion in the substep is squeezed: it is held and let go by
 * turns, and what its velocity has of its time to come is not known any more: it is taken for all
 * that it can be, and nobody is let go. */
enum { SQUEEZED_IMPACTS = 8 };
/* Speeds that are none: parts of what the acceleration adds in a substep, and of the body's speed,
 * which the solve rounds to 6e-8. */
static const double tolerance_of_kick = 1e-3, tolerance_of_speed = 1e-6;

/* What a body rests on; n away from it. Of more than there is room for those of the lowest ids. */
typedef struct supports {
    uint32_t count, boundaries;
    bool any_movable; /* one of them does */
    uint32_t id[SUPPORTS_MAX];
    double normal[SUPPORTS_MAX][3], press[SUPPORTS_MAX];
    double speed[SUPPORTS_MAX]; /* m/s, of what holds, along the normal */
} supports;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void velocity_of(const kugel_world *world, uint32_t i, double t, double v[3])
{
    kg_work_acceleration(&world->work, i, v);
    for (int x = 0; x < 3; ++x) v[x] = world->work.motion[i].v[x] + v[x] * t;
}

/* What it has parted from in this tick is still in the set, and holds nothing. Lists need not know
 * of such bodies any more. */
static void add_boundary(const kugel_world *world, uint32_t i, uint32_t k, double t, supports *all)
{
    double *n = all->normal[all->count], into[3], p[3];
    kg_work_position_at(&world->work, i, t, p);
    kg_boundary_normal(world, k, into);
    for (int x = 0; x < 3; ++x) n[x] = -into[x];
    if (!(kg_boundary_gap(world, k, p, 0) < contact_reach * world->bodies.radius[i])) return;
    all->speed[all->count++] = 0;
}

/* Add body j once, by its nearest image, which is the one that the pair's resting contact is for. A
 * neighbour list may hold the same body in several periodic images, and how many depends on its
 * skin. */
static void add_body(const kugel_world *world, uint32_t i, uint32_t j, double t, supports *all)
{
    uint32_t id = world->bodies.id[j], at = all->count;
    double p[3], q[3], d[3], v[3],
        dd = 0, reach = contact_reach * (world->bodies.radius[i] + world->bodies.radius[j]);
    kg_work_position_at(&world->work, i, t, p);
    kg_work_position_at(&world->work, j, t, q);
    for (int x = 0; x < 3; ++x) {
        d[x] = kg_periodic_nearest_image(world, x, p[x] - q[x]);
        dd += d[x] * d[x];
    }
    if (!(dd > 0 && dd < reach * reach)) return;
    all->any_movable |= world->bodies.mass[j] != 0;
    if (world->bodies.mass[j] != 0) return;
    while (at > all->boundaries && all->id[at - 1] > id) --at;
    if (at == SUPPORTS_MAX || (at > all->boundaries && all->id[at - 1] == id)) return;
    for (uint32_t k = all->count - (all->count == SUPPORTS_MAX); k > at; --k) {
        all->id[k] = all->id[k - 1];
        all->speed[k] = all->speed[k - 1];
        memcpy(all->normal[k], all->normal[k - 1], sizeof all->normal[k]);
    }
    double length = __builtin_sqrt(dd);
    velocity_of(world, j, t, v);
    all->id[at] = id;
    for (int x = 0; x < 3; ++x) all->normal[at][x] = d[x] / length;
    all->speed[at] = dot(v, all->normal[at]);
    all->count += all->count < SUPPORTS_MAX;
}

static void add_if_resting(const kugel_world *world, uint32_t i, uint32_t j, double t,
                           supports *all)
{
    if (i == j || !world->work.contact_count[j]) return;
    if (kg_contact_set_has_pair(&world->work.contacts, world->bodies.id[i], world->bodies.id[j]))
        add_body(world, i, j, t, all);
}

static void find_supports(const kugel_world *world, uint32_t i, double t, supports *all)
{
    const kg_grid *grid = world->grid;
    uint32_t boundaries = 0;
    all->count = 0;
    all->any_movable = false;
    for (kg_boundary_set on = world->work.resting_boundaries[i]; on; ++boundaries) {
        add_boundary(world, i, kg_boundary_set_take(&on), t, all);
    }
    all->boundaries = all->count;
    if (grid->cell_lists.used || world->work.contact_count[i] == boundaries) return;
    if (kg_grid_is_unlisted(grid, i)) { /* no list holds these */
        for (uint32_t j = 0; j < world->bodies.count; ++j) add_if_resting(world, i, j, t, all);
        return;
    }
    for (uint32_t c = i; c != KG_NONE; c = grid->nodes[c].next) {
        const kg_list_node *node = &grid->nodes[c];
        for (uint32_t k = 0; k < node->count; ++k) {
            uint32_t j = node->neighbour[k] & KG_NEIGHBOUR_SLOT;
            if ((node->neighbour[k] & KG_NEIGHBOUR_RESTING) &&
                !(grid->unlisted_count && kg_grid_is_unlisted(grid, j)))
                add_body(world, i, j, t, all);
        }
    }
    for (uint32_t k = 0; k < grid->unlisted_count; ++k)
        add_if_resting(world, i, grid->unlisted[k], t, all);
}

/* Those from which the body parts hold nothing. */
static void remove_parting(supports *all, const double v[3], double tolerance)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < all->count; ++k) {
        if (dot(v, all->normal[k]) - all->speed[k] > tolerance) continue;
        memmove(all->normal[kept++], all->normal[k], sizeof all->normal[k]);
    }
    all->count = kept;
}

/* What the body meets holds nothing either, for how much of its approach is ahead is the question;
 * `away` from that. */
static void remove_collision_partner(supports *all, const double away[3])
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < all->count; ++k) {
        if (dot(all->normal[k], away) > 1 - 1e-9) continue;
        memmove(all->normal[kept++], all->normal[k], sizeof all->normal[k]);
    }
    all->count = kept;
}

static void project_acceleration(supports *all, double a[3])
{
    bool still = false;
    memset(all->press, 0, all->count * sizeof *all->press);
    for (int sweep = 0; sweep < SWEEPS_MAX && !still; ++sweep) {
        still = true;
        for (uint32_t k = 0; k < all->count; ++k) {
            double press = all->press[k] - dot(a, all->normal[k]),
                   by = (press > 0 ? press : 0) - all->press[k];
            for (int x = 0; x < 3; ++x) a[x] += by * all->normal[k][x];
            all->press[k] += by;
            still = still && by == 0;
        }
    }
}

/* A speed that is none beside this acceleration and velocity, m/s. */
static double velocity_tolerance_of(const kugel_world *world, const double a[3], const double v[3])
{
    return tolerance_of_kick * __builtin_sqrt(dot(a, a)) * world->impact->h +
           tolerance_of_speed * __builtin_sqrt(dot(v, v));
}

/* A side that contacts hold has left its frame, and its acceleration would move it. */
static void find_anticipated(const kugel_world *world, kg_side *side, const double away[3],
                             double t)
{
    const kg_work *work = &world->work;
    double a[3], left = world->impact->h - t;
    supports all;
    memset(side->anticipated, 0, sizeof side->anticipated);
    if (side->slot == KG_NONE || side->inverse_mass == 0 ||
        work->frame[side->slot] != KG_FRAME_INERTIAL)
        return;
    if (kg_work_rests_on_boundaries(work, side->slot)) return; /* see slides */
    if (work->sleep_state[side->slot] == KG_ASLEEP) return;
    (void)kg_frame_free_acceleration(world, side->slot, a);
    if (dot(a, a) == 0) return;
    find_supports(world, side->slot, t, &all);
    side->velocity_tolerance = velocity_tolerance_of(world, a, side->velocity);
    remove_parting(&all, side->velocity, side->velocity_tolerance);
    remove_collision_partner(&all, away);
    project_acceleration(&all, a);
    for (int x = 0; x < 3; ++x) side->anticipated[x] = a[x] * left;
    side->supported = !all.any_movable && work->motion_version[side->slot] < SQUEEZED_IMPACTS;
}

void kg_collision_find_anticipated(const kugel_world *world, kg_collision *hit, double t)
{
    if (hit->restitution == 0 || hit->approach < world->def.bounce_threshold)
        return; /* no bounce */
    const double back[3] = {-hit->normal[0], -hit->normal[1], -hit->normal[2]};
    find_anticipated(world, &hit->a, back, t);
    find_anticipated(world, &hit->b, hit->normal, t);
    double anticipated =
        dot(hit->a.anticipated, hit->normal) - dot(hit->b.anticipated, hit->normal);
    hit->anticipated_approach = anticipated > 0 ? anticipated : 0;
}

/* It has another frame than that of this acceleration: its place and velocity stay what they are at
 * t, its clock. */
static void change_frame(kugel_world *world, uint32_t slot, const double was[3], double t)
{
    kg_motion *m = &world->work.motion[slot];
    double is[3];
    kg_work_acceleration(&world->work, slot, is);
    for (int x = 0; x < 3; ++x) {
        m->x[x] += 0.5 * (was[x] - is[x]) * t * t;
        m->v[x] += (was[x] - is[x]) * t;
    }
    world->work.frame_is_shared = false;
}

/* The opposite of being held (constrain.c): from t on it flies on by itself. */
static void release_side(kugel_world *world, const kg_side *side, const double v[3], double t)
{
    static const double none[3] = {0, 0, 0};
    memcpy(world->work.motion[side->slot].v, v, 3 * sizeof *v);
    kg_frame_set_free(world, side->slot);
    change_frame(world, side->slot, none, t);
}

bool kg_collision_update_slide(kugel_world *world, uint32_t slot, double t)
{
    kg_work *work = &world->work;
    double was[3], a[3], v[3], spin[3];
    supports all;
    kg_work_acceleration(work, slot, was);
    velocity_of(world, slot, t, v);
    (void)kg_frame_free_acceleration(world, slot, a);
    find_supports(world, slot, t, &all);
    remove_parting(&all, v, velocity_tolerance_of(world, a, v));
    project_acceleration(&all, a);
    kg_work_spin_at(work, slot, t, spin);
    for (int x = 0; x < 3; ++x) work->w[x][slot] = spin[x];
    if (!all.count) {
        kg_frame_set_free(world, slot);
    } else if (work->motion_version[slot] >
               (uint32_t)
                   world->def.impact_budget) { /* it would be held and let go by turns for ever */
        work->frame[slot] = KG_FRAME_INERTIAL;
    } else {
        if (!kg_work_reserve_sliding(&world->memory, work)) return false;
        memcpy(work->acceleration[slot], a, sizeof a);
        memset(work->angular_acceleration[slot], 0, sizeof work->angular_acceleration[slot]);
        work->frame[slot] = KG_FRAME_SLIDING;
    }
    change_frame(world, slot, was, t);
    return true;
}

bool kg_collision_is_supported(const kugel_world *world, uint32_t slot, double t)
{
    supports all;
    find_supports(world, slot, t, &all);
    return all.count && !all.any_movable;
}

static void release_if_parting(kugel_world *world, const kg_side *side, double t)
{
    double v[3];
    supports all;
    bool parts = false;
    for (int x = 0; x < 3; ++x) v[x] = world->work.motion[side->slot].v[x] - side->anticipated[x];
    find_supports(world, side->slot, t, &all);
    for (uint32_t k = 0; k < all.count; ++k)
        parts |= dot(v, all.normal[k]) - all.speed[k] > side->velocity_tolerance;
    if (parts) release_side(world, side, v, t);
}

/* Who rests on boundaries alone has its velocity of this moment: it slides, or nothing moves it
 * along them. */
static bool slides(const kugel_world *world, const kg_side *side)
{
    if (side->slot == KG_NONE || side->inverse_mass == 0) return false;
    uint8_t frame = world->work.frame[side->slot];
    return frame == KG_FRAME_SLIDING ||
           (frame == KG_FRAME_INERTIAL && kg_work_rests_on_boundaries(&world->work, side->slot));
}

static bool update_side(kugel_world *world, const kg_side *side, bool bounces, double t)
{
    if (slides(world, side)) return kg_collision_update_slide(world, side->slot, t);
    if (bounces && side->supported) release_if_parting(world, side, t);
    return true;
}

bool kg_collision_release_parting(kugel_world *world, const kg_collision *hit, double t)
{
    bool bounces = kg_collision_approach_change(hit) >
                   hit->approach; /* else before the end it would be back: the two keep together */
    return update_side(world, &hit->a, bounces, t) && update_side(world, &hit->b, bounces, t);
}
