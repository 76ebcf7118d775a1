/* VTK's XML formats for ParaView: OUT.pvd lists frames with their times; OUT.frames/000000.vtp ...
 * hold points with id, radius, mass, velocity, spin and image as raw data after the XML,
 * 000000.surfaces.vtp ... the surfaces, each time they have moved. Resting contacts are a format of
 * their own, whose frames hold lines. A frame in pieces is an index,
 * 000000.pvtp, of 000000.0.vtp, 000000.1.vtp ... Frames are written to a temporary folder, which
 * replaces the old one when all are complete; the old folder is removed after the collection is in
 * place. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format.h"
#include "vtp_arrays.h"
#include "vtp_contacts.h"
#include "vtp_surfaces.h"

typedef struct vtp {
    char *folder,
        *temporary; /* the frames' folder, and what it is called until the end; NULL: none */
    char *aside;    /* what the one before is called meanwhile; NULL: there was none */
    bool in_place;  /* true: the frames are in their folder */
    uint64_t places, surfaces; /* of surfaces: vtp_surfaces_places, and the tick of their file */
} vtp;

/* True for 000000.vtp, 000000.surfaces.vtp, 000000.pvtp and 000000.0.vtp. */
static bool is_frame(DIR *dir, const char *name)
{
    struct stat info;
    size_t digits = strspn(name, "0123456789");
    const char *rest = name + digits;
    size_t piece = *rest == '.' ? strspn(rest + 1, "0123456789") : 0;
    if (piece) rest += 1 + piece;
    bool known = strcmp(rest, ".vtp") == 0 ||
                 (!piece && (strcmp(rest, ".surfaces.vtp") == 0 || strcmp(rest, ".pvtp") == 0));
    return digits && known && fstatat(dirfd(dir), name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
           !S_ISDIR(info.st_mode);
}

/* True if there is nothing, or a folder that holds only frames and may be emptied. */
static bool may_replace(exporter *e, const char *path)
{
    struct stat info;
    bool good = true;
    if (lstat(path, &info) != 0) return errno == ENOENT;
    if (!S_ISDIR(info.st_mode)) return errno = ENOTDIR, false;
    DIR *dir = access(path, W_OK | X_OK) == 0 ? opendir(path) : NULL;
    if (!dir) return false;
    for (struct dirent *entry; good && (entry = readdir(dir));) {
        const char *name = entry->d_name;
        good = strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || is_frame(dir, name);
    }
    closedir(dir);
    if (good) return true;
    e->problem = "its folder of frames holds something else";
    return errno = ENOTEMPTY, false;
}

/* Remove the folder with its frames. */
static void remove_folder(const char *path)
{
    DIR *dir = opendir(path);
    if (!dir) return;
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (is_frame(dir, entry->d_name)) unlinkat(dirfd(dir), entry->d_name, 0);
    }
    closedir(dir);
    rmdir(path);
}

/* A new, empty folder beside the frames': its name. NULL: errno says why. */
static char *make_beside(const vtp *v)
{
    char *path;
    if (asprintf(&path, "%s.XXXXXX", v->folder) < 0) return errno = ENOMEM, NULL;
    if (mkdtemp(path)) return path;
    int why = errno;
    free(path);
    return errno = why, NULL;
}

/* Replace an empty folder. */
static bool put_aside(vtp *v)
{
    struct stat info;
    if (lstat(v->folder, &info) != 0) return errno == ENOENT;
    v->aside = make_beside(v);
    return v->aside && rename(v->folder, v->aside) == 0;
}

/* After a failure: restore the old folder. */
static void put_back(vtp *v)
{
    if (v->in_place) rename(v->folder, v->temporary);
    if (v->aside && rename(v->aside, v->folder) != 0) rmdir(v->aside); /* it was empty yet */
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
    if (!v) return false;
    if (asprintf(&v->folder, "%.*s.frames", (int)(ending ? length - 4 : length), name) < 0)
        return v->folder = NULL, errno = ENOMEM, false;
    if (!may_replace(e, v->folder) || !(v->temporary = make_beside(v))) return false;
    mode_t mask = umask(0);
    umask(mask);
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
    if (!may_replace(e, v->folder) || !put_aside(v)) return false;
    v->in_place = rename(v->temporary, v->folder) == 0;
    return v->in_place;
}

