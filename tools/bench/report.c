/* Writes the results as tables, JSON and Markdown. */
#include "report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "machine.h"

static FILE *json, *page;
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

/* True if the name is that of the open file, which is not a device. */
static bool names_file(const char *name, FILE *open)
{
    struct stat a, b;
    return fstat(fileno(open), &a) == 0 && stat(name, &b) == 0 && S_ISREG(a.st_mode) &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

int report_open(const char *json_name, const char *page_name, const char *command)
{
    if (json_name && !(json = open_output(json_name))) return 4;
    if (json && page_name && names_file(page_name, json)) {
        fprintf(stderr, "kugel-bench: --markdown: %s is --json as well\n", page_name);
        return 2;
    }
    if (page_name && !(page = open_output(page_name))) return 4;
    machine m = machine_measure();
    printf("%s, %d cores, %s; one thread streams %.1f GB/s\n", m.processor, m.cores, m.compiler,
           m.bandwidth * 1e-9);
    if (json) {
        fprintf(json,
                "{\"machine\": {\"processor\": \"%s\", \"cores\": %d, \"compiler\": \"%s\", "
                "\"bytes_a_second\": %.4g},\n\"rows\": [",
                m.processor, m.cores, m.compiler, m.bandwidth);
    }
    if (page) {
        fprintf(page,
                "# One run of kugel-bench\n\nWritten by `%s --markdown FILE`, %s, on a machine "
                "with %d cores (%s, %s, one thread streams "
                "%.1f GB/s); engines on one thread, where a table does not say otherwise, in turn. "
                "Times of other machines and hours differ: the ratios of one run are what "
                "counts.\n\nTimes are medians. *least* is the shortest, *spread* the distance of "
                "the quartiles as a part of the median. "
                "*whole run* is the mean of all steps, its ratio that of the steps that both have "
                "made, *slowest ten* a step of the slowest block of ten. Depths are overlaps in "
                "parts of the radius.\n\nWhat is unlike: kugel "
                "selects AVX2 at run time where the processor has it, and requests large pages "
                "for its memory. Bullet and ODE are the system's packages, generic builds of the "
                "architecture, with the pages that malloc gives them. With the environment "
                "`GLIBC_TUNABLES=glibc.malloc.hugetlb=1` (glibc 2.35) all engines have large "
                "pages. The peers have their default settings.\n",
                command, m.day, m.cores, m.processor, m.compiler, m.bandwidth * 1e-9);
    }
    return 0;
}

void report_table(const char *scene, const char *about, const column *columns, int count)
{
    table.scene = scene, table.columns = columns, table.count = count;
    printf("\n%s: %s\n", scene, about);
    for (int k = 0; k < count; ++k) printf("  "), print_aligned(&columns[k], columns[k].head);
    puts("");
    if (!page) return;
    fprintf(page, "\n## %s\n\n%c%s.\n\n|", scene,
            about[0] - ('a' <= about[0] && about[0] <= 'z' ? 32 : 0), about + 1);
    for (int k = 0; k < count; ++k) fprintf(page, " %s |", columns[k].head);
    fputs("\n|", page);
    for (int k = 0; k < count; ++k) fputs(is_text(&columns[k]) ? "---|" : "--:|", page);
    fputs("\n", page);
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
    }
    puts("");
    fflush(stdout);
    if (json) row_json(cells);
    if (!page) return;
    fputs("|", page);
    for (int k = 0; k < table.count; ++k) {
        print_cell(text, &table.columns[k], &cells[k]);
        fprintf(page, " %s |", trim(text));
    }
    fputs("\n", page);
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
    return finish(page) && written;
}
