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
    bool ok = reserve(memory, c++, sizeof *work->motion, n + 1,
                      &work->motion); /* the last: what never moves */
    for (int k = 0; k < 3; ++k) ok = ok && reserve(memory, c++, sizeof(double), n, &work->w[k]);
    for (int k = 0; k < 4; ++k) ok = ok && reserve(memory, c++, sizeof(float), n, &work->q[k]);
    ok = ok && reserve(memory, c++, sizeof *work->frame, n, &work->frame);
    ok = ok && reserve(memory, c++, sizeof *work->motion_version, n, &work->motion_version);
    ok = ok && reserve(memory, c++, sizeof *work->impact_count, n, &work->impact_count);
    ok = ok && reserve(memory, c++, sizeof *work->resting_boundaries, n, &work->resting_boundaries);
    ok = ok && reserve(memory, c++, sizeof *work->contact_count, n, &work->contact_count);
    ok = ok && reserve(memory, c++, sizeof *work->sleep_state, n, &work->sleep_state);
    work->row_capacity = ok ? (uint32_t)n : 0;
    if (!ok || !own_acceleration || kg_work_reserve_accelerations(memory, work)) return ok;
    work->row_capacity = 0;
    return false;
}

enum { COLUMN_ACCELERATIONS = 15, COLUMN_ANGULAR };

bool kg_work_reserve_sliding(kg_memory *memory, kg_work *work)
{
    return kg_work_reserve_accelerations(memory, work) &&
           reserve(memory, &work->columns[COLUMN_ANGULAR], sizeof *work->angular_acceleration,
                   work->row_capacity, &work->angular_acceleration);
}

bool kg_work_reserve_accelerations(kg_memory *memory, kg_work *work)
{
    return reserve(memory, &work->columns[COLUMN_ACCELERATIONS], sizeof *work->acceleration,
                   work->row_capacity, &work->acceleration);
}

void kg_work_free(kg_memory *memory, kg_work *work)
{
    for (size_t k = 0; k < sizeof work->columns / sizeof *work->columns; ++k) {
        kg_column_free(memory, &work->columns[k]);
    }
    kg_contact_set_free(memory, &work->contacts);
    kg_contact_set_free(memory, &work->contacts_backup);
    *work = (kg_work){0};
}

void kg_work_take_contacts(kg_work *work, kg_contact_set *contacts)
{
    work->contacts = *contacts;
    *contacts = (kg_contact_set){0};
    work->initial_contact_count = work->contacts.sorted_count = work->contacts.count;
    work->holds_contacts = true;
    work->has_backup = false;
}

/* Those that were lent, without marks. */
static void reset_contacts(kg_contact_set *set, uint32_t initial_count)
{
    set->count = initial_count;
    for (uint32_t k = 0; k < initial_count; ++k) set->items[k].ended = false;
}

bool kg_work_back_up_contacts(kg_memory *memory, kg_work *work)
{
    if (work->has_backup) return true;
    if (!kg_contact_set_copy(memory, &work->contacts_backup, &work->contacts)) return false;
    reset_contacts(&work->contacts_backup, work->initial_contact_count);
    return work->has_backup = true;
}

void kg_work_return_contacts(kg_work *work, kg_contact_set *contacts, bool failed)
{
    if (!work->holds_contacts) return;
    kg_contact_set *from = failed && work->has_backup ? &work->contacts_backup : &work->contacts;
    if (failed && !work->has_backup) reset_contacts(from, work->initial_contact_count);
    *contacts = *from;
    if (from == &work->contacts_backup) work->contacts_backup = work->contacts; /* its memory */
    work->contacts = (kg_contact_set){0};
    work->holds_contacts = false;
}
