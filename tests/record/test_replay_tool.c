/* kugel-replay from outside: exit codes, the words that other programs rely on, one line for every
 * mistake, and outputs that are whole or not there. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "record/recorder.h"
#include "record/support_recording.h"

extern char **environ;
static char folder[] = "/tmp/kugel-replay-XXXXXX";

/* What a run of the tool gave. */
typedef struct outcome {
    int code;
    char out[8192], err[2048];
} outcome;

static void setup(void) { cr_assert_not_null(mkdtemp(folder)); }

static void teardown(void)
{
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        unlinkat(dirfd(dir), entry->d_name, 0);
    if (dir) closedir(dir);
    rmdir(folder);
}

TestSuite(replay_tool, .init = setup, .fini = teardown);

/* Names live until the eighth next call. */
static const char *path(const char *name)
{
    static char paths[8][300];
    static int next;
    char *p = paths[next++ % 8];
    snprintf(p, sizeof paths[0], "%s/%s", folder, name);
    return p;
}

static void save(const char *name, const support_file *file)
{
    FILE *to = fopen(path(name), "wb");
    cr_assert_not_null(to);
    cr_assert_eq(fwrite(file->data, 1, file->size, to), file->size);
    cr_assert_eq(fclose(to), 0);
}

static void save_run(const char *name, uint64_t ticks, bool states, double push)
{
    support_file file = support_record(ticks, states, 1, push, NULL);
    save(name, &file);
    support_file_free(&file);
}

static char *load(const char *name)
{
    FILE *from = fopen(path(name), "rb");
    if (!from) return NULL;
    char *text = calloc(1, 1 << 20);
    cr_assert_not_null(text);
    size_t n = fread(text, 1, (1 << 20) - 1, from);
    cr_assert_lt(n, (1 << 20) - 1);
    fclose(from);
    return text;
}

static void slurp(const char *name, char *to, size_t room)
{
    char *text = load(name);
    cr_assert_not_null(text);
    snprintf(to, room, "%s", text);
    free(text);
}

/* Run the tool; `in` and `out` are files for standard input and output (NULL: none, a buffer). */
static outcome run_with(const char *in, const char *out, const char *const *args)
{
    const char *build = getenv("KUGEL_BUILD");
    cr_assert_not_null(build, "KUGEL_BUILD names the build folder");
    char tool[512];
    snprintf(tool, sizeof tool, "%s/tools/replay/kugel-replay", build);
    const char *argv[16] = {tool};
    for (int k = 0; args[k]; ++k) argv[k + 1] = args[k];
    posix_spawn_file_actions_t actions;
    const int write = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, in ? in : "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, out ? out : path("stdout"), write, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, path("stderr"), write, 0600);
    pid_t pid;
    int status;
    cr_assert_eq(posix_spawn(&pid, tool, &actions, NULL, (char **)argv, environ), 0, "%s", tool);
    posix_spawn_file_actions_destroy(&actions);
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert(WIFEXITED(status), "%s ended by signal %d", args[0], WTERMSIG(status));
    outcome o = {.code = WEXITSTATUS(status)};
    if (!out) slurp("stdout", o.out, sizeof o.out);
    slurp("stderr", o.err, sizeof o.err);
    return o;
}

#define RUN(...) run_with(NULL, NULL, (const char *const[]){__VA_ARGS__, NULL})

static int lines(const char *text)
{
    int n = 0;
    for (; *text; ++text) n += *text == '\n';
    return n;
}

/* A failure: this code, one line on standard error that holds `word`, nothing on standard output. */
static void check_refused(const outcome *o, int code, const char *word)
{
    cr_assert_eq(o->code, code, "code %d: %s%s", o->code, o->out, o->err);
    cr_assert_eq(lines(o->err), 1, "%s", o->err);
    cr_assert_not_null(strstr(o->err, word), "no '%s' in: %s", word, o->err);
    cr_assert_str_empty(o->out);
}

