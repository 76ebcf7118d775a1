/* kugel-replay: plays recordings and says where they differ. One file a command. */
#ifndef REPLAY_H
#define REPLAY_H

#include <kugel/kugel.h>
#include <stdio.h>

enum { EXIT_SAME = 0, EXIT_DIFFERENT = 1, EXIT_USAGE = 2, EXIT_RESOURCES = 4 };

/* A recording in memory and its player. */
typedef struct recording {
    const char *name;
    void *data;
    size_t size;
    kugel_player *player;
    kugel_recording_info info;
} recording;

/* Read and open; on failure one line goes to stderr and an exit code comes back (0: opened). */
int recording_open(recording *recording, const char *name, uint32_t threads);
void recording_close(recording *recording);

/* One line on stderr, "kugel-replay: ..."; returns `code`. */
int complain(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "tick 12: body 3 position.x: 0.5 (0x...) here, 0.25 (0x...) there" on stdout. */
void print_divergence(const kugel_divergence *divergence, const char *expected, const char *found);

/* A bar on stderr while it is a terminal. */
void progress(uint64_t done, uint64_t all);

/* Output under a temporary name that becomes `name` when finished; "-" is standard output. */
typedef struct output {
    FILE *file;
    const char *name;
    char *temporary;
} output;
int output_open(output *out, const char *name);
int output_finish(output *out);
void output_abandon(output *out);

int command_verify(const char *file, uint32_t threads);
int command_info(const char *file);
int command_diff(const char *a, const char *b);
int command_export(const char *file, const char *format, const char *to);
int command_seek(const char *file, const char *tick);

#endif
