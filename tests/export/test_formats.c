/* For tools/export: an independent reader (read_back.py) reads every format, from kugel-replay and
 * kugel-run. Files are complete or absent. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kugel/kugel.h>

#include "record/support_recording.h"
#include "runner/support_program.h"

static const struct {
    const char *name, *file;
} formats[] = {{"csv", "a.csv"}, {"xyz", "a.xyz"},          {"npy", "a.npy"},
               {"vtp", "a.pvd"}, {"lammps", "a.lammpstrj"}, {"gsd", "a.gsd"}};
enum { FORMATS = sizeof formats / sizeof *formats };

static const char *path(const char *name)
{
    static char paths[4][256];
    static int next;
    char *p = paths[next++ % 4];
    snprintf(p, sizeof paths[0], "%s/%s", support_folder(), name);
    return p;
}

#define REPLAY(...)                                                                                \
    support_run_program("tools/replay/kugel-replay", (const char *const[]){__VA_ARGS__, NULL})

static void expect_done(support_program *run)
{
    cr_assert_eq(run->code, 0, "code %d: %s%s", run->code, run->out, run->err);
    support_program_free(run);
}

static void save(const char *name, support_file *file)
{
    FILE *to = fopen(path(name), "wb");
    cr_assert(to && fwrite(file->data, 1, file->size, to) == file->size && fclose(to) == 0);
    support_file_free(file);
}

/* A recording in which bodies are made and destroyed. */
static void save_recording(const char *name, uint64_t ticks)
{
    support_file file = support_record(ticks, false, 1, 4, NULL);
    save(name, &file);
}

static char *load(const char *name, size_t *size)
{
    FILE *from = fopen(path(name), "rb");
    cr_assert(from, "no %s", name);
    char *data = malloc(1 << 22);
    *size = fread(data, 1, 1 << 22, from);
    cr_assert(*size < 1 << 22);
    fclose(from);
    return data;
}

static void write_state(FILE *to, const kugel_world *world, uint64_t tick)
{
    kugel_world_def def;
    kugel_body_state s;
    double low[3] = {1e9, 1e9, 1e9}, high[3] = {-1e9, -1e9, -1e9};
    cr_assert_eq(kugel_world_get_def(world, &def), KUGEL_OK);
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t id = 0; id < kugel_world_id_end(world); ++id) {
            if (kugel_body_get(world, kugel_world_body(world, id), &s) != KUGEL_OK) continue;
            for (int k = 0; k < 3 && pass == 0; ++k) {
                double a = s.position[k] - s.radius, b = s.position[k] + s.radius;
                low[k] = def.bounds.faces[2 * k] != KUGEL_FACE_OPEN ? def.bounds.min[k]
                         : a < low[k]                               ? a
                                                                    : low[k];
                high[k] = def.bounds.faces[2 * k + 1] != KUGEL_FACE_OPEN ? def.bounds.max[k]
                          : b > high[k]                                  ? b
                                                                         : high[k];
            }
            if (pass == 0) continue;
            fprintf(to, "%llu %.17g %u", (unsigned long long)tick, (double)tick * (1 / 60.), id);
            for (int k = 0; k < 3; ++k) fprintf(to, " %.17g", s.position[k]);
            for (int k = 0; k < 3; ++k) fprintf(to, " %.17g", s.velocity[k]);
            for (int k = 0; k < 3; ++k) fprintf(to, " %.17g", s.spin[k]);
            fprintf(to, " %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", s.radius, low[0],
                    low[1], low[2], high[0], high[1], high[2], s.mass);
        }
    }
}

/* Writes the states of every `every`-th tick of a recording (1/60 s), the reference for
 * read_back.py. */
static void write_table(const char *recording, const char *table, uint64_t every)
{
    size_t size;
    char *data = load(recording, &size);
    kugel_player *player;
    kugel_recording_info info;
    cr_assert_eq(kugel_player_open(data, size, NULL, NULL, 1, &player, NULL), KUGEL_OK);
    kugel_player_info(player, &info);
    FILE *to = fopen(path(table), "w");
    for (uint64_t tick = 0; tick <= info.ticks; tick += every) {
        cr_assert_eq(kugel_player_seek(player, tick), KUGEL_PLAY_TICK);
        write_state(to, kugel_player_world(player), tick);
    }
    cr_assert_eq(fclose(to), 0);
    kugel_player_close(player);
    free(data);
}

