/* The predictor for cell lists: the next collisions of a body, and when it leaves its cell.
 * Gather, filter and prediction are compiled as one pass per vector width. Bodies in cell lists are
 * not accelerated and do not rest. Times equal those of predict.c bit for bit. Cost: some 1,000
 * instructions for all neighbours of a body. */
#include "base/compiler.h"
#include "grid/cell_lists_gather.h"
#include "impact/predict_straight.h"
#include "impact/subdomains.h"
#include "world/periodic.h"

/* Neighbours of a body, as gathered from cells. */
typedef struct neighbourhood {
    uint32_t neighbour[KG_CELL_NEIGHBOURS_MAX], count;
    uint64_t near; /* bit k: the body may meet neighbour k (of the first 64) in the window */
} neighbourhood;

/* Bit k is set if the body may meet neighbour from + k in the window, for up to 64 neighbours. */
KG_INLINE uint64_t filter_from(const kugel_world *world, uint32_t i, const neighbourhood *a,
                               uint32_t from, double now, bool wide)
{
    uint32_t count = a->count - from;
    count = count < 64 ? count : 64;
    uint64_t near =
        kg_filter_motion_lanes(&world->impact->quantised, i, a->neighbour + from, count, now, wide);
    return count < 64 ? near & (((uint64_t)1 << count) - 1) : near;
}

KG_VARIANTS(uint64_t, filter_from,
            (const kugel_world *world, uint32_t i, const neighbourhood *a, uint32_t from,
             double now),
            (world, i, a, from, now, wide))

/* True if the body is in its cell at `now`. For an assertion. */
static inline bool is_in_cell_at(const kugel_world *world, uint32_t i, double now)
{
    const kg_motion *m = &world->work.motion[i];
    double x[3];
    kg_add_scaled3(x, m->x, now - m->clock, m->v);
    return kg_cell_lists_is_in_cell(&world->grid->cell_lists, i, x);
}

KG_INLINE void gather_neighbours(const kugel_world *world, uint32_t i, uint32_t which, double now,
                                 neighbourhood *a, bool wide)
{
    uint64_t self;
    KG_ASSERT(is_in_cell_at(world, i, now));
    a->count = kg_gather_neighbours(&world->grid->cell_lists, i, which, a->neighbour, &self, wide);
    a->near = ~self & KG_SHARED(wide, filter_from, world, i, a, 0, now);
}

KG_BASE_VARIANT(void, gather_neighbours,
                (const kugel_world *world, uint32_t i, uint32_t which, double now,
                 neighbourhood *a),
                (world, i, which, now, a, wide))

/* Push the events with the neighbours in `near`, except with slot `skipped`: a body that predicts
 * the pair itself, or body i. */
KG_INLINE bool predict_selected(kugel_world *world, uint32_t i, const uint32_t *neighbour,
                                uint64_t near, uint32_t skipped, double h)
{
    const kg_cell_lists *cell_lists = &world->grid->cell_lists;
    for (; near; near &= near - 1) {
        uint32_t e = neighbour[kg_lowest_bit64(near)], j = e & KG_NEIGHBOUR_SLOT;
        if (j == skipped || (cell_lists->has_filters && !kg_grid_may_collide(world, i, j)))
            continue;
        double t = kg_predict_straight(world, i, e, h);
        if (t != KG_NEVER && !kg_queue_push_predicted(world, t, i, e, KG_EVENT_BODY)) return false;
    }
    return true;
}

KG_INLINE bool predict_neighbourhood(kugel_world *world, uint32_t i, const neighbourhood *a,
                                     uint32_t skipped, double now, double h, bool wide)
{
    uint64_t near = a->near;
    for (uint32_t from = 0;;) {
        if (!predict_selected(world, i, a->neighbour + from, near, skipped, h)) return false;
        from += 64;
        if (from >= a->count) return true;
        near = KG_VARIANT_FOR(wide, filter_from)(world, i, a, from, now);
    }
}

KG_BASE_VARIANT(bool, predict_neighbourhood,
                (kugel_world * world, uint32_t i, const neighbourhood *a, uint32_t skipped,
                 double now, double h),
                (world, i, a, skipped, now, h, wide))

