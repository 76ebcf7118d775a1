/* Prints why the world refused a call. */
#ifndef RUNNER_REFUSAL_H
#define RUNNER_REFUSAL_H

#include <kugel/kugel.h>

#include "run.h"

/* Print the error. `where` is the key path of the object, so that the argument "def.radius" is
 * printed as "bodies[3].radius". An argument without a dot, like "plane" or "dt", adds no key.
 * @param name of the scene. @return an exit code. */
int complain_refused(const char *name, const kugel_world *world, kugel_status status,
                     const char *where);
/* Print the error of the step to `tick`, what growth has to do with it, and how to get the files
 * that the run does not keep. @return an exit code. */
int complain_step(const options *options, const kugel_world *world, kugel_status status,
                  uint64_t tick);

#endif
