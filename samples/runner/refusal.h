/* Prints why the world refused a call. */
#ifndef RUNNER_REFUSAL_H
#define RUNNER_REFUSAL_H

#include <kugel/kugel.h>

/* `where` is the object's key path, so that "def.radius" becomes "bodies[3].radius". An argument as
 * a whole, like "plane" or "dt", has no key. @param name of the scene. @return an exit code. */
int complain_refused(const char *name, const kugel_world *world, kugel_status status,
                     const char *where);

#endif
