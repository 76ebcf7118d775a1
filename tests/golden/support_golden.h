/* Golden scenes: short runs whose state hashes after every tick are stored in golden.txt and must
 * be equal on all targets. The code uses only public headers and exact operations, without libm and
 * test library, so that it builds for every target. */
#ifndef SUPPORT_GOLDEN_H
#define SUPPORT_GOLDEN_H

#include <kugel/kugel.h>

typedef struct golden_scene {
    const char *name;
    uint32_t ticks;
    double dt; /* s */
    void (*define)(kugel_world_def *def);
    void (*fill)(kugel_world *world);
    /* calls before the step that follows `tick` steps; may be NULL */
    void (*input)(kugel_world *world, uint64_t tick);
} golden_scene;

enum { GOLDEN_SCENES = 18 };
extern const golden_scene golden_scenes[GOLDEN_SCENES];

kugel_world_def golden_def(const golden_scene *scene);
/* Create the scene's world at tick 0. @param tasks NULL: one thread. @return NULL if a call
 * fails */
kugel_world *golden_start(const golden_scene *scene, const kugel_tasks *tasks);
/* Apply the inputs of this tick. Only one thread may call it at a time. */
void golden_input(const golden_scene *scene, kugel_world *world);
/* Apply inputs and step; false if a call fails. */
bool golden_step(const golden_scene *scene, kugel_world *world);

#endif
