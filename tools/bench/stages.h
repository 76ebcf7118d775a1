/* Where kugel's time went in the scenes so far, and how near the machine's memory lets it come to
 * less. */
#ifndef STAGES_H
#define STAGES_H

#include "bench.h"

/* Keep what a world's clock says of the steps since `before`, for the table at the end of the run.
 */
void stages_note(const char *scene, uint32_t count, void *world, const kugel_step_times *before);

#endif
