/* See forces.h. */
#include "forces.h"

#include <string.h>

#include "arrays.h"

enum { FACES = 6 };
const char forces_head[] = "tick,time,target,fx,fy,fz,mx,my,mz,normal,friction,impacts\n";

static uint64_t ticks_of_row(const scene *scene)
{
    return scene->accumulate ? scene->accumulate : 1;
}

static force_sum *sum_of(const force_rows *rows, kugel_target target, uint32_t index)
{
    if (target == KUGEL_TARGET_BODY) return NULL;
    return &rows->targets[target == KUGEL_TARGET_FACE ? index : FACES + index];
}

static void add(force_sum *to, const kugel_impulse_sum *from)
{
    for (int k = 0; k < 3; ++k) {
        to->impulse[k] += from->impulse[k];
        to->angular_impulse[k] += from->angular_impulse[k];
    }
    to->along += from->along;
    to->friction += from->friction;
    to->impacts += from->impacts;
}

/* Memory for all targets and the rows of this step; false: out of memory. */
static bool reserve(force_rows *rows, const kugel_world *world, size_t *count)
{
    size_t targets = FACES + kugel_world_surface_end(world), had = arrlenu(rows->targets);
    if (kugel_world_impulse_sums(world, 0, NULL, count)) return false;
    arrsetlen(rows->targets, targets > had ? targets : had);
    for (size_t k = had; k < targets; ++k) rows->targets[k] = (force_sum){.impacts = 0};
    arrsetlen(rows->sums, *count);
    return true;
}

static void write_row(const force_rows *rows, const step_span *step, kugel_target target,
                      uint32_t index)
{
    char name[TARGET_NAME];
    const force_sum *sum = sum_of(rows, target, index);
    double per_second = 1 / (step->end - rows->start);
    target_name(name, rows->scene, target, index);
    fprintf(rows->to, "%llu,%.17g,%s", (unsigned long long)step->tick, step->end, name);
    for (int k = 0; k < 3; ++k) fprintf(rows->to, ",%.17g", per_second * sum->impulse[k]);
    for (int k = 0; k < 3; ++k) fprintf(rows->to, ",%.17g", per_second * sum->angular_impulse[k]);
    fprintf(rows->to, ",%.17g,%.17g,%llu\n", per_second * sum->along, per_second * sum->friction,
            (unsigned long long)sum->impacts);
}

static void write_rows(force_rows *rows, const kugel_world *world, const step_span *step)
{
    kugel_world_def def;
    kugel_world_get_def(world, &def);
    for (uint32_t face = 0; face < FACES; ++face) {
        if (def.bounds.faces[face] == KUGEL_FACE_WALL)
            write_row(rows, step, KUGEL_TARGET_FACE, face);
    }
    for (uint32_t k = 0; k < kugel_world_surface_end(world); ++k) {
        if (kugel_surface_is_valid(world, kugel_world_surface(world, k)))
            write_row(rows, step, KUGEL_TARGET_SURFACE, k);
    }
}

bool forces_add(force_rows *rows, const kugel_world *world, const step_span *step)
{
    size_t count;
    uint64_t every = ticks_of_row(rows->scene);
    if (step->start == step->end) { /* the state before the first step */
        rows->start = step->end;
        rows->partial = step->tick % every != 0;
        return true;
    }
    if (!reserve(rows, world, &count)) return false;
    kugel_world_impulse_sums(world, count, rows->sums, &count);
    for (size_t k = 0; k < count; ++k) {
        force_sum *to = sum_of(rows, rows->sums[k].target, rows->sums[k].index);
        if (to) add(to, &rows->sums[k]);
    }
    if (step->tick % every) return true;
    if (!rows->partial) write_rows(rows, world, step);
    memset(rows->targets, 0, arrlenu(rows->targets) * sizeof *rows->targets);
    rows->start = step->end;
    rows->partial = false;
    return true;
}

uint64_t forces_first_row(const scene *scene, uint64_t first)
{
    uint64_t every = ticks_of_row(scene);
    return (first + every - 1) / every * every + every;
}

void forces_free(force_rows *rows)
{
    arrfree(rows->targets);
    arrfree(rows->sums);
}
