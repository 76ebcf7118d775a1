/* Rules of the code: includes go down only; stages do not include each other; the library needs
 * libc, sqrt and threads of the system and nothing else; it exports kugel_ names only; each header
 * compiles alone. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Floors from the ground up; folders on one floor do not include each other. */
/* clang-format off */
static const char *const floors[][6] = {
    {"base"},
    {"geometry"},
    {"surfaces"},
    {"world"},
    {"grid", "sensors"},
    {"resting"},
    {"motion", "contact", "impact", "events", "query"},
    {"record"},
    {"validate"},
    {"step"},
    {"places"},
    {"ranks"},
    {"api"}};
/* clang-format on */
enum { FLOORS = sizeof floors / sizeof *floors };

static const char *source_root(void)
{
    const char *root = getenv("KUGEL_SOURCE");
    cr_assert(root, "KUGEL_SOURCE is not set");
    return root;
}

static int floor_of(const char *folder)
{
    for (int f = 0; f < FLOORS; ++f) {
        for (int k = 0; k < 6 && floors[f][k]; ++k) {
            if (strcmp(floors[f][k], folder) == 0) return f;
        }
    }
    return -1;
}

/* The folder of "grid/grid.h"; "step" for "step.h". */
static void folder_of(const char *path, char folder[64])
{
    size_t length = strcspn(path, "/.");
    snprintf(folder, 64, "%.*s", (int)length, path);
}

/* May a file of `from` include `path`? The public headers are below everything. */
static bool allowed(const char *from, const char *path)
{
    char to[64];
    folder_of(path, to);
    if (strcmp(to, "kugel") == 0) return true;
    int f = floor_of(from), t = floor_of(to);
    return f >= 0 && t >= 0 && (t < f || strcmp(from, to) == 0);
}

static unsigned check_file(const char *path, const char *folder)
{
    FILE *file = fopen(path, "r");
    char line[512], included[256];
    unsigned bad = 0;
    cr_assert(file, "%s cannot be read", path);
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, " #include \"%255[^\"]\"", included) != 1 || allowed(folder, included))
            continue;
        fprintf(stderr, "%s includes %s: not below it\n", path, included);
        bad += 1;
    }
    fclose(file);
    return bad;
}

static unsigned check_folder(const char *root, const char *folder)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/engine/%s", root, folder);
    DIR *dir = opendir(path);
    cr_assert(dir, "there is no engine/%s", folder);
    unsigned bad = 0, files = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        size_t n = strlen(entry->d_name);
        if (n < 3 || entry->d_name[n - 2] != '.' || !strchr("ch", entry->d_name[n - 1])) continue;
        snprintf(path, sizeof path, "%s/engine/%s/%s", root, folder, entry->d_name);
        bad += check_file(path, folder);
        files += 1;
    }
    closedir(dir);
    cr_assert(files > 0, "engine/%s holds no sources", folder);
    return bad;
}

Test(floors, the_rule_itself)
{
    cr_assert(allowed("grid", "base/sort.h"));
    cr_assert(allowed("contact", "grid/grid.h"));
    cr_assert(allowed("impact", "resting/resting.h"));
    cr_assert(allowed("grid", "grid/neighbour_lists.h"));
    cr_assert(allowed("base", "kugel/world.h"));
    cr_assert(allowed("impact", "sensors/sensors.h"));
    cr_assert(allowed("resting", "grid/neighbours.h"));
    cr_assert(!allowed("base", "grid/grid.h"), "up");
    cr_assert(!allowed("grid", "resting/resting.h"), "up to the thresholds of rest");
    cr_assert(!allowed("sensors", "resting/resting.h"), "up to the thresholds of rest");
    cr_assert(!allowed("grid", "sensors/sensors.h"), "between folders of one floor");
    cr_assert(!allowed("contact", "impact/impact.h"), "between stages");
    cr_assert(!allowed("record", "step.h"), "up to the step");
    cr_assert(!allowed("world", "nowhere/else.h"), "unknown folder");
}

Test(floors, includes_go_down)
{
    unsigned bad = 0;
    for (int f = 0; f < FLOORS; ++f) {
        for (int k = 0; k < 6 && floors[f][k]; ++k) {
            if (strcmp(floors[f][k], "step") != 0) bad += check_folder(source_root(), floors[f][k]);
        }
    }
    for (int k = 0; k < 2; ++k) {
        char path[1024];
        snprintf(path, sizeof path, "%s/engine/step.%c", source_root(), "ch"[k]);
        bad += check_file(path, "step");
    }
    cr_assert_eq(bad, 0, "%u includes go up", bad);
}

Test(floors, the_runner_uses_the_public_headers_only)
{
    char command[1024];
    snprintf(
        command, sizeof command,
        "grep -rnE '#include "
        "\"((base|geometry|surfaces|world|grid|sensors|resting|motion|contact|impact|events|query|"
        "record|api)/"
        "|step\\.h)' "
        "'%s/samples' '%s/tools' --include=*.[ch] --include=*.cpp --exclude-dir=checks",
        source_root(), source_root());
    FILE *found = popen(command, "r");
    char line[512] = "";
    bool any = fgets(line, sizeof line, found);
    pclose(found);
    cr_assert(!any, "looks inside the engine: %s", line);
}

