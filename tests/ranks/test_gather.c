/* Gathered worlds: another number of ranks, or one process, goes on from their snapshots to the
 * same hashes; queries find all bodies; what is not whole is refused. Comparisons are exact. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/support_ranks.h"
#include "support/support_scene.h"
#include "support/support_snapshot.h"

enum { RANKS = 4, TICKS = 8 };
static const double dt = 0.02;

/* A run over ranks that begins with a world and ends with a snapshot of it. */
typedef struct part {
    kugel_world *worlds[RANKS];
    void *snapshot; /* malloc'ed by rank 0 */
    size_t size;
    uint64_t hash;
    size_t found[3]; /* by a query on rank 0: before, while and after the bodies are gathered */
    kugel_status unwhole[RANKS], status[RANKS]; /* of a save before the bodies are gathered */
    uint64_t bodies;                            /* of rank 0, while it has all */
    kugel_impact *impacts; /* malloc'ed by rank 0: those of the last tick, when gathered */
    size_t impact_count;
    uint64_t impacts_seen; /* stats.impacts over all ranks */
} part;

static void save(part *p, kugel_world *world)
{
    size_t room = support_snapshot_room(world, true);
    p->snapshot = malloc(room);
    if (!p->snapshot || kugel_snapshot_save(world, true, p->snapshot, room, &p->size)) abort();
}

static void keep_impacts(part *p, const kugel_world *world)
{
    const kugel_impact *impacts = kugel_world_impact_events(world, &p->impact_count);
    p->impacts = calloc(p->impact_count + 1, sizeof *impacts);
    if (!p->impacts) abort();
    if (p->impact_count) memcpy(p->impacts, impacts, p->impact_count * sizeof *impacts);
}

/* The number of bodies that a query of a rank's world finds. */
static size_t count_found(const kugel_world *world)
{
    static const double middle[3];
    uint32_t n = kugel_world_body_count(world);
    kugel_found *found = malloc((n + 1) * sizeof *found);
    size_t count;
    if (!found || kugel_world_nearest(world, middle, INFINITY, NULL, n + 1, found, &count)) abort();
    free(found);
    return count;
}

static void run_part(const kugel_exchange *exchange, void *argument)
{
    part *p = argument;
    uint32_t me = exchange->rank;
    kugel_world *world = p->worlds[me], *clone = NULL;
    kugel_ranks *ranks;
    kugel_ranks_counts counts;
    uint64_t hash;
    if ((p->status[me] = kugel_ranks_create(world, exchange, &ranks))) abort();
    for (int t = 0; t < TICKS && !p->status[me]; ++t) p->status[me] = kugel_ranks_step(ranks, dt);
    size_t size;
    p->unwhole[me] = kugel_snapshot_save(world, true, NULL, 0, &size);
    if (exchange->count > 1 && kugel_world_clone(world, &clone) != KUGEL_ERROR_STATE) abort();
    if (me == 0) p->found[0] = count_found(world);
    if (!p->status[me]) p->status[me] = kugel_ranks_gather(ranks);
    if (!p->status[me]) p->status[me] = kugel_ranks_gather(ranks); /* again: the same */
    kugel_ranks_get_counts(ranks, &counts);
    kugel_stats stats;
    if (!p->status[me]) p->status[me] = kugel_ranks_world_stats(ranks, &stats);
    if (!p->status[me]) p->status[me] = kugel_ranks_gather(ranks); /* the stats released it */
    if (!p->status[me]) p->status[me] = kugel_ranks_gather_impacts(ranks);
    if (!p->status[me]) p->status[me] = kugel_ranks_gather_impacts(ranks);
    if (me == 0) {
        p->impacts_seen = stats.impacts;
        keep_impacts(p, world);
        save(p, world);
        p->bodies = counts.bodies;
        p->found[1] = count_found(world);
        if (kugel_world_clone(world, &clone)) abort();
        p->hash = kugel_world_hash(clone);
        kugel_world_destroy(clone);
    }
    if (kugel_ranks_hash(ranks, &hash) || (me == 0 && hash != p->hash)) abort();
    if (me == 0) p->found[2] = count_found(world);
    kugel_ranks_destroy(ranks);
}

/* A gas with free ids, images, and user data, which snapshots leave out. */
static kugel_world *make(const support_scene *scene)
{
    kugel_world *world = support_scene_world(scene);
    for (uint32_t id = 0; id < scene->count; id += 7)
        cr_assert(!kugel_body_destroy(world, kugel_world_body(world, id)));
    cr_assert(!kugel_body_create(world, &scene->bodies[7], NULL));
    cr_assert(!kugel_body_set_user_data(world, kugel_world_body(world, 1), 5));
    return world;
}

static kugel_world *restore(const support_scene *scene, const part *from)
{
    kugel_world *world;
    cr_assert(!kugel_world_create(&scene->def, &world));
    cr_assert(!kugel_snapshot_restore(world, from->snapshot, from->size));
    return world;
}

