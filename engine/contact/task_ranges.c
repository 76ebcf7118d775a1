/* Task ranges: groups of whole blocks, of which each range is solved by one thread. Ranges of one
 * colour share no movable body. The ranges do not depend on the number of threads. */
#include "base/tasks.h"
#include "contact/contact.h"

/* Minimum number of groups of a task range, except the last one of a colour. */
enum { MIN_GROUPS = 64 };
/* Minimum number of groups for which the stage uses threads. Each sweep starts the threads once for
 * each colour, which costs more than it saves below about 4,000 resting bodies. */
enum { MIN_PARALLEL_GROUPS = 1280 };

double kg_contact_warm_start_gain(const kg_contact_stage *stage)
{
    double sum = 0;
    for (uint32_t p = 0; p <= stage->task_range_count; ++p)
        sum += (double)stage->task_ranges[p].energy_gain;
    return sum;
}

bool kg_contact_reserve_task_ranges(kugel_world *world, size_t groups)
{
    kg_contact_stage *stage = world->contact;
    if (!KG_RESERVE(&world->memory, &stage->columns[KG_CONTACT_COLUMN_TASK_RANGES],
                    stage->task_ranges, groups / MIN_GROUPS + KG_COLOURS + 1, 0))
        return false;
    stage->task_range_count = stage->colour_count = stage->ranged_group_count = 0;
    stage->colour_first_range[0] = 0;
    stage->parallel = groups >= MIN_PARALLEL_GROUPS && kg_tasks_concurrency(world->tasks) > 1;
    return true;
}

void kg_contact_note_task_range(kg_contact_stage *stage, uint32_t group, uint32_t entry)
{
    bool colour = entry & KG_ORDER_COLOUR_START;
    if (colour) stage->colour_first_range[stage->colour_count++] = stage->task_range_count;
    else if (group - stage->task_ranges[stage->task_range_count - 1].first < MIN_GROUPS) return;
    stage->task_ranges[stage->task_range_count++] = (kg_task_range){.first = group};
    stage->colour_first_range[stage->colour_count] = stage->task_range_count;
}

typedef struct pass_job {
    const kg_contact_stage *stage;
    kg_contact_group_pass *pass;
    void *context;
    uint32_t from;
} pass_job;

static void run_slice(void *context, uint32_t index)
{
    const pass_job *j = context;
    uint32_t count = j->stage->group_count - j->from;
    j->pass(j->context, 0, j->from + index * MIN_GROUPS,
            j->from + kg_range_end(index, MIN_GROUPS, count));
}

void kg_contact_for_groups(kugel_world *world, uint32_t from, kg_contact_group_pass *pass,
                           void *context)
{
    const kg_contact_stage *stage = world->contact;
    pass_job j = {stage, pass, context, from};
    if (stage->parallel)
        kg_tasks_run(world->tasks, (stage->group_count - from + MIN_GROUPS - 1) / MIN_GROUPS,
                     run_slice, &j);
    else pass(context, 0, from, stage->group_count);
}

static void run_range(void *context, uint32_t index)
{
    const pass_job *j = context;
    const kg_contact_stage *stage = j->stage;
    uint32_t range = j->from + index;
    j->pass(j->context, range, stage->task_ranges[range].first,
            range + 1 < stage->task_range_count ? stage->task_ranges[range + 1].first
                                                : stage->ranged_group_count);
}

void kg_contact_for_groups_in_order(kugel_world *world, kg_contact_group_pass *pass, void *context)
{
    const kg_contact_stage *stage = world->contact;
    for (uint32_t c = 0; c < stage->colour_count; ++c) {
        pass_job j = {stage, pass, context, stage->colour_first_range[c]};
        uint32_t count = stage->colour_first_range[c + 1] - stage->colour_first_range[c];
        if (stage->parallel) kg_tasks_run(world->tasks, count, run_range, &j);
        else
            for (uint32_t k = 0; k < count; ++k) run_range(&j, k);
    }
    pass(context, stage->task_range_count, stage->ranged_group_count, stage->group_count);
}

float kg_contact_largest_speed_change(const kg_contact_stage *stage)
{
    float largest = stage->task_ranges[0].speed_change;
    for (uint32_t p = 1; p <= stage->task_range_count; ++p)
        largest = stage->task_ranges[p].speed_change > largest ? stage->task_ranges[p].speed_change
                                                               : largest;
    return largest;
}

bool kg_contact_any_impulse_changed(const kg_contact_stage *stage)
{
    bool any = false;
    for (uint32_t p = 0; p <= stage->task_range_count; ++p) any |= stage->task_ranges[p].changes;
    return any;
}