/* Skips the test, with the reason, when the reader is not installed. */
static void read_back(int format, const char *periodic, const char *faces)
{
    const char *python = "/usr/bin/python3"; /* Debian's modules belong to this interpreter */
    char script[512];
    snprintf(script, sizeof script, "%s/tests/export/read_back.py", getenv("KUGEL_SOURCE"));
    if (access(python, X_OK) != 0) cr_skip_test("there is no %s", python);
    support_program run = support_run_program(
        python, (const char *const[]){script, formats[format].name, path(formats[format].file),
                                      path("table"), periodic, faces, NULL});
    if (run.code == 77) cr_skip_test("%s", support_line_from_end(run.out, 0));
    cr_assert_eq(run.code, 0, "%s: %s%s", formats[format].name, run.out, run.err);
    cr_assert_eq(strncmp(run.out, "same: ", 6), 0, "%s", run.out);
    support_program_free(&run);
}

/* From kugel-replay: bodies are created and destroyed, z is open. From kugel-run: every second tick
 * of a box away from the origin, periodic in x. */
static void check_format(int format)
{
    save_recording("a.kugel", 60);
    support_program run = REPLAY("export", path("a.kugel"), "--format", formats[format].name, "-o",
                                 formats[format].file);
    expect_done(&run);
    write_table("a.kugel", "table", 1);
    read_back(format, "FFF", "open");

    support_write_file(
        "b.json",
        "{\"format\": \"kugel-scene\", \"version\": 1, \"ticks\": 6, \"gravity\": [0, 0, -9.81],"
        "\"bounds\": {\"min\": [1, 2, 3], \"max\": [7, 9, 8],"
        "\"faces\": [\"periodic\", \"periodic\", \"wall\", \"wall\", \"wall\", \"wall\"]},"
        "\"defaults\": {\"radius\": 0.3, \"spin\": [1, 2, 3], \"density\": 2600},"
        "\"bodies\": [{\"position\": [4, 5, 5], \"type\": \"kinematic\","
        "\"velocity\": [0, 0, 2]}],"
        "\"generators\": [{\"gas\": {\"count\": 60, \"packing_fraction\": 0.1, \"speed_sigma\": 5, "
        "\"seed\": 7}}]}");
    run = RUN("b.json", "--every", "2", "--record", "b.kugel", "--export", formats[format].file,
              "--format", formats[format].name);
    expect_done(&run);
    write_table("b.kugel", "table", 2);
    read_back(format, "TFF", "closed");
}

Test(formats, xyz) { check_format(1); }
Test(formats, npy) { check_format(2); }
Test(formats, vtp) { check_format(3); }

/* Surfaces that stay have one file for all ticks; one that moves a file for each. */
Test(formats, vtp_surfaces)
{
    const char *scene =
        "{\"format\": \"kugel-scene\", \"version\": 1, \"dt\": 0.5, \"ticks\": 2, "
        "\"surfaces\": [{\"box\": {\"half\": [1, 2, 3]}, \"position\": [10, 20, 30], "
        "\"rotation\": [0, 0, 0.6, 0.8]%s}, {\"disc\": {\"radius\": 1, "
        "\"segments\": 6}}], \"bodies\": [{\"position\": [50, 0, 0]}]}";
    char text[512];
    for (int moves = 0; moves < 2; ++moves) {
        snprintf(text, sizeof text, scene, moves ? ", \"velocity\": [1, 0, 0]" : "");
        support_write_file("s.json", text);
        support_program run = RUN("s.json", "--export", "s.pvd");
        expect_done(&run);
        char *list = support_read_file("s.pvd");
        cr_assert_eq(strstr(list, "000002.surfaces.vtp") != NULL, moves, "%s", list);
        cr_assert(strstr(list, "part=\"1\" file=\"s.frames/000000.surfaces.vtp\""), "%s", list);
        free(list);
    }
    const char *python = "/usr/bin/python3";
    char script[512], found[512];
    snprintf(script, sizeof script, "%s/tests/export/read_surfaces.py", getenv("KUGEL_SOURCE"));
    snprintf(found, sizeof found, "%s", path("s.frames/000002.surfaces.vtp"));
    if (access(python, X_OK) != 0) cr_skip_test("there is no %s", python);
    support_program run = support_run_program(python, (const char *const[]){script, found, NULL});
    if (run.code == 77) cr_skip_test("%s", support_line_from_end(run.out, 0));
    cr_assert_eq(run.code, 0, "%s%s", run.out, run.err);
    support_program_free(&run);
}
/* Three balls on top of each other: forces of m g, 2 m g and 3 m g, as rows and as lines, from both
 * programs. */
