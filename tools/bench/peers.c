/* The engines of this build, kugel first. */
#include <string.h>

#include "bench.h"

const peer *peers[] = {&peer_kugel,
#ifdef HAVE_BULLET
                       &peer_bullet,
#endif
#ifdef HAVE_ODE
                       &peer_ode,
#endif
                       NULL};

bool peers_exclude(const char *name)
{
    int k = 1;
    while (peers[k] && strcmp(peers[k]->name, name) != 0) ++k;
    if (!peers[k]) return false;
    do peers[k] = peers[k + 1];
    while (peers[k++]);
    return true;
}