KG_INLINE bool predict_neighbours(kugel_world *world, uint32_t i, uint32_t which, double now,
                                  double h, bool wide)
{
    neighbourhood a;
    KG_SHARED(wide, gather_neighbours, world, i, which, now, &a);
    return KG_SHARED(wide, predict_neighbourhood, world, i, &a, i, now, h);
}

KG_INLINE bool predict_faces_and_exit(kugel_world *world, uint32_t i, uint32_t along, double now,
                                      double h)
{
    uint32_t face;
    kg_boundary_set near = along ? (kg_boundary_set)kg_predict_faces_in_reach(world, i, along) : 0;
    if (near && !kg_predict_boundaries(world, i, near, h)) return false;
    double t = kg_cell_lists_exit_time(&world->grid->cell_lists, &world->work.motion[i],
                                       world->grid->cell_lists.body_cell[i].cell, &face);
    t = t > now ? t : now;
    return t >= world->impact->until || kg_queue_push_predicted(world, t, i, face, KG_EVENT_EXIT);
}

/* Push the events with faces, and the exit from the cell. */
KG_INLINE bool predict_boundaries_and_exit(kugel_world *world, uint32_t i, double now, double h)
{
    const kg_cell_lists *cell_lists = &world->grid->cell_lists;
    return predict_faces_and_exit(
        world, i, cell_lists->body_cell[i].boundary_faces & cell_lists->closed_faces, now, h);
}

KG_INLINE bool predict_all(kugel_world *world, uint32_t i, double now, double h, bool each_once,
                           bool wide)
{
    if (!each_once) kg_quantised_motions_write(world, i);
    return predict_neighbours(world, i, each_once ? KG_CELL_GATHER_HALF : KG_CELL_GATHER_ALL, now,
                              h, wide) &&
           predict_boundaries_and_exit(world, i, now, h);
}

/* Predict two bodies that collided. The neighbours of both are gathered before either is predicted,
 * so that a mispredicted branch of one does not discard work for the other. */
KG_INLINE bool predict_colliding_pair(kugel_world *world, uint32_t i, uint32_t j, double now,
                                      double h, bool wide)
{
    const uint32_t slot[2] = {i, j};
    neighbourhood of[2];
    bool ok = true;
    for (int k = 0; k < 2; ++k) kg_quantised_motions_write(world, slot[k]);
    KG_SHARED(wide, gather_neighbours, world, i, KG_CELL_GATHER_ALL, now, &of[0]);
    KG_SHARED(wide, gather_neighbours, world, j, KG_CELL_GATHER_ALL, now, &of[1]);
    for (int k = 0; k < 2 && ok; ++k)
        ok = KG_SHARED(wide, predict_neighbourhood, world, slot[k], &of[k], slot[1 - k], now, h);
    for (int k = 0; k < 2 && ok; ++k) ok = predict_boundaries_and_exit(world, slot[k], now, h);
    return ok;
}

KG_INLINE bool predict_after_exit(kugel_world *world, uint32_t i, uint32_t face, double now,
                                  double h, bool wide)
{
    const kg_cell_lists *cell_lists = &world->grid->cell_lists;
    return predict_neighbours(world, i, face, now, h, wide) &&
           predict_faces_and_exit(world, i,
                                  cell_lists->body_cell[i].boundary_faces &
                                      cell_lists->closed_faces & 1u << face,
                                  now, h);
}

KG_VARIANTS(bool, predict_all,
            (kugel_world * world, uint32_t i, double now, double h, bool each_once),
            (world, i, now, h, each_once, wide))
KG_VARIANTS(bool, predict_colliding_pair,
            (kugel_world * world, uint32_t i, uint32_t j, double now, double h),
            (world, i, j, now, h, wide))
KG_VARIANTS(bool, predict_after_exit,
            (kugel_world * world, uint32_t i, uint32_t face, double now, double h),
            (world, i, face, now, h, wide))

/* Neighbours of an oversized body, collected from cells and predicted in batches. */
typedef struct oversized_batch {
    kugel_world *world;
    uint32_t slot;
    double now, h;
    neighbourhood of;
    bool each_once, ok;
} oversized_batch;

