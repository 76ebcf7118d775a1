/* Reads JSON values. Each get_ function checks type and range and stores the value, or stores a
 * complaint with the key path ("scene.json: bodies[3].radius: must be > 0, got -1") and returns
 * false. */
#ifndef RUNNER_VALUES_H
#define RUNNER_VALUES_H

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdint.h>

#include "complaint.h"
#include "scene.h"

typedef struct reader {
    const char *name; /* of the file */
    complaint *complaint;
} reader;

/* The path of a value: a key or an index below its parent. Paths live on the stack. */
typedef struct path {
    const struct path *parent; /* NULL: the scene itself */
    const char *key;           /* NULL: an index */
    size_t index;
} path;

/* Store a complaint about the value at `p`. Always returns false. */
bool refuse_at(const reader *r, const path *p, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A number in [low, high]. */
bool get_number(const reader *r, const path *p, const cJSON *json, double low, double high,
                double *out);
/* A number in (0, LARGEST]. */
bool get_positive(const reader *r, const path *p, const cJSON *json, double *out);
/* An integer in [low, high]; bounds must be at most 2^53. */
bool get_count(const reader *r, const path *p, const cJSON *json, double low, double high,
               uint64_t *out);
/* An integer of 32 bits without sign, as category and mask. */
bool get_bits(const reader *r, const path *p, const cJSON *json, uint32_t *out);
/* A kind of material, 0 ... 63. */
bool get_kind(const reader *r, const path *p, const cJSON *json, uint32_t *out);
/* An array of n kinds. @param names what they are, in complaints. */
bool get_kinds(const reader *r, const path *p, const cJSON *json, int n, const char *names,
               uint32_t *out);
bool get_bool(const reader *r, const path *p, const cJSON *json, bool *out);
/* An array of n numbers within +-LARGEST. */
bool get_numbers(const reader *r, const path *p, const cJSON *json, int n, double *out);
/* As get_numbers; the first `positive` numbers must be > 0. */
bool get_positives(const reader *r, const path *p, const cJSON *json, int n, int positive,
                   double *out);
/* A vector of n numbers whose length is 1 within 1e-6. @param what its kind, in complaints. */
bool get_unit(const reader *r, const path *p, const cJSON *json, int n, const char *what,
              double *out);
/* A name for rows of events. */
bool get_name(const reader *r, const path *p, const cJSON *json, char name[SCENE_NAME]);
/* Refuse the first name of a list that equals an earlier name, because names identify items in
 * events. Names are `stride` bytes apart; an item without a name has its index as name. */
bool check_names(const reader *r, const char *list, const char *names, size_t count, size_t stride);
/* One of the words, which end with NULL; *out is its index. */
bool get_word(const reader *r, const path *p, const cJSON *json, const char *const *words,
              int *out);
/* True for an object whose keys are among `keys` (ends with NULL), each at most once. */
bool check_keys(const reader *r, const path *p, const cJSON *object, const char *const *keys);
const char *type_name(const cJSON *json);

#define GET(object, name) cJSON_GetObjectItemCaseSensitive(object, name)

/* Read a key of `object` by the expression `call`, which uses its path `at` and its `value`; return
 * false if `call` is false. The calling function has `r`, and `p`, the path of `object`. */
#define OPTIONAL(object, name, call)                                                               \
    do {                                                                                           \
        const cJSON *value = GET(object, name);                                                    \
        path at = {p, name, 0};                                                                    \
        (void)at;                                                                                  \
        if (value && !(call)) return false;                                                        \
    } while (0)
#define REQUIRED(object, name, call)                                                               \
    do {                                                                                           \
        const cJSON *value = GET(object, name);                                                    \
        path at = {p, name, 0};                                                                    \
        if (!value) return refuse_at(r, &at, "is missing");                                        \
        if (!(call)) return false;                                                                 \
    } while (0)

#endif
