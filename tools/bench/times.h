/* Measured times and their statistics. */
#ifndef TIMES_H
#define TIMES_H

#include <stddef.h>

double now(void);         /* s */
double thread_time(void); /* s of this thread */

/* Statistics of repeated times. */
typedef struct times {
    double median, least; /* s */
    double spread;        /* distance of the quartiles, divided by the median */
} times;
/* Sorts the times. */
times times_of(double *seconds, size_t n);

#endif
