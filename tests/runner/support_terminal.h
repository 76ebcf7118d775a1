/* kugel-run in a terminal: a pseudo-terminal of any size, and what is on its screen. It knows the
 * few control sequences that the runner sends; any other, or a frame that would wrap, fails the
 * test. */
#ifndef SUPPORT_TERMINAL_H
#define SUPPORT_TERMINAL_H

#include <stdbool.h>
#include <sys/types.h>

enum { SUPPORT_COLUMNS = 320, SUPPORT_ROWS = 100 };

typedef struct support_terminal {
    pid_t pid;
    int master; /* its other end */
    int code;   /* exit code; 128 + the signal that ended it; -1: it runs */
    int columns, rows, x, y;
    bool cursor;   /* is shown */
    bool settling; /* frames for another size may be on their way: they are cut, as a terminal does
                    */
    bool coloured; /* a colour was asked for */
    bool ascii;    /* only ASCII came so far */
    unsigned frames;                             /* how often the cursor was hidden: once a frame */
    double seconds;                              /* of wall time that it ran */
    char cell[SUPPORT_ROWS][SUPPORT_COLUMNS][8]; /* UTF-8, "": blank */
    char text[SUPPORT_ROWS * SUPPORT_COLUMNS * 4]; /* see support_screen */
    char pending[16];                              /* the beginning of a sequence */
    int pending_size;
} support_terminal;

/* @param columns, rows as the terminal tells them; 0 is not told, and then taken as 80 x 24 here.
 * @param environment NULL-ended names and values by turns; a value of "" unsets. TERM is xterm,
 * LC_ALL is C.UTF-8 and NO_COLOR is not set unless they say otherwise. */
support_terminal *support_terminal_start(int columns, int rows, const char *const *environment,
                                         const char *const *arguments);
/* Read until so many frames have come, or the program has ended. */
void support_terminal_frames(support_terminal *terminal, unsigned frames);
void support_terminal_type(support_terminal *terminal, const char *keys);
/* Give it another size, and read until the program has begun anew at the top. */
void support_terminal_resize(support_terminal *terminal, int columns, int rows);
/* Read until the program has ended. */
void support_terminal_end(support_terminal *terminal);
void support_terminal_free(support_terminal *terminal);
/* The screen as lines without blanks at their ends, up to the cursor's. */
const char *support_screen(support_terminal *terminal);

#endif
