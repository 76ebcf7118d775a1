/* Runs properties over many inputs and prints wrong ones (support_properties.h). */
#include "geometry/support_properties.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

enum { NOTES = 16, PRINTED = 5 };

typedef struct note {
    const char *what;
    double numbers[12];
    size_t count;
} note;

static note notes[NOTES];
static size_t note_count;

void support_property_note(const char *what, const double *numbers, size_t count)
{
    if (note_count == NOTES) return;
    note *n = &notes[note_count++];
    n->what = what;
    n->count = count < 12 ? count : 12;
    for (size_t k = 0; k < n->count; ++k) n->numbers[k] = numbers[k];
}

static void print_notes(const char *name, uint64_t seed, const char *what)
{
    fprintf(stderr, "%s: KUGEL_SEED=%llu KUGEL_INPUTS=1: not %s\n", name, (unsigned long long)seed,
            what);
    for (size_t k = 0; k < note_count; ++k) {
        fprintf(stderr, "  %s", notes[k].what);
        for (size_t i = 0; i < notes[k].count; ++i) fprintf(stderr, " %.17g", notes[k].numbers[i]);
        fprintf(stderr, "\n");
    }
}

size_t support_property_count_wrong(const char *name, support_property *property, size_t count)
{
    const char *inputs = getenv("KUGEL_INPUTS");
    if (inputs) count = strtoull(inputs, NULL, 0);
    uint64_t seed = support_random_start(name, 1).state;
    if (LDBL_MANT_DIG < 64) {
        fprintf(stderr, "%s: skipped: the oracle needs a long double of 64 bits\n", name);
        return 0;
    }
    size_t wrong = 0;
    for (size_t i = 0; i < count; ++i) {
        support_random random = {(seed + i) * 0xd1342543de82ef95u};
        note_count = 0;
        const char *what = property(&random);
        if (what && wrong++ < PRINTED) print_notes(name, seed + i, what);
    }
    if (wrong) fprintf(stderr, "%s: %zu of %zu inputs are wrong\n", name, wrong, count);
    return wrong;
}
