/* Reads bodies from NumPy's format: a structured array whose fields are columns of csv, or
 * position, velocity, spin, image and rotation with 3 or 4 numbers; or a plain array of n rows.
 * Its first 3, 6 or 9 columns are position, velocity and spin; one more column is the radius, two
 * more are radius and mass. Successive rows of one tick are a frame. */
#include <stdio.h>
#include <string.h>

#include "binary.h"
#include "body_table.h"
#include "nearest.h"
#include "text.h"

enum { FIELDS = 64, HEAD = 10, MOST_PADDING = 1024 /* bytes between two fields */ };

/* A field of a row: numbers of one type. */
typedef struct field {
    column first;   /* column of the first number */
    unsigned parts; /* number of columns */
    number_type type;
    size_t at; /* bytes from the start of the row */
} field;

typedef struct npy {
    field fields[FIELDS];
    size_t count;
    size_t row_size; /* bytes */
    uint64_t seen;   /* columns that a field has, a bit each */
    uint64_t rows;
    const char *data;
} npy;

/* A place in the header, which is the text of a Python dictionary. */
typedef struct cursor {
    const char *at, *end;
} cursor;

static void skip_spaces(cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\n')) ++c->at;
}

static bool take(cursor *c, char wanted)
{
    skip_spaces(c);
    if (c->at == c->end || *c->at != wanted) return false;
    ++c->at;
    return true;
}

/* 'text' */
static bool take_text(cursor *c, slice *text)
{
    if (!take(c, '\'')) return false;
    const char *stop = memchr(c->at, '\'', (size_t)(c->end - c->at));
    if (!stop) return false;
    *text = (slice){c->at, (size_t)(stop - c->at)};
    c->at = stop + 1;
    return true;
}

static bool take_count(cursor *c, uint64_t *count)
{
    skip_spaces(c);
    size_t n = 0;
    while (c->at + n < c->end && c->at[n] >= '0' && c->at[n] <= '9') ++n;
    slice digits = {c->at, n};
    c->at += n;
    return slice_count(digits, count);
}

/* Read "(3,)" or "(3, 4)"; `count` receives the number of dimensions, at most 2. */
static bool take_shape(cursor *c, uint64_t shape[2], int *count)
{
    *count = 0;
    if (!take(c, '(')) return false;
    while (!take(c, ')')) {
        if (*count == 2 || !take_count(c, &shape[*count])) return false;
        ++*count;
        if (!take(c, ',')) return take(c, ')');
    }
    return true;
}

static bool refuse_head(const body_table *table, const char *why)
{
    return table_refuse(table, 0, "is not a .npy file that can be read: %s", why);
}

/* "<f8" */
static bool get_type(const body_table *table, slice text, number_type *type)
{
    if (text.size == 3 && strchr("<>|=", text.from[0])) {
        *type = (number_type){text.from[1], (uint8_t)(text.from[2] - '0'), text.from[0] == '>'};
        uint8_t n = type->size;
        bool whole =
            (type->kind == 'i' || type->kind == 'u') && (n == 1 || n == 2 || n == 4 || n == 8);
        if (whole || (type->kind == 'f' && (n == 4 || n == 8)) || (type->kind == 'b' && n == 1))
            return true;
    }
    return table_refuse(table, 0,
                        "type '%.*s' cannot be read: whole numbers or floats of 4 or 8 "
                        "bytes are needed",
                        text.size < 20 ? (int)text.size : 20, text.from);
}

