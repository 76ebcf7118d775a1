/* Merges the sections of a run into the page of earlier runs (page.h). A section is the text from
 * "\n## TITLE\n" to the next one; a row of a table is a line that begins with "| ". */
#define _GNU_SOURCE
#include "page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SECTIONS = 64, PAGE_MOST = 1 << 20 };

typedef struct section {
    char *title, *text;
    size_t size;
    unsigned rows;
} section;

static struct {
    FILE *file, *stream; /* stream: of the last section */
    section sections[SECTIONS];
    int count, earlier; /* sections; those of the earlier page stand first */
    unsigned *rows;     /* of the last section */
    bool failed;
} page;

static section *find(const char *title, int from, int to)
{
    for (int k = from; k < to; ++k) {
        if (strcmp(page.sections[k].title, title) == 0) return &page.sections[k];
    }
    return NULL;
}

static unsigned count_rows(const char *text)
{
    unsigned lines = 0;
    for (const char *at = text; (at = strstr(at, "\n| ")); ++at) lines += 1;
    return lines ? lines - 1 : 0; /* the head of the table */
}

/* Split the page of earlier runs into sections. */
static void split(char *text)
{
    for (char *at = strstr(text, "\n## "), *next; at && page.count < SECTIONS; at = next) {
        next = strstr(at + 1, "\n## ");
        size_t size = next ? (size_t)(next - at) : strlen(at);
        section *s = &page.sections[page.count++];
        s->title = strndup(at + 4, strcspn(at + 4, "\n"));
        s->text = strndup(at, size);
        if (!(page.failed |= !s->title || !s->text)) s->rows = count_rows(s->text);
    }
    page.earlier = page.count;
}

static void read_earlier(const char *name)
{
    struct stat info;
    if (stat(name, &info) || !S_ISREG(info.st_mode) || info.st_size >= PAGE_MOST) return;
    FILE *file = fopen(name, "r");
    char *text = calloc(1, PAGE_MOST);
    static const char title[] = "# Runs of kugel-bench\n";
    if (file && text && fread(text, 1, PAGE_MOST - 1, file) > 0 &&
        strncmp(text, title, sizeof title - 1) == 0)
        split(text);
    free(text);
    if (file) fclose(file);
}

int page_open(const char *name)
{
    read_earlier(name);
    /* not truncated: page_close does it, so a run that is stopped leaves the page */
    if ((page.file = fopen(name, "r+")) || (page.file = fopen(name, "w"))) return 0;
    fprintf(stderr, "kugel-bench: %s: %s\n", name, strerror(errno));
    return 4;
}

bool page_is(FILE *open)
{
    struct stat a, b;
    return fstat(fileno(open), &a) == 0 && fstat(fileno(page.file), &b) == 0 &&
           S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Close the stream of the last section. */
static void end_section(void)
{
    if (!page.stream) return;
    page.failed |= fclose(page.stream) != 0;
    page.sections[page.count - 1].rows = *page.rows;
    page.stream = NULL;
}

FILE *page_begin(const char *title, unsigned *rows)
{
    end_section();
    if (page.count == SECTIONS) return page.failed = true, NULL;
    section *s = &page.sections[page.count++];
    s->title = strdup(title);
    page.stream = open_memstream(&s->text, &s->size);
    if (!s->title || !page.stream) return page.failed = true, NULL;
    page.rows = rows;
    *rows = 0;
    fprintf(page.stream, "\n## %s\n", title);
    return page.stream;
}

/* The section that the page gets in the place of an earlier one. */
static const section *choose(const section *old)
{
    const section *now = find(old->title, page.earlier, page.count);
    if (!now) return old;
    if (now->rows >= old->rows) return now;
    printf("%s: the page keeps a run with more rows, %u instead of %u\n", old->title, old->rows,
           now->rows);
    return old;
}

bool page_close(const char *head)
{
    if (!page.file) return true;
    end_section();
    if (!page.failed) {
        fprintf(page.file, "# Runs of kugel-bench\n\n%s", head);
        for (int k = 0; k < page.earlier; ++k) fputs(choose(&page.sections[k])->text, page.file);
        for (int k = page.earlier; k < page.count; ++k) {
            if (!find(page.sections[k].title, 0, page.earlier))
                fputs(page.sections[k].text, page.file);
        }
    }
    bool good = fflush(page.file) == 0 && !ferror(page.file) && !page.failed;
    long end = ftell(page.file);
    /* a pipe or device has no length */
    if (good && end > 0 && ftruncate(fileno(page.file), end) && errno != EINVAL) good = false;
    for (int k = 0; k < page.count; ++k) free(page.sections[k].title), free(page.sections[k].text);
    return fclose(page.file) == 0 && good;
}
