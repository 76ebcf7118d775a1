/* Arrays of a .vtp file: declared in its XML, and written as raw data behind it. */
#ifndef EXPORT_VTP_ARRAYS_H
#define EXPORT_VTP_ARRAYS_H

#include "format.h"

typedef struct vtp_array {
    const char *type, *name; /* VTK's names, as Float64 */
    const void *values;
    size_t size; /* bytes of a number */
    unsigned columns;
} vtp_array;

/* Declare an array of `count` rows. `place`: in the raw data; it moves behind the array. */
static inline void vtp_declare(FILE *to, const vtp_array *a, uint64_t count, uint64_t *place)
{
    fprintf(to,
            "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%u\" format=\"appended\" "
            "offset=\"%llu\"/>\n",
            a->type, a->name, a->columns, (unsigned long long)*place);
    *place += 8 + count * a->columns * a->size;
}

static inline void vtp_append(FILE *to, const vtp_array *a, uint64_t count)
{
    uint64_t size = count * a->columns * a->size;
    write_numbers(to, &size, 8, 1);
    write_numbers(to, a->values, a->size, count * a->columns);
}

#endif
