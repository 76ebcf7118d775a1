/* For videos and pictures: what is in them, with a stand-in for ffmpeg that stores the frames. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/support_program.h"

enum { WIDTH = 64, HEIGHT = 48, FRAME = 3 * WIDTH * HEIGHT };
#define SIZE "--size", "64x48"

/* Put an ffmpeg in front of the others. */
static void make_ffmpeg(const char *script)
{
    static char path[1024];
    support_write_file("ffmpeg", script);
    snprintf(path, sizeof path, "%s/ffmpeg", support_folder());
    cr_assert_eq(chmod(path, 0700), 0);
    snprintf(path, sizeof path, "%s:%s", support_folder(), getenv("PATH"));
    setenv("PATH", path, 1);
}

static void store_frames(void) { make_ffmpeg("#!/bin/sh\nfor last; do :; done\ncat >\"$last\"\n"); }

static void write_scene(const char *rest)
{
    char text[2048];
    snprintf(text, sizeof text, "{\"format\": \"kugel-scene\", \"version\": 1, %s}", rest);
    support_write_file("s.json", text);
}

static void expect_done(support_program run)
{
    cr_assert_eq(run.code, 0, "%s", run.err);
    support_program_free(&run);
}

static unsigned char *load(const char *name, size_t size)
{
    char path[512];
    unsigned char *data = malloc(size + 1);
    snprintf(path, sizeof path, "%s/%s", support_folder(), name);
    FILE *from = fopen(path, "rb");
    cr_assert(from && fread(data, 1, size + 1, from) == size, "%s has another size", name);
    fclose(from);
    return data;
}

/* Where pixels are that one colour dominates: 0 red, 1 green, 2 blue. @return how many. */
static size_t find(const unsigned char *rgb, int colour, double at[2])
{
    size_t count = 0;
    at[0] = at[1] = 0;
    for (int i = 0; i < WIDTH * HEIGHT; ++i) {
        const unsigned char *c = rgb + 3 * i;
        int other =
            c[(colour + 1) % 3] > c[(colour + 2) % 3] ? c[(colour + 1) % 3] : c[(colour + 2) % 3];
        if (c[colour] < other + 30) continue;
        at[0] += i % WIDTH, at[1] += i / WIDTH, ++count;
    }
    if (count) at[0] /= (double)count, at[1] /= (double)count;
    return count;
}

/* Body 0 is red. It flies 100 m, without bounds, and is in the first and in the last picture. */
Test(pictures, the_whole_run_is_in_the_picture)
{
    enum { FRAMES = 7 };
    double first[2], last[2];
    store_frames();
    write_scene(
        "\"ticks\": 60, \"bodies\": [{\"position\": [0, 0, 0], \"radius\": 10, \"velocity\": "
        "[100, 0, 0]}]");
    expect_done(RUN("s.json", "--quiet", SIZE, "--every", "10", "--video", "a.mp4"));
    unsigned char *rgb = load("a.mp4", (size_t)FRAMES * FRAME);
    size_t begin = find(rgb, 0, first), end = find(rgb + (FRAMES - 1) * FRAME, 0, last);
    cr_assert(begin > 20 && end > 20, "%zu and %zu pixels", begin, end);
    cr_assert_gt(last[0], first[0] + WIDTH / 2);
    free(rgb);
}

/* From above, x is to the right and y up. Slow bodies are blue, fast ones red. */
Test(pictures, take_camera_and_colours)
{
    double slow[2], fast[2];
    store_frames();
    write_scene("\"ticks\": 0, \"bodies\": [{\"position\": [-3, -3, 0], \"velocity\": [0, 0, 1]}, "
                "{\"position\": [3, 3, 0], \"velocity\": [0, 0, 9]}]");
    expect_done(RUN("s.json", "--quiet", SIZE, "--camera", "0,0,1", "--colours", "speed",
                    "--export", "a.png"));
    unsigned char *rgb = load("a.png", FRAME);
    cr_assert(find(rgb, 2, slow) && find(rgb, 0, fast));
    cr_assert(slow[0] < WIDTH / 2 && slow[1] > HEIGHT / 2, "%g %g", slow[0], slow[1]);
    cr_assert(fast[0] > WIDTH / 2 && fast[1] < HEIGHT / 2, "%g %g", fast[0], fast[1]);
    free(rgb);
    expect_done(RUN("s.json", "--quiet", SIZE, "--camera", "-3,-3,8,-3,-3,0", "--colours", "speed",
                    "--export", "a.png"));
    rgb = load("a.png", FRAME);
    cr_assert(find(rgb, 2, slow));
    cr_assert(fabs(slow[0] - WIDTH / 2) < 2 && fabs(slow[1] - HEIGHT / 2) < 2);
    free(rgb);
}

