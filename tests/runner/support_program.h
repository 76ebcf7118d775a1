/* Runs the built programs: arguments and standard input in; exit code, standard output and standard
 * error out. Each test process has its own folder for files, removed at its end. */
#ifndef SUPPORT_PROGRAM_H
#define SUPPORT_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { SUPPORT_ARGUMENTS = 24 };

typedef struct support_program {
    pid_t pid;
    int code;        /* exit code; 128 + the signal that ended it */
    char *out, *err; /* output, 0-terminated */
    size_t out_size;
} support_program;

/* Start samples/kugel-run with arguments that end with NULL, in the test's folder. `input` becomes
 * its standard input (NULL: empty). */
support_program support_start(const char *input, const char *const *arguments);
/* Wait for its end and read its output. */
void support_wait(support_program *program);
void support_program_free(support_program *program);
/* Start and wait. */
support_program support_kugel_run(const char *input, const char *const *arguments);
/* Run another program: a path in the build folder, or an absolute one. */
support_program support_run_program(const char *program, const char *const *arguments);
#define RUN(...) support_kugel_run(NULL, (const char *const[]){__VA_ARGS__, NULL})

/* Path of the test's folder, without a trailing slash. */
const char *support_folder(void);
/* Write a file in the test's folder. */
void support_write_file(const char *name, const char *text);
/* Read a file of the folder, 0-terminated; the caller frees it. NULL if it does not exist. */
char *support_read_file(const char *name);
/* Number of files of the folder whose names begin with `prefix`. */
size_t support_count_files(const char *prefix);
bool support_has_file(const char *name);
/* Wait until the program, just started, handles a signal. */
void support_wait_for_handler(const support_program *program, int signal);

size_t support_count_lines(const char *text);
/* Line n from the end (0: the last), without its newline; static storage. */
const char *support_line_from_end(const char *text, size_t n);
/* True if the program ended with `code` and printed one line that begins with its name and contains
 * `text`. Prints the line otherwise. */
bool support_complains(const support_program *program, int code, const char *text);

/* The numbers of a csv file without its header; other fields are NAN. */
typedef struct support_table {
    double *values;
    size_t rows, columns;
} support_table;
support_table support_parse_csv(const char *text);
/* Run a sample with --check: every k-th tick into t.csv, events into e.csv. It must succeed. */
support_program support_run_sample(const char *name, int every);
/* Read t.csv; the caller frees its values. */
support_table support_trajectory(void);
static inline const double *support_row(const support_table *table, size_t row)
{
    return table->values + row * table->columns;
}

#endif