Test(formats, contacts)
{
    char script[512], first[512];
    size_t size;
    support_write_file(
        "pile.json",
        "{\"format\": \"kugel-scene\", \"version\": 1, \"ticks\": 60, \"gravity\": [0, 0, -10],"
        "\"bounds\": {\"min\": [0, 0, 0], \"max\": [4, 4, 9]}, \"defaults\": {\"mass\": 2}, "
        "\"bodies\": ["
        "{\"position\": [2, 2, 0.5]}, {\"position\": [2, 2, 1.5]}, {\"position\": [2, 2, 2.5]}]}");
    support_program run = RUN("pile.json", "--every", "30", "--record", "pile.kugel", "--export",
                              "pile.contacts.csv");
    expect_done(&run);
    run = REPLAY("export", path("pile.kugel"), "--every", "30", "-o", "pile.contacts.pvd");
    expect_done(&run);
    run = REPLAY("export", path("pile.kugel"), "--tick", "60", "--format", "contacts", "-o", "-");
    cr_assert_eq(run.code, 0, "%s", run.err);
    double sum = 0, force, x, y, z;
    unsigned a, index;
    char target[8], *line = strchr(run.out, '\n') + 1;
    for (int k = 0; k < 3; ++k, line = strchr(line, '\n') + 1) {
        int read = sscanf(line, "60,1,%u,%7[a-z],%u,%lf,%lf,%lf,%*f,%*f,%*f,%*f,%lf", &a, target,
                          &index, &x, &y, &z, &force);
        cr_assert_eq(read, 7, "%s", line);
        cr_assert_eq(strcmp(target, z < 0.5 ? "face" : "body"), 0, "%s", line);
        cr_assert_float_eq(force, 20 * (3 - floor(z + 0.5)), 0.1, "%s", line);
        sum += force;
    }
    cr_assert(*line == 0 && fabs(sum - 120) < 0.1);
    support_program_free(&run);
    char *data = load("pile.contacts.csv", &size);
    snprintf(first, sizeof first, "%.*s", (int)strcspn(data, "\n"), data);
    cr_assert_eq(strcmp(first, "tick,time,a,target,index,x,y,z,nx,ny,nz,gap,force,fx,fy,fz"), 0,
                 "%s", first);
    free(data);
    snprintf(script, sizeof script, "%s/tests/export/read_contacts.py", getenv("KUGEL_SOURCE"));
    run = support_run_program(
        "/usr/bin/python3",
        (const char *const[]){script, path("pile.contacts.pvd"), path("pile.contacts.csv"), NULL});
    if (run.code == 77) cr_skip_test("%s", run.out);
    cr_assert(run.code == 0 && strstr(run.out, "same: 3 frames, 6 contacts"), "%s%s", run.out,
              run.err);
    support_program_free(&run);
}

Test(formats, lammps) { check_format(4); }
Test(formats, gsd) { check_format(5); }

/* Five balls on top of each other, of which the middle one is removed: those above fall on the
 * lower ones, and rows are no ids. The bonds are the contacts of two bodies, at the start none. */
