/* Resting contacts in csv: a row for each contact of a frame. What a touches is the body, face
 * or surface `index`. force is the normal force, N; fx, fy, fz the whole force on a. */
#include "contact_rows.h"
#include "format.h"

bool contact_rows_read(contact_rows *contacts, const kugel_world *world)
{
    size_t count = 0;
    if (kugel_world_contacts(world, contacts->capacity, contacts->rows, &count)) return false;
    if (count > contacts->capacity) {
        kugel_resting_contact *rows = realloc(contacts->rows, count * sizeof *rows);
        if (!rows) return false;
        contacts->rows = rows, contacts->capacity = count;
        if (kugel_world_contacts(world, count, rows, &count)) return false;
    }
    contacts->count = count;
    return true;
}

void contact_rows_free(contact_rows *contacts) { free(contacts->rows); }

static bool begin(exporter *e)
{
    e->state = calloc(1, sizeof(contact_rows));
    return e->state &&
           fputs("tick,time,a,target,index,x,y,z,nx,ny,nz,gap,force,fx,fy,fz\n", e->to) >= 0;
}

static bool add(exporter *e, const frame *f)
{
    static const char *const targets[] = {[KUGEL_TARGET_BODY] = "body",
                                          [KUGEL_TARGET_FACE] = "face",
                                          [KUGEL_TARGET_SURFACE] = "surface"};
    contact_rows *contacts = e->state;
    if (!contact_rows_read(contacts, f->world)) return errno = ENOMEM, false;
    for (size_t i = 0; i < contacts->count; ++i) {
        const kugel_resting_contact *c = &contacts->rows[i];
        const double *x = c->point, *n = c->normal, *t = c->friction;
        fprintf(e->to,
                "%llu,%.17g,%u,%s,%u,%.17g,%.17g,%.17g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n",
                (unsigned long long)f->tick, f->time, kugel_body_id(c->a), targets[c->target],
                c->index, x[0], x[1], x[2], n[0], n[1], n[2], c->gap, c->force,
                t[0] - c->force * n[0], t[1] - c->force * n[1], t[2] - c->force * n[2]);
    }
    return true;
}

static void release(exporter *e)
{
    if (e->state) contact_rows_free(e->state);
    free(e->state);
}

const export_format export_contacts = {.name = "contacts",
                                       .endings = {".contacts.csv"},
                                       .contacts = true,
                                       .begin = begin,
                                       .add = add,
                                       .release = release};
