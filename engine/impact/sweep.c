/* The first sweep of a window: everything that can happen in it. Bodies that are quiet at the start of the substep have
 * nothing to meet up to its end, unless something meets them.
 * Threads take pieces of the bodies: a prediction is a pure function of the state, and what the bodies of a piece
 * can meet is noted in its own part of the pool of events. Then all goes into the queue, one part after the other; the
 * queue's order is total, so that it does not matter who found what when. */
#include "base/tasks.h"
#include "base/wide.h"
#include "impact/zones.h"

/* Bodies of a piece, and in the world before a thread is woken. */
enum { PIECE = 1024, PARALLEL = 4 * PIECE };
/* Bodies ahead. */
enum { ASK_AROUND = 12 };

typedef struct sweep {
    kugel_world *world;
    double from, h;
    bool outruns; /* some body outruns its lists */
} sweep;

static uint32_t piece_end(const kugel_world *world, uint32_t index)
{
    uint32_t n = world->bodies.count;
    return n - index * PIECE < PIECE ? n : (index + 1) * PIECE;
}

/* The first busy body from `slot` on, or `end`: of a settled pile most are not. */
static uint32_t next_busy(const kg_grid *grid, uint32_t slot, uint32_t end)
{
    while (slot < end && !kg_grid_is_busy(grid, slot)) {
        for (slot += 1; end - slot >= 4; slot += 4) {
            kg_mask4f quiet = *(const kg_loose4 *)(grid->room + slot) > 0;
            if (kg_bits4f(&quiet) != 0xf) break;
        }
    }
    return slot;
}

static void look_for_far(void *context, uint32_t index)
{
    sweep *s = context;
    const kugel_world *world = s->world;
    bool outruns = false;
    const kg_grid *grid = world->grid;
    uint32_t end = piece_end(world, index);
    for (uint32_t i = next_busy(grid, index * PIECE, end); i < end; i = next_busy(grid, i + 1, end)) {
        outruns |= kg_outruns_lists(world, i, world->impact->until);
    }
    if (outruns) __atomic_store_n(&s->outruns, true, __ATOMIC_RELAXED);
}

/* Far bodies are known before anything is predicted: who is near looks for them. */
static bool mark_far(sweep *s, uint32_t pieces)
{
    kugel_world *world = s->world;
    kg_for_pieces(world, pieces, look_for_far, s);
    for (uint32_t i = 0; i < world->bodies.count && s->outruns; ++i) {
        if (kg_grid_is_busy(world->grid, i) && !kg_mark_far(world, i, s->from, s->h)) return false;
    }
    return true;
}

/* In cells all bodies are looked at, and memory is asked for the cells around those ahead. */
static bool predict_piece_in_cells(const sweep *s, uint32_t index)
{
    kugel_world *world = s->world;
    uint32_t end = piece_end(world, index);
    bool ok = true, zones = kg_zones_are_planned(world);
    for (uint32_t i = index * PIECE; i < end && ok; ++i) {
        kugel_world *through = zones ? kg_zone_world(world, i) : world;
        if (i + ASK_AROUND < end) kg_dense_fetch(&through->grid->dense, i + ASK_AROUND);
        ok = kg_predict_in_cells(through, i, s->from, s->h, true);
    }
    return ok;
}

static bool predict_piece_with_lists(const sweep *s, uint32_t index)
{
    kugel_world *world = s->world;
    const kg_grid *grid = world->grid;
    uint32_t end = piece_end(world, index);
    bool ok = true;
    for (uint32_t i = next_busy(grid, index * PIECE, end); i < end && ok; i = next_busy(grid, i + 1, end)) {
        ok = kg_predict_body(world, i, s->from, s->h, true);
    }
    return ok;
}

static bool predict_piece(const sweep *s, uint32_t index)
{
    return (s->world->grid->dense.used ? predict_piece_in_cells : predict_piece_with_lists)(s, index);
}

static void note_piece(void *context, uint32_t index) { predict_piece(context, index); }

/* A part that was too small is found out again. */
static bool sweep_on_threads(sweep *s, uint32_t pieces)
{
    kugel_world *world = s->world;
    if (!kg_queue_open_parts(world, pieces, PIECE)) return false;
    kg_tasks_run(world->tasks, pieces, note_piece, s);
    bool ok = true, cut = false;
    for (uint32_t p = 0; p < pieces; ++p) cut |= kg_queue_part_is_cut(world, p);
    if (kg_zones_are_planned(world) && !cut) return true;
    if (world->grid->dense.used) kg_zones_return_cells(world);
    kg_queue_close_parts(world);
    for (uint32_t p = 0; p < pieces && ok; ++p) {
        if (kg_queue_part_is_cut(world, p)) ok = predict_piece(s, p);
    }
    return ok;
}

static bool begin_in_cells(kugel_world *world)
{
    if (!kg_traces_begin(world)) return false;
    if (!world->grid->dense.leave && kg_zones_may_serve(world) && !kg_zones_plan(world)) return false;
    if (!kg_zones_are_planned(world)) kg_zones_return_cells(world);
    return true;
}

static bool begin_with_lists(sweep *s, uint32_t pieces)
{
    if (s->from == 0) kg_grid_spend_room(s->world, s->h);
    return mark_far(s, pieces);
}

bool kg_sweep_first(kugel_world *world, double from, double h)
{
    uint32_t n = world->bodies.count, pieces = (n + PIECE - 1) / PIECE;
    sweep s = {.world = world, .from = from, .h = h};
    bool ok = true;
    if (world->impact->zones) world->impact->zones->planned = false;
    if (!(world->grid->dense.used ? begin_in_cells(world) : begin_with_lists(&s, pieces))) return false;
    if (n >= PARALLEL && kg_tasks_width(world->tasks) > 1) return sweep_on_threads(&s, pieces);
    for (uint32_t p = 0; p < pieces && ok; ++p) ok = predict_piece(&s, p);
    return ok;
}
