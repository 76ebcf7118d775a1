/* What the documents say of the tests. Their examples are run by tests/docs/check_docs.py. */
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
