/* Reads meshes from STL, ascii and binary. A file is binary if the number of triangles in its head
 * gives its size. Normals are skipped; the order of the corners gives the front of a triangle. */
#include "arrays.h"
#include "binary.h"
#include "mesh_files.h"

enum { HEAD = 80, FIRST = HEAD + 4, TRIANGLE = 50, NORMAL = 12 }; /* bytes */

/* Add a vertex that is the next corner of a triangle. */
static void add_corner(mesh_reader *reader, const double x[3])
{
    arrput(reader->surface->triangles, (uint32_t)(arrlenu(reader->surface->vertices) / 3));
    mesh_add_vertex(reader, x);
}

static bool read_binary(mesh_reader *reader, const char *data, uint32_t triangles)
{
    for (uint32_t t = 0; t < triangles; ++t) {
        for (uint32_t corner = 0; corner < 3; ++corner) {
            size_t at = FIRST + (size_t)TRIANGLE * t + NORMAL + 12 * corner;
            double x[3];
            for (uint32_t k = 0; k < 3; ++k) {
                x[k] = binary_number(data + at + 4 * k, (number_type){'f', 4, false});
                if (!mesh_is_coordinate(x[k]))
                    return mesh_refuse_byte(reader, at + 4 * k, "must be within 1e9, got %g", x[k]);
            }
            add_corner(reader, x);
        }
    }
    return true;
}

typedef struct ascii {
    mesh_reader *reader;
    text text;
} ascii;

/* Read the next line that is not empty, which must begin with these words; `second` may be NULL.
 * Out: the rest of the line. */
static bool expect(ascii *a, const char *first, const char *second, slice *rest)
{
    slice word, line = {0};
    while (text_line(&a->text, &line) && slice_trim(line).size == 0) line.size = 0;
    if (slice_trim(line).size == 0)
        return mesh_refuse(a->reader, a->text.line, "the file ends before '%s'", first);
    *rest = line;
    if (slice_word(rest, &word) && slice_is(word, first) &&
        (!second || (slice_word(rest, &word) && slice_is(word, second))))
        return true;
    return mesh_refuse(a->reader, a->text.line, "expected '%s%s%s'", first, second ? " " : "",
                       second ? second : "");
}

static bool read_vertex(ascii *a)
{
    double x[3];
    slice rest, word;
    if (!expect(a, "vertex", NULL, &rest)) return false;
    for (int k = 0; k < 3; ++k) {
        if (!slice_word(&rest, &word))
            return mesh_refuse(a->reader, a->text.line, "vertex needs 3 numbers");
        if (!mesh_coordinate(a->reader, a->text.line, word, &x[k])) return false;
    }
    if (slice_word(&rest, &word))
        return mesh_refuse(a->reader, a->text.line, "more than 3 numbers");
    add_corner(a->reader, x);
    return true;
}

/* Read the lines of a facet after "facet normal". */
static bool read_facet(ascii *a)
{
    slice rest;
    return expect(a, "outer", "loop", &rest) && read_vertex(a) && read_vertex(a) &&
           read_vertex(a) && expect(a, "endloop", NULL, &rest) &&
           expect(a, "endfacet", NULL, &rest);
}

/* "solid NAME", facets, "endsolid NAME"; a file may have several. */
static bool read_ascii(mesh_reader *reader, const char *data, size_t size)
{
    ascii a = {reader, text_of(data, size)};
    bool inside = false;
    for (slice line, rest; text_line(&a.text, &line);) {
        slice word;
        rest = line;
        if (!slice_word(&rest, &word)) continue;
        if (!inside && slice_is(word, "solid")) inside = true;
        else if (inside && slice_is(word, "endsolid")) inside = false;
        else if (!inside || !slice_is(word, "facet"))
            return mesh_refuse(reader, a.text.line, "expected %s",
                               inside ? "'facet' or 'endsolid'" : "'solid'");
        else if (!read_facet(&a)) return false;
    }
    return !inside || mesh_refuse(reader, a.text.line, "the file ends before 'endsolid'");
}

bool read_stl(mesh_reader *reader, const char *data, size_t size)
{
    const slice all = {data, size};
    uint64_t triangles = size >= FIRST ? binary_u32(data + HEAD) : 0;
    uint64_t whole = FIRST + TRIANGLE * triangles;
    if (size >= FIRST && whole == size) return read_binary(reader, data, (uint32_t)triangles);
    if (slice_begins(all, "solid")) return read_ascii(reader, data, size);
    if (size < FIRST)
        return mesh_refuse_byte(reader, size, "the file ends before the number of triangles");
    return mesh_refuse_byte(reader, HEAD, "%llu triangles need %llu bytes, the file has %zu",
                            (unsigned long long)triangles, (unsigned long long)whole, size);
}
