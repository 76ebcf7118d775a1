/* The validator: checks in debug and sanitized builds what tools/docs/architecture.md claims about
 * a world. In one of KG_VALIDATED_TICKS ticks the step calls it after each stage; other builds
 * contain no code for it. It changes nothing, and allocates nothing.
 * Cost: a pass over bodies and contacts; of the checks of pairs, at most KG_VALIDATED_PAIRS pairs
 * and those of one body, another one in each tick. */
#ifndef KG_VALIDATE_VALIDATE_WORLD_H
#define KG_VALIDATE_VALIDATE_WORLD_H

#include "world/world.h"

#ifdef KG_ASSERTIONS
enum { KG_VALIDATED_PAIRS = 512 };
/* Set it to 1 to validate each tick; tests then take twice the time. */
#ifndef KG_VALIDATED_TICKS
#define KG_VALIDATED_TICKS 16
#endif

/* A claim that does not hold. */
typedef struct kg_fault {
    char text[240];
} kg_fault;

/* When the world is validated: between steps, or after a stage. */
enum { KG_VALIDATE_BETWEEN_STEPS = -1 };

/* False if a claim does not hold after a stage (kg_stage) or between steps: `fault` says which, and
 * of which body. */
bool kg_world_is_valid(const kugel_world *world, int stage, kg_fault *fault);
/* In a tick to validate: stop the program with a message if a claim does not hold. `after`: the
 * stage as the message names it. */
void kg_world_validate(const kugel_world *world, int stage, const char *after);
#define KG_VALIDATE(world, stage, after) kg_world_validate(world, stage, after)
#else
#define KG_VALIDATE(world, stage, after) ((void)0)
#endif

#endif
