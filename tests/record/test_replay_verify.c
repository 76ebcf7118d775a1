/* kugel-replay verify and info on complete, truncated, damaged and changed recordings, and on one
 * of a killed run. */
#include <criterion/criterion.h>
#include <dirent.h>
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
#include "record/support_replay.h"

extern char **environ;

Test(replay_verify, verify_identical)
{
    for (int states = 0; states < 2; ++states) {
        support_save_run("a", SUPPORT_TICKS, states, 4);
        support_outcome o = REPLAY("verify", support_path("a"));
        cr_assert_eq(o.code, 0, "%s", o.err);
        cr_assert_str_eq(o.out, "identical: 75 ticks\n");
        cr_assert_str_empty(o.err);
        o = REPLAY("verify", "--threads", "3", support_path("a"));
        cr_assert_str_eq(o.out, "identical: 75 ticks\n");
        o = support_replay(support_path("a"), NULL, (const char *const[]){"verify", "-", NULL});
        cr_assert_eq(o.code, 0, "%s", o.err);
        cr_assert_str_eq(o.out, "identical: 75 ticks\n");
    }
}

/* Behind a recording on standard output comes the summary of the run; anything else there is
 * damage. */
Test(replay_verify, what_kugel_run_writes_to_standard_output)
{
    support_program run = RUN("gas", "--quiet", "--ticks", "12", "--record", "-");
    cr_assert_eq(run.code, 0, "%s", run.err);
    cr_assert_eq(strncmp(support_line_from_end(run.out + run.out_size - 24, 0), "hash 0x", 7), 0);
    support_file file = {0};
    support_file_write(&file, run.out, run.out_size);
    support_save("a", &file);
    support_outcome o =
        support_replay(support_path("a"), NULL, (const char *const[]){"verify", "-", NULL});
    cr_assert_eq(o.code, 0, "%s", o.err);
    cr_assert_str_eq(o.out, "identical: 12 ticks\n");
    o = REPLAY("info", support_path("a"));
    cr_assert(strstr(o.out, "\ndamaged no\n") && strstr(o.out, " 0 lost\n"), "%s", o.out);
    support_file_write(&file, "x", 1);
    support_save("a", &file);
    o = REPLAY("verify", support_path("a"));
    cr_assert_eq(o.code, 2, "%s", o.out);
    cr_assert_not_null(strstr(o.err, "damaged at byte"), "%s", o.err);
    support_file_free(&file);
    support_program_free(&run);
}

Test(replay_verify, verify_cut)
{
    support_file file = support_record(SUPPORT_TICKS, true, 1, 4, NULL);
    size_t at;
    kg_chunk_view view;
    cr_assert(support_find_chunk(&file, KG_TYPE_TICK, 2, &at, &view));
    size_t sizes[2] = {at + 10, at};
    for (int k = 0; k < 2; ++k) {
        file.size = sizes[k];
        support_save("a", &file);
        support_outcome o = REPLAY("verify", support_path("a"));
        cr_assert_eq(o.code, 0, "%s", o.err);
        cr_assert_eq(strncmp(o.out, "identical: 60 ticks\n", 20), 0, "%s", o.out);
        cr_assert_not_null(strstr(o.out, k ? "was not closed" : "was cut"), "%s", o.out);
        cr_assert_eq(support_count_lines(o.out), 2);
        cr_assert_str_empty(o.err);
    }
    support_file_free(&file);
}

Test(replay_verify, verify_damaged)
{
    support_file file = support_record(SUPPORT_TICKS, true, 1, 4, NULL);
    size_t at;
    kg_chunk_view view;
    cr_assert(support_find_chunk(&file, KG_TYPE_TICK, 1, &at, &view));
    file.data[at + KG_CHUNK_HEADER + 9] ^= 16;
    support_save("a", &file);
    support_outcome o = REPLAY("verify", support_path("a"));
    cr_assert_eq(o.code, 2, "%s", o.out);
    cr_assert_str_eq(o.out, "identical: 30 ticks\n");
    char where[64];
    snprintf(where, sizeof where, "damaged at byte %zu, behind tick 30", at);
    cr_assert_not_null(strstr(o.err, where), "%s", o.err);
    cr_assert_eq(support_count_lines(o.err), 1);
    o = REPLAY("info", support_path("a"));
    cr_assert_eq(o.code, 0);
    cr_assert_not_null(strstr(o.out, "\ndamaged yes\n"), "%s", o.out);
    support_file_free(&file);
}

