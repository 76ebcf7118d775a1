/* Measured times and what is said of them. */
#ifndef TIMES_H
#define TIMES_H

#include <stddef.h>

double now(void);         /* s */
double thread_time(void); /* s of this thread alone */

/* Of several times of the same: half of them lie within `spread` times the median of each other,
 * between the quartiles. */
typedef struct times {
    double median, least; /* s */
    double spread;        /* part of the median */
} times;
/* Sorts them. */
times times_of(double *seconds, size_t n);

#endif
