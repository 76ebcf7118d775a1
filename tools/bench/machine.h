/* The machine that a run was made on. */
#ifndef MACHINE_H
#define MACHINE_H

typedef struct machine {
    char processor[128], compiler[64], day[16];
    int cores;
    double bandwidth; /* bytes/s of one thread's triad a = b + k c: 24 bytes counted for each of 16
                       * million items (what a write fetches before is not), best of 5 */
} machine;

/* Measured once, told again. */
machine machine_measure(void);

#endif