static void release(exporter *e)
{
    vtp *v = e->state;
    if (!v) return;
    if (!e->written) put_back(v);
    else if (v->aside) remove_folder(v->aside);
    if (!e->written && v->temporary) remove_folder(v->temporary);
    free(v->aside);
    free(v->temporary);
    free(v->folder);
    free(v);
}

/* The points come first, then what they carry. */
enum { CARRIED = 7, ARRAYS = CARRIED + 2 };
static const char point_data[] = "PointData Scalars=\"radius\" Vectors=\"velocity\">\n";

/* Points, what they carry, and each point as a cell, or nothing would be drawn. `cells`: 0, 1, 2
 * ... count. */
static void list_arrays(const row_set *rows, const int64_t *cells, vtp_array arrays[ARRAYS])
{
    const vtp_array all[ARRAYS] = {{"Float64", "Points", rows->position, 8, 3},
                                   {"UInt32", "id", rows->ids, 4, 1},
                                   {"Float64", "radius", rows->radius, 8, 1},
                                   {"Float64", "mass", rows->mass, 8, 1},
                                   {"Float64", "velocity", rows->velocity, 8, 3},
                                   {"Float64", "spin", rows->spin, 8, 3},
                                   {"Int32", "image", rows->image, 4, 3},
                                   {"Int64", "connectivity", cells, 8, 1},
                                   {"Int64", "offsets", cells ? cells + 1 : NULL, 8, 1}};
    memcpy(arrays, all, sizeof all);
}

