/* Compiles the implementation of stb_ds, once for the whole runner. */
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wcast-function-type"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#define STB_DS_IMPLEMENTATION
#include "arrays.h"

#include "complaint.h"

void *array_resize(void *block, size_t size)
{
    void *grown = realloc(block, size);
    if (!grown) exit(complain(EXIT_RESOURCES, "out of memory (%zu bytes for the scene)", size));
    return grown;
}
