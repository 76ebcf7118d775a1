/* The laws of the tick lengths. */
#include "support/support_ticks.h"

#include <math.h>

double support_tick(support_ticks kind, uint64_t number, support_random *random)
{
    switch (kind) {
    case SUPPORT_TICKS_TENTH:
        return support_between(random, 0.9, 1.1) / 60;
    case SUPPORT_TICKS_HALF:
        return support_between(random, 0.5, 1.5) / 60;
    case SUPPORT_TICKS_IN_TURN:
        return number % 2 ? 1 / 30. : 1 / 60.;
    case SUPPORT_TICKS_LOG:
        return 0.5e-3 * exp(log(210) * support_uniform(random));
    default:
        return 1 / 60.;
    }
}

const char *support_ticks_name(support_ticks kind)
{
    static const char *const names[] = {"1/60 s", "1/60 s +- 10 %", "1/60 s +- 50 %",
                                        "1/60 and 1/30 s in turn", "log-uniform, 0.5 to 105 ms"};
    return names[kind];
}
