/* Refuses calls that callbacks of the host make while a world cannot take them.
 * A call that changes a world makes it busy until it returns. Its callbacks (allocator, log, tasks,
 * clock, pair filter, exchange, write of a recording) can make no call that reads bodies or changes
 * the world. Callbacks of calls that only read (accept of a query, those of drawing) may make calls
 * that read. No callback destroys a world.
 * tests/api/test_callbacks.c has each public function in a table. */
#ifndef KG_WORLD_GUARD_H
#define KG_WORLD_GUARD_H

#include "base/compiler.h"
#include "world/world.h"

/* The last error is not set, because pair filters are called on several threads. */
static inline kugel_status kg_refuse_read(const kugel_world *world)
{
    if (!world) return KUGEL_ERROR_INVALID_ARGUMENT;
    return world->busy ? KUGEL_ERROR_STATE : KUGEL_OK;
}

static inline kugel_status kg_refuse_change(const kugel_world *world)
{
    if (!world) return KUGEL_ERROR_INVALID_ARGUMENT;
    bool read = KG_ATOMIC_LOAD(&world->readers);
    return world->busy || read ? KUGEL_ERROR_STATE : KUGEL_OK;
}

/* False for NULL and while a callback runs. */
static inline bool kg_may_destroy(const kugel_world *world)
{
    return !kg_refuse_change(world) && !world->inputs;
}

/* Ends the change of a function in plain C17, which has no `cleanup`: the single file begins each
 * function with KG_CHANGE so (tools/embed/amalgamate). */
#ifdef KUGEL_PORTABLE
#define KG_CHANGING(linkage, world, f, parameters, arguments)                                      \
    static kugel_status f##_changing parameters;                                                   \
    linkage kugel_status f parameters                                                              \
    {                                                                                              \
        kugel_world *changed = world;                                                              \
        bool was_busy = changed && changed->busy;                                                  \
        kugel_status status = f##_changing arguments;                                              \
        if (changed) changed->busy = was_busy;                                                     \
        return status;                                                                             \
    }                                                                                              \
    static kugel_status f##_changing parameters
#define KG_BUSY(world) (world)->busy = true, (world)->memory.refused = 0
#else
#define KG_CHANGING(linkage, world, f, parameters, arguments) linkage kugel_status f parameters
static inline kugel_world *kg_begin_change(kugel_world *world)
{
    world->busy = true;
    world->memory.refused = 0;
    return world;
}
static inline void kg_end_change(kugel_world **world) { (*world)->busy = false; }
#define KG_BUSY(world)                                                                             \
    kugel_world *changed_ __attribute__((cleanup(kg_end_change), unused)) = kg_begin_change(world)
#endif

/* Make the world busy until the calling function returns, or return an error from it if the world
 * is NULL or cannot be changed now. */
#define KG_CHANGE_LOCAL_EARLY(world)                                                               \
    kugel_status refused_ = kg_refuse_change(world);                                               \
    if (refused_) return refused_;                                                                 \
    KG_BUSY(world)

/* Return an error between kugel_ranks_share_creation and kugel_ranks_create, while other ranks have
 * some of the bodies. */
#define KG_REFUSE_SHARES(world)                                                                    \
    if ((world)->creating_ranks)                                                                   \
    return kg_error_report(world, KUGEL_ERROR_STATE, "world",                                      \
                           "its bodies are on several ranks: call kugel_ranks_create")

/* Give back all bodies that are aside, for a change that may reach any of them. */
#define KG_CHANGE_EARLY(world)                                                                     \
    KG_CHANGE_LOCAL_EARLY(world);                                                                  \
    if (!kg_aside_give_back_all(world))                                                            \
    return kg_error_report(world, KUGEL_ERROR_OUT_OF_MEMORY, "world",                              \
                           "no memory for the contacts of resting bodies")

#define KG_CHANGE(world)                                                                           \
    KG_CHANGE_EARLY(world);                                                                        \
    KG_REFUSE_SHARES(world)

/* For a change that reaches only bodies that the function itself gives back. */
#define KG_CHANGE_LOCAL(world)                                                                     \
    KG_CHANGE_LOCAL_EARLY(world);                                                                  \
    KG_REFUSE_SHARES(world)

/* Before and after a callback that may read the world, which several threads may call. */
static inline void kg_begin_reading(const kugel_world *world)
{
    KG_ATOMIC_ADD((uint32_t *)(uintptr_t)&world->readers, 1);
}
static inline void kg_end_reading(const kugel_world *world)
{
    KG_ATOMIC_ADD((uint32_t *)(uintptr_t)&world->readers, -1u);
}

#endif