/* A recording with a changed force in tick 3: the state differs from tick 4 on. */
static void save_tampered(const char *name)
{
    support_file file = support_record(20, true, 1, 4, NULL);
    size_t at, size;
    kg_chunk_view view;
    cr_assert(support_find_chunk(&file, KG_TYPE_TICK, 0, &at, &view));
    uint8_t *payload = support_unpack(&view, &size);
    size_t op = KG_TICK_RANGE_HEADER;
    while (payload[op] != KG_OP_FORCE) op += kg_call_size(payload[op]);
    kg_put64(payload + op + 9, kg_double_to_bits(41));
    support_file bad = support_replace_chunk(&file, at, payload, size);
    support_save(name, &bad);
    free(payload);
    support_file_free(&bad);
    support_file_free(&file);
}

Test(replay_verify, verify_different)
{
    save_tampered("a");
    support_outcome o = REPLAY("verify", support_path("a"));
    cr_assert_eq(o.code, 1, "%s", o.err);
    double expected, found;
    unsigned long long bits[2];
    int n = sscanf(
        o.out,
        "different at tick 4: body 0 position.x: %lf (0x%16llx) recorded, %lf (0x%16llx) found",
        &expected, &bits[0], &found, &bits[1]);
    cr_assert_eq(n, 4, "%s", o.out);
    cr_assert_eq(kg_double_to_bits(expected), bits[0]);
    cr_assert_eq(kg_double_to_bits(found), bits[1]);
    cr_assert_eq(support_count_lines(o.out), 2, "%s", o.out);
    cr_assert_not_null(strstr(o.out, "\nit took part in no impact in the 4 ticks before"), "%s",
                       o.out);
    cr_assert_str_empty(o.err);
}

Test(replay_verify, info)
{
    support_save_run("a", 5, true, 4);
    support_outcome o = REPLAY("info", support_path("a"));
    cr_assert_eq(o.code, 0);
    static const char *const words[] = {"format 18\n",    "\nticks 5\n",
                                        "\nclosed yes\n", "\nstates yes\n",
                                        "\ndamaged no\n", "\nannotation 6 bytes\n",
                                        " 0 lost\n"};
    for (size_t k = 0; k < sizeof words / sizeof *words; ++k) {
        cr_assert_not_null(strstr(o.out, words[k]), "%s", o.out);
    }
}

/* A writer that is killed. */

/* The name of the file in the folder that begins so, once it holds `size` bytes. */
static const char *wait_for_file(const char *prefix, off_t size)
{
    for (int tries = 0; tries < 3000; ++tries, usleep(10000)) {
        DIR *dir = opendir(support_folder());
        const char *found = NULL;
        for (struct dirent *entry; !found && (entry = readdir(dir));) {
            struct stat info;
            if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0) continue;
            const char *name = support_path(entry->d_name);
            if (stat(name, &info) == 0 && info.st_size >= size) found = name;
        }
        closedir(dir);
        if (found) return found;
    }
    return NULL;
}

/* kill -9 in the middle of a run: what was written is a recording that verifies. */
Test(replay_verify, a_killed_run_leaves_a_readable_file)
{
    char runner[512];
    snprintf(runner, sizeof runner, "%s/samples/kugel-run", getenv("KUGEL_BUILD"));
    const char *argv[] = {runner,     "bouncing-balls",       "--quiet", "--ticks", "100000000",
                          "--record", support_path("killed"), NULL};
    pid_t pid;
    int status;
    cr_assert_eq(posix_spawn(&pid, runner, NULL, NULL, (char **)argv, environ), 0);
    const char *file = wait_for_file("killed", 50000);
    cr_assert_eq(kill(pid, SIGKILL), 0);
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert(WIFSIGNALED(status));
    cr_assert_not_null(file, "nothing was written");
    support_outcome o = REPLAY("verify", file);
    cr_assert_eq(o.code, 0, "%s%s", o.out, o.err);
    unsigned long long ticks = 0;
    cr_assert_eq(sscanf(o.out, "identical: %llu ticks", &ticks), 1, "%s", o.out);
    cr_assert_geq(ticks, 30);
    cr_assert(strstr(o.out, "was not closed") || strstr(o.out, "was cut"), "%s", o.out);
}
