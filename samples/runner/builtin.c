/* Looks up samples by name. */
#include "builtin.h"

#include <stddef.h>
#include <string.h>

#include "nearest.h"

const builtin *builtin_find(const char *name)
{
    for (const builtin *b = builtins; b->name; ++b) {
        if (strcmp(b->name, name) == 0) return b;
    }
    return NULL;
}

const builtin *builtin_nearest(const char *name)
{
    nearest n = nearest_to(name);
    for (const builtin *b = builtins; b->name; ++b) nearest_offer(&n, b->name);
    return n.name ? builtin_find(n.name) : NULL;
}
