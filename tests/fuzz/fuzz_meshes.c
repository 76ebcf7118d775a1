/* Fuzz target: files of meshes. The first byte chooses the format, the rest is the file. The reader
 * must refuse the file with one line, or read a mesh whose triangles index its vertices. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "input.h"
#include "mesh_files.h"

static void check_mesh(const surface *s)
{
    size_t vertices = arrlenu(s->vertices) / 3;
    for (size_t i = 0; i < arrlenu(s->vertices); ++i)
        FUZZ_CHECK(fabs(s->vertices[i]) <= 1e9, "coordinate %g", s->vertices[i]);
    for (size_t i = 0; i < arrlenu(s->triangles); ++i)
        FUZZ_CHECK(s->triangles[i] < vertices, "corner %u of %zu", s->triangles[i], vertices);
    FUZZ_CHECK(arrlenu(s->triangles) >= 3, "no triangle");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"a.obj", "a.stl", "a.ply"};
    surface surface = {0};
    complaint complaint = {0};
    if (!size) return 0;
    mesh_reader reader = {"scene", names[data[0] % 3], 0, &surface, &complaint};
    char *text = malloc(size); /* without the first byte, with a 0 behind */
    if (!text) abort();
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    if (mesh_parse(&reader, text, size - 1)) check_mesh(&surface);
    else
        FUZZ_CHECK(complaint.code == EXIT_USAGE && complaint.text[0], "exit code %d",
                   complaint.code);
    arrfree(surface.vertices);
    arrfree(surface.triangles);
    free(text);
    return 0;
}