/* ---- verify, info ---- */

Test(replay_tool, verify_identical)
{
    for (int states = 0; states < 2; ++states) {
        save_run("a", SUPPORT_TICKS, states, 4);
        outcome o = RUN("verify", path("a"));
        cr_assert_eq(o.code, 0, "%s", o.err);
        cr_assert_str_eq(o.out, "identical: 75 ticks\n");
        cr_assert_str_empty(o.err);
        o = RUN("verify", "--threads", "3", path("a"));
        cr_assert_str_eq(o.out, "identical: 75 ticks\n");
        o = run_with(path("a"), NULL, (const char *const[]){"verify", "-", NULL});
        cr_assert_eq(o.code, 0, "%s", o.err);
        cr_assert_str_eq(o.out, "identical: 75 ticks\n");
    }
}

Test(replay_tool, verify_cut)
{
    support_file file = support_record(SUPPORT_TICKS, true, 1, 4, NULL);
    size_t at;
    kg_chunk_view view;
    cr_assert(support_find_chunk(&file, KG_TYPE_TICK, 2, &at, &view));
    size_t sizes[2] = {at + 10, at};
    for (int k = 0; k < 2; ++k) {
        file.size = sizes[k];
        save("a", &file);
        outcome o = RUN("verify", path("a"));
        cr_assert_eq(o.code, 0, "%s", o.err);
        cr_assert_eq(strncmp(o.out, "identical: 60 ticks\n", 20), 0, "%s", o.out);
        cr_assert_not_null(strstr(o.out, k ? "was not closed" : "was cut"), "%s", o.out);
        cr_assert_eq(lines(o.out), 2);
        cr_assert_str_empty(o.err);
    }
    support_file_free(&file);
}

Test(replay_tool, verify_damaged)
{
    support_file file = support_record(SUPPORT_TICKS, true, 1, 4, NULL);
    size_t at;
    kg_chunk_view view;
    cr_assert(support_find_chunk(&file, KG_TYPE_TICK, 1, &at, &view));
    file.data[at + KG_CHUNK_HEAD + 9] ^= 16;
    save("a", &file);
    outcome o = RUN("verify", path("a"));
    cr_assert_eq(o.code, 2, "%s", o.out);
    cr_assert_str_eq(o.out, "identical: 30 ticks\n");
    char where[64];
    snprintf(where, sizeof where, "damaged at byte %zu, behind tick 30", at);
    cr_assert_not_null(strstr(o.err, where), "%s", o.err);
    cr_assert_eq(lines(o.err), 1);
    o = RUN("info", path("a"));
    cr_assert_eq(o.code, 0);
    cr_assert_not_null(strstr(o.out, "\ndamaged yes\n"), "%s", o.out);
    support_file_free(&file);
}

/* A recording whose force of tick 3 was changed: felt in tick 4. */
static void save_tampered(const char *name)
{
    support_file file = support_record(20, true, 1, 4, NULL);
    size_t at, size;
    kg_chunk_view view;
    cr_assert(support_find_chunk(&file, KG_TYPE_TICK, 0, &at, &view));
    uint8_t *payload = support_unpack(&view, &size);
    size_t op = KG_RUN_HEAD;
    while (payload[op] != KG_OP_FORCE) op += 1 + kg_op_size(payload[op]);
    kg_put64(payload + op + 9, kg_bits(41));
    support_file bad = support_replace_chunk(&file, at, payload, size);
    save(name, &bad);
    free(payload);
    support_file_free(&bad);
    support_file_free(&file);
}

