/* See share.h. A sum over the ranks copies, because all but rank 0 add zeros. */
#include "share.h"

#include <stdlib.h>
#include <string.h>

#include "complaint.h"

int share_code(const kugel_exchange *exchange, int code)
{
    uint64_t worst = (uint64_t)code;
    if (exchange->reduce(exchange->context, KUGEL_REDUCE_MAX, &worst, 1)) return EXIT_RESOURCES;
    return (int)worst;
}

int share_bytes(const kugel_exchange *exchange, int code, char **data, size_t *size)
{
    bool root = exchange->rank == 0;
    uint64_t head[2] = {root ? (uint64_t)code : 0, root && !code ? *size : 0};
    if (exchange->reduce(exchange->context, KUGEL_REDUCE_SUM, head, 2)) return EXIT_RESOURCES;
    if (head[0]) return (int)head[0];
    size_t words = (size_t)head[1] / sizeof(uint64_t) + 1;
    uint64_t *copy = calloc(words, sizeof *copy);
    if (root && copy && head[1]) memcpy(copy, *data, (size_t)head[1]);
    int worst = share_code(exchange, copy ? 0 : EXIT_RESOURCES);
    if (!worst && exchange->reduce(exchange->context, KUGEL_REDUCE_SUM, copy, words))
        worst = EXIT_RESOURCES;
    if (root || worst) free(copy);
    if (worst && root) free(*data);
    if (worst) return complain(worst, "out of memory");
    if (!root) *data = (char *)copy, *size = (size_t)head[1];
    return 0;
}

int share_arguments(const kugel_exchange *exchange, int *argc, char ***argv)
{
    size_t size = 0, at = 0;
    for (int i = 0; i < *argc; ++i) size += strlen((*argv)[i]) + 1;
    char *text = malloc(size + 1);
    for (int i = 0; i < *argc && text; at += strlen((*argv)[i++]) + 1)
        strcpy(text + at, (*argv)[i]);
    int code = share_code(exchange, text ? 0 : EXIT_RESOURCES);
    if (code || exchange->rank > 0) free(text);
    if (!code) code = share_bytes(exchange, 0, &text, &size);
    if (code) return code;
    if (exchange->rank == 0) return free(text), 0;
    int count = 0;
    for (size_t i = 0; i < size; ++i) count += !text[i];
    char **list = malloc(((size_t)count + 1) * sizeof *list);
    if (!list) return EXIT_RESOURCES;
    for (int i = 0; i < count; text += strlen(text) + 1) list[i++] = text;
    list[count] = NULL;
    *argc = count, *argv = list;
    return 0;
}
