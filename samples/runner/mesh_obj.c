/* Meshes from Wavefront OBJ: vertices (v) and faces (f) with convex polygons. Names, groups,
 * materials, normals, texture coordinates, lines and points are skipped; other statements are
 * refused. */
#include "arrays.h"
#include "mesh_files.h"

static const char *const skipped[] = {"vn", "vt", "vp", "o",      "g",      "s",
                                      "l",  "p",  "mg", "usemtl", "mtllib", NULL};

/* Read x, y and z. The rest, w or a colour, is skipped. */
static bool read_vertex(mesh_reader *reader, uint64_t line, slice rest)
{
    double x[3];
    for (int k = 0; k < 3; ++k) {
        slice word;
        if (!slice_word(&rest, &word)) return mesh_refuse(reader, line, "v needs 3 numbers");
        if (!mesh_coordinate(reader, line, word, &x[k])) return false;
    }
    mesh_add_vertex(reader, x);
    return true;
}

/* True of what follows the first number of a corner: "", "/2", "/2/3" or "//3". The numbers, of
 * texture coordinates and normals, may be negative. */
static bool is_rest_of_corner(slice rest)
{
    uint64_t number;
    slice part;
    for (int k = 0; k < 2 && slice_field(&rest, '/', &part); ++k) {
        bool last = !rest.from;
        if (part.size == 0 && k == 0 && !last) continue;
        if (slice_begins(part, "-")) ++part.from, --part.size;
        if (!slice_count(part, &number) || number < 1) return false;
    }
    return !rest.from;
}

/* The first number of "7/1/3"; a negative one counts back from the last vertex. */
static bool read_corner(const mesh_reader *reader, uint64_t line, slice word, uint32_t *corner)
{
    slice rest = word, number;
    uint64_t index = 0, count = arrlenu(reader->surface->vertices) / 3;
    int shown = word.size < 40 ? (int)word.size : 40;
    slice_field(&rest, '/', &number);
    bool back = slice_begins(number, "-");
    if (back) ++number.from, --number.size;
    if (!slice_count(number, &index))
        return mesh_refuse(reader, line, "must be the number of a vertex, got '%.*s'", shown,
                           word.from);
    if (!is_rest_of_corner(rest))
        return mesh_refuse(reader, line, "must be v, v/vt, v/vt/vn or v//vn, got '%.*s'", shown,
                           word.from);
    if (index < 1 || index > count)
        return mesh_refuse(reader, line, "vertex %.*s does not exist; %llu are above", shown,
                           word.from, (unsigned long long)count);
    *corner = (uint32_t)(back ? count - index : index - 1);
    return true;
}

static bool read_face(mesh_reader *reader, uint64_t line, slice rest, uint32_t **corners)
{
    arrsetlen(*corners, 0);
    for (slice word; slice_word(&rest, &word);) {
        uint32_t corner;
        if (!read_corner(reader, line, word, &corner)) return false;
        arrput(*corners, corner);
    }
    if (arrlenu(*corners) < 3)
        return mesh_refuse(reader, line, "f needs at least 3 corners, got %zu", arrlenu(*corners));
    return mesh_add_polygon(reader, *corners, arrlenu(*corners)) ||
           mesh_refuse(reader, line, "the polygon is not convex");
}

static bool is_skipped(slice word)
{
    for (const char *const *known = skipped; *known; ++known)
        if (slice_is(word, *known)) return true;
    return slice_begins(word, "#");
}

static bool read_line(mesh_reader *reader, uint64_t line, slice rest, uint32_t **corners)
{
    slice word;
    if (rest.size && rest.from[rest.size - 1] == '\\')
        return mesh_refuse(reader, line, "goes on in the next line, which is not supported");
    if (!slice_word(&rest, &word) || is_skipped(word)) return true;
    if (slice_is(word, "v")) return read_vertex(reader, line, rest);
    if (slice_is(word, "f")) return read_face(reader, line, rest, corners);
    return mesh_refuse(reader, line, "unknown statement '%.*s'",
                       word.size < 40 ? (int)word.size : 40, word.from);
}

bool read_obj(mesh_reader *reader, const char *data, size_t size)
{
    text text = text_of(data, size);
    uint32_t *corners = NULL;
    bool good = true;
    for (slice line; good && text_line(&text, &line);)
        good = read_line(reader, text.line, line, &corners);
    arrfree(corners);
    return good;
}
