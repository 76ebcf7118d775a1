/* ffmpeg in a process of its own: pictures go in through a pipe, it writes the file. */
#ifndef EXPORT_FFMPEG_H
#define EXPORT_FFMPEG_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

typedef struct ffmpeg {
    FILE *pipe; /* to ffmpeg; NULL: not started */
    pid_t process;
    int errors;     /* read end of its standard error; -1: none */
    char said[200]; /* its first message; "": none */
} ffmpeg;

/* Arguments of ffmpeg for a kind of file. */
typedef struct ffmpeg_film {
    const char *ending;
    double most; /* largest number of frames a second */
    const char *arguments[8];
} ffmpeg_film;

/* Start it for pictures of `width` x `height`. It writes `file`. false: errno says why, ENOENT if
 * there is no ffmpeg. */
bool ffmpeg_start(ffmpeg *f, const ffmpeg_film *film, int width, int height, double rate,
                  const char *file);
/* Send a picture, rgb[3 * width * height]. */
bool ffmpeg_send(ffmpeg *f, const uint8_t *rgb, size_t bytes);
/* Wait for its end. true if it has written the whole file: it exits with 0 after a failed write, so
 * a message counts as a failure. */
bool ffmpeg_finish(ffmpeg *f);
/* End it, if it runs. */
void ffmpeg_abandon(ffmpeg *f);

#endif