Test(formats, gsd_bonds)
{
    support_write_file(
        "bonds.json",
        "{\"format\": \"kugel-scene\", \"version\": 1, \"ticks\": 120, \"gravity\": [0, 0, -10],"
        "\"bounds\": {\"min\": [0, 0, 0], \"max\": [4, 4, 9]}, \"bodies\": ["
        "{\"position\": [2, 2, 2.5]}, {\"position\": [2, 2, 0.5]}, {\"position\": [2, 2, 1.5]}, "
        "{\"position\": [2, 2, 3.5]}, {\"position\": [2, 2, 4.5]}], \"drains\": [{\"tick\": 40, "
        "\"ticks\": 1, \"min\": [0, 0, 2.2], \"max\": [4, 4, 2.8]}]}");
    support_program run = RUN("bonds.json", "--every", "30", "--record", "bonds.kugel", "--export",
                              "bonds.contacts.csv");
    expect_done(&run);
    run = REPLAY("export", path("bonds.kugel"), "--every", "30", "-o", "bonds.gsd");
    expect_done(&run);
    char script[512];
    snprintf(script, sizeof script, "%s/tests/export/read_back.py", getenv("KUGEL_SOURCE"));
    run = support_run_program("/usr/bin/python3",
                              (const char *const[]){script, "bonds", path("bonds.gsd"),
                                                    path("bonds.contacts.csv"), NULL});
    if (run.code == 77) cr_skip_test("%s", run.out);
    cr_assert(run.code == 0 && strstr(run.out, "same: 0 4 2 3 3 bonds"), "%s%s", run.out, run.err);
    support_program_free(&run);
}

/* A radius and a mass that calls change between ticks are those of the frame. */
Test(formats, sizes_that_change)
{
    kugel_world_def world_def = kugel_world_def_default();
    kugel_body_def def = kugel_body_def_default();
    support_file file = {0};
    kugel_recording_def recording = support_recording_def(&file, false);
    kugel_world *world;
    kugel_body body;
    cr_assert_eq(kugel_world_create(&world_def, &world), KUGEL_OK);
    cr_assert_eq(kugel_body_create(world, &def, &body), KUGEL_OK);
    cr_assert_eq(kugel_world_recording_start(world, &recording), KUGEL_OK);
    cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
    cr_assert_eq(kugel_body_set_radius(world, body, 0.25), KUGEL_OK);
    cr_assert_eq(kugel_body_set_mass(world, body, 3), KUGEL_OK);
    cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
    cr_assert_eq(kugel_world_recording_stop(world), KUGEL_OK);
    kugel_world_destroy(world);
    save("c.kugel", &file);
    support_program run =
        REPLAY("export", path("c.kugel"), "--format", formats[2].name, "-o", formats[2].file);
    expect_done(&run);
    write_table("c.kugel", "table", 1);
    read_back(2, "FFF", "open");
}

static void expect_same_bytes(const char *a, const char *b)
{
    size_t size, other;
    char *x = load(a, &size), *y = load(b, &other);
    cr_assert(size == other && memcmp(x, y, size) == 0, "%s and %s differ", a, b);
    free(x);
    free(y);
}

/* kugel-run and kugel-replay write the same bytes, to files and pipes (no seeking), with the format
 * given by name or by the file's ending. */
Test(formats, the_same_from_both_programs)
{
    for (int k = 0; k < FORMATS; ++k) {
        support_program run = RUN("gas", "--ticks", "5", "--every", "2", "--quiet", "--record",
                                  "g.kugel", "--export", formats[k].file);
        expect_done(&run);
        run = REPLAY("export", "g.kugel", "--format", formats[k].name, "-o", "b", "--every", "2");
        expect_done(&run);
        if (strcmp(formats[k].name, "vtp") == 0) {
            expect_same_bytes("a.frames/000004.vtp", "b.frames/000004.vtp");
            continue;
        }
        expect_same_bytes(formats[k].file, "b");
        run = REPLAY("export", "g.kugel", "--format", formats[k].name, "-o", "-", "--every=2");
        size_t size;
        char *file = load("b", &size);
        cr_assert(run.out_size == size && memcmp(run.out, file, size) == 0, "%s", formats[k].name);
        free(file);
        expect_done(&run);
    }
}

