/* The engines that are built in, kugel first. */
#include <stddef.h>

#include "bench.h"

const peer *const peers[] = {&peer_kugel,
#ifdef HAVE_BULLET
                             &peer_bullet,
#endif
#ifdef HAVE_ODE
                             &peer_ode,
#endif
                             NULL};
