/* The validator's outline and its message (validate_world.h). */
#include "validate/claims.h"

#ifdef KG_ASSERTIONS
#include <stdlib.h>

bool kg_world_is_valid(const kugel_world *world, int stage, kg_fault *fault)
{
    return kg_validate_bodies(world, fault) && kg_validate_surfaces(world, fault) &&
           kg_validate_contacts(world, fault) && kg_validate_lists(world, fault) &&
           (stage != KG_STAGE_CONTACT || kg_validate_groups(world, fault)) &&
           (stage != KG_STAGE_IMPACT || kg_validate_inactive(world, fault)) &&
           (stage != KG_STAGE_SWEEP || kg_validate_sensors(world, fault)) &&
           (stage != KG_VALIDATE_BETWEEN_STEPS ||
            (kg_validate_events(world, fault) && kg_validate_sleep_counts(world, fault)));
}

void kg_world_validate(const kugel_world *world, int stage, const char *after)
{
    kg_fault fault;
    if (world->tick % KG_VALIDATED_TICKS || kg_world_is_valid(world, stage, &fault)) return;
    fprintf(stderr, "kugel: tick %llu, after %s: this does not hold: %s\n",
            (unsigned long long)world->tick, after, fault.text);
    abort();
}
#endif