Test(replay_tool, verify_different)
{
    save_tampered("a");
    outcome o = RUN("verify", path("a"));
    cr_assert_eq(o.code, 1, "%s", o.err);
    double expected, found;
    unsigned long long bits[2];
    int n = sscanf(
        o.out,
        "different at tick 4: body 0 position.x: %lf (0x%16llx) recorded, %lf (0x%16llx) found",
        &expected, &bits[0], &found, &bits[1]);
    cr_assert_eq(n, 4, "%s", o.out);
    cr_assert_eq(kg_bits(expected), bits[0]);
    cr_assert_eq(kg_bits(found), bits[1]);
    cr_assert_eq(lines(o.out), 2, "%s", o.out);
    cr_assert_not_null(strstr(o.out, "\nit took part in no impact in the 4 ticks before"), "%s", o.out);
    cr_assert_str_empty(o.err);
}

Test(replay_tool, info)
{
    save_run("a", 5, true, 4);
    outcome o = RUN("info", path("a"));
    cr_assert_eq(o.code, 0);
    static const char *const words[] = {"format 1\n",     "\nticks 5\n",
                                        "\nclosed yes\n", "\nstates yes\n",
                                        "\ndamaged no\n", "\nannotation 6 bytes\n",
                                        " 0 lost\n"};
    for (size_t k = 0; k < sizeof words / sizeof *words; ++k) {
        cr_assert_not_null(strstr(o.out, words[k]), "%s", o.out);
    }
}

/* ---- diff ---- */

Test(replay_tool, diff_identical)
{
    save_run("a", 50, true, 4);
    save_run("b", 50, false, 4);
    outcome o = RUN("diff", path("a"), path("b"));
    cr_assert_eq(o.code, 0, "%s", o.err);
    cr_assert_str_eq(o.out, "identical: 50 ticks\n");
    o = run_with(path("a"), NULL, (const char *const[]){"diff", path("b"), "-", NULL});
    cr_assert_eq(o.code, 0, "%s", o.err);
}

/* The push of tick 40 differs: body 1 differs from tick 41 on. With and without recorded states. */
Test(replay_tool, diff_different)
{
    for (int states = 0; states < 4; ++states) {
        save_run("a", SUPPORT_TICKS, states & 1, 4);
        save_run("b", SUPPORT_TICKS, states & 2, 4.5);
        outcome o = RUN("diff", path("a"), path("b"));
        cr_assert_eq(o.code, 1, "%s", o.err);
        cr_assert_eq(strncmp(o.out, "different at tick 41: body 1 position.z: ", 41), 0, "%s",
                     o.out);
        cr_assert_not_null(strstr(o.out, "in the first, "), "%s", o.out);
        cr_assert_not_null(strstr(o.out, "\nit took part in no impact in the 41 ticks before"), "%s", o.out);
        cr_assert_str_empty(o.err);
    }
}

/* A ball that bounces on a floor; before tick 60 it is pushed. */
static void save_bounces(const char *name, double push)
{
    support_file file = {0};
    kugel_world_def def = kugel_world_def_default();
    kugel_body_def ball = kugel_body_def_default();
    kugel_recording_def recording = support_recording_def(&file, true);
    kugel_world *world;
    kugel_body body;
    def.gravity[2] = -9.81;
    ball.position[2] = 1.5;
    ball.restitution = 0.9;
    recording.keyframe_ticks = 20;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    cr_assert_eq(kugel_world_recording_start(world, &recording), KUGEL_OK);
    cr_assert_eq(kugel_world_add_plane(world, &(kugel_plane){{0, 0, 1}, 0, 0, 0.5}, NULL), KUGEL_OK);
    cr_assert_eq(kugel_body_create(world, &ball, &body), KUGEL_OK);
    for (int tick = 0; tick < 100; ++tick) {
        if (tick == 60) kugel_body_apply_impulse(world, body, (double[3]){push, 0, 0});
        cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
    }
    cr_assert_eq(kugel_world_recording_stop(world), KUGEL_OK);
    kugel_world_destroy(world);
    save(name, &file);
    support_file_free(&file);
}

