/* Reports acts and beams that no tick of the run reaches. */
#include <stdio.h>

#include "acts.h"
#include "arrays.h"

/* What was found so far. */
typedef struct late {
    uint64_t end; /* acts of this tick and of later ones are late */
    uint64_t count;
    char first[64]; /* the first of them: its key and tick */
} late;

static void note(late *late, const char *kind, size_t index, uint64_t tick)
{
    if (tick < late->end) return;
    if (late->count++ == 0)
        snprintf(late->first, sizeof late->first, "%s[%zu], tick %llu", kind, index,
                 (unsigned long long)tick);
}

void acts_note_late(const acts *acts)
{
    const scene *s = acts->scene;
    late late = {.end = s->ticks};
    for (size_t i = 0; i < arrlenu(s->gravities); ++i)
        note(&late, "gravity_schedule", i, s->gravities[i].tick);
    for (size_t i = 0; i < arrlenu(s->motions); ++i) note(&late, "motions", i, s->motions[i].tick);
    for (size_t i = 0; i < arrlenu(s->drains); ++i)
        note(&late, "drains", i, s->drains[i].span.tick);
    for (size_t i = 0; i < arrlenu(s->emitters); ++i)
        note(&late, "emitters", i, s->emitters[i].span.tick);
    for (size_t i = 0; i < arrlenu(s->thermostats); ++i)
        note(&late, "thermostat", i, s->thermostats[i].span.tick);
    for (size_t i = 0; i < arrlenu(s->impulses); ++i)
        note(&late, "impulses", i, s->impulses[i].tick);
    for (size_t i = 0; i < arrlenu(s->forces); ++i)
        note(&late, "forces", i, s->forces[i].span.tick);
    for (size_t i = 0; i < arrlenu(s->servos); ++i) note(&late, "servo", i, s->servos[i].span.tick);
    late.end += 1; /* the state after the last tick has beams */
    for (size_t i = 0; i < arrlenu(s->beams); ++i) note(&late, "beams", i, s->beams[i].tick);
    if (!late.count) return;
    complain(EXIT_DONE, "%s: note: %llu of its acts %s after the last tick, %llu, first: %s",
             acts->name, (unsigned long long)late.count, late.count == 1 ? "is due" : "are due",
             (unsigned long long)s->ticks, late.first);
}