KG_INLINE bool predict_batch(oversized_batch *b, bool wide)
{
    for (uint32_t k = 0; k < 8; ++k) b->of.neighbour[b->of.count + k] = b->slot; /* padding */
    b->of.near = KG_VARIANT_FOR(wide, filter_from)(b->world, b->slot, &b->of, 0, b->now);
    return KG_SHARED(wide, predict_neighbourhood, b->world, b->slot, &b->of, b->slot, b->now, b->h);
}

KG_VARIANTS(bool, predict_batch, (oversized_batch * b), (b, wide))

static void finish_batch(oversized_batch *b)
{
    b->ok = b->ok && KG_WIDEST(predict_batch)(b);
    b->of.count = 0;
}

KG_INLINE void collect_cells(void *context, const kg_cell *cells, uint32_t count, uint32_t image,
                             bool wide)
{
    enum { CELLS = 8 }; /* gathered at a time */
    oversized_batch *b = context;
    for (uint32_t from = 0; from < count; from += CELLS) {
        uint32_t *out = b->of.neighbour + b->of.count, left = count - from,
                 end = left < CELLS ? left : CELLS;
        intptr_t moved = 0;
        for (uint32_t k = 0; k < end; ++k)
            kg_gather_cell(cells[from + k], out + k * KG_CELL_CAPACITY, wide, &moved);
        uint32_t found = (uint32_t)((intptr_t)end * KG_CELL_CAPACITY + moved);
        for (uint32_t k = 0; k < found && image != KG_IMAGE_NONE; ++k)
            out[k] = (out[k] & KG_NEIGHBOUR_SLOT) | image << KG_NEIGHBOUR_IMAGE_SHIFT;
        b->of.count += found;
        if (b->of.count > 64) finish_batch(b);
    }
}

KG_VARIANTS(void, collect_cells,
            (void *context, const kg_cell *cells, uint32_t count, uint32_t image),
            (context, cells, count, image, wide))

/* True when two oversized bodies, of any images, may meet before the window ends. */
static bool may_meet(const kugel_world *world, uint32_t i, uint32_t j)
{
    const kg_motion *a = &world->work.motion[i], *b = &world->work.motion[j];
    double d[3],
        until = world->impact->until,
        path = kg_length3(a->v) * (until - a->clock) + kg_length3(b->v) * (until - b->clock);
    for (int k = 0; k < 3; ++k)
        d[k] = kg_nearest_image(b->x[k] - a->x[k], world->grid->lattice->length[k]);
    return kg_length3(d) <= (a->radius + b->radius + path) * (1 + 1e-9);
}

/* Push the events of two oversized bodies, in all periodic images. */
static bool predict_images(kugel_world *world, uint32_t i, uint32_t j, double h)
{
    if (!may_meet(world, i, j) || !kg_grid_may_collide(world, i, j)) return true;
    kg_images images = kg_lattice_images(world->grid->lattice);
    for (uint32_t k = 0; k < images.count; ++k) {
        uint32_t neighbour = j | images.code[k] << KG_NEIGHBOUR_IMAGE_SHIFT;
        double t = kg_predict_straight(world, i, neighbour, h);
        if (t != KG_NEVER && !kg_queue_push_predicted(world, t, i, neighbour, KG_EVENT_BODY))
            return false;
    }
    return true;
}

/* Predict an oversized body with all other oversized bodies, if there are few of them. */
static bool predict_few(kugel_world *world, uint32_t i, double h, bool each_once)
{
    const kg_cell_lists *c = &world->grid->cell_lists;
    bool ok = true;
    for (uint32_t k = 0; k < c->oversized_count && ok; ++k) {
        uint32_t j = c->oversized[k].slot;
        if (j != i && (j > i || !each_once)) ok = predict_images(world, i, j, h);
    }
    return ok;
}

static void collect_oversized(void *context, const kg_cell *cells, uint32_t count, uint32_t image)
{
    oversized_batch *b = context;
    const kg_cell_lists *cell_lists = &b->world->grid->cell_lists;
    const uint32_t *first = cell_lists->first_oversized + (cells - kg_cells(cell_lists));
    for (uint32_t k = 0; k < count; ++k) {
        for (uint32_t o = first[k]; o != KG_NONE; o = cell_lists->oversized[o].next) {
            uint32_t j = cell_lists->oversized[o].slot;
            if (j == b->slot || (j < b->slot && b->each_once)) continue;
            b->of.neighbour[b->of.count++] = j | image << KG_NEIGHBOUR_IMAGE_SHIFT;
            if (b->of.count > 64) finish_batch(b);
        }
    }
}