/* Gather what one process reported before the world was divided, and after a change. */
static void gather_first(const kugel_exchange *exchange, void *argument)
{
    part *p = argument;
    uint32_t me = exchange->rank;
    kugel_ranks *ranks;
    kugel_world *world;
    kugel_stats stats;
    if (kugel_ranks_create(p->worlds[me], exchange, &ranks)) abort();
    for (int k = 0; k < 2 && !p->status[me]; ++k) {
        p->status[me] = kugel_ranks_gather_impacts(ranks);
        if (!p->status[me]) p->status[me] = kugel_ranks_world_stats(ranks, &stats);
        if (me == 0 && k == 0) keep_impacts(p, p->worlds[0]);
        if (me == 0) p->impacts_seen += stats.impacts;
        if (kugel_ranks_edit(ranks, &world)) abort();
    }
    kugel_ranks_destroy(ranks);
}

/* Run on some ranks from a part's end, or from the scene. */
static part run_on(const support_scene *scene, const part *from, uint32_t count)
{
    part p = {0};
    for (uint32_t k = 0; k < count; ++k) p.worlds[k] = from ? restore(scene, from) : make(scene);
    uint32_t all = kugel_world_body_count(p.worlds[0]);
    support_ranks_run(count, count, run_part, &p);
    cr_assert(p.found[0] == p.bodies && p.found[1] == all && p.found[2] == p.bodies);
    for (uint32_t k = 0; k < count; ++k) {
        cr_assert_eq(p.status[k], KUGEL_OK);
        cr_assert_eq(p.unwhole[k], count > 1 ? KUGEL_ERROR_STATE : KUGEL_OK);
    }
    cr_assert(count == 1 ? p.bodies == all : p.bodies < all);
    return p;
}

static void check_impacts(const part *p, const kugel_world *alone)
{
    size_t count;
    const kugel_impact *expected = kugel_world_impact_events(alone, &count);
    cr_assert(count > 0 && p->impact_count == count && p->impacts_seen == count);
    for (size_t k = 0; k < count; ++k) {
        const kugel_impact *a = &p->impacts[k], *b = &expected[k];
        cr_assert(a->time == b->time && a->a == b->a && a->b == b->b && a->target == b->target &&
                      a->index == b->index && a->impulse == b->impulse && a->speed == b->speed,
                  "impact %zu", k);
        cr_assert_eq(memcmp(a->point, b->point, sizeof a->point), 0, "impact %zu", k);
    }
}

/* Parts on 1, 4, 2 and 3 ranks, each from the snapshot of the one before, have the hashes, impacts
 * and bytes of one process; a part of one process starts from the snapshot of ranks, and the other
 * way round. */
Test(gather, goes_on_with_another_number_of_ranks)
{
    static const uint32_t counts[] = {1, 4, 2, 3};
    support_random random = support_random_start("gather", 1);
    support_scene scene = support_scene_gas(6, 0.2, KUGEL_FACE_PERIODIC, 5, &random);
    kugel_world *alone = make(&scene);
    part last = {0};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
        part next = run_on(&scene, c ? &last : NULL, counts[c]);
        for (int t = 0; t < TICKS; ++t) cr_assert(!kugel_world_step(alone, dt));
        cr_assert_eq(next.hash, kugel_world_hash(alone), "%u ranks", counts[c]);
        check_impacts(&next, alone);
        free(next.impacts);
        free(last.snapshot);
        last = next;
    }
    size_t room = support_snapshot_room(alone, true), size;
    void *bytes = malloc(room);
    cr_assert(!kugel_snapshot_save(alone, true, bytes, room, &size));
    cr_assert(size == last.size && memcmp(bytes, last.snapshot, size) == 0);
    free(bytes), free(last.snapshot);
    kugel_world_destroy(alone);
    support_scene_free(&scene);
}

/* All ranks have the impacts of the last tick of one process: they count once. */
Test(gather, impacts_before_the_division)
{
    support_random random = support_random_start("gather, first", 2);
    support_scene scene = support_scene_gas(4, 0.2, KUGEL_FACE_WALL, 5, &random);
    part p = {0};
    for (uint32_t k = 0; k < RANKS; ++k) {
        p.worlds[k] = make(&scene);
        cr_assert(!kugel_world_step(p.worlds[k], dt));
    }
    kugel_world *alone = make(&scene);
    cr_assert(!kugel_world_step(alone, dt));
    support_ranks_run(RANKS, 1, gather_first, &p);
    for (uint32_t k = 0; k < RANKS; ++k) cr_assert_eq(p.status[k], KUGEL_OK);
    p.impacts_seen /= 2;
    check_impacts(&p, alone);
    free(p.impacts);
    kugel_world_destroy(alone);
    support_scene_free(&scene);
}
