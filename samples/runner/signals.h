/* Signals that end a run. */
#ifndef RUNNER_SIGNALS_H
#define RUNNER_SIGNALS_H

#include <stdbool.h>

/* From now on SIGINT, SIGTERM and SIGHUP end the run after the tick, and writes to a closed pipe or
 * beyond the file size limit fail with an error instead of a signal. */
void signals_watch(void);
/* True if a signal has asked the run to end after this tick. */
bool signals_interrupted(void);
/* Set a function that runs before a signal ends the program at once. It must be safe in a signal
 * handler. */
void signals_before_end(void (*call)(void));
/* Call when the loop has ended: stops the alarm after SIGTERM or SIGHUP, so that there is time to
 * close the outputs. */
void signals_stop_waiting(void);
/* Call after all output is written: raises again the SIGTERM or SIGHUP that ended the run. */
void signals_pass(void);

#endif
