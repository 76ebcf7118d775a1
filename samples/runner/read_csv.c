/* Reads bodies from csv: a header names the columns, and each row is a body. A `type` is a word or
 * the number of a kugel_body_type; an empty field means the default value. Successive rows of one
 * tick are a frame, as kugel-run --csv writes them. */
#include <stdio.h>
#include <string.h>

#include "arrays.h"
#include "body_table.h"
#include "nearest.h"
#include "text.h"

/* A field without the spaces and the quotes around it. */
static slice plain_field(slice field)
{
    field = slice_trim(field);
    bool quoted = field.size > 1 && field.from[0] == '"' && field.from[field.size - 1] == '"';
    return quoted ? slice_trim((slice){field.from + 1, field.size - 2}) : field;
}

static bool find_column(const body_table *table, slice name, column *out)
{
    if (!name.size)
        return table_refuse(table, 1, "needs the names of the columns, one of them is empty");
    char word[40];
    snprintf(word, sizeof word, "%.*s", (int)name.size, name.from);
    nearest n = nearest_to(word);
    for (int k = 0; k < NAMED_COLUMNS; ++k) {
        if (slice_is(name, column_names[k])) return *out = (column)k, true;
        nearest_offer(&n, column_names[k]);
    }
    if (n.name) return table_refuse(table, 1, "%s: unknown column; did you mean %s?", word, n.name);
    if (strpbrk(word, ";\t "))
        return table_refuse(table, 1, "%s: unknown column; columns are separated by commas", word);
    return table_refuse(table, 1, "%s: unknown column", word);
}

/* Read the columns of the header into an stb_ds array. */
static bool read_head(const body_table *table, slice line, column **columns)
{
    uint64_t seen = 0;
    for (slice field; slice_field(&line, ',', &field);) {
        column column = COLUMN_X;
        if (!find_column(table, plain_field(field), &column)) return false;
        if (seen >> column & 1)
            return table_refuse(table, 1, "%s: appears twice", column_names[column]);
        seen |= (uint64_t)1 << column;
        arrput(*columns, column);
    }
    for (int k = 0; k < 3; ++k) {
        if (!(seen >> (COLUMN_X + k) & 1))
            return table_refuse(table, 1, "needs a column %s", column_names[COLUMN_X + k]);
    }
    return true;
}

/* The value of a field: a number, or of a type also a word. */
static bool get_value(const body_table *table, uint64_t line, slice field, column column,
                      double *value)
{
    static const char *const types[] = {"dynamic", "static", "kinematic"};
    for (int k = 0; column == COLUMN_TYPE && k < 3; ++k) {
        if (slice_is(field, types[k])) return *value = k, true;
    }
    if (slice_number(field, value)) return true;
    if (column == COLUMN_TYPE)
        return table_refuse(table, line, "type: must be dynamic, static or kinematic, got '%.*s'",
                            field.size < 40 ? (int)field.size : 40, field.from);
    return table_refuse(table, line, "%s: must be a number, got '%.*s'", column_names[column],
                        field.size < 40 ? (int)field.size : 40, field.from);
}

static bool read_row(const body_table *table, slice line, const column *columns, table_row *row)
{
    size_t k = 0, count = arrlenu(columns);
    for (slice field; slice_field(&line, ',', &field); ++k) {
        double value;
        field = plain_field(field);
        if (k >= count || !field.size) continue;
        if (!get_value(table, row->place, field, columns[k], &value) ||
            !table_set(table, row, columns[k], value))
            return false;
    }
    return k == count ||
           table_refuse(table, row->place, "has %zu fields, the header has %zu", k, count);
}

static bool read_rows(body_table *table, text *text, const column *columns)
{
    double last = NAN;
    bool taken = false, first = true;
    if (!table->one_tick) table->found = true; /* a file without rows is a frame without bodies */
    for (slice line; text_line(text, &line);) {
        table_row row = table_row_at(text->line);
        if (!slice_trim(line).size) continue;
        if (!read_row(table, line, columns, &row)) return false;
        double tick = isnan(row.values[COLUMN_TICK]) ? 0 : row.values[COLUMN_TICK];
        if (first || tick != last) taken = table_frame(table, (uint64_t)tick);
        first = false;
        last = tick;
        if (taken && !table_add(table, &row)) return false;
    }
    return true;
}

bool read_csv(body_table *table, const char *data, size_t size)
{
    bool marked = size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0; /* the mark of UTF-8 */
    text text = text_of(data + (marked ? 3 : 0), size - (marked ? 3 : 0));
    slice line;
    column *columns = NULL;
    if (!text_line(&text, &line)) return table_refuse(table, 1, "needs a header: x,y,z,...");
    bool good = read_head(table, line, &columns) && read_rows(table, &text, columns);
    arrfree(columns);
    return good;
}
