/* The examples of engine/record/README.md are those of samples/sample_proof.c, which is built and
 * run. Those of the README and the manual are run by tests/docs/check_docs.py. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *load(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", getenv("KUGEL_SOURCE"), name);
    FILE *file = fopen(path, "r");
    cr_assert(file, "%s cannot be read", path);
    char *text = calloc(1, 1 << 18);
    cr_assert_lt(fread(text, 1, (1 << 18) - 1, file), (1 << 18) - 1);
    fclose(file);
    return text;
}

/* Functions of a block, separated by empty lines, each found in the program. */
static void check_block(char *block, const char *program)
{
    char *part = block;
    while (*part) {
        char *end = strstr(part, "\n\n");
        char kept = end ? end[1] : 0;
        if (end) end[1] = 0;
        cr_assert(strstr(program, part), "not in the program:\n%s", part);
        if (!end) break;
        end[1] = kept;
        part = end + 2;
    }
}

Test(docs, examples_are_programs)
{
    char *doc = load("engine/record/README.md"), *program = load("samples/sample_proof.c");
    unsigned blocks = 0;
    for (char *at = doc; (at = strstr(at, "```c\n")); ++blocks) {
        char *begin = at + 5, *end = strstr(begin, "```");
        cr_assert(end);
        *end = 0;
        check_block(begin, program);
        at = end + 1;
    }
    cr_assert_eq(blocks, 3);
    free(doc), free(program);
}

Test(docs, golden_scenes_are_counted)
{
    char *golden = load("tests/golden/golden.txt"), *manual = load("tools/docs/manual/replay.md"),
         sentence[64];
    unsigned scenes = 0, ticks = 0, own;
    for (char *at = golden; (at = strstr(at, "\nscene ")); ++at, ++scenes) {
        cr_assert_eq(sscanf(at, "\nscene %*s %u", &own), 1);
        ticks += own;
    }
    snprintf(sentence, sizeof sentence, "runs %u golden scenes, %u,%03u ticks", scenes,
             ticks / 1000, ticks % 1000);
    cr_assert(strstr(manual, sentence), "replay.md does not say that it %s", sentence);
    free(golden), free(manual);
}
