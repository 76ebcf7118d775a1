/* Table of stages. Roofline model: a step must read the world's bytes at least once, at the
 * bandwidth of the triad. The table has this time as a share of the step's time. Repeated passes
 * and caches are not counted. */
#include "stages.h"

#include <math.h>

#include "machine.h"
#include "report.h"

enum { NOTES_MOST = 64 };
static struct note {
    const char *scene;
    uint32_t count;
    kugel_step_times times; /* sum over `steps` steps */
    double bytes;           /* bytes a body */
} notes[NOTES_MOST];
static int noted;

void stages_note(const char *scene, uint32_t count, void *world, const kugel_step_times *before)
{
    if (noted == NOTES_MOST) return;
    kugel_step_times t = kugel_times_of(world);
    t.steps -= before->steps;
    t.whole -= before->whole;
    t.grid -= before->grid;
    t.pairs -= before->pairs;
    t.contact -= before->contact;
    t.sweep -= before->sweep;
    t.impact -= before->impact;
    t.advance -= before->advance;
    t.record -= before->record;
    notes[noted++] = (struct note){scene, count, t, kugel_memory_of(world) / count};
}

void bench_stages(const bench_options *chosen)
{
    static const column columns[] = {
        {"scene", "of", "%-8s", 1},
        {"n", "n", "%8.0f", 1},
        {"ms a step", "seconds", "%9.3f", 1e3},
        {"grid", "grid", "%5.1f%%", 100},
        {"pairs", "pairs", "%5.1f%%", 100},
        {"contact", "contact", "%5.1f%%", 100},
        {"sweep", "sweep", "%5.1f%%", 100},
        {"impact", "impact", "%5.1f%%", 100},
        {"advance", "advance", "%5.1f%%", 100},
        {"record", "record", "%5.1f%%", 100},
        {"bytes a sphere", "held_bytes", "%6.0f", 1},
        {"ms to stream them", "stream_seconds", "%9.4f", 1e3},
        {"of the step", "stream_share", "%5.1f%%", 100},
    };
    (void)chosen;
    if (!noted) return;
    report_table("STAGES",
                 "kugel's mean step by stages (JSON has a roofline, too: the bytes that the world "
                 "holds for a sphere, each touched once a step, at the triad's rate)",
                 columns, sizeof columns / sizeof *columns);
    for (const struct note *k = notes; k < notes + noted; ++k) {
        double whole = k->times.whole ? (double)k->times.whole : NAN,
               step = whole / (double)k->times.steps * 1e-9;
        double stream = k->bytes * k->count / machine_measure().bandwidth;
#define SHARE(stage) NUMBER((double)k->times.stage / whole)
        ROW(TEXT(k->scene), NUMBER(k->count), NUMBER(step), SHARE(grid), SHARE(pairs),
            SHARE(contact), SHARE(sweep), SHARE(impact), SHARE(advance), SHARE(record),
            NUMBER(k->bytes), NUMBER(stream), NUMBER(stream / step));
#undef SHARE
    }
}
