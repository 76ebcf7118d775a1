/* Adds events, query results and states to one checksum. */
#include "support/support_view.h"

#include <stdlib.h>

#include "support/support_random.h"

static uint64_t mix(uint64_t sum, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; ++i) sum = (sum ^ bytes[i]) * 0x100000001b3u;
    return sum;
}

#define MIX(sum, member) sum = mix(sum, &(member), sizeof(member))

static uint64_t view_touches(uint64_t sum, const kugel_touch *touch, size_t count)
{
    MIX(sum, count);
    for (size_t i = 0; i < count; ++i) {
        MIX(sum, touch[i].time), MIX(sum, touch[i].target), MIX(sum, touch[i].index);
        MIX(sum, touch[i].a), MIX(sum, touch[i].b), MIX(sum, touch[i].point);
        MIX(sum, touch[i].normal), MIX(sum, touch[i].triangle);
    }
    return sum;
}

static uint64_t view_rests(uint64_t sum, const kugel_rest *rest, size_t count)
{
    MIX(sum, count);
    for (size_t i = 0; i < count; ++i) MIX(sum, rest[i].time), MIX(sum, rest[i].body);
    return sum;
}

static uint64_t view_events(const kugel_world *world)
{
    uint64_t sum = 0xcbf29ce484222325u;
    size_t count;
    const kugel_impact *impact = kugel_world_impact_events(world, &count);
    MIX(sum, count);
    for (size_t i = 0; i < count; ++i) {
        MIX(sum, impact[i].time), MIX(sum, impact[i].target), MIX(sum, impact[i].index);
        MIX(sum, impact[i].a), MIX(sum, impact[i].b), MIX(sum, impact[i].point);
        MIX(sum, impact[i].normal), MIX(sum, impact[i].speed), MIX(sum, impact[i].impulse);
        MIX(sum, impact[i].triangle);
    }
    const kugel_sensor_event *sensor = kugel_world_sensor_events(world, &count);
    MIX(sum, count);
    for (size_t i = 0; i < count; ++i) {
        MIX(sum, sensor[i].time), MIX(sum, sensor[i].entered), MIX(sum, sensor[i].sensor);
        MIX(sum, sensor[i].body), MIX(sum, sensor[i].point), MIX(sum, sensor[i].normal);
        MIX(sum, sensor[i].speed);
    }
    const kugel_touch *touch = kugel_world_begin_events(world, &count);
    sum = view_touches(sum, touch, count);
    touch = kugel_world_end_events(world, &count);
    sum = view_touches(sum, touch, count);
    const kugel_rest *rest = kugel_world_sleep_events(world, &count);
    sum = view_rests(sum, rest, count);
    rest = kugel_world_wake_events(world, &count);
    return view_rests(sum, rest, count);
}

static uint64_t view_queries(uint64_t sum, const kugel_world *world, uint64_t seed)
{
    support_random random = {seed};
    enum { FOUND = 20 };
    for (int q = 0; q < 4; ++q) {
        kugel_ray ray = {.t_max = 10};
        kugel_ray_hit hit[FOUND];
        kugel_found found[FOUND];
        size_t count;
        for (int k = 0; k < 3; ++k) ray.origin[k] = support_between(&random, -3, 5);
        support_direction(&random, 1, ray.direction);
        if (kugel_world_ray_all(world, &ray, NULL, FOUND, hit, &count)) abort();
        MIX(sum, count);
        for (size_t i = 0; i < count && i < FOUND; ++i)
            MIX(sum, hit[i].body), MIX(sum, hit[i].hit.t_enter);
        if (kugel_world_nearest(world, ray.origin, 3, NULL, FOUND, found, &count)) abort();
        MIX(sum, count);
        for (size_t i = 0; i < count && i < FOUND; ++i)
            MIX(sum, found[i].body), MIX(sum, found[i].gap), MIX(sum, found[i].point);
    }
    return sum;
}

static uint64_t view_states(uint64_t sum, const kugel_world *world)
{
    for (uint32_t id = 0; id < kugel_world_id_end(world); ++id) {
        kugel_body_state s;
        if (kugel_body_get(world, kugel_world_body(world, id), &s)) continue;
        MIX(sum, s.body), MIX(sum, s.type), MIX(sum, s.position), MIX(sum, s.velocity);
        MIX(sum, s.spin), MIX(sum, s.rotation), MIX(sum, s.radius), MIX(sum, s.mass);
        MIX(sum, s.restitution), MIX(sum, s.friction), MIX(sum, s.rolling_resistance);
        MIX(sum, s.tangential_restitution);
        MIX(sum, s.category), MIX(sum, s.mask), MIX(sum, s.group), MIX(sum, s.sensor);
        MIX(sum, s.contacts), MIX(sum, s.asleep), MIX(sum, s.user_data), MIX(sum, s.image);
    }
    return sum;
}

uint64_t support_view(const kugel_world *world, uint64_t seed)
{
    uint64_t sum = view_events(world);
    sum = view_queries(sum, world, seed);
    return view_states(sum, world);
}
