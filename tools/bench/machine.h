/* The machine of a run. */
#ifndef MACHINE_H
#define MACHINE_H

typedef struct machine {
    char processor[128], compiler[64], day[16];
    int cores;
    /* bytes/s of one thread's triad a = b + k c: 24 bytes for each of 16 million items
     * (write-allocate not counted), best of 5 */
    double bandwidth;
} machine;

/* Measured once, then cached. */
machine machine_measure(void);

#endif