/* Centroid of a colour in a frame, in pixels right of and below the frame's centre. */
static void find_colour(const char *film, const char *time, double at[2])
{
    enum { WIDTH = 960, HEIGHT = 720 };
    support_program run = support_run_program(
        "/usr/bin/ffmpeg",
        (const char *const[]){"-v", "error", "-ss", time, "-i", film, "-frames:v", "1", "-f",
                              "rawvideo", "-pix_fmt", "rgb24", "-", NULL});
    cr_assert(run.code == 0 && run.out_size == 3 * WIDTH * HEIGHT, "%zu bytes: %s", run.out_size,
              run.err);
    const unsigned char *rgb = (const unsigned char *)run.out;
    double n = 0;
    at[0] = at[1] = 0;
    for (int i = 0; i < WIDTH * HEIGHT; ++i, rgb += 3) {
        if (abs(rgb[0] - rgb[1]) < 40) continue; /* grey: box and background */
        at[0] += i % WIDTH + 0.5 - WIDTH / 2, at[1] += i / WIDTH + 0.5 - HEIGHT / 2, n += 1;
    }
    cr_assert_gt(n, 100, "no body in the picture");
    at[0] /= n, at[1] /= n;
    support_program_free(&run);
}

/* The camera points at the middle of the box, z is up. Tolerance: 2 pixels, because the video
 * stores colours for every second pixel. */
Test(formats, a_video_by_ffmpeg)
{
    double first[2], last[2];
    if (access("/usr/bin/ffmpeg", X_OK) != 0) cr_skip_test("there is no /usr/bin/ffmpeg");
    support_write_file(
        "s.json",
        "{\"format\": \"kugel-scene\", \"version\": 1, \"ticks\": 30, \"gravity\": [0, 0, 0],"
        "\"bounds\": {\"min\": [0, 0, 0], \"max\": [10, 8, 6],"
        "\"faces\": [\"wall\", \"wall\", \"wall\", \"wall\", \"wall\", \"wall\"]},"
        "\"bodies\": [{\"position\": [5, 4, 3], \"velocity\": [0, 0, 4]}]}");
    support_program run = RUN("s.json", "--video", "a.mp4");
    expect_done(&run);
    find_colour("a.mp4", "0", first);
    find_colour("a.mp4", "0.49", last); /* frame 30 of 60 a second */
    cr_assert(fabs(first[0]) < 2 && fabs(first[1]) < 2, "%g right, %g below the middle", first[0],
              first[1]);
    cr_assert(fabs(last[0]) < 2 && last[1] < -50, "rises to %g right, %g below the middle", last[0],
              last[1]);
    cr_assert_eq(support_count_files("a."), 1);
}

/* Without ffmpeg, and with one that exits at once. */
Test(formats, a_video_without_ffmpeg)
{
    setenv("PATH", support_folder(), 1);
    support_program run = RUN("gas", "--ticks", "3", "--quiet", "--video", "a.mp4");
    cr_assert(support_complains(&run, 4, "there is no ffmpeg"));
    support_program_free(&run);
    support_write_file("ffmpeg", "#!/bin/sh\nexit 1\n");
    cr_assert_eq(chmod(path("ffmpeg"), 0700), 0);
    run = RUN("gas", "--ticks", "3", "--quiet", "--video", "a.mp4");
    cr_assert(support_complains(&run, 4, "ffmpeg failed"));
    support_program_free(&run);
    cr_assert_eq(support_count_files("a."), 0);
}

Test(formats, a_shorter_export_leaves_no_frames_of_the_longer)
{
    save_recording("a.kugel", 9), save_recording("b.kugel", 4);
    support_program run = REPLAY("export", "a.kugel", "--format", "vtp", "-o", "a.pvd");
    expect_done(&run);
    cr_assert_eq(access(path("a.frames/000009.vtp"), R_OK), 0);
    run = REPLAY("export", "b.kugel", "-o", "a.pvd");
    expect_done(&run);
    cr_assert_eq(access(path("a.frames/000004.vtp"), R_OK), 0);
    cr_assert_neq(access(path("a.frames/000005.vtp"), R_OK), 0);
    cr_assert_eq(support_count_files("a.frames"), 1, "the folder alone");
}

