/* Videos: pictures are piped to ffmpeg, which writes mp4 (H.264). The camera is fixed on the box of
 * the first frame. Playback is in real time if that gives 1 to 120 frames a second, else at 60. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "format.h"
#include "picture.h"

extern char **environ;
enum { WIDTH = 960, HEIGHT = 720 };

typedef struct video {
    picture picture;
    double low[3], high[3], start; /* of the first frame: box, m; time, s */
    FILE *pipe;                    /* to ffmpeg; NULL: not yet */
    pid_t ffmpeg;
    struct sigaction before; /* of SIGPIPE, which is ignored: if ffmpeg ends, writing fails */
} video;

static bool begin(exporter *e)
{
    if (!e->file.temporary) { /* ffmpeg writes the file by name */
        e->problem = "is a pipe or a device; this format takes a file";
        return errno = ENOTSUP, false;
    }
    video *v = e->state = calloc(1, sizeof *v);
    if (!v) return false;
    sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_IGN}, &v->before);
    return picture_make(&v->picture, WIDTH, HEIGHT);
}

static bool start_ffmpeg(exporter *e, double rate)
{
    video *v = e->state;
    char size[32], frames[32];
    int ends[2];
    snprintf(size, sizeof size, "%dx%d", WIDTH, HEIGHT);
    snprintf(frames, sizeof frames, "%.9g", rate);
    char *const argv[] = {
        "ffmpeg",          "-loglevel", "error",   "-nostdin", "-y",      "-f",   "rawvideo",
        "-pix_fmt",        "rgb24",     "-s",      size,       "-r",      frames, "-i",
        "pipe:0",          "-c:v",      "libx264", "-pix_fmt", "yuv420p", "-f",   "mp4",
        e->file.temporary, NULL};
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    int status = posix_spawnp(&v->ffmpeg, "ffmpeg", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    if (status) {
        v->ffmpeg = 0;
        close(ends[1]);
        e->problem = "there is no ffmpeg, which makes the film";
        return errno = status, false;
    }
    v->pipe = fdopen(ends[1], "wb");
    return v->pipe;
}

static void draw_box(video *v)
{
    static const double grey[3] = {0.62, 0.64, 0.66};
    for (int corner = 0; corner < 8; ++corner) {
        for (int k = 0; k < 3; ++k) {
            double a[3], b[3];
            if (corner >> k & 1) continue;
            for (int i = 0; i < 3; ++i) a[i] = b[i] = corner >> i & 1 ? v->high[i] : v->low[i];
            b[k] = v->high[k];
            picture_line(&v->picture, a, b, grey);
        }
    }
}

/* Hues far from those of preceding ids. */
static void colour_of(uint32_t id, double colour[3])
{
    double hue = id * 0.61803398875;
    hue = 6 * (hue - (double)(uint64_t)hue);
    for (int k = 0; k < 3; ++k) {
        double away = hue - 2 * k;
        away = away < 0 ? -away : away;
        away = away > 3 ? 6 - away : away;
        colour[k] = 0.35 + 0.6 * (away < 1 ? 1 : away > 2 ? 0 : 2 - away);
    }
}

static bool write_picture(exporter *e)
{
    const video *v = e->state;
    size_t bytes = (size_t)3 * WIDTH * HEIGHT;
    if (fwrite(v->picture.rgb, 1, bytes, v->pipe) == bytes) return true;
    e->problem = "ffmpeg failed";
    return false;
}

/* The time of the second picture gives the frame rate. */
static bool add(exporter *e, const frame *f)
{
    video *v = e->state;
    const row_set *rows = f->rows;
    if (f->number == 0) {
        memcpy(v->low, f->low, sizeof v->low), memcpy(v->high, f->high, sizeof v->high);
        v->start = f->time;
        picture_look_at(&v->picture, v->low, v->high);
    }
    if (f->number == 1) {
        double rate = 1 / (f->time - v->start);
        if (!start_ffmpeg(e, rate >= 1 && rate <= 120 ? rate : 60) || !write_picture(e))
            return false;
    }
    picture_clear(&v->picture);
    draw_box(v);
    for (size_t i = 0; i < rows->count; ++i) {
        double colour[3];
        colour_of(rows->ids[i], colour);
        picture_sphere(&v->picture, rows->position + 3 * i, rows->radius[i], colour);
    }
    picture_finish(&v->picture);
    return f->number == 0 || write_picture(e);
}

/* true: ffmpeg wrote the video. */
static bool wait_for_ffmpeg(video *v)
{
    bool good = !v->pipe || fclose(v->pipe) == 0;
    int status = 0;
    if (v->ffmpeg) good = waitpid(v->ffmpeg, &status, 0) == v->ffmpeg && status == 0 && good;
    v->pipe = NULL, v->ffmpeg = 0;
    return good;
}

static bool finish(exporter *e)
{
    video *v = e->state;
    if (e->frames == 1 && (!start_ffmpeg(e, 60) || !write_picture(e))) return false;
    if (wait_for_ffmpeg(v)) return true;
    e->problem = "ffmpeg failed";
    return errno = EIO, false;
}

static void release(exporter *e)
{
    video *v = e->state;
    if (!v) return;
    if (v->ffmpeg) kill(v->ffmpeg, SIGTERM);
    wait_for_ffmpeg(v);
    picture_free(&v->picture);
    sigaction(SIGPIPE, &v->before, NULL);
    free(v);
}

const export_format export_video = {.name = "video",
                                    .ending = ".mp4",
                                    .details = true,
                                    .named = true,
                                    .begin = begin,
                                    .add = add,
                                    .finish = finish,
                                    .release = release};
