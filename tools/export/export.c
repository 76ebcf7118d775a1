/* See export.h. */
#include "export.h"

#include "format.h"

/* Of endings that a name has, the first counts. */
static const export_format *const formats[] = {
    &export_contacts, &export_network, &export_csv, &export_xyz,   &export_npy,
    &export_vtp,      &export_lammps,  &export_gsd, &export_video, &export_png};
enum { FORMATS = sizeof formats / sizeof *formats };

const char export_names[] = "csv, xyz, npy, vtp, lammps, gsd, contacts, network, video, png";

static bool ends_with(const char *file, const char *ending)
{
    size_t length = strlen(file), end = strlen(ending);
    return length > end && strcmp(file + length - end, ending) == 0;
}

static bool has_ending(const export_format *format, const char *file)
{
    for (int k = 0; k < 4 && format->endings[k]; ++k)
        if (ends_with(file, format->endings[k])) return true;
    return false;
}

const export_format *export_find(const char *name, const char *file)
{
    for (int k = 0; k < FORMATS; ++k)
        if (name ? strcmp(name, formats[k]->name) == 0 : has_ending(formats[k], file))
            return formats[k];
    return NULL;
}

const char *export_wrong_ending(const export_format *format, const char *file)
{
    if (!format->fits || format->fits(file)) return NULL;
    return format == &export_png ? ".png" : ".mp4, .webm or .gif";
}

const char *export_problem(const exporter *e) { return e->problem ? e->problem : strerror(errno); }

bool export_streams(const export_format *format) { return !format->named; }

bool export_has_images(const export_format *format) { return format->details; }

bool export_has_contacts(const export_format *format) { return format->contacts; }

/* A format that seeks needs a regular file of its own. If the output is a pipe, a device, or a file
 * that the shell opened, it writes to an unnamed temporary file first. */
bool export_open(exporter *e, const export_format *format, const char *file,
                 const picture_look *look)
{
    *e = (exporter){.format = format};
    if (look) e->look = *look;
    if (!atomic_file_open(&e->file, file)) {
        e->format = NULL;
        return false;
    }
    e->to = format->seeks && !e->file.temporary ? tmpfile() : e->file.file;
    if (e->to && (!format->begin || format->begin(e))) return true;
    int why = errno;
    export_abandon(e);
    return errno = why, false;
}

/* Each face of an axis is open or closed by itself. */
static bool find_box(frame *f, const kugel_world *world)
{
    kugel_world_def def;
    if (kugel_world_get_def(world, &def) != KUGEL_OK) return errno = EINVAL, false;
    const row_set *rows = f->rows;
    f->closed = true;
    for (int k = 0; k < 3; ++k) {
        double low = rows->count ? rows->position[k] - rows->radius[0] : 0, high = low;
        for (size_t i = 0; i < rows->count; ++i) {
            double x = rows->position[3 * i + (size_t)k], r = rows->radius[i];
            low = x - r < low ? x - r : low;
            high = x + r > high ? x + r : high;
        }
        const kugel_face *faces = def.bounds.faces + 2 * k;
        f->low[k] = faces[0] == KUGEL_FACE_OPEN ? low : def.bounds.min[k];
        f->high[k] = faces[1] == KUGEL_FACE_OPEN ? high : def.bounds.max[k];
        if (!(f->high[k] > f->low[k])) f->high[k] = f->low[k] + 1; /* no bodies */
        for (int side = 0; side < 2; ++side) {
            f->faces[2 * k + side] = faces[side];
            f->closed = f->closed && faces[side] != KUGEL_FACE_OPEN;
        }
    }
    return true;
}

/* The smallest mass that a body may have stands for an infinite one: velocities are momenta over
 * masses, and sums are those of the dynamic bodies. */
static void read_details(row_set *rows, const kugel_world *world)
{
    rows_read_details(rows, world);
    for (uint32_t i = 0; i < rows->count; ++i)
        if (rows->mass[i] == 0) rows->mass[i] = 1e-30;
}

/* Fill in the rows and the box of a frame. `recorded`: NULL, or the state to take instead of the
 * world's. */
static bool read_frame(frame *f, row_set *rows, const export_format *format,
                       const kugel_recorded *recorded)
{
    f->rows = rows;
    if (!rows_read(rows, f->world)) return errno = ENOMEM, false;
    if (recorded && !rows_replace(rows, recorded)) return errno = EINVAL, false;
    if (!format->details) return true;
    read_details(rows, f->world);
    return find_box(f, f->world);
}

static bool add_frame(exporter *e, frame *f, const kugel_recorded *recorded)
{
    if (!e->format) return true;
    f->number = e->frames;
    if (!read_frame(f, &e->rows, e->format, recorded) || !e->format->add(e, f)) return false;
    ++e->frames;
    return !ferror(e->to) && fflush(e->to) == 0 && atomic_file_good(&e->file);
}

bool export_add(exporter *e, const kugel_world *world, uint64_t tick, double time, uint32_t pieces)
{
    return add_frame(e, &(frame){.tick = tick, .time = time, .world = world, .pieces = pieces},
                     NULL);
}

bool export_add_recorded(exporter *e, const kugel_world *world, const kugel_recorded *recorded,
                         uint64_t tick, double time)
{
    return add_frame(
        e, &(frame){.tick = tick, .time = time, .world = world, .has_no_contacts = recorded},
        recorded);
}

const char *export_folder(const exporter *e)
{
    return e->format && e->format->folder ? e->format->folder(e) : NULL;
}

bool export_write_piece(const export_format *format, const char *folder, uint32_t piece,
                        const kugel_world *world, uint64_t tick, double time)
{
    frame f = {.tick = tick, .time = time, .world = world};
    row_set rows = {0};
    bool good = read_frame(&f, &rows, format, NULL) && format->add_piece(folder, &f, piece);
    int why = errno;
    rows_free(&rows);
    return errno = why, good;
}

/* Copy from the seekable stream to the output. */
static bool copy(exporter *e)
{
    char block[1 << 14];
    if (e->to == e->file.file) return true;
    if (fflush(e->to) != 0 || fseek(e->to, 0, SEEK_SET) != 0) return false;
    for (size_t n; (n = fread(block, 1, sizeof block, e->to)) > 0;) {
        if (fwrite(block, 1, n, e->file.file) != n) return false;
    }
    return !ferror(e->to);
}

static void release(exporter *e)
{
    if (e->to && e->to != e->file.file) fclose(e->to);
    e->to = NULL;
    rows_free(&e->rows);
    if (e->format->release) e->format->release(e);
    e->format = NULL;
}

bool export_finish(exporter *e)
{
    if (!e->format) return true;
    if ((e->format->finish && !e->format->finish(e)) || !copy(e)) {
        int why = errno;
        export_abandon(e);
        return errno = why, false;
    }
    atomic_file file = e->file;
    bool written = e->written = atomic_file_finish(&file);
    int why = errno;
    release(e);
    return errno = why, written;
}

void export_abandon(exporter *e)
{
    if (!e->format) return;
    atomic_file file = e->file;
    release(e);
    atomic_file_abandon(&file);
}
