#include "world/work.h"

#include <string.h>

static bool reserve(kg_memory *memory, kg_column *column, size_t item, size_t n, void *pointer)
{
    if (!kg_column_reserve(memory, column, item, n, 0)) return false;
    memcpy(pointer, &column->data, sizeof column->data);
    return true;
}

bool kg_work_reserve(kg_memory *memory, kg_work *work, size_t n, bool own_acceleration)
{
    kg_column *c = work->columns;
    bool ok = reserve(memory, c++, sizeof *work->motion, n + 1, &work->motion); /* the last: what never moves */
    for (int k = 0; k < 3; ++k) ok = ok && reserve(memory, c++, sizeof(double), n, &work->w[k]);
    for (int k = 0; k < 4; ++k) ok = ok && reserve(memory, c++, sizeof(float), n, &work->q[k]);
    ok = ok && reserve(memory, c++, sizeof *work->frame, n, &work->frame);
    ok = ok && reserve(memory, c++, sizeof *work->stamp, n, &work->stamp);
    ok = ok && reserve(memory, c++, sizeof *work->impacts, n, &work->impacts);
    ok = ok && reserve(memory, c++, sizeof *work->resting, n, &work->resting);
    ok = ok && reserve(memory, c++, sizeof *work->contact_count, n, &work->contact_count);
    ok = ok && reserve(memory, c++, sizeof *work->calm, n, &work->calm);
    work->rows = ok ? (uint32_t)n : 0;
    if (!ok || !own_acceleration || kg_work_reserve_accelerations(memory, work)) return ok;
    work->rows = 0;
    return false;
}

enum { COLUMN_ACCELERATIONS = 15, COLUMN_TURNING };

bool kg_work_reserve_slides(kg_memory *memory, kg_work *work)
{
    return kg_work_reserve_accelerations(memory, work) &&
           reserve(memory, &work->columns[COLUMN_TURNING], sizeof *work->turning, work->rows, &work->turning);
}

bool kg_work_reserve_accelerations(kg_memory *memory, kg_work *work)
{
    return reserve(memory, &work->columns[COLUMN_ACCELERATIONS], sizeof *work->acceleration, work->rows, &work->acceleration);
}

void kg_work_free(kg_memory *memory, kg_work *work)
{
    for (size_t k = 0; k < sizeof work->columns / sizeof *work->columns; ++k) {
        kg_column_free(memory, &work->columns[k]);
    }
    kg_contact_set_free(memory, &work->contacts);
    kg_contact_set_free(memory, &work->before);
    *work = (kg_work){0};
}

void kg_work_borrow(kg_work *work, kg_contact_set *contacts)
{
    work->contacts = *contacts;
    *contacts = (kg_contact_set){0};
    work->lent = work->contacts.ordered = work->contacts.count;
    work->borrowed = true;
    work->copied = false;
}

/* Those that were lent, without marks. */
static void take_back(kg_contact_set *set, uint32_t lent)
{
    set->count = lent;
    for (uint32_t k = 0; k < lent; ++k) set->items[k].ended = false;
}

bool kg_work_copy_contacts(kg_memory *memory, kg_work *work)
{
    if (work->copied) return true;
    if (!kg_contact_set_copy(memory, &work->before, &work->contacts)) return false;
    take_back(&work->before, work->lent);
    return work->copied = true;
}

void kg_work_return(kg_work *work, kg_contact_set *contacts, bool failed)
{
    if (!work->borrowed) return;
    kg_contact_set *from = failed && work->copied ? &work->before : &work->contacts;
    if (failed && !work->copied) take_back(from, work->lent);
    *contacts = *from;
    if (from == &work->before) work->before = work->contacts; /* its memory */
    work->contacts = (kg_contact_set){0};
    work->borrowed = false;
}
