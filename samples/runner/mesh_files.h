/* Reads meshes of surfaces from OBJ, STL and PLY files; each format has its source file, mesh_obj.c
 * and so on. Errors name the line, or the byte of a binary file. */
#ifndef RUNNER_MESH_FILES_H
#define RUNNER_MESH_FILES_H

#include "options.h"
#include "scene.h"
#include "text.h"

/* Read the files of the scene's surfaces, which are relative to the scene's file. @return 0, or an
 * exit code after a message. */
int surfaces_read(scene *scene, const options *options);

/* Where a reader puts the mesh, and the names in its messages. */
typedef struct mesh_reader {
    const char *scene, *file; /* names in messages */
    size_t index;             /* of the surface */
    surface *surface;
    complaint *complaint;
} mesh_reader;

/* Parse a file in memory by the ending of its name. data[size] must be 0. false: a complaint. */
bool mesh_parse(mesh_reader *reader, const char *data, size_t size);

/* Store a complaint about a line, or about the whole file if `line` is 0. Always returns false. */
bool mesh_refuse(const mesh_reader *reader, uint64_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Store a complaint about a byte of a binary file. Always returns false. */
bool mesh_refuse_byte(const mesh_reader *reader, size_t byte, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Parse a word as a coordinate. false: a complaint. */
bool mesh_coordinate(const mesh_reader *reader, uint64_t line, slice word, double *value);
/* True of a valid coordinate of a vertex: finite, within 1e9 m. */
bool mesh_is_coordinate(double value);
void mesh_add_vertex(mesh_reader *reader, const double x[3]);
/* Add a polygon as a fan of triangles around its first corner. false: it is not convex, and
 * nothing was added. */
bool mesh_add_polygon(mesh_reader *reader, const uint32_t *corners, size_t count);

typedef bool read_mesh(mesh_reader *reader, const char *data, size_t size);
read_mesh read_obj, read_stl, read_ply;

#endif
