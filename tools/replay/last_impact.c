/* The last impact of a body before a difference, found by playing those ticks again. */
#include "replay.h"

enum {
    SEARCH_TICKS = 128 /* ticks; earlier impacts are not searched */
};

static bool find(const kugel_world *world, uint32_t body, kugel_impact *found)
{
    size_t count;
    const kugel_impact *impacts = kugel_world_impact_events(world, &count);
    bool any = false;
    for (size_t k = 0; k < count; ++k) {
        const kugel_impact *i = &impacts[k];
        bool takes_part = kugel_body_id(i->a) == body ||
                          (i->target == KUGEL_TARGET_BODY && kugel_body_id(i->b) == body);
        if (takes_part) *found = *i, any = true;
    }
    return any;
}

static void print_impact(const kugel_impact *i, uint32_t body, uint64_t tick)
{
    static const char *const faces[6] = {"x-min", "x-max", "y-min", "y-max", "z-min", "z-max"};
    printf("its last impact before: in tick %llu, %.9g s into it, with ", (unsigned long long)tick,
           i->time);
    if (i->target == KUGEL_TARGET_BODY)
        printf("body %u", kugel_body_id(i->a) == body ? kugel_body_id(i->b) : kugel_body_id(i->a));
    else if (i->target == KUGEL_TARGET_SURFACE)
        printf("triangle %u of surface %u", i->triangle, i->index);
    else printf("the wall %s", i->index < 6 ? faces[i->index] : "?");
    printf(", at %.9g m/s, impulse %.9g N s, at (%.9g, %.9g, %.9g)\n", i->speed, i->impulse,
           i->point[0], i->point[1], i->point[2]);
}

void print_last_impact(replay_file *recording, const kugel_divergence *d)
{
    if (!d->located || d->tick == 0 || recording->info.pair_filter) return;
    fflush(stdout); /* print the difference first: the search may take a while */
    kugel_player *player = recording->player;
    uint64_t first = d->tick > SEARCH_TICKS ? d->tick - SEARCH_TICKS : 0, at = 0;
    kugel_impact impact;
    for (uint64_t tick = first; tick <= d->tick; ++tick) {
        if (kugel_player_seek(player, tick) != KUGEL_PLAY_TICK) break;
        progress(tick - first, d->tick - first);
        if (tick && find(kugel_player_world(player), d->body, &impact)) at = tick;
    }
    progress_end();
    if (at) print_impact(&impact, d->body, at);
    else
        printf("it took part in no impact in the %llu tick%s before\n",
               (unsigned long long)(d->tick - first), d->tick - first == 1 ? "" : "s");
}
