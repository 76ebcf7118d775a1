/* Collects the sensor events of a step, and searches in them. */
#include "support/support_sensor_events.h"

#include <criterion/criterion.h>

const kugel_sensor_event *support_sensor_events(const kugel_world *world, size_t expected)
{
    size_t count;
    const kugel_sensor_event *all = kugel_world_sensor_events(world, &count);
    cr_assert_eq(count, expected, "%zu events, not %zu", count, expected);
    return all;
}
