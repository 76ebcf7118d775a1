/* Structs of callers that were compiled with other headers than the library (kugel/version.h). The
 * size of the caller's struct comes with a call, or is in the cookie of a def. */
#ifndef KG_BASE_SIZED_H
#define KG_BASE_SIZED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Copy a struct to one of another size: members that `to` lacks are left out, those that `from`
 * lacks become 0. */
static inline void kg_copy_sized(void *to, size_t to_size, const void *from, size_t from_size)
{
    size_t common = to_size < from_size ? to_size : from_size;
    memcpy(to, from, common);
    memset((char *)to + common, 0, to_size - common);
}

/* The cookie of a def of `type`: its number, 1 ... 255, and its size. */
#define KG_COOKIE(number, type) (0x6b000000u | (number) << 16 | (uint32_t)sizeof(type))
enum { KG_COOKIE_SIZE = 0xffff }; /* the bits of the size */

/* Copy a def of `own` bytes, which begins with the cookie, to a caller's def of `size` bytes. */
static inline void kg_def_write(void *def, size_t size, const void *from, size_t own)
{
    uint32_t cookie;
    if (!def || size < sizeof cookie || size > KG_COOKIE_SIZE) return;
    kg_copy_sized(def, size, from, own);
    memcpy(&cookie, from, sizeof cookie);
    cookie += (uint32_t)size - (uint32_t)own;
    memcpy(def, &cookie, sizeof cookie);
}

/* Read a caller's def into *complete, which has the defaults and `own` bytes. False if the cookie
 * is of no such def, or if a member that the library lacks is not 0. */
static inline bool kg_def_read(const void *def, void *complete, size_t own)
{
    uint32_t cookie, mine;
    memcpy(&cookie, def, sizeof cookie);
    memcpy(&mine, complete, sizeof mine);
    size_t size = cookie & KG_COOKIE_SIZE;
    if ((cookie ^ mine) & ~(uint32_t)KG_COOKIE_SIZE || size < sizeof cookie) return false;
    for (size_t k = own; k < size; ++k) {
        if (((const char *)def)[k]) return false;
    }
    memcpy(complete, def, size < own ? size : own);
    memcpy(complete, &mine, sizeof mine);
    return true;
}

#endif
