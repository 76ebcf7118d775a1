/* Collects the cells of a table and writes those that tell something (page_table.h). */
#include "page_table.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MOST = 32, CELL_MOST = 64 };

static struct {
    const column *columns;
    int count;
    char (*cells)[CELL_MOST];
    size_t used, room;
    double spread; /* the largest; -1 without one */
} table;

/* True for a column that is in JSON and on the terminal alone: the best of several times, and what
 * explains a time but does not compare engines. */
static bool is_left_out(const column *c)
{
    static const char *const keys[] = {"seconds_slowest",
                                       "mean_depth",
                                       "substeps",
                                       "seconds_a_substep",
                                       "seconds_a_contact",
                                       "seconds_a_meeting",
                                       "budgets_exhausted",
                                       "seconds_an_impact",
                                       "stream_seconds",
                                       "collectives",
                                       "length",
                                       "bullets",
                                       "ratio_of_plane",
                                       "seconds_compute",
                                       "held_bytes",
                                       "stream_share",
                                       "messages",
                                       "ratio_of_runs"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; ++k) {
        if (strcmp(c->key, keys[k]) == 0) return true;
    }
    const char *end = strrchr(c->key, '_');
    return end && (strcmp(end, "_least") == 0 || strstr(c->key, "_a_second_most"));
}

static bool is_spread(const column *c) { return strstr(c->key, "spread") != NULL; }

void page_table_begin(const column *columns, int count)
{
    if (count > COLUMNS_MOST) abort();
    table.columns = columns, table.count = count;
    table.used = 0, table.spread = -1;
}

void page_table_add(const char *text, double value)
{
    if (table.used == table.room) {
        table.room = table.room ? 2 * table.room : 256;
        table.cells = realloc(table.cells, table.room * sizeof *table.cells);
        if (!table.cells) abort();
    }
    snprintf(table.cells[table.used], CELL_MOST, "%s", text);
    const column *c = &table.columns[table.used++ % (size_t)table.count];
    if (is_spread(c)) table.spread = fmax(table.spread, c->scale * value);
}

static const char *cell_at(size_t row, int k)
{
    return table.cells[row * (size_t)table.count + (size_t)k];
}

static bool is_missing(const char *text) { return strcmp(text, "-") == 0; }

/* The one value of a column with several rows, or NULL. "-" if all are missing. */
static const char *only_value(int k, size_t rows, bool *in_all)
{
    const char *value = "-";
    *in_all = true;
    for (size_t row = 0; row < rows; ++row) {
        const char *text = cell_at(row, k);
        if (is_missing(text)) *in_all = false;
        else if (is_missing(value)) value = text;
        else if (strcmp(text, value) != 0) return NULL;
    }
    return rows > 1 ? value : NULL;
}

/* @return the number of columns that the page has, their numbers in `shown` */
static int choose(int shown[COLUMNS_MOST], size_t rows)
{
    bool in_all;
    int count = 0;
    for (int k = 0; k < table.count; ++k) {
        const column *c = &table.columns[k];
        if (!is_left_out(c) && !is_spread(c) && !only_value(k, rows, &in_all)) shown[count++] = k;
    }
    return count;
}

static void write_row(FILE *page, size_t row, const int *shown, int count)
{
    bool same = row > 0;
    fputs("|", page);
    for (int k = 0; k < count; ++k) {
        const char *text = cell_at(row, shown[k]);
        same = same && k < count - 1 && strcmp(text, cell_at(row - 1, shown[k])) == 0;
        fprintf(page, " %s |", same ? "" : text);
    }
    fputs("\n", page);
}

/* The values that all rows share, and the largest spread. */
static void write_notes(FILE *page, size_t rows)
{
    const char *before = "\nAll rows: ";
    bool in_all;
    for (int k = 0; k < table.count; ++k) {
        const column *c = &table.columns[k];
        const char *value = only_value(k, rows, &in_all);
        if (is_left_out(c) || is_spread(c) || !value || !in_all) continue;
        fprintf(page, "%s%s %s", before, c->head, value);
        before = ", ";
    }
    bool none = before[0] == '\n';
    if (table.spread >= 0)
        fprintf(page, "%spread at most %.1f%%", none ? "\nS" : "; s", table.spread);
    if (table.spread >= 0 || !none) fputs(".\n", page);
}

unsigned page_table_write(FILE *page)
{
    if (!table.columns) return 0;
    int shown[COLUMNS_MOST];
    size_t rows = table.used / (size_t)table.count;
    int count = choose(shown, rows);
    fputs("|", page);
    for (int k = 0; k < count; ++k) fprintf(page, " %s |", table.columns[shown[k]].head);
    fputs("\n|", page);
    for (int k = 0; k < count; ++k)
        fputs(strchr(table.columns[shown[k]].form, 's') ? "---|" : "--:|", page);
    fputs("\n", page);
    for (size_t row = 0; row < rows; ++row) write_row(page, row, shown, count);
    write_notes(page, rows);
    free(table.cells);
    memset(&table, 0, sizeof table);
    return (unsigned)rows;
}