/* Predict an oversized body with other oversized bodies, and with the bodies around it. In a
 * prediction pass (`each_once`) the pairs with the latter are left out: they are predicted for
 * these bodies. */
static bool predict_oversized(kugel_world *world, uint32_t i, double now, double h, bool each_once)
{
    const kg_cell_lists *c = &world->grid->cell_lists;
    oversized_batch b = {
        .world = world, .slot = i, .now = now, .h = h, .each_once = each_once, .ok = true};
    double until = world->impact->until;
    if (!each_once) kg_quantised_motions_write(world, i);
    if (c->few_oversized) b.ok = predict_few(world, i, h, each_once);
    else kg_oversized_visit_path(world, i, c->largest_oversized, now, until, collect_oversized, &b);
    if (!each_once) {
        kg_oversized_visit_path(world, i, c->largest_radius, now, until, KG_WIDEST(collect_cells),
                                &b);
        b.of.count += kg_gather_overflow(c, i, KG_CELL_GATHER_ALL, b.of.neighbour + b.of.count);
    }
    finish_batch(&b);
    return b.ok && predict_boundaries_and_exit(world, i, now, h);
}

static bool predict_body(kugel_world *world, uint32_t i, double now, double h, bool each_once)
{
    if (kg_cell_lists_is_oversized(&world->grid->cell_lists, i))
        return predict_oversized(world, i, now, h, each_once);
    return KG_WIDEST(predict_all)(world, i, now, h, each_once);
}

static bool begin_cell_window(kugel_world *world)
{
    if (!kg_quantised_motions_begin(world)) return false;
    if (!world->grid->cell_lists.abandon && kg_subdomains_are_allowed(world) &&
        !kg_subdomains_plan(world))
        return false;
    if (!kg_subdomains_are_planned(world)) kg_cell_layers_collect(world);
    return true;
}

static bool predict_cells(kugel_world *world, uint32_t from, uint32_t to, double now, double h)
{
    enum { PREFETCH_DISTANCE = 12 }; /* bodies */
    bool ok = true, partitioned = kg_subdomains_are_planned(world);
    for (uint32_t i = from; i < to && ok; ++i) {
        kugel_world *through = partitioned ? kg_subdomain_world(world, i) : world;
        if (i + PREFETCH_DISTANCE < to)
            kg_cell_lists_prefetch(&through->grid->cell_lists, i + PREFETCH_DISTANCE);
        ok = predict_body(through, i, now, h, true);
    }
    return ok;
}

static bool predict_after_change(kugel_world *world, uint32_t i, double now, double h)
{
    return predict_body(world, i, now, h, false);
}

static bool predict_after_collision(kugel_world *world, uint32_t i, uint32_t j, double now,
                                    double h)
{
    const kg_cell_lists *c = &world->grid->cell_lists;
    if (kg_cell_lists_is_oversized(c, i) || kg_cell_lists_is_oversized(c, j))
        return predict_body(world, i, now, h, false) && predict_body(world, j, now, h, false);
    return KG_WIDEST(predict_colliding_pair)(world, i, j, now, h);
}

static bool predict_after_cell_exit(kugel_world *world, const kg_event *e, double h)
{
    kg_cell_lists_cross_face(world, e->a, e->b);
    if (kg_cell_lists_is_oversized(&world->grid->cell_lists, e->a))
        return predict_body(world, e->a, e->time, h, false);
    return KG_WIDEST(predict_after_exit)(world, e->a, e->b, e->time, h);
}

static bool predict_after_crossing(kugel_world *world, const kg_event *e, double h)
{
    kg_cell_lists_cross_face(world, e->a, e->b);
    return predict_body(world, e->a, e->time, h, false);
}

const kg_predictor kg_cell_predictor = {
    .begin_window = begin_cell_window,
    .predict = predict_cells,
    .body = predict_after_change,
    .pair = predict_after_collision,
    .exit = predict_after_cell_exit,
    .crossing = predict_after_crossing,
    .window_by_impacts = true,
};
