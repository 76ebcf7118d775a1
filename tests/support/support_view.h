/* A checksum of what a world shows after a step: events, results of queries, states of bodies. */
#ifndef SUPPORT_VIEW_H
#define SUPPORT_VIEW_H

#include <kugel/kugel.h>

/* @param seed of the queries. */
uint64_t support_view(const kugel_world *world, uint64_t seed);

#endif
