/* kugel-golden: the golden scenes' hashes, for any target.
 *   print            run all scenes; writes what golden.txt holds
 *   compare A B      the first difference of two such files: scene and tick
 * A file: "epoch N", then for each scene "scene NAME TICKS", the low 32 bits of the state hash
 * after each tick, eight a line, and "last" with all 64 bits of the last hash; at the end "all": a
 * digest of all last hashes. Exit codes: 0 done, 1 different, 2 usage or bad input, 3 a scene was
 * refused. */
#undef KUGEL_PASS_SIZES /* of the flags with which tools/matrix compiles the engine */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden/support_golden.h"

static void print_hash(const char *name, uint64_t hash)
{
    printf("%s %08x%08x\n", name, (unsigned)(hash >> 32), (unsigned)(hash & 0xffffffffu));
}

static int print_scene(const golden_scene *scene, const kugel_tasks *tasks, uint64_t *all)
{
    kugel_world *world = golden_start(scene, tasks);
    if (!world) return fprintf(stderr, "%s: cannot be made\n", scene->name), 3;
    printf("scene %s %u\n", scene->name, (unsigned)scene->ticks);
    for (uint32_t t = 1; t <= scene->ticks; ++t) {
        if (!golden_step(scene, world)) {
            fprintf(stderr, "%s: tick %u: %s\n", scene->name, (unsigned)t,
                    kugel_world_last_error(world)->message);
            return 3;
        }
        printf("%08x%c", (unsigned)(kugel_world_hash(world) & 0xffffffffu),
               t % 8 && t < scene->ticks ? ' ' : '\n');
    }
    uint64_t last = kugel_world_hash(world);
    print_hash("last", last);
    *all = (*all ^ last) * 0x9e3779b97f4a7c15u;
    kugel_world_destroy(world);
    return 0;
}

static int print(uint32_t threads)
{
    kugel_tasks tasks = {.threads = threads};
    uint64_t all = 0;
    printf("epoch %d\n", KUGEL_PHYSICS_EPOCH);
    for (int k = 0; k < GOLDEN_SCENES; ++k) {
        int code = print_scene(&golden_scenes[k], &tasks, &all);
        if (code) return code;
    }
    print_hash("all", all);
    return fflush(stdout) == 0 ? 0 : 2;
}

/* Compare word by word. The word after "scene" is the name of the current scene; a word of 8
 * characters is the hash of its next tick. */
static int compare(FILE *a, FILE *b, const char *const names[2])
{
    char p[64], q[64], scene[64] = "the head", before[64] = "";
    unsigned tick = 0;
    for (;;) {
        bool more = fscanf(a, "%63s", p) == 1, other = fscanf(b, "%63s", q) == 1;
        if (!more && !other) return 0;
        if (more != other)
            return printf("%s ends in scene %s after tick %u\n", names[more], scene, tick), 1;
        if (strcmp(before, "scene") == 0) snprintf(scene, sizeof scene, "%s", p), tick = 0;
        else if (strlen(p) == 8 && strcmp(before, scene) != 0) tick += 1;
        if (strcmp(p, q) != 0) {
            printf("scene %s, tick %u: %s in %s, %s in %s\n", scene, tick, p, names[0], q,
                   names[1]);
            return 1;
        }
        snprintf(before, sizeof before, "%s", p);
    }
}

static int compare_files(const char *first, const char *second)
{
    FILE *a = fopen(first, "r"), *b = fopen(second, "r");
    int code = 2;
    if (a && b) code = compare(a, b, (const char *const[2]){first, second});
    else fprintf(stderr, "kugel-golden: %s cannot be read\n", a ? second : first);
    if (a) fclose(a);
    if (b) fclose(b);
    return code;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "compare") == 0) return compare_files(argv[2], argv[3]);
    if (argc >= 2 && strcmp(argv[1], "print") == 0)
        return print(argc > 2 ? (uint32_t)atoi(argv[2]) : 1);
    fprintf(stderr, "usage: kugel-golden print [THREADS] | compare A B\n");
    return 2;
}
