/* Creates, builds, updates and frees the index. The first query after a change builds it, under a
 * lock. A call that changes a single body updates the index. */
#include "query/query_index.h"

#include <string.h>

#include "world/surface_tree.h"

kugel_status kg_query_create(kg_memory *memory, kg_query_index **out)
{
    *out = NULL;
    kg_query_index *index = kg_allocate(memory, sizeof *index);
    if (!index) return KUGEL_ERROR_OUT_OF_MEMORY;
    memset(index, 0, sizeof *index);
    index->memory.hooks = memory->hooks;
    atomic_init(&index->ready, false);
    if (!kg_mutex_init(&index->lock)) {
        kg_free(memory, index, sizeof *index);
        return KUGEL_ERROR_OUT_OF_MEMORY;
    }
    *out = index;
    return KUGEL_OK;
}

void kg_query_destroy(kg_memory *memory, kg_query_index *index)
{
    if (!index) return;
    kg_columns_free(&index->memory, index->columns, KG_QUERY_COLUMNS);
    kg_mutex_free(&index->lock);
    kg_free(memory, index, sizeof *index);
}

size_t kg_query_memory(kg_query_index *index)
{
    kg_mutex_lock(&index->lock); /* a query on another thread may build the index */
    size_t used = index->memory.used;
    kg_mutex_unlock(&index->lock);
    return used;
}

void *kg_query_allocate(kg_query_index *index, size_t size)
{
    kg_mutex_lock(&index->lock);
    void *block = kg_allocate(&index->memory, size);
    kg_mutex_unlock(&index->lock);
    return block;
}

void kg_query_free(kg_query_index *index, void *block, size_t size)
{
    kg_mutex_lock(&index->lock);
    kg_free(&index->memory, block, size);
    kg_mutex_unlock(&index->lock);
}

kugel_status kg_query_ensure_index(const kugel_world *world)
{
    kg_query_index *index = world->query;
    if (atomic_load_explicit(&index->ready, memory_order_acquire)) return KUGEL_OK;
    kg_mutex_lock(&index->lock);
    bool ready =
        atomic_load_explicit(&index->ready, memory_order_relaxed) || kg_query_build(world, index);
    if (ready) atomic_store_explicit(&index->ready, true, memory_order_release);
    kg_mutex_unlock(&index->lock);
    return ready ? KUGEL_OK : KUGEL_ERROR_OUT_OF_MEMORY;
}

void kg_query_ensure_surfaces(const kugel_world *world)
{
    if (kg_surface_tree_is_ready(&world->surfaces)) return;
    kg_mutex_lock(&world->query->lock);
    if (!kg_surface_tree_is_ready(&world->surfaces))
        kg_surface_tree_prepare_poses(&world->surfaces);
    kg_mutex_unlock(&world->query->lock);
}

static void remove_from_cells(kg_query_index *index, uint32_t id)
{
    if (id >= index->id_end || index->row_of_id[id] == KG_NONE) return;
    index->exact[index->row_of_id[id]].body = KUGEL_NULL_BODY;
    index->row_of_id[id] = KG_NONE;
}

static void remove_from_changed(kg_query_index *index, uint32_t id)
{
    for (uint32_t k = 0; k < index->changed_count; ++k) {
        if (index->changed[k] == id) index->changed[k] = index->changed[--index->changed_count];
    }
}

void kg_query_update_body(kugel_world *world, uint32_t id, bool is_alive)
{
    kg_query_index *index = world->query;
    bool ready = atomic_load_explicit(&index->ready, memory_order_relaxed);
    if (ready && index->changed_count == index->changed_max) {
        kg_query_invalidate(world);
        ready = false;
    }
    remove_from_cells(index, id); /* also of the bodies aside, which stay */
    if (!ready) return;
    remove_from_changed(index, id);
    if (is_alive) index->changed[index->changed_count++] = id;
}

void kg_query_invalidate(kugel_world *world)
{
    atomic_store_explicit(&world->query->ready, false, memory_order_relaxed);
    world->contacts.version += 1;
}
