/* Groups in pieces that threads may take: whole blocks, colour by colour, so that pieces of one colour share
 * no body that can be moved, and no number of threads changes a bit. */
#include "base/tasks.h"
#include "contact/contact.h"

/* Groups with contacts of a piece at least, and groups of the stage before a thread is asked: every sweep asks them once for
 * each colour, which is for nothing where there is little to do. So many have 4,000 bodies at rest: of fewer, other passes ask no
 * thread either (world/ranges.c), and bodies that go from cache to cache cost more than half a pass saves. */
enum { PIECE = 64, PARALLEL = 1280 };

double kg_contact_gain(const kg_contact_stage *stage)
{
    double sum = 0;
    for (uint32_t p = 0; p <= stage->piece_count; ++p) sum += (double)stage->pieces[p].gain;
    return sum;
}

bool kg_contact_reserve_pieces(kugel_world *world, size_t groups)
{
    kg_contact_stage *stage = world->contact;
    kg_column *column = &stage->columns[KG_CONTACT_COLUMN_PIECES];
    size_t n = groups / PIECE + KG_COLOURS + 1;
    if (!kg_column_reserve(&world->memory, column, sizeof *stage->pieces, n, 0)) return false;
    stage->pieces = column->data;
    stage->piece_count = stage->colour_count = stage->pieced = 0;
    stage->colour[0] = 0;
    stage->parallel = groups >= PARALLEL && kg_tasks_width(world->tasks) > 1;
    return true;
}

void kg_contact_note_piece(kg_contact_stage *stage, uint32_t group, uint32_t before, uint32_t entry)
{
    bool colour = entry & KG_CONTACT_COLOUR;
    if (colour) stage->colour[stage->colour_count++] = stage->piece_count;
    if (!(entry & KG_CONTACT_BLOCK)) return;
    if (!colour && before - stage->pieces[stage->piece_count - 1].before < PIECE) return;
    stage->pieces[stage->piece_count++] = (kg_contact_piece){.first = group, .before = before};
    stage->colour[stage->colour_count] = stage->piece_count;
}

typedef struct job {
    const kg_contact_stage *stage;
    kg_contact_pass *pass;
    void *context;
    uint32_t from;
} job;

static void run_part(void *context, uint32_t index)
{
    const job *j = context;
    uint32_t from = j->from + index * PIECE, end = j->stage->group_count;
    j->pass(j->context, 0, from, from + PIECE < end ? from + PIECE : end);
}

void kg_contact_any_order(kugel_world *world, uint32_t from, kg_contact_pass *pass, void *context)
{
    const kg_contact_stage *stage = world->contact;
    job j = {stage, pass, context, from};
    if (stage->parallel) kg_tasks_run(world->tasks, (stage->group_count - from + PIECE - 1) / PIECE, run_part, &j);
    else pass(context, 0, from, stage->group_count);
}

static void run_piece(void *context, uint32_t index)
{
    const job *j = context;
    const kg_contact_stage *stage = j->stage;
    uint32_t piece = j->from + index;
    j->pass(j->context, piece, stage->pieces[piece].first, piece + 1 < stage->piece_count ? stage->pieces[piece + 1].first : stage->pieced);
}

void kg_contact_in_order(kugel_world *world, kg_contact_pass *pass, void *context)
{
    const kg_contact_stage *stage = world->contact;
    for (uint32_t c = 0; c < stage->colour_count; ++c) {
        job j = {stage, pass, context, stage->colour[c]};
        uint32_t count = stage->colour[c + 1] - stage->colour[c];
        if (stage->parallel) kg_tasks_run(world->tasks, count, run_piece, &j);
        else for (uint32_t k = 0; k < count; ++k) run_piece(&j, k);
    }
    pass(context, stage->piece_count, stage->pieced, stage->group_count);
}

float kg_contact_largest_change(const kg_contact_stage *stage)
{
    float most = stage->pieces[0].change;
    for (uint32_t p = 1; p <= stage->piece_count; ++p) {
        most = stage->pieces[p].change > most ? stage->pieces[p].change : most;
    }
    return most;
}
