/* Line formats: csv, extended XYZ, LAMMPS dump. Positions are written with enough digits to restore
 * the same double, other numbers with 9 digits. */
#include "format.h"

typedef unsigned long long ull;

/* CSV: a contract with other programs. */

static bool begin_csv(exporter *e)
{
    return fputs("tick,time,id,x,y,z,vx,vy,vz,wx,wy,wz\n", e->to) >= 0;
}

static bool add_csv(exporter *e, const frame *f)
{
    const row_set *rows = f->rows;
    for (size_t i = 0; i < rows->count; ++i) {
        const double *x = rows->position + 3 * i, *v = rows->velocity + 3 * i,
                     *w = rows->spin + 3 * i;
        fprintf(e->to, "%llu,%.17g,%u,%.17g,%.17g,%.17g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n",
                (ull)f->tick, f->time, rows->ids[i], x[0], x[1], x[2], v[0], v[1], v[2], w[0], w[1],
                w[2]);
    }
    return true;
}

const export_format export_csv = {
    .name = "csv", .endings = {".csv"}, .begin = begin_csv, .add = add_csv};

/* Extended XYZ: a block a frame. OVITO maps velo, radius, id and mass. ASE reads masses and
 * momenta as its own arrays and derives velocities; "X" is its species without an element. Only a
 * box without an open face is written: readers take it for the whole of the system. */

static bool add_xyz(exporter *e, const frame *f)
{
    const row_set *rows = f->rows;
    fprintf(e->to,
            "%u\nProperties=species:S:1:pos:R:3:velo:R:3:radius:R:1:id:I:1:mass:R:1:masses:R:1:"
            "momenta:R:3:image:I:3 tick=%llu time=%.17g",
            rows->count, (ull)f->tick, f->time);
    if (f->closed) {
        const double *a = f->low, *b = f->high;
        fprintf(e->to,
                " Lattice=\"%.17g 0 0 0 %.17g 0 0 0 %.17g\" Origin=\"%.17g %.17g %.17g\" pbc=\"",
                b[0] - a[0], b[1] - a[1], b[2] - a[2], a[0], a[1], a[2]);
        for (int k = 0; k < 3; ++k)
            fprintf(e->to, "%s%c", k ? " " : "",
                    f->faces[2 * k] == KUGEL_FACE_PERIODIC ? 'T' : 'F');
        fputc('"', e->to);
    }
    fputc('\n', e->to);
    for (size_t i = 0; i < rows->count; ++i) {
        const double *x = rows->position + 3 * i, *v = rows->velocity + 3 * i;
        double m = rows->mass[i];
        const int32_t *image = rows->image + 3 * i;
        fprintf(e->to,
                "X %.17g %.17g %.17g %.9g %.9g %.9g %.9g %u %.9g %.9g %.9g %.9g %.9g %d %d %d\n",
                x[0], x[1], x[2], v[0], v[1], v[2], rows->radius[i], rows->ids[i], m, m, m * v[0],
                m * v[1], m * v[2], image[0], image[1], image[2]);
    }
    return true;
}

const export_format export_xyz = {
    .name = "xyz", .endings = {".xyz"}, .details = true, .add = add_xyz};

/* LAMMPS' text dump: walls are f, open faces s (the box ends at the bodies), periodic ones p.
 * Its ids count from 1: id is the body's plus 1. */

static bool add_lammps(exporter *e, const frame *f)
{
    static const char kind[] = {
        [KUGEL_FACE_OPEN] = 's', [KUGEL_FACE_WALL] = 'f', [KUGEL_FACE_PERIODIC] = 'p'};
    const row_set *rows = f->rows;
    if (f->number == 0) fputs("ITEM: UNITS\nsi\n", e->to);
    fprintf(e->to,
            "ITEM: TIME\n%.17g\nITEM: TIMESTEP\n%llu\nITEM: NUMBER OF ATOMS\n%u\nITEM: BOX BOUNDS",
            f->time, (ull)f->tick, rows->count);
    for (int k = 0; k < 3; ++k)
        fprintf(e->to, " %c%c", kind[f->faces[2 * k]], kind[f->faces[2 * k + 1]]);
    fputc('\n', e->to);
    for (int k = 0; k < 3; ++k) fprintf(e->to, "%.17g %.17g\n", f->low[k], f->high[k]);
    fputs("ITEM: ATOMS id type x y z vx vy vz omegax omegay omegaz radius mass ix iy iz\n", e->to);
    for (size_t i = 0; i < rows->count; ++i) {
        const double *x = rows->position + 3 * i, *v = rows->velocity + 3 * i,
                     *w = rows->spin + 3 * i;
        const int32_t *image = rows->image + 3 * i;
        fprintf(e->to,
                "%llu 1 %.17g %.17g %.17g %.9g %.9g %.9g %.9g %.9g %.9g %.9g %.9g %d %d %d\n",
                rows->ids[i] + 1ull, x[0], x[1], x[2], v[0], v[1], v[2], w[0], w[1], w[2],
                rows->radius[i], rows->mass[i], image[0], image[1], image[2]);
    }
    return true;
}

const export_format export_lammps = {
    .name = "lammps", .endings = {".lammpstrj"}, .details = true, .add = add_lammps};
