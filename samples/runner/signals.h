/* Signals that end a run or ask for a checkpoint. */
#ifndef RUNNER_SIGNALS_H
#define RUNNER_SIGNALS_H

#include <stdbool.h>

/* From now on SIGINT, SIGTERM and SIGHUP end the run after the tick, and writes to a closed pipe or
 * beyond the file size limit fail with an error instead of a signal. */
void signals_watch(void);
/* Call after signals_watch: from now on SIGUSR1 asks for a checkpoint, and SIGTERM and SIGHUP leave
 * the run the time to finish its tick and to write one. A second SIGINT still ends it at once. */
void signals_watch_checkpoints(void);
/* True if a signal has asked the run to end after this tick. */
bool signals_interrupted(void);
/* The last signal that has asked the run to end; 0: none. */
int signals_last(void);
/* True once after each SIGUSR1. */
bool signals_take_checkpoint(void);
/* Set a function that runs before a signal ends the program at once. It must be safe in a signal
 * handler. */
void signals_before_end(void (*call)(void));
/* Call when the loop has ended: stops the alarm after SIGTERM or SIGHUP, so that there is time to
 * close the outputs. @param end the signal that ended the loop, of this process or another rank; 0:
 * none */
void signals_stop_waiting(int end);
/* Call after all output is written: raises again the SIGTERM or SIGHUP that ended the loop. */
void signals_pass(void);

#endif
