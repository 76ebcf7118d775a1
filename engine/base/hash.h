/* The door to XXH3: header only, nothing is linked. Its values are the same on every platform for
 * the same bytes, so callers hand in bytes of fixed order (base/bytes.h). */
#ifndef KG_BASE_HASH_H
#define KG_BASE_HASH_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#endif
