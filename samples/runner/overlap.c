/* See overlap.h. */
#include "overlap.h"

#include "rows.h"

enum { MEASURES = 16 };
#define NOTED 0.1 /* radii; piles stay below 0.02, --check allows 0.03 */

typedef struct search {
    const kugel_world *world;
    overlap deepest;
} search;

static double radius_of(const kugel_world *world, kugel_body body)
{
    kugel_body_state state;
    return kugel_body_get(world, body, &state) ? 0 : state.radius;
}

static void measure_contact(void *user, const kugel_resting_contact *c)
{
    search *s = user;
    if (c->gap >= 0) return;
    bool two = c->target == KUGEL_TARGET_BODY;
    double radius = radius_of(s->world, c->a), other = two ? radius_of(s->world, c->b) : radius;
    double depth = -c->gap / (other < radius ? other : radius);
    if (depth <= s->deepest.depth) return;
    s->deepest = (overlap){.depth = depth,
                           .tick = kugel_world_tick(s->world),
                           .body = kugel_body_id(c->a),
                           .target = c->target,
                           .index = two ? kugel_body_id(c->b) : c->index};
}

void overlap_measure(overlap *deepest, const kugel_world *world, uint64_t tick, uint64_t all)
{
    if (tick != all && (tick - 1) % (all / MEASURES + 1)) return;
    bool parted = deepest->parted;
    search s = {.world = world};
    kugel_world_draw(world, &(kugel_debug_draw){.contact = measure_contact, .user = &s});
    if (s.deepest.depth > deepest->depth && (parted || tick == all)) *deepest = s.deepest;
    deepest->parted = parted || s.deepest.depth <= NOTED;
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
