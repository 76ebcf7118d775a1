/* Completes a parsed scene: values of options, meshes, bodies of its file and of its generators. */
#ifndef RUNNER_FILL_SCENE_H
#define RUNNER_FILL_SCENE_H

#include "options.h"
#include "restart.h"

/* If `restart` holds a world, its settings replace those of the scene, and no bodies are made.
 * @return 0, or an exit code after a message. */
int scene_fill(scene *scene, restart *restart, const options *options);

#endif
