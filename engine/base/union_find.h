/* Sets of numbered items, as a forest: parent[i] is i for the root of a set. */
#ifndef KG_BASE_UNION_FIND_H
#define KG_BASE_UNION_FIND_H

#include <stdint.h>

/* The root of an item's set; the path to it gets shorter. */
static inline uint32_t kg_root(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

#endif
