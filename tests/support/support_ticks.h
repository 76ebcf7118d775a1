/* Sequences of tick lengths: constant and varying. */
#ifndef SUPPORT_TICKS_H
#define SUPPORT_TICKS_H

#include "support/support_random.h"

typedef enum support_ticks {
    SUPPORT_TICKS_CONSTANT, /* 1/60 s */
    SUPPORT_TICKS_TENTH,    /* 1/60 s +- 10 % */
    SUPPORT_TICKS_HALF,     /* 1/60 s +- 50 % */
    SUPPORT_TICKS_IN_TURN,  /* 1/60 and 1/30 s alternately */
    SUPPORT_TICKS_LOG,      /* log-uniform in 0.5 to 105 ms */
    SUPPORT_TICKS_KINDS
} support_ticks;

/* Length of tick `number`, s. */
double support_tick(support_ticks kind, uint64_t number, support_random *random);
/* A text as "1/60 s +- 10 %". */
const char *support_ticks_name(support_ticks kind);

#endif
