/* See wrong_option.h. */
#include "wrong_option.h"

#include <stdio.h>
#include <string.h>

#include "nearest.h"

/* getopt tells a wrong option only by optopt: a letter's code, a known long option's value, or 0. */
void wrong_option(char *const *argv, const struct option *longs, char *text, size_t size)
{
    const char *flag = argv[optind - 1];
    size_t letters = strcspn(flag, "=");
    nearest n = nearest_to(flag + strspn(flag, "-"));
    for (const struct option *o = longs; o->name; ++o) {
        nearest_offer(&n, o->name);
        if (!optopt || optopt != o->val || !flag[letters] || letters < 3 ||
            strncmp(o->name, flag + 2, letters - 2) != 0)
            continue;
        snprintf(text, size, "%s: --%s takes no value", flag, o->name);
        return;
    }
    if (optopt) snprintf(text, size, "-%c: unknown option (--help lists all)", optopt);
    else if (n.name) snprintf(text, size, "%s: unknown option; did you mean --%s?", flag, n.name);
    else snprintf(text, size, "%s: unknown option (--help lists all)", flag);
}
