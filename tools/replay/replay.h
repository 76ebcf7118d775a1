/* kugel-replay: plays recordings and compares them. In: recordings. Out: text, tables and the exit
 * codes below. Each command has its own file; main.c parses the command line. */
#ifndef REPLAY_H
#define REPLAY_H

#include <kugel/kugel.h>
#include <atomic_file.h>
#include <picture_look.h>
#include <row_set.h>
#include <stdio.h>

enum { EXIT_SAME = 0, EXIT_DIFFERENT = 1, EXIT_USAGE = 2, EXIT_RESOURCES = 4 };

typedef struct settings {
    uint64_t threads, every, memory; /* memory: MiB; 0: the player's default */
    const char *format, *out;        /* NULL: not given */
    const char *tick;                /* the only one to export; NULL: all */
    bool scene;                      /* info prints the scene alone */
    picture_look look;               /* of pictures and videos */
} settings;

/* A recording in memory and its player. */
typedef struct replay_file {
    const char *name;
    void *data;
    size_t size;
    kugel_player *player;
    kugel_recording_info info;
} replay_file;

/* Read and open a recording, without the summary that kugel-run --record - prints behind it. On
 * failure, print one line on stderr. Returns an exit code; 0: opened. */
int replay_file_open(replay_file *recording, const char *name, const settings *options);
void replay_file_close(replay_file *recording);
/* If the recording has a pair filter, which is code of the program that recorded it, let the player
 * use one that excludes all pairs. The player then makes the recorded calls, but no body touches
 * another, so the motion is not the recorded one. Other recordings are not affected. */
void play_without_pair_filter(replay_file *recording);
/* Print the player's error on stderr; returns the exit code. */
int report_play_error(const replay_file *recording);
/* Print on stdout if the recording is truncated or was not closed, on stderr if it is damaged.
 * Returns an exit code: 0, or EXIT_USAGE for a damaged one. */
int report_if_incomplete(const replay_file *recording);

/* A file that is written under a temporary name and renamed to `name` when finished. "-" is
 * standard output; pipes and devices are written directly. Functions return an exit code. */
typedef atomic_file output;
int output_open(output *out, const char *name);
int output_finish(output *out);
void output_abandon(output *out);

/* One line on stderr, "kugel-replay: ...", control characters become '?'; returns `code`. */
int complain(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Read a tick of the recording. `flag` names it in messages. Returns an exit code. */
int parse_tick(const replay_file *recording, const char *flag, const char *text, uint64_t *tick);

/* Print the first difference on stdout; `expected` and `found` name the two sides. */
void print_divergence(const kugel_divergence *divergence, const char *expected, const char *found);

/* Print on stdout the last impact of the different body before the difference. Plays the ticks
 * before it again. */
void print_last_impact(replay_file *recording, const kugel_divergence *divergence);

/* Progress bar on stderr if it is a terminal. */
void progress(uint64_t done, uint64_t all);
void progress_end(void);

/* Write the recording, in some form, to a stream. */
typedef kugel_status write_recording(replay_file *recording, FILE *stream);
/* Write the file options->out of an open recording, and close the recording. Returns an exit
 * code. */
int write_output(replay_file *recording, const settings *options, write_recording *write);

int command_verify(const char *file, const settings *options);
int command_play(const char *file, const settings *options);
int command_info(const char *file, const settings *options);
int command_diff(const char *a, const char *b, const settings *options);
int command_export(const char *file, const settings *options);
int command_seek(const char *file, const char *tick, const settings *options);
int command_view(const char *file, const settings *options);
int command_rewrite(const char *file, const settings *options);

#endif