/* It falls 1 m in 0.4515 s: in tick 28, at 4.43 m/s, with 1 kg: (1 + 0.9) 4.43 = 8.416 N s. */
Test(replay_tool, a_difference_names_the_last_impact)
{
    save_bounces("a", 0);
    save_bounces("b", 1e-9);
    outcome o = RUN("diff", path("a"), path("b"));
    cr_assert_eq(o.code, 1);
    cr_assert_eq(strncmp(o.out, "different at tick 61: body 0 position.x: ", 41), 0, "%s", o.out);
    unsigned long long tick;
    double time, speed, impulse;
    const char *line = strstr(o.out, "its last impact");
    cr_assert_not_null(line, "%s", o.out);
    int n = sscanf(line, "its last impact before: in tick %llu, %lf s into it, with plane 0, at %lf m/s, impulse %lf N s", &tick,
                   &time, &speed, &impulse);
    cr_assert_eq(n, 4, "%s", o.out);
    cr_assert_eq(tick, 28, "%s", o.out);
    cr_assert_float_eq(speed, 4.42945, 1e-5);
    cr_assert_float_eq(impulse, 8.41595, 2e-5);
}

/* ---- a writer that is killed ---- */

/* The name of the file in the folder that begins so, once it holds `size` bytes. */
static const char *wait_for_file(const char *prefix, off_t size)
{
    for (int tries = 0; tries < 3000; ++tries, usleep(10000)) {
        DIR *dir = opendir(folder);
        const char *found = NULL;
        for (struct dirent *entry; !found && (entry = readdir(dir));) {
            struct stat info;
            if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0) continue;
            const char *name = path(entry->d_name);
            if (stat(name, &info) == 0 && info.st_size >= size) found = name;
        }
        closedir(dir);
        if (found) return found;
    }
    return NULL;
}

/* kill -9 in the middle of a run: what was written is a recording that verifies. */
Test(replay_tool, a_killed_run_leaves_a_readable_file)
{
    char runner[512];
    snprintf(runner, sizeof runner, "%s/samples/kugel-run", getenv("KUGEL_BUILD"));
    const char *argv[] = {runner, "bouncing-balls", "--quiet", "--ticks", "100000000", "--record", path("killed"), NULL};
    pid_t pid;
    int status;
    cr_assert_eq(posix_spawn(&pid, runner, NULL, NULL, (char **)argv, environ), 0);
    const char *file = wait_for_file("killed", 50000);
    cr_assert_eq(kill(pid, SIGKILL), 0);
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert(WIFSIGNALED(status));
    cr_assert_not_null(file, "nothing was written");
    outcome o = RUN("verify", file);
    cr_assert_eq(o.code, 0, "%s%s", o.out, o.err);
    unsigned long long ticks = 0;
    cr_assert_eq(sscanf(o.out, "identical: %llu ticks", &ticks), 1, "%s", o.out);
    cr_assert_geq(ticks, 30);
    cr_assert(strstr(o.out, "was not closed") || strstr(o.out, "was cut"), "%s", o.out);
}

Test(replay_tool, diff_of_other_lengths)
{
    save_run("a", 50, true, 4);
    save_run("b", 30, true, 4);
    outcome o = RUN("diff", path("a"), path("b"));
    cr_assert_eq(o.code, 1);
    cr_assert_not_null(strstr(o.out, "b ends after tick 30"), "%s", o.out);
}

/* ---- export, seek ---- */

