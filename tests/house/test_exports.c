/* What a shared library made of the engine exports: exactly the functions that the public headers
 * declare with KUGEL_API. A name more would clash with a host's, a name less would not link. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MOST = 256, NAME_LONG = 64 };

typedef struct names {
    unsigned count;
    char name[NAMES_MOST][NAME_LONG];
} names;

static void add(names *n, const char *name, size_t length)
{
    cr_assert_lt(n->count, NAMES_MOST);
    cr_assert_lt(length, NAME_LONG);
    memcpy(n->name[n->count], name, length);
    n->name[n->count++][length] = 0;
}

static bool has(const names *n, const char *name)
{
    for (unsigned i = 0; i < n->count; ++i) {
        if (strcmp(n->name[i], name) == 0) return true;
    }
    return false;
}

/* The function names in a header: the last word before the first parenthesis after KUGEL_API. */
static void declared_in(const char *text, names *n)
{
    for (const char *at = text; (at = strstr(at, "\nKUGEL_API "));) {
        const char *end = strchr(at, '('), *start = end;
        cr_assert(end);
        while (start[-1] == '_' || (start[-1] >= 'a' && start[-1] <= 'z') ||
               (start[-1] >= '0' && start[-1] <= '9'))
            --start;
        add(n, start, (size_t)(end - start));
        at = end;
    }
}

static void declared(names *n)
{
    static char text[1 << 18];
    char path[1024];
    snprintf(path, sizeof path, "%s/include/kugel", getenv("KUGEL_SOURCE"));
    DIR *folder = opendir(path);
    cr_assert(folder, "%s cannot be read", path);
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (!strstr(entry->d_name, ".h")) continue;
        snprintf(path, sizeof path, "%s/include/kugel/%s", getenv("KUGEL_SOURCE"), entry->d_name);
        FILE *file = fopen(path, "r");
        cr_assert(file);
        size_t length = fread(text, 1, sizeof text - 1, file);
        cr_assert_lt(length, sizeof text - 1, "%s is longer than this test reads", path);
        text[length] = 0;
        fclose(file);
        declared_in(text, n);
    }
    closedir(folder);
}

static void exported(names *n)
{
    char command[4096], line[512], name[256];
    snprintf(
        command, sizeof command,
        "d=$(mktemp -d) && gcc -shared -o $d/all.so -Wl,--whole-archive '%s/engine/libkugel.a' "
        "-Wl,--no-whole-archive && nm -D --defined-only --format=posix $d/all.so; rm -rf $d",
        getenv("KUGEL_BUILD"));
    FILE *list = popen(command, "r");
    cr_assert(list);
    while (fgets(line, sizeof line, list)) {
        if (sscanf(line, "%255s", name) == 1) add(n, name, strlen(name));
    }
    pclose(list);
}

Test(exports, the_reader_of_headers)
{
    names n = {0};
    declared_in("/* KUGEL_API */\nKUGEL_API const char *kugel_a(int x);\nKUGEL_API\nKUGEL_API "
                "void\nint kugel_c2(void);\n",
                &n);
    cr_assert_eq(n.count, 2);
    cr_assert(has(&n, "kugel_a") && has(&n, "kugel_c2") && !has(&n, "kugel_"));
}

Test(exports, are_the_declared_functions)
{
    char command[1024];
    snprintf(command, sizeof command,
             "nm '%s/engine/libkugel.a' 2>/dev/null | grep -qE '__(asan|tsan|ubsan)_'",
             getenv("KUGEL_BUILD"));
    if (system(command) == 0)
        cr_skip_test("skipped: a sanitized library exports the sanitizer's names as well");
    static names in_headers, in_library;
    declared(&in_headers);
    exported(&in_library);
    cr_assert_gt(in_headers.count, 30, "only %u functions found in the headers", in_headers.count);
    for (unsigned i = 0; i < in_headers.count; ++i) {
        cr_expect(has(&in_library, in_headers.name[i]), "%s is declared and not exported",
                  in_headers.name[i]);
    }
    for (unsigned i = 0; i < in_library.count; ++i) {
        cr_expect(has(&in_headers, in_library.name[i]), "%s is exported and not declared",
                  in_library.name[i]);
    }
}
