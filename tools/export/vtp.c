/* VTK's XML formats, for ParaView: OUT.pvd lists the frames with their times, OUT.frames/000000.vtp ... hold
 * them: points with id, radius, velocity and spin, as raw numbers behind the XML. The frames are
 * written into a folder of another name, which takes its own when all are there. */
#define _GNU_SOURCE
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format.h"

typedef struct vtp {
    char *folder,
        *temporary; /* the frames' folder, and what it is called until the end; NULL: none any more */
} vtp;

/* ---- the folder ---- */

static bool is_frame(const char *name)
{
    size_t digits = strspn(name, "0123456789");
    return digits && strcmp(name + digits, ".vtp") == 0;
}

/* With the frames in it, if there is one; a folder that holds anything else stays. */
static bool remove_folder(const char *path)
{
    DIR *dir = opendir(path);
    if (!dir) return errno == ENOENT;
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (is_frame(entry->d_name)) unlinkat(dirfd(dir), entry->d_name, 0);
    }
    closedir(dir);
    return rmdir(path) == 0;
}

/* "out/gas.pvd" has its frames in "out/gas.frames". */
static bool begin(exporter *e)
{
    if (!e->file.temporary) { /* there is no place beside it */
        e->problem = "is a pipe or a device; this format takes a file";
        return errno = ENOTSUP, false;
    }
    vtp *v = e->state = calloc(1, sizeof *v);
    const char *name = e->file.name;
    size_t length = strlen(name);
    bool ending = length > 4 && strcmp(name + length - 4, ".pvd") == 0;
    if (!v || asprintf(&v->folder, "%.*s.frames", (int)(ending ? length - 4 : length), name) < 0)
        return errno = ENOMEM, false;
    if (asprintf(&v->temporary, "%s.XXXXXX", v->folder) < 0)
        return v->temporary = NULL, errno = ENOMEM, false;
    mode_t mask = umask(0);
    umask(mask);
    if (!mkdtemp(v->temporary)) {
        int why = errno;
        free(v->temporary);
        v->temporary = NULL;
        return errno = why, false;
    }
    chmod(v->temporary, 0777 & ~mask);
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
          "byte_order=\"LittleEndian\">\n<Collection>\n",
          e->to);
    return true;
}

static bool finish(exporter *e)
{
    vtp *v = e->state;
    fputs("</Collection>\n</VTKFile>\n", e->to);
    if (ferror(e->to) || fflush(e->to) != 0) return false;
    if (!remove_folder(v->folder) || rename(v->temporary, v->folder) != 0) return false;
    free(v->temporary);
    v->temporary = NULL;
    return true;
}

static void release(exporter *e)
{
    vtp *v = e->state;
    if (!v) return;
    if (v->temporary) remove_folder(v->temporary);
    free(v->temporary);
    free(v->folder);
    free(v);
}

/* ---- a frame ---- */

typedef struct array {
    const char *type, *name;
    const void *values;
    size_t size;
    unsigned columns;
} array;

static void declare(FILE *to, const array *a, uint64_t count, uint64_t *place)
{
    fprintf(to,
            "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%u\" format=\"appended\" "
            "offset=\"%llu\"/>\n",
            a->type, a->name, a->columns, (unsigned long long)*place);
    *place += 8 + count * a->columns * a->size;
}

/* Points, what they carry, and each point as a cell, or nothing would be drawn. */
static void write_frame(FILE *to, const frame *f, const int64_t *cells)
{
    const row_set *rows = f->rows;
    uint64_t n = rows->count, place = 0;
    const array arrays[] = {
        {"Float64", "Points", rows->position, 8, 3}, {"UInt32", "id", rows->ids, 4, 1},
        {"Float64", "radius", rows->radius, 8, 1},   {"Float64", "velocity", rows->velocity, 8, 3},
        {"Float64", "spin", rows->spin, 8, 3},       {"Int64", "connectivity", cells, 8, 1},
        {"Int64", "offsets", cells + 1, 8, 1}};
    enum { ARRAYS = sizeof arrays / sizeof *arrays };
    fprintf(to,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
            "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
            "<PolyData>\n<FieldData><DataArray type=\"Float64\" Name=\"TimeValue\" "
            "NumberOfTuples=\"1\" format=\"ascii\">%.17g</DataArray>"
            "</FieldData>\n<Piece NumberOfPoints=\"%llu\" NumberOfVerts=\"%llu\">\n<Points>\n",
            f->time, (unsigned long long)n, (unsigned long long)n);
    declare(to, &arrays[0], n, &place);
    fputs("</Points>\n<PointData Scalars=\"radius\" Vectors=\"velocity\">\n", to);
    for (int k = 1; k < 5; ++k) declare(to, &arrays[k], n, &place);
    fputs("</PointData>\n<Verts>\n", to);
    for (int k = 5; k < ARRAYS; ++k) declare(to, &arrays[k], n, &place);
    fputs("</Verts>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_", to);
    for (int k = 0; k < ARRAYS; ++k) {
        uint64_t size = n * arrays[k].columns * arrays[k].size;
        write_numbers(to, &size, 8, 1);
        write_numbers(to, arrays[k].values, arrays[k].size, n * arrays[k].columns);
    }
    fputs("\n</AppendedData>\n</VTKFile>\n", to);
}

static void write_escaped(FILE *to, const char *text)
{
    for (; *text; ++text) {
        if (*text == '&') fputs("&amp;", to);
        else if (*text == '<') fputs("&lt;", to);
        else if (*text == '"') fputs("&quot;", to);
        else fputc(*text, to);
    }
}

/* Names in the collection are relative to it. */
static void list_frame(exporter *e, const frame *f)
{
    const vtp *v = e->state;
    const char *slash = strrchr(v->folder, '/');
    fprintf(e->to, "<DataSet timestep=\"%.17g\" part=\"0\" file=\"", f->time);
    write_escaped(e->to, slash ? slash + 1 : v->folder);
    fprintf(e->to, "/%06llu.vtp\"/>\n", (unsigned long long)f->tick);
}

static bool add(exporter *e, const frame *f)
{
    const vtp *v = e->state;
    char *path;
    int64_t *cells = malloc((f->rows->count + 1) * sizeof *cells); /* 0, 1, 2 ... */
    if (!cells || asprintf(&path, "%s/%06llu.vtp", v->temporary, (unsigned long long)f->tick) < 0) {
        free(cells);
        return errno = ENOMEM, false;
    }
    for (int64_t i = 0; i <= f->rows->count; ++i) cells[i] = i;
    FILE *to = fopen(path, "wb");
    if (to) write_frame(to, f, cells);
    bool good = to && !ferror(to);
    good = to && fclose(to) == 0 && good;
    int why = errno;
    free(path);
    free(cells);
    list_frame(e, f);
    return errno = why, good;
}

const export_format export_vtp = {.name = "vtp",
                                  .ending = ".pvd",
                                  .radii = true,
                                  .named = true,
                                  .begin = begin,
                                  .add = add,
                                  .finish = finish,
                                  .release = release};
