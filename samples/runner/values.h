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

/* A node of the tree: a key or an index below its parent. Lives on the stack. */
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
/* A whole number in [low, high], below 2^53. */
bool get_count(const reader *r, const path *p, const cJSON *json, double low, double high,
               uint64_t *out);
bool get_bits(const reader *r, const path *p, const cJSON *json, uint32_t *out);
bool get_bool(const reader *r, const path *p, const cJSON *json, bool *out);
/* An array of n numbers within +-LARGEST. */
bool get_numbers(const reader *r, const path *p, const cJSON *json, int n, double *out);
/* The same; the first `positive` of them are > 0. */
bool get_positives(const reader *r, const path *p, const cJSON *json, int n, int positive,
                   double *out);
/* An array of n numbers with length 1 within 1e-6; `what` names it in the complaint. */
bool get_unit(const reader *r, const path *p, const cJSON *json, int n, const char *what,
              double *out);
/* A name for rows of events. */
bool get_name(const reader *r, const path *p, const cJSON *json, char name[SCENE_NAME]);
/* Events tell the items of a list apart by name, or by index where they have none. Refuses the
 * first name that equals an earlier one; names lie `stride` bytes apart. */
bool check_names(const reader *r, const char *list, const char *names, size_t count, size_t stride);
/* The index of one of the words, which end with NULL. */
bool get_word(const reader *r, const path *p, const cJSON *json, const char *const *words,
              int *out);
/* True for an object with no other keys than `keys` (NULL-ended), each at most once. */
bool check_keys(const reader *r, const path *p, const cJSON *object, const char *const *keys);
const char *type_name(const cJSON *json);

#define GET(object, name) cJSON_GetObjectItemCaseSensitive(object, name)

/* For functions with `r` and `p` (the path of `object`): read a key with an expression that uses
 * `at` and `value`; return false if it fails. */
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