/* The table of a run of the same scene, as SCENE has it: the file must be equal to it. */
static char *csv_table(uint64_t ticks)
{
    char *text = calloc(1, 1 << 20), *at = text;
    kugel_world_def def = support_drive_def();
    kugel_world *world;
    cr_assert_eq(kugel_world_create(&def, &world), KUGEL_OK);
    support_drive_fill(world);
    at += sprintf(at, "tick,time,id,x,y,z,vx,vy,vz,wx,wy,wz\n");
    for (uint64_t tick = 0;; ++tick) {
        uint32_t ids[16], n;
        double x[48], v[48], w[48];
        n = kugel_world_read(world, 16, ids, x, v, w);
        for (uint32_t i = 0; i < n; ++i) {
            at += sprintf(at, "%d,%.17g,%u", (int)tick, (double)tick * (1 / 60.), ids[i]);
            for (int k = 0; k < 3; ++k) at += sprintf(at, ",%.17g", x[3 * i + (uint32_t)k]);
            for (int k = 0; k < 3; ++k) at += sprintf(at, ",%.9g", v[3 * i + (uint32_t)k]);
            for (int k = 0; k < 3; ++k) at += sprintf(at, ",%.9g", w[3 * i + (uint32_t)k]);
            at += sprintf(at, "\n");
        }
        if (tick == ticks) break;
        support_drive_calls(world, tick, 4);
        cr_assert_eq(kugel_world_step(world, 1 / 60.), KUGEL_OK);
    }
    kugel_world_destroy(world);
    return text;
}

Test(replay_tool, export_csv)
{
    save_run("a", 60, false, 4);
    char *expected = csv_table(60);
    outcome o = RUN("export", path("a"), "--format", "csv", "-o", path("a.csv"));
    cr_assert_eq(o.code, 0, "%s", o.err);
    cr_assert_str_empty(o.out);
    char *got = load("a.csv");
    cr_assert_str_eq(got, expected);
    free(got);
    o = run_with(NULL, path("b.csv"),
                 (const char *const[]){"export", "--format=csv", "-o-", path("a"), NULL});
    cr_assert_eq(o.code, 0, "%s", o.err);
    got = load("b.csv");
    cr_assert_str_eq(got, expected);
    free(got);
    free(expected);
}

Test(replay_tool, seek_prints_the_rows_of_a_tick)
{
    save_run("a", 60, true, 4);
    char *table = csv_table(60);
    for (int tick = 0; tick <= 60; tick += 15) {
        char number[8], first[16], last[16];
        snprintf(number, sizeof number, "%d", tick);
        snprintf(first, sizeof first, "\n%d,", tick);
        snprintf(last, sizeof last, "\n%d,", tick + 1);
        outcome o = RUN("seek", path("a"), number);
        cr_assert_eq(o.code, 0, "%s", o.err);
        const char *from = strstr(table, first) + 1, *to = strstr(table, last);
        size_t size = to ? (size_t)(to + 1 - from) : strlen(from);
        const char *rows = strchr(o.out, '\n') + 1;
        cr_assert_eq(strlen(rows), size, "tick %d", tick);
        cr_assert_eq(strncmp(rows, from, size), 0, "tick %d", tick);
    }
    free(table);
}

Test(replay_tool, export_xyz)
{
    save_run("a", 16, false, 4);
    outcome o = RUN("export", path("a"), "--format", "xyz", "-o", path("a.xyz"));
    cr_assert_eq(o.code, 0, "%s", o.err);
    char *text = load("a.xyz");
    cr_assert_eq(lines(text), 16 * (9 + 2) + (8 + 2), "body 1 is gone in the last of 17 frames");
    cr_assert_eq(
        strncmp(text,
                "9\nProperties=species:S:1:pos:R:3:velo:R:3:radius:R:1:id:I:1 tick=0 time=0\n", 74),
        0);
    double x[3], v[3], radius;
    unsigned id;
    int n = sscanf(strstr(text, "time=0\n") + 7, "S %lf %lf %lf %lf %lf %lf %lf %u", &x[0], &x[1],
                   &x[2], &v[0], &v[1], &v[2], &radius, &id);
    cr_assert_eq(n, 8);
    cr_assert(x[0] == -1 && x[1] == -1 && x[2] == 1 && radius == 0.4 && id == 0);
    free(text);
}

/* ---- mistakes ---- */

