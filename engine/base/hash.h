/* XXH3, header only. Equal bytes have equal hashes on all platforms; callers fix the byte order
 * with base/bytes.h. */
#ifndef KG_BASE_HASH_H
#define KG_BASE_HASH_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#endif