static bool find_field(const body_table *table, slice name, field *field)
{
    static const struct {
        const char *name;
        column first;
        unsigned parts;
    } vectors[] = {{"position", COLUMN_X, 3},
                   {"velocity", COLUMN_VX, 3},
                   {"spin", COLUMN_WX, 3},
                   {"image", COLUMN_IX, 3},
                   {"rotation", COLUMN_QX, 4}};
    char word[40];
    snprintf(word, sizeof word, "%.*s", (int)name.size, name.from);
    nearest n = nearest_to(word);
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k) {
        field->first = vectors[k].first;
        field->parts = vectors[k].parts;
        if (slice_is(name, vectors[k].name)) return true;
        nearest_offer(&n, vectors[k].name);
    }
    field->parts = 1;
    for (int k = 0; k < NAMED_COLUMNS; ++k) {
        field->first = (column)k;
        if (slice_is(name, column_names[k])) return true;
        nearest_offer(&n, column_names[k]);
    }
    if (n.name) return table_refuse(table, 0, "%s: unknown field; did you mean %s?", word, n.name);
    return table_refuse(table, 0, "%s: unknown field", word);
}

/* True of padding, a field like "|V4" without a name, which dtypes with align=True contain. */
static bool skip_padding(slice name, slice type, npy *npy)
{
    uint64_t bytes;
    if (name.size || type.size < 3 || type.from[1] != 'V') return false;
    if (!slice_count((slice){type.from + 2, type.size - 2}, &bytes) || bytes > MOST_PADDING)
        return false;
    npy->row_size += (size_t)bytes;
    return true;
}

/* ('name', '<f8') or ('name', '<f8', (3,)) */
static bool take_field(const body_table *table, cursor *c, npy *npy)
{
    slice name, type;
    uint64_t shape[2] = {1, 1};
    int dimensions = 0;
    if (!take(c, '(') || !take_text(c, &name) || !take(c, ',') || !take_text(c, &type) ||
        (take(c, ',') && !take_shape(c, shape, &dimensions)) || !take(c, ')'))
        return refuse_head(table, "its descr is not a list of names and types");
    if (skip_padding(name, type, npy)) return true;
    if (npy->count == FIELDS) return refuse_head(table, "too many fields");
    field *field = &npy->fields[npy->count++];
    if (!find_field(table, name, field) || !get_type(table, type, &field->type)) return false;
    uint64_t columns = (((uint64_t)1 << field->parts) - 1) << field->first;
    if (npy->seen & columns)
        return table_refuse(table, 0, "%.*s: appears twice", (int)name.size, name.from);
    npy->seen |= columns;
    if (dimensions > 1 || (dimensions ? shape[0] : 1) != field->parts)
        return table_refuse(table, 0, "%.*s: must have %u numbers a row", (int)name.size, name.from,
                            field->parts);
    field->at = npy->row_size;
    npy->row_size += (size_t)field->type.size * field->parts;
    return true;
}

/* Read the fields. Of a plain array only the type is known now, in fields[0]. */
static bool take_descr(const body_table *table, cursor *c, npy *npy)
{
    slice type;
    if (!take(c, '['))
        return take_text(c, &type) ? get_type(table, type, &npy->fields[0].type)
                                   : refuse_head(table, "its descr is neither a type nor a list");
    while (!take(c, ']')) {
        if (!take_field(table, c, npy)) return false;
        if (take(c, ',')) continue;
        if (!take(c, ']')) return refuse_head(table, "its descr does not end");
        break;
    }
    return npy->count > 0 || refuse_head(table, "its descr names no fields");
}

/* Make the fields of a plain array with this number of columns. */
static bool plan_columns(const body_table *table, npy *npy, uint64_t columns, bool fortran)
{
    static const column vectors[3] = {COLUMN_X, COLUMN_VX, COLUMN_WX};
    number_type type = npy->fields[0].type;
    uint64_t more = columns % 3, parts = columns / 3;
    if (parts < 1 || parts > 3)
        return table_refuse(table, 0, "must have 3 ... 11 columns, has %llu",
                            (unsigned long long)columns);
    for (uint64_t k = 0; k < columns; ++k) {
        column to = k < 3 * parts    ? (column)(vectors[k / 3] + k % 3)
                    : k == 3 * parts ? COLUMN_RADIUS
                                     : COLUMN_MASS;
        size_t stride = fortran ? (size_t)npy->rows * type.size : type.size;
        npy->fields[k] = (field){to, 1, type, k * stride};
    }
    npy->count = columns;
    npy->row_size = fortran ? type.size : (size_t)(3 * parts + more) * type.size;
    return true;
}

