/* Meshes of surfaces from OBJ, STL and PLY files. Each format has a file, mesh_obj.c ...; an
 * unknown statement is an error with the line, or in binary files the byte. */
#ifndef RUNNER_MESH_FILES_H
#define RUNNER_MESH_FILES_H

#include "options.h"
#include "scene.h"
#include "text.h"

/* Read the files of the scene's surfaces, which are relative to the scene's file. @return 0, or an
 * exit code after a message. */
int surfaces_read(scene *scene, const options *options);

/* What a reader reads into. */
typedef struct mesh_reader {
    const char *scene, *file; /* names in messages */
    size_t index;             /* of the surface */
    surface *surface;
    complaint *complaint;
} mesh_reader;

/* Read a file in memory by its ending; the byte behind it can be read and is 0. false: a
 * complaint. */
bool mesh_parse(mesh_reader *reader, const char *data, size_t size);

/* Store a complaint about a line, or about the file as a whole if `line` is 0. Returns false. */
bool mesh_refuse(const mesh_reader *reader, uint64_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same for a byte of a binary file. */
bool mesh_refuse_byte(const mesh_reader *reader, size_t byte, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A word as a coordinate. */
bool mesh_coordinate(const mesh_reader *reader, uint64_t line, slice word, double *value);
/* True if a vertex can be here: finite, within 1e9 m. */
bool mesh_is_coordinate(double value);
void mesh_add_vertex(mesh_reader *reader, const double x[3]);
/* A convex polygon as a fan around its first corner. */
void mesh_add_polygon(mesh_reader *reader, const uint32_t *corners, size_t count);

typedef bool read_mesh(mesh_reader *reader, const char *data, size_t size);
read_mesh read_obj, read_stl, read_ply;

#endif
