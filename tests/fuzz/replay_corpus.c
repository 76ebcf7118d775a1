/* Runs a fuzz target on files, for compilers without libFuzzer.
 * usage: fuzz-TARGET FILE ... */
#include <stdio.h>
#include <stdlib.h>

#include "input.h"

int main(int count, char **names)
{
    for (int k = 1; k < count; ++k) {
        FILE *file = fopen(names[k], "rb");
        uint8_t *data = malloc(1 << 20);
        if (!file || !data) {
            fprintf(stderr, "%s cannot be read\n", names[k]);
            return 1;
        }
        size_t size = fread(data, 1, 1 << 20, file);
        fclose(file);
        fprintf(stderr, "%s: %zu bytes\n", names[k], size);
        LLVMFuzzerTestOneInput(data, size);
        free(data);
    }
    return 0;
}
