/* The door to XXH3 (header only, nothing is linked). */
#ifndef KG_BASE_HASH_H
#define KG_BASE_HASH_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#endif
