/* Results: as tables on standard output while they arrive, and where asked for the same as JSON and
 * as a page in Markdown. JSON: {"machine": {...}, "rows": [{"scene": ..., key: value ...} ...]},
 * values unscaled in the units of their keys, null where there is none. */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>

typedef struct column {
    const char *head; /* of the table */
    const char *key;  /* in JSON */
    const char *form; /* printf's for a double, or with an s for a text */
    double scale;     /* what is printed is scale times the value */
} column;

typedef struct cell {
    const char *text; /* NULL: it is a number */
    double number;    /* NAN: there is none */
} cell;
#define TEXT(t) ((cell){.text = (t)})
#define NUMBER(n) ((cell){.number = (n)})

/* Either file may be NULL. `command` is told on the page. @return false, having said why, when one
 * cannot be written. */
bool report_open(const char *json, const char *markdown, const char *command);
/* A table begins; what is given must live until the next. */
void report_table(const char *scene, const char *about, const column *columns, int count);
void report_row(const cell *cells);
#define ROW(...) report_row((const cell[]){__VA_ARGS__})
/* @return false when something could not be written. */
bool report_close(void);

#endif
