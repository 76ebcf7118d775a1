/* Times of kugel's stages, compared with the machine's memory bandwidth. */
#ifndef STAGES_H
#define STAGES_H

#include "bench.h"

/* Add the world's stage times since `before` to the table at the end of the run. */
void stages_note(const char *scene, uint32_t count, void *world, const kugel_step_times *before);

#endif