Test(formats, a_folder_with_other_files_is_not_changed)
{
    save_recording("a.kugel", 2);
    cr_assert_eq(mkdir(path("a.frames"), 0700), 0);
    support_write_file("a.frames/notes", "mine\n");
    support_program run = REPLAY("export", "a.kugel", "-o", "a.pvd");
    cr_assert_eq(run.code, 4);
    cr_assert(support_count_lines(run.err) == 1 && strstr(run.err, "a.pvd"), "%s", run.err);
    cr_assert_eq(access(path("a.frames/notes"), R_OK), 0);
    cr_assert_neq(access(path("a.pvd"), F_OK), 0);
    cr_assert_eq(support_count_files("a."), 2, "a.kugel, a.frames");
    support_program_free(&run);
}

/* A failing run over existing frames of three ticks: all three stay unchanged. */
static void expect_old_frames(support_program *run, const char *said)
{
    cr_assert(support_complains(run, 4, said));
    for (int tick = 0; tick < 3; ++tick) {
        char name[32];
        snprintf(name, sizeof name, "a.frames/00000%d.vtp", tick);
        cr_assert_eq(access(path(name), R_OK), 0, "%s is gone", name);
    }
    cr_assert_neq(access(path("a.frames/000003.vtp"), F_OK), 0);
    cr_assert_eq(support_count_files("a."), 2, "a.pvd, a.frames");
    support_program_free(run);
}

Test(formats, a_failed_export_keeps_the_old_frames)
{
    support_program run = RUN("gas", "--quiet", "--ticks", "2", "--export", "a.pvd");
    expect_done(&run);
    char *before = support_read_file("a.pvd");
    support_write_file("a.frames/notes", "mine\n");
    run = RUN("gas", "--quiet", "--ticks", "4", "--export", "a.pvd");
    expect_old_frames(&run, "--export: a.pvd: its folder of frames holds something else");
    char *after = support_read_file("a.pvd");
    cr_assert_str_eq(before, after);
    free(before), free(after);
}

/* Failure at the very end: the target name of the collection has become a folder. The run waits
 * before its first tick for a reader of its events. */
Test(formats, the_old_frames_come_back_when_the_collection_fails)
{
    char command[512];
    support_program run = RUN("gas", "--quiet", "--ticks", "2", "--export", "a.pvd");
    expect_done(&run);
    cr_assert_eq(mkfifo(path("pipe"), 0600), 0);
    run = support_start(NULL, (const char *const[]){"gas", "--quiet", "--ticks", "4", "--export",
                                                    "a.pvd", "--events", "pipe", NULL});
    for (int n = 0; n < 10000 && support_count_files("a.pvd.") == 0; ++n) usleep(1000);
    cr_assert(unlink(path("a.pvd")) == 0 && mkdir(path("a.pvd"), 0700) == 0);
    snprintf(command, sizeof command, "cat '%s' >'%s'", path("pipe"), path("rows"));
    cr_assert_eq(system(command), 0);
    support_wait(&run);
    expect_old_frames(&run, "--export: a.pvd: cannot be written: Is a directory");
}

/* An export that ends early leaves the previous file and nothing else. */
Test(formats, a_failed_run_leaves_the_old_file)
{
    support_write_file(
        "s.json",
        "{\"format\": \"kugel-scene\", \"version\": 1, \"ticks\": 5, \"bodies\": [{\"position\": "
        "[0, 0, 0]}],"
        "\"impulses\": [{\"tick\": 3, \"body\": 0, \"impulse\": [1e308, 1e308, 1e308]}]}");
    for (int k = 0; k < FORMATS; ++k) {
        support_write_file(formats[k].file, "old\n");
        size_t before = support_count_files("a");
        support_program run = RUN("s.json", "--export", formats[k].file);
        cr_assert_neq(run.code, 0, "the impulse should be refused");
        char *text = support_read_file(formats[k].file);
        cr_assert_str_eq(text, "old\n");
        cr_assert_eq(support_count_files("a"), before, "%s leaves something behind",
                     formats[k].name);
        free(text);
        support_program_free(&run);
    }
}
