/* See overlap.h. */
#include "overlap.h"

#include "rows.h"

enum { MEASURES = 16, CONTACTS = 16 };
#define NOTED 0.1 /* radii; piles stay below 0.02, --check allows 0.03 */

static double radius_of(const kugel_world *world, kugel_body body)
{
    kugel_body_state state;
    return kugel_body_get(world, body, &state) ? 0 : state.radius;
}

static void measure_contact(overlap *deepest, const kugel_world *world,
                            const kugel_resting_contact *c)
{
    if (c->gap >= 0) return;
    bool two = c->target == KUGEL_TARGET_BODY;
    double radius = radius_of(world, c->a), other = two ? radius_of(world, c->b) : radius;
    double depth = -c->gap / (other < radius ? other : radius);
    if (depth > deepest->depth)
        *deepest = (overlap){deepest->parted,     depth,     kugel_world_tick(world),
                             kugel_body_id(c->a), c->target, two ? kugel_body_id(c->b) : c->index};
}

static overlap find_deepest(const kugel_world *world)
{
    overlap deepest = {.depth = 0};
    for (uint32_t id = 0; id < kugel_world_id_end(world); ++id) {
        kugel_resting_contact contacts[CONTACTS];
        kugel_body body = kugel_world_body(world, id);
        size_t count = 0;
        if (!body || kugel_body_contacts(world, body, CONTACTS, contacts, &count)) continue;
        for (size_t i = 0; i < count && i < CONTACTS; ++i)
            measure_contact(&deepest, world, &contacts[i]);
    }
    return deepest;
}

void overlap_measure(overlap *deepest, const kugel_world *world, uint64_t tick, uint64_t all)
{
    if (tick != all && (tick - 1) % (all / MEASURES + 1)) return;
    bool parted = deepest->parted;
    overlap now = find_deepest(world);
    if (now.depth > deepest->depth && (parted || tick == all)) *deepest = now;
    deepest->parted = parted || now.depth <= NOTED;
}

void overlap_report(const overlap *deepest, const char *name, const scene *scene)
{
    if (deepest->depth <= NOTED) return;
    char other[TARGET_NAME];
    bool two = deepest->target == KUGEL_TARGET_BODY;
    target_name(other, scene, deepest->target, deepest->index);
    complain(EXIT_DONE,
             "%s: note: %s %u and %s overlapped by %.3g radii at tick %llu: bodies had less space "
             "than their volume, were made overlapping, or need a shorter dt or more substeps",
             name, two ? "bodies" : "body", deepest->body, other, deepest->depth,
             (unsigned long long)deepest->tick);
}