static void write_frame(FILE *to, const frame *f, const int64_t *cells)
{
    uint64_t n = f->rows->count, place = 0;
    vtp_array arrays[ARRAYS];
    list_arrays(f->rows, cells, arrays);
    fprintf(to,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
            "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
            "<PolyData>\n<FieldData><DataArray type=\"Float64\" Name=\"TimeValue\" "
            "NumberOfTuples=\"1\" format=\"ascii\">%.17g</DataArray>"
            "</FieldData>\n<Piece NumberOfPoints=\"%llu\" NumberOfVerts=\"%llu\">\n<Points>\n",
            f->time, (unsigned long long)n, (unsigned long long)n);
    vtp_declare(to, &arrays[0], n, &place);
    fprintf(to, "</Points>\n<%s", point_data);
    for (int k = 1; k < CARRIED; ++k) vtp_declare(to, &arrays[k], n, &place);
    fputs("</PointData>\n<Verts>\n", to);
    for (int k = CARRIED; k < ARRAYS; ++k) vtp_declare(to, &arrays[k], n, &place);
    fputs("</Verts>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_", to);
    for (int k = 0; k < ARRAYS; ++k) vtp_append(to, &arrays[k], n);
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

/* File names in the collection are relative to its folder. */
static void list_file(exporter *e, double time, int part, uint64_t tick, const char *ending)
{
    const vtp *v = e->state;
    const char *slash = strrchr(v->folder, '/');
    fprintf(e->to, "<DataSet timestep=\"%.17g\" part=\"%d\" file=\"", time, part);
    write_escaped(e->to, slash ? slash + 1 : v->folder);
    fprintf(e->to, "/%06llu%s\"/>\n", (unsigned long long)tick, ending);
}

/* Open the file of a frame with this ending. NULL: errno says why. */
static FILE *open_file(const char *folder, const frame *f, const char *ending)
{
    char *path;
    if (asprintf(&path, "%s/%06llu%s", folder, (unsigned long long)f->tick, ending) < 0)
        return errno = ENOMEM, NULL;
    FILE *to = fopen(path, "wb");
    int why = errno;
    free(path);
    return errno = why, to;
}

/* Close a file; true if all writes, of which the last was `good`, succeeded. */
static bool close_file(FILE *to, bool good)
{
    good = good && !ferror(to);
    int why = errno;
    if (fclose(to) != 0) return false;
    return errno = why, good;
}

/* A file of surfaces where they have moved since the last one. */
static bool add_surfaces(exporter *e, const frame *f)
{
    vtp *v = e->state;
    uint64_t places = vtp_surfaces_places(f->world);
    if (places && places != v->places) {
        FILE *to = open_file(v->temporary, f, ".surfaces.vtp");
        if (!to || !close_file(to, vtp_surfaces_write(to, f->world, f->time))) return false;
        v->surfaces = f->tick;
    }
    v->places = places;
    if (places) list_file(e, f->time, 1, v->surfaces, ".surfaces.vtp");
    return true;
}

static bool add_points(const char *folder, const frame *f, const char *ending)
{
    int64_t *cells = malloc((f->rows->count + 1) * sizeof *cells); /* 0, 1, 2 ... */
    if (!cells) return errno = ENOMEM, false;
    for (int64_t i = 0; i <= f->rows->count; ++i) cells[i] = i;
    FILE *to = open_file(folder, f, ending);
    if (to) write_frame(to, f, cells);
    int why = errno;
    free(cells);
    errno = why;
    return to && close_file(to, true);
}

static bool add_piece(const char *folder, const frame *f, uint32_t piece)
{
    char ending[sizeof ".4294967295.vtp"];
    snprintf(ending, sizeof ending, ".%u.vtp", piece);
    return add_points(folder, f, ending);
}

static void write_index(FILE *to, const frame *f)
{
    vtp_array arrays[ARRAYS];
    list_arrays(f->rows, NULL, arrays);
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"PPolyData\" version=\"1.0\" "
          "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PPolyData GhostLevel=\"0\">\n",
          to);
    for (int k = 0; k < CARRIED; ++k) {
        if (k == 0) fputs("<PPoints>\n", to);
        if (k == 1) fprintf(to, "</PPoints>\n<P%s", point_data);
        fprintf(to, "<PDataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%u\"/>\n",
                arrays[k].type, arrays[k].name, arrays[k].columns);
    }
    fputs("</PPointData>\n", to);
    for (uint32_t k = 0; k < f->pieces; ++k)
        fprintf(to, "<Piece Source=\"%06llu.%u.vtp\"/>\n", (unsigned long long)f->tick, k);
    fputs("</PPolyData>\n</VTKFile>\n", to);
}

/* The index of the pieces of a frame. */
static bool add_index(const char *folder, const frame *f)
{
    FILE *to = open_file(folder, f, ".pvtp");
    if (to) write_index(to, f);
    return to && close_file(to, true);
}

static bool add(exporter *e, const frame *f)
{
    const vtp *v = e->state;
    list_file(e, f->time, 0, f->tick, f->pieces ? ".pvtp" : ".vtp");
    bool good = f->pieces ? add_piece(v->temporary, f, 0) && add_index(v->temporary, f)
                          : add_points(v->temporary, f, ".vtp");
    return good && add_surfaces(e, f);
}

static const char *folder_of(const exporter *e)
{
    const vtp *v = e->state;
    return v->temporary;
}

static bool add_contacts(exporter *e, const frame *f)
{
    const vtp *v = e->state;
    list_file(e, f->time, 0, f->tick, ".vtp");
    FILE *to = open_file(v->temporary, f, ".vtp");
    return to && close_file(to, vtp_contacts_write(to, f));
}

const export_format export_network = {.name = "network",
                                      .endings = {".contacts.pvd"},
                                      .details = true,
                                      .contacts = true,
                                      .named = true,
                                      .begin = begin,
                                      .add = add_contacts,
                                      .finish = finish,
                                      .release = release};

const export_format export_vtp = {.name = "vtp",
                                  .endings = {".pvd"},
                                  .details = true,
                                  .named = true,
                                  .begin = begin,
                                  .add = add,
                                  .folder = folder_of,
                                  .add_piece = add_piece,
                                  .finish = finish,
                                  .release = release};
