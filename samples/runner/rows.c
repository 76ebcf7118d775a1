/* See rows.h. */
#include "rows.h"

const char events_head[] = "tick,time,kind,a,b,px,py,pz,nx,ny,nz,speed,impulse\n";

void write_event(FILE *to, uint64_t tick, double time, const char *kind, uint32_t a, const char *b,
                 const double p[3], const double n[3], double speed, double impulse)
{
    fprintf(to, "%llu,%.17g,%s,%u,%s,%.17g,%.17g,%.17g,%.9g,%.9g,%.9g,%.9g,%.9g\n",
            (unsigned long long)tick, time, kind, a, b, p[0], p[1], p[2], n[0], n[1], n[2], speed,
            impulse);
}

/* "17", "wall:x-min", "plane:0". */
static void target_name(char out[32], kugel_target target, uint32_t index)
{
    static const char *const faces[6] = {"x-min", "x-max", "y-min", "y-max", "z-min", "z-max"};
    if (target == KUGEL_TARGET_BODY) snprintf(out, 32, "%u", index);
    else if (target == KUGEL_TARGET_FACE) snprintf(out, 32, "wall:%s", faces[index]);
    else snprintf(out, 32, "plane:%u", index);
}

static void write_touch(FILE *to, const kugel_touch *t, const char *kind, uint64_t tick,
                        double start)
{
    char b[32];
    target_name(b, t->target, t->index);
    write_event(to, tick, start + t->time, kind, kugel_body_id(t->a), b, t->point, t->normal, 0, 0);
}

static void write_impact(FILE *to, const kugel_impact *i, uint64_t tick, double start)
{
    char b[32];
    target_name(b, i->target, i->index);
    write_event(to, tick, start + i->time, "impact", kugel_body_id(i->a), b, i->point, i->normal,
                i->speed, i->impulse);
}

/* b is the body; speed is positive for who enters and negative for who leaves. */
static void write_sensing(FILE *to, const kugel_sensing *s, uint64_t tick, double start)
{
    char b[32];
    target_name(b, KUGEL_TARGET_BODY, kugel_body_id(s->body));
    write_event(to, tick, start + s->time, "sensor", kugel_body_id(s->sensor), b, s->point, s->normal, s->speed, 0);
}

static void write_rest(FILE *to, const kugel_rest *r, const char *kind, uint64_t tick, double start)
{
    static const double none[3] = {0, 0, 0};
    write_event(to, tick, start + r->time, kind, kugel_body_id(r->body), "", none, none, 0, 0);
}

/* Sorted lists become one: at one time impacts come first, then begins, ends, sensors, sleeps, wakes. */
void write_events(FILE *to, const kugel_world *world, uint64_t tick, double start)
{
    enum { KINDS = 6 };
    size_t count[KINDS], at[KINDS] = {0};
    const kugel_impact *impacts = kugel_world_impacts(world, &count[0]);
    const kugel_touch *begins = kugel_world_begins(world, &count[1]);
    const kugel_touch *ends = kugel_world_ends(world, &count[2]);
    const kugel_sensing *sensings = kugel_world_sensings(world, &count[3]);
    const kugel_rest *sleeps = kugel_world_sleeps(world, &count[4]);
    const kugel_rest *wakes = kugel_world_wakes(world, &count[5]);
    for (;;) {
        double next[KINDS];
        int first = -1;
        for (int k = 0; k < KINDS; ++k) {
            size_t i = at[k];
            if (i == count[k]) continue;
            next[k] = k == 0   ? impacts[i].time
                      : k == 1 ? begins[i].time
                      : k == 2 ? ends[i].time
                      : k == 3 ? sensings[i].time
                      : k == 4 ? sleeps[i].time
                               : wakes[i].time;
            if (first < 0 || next[k] < next[first]) first = k;
        }
        if (first < 0) return;
        size_t i = at[first]++;
        if (first == 0) write_impact(to, &impacts[i], tick, start);
        else if (first == 1) write_touch(to, &begins[i], "begin", tick, start);
        else if (first == 2) write_touch(to, &ends[i], "end", tick, start);
        else if (first == 3) write_sensing(to, &sensings[i], tick, start);
        else if (first == 4) write_rest(to, &sleeps[i], "sleep", tick, start);
        else write_rest(to, &wakes[i], "wake", tick, start);
    }
}