Test(replay_tool, bad_usage_is_one_line)
{
    save_run("a", 3, true, 4);
    char a[128];
    snprintf(a, sizeof a, "%s", path("a"));
    static const struct {
        const char *args[6], *word; /* "A": the recording */
    } rows[] = {
        {{NULL}, "verify"},
        {{"fly"}, "fly"},
        {{"verify"}, "verify"},
        {{"verify", "A", "A"}, "verify"},
        {{"diff", "A"}, "diff"},
        {{"diff", "-", "-"}, "standard input"},
        {{"verify", "--threads", "0", "A"}, "--threads"},
        {{"verify", "--threads", "257", "A"}, "--threads"},
        {{"verify", "--threads", "-1", "A"}, "--threads"},
        {{"verify", "--threads", "2x", "A"}, "--threads"},
        {{"verify", "A", "--threads"}, "--threads"},
        {{"verify", "--fast", "A"}, "--fast"},
        {{"verify", "-q", "A"}, "-q"},
        {{"verify", "A", "-o", "out"}, "-o"},
        {{"info", "A", "--format", "csv"}, "--format"},
        {{"export", "A"}, "--format"},
        {{"export", "A", "--format", "csv"}, "-o"},
        {{"export", "A", "--format", "pdf", "-oout"}, "pdf"},
        {{"export", "A", "-oout"}, "--format"},
        {{"export", "A", "-oout.csv", "--every", "0"}, "--every"},
        {{"verify", "A", "--every", "2"}, "--every"},
        {{"export", "A", "--format", "vtp", "-o-"}, "vtp cannot go to standard output"},
        {{"view", "A"}, "view: "},
        {{"view", "A", "--format", "csv", "-oout"}, "--format"},
        {{"seek", "A"}, "seek"},
        {{"seek", "A", "4"}, "no tick 4"},
        {{"seek", "A", "1.5"}, "1.5"},
        {{"seek", "A", ""}, "seek"},
        {{"seek", "A", "99999999999999999999"}, "seek"},
        {{"verify", "/nowhere/at/all"}, "/nowhere/at/all"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        const char *args[7] = {NULL};
        for (int i = 0; rows[k].args[i]; ++i) {
            args[i] = strcmp(rows[k].args[i], "A") == 0 ? a : rows[k].args[i];
        }
        outcome o = run_with(NULL, NULL, args);
        check_refused(&o, 2, rows[k].word);
        cr_assert_eq(strncmp(o.err, "kugel-replay: ", 14), 0, "%s", o.err);
    }
    cr_assert_neq(access("out", F_OK), 0, "an output of a refused call");
}

/* What is in the page is for the viewer's own tests. */
Test(replay_tool, view_makes_a_page_or_says_why_not)
{
    save_run("a", 3, true, 4);
    outcome o = RUN("view", path("a"), "-o", path("page"));
    if (o.code == 2) {
        check_refused(&o, 2, "without the viewer");
        cr_assert_neq(access(path("page"), F_OK), 0);
        return;
    }
    cr_assert_eq(o.code, 0, "%s", o.err);
    cr_assert_eq(access(path("page"), R_OK), 0);
    o = RUN("view", path("a"), "-o", path("no/such/place"));
    check_refused(&o, 4, "no/such/place");
    o = RUN("view", "/nowhere/at/all", "-o", path("other"));
    check_refused(&o, 2, "/nowhere/at/all");
}

Test(replay_tool, other_files_are_refused)
{
    support_file text = {0}, empty = {0};
    support_file_write(&text, "{\"format\": \"kugel-scene\"}", 25);
    save("text", &text);
    save("empty", &empty);
    static const char *const names[] = {"text", "empty"};
    static const char *const commands[] = {"verify", "info"};
    for (int k = 0; k < 4; ++k) {
        outcome o = RUN(commands[k / 2], path(names[k % 2]));
        check_refused(&o, 2, names[k % 2]);
    }
    support_file_free(&text);
}

Test(replay_tool, help_and_version)
{
    outcome o = RUN("--help");
    cr_assert_eq(o.code, 0);
    cr_assert_not_null(strstr(o.out, "usage: kugel-replay verify FILE"));
    o = RUN("--version");
    cr_assert_eq(o.code, 0);
    cr_assert_str_eq(o.out, "kugel-replay " KUGEL_VERSION_STRING "\n");
}

/* ---- outputs ---- */

static int count_files(void)
{
    int n = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *entry; (entry = readdir(dir));) n += entry->d_name[0] != '.';
    closedir(dir);
    return n;
}

