/* Work columns of a tick. */
#include "world/work.h"

static const kg_column_row rows[KG_WORK_COLUMNS] = {
    [KG_WORK_MOTION] = KG_COLUMN_ROW(kg_work, motion),
    [KG_WORK_SPIN] = KG_COLUMN_ROW(kg_work, w[0]),
    [KG_WORK_SPIN + 1] = KG_COLUMN_ROW(kg_work, w[1]),
    [KG_WORK_SPIN + 2] = KG_COLUMN_ROW(kg_work, w[2]),
    [KG_WORK_ORIENTATION] = KG_COLUMN_ROW(kg_work, q[0]),
    [KG_WORK_ORIENTATION + 1] = KG_COLUMN_ROW(kg_work, q[1]),
    [KG_WORK_ORIENTATION + 2] = KG_COLUMN_ROW(kg_work, q[2]),
    [KG_WORK_ORIENTATION + 3] = KG_COLUMN_ROW(kg_work, q[3]),
    [KG_WORK_FRAME] = KG_COLUMN_ROW(kg_work, frame),
    [KG_WORK_MOTION_VERSION] = KG_COLUMN_ROW(kg_work, motion_version),
    [KG_WORK_IMPACT_LOAD] = KG_COLUMN_ROW(kg_work, impact_load),
    [KG_WORK_RESTING_BOUNDARIES] = KG_COLUMN_ROW(kg_work, resting_boundaries),
    [KG_WORK_CONTACT_COUNT] = KG_COLUMN_ROW(kg_work, contact_count),
    [KG_WORK_SLEEP_STATE] = KG_COLUMN_ROW(kg_work, sleep_state),
    [KG_WORK_ACCELERATION] = KG_COLUMN_ROW(kg_work, acceleration),
    [KG_WORK_ANGULAR_ACCELERATION] = KG_COLUMN_ROW(kg_work, angular_acceleration),
};

static bool reserve(kg_memory *memory, kg_work *work, int from, int to, size_t n)
{
    return kg_columns_reserve(memory, work->columns + from, rows + from, to - from, work, n);
}

bool kg_work_reserve(kg_memory *memory, kg_work *work, size_t n, bool own_acceleration)
{
    work->row_capacity = 0;
    if (!reserve(memory, work, KG_WORK_MOTION, KG_WORK_MOTION + 1, n + 1) ||
        !reserve(memory, work, KG_WORK_MOTION + 1, KG_WORK_ALWAYS, n) ||
        (own_acceleration &&
         !reserve(memory, work, KG_WORK_ACCELERATION, KG_WORK_ACCELERATION + 1, n)))
        return false;
    work->row_capacity = (uint32_t)n;
    return true;
}

bool kg_work_reserve_sliding(kg_memory *memory, kg_work *work)
{
    return reserve(memory, work, KG_WORK_ACCELERATION, KG_WORK_COLUMNS, work->row_capacity);
}

void kg_work_free(kg_memory *memory, kg_work *work)
{
    kg_columns_free(memory, work->columns, KG_WORK_COLUMNS);
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

/* The initial contacts, without marks. */
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
    if (from == &work->contacts_backup) work->contacts_backup = work->contacts;
    work->contacts = (kg_contact_set){0};
    work->holds_contacts = false;
}
