/* The built programs, run as people run them: arguments and standard input in; exit code, standard
 * output and standard error out. Each test process has a folder of its own for files, removed when
 * it ends. */
#ifndef SUPPORT_PROGRAM_H
#define SUPPORT_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { SUPPORT_ARGUMENTS = 24 };

typedef struct support_program {
    pid_t pid;
    int code;        /* exit code; 128 + the signal that ended it */
    char *out, *err; /* what it printed, with a 0 at the end */
    size_t out_size;
} support_program;

/* Start samples/kugel-run with the arguments, which end with NULL. `input` (NULL: nothing) becomes
 * its standard input. Its working folder is the test's. */
support_program support_start(const char *input, const char *const *arguments);
/* Wait for its end and read what it printed. */
void support_wait(support_program *program);
void support_program_free(support_program *program);
/* Both in one. */
support_program support_kugel_run(const char *input, const char *const *arguments);
/* Another program: a path in the build folder, or one from the root. */
support_program support_run_program(const char *program, const char *const *arguments);
#define RUN(...) support_kugel_run(NULL, (const char *const[]){__VA_ARGS__, NULL})

/* The test's folder, without a slash at the end. */
const char *support_folder(void);
/* Write a file there. */
void support_write_file(const char *name, const char *text);
/* A file there, with a 0 at the end, for the caller to free; NULL: there is none. */
char *support_read_file(const char *name);
/* Names of files there whose name begins with `prefix`. */
size_t support_count_files(const char *prefix);

size_t support_count_lines(const char *text);
/* The n-th line from the end (0: the last), without its end; static storage. */
const char *support_line_from_end(const char *text, size_t n);
/* A complaint is one line that begins with the program's name and holds `text`; prints what it was.
 */
bool support_complains(const support_program *program, int code, const char *text);

/* A table of numbers: rows of a csv file without its head; fields that are no numbers are NAN. */
typedef struct support_table {
    double *values;
    size_t rows, columns;
} support_table;
support_table support_parse_csv(const char *text);
/* A built-in sample under --check to its end: every k-th tick into t.csv, events into e.csv. It
 * must succeed. */
support_program support_run_sample(const char *name, int every);
/* t.csv, for the caller to free its values. */
support_table support_trajectory(void);
static inline const double *support_row(const support_table *table, size_t row)
{
    return table->values + row * table->columns;
}

#endif
