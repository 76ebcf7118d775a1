/* See support_replay.h. */
#include "record/support_replay.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

const char *support_path(const char *name)
{
    static char paths[8][300];
    static int next;
    char *p = paths[next++ % 8];
    snprintf(p, sizeof paths[0], "%s/%s", support_folder(), name);
    return p;
}

void support_save(const char *name, const support_file *file)
{
    FILE *to = fopen(support_path(name), "wb");
    cr_assert_not_null(to);
    cr_assert_eq(fwrite(file->data, 1, file->size, to), file->size);
    cr_assert_eq(fclose(to), 0);
}

void support_save_run(const char *name, uint64_t ticks, bool states, double push)
{
    support_file file = support_record(ticks, states, 1, push, NULL);
    support_save(name, &file);
    support_file_free(&file);
}

static void slurp(const char *name, char *to, size_t room)
{
    char *text = support_read_file(name);
    cr_assert_not_null(text);
    snprintf(to, room, "%s", text);
    free(text);
}

support_outcome support_replay(const char *in, const char *out, const char *const *args)
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
    posix_spawn_file_actions_addopen(&actions, 1, out ? out : support_path("stdout"), write, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, support_path("stderr"), write, 0600);
    pid_t pid;
    int status;
    cr_assert_eq(posix_spawn(&pid, tool, &actions, NULL, (char **)argv, environ), 0, "%s", tool);
    posix_spawn_file_actions_destroy(&actions);
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert(WIFEXITED(status), "%s ended by signal %d", args[0], WTERMSIG(status));
    support_outcome o = {.code = WEXITSTATUS(status)};
    if (!out) slurp("stdout", o.out, sizeof o.out);
    slurp("stderr", o.err, sizeof o.err);
    return o;
}

void support_check_refused(const support_outcome *o, int code, const char *word)
{
    cr_assert_eq(o->code, code, "code %d: %s%s", o->code, o->out, o->err);
    cr_assert_eq(support_count_lines(o->err), 1, "%s", o->err);
    cr_assert_not_null(strstr(o->err, word), "no '%s' in: %s", word, o->err);
    cr_assert_str_empty(o->out);
}

int support_all_files(void)
{
    int n = 0;
    DIR *dir = opendir(support_folder());
    for (struct dirent *entry; (entry = readdir(dir));) n += entry->d_name[0] != '.';
    closedir(dir);
    return n;
}
