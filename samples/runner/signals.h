/* Signals that end a run. */
#ifndef RUNNER_SIGNALS_H
#define RUNNER_SIGNALS_H

#include <stdbool.h>

/* From now on SIGINT, SIGTERM and SIGHUP are noted, and failed writes are errors, not signals. */
void signals_watch(void);
/* true: the run is to end after this tick. */
bool signals_interrupted(void);
/* A function to call before a signal ends the program at once; it may only call what signal
 * handlers may. */
void signals_before_end(void (*call)(void));
/* Call when the loop has ended: SIGTERM or SIGHUP no longer ends the program if the rest takes
 * long, so that the outputs are closed. */
void signals_stop_waiting(void);
/* Call after all output is written: raises the SIGTERM or SIGHUP that ended the run. */
void signals_pass(void);

#endif
