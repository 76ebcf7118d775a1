/* See ffmpeg.h. */
#define _GNU_SOURCE
#include "ffmpeg.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
enum { ARGUMENTS = 32 };

/* Its standard error must not block it, so what exceeds the pipe's buffer is lost. It has a process
 * group of its own: Ctrl-C ends the run, not the video. */
static int spawn(ffmpeg *f, const char *const *arguments, const int in[2], const int errors[2])
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    fcntl(errors[1], F_SETFL, O_NONBLOCK);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, errors[1], 2);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    int status = posix_spawnp(&f->process, "ffmpeg", &actions, &attributes,
                              (char *const *)(uintptr_t)arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return status;
}

bool ffmpeg_start(ffmpeg *f, const ffmpeg_film *film, int width, int height, double rate,
                  const char *file)
{
    char size[32], frames[32], most[32];
    int in[2], errors[2], n = 0;
    *f = (ffmpeg){.errors = -1};
    snprintf(size, sizeof size, "%dx%d", width, height);
    snprintf(frames, sizeof frames, "%.9g", rate);
    snprintf(most, sizeof most, "%.9g", film->most);
    const char *const head[] = {"ffmpeg", "-loglevel", "error",    "-nostdin", "-y",
                                "-f",     "rawvideo",  "-pix_fmt", "rgb24",    "-s",
                                size,     "-r",        frames,     "-i",       "pipe:0"};
    const char *arguments[ARGUMENTS];
    for (size_t k = 0; k < sizeof head / sizeof *head; ++k) arguments[n++] = head[k];
    for (int k = 0; k < 8 && film->arguments[k]; ++k) arguments[n++] = film->arguments[k];
    if (rate > film->most) arguments[n++] = "-r", arguments[n++] = most; /* leaves frames out */
    arguments[n++] = file, arguments[n] = NULL;
    if (pipe2(in, O_CLOEXEC) != 0) return false;
    if (pipe2(errors, O_CLOEXEC) != 0) return close(in[0]), close(in[1]), false;
    int status = spawn(f, arguments, in, errors);
    close(in[0]), close(errors[1]);
    f->errors = errors[0];
    if (!status && (f->pipe = fdopen(in[1], "wb"))) return true;
    if (status) f->process = 0;
    else status = errno;
    close(in[1]);
    return errno = status, false;
}

bool ffmpeg_send(ffmpeg *f, const uint8_t *rgb, size_t bytes)
{
    return fwrite(rgb, 1, bytes, f->pipe) == bytes;
}

/* Keep the first line, without "[module @ 0x...] ". */
static void read_errors(ffmpeg *f)
{
    char text[sizeof f->said];
    ssize_t size = f->errors >= 0 ? read(f->errors, text, sizeof text - 1) : 0;
    if (f->errors >= 0) close(f->errors);
    f->errors = -1;
    if (size <= 0) return;
    text[size] = 0;
    char *line = text, *module = text[0] == '[' ? strstr(text, "] ") : NULL;
    if (module) line = module + 2;
    line[strcspn(line, "\n")] = 0;
    snprintf(f->said, sizeof f->said, "%s", *line ? line : "an unknown error");
}

bool ffmpeg_finish(ffmpeg *f)
{
    int status = 0;
    bool good = !f->pipe || fclose(f->pipe) == 0;
    f->pipe = NULL;
    if (f->process) good = waitpid(f->process, &status, 0) == f->process && status == 0 && good;
    f->process = 0;
    read_errors(f);
    return good && !f->said[0];
}

void ffmpeg_abandon(ffmpeg *f)
{
    if (f->process) kill(f->process, SIGTERM);
    ffmpeg_finish(f);
}