/* Names of libc that the library may ask for: memory, text, threads. Everything else is refused,
 * all of libm but sqrt first. */
static bool known_symbol(const char *name)
{
    static const char *const fine[] = {
        "malloc", "posix_memalign", "madvise" /* large pages */, "realloc", "free",
        "sysconf" /* how many processors */, "sched_yield", "memcpy", "memset", "memmove", "memcmp",
        "strlen", "strncpy", "strcmp", "strncmp", "memchr",
        "bcmp" /* what clang makes of memcmp() == 0 */, "snprintf", "vsnprintf", "sqrt", "sqrtf",
        "__stack_chk_fail", "_GLOBAL_OFFSET_TABLE_",
        "__cpu_model" /* the compiler's own: which instructions there are */,
        /* fortified forms of the same */
        "__memcpy_chk", "__snprintf_chk", "__vsnprintf_chk", "__strncpy_chk", "__memset_chk",
#ifdef KG_ASSERTIONS
        "abort", "fprintf", "stderr",
#endif
        NULL};
    static const char *const families[] = {"kugel_",  "kg_",    "pthread_",    "ZSTD_", "__asan",
                                           "__ubsan", "__tsan", "__sanitizer", NULL};
    for (int k = 0; fine[k]; ++k) {
        if (strcmp(name, fine[k]) == 0) return true;
    }
    for (int k = 0; families[k]; ++k) {
        if (strncmp(name, families[k], strlen(families[k])) == 0) return true;
    }
    return false;
}

Test(symbols, the_engine_asks_for_no_libm_but_sqrt)
{
    char command[1024], name[256];
    cr_assert(!known_symbol("sin") && !known_symbol("pow") && !known_symbol("fmin") &&
              !known_symbol("exit") && !known_symbol("qsort"));
    snprintf(command, sizeof command,
             "nm --undefined-only --format=posix '%s/engine/libkugel.a' 2>/dev/null",
             getenv("KUGEL_BUILD"));
    FILE *list = popen(command, "r");
    char line[512];
    unsigned seen = 0, bad = 0;
    while (fgets(line, sizeof line, list)) {
        if (sscanf(line, "%255s U", name) != 1 || strchr(name, ':') || strstr(line, " U") == NULL)
            continue;
        seen += 1;
        if (known_symbol(name)) continue;
        fprintf(stderr, "the engine needs %s\n", name);
        bad += 1;
    }
    pclose(list);
    cr_assert(seen > 20, "nm listed %u symbols only", seen);
    cr_assert_eq(bad, 0, "%u unexpected symbols", bad);
}

Test(symbols, all_global_names_are_ours)
{
    char command[1024], line[512], name[256];
    snprintf(command, sizeof command,
             "nm --defined-only --extern-only --format=posix '%s/engine/libkugel.a' 2>/dev/null",
             getenv("KUGEL_BUILD"));
    FILE *list = popen(command, "r");
    unsigned seen = 0;
    while (fgets(line, sizeof line, list)) {
        if (sscanf(line, "%255s", name) != 1 || strchr(name, ':')) continue;
        bool ours = strncmp(name, "kugel_", 6) == 0 || strncmp(name, "kg_", 3) == 0 ||
                    strncmp(name, "__", 2) == 0;
        cr_assert(ours, "%s would clash with a host's names", name);
        seen += 1;
    }
    pclose(list);
    cr_assert(seen > 50, "nm listed %u names only", seen);
}

static int run(const char *format, ...)
{
    char command[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    return system(command);
}

Test(headers, each_stands_alone_in_c_and_cpp)
{
    static const char *const compilers[] = {"gcc -std=c17 -xc",     "clang -std=c17 -xc",
                                            "g++ -std=c++17 -xc++", "clang++ -std=c++17 -xc++",
                                            "g++ -std=c++20 -xc++", "clang++ -std=c++20 -xc++"};
    for (int c = 0; c < 6; ++c) {
        char name[32];
        sscanf(compilers[c], "%31s", name);
        const char *headers = strstr(name, "++") ? "kugel/*.h kugel/*.hpp" : "kugel/*.h";
        if (run("command -v %s >/dev/null 2>&1", name) != 0) {
            fprintf(stderr, "skipped: %s is not installed\n", name);
            continue;
        }
        int status = run("cd '%s/include' && for h in %s; do printf \"#include <$h>\\nint "
                         "one(void);\\n\" | "
                         "%s -Wall -Wextra -Wpedantic -Werror -I. -fsyntax-only - || { echo $h "
                         ">&2; exit 1; }; done",
                         source_root(), headers, compilers[c]);
        cr_assert_eq(status, 0, "a header does not stand alone for %s", name);
    }
}

Test(build, fast_math_is_refused)
{
    int status =
        run("d=$(mktemp -d) && ! meson setup \"$d\" '%s' -Dtests=false -Dbench=disabled "
            "-Dc_args=-ffast-math >\"$d.log\" 2>&1 && "
            "grep -q 'changes the results' \"$d.log\"; r=$?; rm -rf \"$d\" \"$d.log\"; exit $r",
            source_root());
    cr_assert_eq(status, 0, "meson accepted -ffast-math");
}
