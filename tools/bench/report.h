/* Results: tables on standard output as they arrive and, on request, JSON and a Markdown page.
 * JSON: {"machine": {...}, "rows": [{"scene": ..., key: value ...} ...]}; values are unscaled, in
 * the units of their keys, null if missing. */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>

typedef struct column {
    const char *head; /* heading in the table */
    const char *key;  /* in JSON */
    const char *form; /* printf format of a double, or %s format of a text */
    double scale;     /* the table prints scale times the value */
} column;

typedef struct cell {
    const char *text; /* NULL: the cell is a number */
    double number;    /* NAN: missing */
} cell;
#define TEXT(t) ((cell){.text = (t)})
#define NUMBER(n) ((cell){.number = (n)})

/* Either file may be NULL. `command` is printed on the page (page.h). @return 0, or the exit code
 * after a message: 2 if both are one file, 4 if a file cannot be written. */
int report_open(const char *json, const char *markdown, const char *command);
/* Begin a table; the arguments must live until the next call. */
void report_table(const char *scene, const char *about, const column *columns, int count);
void report_row(const cell *cells);
#define ROW(...) report_row((const cell[]){__VA_ARGS__})
/* @return false on a write error. */
bool report_close(void);

#endif
