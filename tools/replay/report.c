/* Printed errors, progress and differences. */
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "replay.h"

static bool bar_shown;

int complain(int code, const char *format, ...)
{
    char text[1024];
    va_list args;
    progress_end();
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *c = text; *c; ++c) {
        if ((unsigned char)*c < ' ' || *c == 127) *c = '?';
    }
    fprintf(stderr, "kugel-replay: %s\n", text);
    return code;
}

void progress(uint64_t done, uint64_t all)
{
    enum { WIDTH = 40 };
    static int last = -1;
    if (all == 0 || !isatty(STDERR_FILENO)) return;
    int percent = (int)((double)done / (double)all * 100);
    if (percent == last) return;
    last = percent;
    int filled = percent * WIDTH / 100;
    fprintf(stderr, "\r[%.*s%.*s] %3d %%", filled, "########################################",
            WIDTH - filled, "........................................", percent);
    bar_shown = true;
}

void progress_end(void)
{
    if (bar_shown) fputs("\r\033[K", stderr);
    bar_shown = false;
}

void print_divergence(const kugel_divergence *d, const char *expected, const char *found)
{
    progress_end();
    printf("different at tick %llu: ", (unsigned long long)d->tick);
    if (!d->located) {
        printf("state hash 0x%016llx %s, 0x%016llx %s\n", (unsigned long long)d->expected_hash,
               expected, (unsigned long long)d->found_hash, found);
    } else if (strcmp(d->field, "body") == 0) {
        printf("body %u: exists only %s\n", d->body, d->expected != 0 ? expected : found);
    } else {
        printf("body %u %s: %.17g (0x%016llx) %s, %.17g (0x%016llx) %s\n", d->body, d->field,
               d->expected, (unsigned long long)d->expected_bits, expected, d->found,
               (unsigned long long)d->found_bits, found);
    }
}
