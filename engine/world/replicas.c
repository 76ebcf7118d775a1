/* Agreement of ranks on a status. */
#include "world/replicas.h"

/* The negative statuses of a step (KG_STEP_...) are ranked above the others by this offset. */
enum { FIRST_STEP_STATUS = 1000 };

kugel_status kg_exchange_agree(const kugel_exchange *exchange, kugel_status mine)
{
    int number = (int)mine;
    uint64_t worst = (uint64_t)(number < 0 ? FIRST_STEP_STATUS - number : number);
    if (exchange->reduce(exchange->context, KUGEL_REDUCE_MAX, &worst, 1)) return KUGEL_ERROR_IO;
    return worst < FIRST_STEP_STATUS ? (kugel_status)worst
                                     : (kugel_status)(FIRST_STEP_STATUS - (int)worst);
}

kugel_status kg_replicas_agree(const kugel_world *world, kugel_status mine)
{
    return world->replicas ? kg_exchange_agree(world->replicas, mine) : mine;
}