/* A disc in front of a ball: both are in the picture, the ball paler than without the disc. */
Test(pictures, draw_surfaces_that_bodies_are_seen_through)
{
    double at[2];
    store_frames();
    const char *disc = "\"ticks\": 0, \"bodies\": [{\"position\": [0, 0, 0]}], \"surfaces\": "
                       "[{\"disc\": {\"radius\": 1.5}, \"position\": [0, 0, 3]}]";
    write_scene(disc);
    expect_done(RUN("s.json", "--quiet", SIZE, "--camera", "0,0,8,0,0,0", "--export", "a.png"));
    unsigned char *behind = load("a.png", FRAME);
    expect_done(RUN("s.json", "--quiet", SIZE, "--camera", "0,0,-8,0,0,0", "--export", "a.png"));
    unsigned char *before = load("a.png", FRAME);
    size_t middle = 3 * (HEIGHT / 2 * WIDTH + WIDTH / 2), corner = 0;
    size_t beside = 3 * (HEIGHT / 2 * WIDTH + WIDTH / 2 + 6);
    cr_assert(find(before, 0, at), "the ball is red");
    cr_assert(behind[middle + 1] > before[middle + 1] && behind[middle] < before[middle]);
    cr_assert_lt(behind[beside], behind[corner], "the disc is darker than the background");
    cr_assert_lt(behind[beside], behind[beside + 2], "the disc is blue");
    free(behind), free(before);
}

/* A video from the recording is that of the run, and a picture is its last frame. */
Test(pictures, are_the_same_from_both_programs)
{
    enum { FRAMES = 7 };
    char path[512], picture[512];
    store_frames();
    expect_done(RUN("marble-run", "--quiet", "--ticks", "30", SIZE, "--every", "5", "--video",
                    "a.webm", "--export", "a.png", "--record", "a.kugel"));
    snprintf(path, sizeof path, "%s/a.kugel", support_folder());
    snprintf(picture, sizeof picture, "%s/c.gif", support_folder());
    expect_done(support_run_program(
        "tools/replay/kugel-replay",
        (const char *const[]){"export", path, SIZE, "--every", "5", "-o", picture, NULL}));
    unsigned char *run = load("a.webm", (size_t)FRAMES * FRAME),
                  *replay = load("c.gif", (size_t)FRAMES * FRAME), *still = load("a.png", FRAME);
    cr_assert_arr_eq(run, replay, (size_t)FRAMES * FRAME);
    cr_assert_arr_eq(run + (FRAMES - 1) * FRAME, still, FRAME);
    free(run), free(replay), free(still);
}

/* On a full disk ffmpeg prints an error and exits with 0. */
Test(pictures, a_message_of_ffmpeg_is_a_failure)
{
    make_ffmpeg("#!/bin/sh\nfor last; do :; done\ncat >\"$last\"\n"
                "echo '[out#0 @ 0x55] Error writing trailer: No space left on device' >&2\n");
    static const char *const names[][2] = {{"--video", "a.mp4"}, {"--export", "a.png"}};
    for (int k = 0; k < 2; ++k) {
        support_program run = RUN("gas", "--ticks", "3", "--quiet", names[k][0], names[k][1]);
        cr_assert(support_complains(
            &run, 4, "cannot be written: ffmpeg failed: Error writing trailer: No space left"));
        support_program_free(&run);
        cr_assert_eq(support_count_files("a."), 0);
    }
}

/* The first bytes of each kind of file. */
Test(pictures, files_are_what_their_names_say)
{
    static const struct {
        char name[8], begin[8];
        size_t at, size;
    } kinds[] = {{"a.mp4", "ftyp", 4, 4},
                 {"a.webm", "\x1a\x45\xdf\xa3", 0, 4},
                 {"a.gif", "GIF89a", 0, 6},
                 {"a.png", "\x89PNG\r\n", 0, 6}};
    support_program run = RUN("gas", "--ticks", "2", "--quiet", "--video", "a.avi");
    cr_assert(support_complains(&run, 2, "--video: a.avi: must end in .mp4, .webm or .gif"));
    support_program_free(&run);
    if (access("/usr/bin/ffmpeg", X_OK) != 0) cr_skip_test("there is no /usr/bin/ffmpeg");
    for (int k = 0; k < 4; ++k) {
        const char *option = k < 3 ? "--video" : "--export";
        expect_done(RUN("gas", "--ticks", "2", "--quiet", SIZE, option, kinds[k].name));
        char *data = support_read_file(kinds[k].name);
        cr_assert(memcmp(data + kinds[k].at, kinds[k].begin, kinds[k].size) == 0, "%s",
                  kinds[k].name);
        free(data);
    }
}

Test(pictures, wrong_looks_are_refused)
{
    static const char *const wrong[][3] = {{"--size", "64x47", "even numbers"},
                                           {"--size", "64", "WIDTHxHEIGHT"},
                                           {"--camera", "1,2", "the direction"},
                                           {"--camera", "0,0,0", "the direction"},
                                           {"--camera", "1,2,3,1,2,3", "places"},
                                           {"--camera", "1,2,nan", "the direction"},
                                           {"--colours", "red", "id, speed, radius or none"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        support_program run =
            RUN("gas", "--ticks", "1", "--video", "a.mp4", wrong[k][0], wrong[k][1]);
        cr_assert(support_complains(&run, 2, wrong[k][2]), "%s %s", wrong[k][0], wrong[k][1]);
        support_program_free(&run);
    }
}