/* A play that breaks off half-way leaves the old output as it was, and no other file. */
Test(replay_tool, a_failed_export_leaves_nothing)
{
    support_file file = support_record(20, true, 1, 4, NULL), old = {0};
    size_t at, size;
    kg_chunk_view view;
    cr_assert(support_find_chunk(&file, KG_TYPE_TICK, 0, &at, &view));
    uint8_t *payload = support_unpack(&view, &size);
    size_t op = KG_RUN_HEAD;
    while (payload[op] != KG_OP_FORCE) op += 1 + kg_op_size(payload[op]);
    kg_put64(payload + op + 1, 999); /* no such body */
    support_file bad = support_replace_chunk(&file, at, payload, size);
    save("a", &bad);
    support_file_write(&old, "old\n", 4);
    save("a.csv", &old);
    outcome o = RUN("export", path("a"), "--format", "csv", "-o", path("a.csv"));
    check_refused(&o, 2, "tick 3");
    char *text = load("a.csv");
    cr_assert_str_eq(text, "old\n");
    cr_assert_eq(count_files(), 4, "a, a.csv, stdout, stderr");
    o = RUN("verify", path("a"));
    check_refused(&o, 2, "body");
    free(text);
    free(payload);
    support_file_free(&bad);
    support_file_free(&old);
    support_file_free(&file);
}

Test(replay_tool, outputs_that_cannot_be_written)
{
    save_run("a", 20, true, 4);
    outcome o = RUN("export", path("a"), "--format", "csv", "-o", path("no/such/place"));
    check_refused(&o, 4, "no/such/place");
    if (access("/dev/full", W_OK) != 0) return;
    cr_assert_eq(symlink("/dev/full", path("full")), 0); /* see devices_stay_devices */
    o = RUN("export", path("a"), "--format", "csv", "-o", path("full"));
    check_refused(&o, 4, "cannot");
    static const char *const commands[] = {"verify", "info"};
    for (int k = 0; k < 2; ++k) {
        o = run_with(NULL, "/dev/full", (const char *const[]){commands[k], path("a"), NULL});
        check_refused(&o, 4, "standard output");
    }
    o = run_with(NULL, "/dev/full", (const char *const[]){"seek", path("a"), "5", NULL});
    check_refused(&o, 4, "standard output");
    o = run_with(NULL, "/dev/full",
                 (const char *const[]){"export", path("a"), "--format=csv", "-o-", NULL});
    cr_assert_eq(o.code, 4);
    cr_assert_eq(lines(o.err), 1, "%s", o.err);
}

/* Devices are written as they are, not replaced by a file. By a link in the test's own folder: a tool
 * that is wrong here, run with all rights, must not be able to replace the system's device. */
Test(replay_tool, devices_stay_devices)
{
    save_run("a", 3, true, 4);
    cr_assert_eq(symlink("/dev/null", path("null")), 0);
    outcome o = RUN("export", path("a"), "--format", "csv", "-o", path("null"));
    cr_assert_eq(o.code, 0, "%s", o.err);
    struct stat info;
    cr_assert_eq(lstat(path("null"), &info), 0);
    cr_assert(S_ISLNK(info.st_mode), "the link was replaced by a file");
    cr_assert_eq(count_files(), 4, "a, null, stdout, stderr");
}
