/* Runs kugel-replay on recordings in the test's folder and returns its output and exit code. */
#ifndef SUPPORT_REPLAY_H
#define SUPPORT_REPLAY_H

#include "record/support_recording.h"
#include "runner/support_program.h"

typedef struct support_outcome {
    int code;
    char out[8192], err[2048];
} support_outcome;

/* Names of files in the test's folder live until the eighth next call. */
const char *support_path(const char *name);
void support_save(const char *name, const support_file *file);
/* See support_record. */
void support_save_run(const char *name, uint64_t ticks, bool states, double push);
/* Files in the folder. */
int support_all_files(void);

/* Run the tool; `in` and `out` are files for standard input and output (NULL: none, `out` of the
 * outcome). */
support_outcome support_replay(const char *in, const char *out, const char *const *args);
#define REPLAY(...) support_replay(NULL, NULL, (const char *const[]){__VA_ARGS__, NULL})

/* A failure: this code, one line on standard error that holds `word`, nothing on standard output.
 */
void support_check_refused(const support_outcome *outcome, int code, const char *word);

#endif
