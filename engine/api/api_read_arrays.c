/* Public functions that copy values of all bodies to arrays, in order of ids. */
#include "api/api_rows.h"
#include "world/body_arrays.h"
#include "world/guard.h"

uint32_t kugel_world_read_arrays(const kugel_world *world, uint32_t capacity,
                                 const kugel_body_arrays *arrays, size_t size)
{
    kugel_body_arrays to;
    if (kg_refuse_read(world) || !arrays) return 0;
    kg_copy_sized(&to, sizeof to, arrays, size);
    return kg_bodies_read(&world->bodies, capacity, &to);
}
