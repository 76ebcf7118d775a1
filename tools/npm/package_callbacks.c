/* Callbacks of the JavaScript package: pair filters, filters of queries, and the calls of a sync
 * test. callbacks.mjs has the functions, those of pair filters by a number, the rule. The imports
 * call them; an exception stays in callbacks.mjs and is the result FAILED here. */
#include "package.h"

#define IMPORT(name) __attribute__((import_module("kugel"), import_name(#name)))

enum { EXCLUDED, INTERACTS, FAILED };

/* The pair's numbers are in js_pair_numbers. */
IMPORT(decide)
int js_decide(uint32_t rule, uint64_t key, js_body a, js_body b, js_body surface);
/* Whether a body passes the filter of the innermost query. */
IMPORT(accept) int js_accept(uint32_t target, double handle);
/* Make the calls of a tick. True: they failed. */
IMPORT(input) int js_input(double tick);

static double numbers[4]; /* restitution, friction, rolling resistance, tangential restitution */

double *EXPORT(js_pair_numbers)(void) { return numbers; }

static bool decide(void *user, uint64_t key, kugel_pair *pair)
{
    numbers[0] = pair->restitution;
    numbers[1] = pair->friction;
    numbers[2] = pair->rolling_resistance;
    numbers[3] = pair->tangential_restitution;
    int result = js_decide((uint32_t)(uintptr_t)user, key, js_handle_from(pair->a),
                           js_handle_from(pair->b), js_handle_from(pair->surface));
    pair->restitution = numbers[0];
    pair->friction = numbers[1];
    pair->rolling_resistance = numbers[2];
    pair->tangential_restitution = numbers[3];
    pair->failed = result == FAILED;
    return result == INTERACTS;
}

/* A rule of 0 is no filter. */
int EXPORT(js_world_set_pair_filter)(kugel_world *world, uint32_t rule, uint64_t key)
{
    const kugel_pair_filter filter = {rule ? decide : NULL, (void *)(uintptr_t)rule, key};
    return kugel_world_set_pair_filter(world, &filter);
}

/* The rule of a world, 0 for none. */
uint32_t EXPORT(js_world_pair_filter)(const kugel_world *world)
{
    kugel_pair_filter filter;
    kugel_world_get_pair_filter(world, &filter);
    return (uint32_t)(uintptr_t)filter.user;
}

uint64_t EXPORT(js_world_pair_filter_key)(const kugel_world *world)
{
    kugel_pair_filter filter;
    kugel_world_get_pair_filter(world, &filter);
    return filter.key;
}

int EXPORT(js_player_set_pair_filter)(kugel_player *player, uint32_t rule)
{
    return kugel_player_set_pair_filter(player, rule ? decide : NULL, (void *)(uintptr_t)rule);
}

bool js_filter_accept(void *user, kugel_target target, uint64_t handle)
{
    (void)user;
    bool has_handle = target == KUGEL_TARGET_BODY || target == KUGEL_TARGET_SURFACE;
    return js_accept(target, has_handle ? js_handle_from(handle) : (double)handle) == INTERACTS;
}

static kugel_status input(void *user, kugel_world *world, uint64_t tick)
{
    (void)user, (void)world;
    return js_input((double)tick) ? KUGEL_ERROR_STATE : KUGEL_OK;
}

/* Returns the status; *js_numbers(): true if both runs agree, else js_divergence says where. */
int EXPORT(js_sync_test)(kugel_world *world, uint32_t ticks, double dt)
{
    kugel_sync_def def = kugel_sync_def_default();
    kugel_sync_report report = {0};
    def.ticks = ticks, def.dt = dt, def.input = input;
    kugel_status status = kugel_sync_test(world, &def, &report);
    js_set_divergence(&report.divergence);
    *js_numbers() = report.same;
    return status;
}
