/* NumPy's format (version 1.0): one table with a row for each body and frame, 8-byte columns;
 * numpy.load(f)["position"]. The header has a fixed size and is rewritten at the end with the
 * number of rows. */
#include "format.h"

enum { HEAD = 320 /* a multiple of 64 */ };

static void write_head(exporter *e, uint64_t rows)
{
    char text[HEAD - 10];
    int n = snprintf(
        text, sizeof text,
        "{'descr': [('tick', '<u8'), ('time', '<f8'), ('id', '<u8'), ('position', '<f8', (3,)), "
        "('velocity', '<f8', (3,)), ('spin', '<f8', (3,)), ('radius', '<f8'), "
        "('mass', '<f8'), ('image', '<i8', (3,))], "
        "'fortran_order': False, 'shape': (%llu,), }",
        (unsigned long long)rows);
    memset(text + n, ' ', sizeof text - (size_t)n - 1);
    text[sizeof text - 1] = '\n';
    uint16_t size = sizeof text;
    fwrite("\x93NUMPY\1\0", 1, 8, e->to);
    write_numbers(e->to, &size, 2, 1);
    fwrite(text, 1, sizeof text, e->to);
}

static bool begin(exporter *e)
{
    e->state = calloc(1, sizeof(uint64_t)); /* rows written */
    if (e->state) write_head(e, 0);
    return e->state;
}

static bool add(exporter *e, const frame *f)
{
    const row_set *rows = f->rows;
    uint64_t *written = e->state;
    for (size_t i = 0; i < rows->count; ++i) {
        uint64_t id = rows->ids[i];
        write_numbers(e->to, &f->tick, 8, 1);
        write_numbers(e->to, &f->time, 8, 1);
        write_numbers(e->to, &id, 8, 1);
        write_numbers(e->to, rows->position + 3 * i, 8, 3);
        write_numbers(e->to, rows->velocity + 3 * i, 8, 3);
        write_numbers(e->to, rows->spin + 3 * i, 8, 3);
        write_numbers(e->to, rows->radius + i, 8, 1);
        write_numbers(e->to, rows->mass + i, 8, 1);
        for (size_t k = 0; k < 3; ++k) {
            int64_t image = rows->image[3 * i + k];
            write_numbers(e->to, &image, 8, 1);
        }
    }
    *written += rows->count;
    return true;
}

static bool finish(exporter *e)
{
    if (fseek(e->to, 0, SEEK_SET) != 0) return false;
    write_head(e, *(uint64_t *)e->state);
    return true;
}

static void release(exporter *e) { free(e->state); }

const export_format export_npy = {.name = "npy",
                                  .endings = {".npy"},
                                  .details = true,
                                  .seeks = true,
                                  .begin = begin,
                                  .add = add,
                                  .finish = finish,
                                  .release = release};
