/* Reads the file of "bodies" by its ending. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "body_table.h"
#include "load.h"
#include "read_bodies.h"

static const struct {
    const char *ending;
    read_table *read;
    bool lines;
} formats[] = {{".csv", read_csv, true},          {".npy", read_npy, false},
               {".xyz", read_xyz, true},          {".extxyz", read_xyz, true},
               {".data", read_lammps_data, true}, {".lammpstrj", read_lammps_dump, true},
               {".dump", read_lammps_dump, true}, {".gsd", read_gsd, false}};
enum { FORMATS = sizeof formats / sizeof *formats };

static bool ends_with(const char *text, const char *ending)
{
    size_t a = strlen(text), b = strlen(ending);
    return a > b && strcmp(text + a - b, ending) == 0;
}

bool bodies_parse(scene *scene, const char *name, const bodies_file *file, const char *data,
                  size_t size, complaint *complaint)
{
    body_table table = {.scene = name,
                        .file = file->path,
                        .one_tick = file->one_tick,
                        .tick = file->tick,
                        .complaint = complaint};
    for (int k = 0; k < FORMATS; ++k) {
        if (!ends_with(file->path, formats[k].ending)) continue;
        table.rows_are_lines = scene->places_are_lines = formats[k].lines;
        bool good = formats[k].read(&table, data, size) && table_finish(&table, scene);
        table_free(&table);
        return good;
    }
    return table_refuse(&table, 0, "must end in .csv, .npy, .xyz, .data, .lammpstrj or .gsd");
}

bool bodies_find(const scene *scene, const char *name, bodies_file *file)
{
    *file = (bodies_file){.path = path_beside(name, scene->bodies_file)};
    if (!file->path) return false;
    char *at = strrchr(file->path, '@'), *end = NULL;
    if (!at || at[1] < '0' || at[1] > '9') return true;
    file->tick = strtoull(at + 1, &end, 10);
    file->one_tick = !*end;
    if (file->one_tick) *at = 0;
    return true;
}

int bodies_read(scene *scene, const char *name, const bodies_file *file)
{
    complaint complaint;
    char what[300], *data;
    size_t size;
    snprintf(what, sizeof what, "%.250s: bodies", name);
    int code = load_file(what, file->path, &data, &size);
    if (code) return code;
    if (!bodies_parse(scene, name, file, data, size, &complaint))
        code = complain(complaint.code, "%s", complaint.text);
    free(data);
    return code;
}
