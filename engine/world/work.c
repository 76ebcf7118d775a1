/* The columns of the work area, and the move of the world's contacts into it and back.
 * In: number of rows. Out: reserved columns, in the order of the table; contacts, which a failed
 * step returns as they were. */
#include "world/work.h"

#include <string.h>

#define COLUMN(member) KG_COLUMN_ROW(kg_work, member)

const kg_column_row kg_work_rows[] = {
    COLUMN(motion),         COLUMN(w[0]),
    COLUMN(w[1]),           COLUMN(w[2]),
    COLUMN(q[0]),           COLUMN(q[1]),
    COLUMN(q[2]),           COLUMN(q[3]),
    COLUMN(frame),          COLUMN(sleep_state),
    COLUMN(motion_version), COLUMN(impact_load),
    COLUMN(contact_count),  COLUMN(resting_boundaries),
    COLUMN(acceleration),   COLUMN(angular_acceleration),
    COLUMN(crossings),      COLUMN(start),
};
_Static_assert(offsetof(kg_work, row_capacity) - offsetof(kg_work, motion) ==
                   KG_WORK_COLUMNS * sizeof(void *),
               "a row for each pointer of a work column");

#define COMMON(member)                                                                             \
    {                                                                                              \
        sizeof *((kg_work *)0)->member, offsetof(kg_work, member), offsetof(kg_bodies, member)     \
    }

/* Columns that work area and bodies have alike. */
static const struct common_column {
    uint32_t item, work, bodies; /* bytes of an item; offsets of the pointers */
} common_columns[] = {
    COMMON(w[0]), COMMON(w[1]), COMMON(w[2]), COMMON(q[0]),
    COMMON(q[1]), COMMON(q[2]), COMMON(q[3]), COMMON(sleep_state),
};

static void copy_common(const kg_work *work, const kg_bodies *bodies, uint32_t from, uint32_t to,
                        bool writes)
{
    for (size_t k = 0; k < sizeof common_columns / sizeof *common_columns; ++k) {
        const struct common_column *c = &common_columns[k];
        char *in_work, *in_bodies;
        memcpy(&in_work, (const char *)work + c->work, sizeof in_work);
        memcpy(&in_bodies, (const char *)bodies + c->bodies, sizeof in_bodies);
        in_work += (size_t)from * c->item, in_bodies += (size_t)from * c->item;
        memcpy(writes ? in_bodies : in_work, writes ? in_work : in_bodies,
               (size_t)(to - from) * c->item);
    }
}

void kg_work_read_common(kg_work *work, const kg_bodies *bodies, uint32_t from, uint32_t to)
{
    copy_common(work, bodies, from, to, false);
}

void kg_work_write_common(const kg_work *work, kg_bodies *bodies, uint32_t from, uint32_t to)
{
    copy_common(work, bodies, from, to, true);
}

static bool reserve(kg_memory *memory, kg_work *work, int from, int to, size_t n)
{
    for (int k = from; k < to; ++k) {
        if (!kg_column_renew(memory, &work->columns[k], kg_work_rows[k].item, n)) return false;
        memcpy((char *)work + kg_work_rows[k].pointer, &work->columns[k].data, sizeof(void *));
    }
    return true;
}

bool kg_work_reserve(kg_memory *memory, kg_work *work, size_t n, bool own_acceleration)
{
    work->row_capacity = 0;
    if (!reserve(memory, work, 0, 1, n + 1) || !reserve(memory, work, 1, KG_WORK_ALWAYS, n) ||
        (own_acceleration && !reserve(memory, work, KG_WORK_ALWAYS, KG_WORK_ALWAYS + 1, n)))
        return false;
    work->row_capacity = (uint32_t)n;
    return true;
}

bool kg_work_reserve_sliding(kg_memory *memory, kg_work *work)
{
    return reserve(memory, work, KG_WORK_ALWAYS, KG_WORK_CROSSINGS, work->row_capacity);
}

bool kg_work_reserve_crossings(kg_memory *memory, kg_work *work, size_t n)
{
    const kg_column *column = &work->columns[KG_WORK_CROSSINGS];
    size_t before = column->capacity;
    if (!reserve(memory, work, KG_WORK_CROSSINGS, KG_WORK_STARTS, n)) return false;
    if (column->capacity && (work->has_crossings || column->capacity != before))
        memset(work->crossings, 0, column->capacity * sizeof *work->crossings);
    work->has_crossings = false;
    return true;
}

bool kg_work_reserve_starts(kg_memory *memory, kg_work *work, size_t n)
{
    return reserve(memory, work, KG_WORK_STARTS, KG_WORK_COLUMNS, n);
}

uint64_t *kg_work_lend(kg_memory *memory, kg_work *work, size_t words)
{
    size_t rows = words / (sizeof *work->motion / sizeof(uint64_t)) + 1;
    return KG_RENEW(memory, &work->columns[0], work->motion, rows)
               ? (uint64_t *)(void *)work->motion
               : NULL;
}

void kg_work_free_rows(kg_memory *memory, kg_work *work)
{
    kg_columns_free(memory, work->columns, KG_WORK_COLUMNS);
    work->row_capacity = 0;
}

void kg_work_free(kg_memory *memory, kg_work *work)
{
    kg_work_free_rows(memory, work);
    kg_resting_features_free(memory, &work->resting_features);
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

/* Restore the contacts at the start of the tick: drop those appended since, and clear the marks. */
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
    uint64_t version = work->contacts.version;
    *contacts = *from;
    contacts->version = version;
    if (from == &work->contacts_backup) work->contacts_backup = work->contacts;
    work->contacts = (kg_contact_set){0};
    work->holds_contacts = false;
}
