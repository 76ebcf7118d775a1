/* Describes an invalid option. */
#include "wrong_option.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "nearest.h"

/* True if the option's name begins with the text between "--" and "=". */
static bool begins(const struct option *option, const char *flag)
{
    size_t letters = strcspn(flag, "=");
    return letters > 2 && strncmp(option->name, flag + 2, letters - 2) == 0;
}

/* After an invalid option, getopt reports nothing but optopt: the code of a letter, the value of a
 * long option, or 0. */
void wrong_option(char *const *argv, const struct option *longs, char *text, size_t size)
{
    const char *flag = argv[optind - 1], *begun[2] = {NULL, NULL};
    nearest n = nearest_to(flag + strspn(flag, "-"));
    for (const struct option *o = longs; o->name; ++o) {
        nearest_offer(&n, o->name);
        if (!begins(o, flag)) continue;
        if (!begun[1]) begun[begun[0] != NULL] = o->name;
        if (!optopt || optopt != o->val) continue;
        snprintf(text, size, "%s: --%s takes no value", flag, o->name);
        return;
    }
    if (optopt) snprintf(text, size, "-%c: unknown option (--help lists all)", optopt);
    else if (begun[1]) snprintf(text, size, "%s: may be --%s or --%s", flag, begun[0], begun[1]);
    else if (n.name) snprintf(text, size, "%s: unknown option; did you mean --%s?", flag, n.name);
    else snprintf(text, size, "%s: unknown option (--help lists all)", flag);
}
