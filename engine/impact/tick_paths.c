/* Paths of whole ticks, for the comparison of a rank's ghosts with their originals (ranks/).
 * In: motions at events and at the ends of substeps. Out: path hashes by row; the largest speed of
 * own bodies, in their frames. Cost: proportional to the events, and one pass over the own bodies
 * in each substep. */
#include "base/vec.h"
#include "impact/paths.h"

static double speed_squared(const kugel_world *world, uint32_t i)
{
    const double *v = world->work.motion[i].v;
    return kg_dot3(v, v);
}

static uint64_t add_spin(const kugel_world *world, uint32_t i, uint64_t hash)
{
    for (int k = 0; k < 3; ++k) hash = kg_path_add(hash, kg_double_to_bits(world->work.w[k][i]));
    return hash;
}

bool kg_tick_paths_begin(kugel_world *world)
{
    kg_impact_stage *stage = world->impact;
    size_t rows = world->bodies.count, words = rows / 64 + 1;
    if (!KG_RENEW(&world->memory, &stage->columns[KG_COLUMN_PATH_HASH], stage->path_hash, rows) ||
        !KG_RENEW(&world->memory, &stage->columns[KG_COLUMN_COMPARED], stage->compared, words))
        return false;
    if (rows) memset(stage->path_hash, 0, rows * sizeof *stage->path_hash);
    memset(stage->compared, 0, words * sizeof *stage->compared);
    stage->paths = KG_PATHS_TICK;
    stage->max_speed_squared = 0;
    return true;
}

void kg_tick_path_note(const kugel_world *world, uint32_t i)
{
    kg_impact_stage *stage = world->impact;
    if (stage->compared[i / 64] >> i % 64 & 1) stage->path_hash[i] = kg_tick_path_hash(world, i);
    if (!kg_is_ghost(stage, i))
        stage->max_speed_squared = kg_max(stage->max_speed_squared, speed_squared(world, i));
}

void kg_tick_paths_end_substep(const kugel_world *world)
{
    kg_impact_stage *stage = world->impact;
    if (stage->paths != KG_PATHS_TICK) return;
    double most = stage->max_speed_squared;
    for (uint32_t i = 0; i < world->bodies.count && !kg_is_ghost(stage, i); ++i)
        most = kg_max(most, speed_squared(world, i));
    stage->max_speed_squared = most;
}

uint64_t kg_tick_path_hash(const kugel_world *world, uint32_t i)
{
    return add_spin(world, i, kg_path_add_motion(world, i, world->impact->path_hash[i]));
}
