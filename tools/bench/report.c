/* Writes the results as tables, JSON and Markdown. */
#include "report.h"

#include <errno.h>
#include <kugel/version.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "machine.h"
#include "page.h"
#include "page_table.h"

static FILE *json, *page;
static bool paged;         /* true when there is a page; `page` is its section */
static unsigned page_rows; /* of the section */
static char run[768];      /* command, day and machine */
static const char page_head[] =
    "Written by `kugel-bench --markdown FILE`, which replaces the sections of the scenes that it "
    "runs; JSON has more columns. Engines run in turn, on one thread if a table does not "
    "say otherwise. Only ratios within a run compare.\n\n"
    "Times are medians; *spread* is the distance of the quartiles in parts of the median, *whole "
    "run* the mean of all steps, its ratio that of the steps that both have made. Depths are "
    "overlaps in parts of the smaller radius. An empty cell has the value above it. GB/s: what one "
    "thread streams.\n\n"
    "kugel selects AVX2 at run time and requests large pages. Bullet and ODE are the system's "
    "generic packages with default settings; `GLIBC_TUNABLES=glibc.malloc.hugetlb=1` gives them "
    "large pages, too.\n\n"
    "Next: [limits](limits.md), [experiments](experiments.md).\n";
static struct {
    const char *scene;
    const column *columns;
    int count;
} table;
static bool any_row;

static bool is_text(const column *c) { return strchr(c->form, 's') != NULL; }

/* Prints one cell; a missing value is a dash of the same width. */
static void print_cell(char out[64], const column *c, const cell *value)
{
    if (is_text(c)) snprintf(out, 64, c->form, value->text);
    else if (isfinite(value->number)) snprintf(out, 64, c->form, c->scale * value->number);
    else snprintf(out, 64, "-");
}

static int width_of(const column *c)
{
    char text[64];
    print_cell(text, c, is_text(c) ? &TEXT("") : &NUMBER(0));
    int width = (int)strlen(text), head = (int)strlen(c->head);
    return width > head ? width : head;
}

static void print_aligned(const column *c, const char *text)
{
    printf(is_text(c) ? "%-*s" : "%*s", width_of(c), text);
}

static FILE *open_output(const char *name)
{
    FILE *file = fopen(name, "w");
    if (!file) fprintf(stderr, "kugel-bench: %s: %s\n", name, strerror(errno));
    return file;
}

int report_open(const char *json_name, const char *page_name, const char *command)
{
    if (json_name && !(json = open_output(json_name))) return 4;
    if (page_name && (paged = page_open(page_name) == 0, !paged)) return 4;
    if (json && paged && page_is(json)) {
        fprintf(stderr, "kugel-bench: --markdown: %s is --json as well\n", page_name);
        return 2;
    }
    machine m = machine_measure();
    printf("%s, %d cores, %s; one thread streams %.1f GB/s\n", m.processor, m.cores, m.compiler,
           m.bandwidth * 1e-9);
    snprintf(run, sizeof run, "`%s`, %s, physics epoch %d, %d cores (%s, %s, %.1f GB/s).", command,
             m.day, KUGEL_PHYSICS_EPOCH, m.cores, m.processor, m.compiler, m.bandwidth * 1e-9);
    if (json) {
        fprintf(json,
                "{\"machine\": {\"processor\": \"%s\", \"cores\": %d, \"compiler\": \"%s\", "
                "\"bytes_a_second\": %.4g},\n\"rows\": [",
                m.processor, m.cores, m.compiler, m.bandwidth);
    }
    return 0;
}

/* Write the table of the page that is complete. */
static void finish_table(void)
{
    if (page) page_rows = page_table_write(page);
    page = NULL;
}

void report_table(const char *scene, const char *about, const column *columns, int count)
{
    table.scene = scene, table.columns = columns, table.count = count;
    printf("\n%s: %s\n", scene, about);
    for (int k = 0; k < count; ++k) printf("  "), print_aligned(&columns[k], columns[k].head);
    puts("");
    finish_table();
    page = paged ? page_begin(scene, &page_rows) : NULL;
    if (!page) return;
    fprintf(page, "\n%c%s. Run: %s\n\n", about[0] - ('a' <= about[0] && about[0] <= 'z' ? 32 : 0),
            about + 1, run);
    page_table_begin(columns, count);
}

static void row_json(const cell *cells)
{
    fprintf(json, "%s\n  {\"scene\": \"%s\"", any_row ? "," : "", table.scene);
    for (int k = 0; k < table.count; ++k) {
        fprintf(json, ", \"%s\": ", table.columns[k].key);
        if (is_text(&table.columns[k])) fprintf(json, "\"%s\"", cells[k].text);
        else if (isfinite(cells[k].number)) fprintf(json, "%.9g", cells[k].number);
        else fputs("null", json);
    }
    fputs("}", json);
    any_row = true;
}

/* Removes spaces at both ends. */
static const char *trim(char *text)
{
    size_t n = strlen(text);
    while (n > 0 && text[n - 1] == ' ') text[--n] = 0;
    return text + strspn(text, " ");
}

void report_row(const cell *cells)
{
    char text[64];
    for (int k = 0; k < table.count; ++k) {
        print_cell(text, &table.columns[k], &cells[k]);
        printf("  "), print_aligned(&table.columns[k], text);
        if (page) page_table_add(trim(text), cells[k].number);
    }
    puts("");
    fflush(stdout);
    if (json) row_json(cells);
}

static bool finish(FILE *file)
{
    if (!file) return true;
    bool good = !ferror(file);
    return fclose(file) == 0 && good;
}

bool report_close(void)
{
    if (json) fputs("\n]}\n", json);
    bool written = finish(json);
    finish_table();
    return page_close(page_head) && written;
}
