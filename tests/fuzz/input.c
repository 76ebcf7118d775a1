/* Choices and numbers from bytes, and the report of a failed check. */
#include "input.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MODERATE = 210, MIDDLE = 104, EXTREMES = 32 };

static const double extremes[EXTREMES] = {
    0.0,   -0.0,      1,      -1,    NAN,    INFINITY, -INFINITY, 1e15,    -1e15, 1.1e15, 1e-12,
    1e-30, 0x1p-1074, 1e-300, 1e300, -1e300, 1e6,      -1e6,      1e9,     -1e9,  1e3,    -1e3,
    1e-3,  1e-6,      100,    -100,  16,     -16,      0.5,       1 / 60., 1e5,   1e12};

double fuzz_number(fuzz_input *in)
{
    uint8_t kind = fuzz_byte(in);
    double value = 0;
    if (kind < MODERATE) return (kind - MIDDLE) / 16.;
    if (kind < MODERATE + EXTREMES) return extremes[kind - MODERATE];
    uint8_t raw[sizeof value];
    for (size_t k = 0; k < sizeof raw; ++k) raw[k] = fuzz_byte(in);
    memcpy(&value, raw, sizeof value);
    return value;
}

double fuzz_fraction(fuzz_input *in)
{
    uint8_t kind = fuzz_byte(in);
    return kind <= 240 ? kind / 240. : fuzz_number(in);
}

void fuzz_vector(fuzz_input *in, double out[3])
{
    for (int k = 0; k < 3; ++k) out[k] = fuzz_number(in);
}

void fuzz_fail(const char *file, int line, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fprintf(stderr, "%s:%d: ", file, line);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
    abort();
}