static bool read_dictionary(const body_table *table, cursor c, npy *npy, size_t *needed)
{
    uint64_t shape[2];
    int dimensions = 0;
    bool fortran = false, has_descr = false;
    if (!take(&c, '{')) return refuse_head(table, "it has no dictionary");
    while (!take(&c, '}')) {
        slice key;
        if (!take_text(&c, &key) || !take(&c, ':')) return refuse_head(table, "a key is wrong");
        skip_spaces(&c);
        if (slice_is(key, "descr")) {
            if (has_descr) return refuse_head(table, "descr appears twice");
            if (!take_descr(table, &c, npy)) return false;
            has_descr = true;
        } else if (slice_is(key, "fortran_order")) {
            fortran = c.at < c.end && *c.at == 'T';
            while (c.at < c.end && ((*c.at >= 'a' && *c.at <= 'z') || *c.at == 'T' || *c.at == 'F'))
                ++c.at;
        } else if (!slice_is(key, "shape") || !take_shape(&c, shape, &dimensions)) {
            return refuse_head(table, "its shape is not one or two numbers");
        }
        take(&c, ',');
    }
    bool plain = npy->count == 0;
    if (!has_descr || dimensions != (plain ? 2 : 1))
        return refuse_head(table, plain ? "a plain array must be two-dimensional"
                                        : "a structured array must be one-dimensional");
    npy->rows = shape[0];
    if (npy->rows > MOST_BODIES * (uint64_t)1000) return refuse_head(table, "it has too many rows");
    if (plain && !plan_columns(table, npy, shape[1], fortran)) return false;
    size_t width = plain ? npy->count * npy->fields[0].type.size : npy->row_size;
    *needed = (size_t)npy->rows * width;
    return true;
}

static bool read_head(const body_table *table, const char *data, size_t size, npy *npy)
{
    size_t at = HEAD, length, needed = 0;
    if (size < HEAD + 2 || memcmp(data, "\x93NUMPY", 6) != 0 || data[6] < 1 || data[6] > 3)
        return refuse_head(table, "it does not begin as one");
    length = (unsigned char)data[8] | (size_t)(unsigned char)data[9] << 8;
    if (data[6] > 1) length = binary_u32(data + 8), at += 2;
    if (length > size - at) return refuse_head(table, "it ends in its header");
    cursor c = {data + at, data + at + length};
    if (!read_dictionary(table, c, npy, &needed)) return false;
    npy->data = data + at + length;
    size_t left = size - at - length;
    return left >= needed ||
           table_refuse(table, 0, "has %zu bytes of numbers, its header needs %zu", left, needed);
}

static bool read_row(const body_table *table, const npy *npy, uint64_t index, table_row *row)
{
    const char *from = npy->data + index * npy->row_size;
    for (size_t k = 0; k < npy->count; ++k) {
        const field *f = &npy->fields[k];
        for (unsigned part = 0; part < f->parts; ++part) {
            double value = binary_number(from + f->at + (size_t)part * f->type.size, f->type);
            if (!table_set(table, row, (column)(f->first + part), value)) return false;
        }
    }
    return true;
}

bool read_npy(body_table *table, const char *data, size_t size)
{
    npy npy = {0};
    double last = NAN;
    bool taken = false;
    if (!read_head(table, data, size, &npy)) return false;
    if (!table->one_tick) table->found = true; /* no rows: no bodies */
    for (uint64_t i = 0; i < npy.rows; ++i) {
        table_row row = table_row_at(i + 1);
        if (!read_row(table, &npy, i, &row)) return false;
        double tick = isnan(row.values[COLUMN_TICK]) ? 0 : row.values[COLUMN_TICK];
        if (i == 0 || tick != last) taken = table_frame(table, (uint64_t)tick);
        last = tick;
        if (taken && !table_add(table, &row)) return false;
    }
    return true;
}
