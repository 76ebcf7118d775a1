/* A table of the Markdown page. It is written when all rows are known, without what tells a reader
 * nothing: a column whose values are all equal, or a spread, is a sentence below the table; a cell
 * that begins a row like the one above is empty. */
#ifndef PAGE_TABLE_H
#define PAGE_TABLE_H

#include <stdio.h>

#include "report.h"

/* Begin a table; the columns must live until page_table_write. */
void page_table_begin(const column *columns, int count);
/* Add the next cell, row by row. `value` is that of a number. */
void page_table_add(const char *text, double value);
/* Write the table, if one was begun, and forget it. @return the number of its rows */
unsigned page_table_write(FILE *page);

#endif
