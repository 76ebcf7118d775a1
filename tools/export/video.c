/* Videos and still pictures. Frames are stored during the run; at its end the camera is fitted to
 * the whole run, and pictures are piped to ffmpeg, which writes the file. Playback is in real time
 * if that gives 1 to 120 frames a second, else at 60. A still picture is that of the last frame. */
#include "draw_frame.h"
#include "ffmpeg.h"

static const ffmpeg_film films[] = {
    {".mp4", 120, {"-c:v", "libx264", "-pix_fmt", "yuv420p", "-f", "mp4"}},
    {".webm", 120, {"-c:v", "libvpx-vp9", "-pix_fmt", "yuv420p", "-f", "webm"}},
    /* browsers play faster ones slowly */
    {".gif", 50, {"-vf", "split[a][b];[a]palettegen[c];[b][c]paletteuse", "-f", "gif"}},
};
static const ffmpeg_film still = {
    ".png", 120, {"-frames:v", "1", "-c:v", "png", "-f", "image2pipe"}};

typedef struct video {
    frame_store store;
    picture picture;
    ffmpeg ffmpeg;
    struct sigaction before; /* of SIGPIPE, which is ignored: if ffmpeg ends, writing fails */
} video;

/* The kind of film of a file's ending; the first one for a name without an ending. NULL: none. */
static const ffmpeg_film *film_of(const char *file)
{
    const char *slash = strrchr(file, '/'), *dot = strrchr(slash ? slash : file, '.');
    if (!dot) return &films[0];
    for (size_t k = 0; k < sizeof films / sizeof *films; ++k)
        if (strcmp(dot, films[k].ending) == 0) return &films[k];
    return NULL;
}

static bool is_film(const char *file) { return film_of(file); }

static bool is_still(const char *file)
{
    const char *slash = strrchr(file, '/'), *dot = strrchr(slash ? slash : file, '.');
    return !dot || strcmp(dot, still.ending) == 0;
}

static bool begin(exporter *e)
{
    if (!e->file.temporary) { /* ffmpeg writes the file by name */
        e->problem = "is a pipe or a device; this format takes a file";
        return errno = ENOTSUP, false;
    }
    video *v = e->state = calloc(1, sizeof *v);
    if (!v) return false;
    v->ffmpeg.errors = -1;
    sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_IGN}, &v->before);
    return frame_store_open(&v->store, &e->file);
}

static bool add(exporter *e, const frame *f)
{
    video *v = e->state;
    return frame_store_add(&v->store, f, e->format != &export_png);
}

static double rate_of(const frame_store *store)
{
    double rate = 1 / (store->second_time - store->first_time);
    return store->frames > 1 && rate >= 1 && rate <= 120 ? rate : 60;
}

static bool start(exporter *e)
{
    video *v = e->state;
    const ffmpeg_film *film = e->format == &export_png ? &still : film_of(e->file.name);
    const picture *p = &v->picture;
    if (ffmpeg_start(&v->ffmpeg, film, p->width, p->height, rate_of(&v->store), e->file.temporary))
        return true;
    if (errno == ENOENT) e->problem = "there is no ffmpeg, which makes videos and pictures";
    return false;
}

static bool draw(exporter *e)
{
    video *v = e->state;
    picture *p = &v->picture;
    size_t bytes = (size_t)3 * (size_t)p->width * (size_t)p->height;
    picture_look_at(p, v->store.low, v->store.high, &e->look);
    for (uint64_t n = 0; n < v->store.frames; ++n) {
        const stored_frame *f = frame_store_next(&v->store);
        if (!f) return false;
        draw_frame(p, &v->store, f, e->look.colours);
        if (!ffmpeg_send(&v->ffmpeg, p->rgb, bytes)) return true; /* it says why */
    }
    return true;
}

static bool finish(exporter *e)
{
    video *v = e->state;
    static char said[256];
    int width = e->look.width ? e->look.width : 960, height = e->look.height ? e->look.height : 720;
    if (!v->store.frames) return e->problem = "the run has none of its frames", false;
    if (!frame_store_rewind(&v->store) || !picture_make(&v->picture, width, height)) return false;
    if (!start(e) || !draw(e)) return false;
    if (ffmpeg_finish(&v->ffmpeg)) return true;
    snprintf(said, sizeof said, "ffmpeg failed%s%s", v->ffmpeg.said[0] ? ": " : "", v->ffmpeg.said);
    e->problem = said;
    return errno = EIO, false;
}

static void release(exporter *e)
{
    video *v = e->state;
    if (!v) return;
    ffmpeg_abandon(&v->ffmpeg);
    picture_free(&v->picture);
    frame_store_close(&v->store);
    sigaction(SIGPIPE, &v->before, NULL);
    free(v);
}

const export_format export_video = {.name = "video",
                                    .endings = {".mp4", ".webm", ".gif"},
                                    .details = true,
                                    .fits = is_film,
                                    .named = true,
                                    .begin = begin,
                                    .add = add,
                                    .finish = finish,
                                    .release = release};

const export_format export_png = {.name = "png",
                                  .endings = {".png"},
                                  .details = true,
                                  .fits = is_still,
                                  .named = true,
                                  .begin = begin,
                                  .add = add,
                                  .finish = finish,
                                  .release = release};
