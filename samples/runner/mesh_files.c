/* See mesh_files.h. */
#include "mesh_files.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "arrays.h"
#include "load.h"

static bool refuse_where(const mesh_reader *reader, const char *where, const char *format,
                         va_list args)
{
    char what[200];
    vsnprintf(what, sizeof what, format, args);
    return refuse(reader->complaint, EXIT_USAGE, "%s: surfaces[%zu].mesh: %.100s%s: %s",
                  reader->scene, reader->index, reader->file, where, what);
}

bool mesh_refuse(const mesh_reader *reader, uint64_t line, const char *format, ...)
{
    char where[32] = "";
    va_list args;
    if (line) snprintf(where, sizeof where, ":%llu", (unsigned long long)line);
    va_start(args, format);
    refuse_where(reader, where, format, args);
    va_end(args);
    return false;
}

bool mesh_refuse_byte(const mesh_reader *reader, size_t byte, const char *format, ...)
{
    char where[40];
    va_list args;
    snprintf(where, sizeof where, ": byte %zu", byte);
    va_start(args, format);
    refuse_where(reader, where, format, args);
    va_end(args);
    return false;
}

bool mesh_is_coordinate(double value) { return fabs(value) <= 1e9; }

bool mesh_coordinate(const mesh_reader *reader, uint64_t line, slice word, double *value)
{
    int shown = word.size < 40 ? (int)word.size : 40;
    if (!slice_number(word, value))
        return mesh_refuse(reader, line, "must be a number, got '%.*s'", shown, word.from);
    if (mesh_is_coordinate(*value)) return true;
    return mesh_refuse(reader, line, "must be within 1e9, got %.*s", shown, word.from);
}

void mesh_add_vertex(mesh_reader *reader, const double x[3])
{
    memcpy(arraddnptr(reader->surface->vertices, 3), x, 3 * sizeof *x);
}

typedef struct vec {
    double x[3];
} vec;

static vec edge(const double *vertices, uint32_t from, uint32_t to)
{
    const double *a = vertices + 3 * (size_t)from, *b = vertices + 3 * (size_t)to;
    return (vec){{b[0] - a[0], b[1] - a[1], b[2] - a[2]}};
}

static vec cross(vec a, vec b)
{
    return (vec){{a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2],
                  a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
}

static double dot(vec a, vec b) { return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2]; }

/* True if no corner turns the other way than the polygon as a whole. The polygon need not be flat.
 * A polygon with vertices that follow later, as in a PLY file with faces first, is not tested.
 * @param vertices stb_ds array. */
static bool is_convex(const double *vertices, const uint32_t *corners, size_t count)
{
    static const double rounding = 1e-6; /* relative, of coordinates with seven digits */
    vec normal = {{0, 0, 0}};
    for (size_t k = 0; k < count; ++k)
        if (corners[k] >= arrlenu(vertices) / 3) return true;
    for (size_t k = 2; k < count; ++k) {
        vec area = cross(edge(vertices, corners[0], corners[k - 1]),
                         edge(vertices, corners[0], corners[k]));
        for (int j = 0; j < 3; ++j) normal.x[j] += area.x[j];
    }
    for (size_t k = 0; k < count; ++k) {
        uint32_t a = corners[k], b = corners[(k + 1) % count], c = corners[(k + 2) % count];
        vec before = edge(vertices, a, b), after = edge(vertices, b, c);
        double sizes = sqrt(dot(before, before) * dot(after, after) * dot(normal, normal));
        if (dot(cross(before, after), normal) < -rounding * sizes) return false;
    }
    return true;
}

bool mesh_add_polygon(mesh_reader *reader, const uint32_t *corners, size_t count)
{
    if (count > 3 && !is_convex(reader->surface->vertices, corners, count)) return false;
    for (size_t k = 2; k < count; ++k) {
        uint32_t *to = arraddnptr(reader->surface->triangles, 3);
        to[0] = corners[0], to[1] = corners[k - 1], to[2] = corners[k];
    }
    return true;
}

static const struct {
    const char *ending;
    read_mesh *read;
} formats[] = {{".obj", read_obj}, {".stl", read_stl}, {".ply", read_ply}};
enum { FORMATS = sizeof formats / sizeof *formats };

/* Refuse a mesh without triangles, or beyond the limits of a world. */
static bool check_size(const mesh_reader *reader)
{
    size_t vertices = arrlenu(reader->surface->vertices) / 3;
    size_t triangles = arrlenu(reader->surface->triangles) / 3;
    if (!triangles) return mesh_refuse(reader, 0, "has no triangles");
    if (vertices <= INT32_MAX && triangles <= 1 << 27) return true;
    return mesh_refuse(reader, 0, "has more than 2^31 vertices or 2^27 triangles");
}

bool mesh_parse(mesh_reader *reader, const char *data, size_t size)
{
    size_t length = strlen(reader->file);
    for (int k = 0; k < FORMATS; ++k) {
        size_t n = strlen(formats[k].ending);
        if (length <= n || strcasecmp(reader->file + length - n, formats[k].ending) != 0) continue;
        if (!formats[k].read(reader, data, size)) return false;
        return check_size(reader);
    }
    return mesh_refuse(reader, 0, "must end in .obj, .stl or .ply");
}

static int read_surface(scene *scene, size_t index, const options *options, const char *path)
{
    complaint complaint;
    char what[320], *data;
    size_t size;
    snprintf(what, sizeof what, "%.250s: surfaces[%zu].mesh", options->scene, index);
    int code = load_file(what, path, &data, &size);
    if (code) return code;
    mesh_reader reader = {options->scene, path, index, &scene->surfaces[index], &complaint};
    if (!mesh_parse(&reader, data, size)) code = complain(complaint.code, "%s", complaint.text);
    free(data);
    return code;
}

int surfaces_read(scene *scene, const options *options)
{
    int code = 0;
    for (size_t i = 0; i < arrlenu(scene->surfaces) && !code; ++i) {
        if (!scene->surfaces[i].mesh_file) continue;
        char *path = path_beside(options->scene, scene->surfaces[i].mesh_file);
        if (!path) return complain(EXIT_RESOURCES, "%s: out of memory", options->scene);
        code = read_surface(scene, i, options, path);
        free(path);
    }
    return code;
}
