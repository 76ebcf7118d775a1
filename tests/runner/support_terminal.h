/* Runs kugel-run in a pseudo-terminal of any size and emulates its screen. It supports the control
 * sequences that the runner sends; any other one, or a frame that would wrap, fails the test. */
#ifndef SUPPORT_TERMINAL_H
#define SUPPORT_TERMINAL_H

#include <stdbool.h>
#include <sys/types.h>

enum { SUPPORT_COLUMNS = 320, SUPPORT_ROWS = 100 };

typedef struct support_terminal {
    pid_t pid;
    int master; /* parent's end of the pseudo-terminal */
    int code;   /* exit code; 128 + the signal that ended it; -1: running */
    int columns, rows, x, y;
    bool cursor; /* true: visible */
    /* true: frames of the previous size may arrive; they are truncated, as in a terminal */
    bool settling;
    bool coloured; /* true: a colour was set */
    bool ascii;    /* true: only ASCII has arrived */
    /* number of frames: the cursor is hidden once a frame */
    unsigned frames;
    double seconds;                                /* run time of the program, s */
    char cell[SUPPORT_ROWS][SUPPORT_COLUMNS][8];   /* UTF-8; "": blank */
    char text[SUPPORT_ROWS * SUPPORT_COLUMNS * 4]; /* see support_screen */
    char pending[16];                              /* incomplete sequence */
    int pending_size;
} support_terminal;

/* Arguments of kugel-run, or "kugel-replay" and its arguments.
 * @param columns, rows of the terminal; 0: unknown, and emulated as 80 x 24. @param environment
 * names and values in turn, NULL-terminated; a value of "" unsets. Defaults: TERM xterm, LC_ALL
 * C.UTF-8, NO_COLOR unset. */
support_terminal *support_terminal_start(int columns, int rows, const char *const *environment,
                                         const char *const *arguments);
/* Read until `frames` frames have arrived, or the program has ended. */
void support_terminal_frames(support_terminal *terminal, unsigned frames);
void support_terminal_type(support_terminal *terminal, const char *keys);
/* Change the size, and read until the program has drawn again from the top. */
void support_terminal_resize(support_terminal *terminal, int columns, int rows);
/* Read until the program has ended. */
void support_terminal_end(support_terminal *terminal);
void support_terminal_free(support_terminal *terminal);
/* The screen as lines without trailing blanks, up to the cursor's. */
const char *support_screen(support_terminal *terminal);

#endif
