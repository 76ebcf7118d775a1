/* See vtp_contacts.h. */
#include "vtp_contacts.h"

#include "contact_rows.h"
#include "vtp_arrays.h"

/* Columns of the lines. */
typedef struct lines {
    double *points, *force, *friction, *gap; /* [6 n], m; [n], N; [3 n], N; [n], m */
    int64_t *corners, *ends;                 /* [2 n]: 0, 1, 2 ...; [n]: 2, 4, 6 ... */
    uint32_t *a, *target, *index;            /* [n]: id; kugel_target; its index, or id */
} lines;

/* The columns are parts of one block of memory. */
static void *make_lines(lines *l, size_t n)
{
    double *block = malloc((n + 1) * (6 + 1 + 3 + 1 + 2 + 1 + 2) * sizeof *block);
    l->points = block;
    l->force = l->points + 6 * n;
    l->friction = l->force + n;
    l->gap = l->friction + 3 * n;
    l->corners = (int64_t *)(l->gap + n);
    l->ends = l->corners + 2 * n;
    l->a = (uint32_t *)(l->ends + n);
    l->target = l->a + n;
    l->index = l->target + n;
    return block;
}

static void set_line(lines *l, size_t i, const kugel_resting_contact *c, const row_set *rows)
{
    uint32_t a = kugel_body_id(c->a);
    bool pair = c->target == KUGEL_TARGET_BODY;
    double own = rows->radius[rows_find(rows, a)];
    double ahead = pair ? c->gap + rows->radius[rows_find(rows, c->index)] : 0;
    for (int k = 0; k < 3; ++k) {
        l->points[6 * i + (size_t)k] = c->point[k] - own * c->normal[k];
        l->points[6 * i + 3 + (size_t)k] = c->point[k] + ahead * c->normal[k];
        l->friction[3 * i + (size_t)k] = c->friction[k];
    }
    l->force[i] = c->force;
    l->gap[i] = c->gap;
    l->corners[2 * i] = (int64_t)(2 * i);
    l->corners[2 * i + 1] = (int64_t)(2 * i + 1);
    l->ends[i] = (int64_t)(2 * i + 2);
    l->a[i] = a;
    l->target[i] = (uint32_t)c->target;
    l->index[i] = c->index;
}

static void write_lines(FILE *to, const lines *l, uint64_t n, double time)
{
    enum { POINTS, CARRIED, CORNERS = 7, ARRAYS = 9 };
    const vtp_array arrays[ARRAYS] = {{"Float64", "Points", l->points, 8, 3},
                                      {"Float64", "force", l->force, 8, 1},
                                      {"Float64", "friction", l->friction, 8, 3},
                                      {"Float64", "gap", l->gap, 8, 1},
                                      {"UInt32", "a", l->a, 4, 1},
                                      {"UInt32", "target", l->target, 4, 1},
                                      {"UInt32", "index", l->index, 4, 1},
                                      {"Int64", "connectivity", l->corners, 8, 1},
                                      {"Int64", "offsets", l->ends, 8, 1}};
    uint64_t place = 0;
    fprintf(to,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
            "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
            "<PolyData>\n<FieldData><DataArray type=\"Float64\" Name=\"TimeValue\" "
            "NumberOfTuples=\"1\" format=\"ascii\">%.17g</DataArray>"
            "</FieldData>\n<Piece NumberOfPoints=\"%llu\" NumberOfLines=\"%llu\">\n<Points>\n",
            time, 2 * (unsigned long long)n, (unsigned long long)n);
    vtp_declare(to, &arrays[POINTS], 2 * n, &place);
    fputs("</Points>\n<CellData Scalars=\"force\" Vectors=\"friction\">\n", to);
    for (int k = CARRIED; k < CORNERS; ++k) vtp_declare(to, &arrays[k], n, &place);
    fputs("</CellData>\n<Lines>\n", to);
    vtp_declare(to, &arrays[CORNERS], 2 * n, &place);
    vtp_declare(to, &arrays[CORNERS + 1], n, &place);
    fputs("</Lines>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_", to);
    for (int k = 0; k < ARRAYS; ++k)
        vtp_append(to, &arrays[k], k == POINTS || k == CORNERS ? 2 * n : n);
    fputs("\n</AppendedData>\n</VTKFile>\n", to);
}

bool vtp_contacts_write(FILE *to, const frame *f)
{
    contact_rows contacts = {0};
    lines l;
    bool good = contact_rows_read(&contacts, f->world);
    void *block = good ? make_lines(&l, contacts.count) : NULL;
    if (block) {
        for (size_t i = 0; i < contacts.count; ++i) set_line(&l, i, &contacts.rows[i], f->rows);
        write_lines(to, &l, contacts.count, f->time);
    } else errno = ENOMEM;
    free(block);
    contact_rows_free(&contacts);
    return block && !ferror(to);
}
