/* Starts the built programs and collects their output. */
#define _GNU_SOURCE
#include "runner/support_program.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static char folder[64];
static pid_t owner;
static unsigned started;

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info, (void)kind, (void)where;
    return remove(path);
}

/* Removes by path: a test may have changed PATH. */
static void remove_folder(void)
{
    enum { HANDLES = 8 };
    if (getpid() == owner && nftw(folder, remove_one, HANDLES, FTW_DEPTH | FTW_PHYS) != 0)
        perror(folder);
}

const char *support_folder(void)
{
    if (folder[0]) return folder;
    strcpy(folder, "/tmp/kugel-test-XXXXXX");
    cr_assert(mkdtemp(folder), "no folder for files: %s", strerror(errno));
    owner = getpid();
    atexit(remove_folder);
    return folder;
}

static void in_folder(char path[256], const char *name)
{
    if (name[0] == '/') snprintf(path, 256, "%s", name);
    else snprintf(path, 256, "%s/%s", support_folder(), name);
}

void support_write_file(const char *name, const char *text)
{
    char path[256];
    in_folder(path, name);
    FILE *file = fopen(path, "w");
    cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0, "%s cannot be written", path);
}

static char *read_sized(const char *name, size_t *size)
{
    char path[256];
    in_folder(path, name);
    FILE *file = fopen(path, "r");
    if (!file) return NULL;
    size_t room = 1 << 16;
    char *text = malloc(room);
    for (*size = 0; text;) {
        *size += fread(text + *size, 1, room - *size - 1, file);
        if (*size < room - 1) break;
        text = realloc(text, room *= 2);
    }
    cr_assert(text && !ferror(file));
    text[*size] = 0;
    fclose(file);
    return text;
}

char *support_read_file(const char *name)
{
    size_t size;
    return read_sized(name, &size);
}

size_t support_count_files(const char *prefix)
{
    size_t count = 0;
    DIR *dir = opendir(support_folder());
    cr_assert(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        count += strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
    }
    closedir(dir);
    return count;
}

bool support_has_file(const char *name)
{
    char path[256];
    in_folder(path, name);
    return access(path, F_OK) == 0;
}

static bool handles(const support_program *program, int signal)
{
    char path[64], line[256];
    unsigned long long caught = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)program->pid);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) sscanf(line, "SigCgt: %llx", &caught);
    if (file) fclose(file);
    return caught >> (signal - 1) & 1;
}

void support_wait_for_handler(const support_program *program, int signal)
{
    for (int n = 0; n < 20000 && !handles(program, signal); ++n) usleep(1000);
}

static support_program start(const char *called, const char *input, const char *const *arguments)
{
    char program[512], *argv[SUPPORT_ARGUMENTS + 2] = {(char *)called}, name[32];
    char in[256], out[256], err[256];
    size_t n = 0;
    cr_assert(getenv("KUGEL_BUILD"), "KUGEL_BUILD is not set");
    snprintf(program, sizeof program, "%s/%s", called[0] == '/' ? "" : getenv("KUGEL_BUILD"),
             called);
    for (; arguments[n]; ++n) {
        cr_assert(n < SUPPORT_ARGUMENTS);
        argv[n + 1] = (char *)arguments[n];
    }
    started += 1;
    snprintf(name, sizeof name, "stdin-%u", started);
    support_write_file(name, input ? input : "");
    in_folder(in, name);
    snprintf(name, sizeof name, "stdout-%u", started);
    in_folder(out, name);
    snprintf(name, sizeof name, "stderr-%u", started);
    in_folder(err, name);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, in, O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, err, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addchdir_np(&actions, support_folder());
    posix_spawnattr_t attributes; /* nohup ignores SIGHUP: the program gets its default action */
    sigset_t heard;
    sigemptyset(&heard);
    sigaddset(&heard, SIGHUP), sigaddset(&heard, SIGINT), sigaddset(&heard, SIGTERM);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &heard);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    support_program run = {.code = (int)started};
    int status = posix_spawn(&run.pid, program, &actions, &attributes, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    cr_assert_eq(status, 0, "%s does not start: %s", program, strerror(status));
    return run;
}

support_program support_start(const char *input, const char *const *arguments)
{
    return start("samples/kugel-run", input, arguments);
}

void support_wait(support_program *program)
{
    char name[32];
    unsigned number = (unsigned)program->code;
    size_t size;
    int status;
    while (waitpid(program->pid, &status, 0) < 0) cr_assert_eq(errno, EINTR);
    program->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    snprintf(name, sizeof name, "stdout-%u", number);
    program->out = read_sized(name, &program->out_size);
    snprintf(name, sizeof name, "stderr-%u", number);
    program->err = read_sized(name, &size);
    cr_assert(program->out && program->err);
}

void support_program_free(support_program *program)
{
    free(program->out);
    free(program->err);
}

support_program support_kugel_run(const char *input, const char *const *arguments)
{
    support_program run = support_start(input, arguments);
    support_wait(&run);
    return run;
}

support_program support_run_program(const char *program, const char *const *arguments)
{
    support_program run = start(program, NULL, arguments);
    support_wait(&run);
    return run;
}

size_t support_count_lines(const char *text)
{
    size_t lines = 0;
    for (; *text; ++text) lines += *text == '\n';
    return lines;
}

const char *support_line_from_end(const char *text, size_t n)
{
    static char line[512];
    size_t lines = support_count_lines(text);
    if (n >= lines) return "";
    for (size_t skip = lines - 1 - n; skip > 0; --skip) text = strchr(text, '\n') + 1;
    snprintf(line, sizeof line, "%.*s", (int)strcspn(text, "\n"), text);
    return line;
}

bool support_complains(const support_program *program, int code, const char *text)
{
    bool good = program->code == code && strncmp(program->err, "kugel-run: ", 11) == 0 &&
                support_count_lines(program->err) == 1 && strstr(program->err, text);
    if (!good) {
        fprintf(stderr, "expected exit code %d and one line with \"%s\"; got %d and:\n%s\n", code,
                text, program->code, program->err);
    }
    return good;
}

support_table support_parse_csv(const char *text)
{
    support_table table = {.columns = 1};
    size_t head = strcspn(text, "\n");
    for (size_t i = 0; i < head; ++i) table.columns += text[i] == ',';
    table.rows = support_count_lines(text) - 1;
    table.values = malloc((table.rows * table.columns + 1) * sizeof *table.values);
    const char *at = text + head + 1;
    for (size_t i = 0; i < table.rows * table.columns; ++i) {
        char *end;
        size_t length = strcspn(at, ",\n");
        double value = strtod(at, &end);
        table.values[i] = length && end == at + length ? value : NAN;
        bool last = (i + 1) % table.columns == 0;
        cr_assert_eq(at[length], last ? '\n' : ',', "row %zu has another number of fields",
                     i / table.columns);
        at += length + 1;
    }
    return table;
}

support_program support_run_sample(const char *name, int every)
{
    char k[16];
    snprintf(k, sizeof k, "%d", every);
    support_program run =
        RUN(name, "--check", "--csv", "t.csv", "--every", k, "--events", "e.csv", "--quiet");
    cr_assert_eq(run.code, 0, "%s: %s", name, run.err);
    return run;
}

support_table support_trajectory(void)
{
    char *text = support_read_file("t.csv");
    support_table t = support_parse_csv(text);
    free(text);
    return t;
}
