/* Reads the input of a fuzzer as choices and numbers. After the end every byte is 0, so that each
 * input is complete. A failed check prints a message and aborts, which the fuzzer reports. */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct fuzz_input {
    const uint8_t *data;
    size_t size, at;
} fuzz_input;

/* The entry point of a target, called by libFuzzer or by replay_corpus.c. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline bool fuzz_has_more(const fuzz_input *in) { return in->at < in->size; }
static inline uint8_t fuzz_byte(fuzz_input *in)
{
    return in->at < in->size ? in->data[in->at++] : 0;
}

/* kugel_limits.bytes of worlds and players whose input claims what it likes. */
#define FUZZ_MEMORY (1u << 26)

/* A choice in [0, n), n <= 256. */
static inline uint32_t fuzz_below(fuzz_input *in, uint32_t n) { return fuzz_byte(in) % n; }

/* Mostly a multiple of 1/16 in [-6.5, 6.6], else an extreme value or a double of eight raw
 * bytes. */
double fuzz_number(fuzz_input *in);
/* Mostly in [0, 1], else as fuzz_number. */
double fuzz_fraction(fuzz_input *in);
void fuzz_vector(fuzz_input *in, double out[3]);

_Noreturn void fuzz_fail(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#define FUZZ_CHECK(condition, ...)                                                                 \
    do {                                                                                           \
        if (!(condition)) fuzz_fail(__FILE__, __LINE__, __VA_ARGS__);                              \
    } while (0)

#endif
