/* Merges the event lists of a step by time and prints them as rows. */
#include "rows.h"

#include <math.h>
#include <stdlib.h>

#include "arrays.h"

const char events_head[] = "tick,time,kind,a,b,px,py,pz,nx,ny,nz,speed,impulse\n";

void write_event(FILE *to, uint64_t tick, double time, const char *kind, uint32_t a, const char *b,
                 const double p[3], const double n[3], double speed, double impulse)
{
    fprintf(to, "%llu,%.17g,%s,%u,%s,%.17g,%.17g,%.17g,%.9g,%.9g,%.9g,%.9g,%.9g\n",
            (unsigned long long)tick, time, kind, a, b, p[0], p[1], p[2], n[0], n[1], n[2], speed,
            impulse);
}

void target_name(char out[TARGET_NAME], const scene *scene, kugel_target target, uint32_t index)
{
    static const char *const faces[6] = {"x-min", "x-max", "y-min", "y-max", "z-min", "z-max"};
    uint32_t planes = scene ? (uint32_t)arrlenu(scene->planes) : 0, surface = index - planes;
    bool is_plane = target == KUGEL_TARGET_SURFACE && index < planes,
         named = target == KUGEL_TARGET_SURFACE && scene && surface < arrlenu(scene->surfaces);
    if (target == KUGEL_TARGET_BODY) snprintf(out, TARGET_NAME, "%u", index);
    else if (target == KUGEL_TARGET_FACE) snprintf(out, TARGET_NAME, "wall:%s", faces[index]);
    else if (is_plane) snprintf(out, TARGET_NAME, "plane:%s", scene->planes[index].name);
    else if (named) snprintf(out, TARGET_NAME, "surface:%s", scene->surfaces[surface].name);
    else snprintf(out, TARGET_NAME, "surface:%u", surface);
}

/* Time of an event, s. The rounded sum is limited to the end of the step. */
static double time_in(const step_span *step, double time)
{
    return step->start + time < step->end ? step->start + time : step->end;
}

static void write_touch(const event_rows *rows, const kugel_touch *t, const char *kind,
                        const step_span *step)
{
    char b[TARGET_NAME];
    target_name(b, rows->scene, t->target, t->index);
    write_event(rows->to, step->tick, time_in(step, t->time), kind, kugel_body_id(t->a), b,
                t->point, t->normal, 0, 0);
}

static void write_impact(const event_rows *rows, const kugel_impact *i, const step_span *step)
{
    char b[TARGET_NAME];
    target_name(b, rows->scene, i->target, i->index);
    write_event(rows->to, step->tick, time_in(step, i->time), "impact", kugel_body_id(i->a), b,
                i->point, i->normal, i->speed, i->impulse);
}

/* Column a is the sensor, b the body; of a surface a is the body, b the surface. The speed of the
 * body is > 0 or +0 if it enters, < 0 or -0 if it leaves, and +0 if it starts inside. */
static void write_sensor_event(const event_rows *rows, const kugel_sensor_event *s,
                               const step_span *step)
{
    char b[TARGET_NAME];
    bool moves = s->entered ? s->speed > 0 : s->speed < 0;
    double speed = moves ? s->speed : s->entered ? 0.0 : -0.0;
    uint32_t a = kugel_body_id(s->surface ? s->body : s->sensor);
    if (s->surface)
        target_name(b, rows->scene, KUGEL_TARGET_SURFACE, kugel_surface_index(s->surface));
    else target_name(b, NULL, KUGEL_TARGET_BODY, kugel_body_id(s->body));
    write_event(rows->to, step->tick, time_in(step, s->time), "sensor", a, b, s->point, s->normal,
                speed, 0);
}

static void write_rest(FILE *to, const kugel_rest *r, const char *kind, const step_span *step)
{
    static const double none[3] = {0, 0, 0};
    write_event(to, step->tick, time_in(step, r->time), kind, kugel_body_id(r->body), "", none,
                none, 0, 0);
}

/* The begin and end events of the step that are not yet written. */
typedef struct touches {
    const kugel_touch *begins, *ends;
    size_t begin_count, end_count;
} touches;

/* Order by target, ids, then facets of a surface, as in the lists of the engine. */
static int compare_contacts(const kugel_touch *p, const kugel_touch *q)
{
    uint32_t a = kugel_body_id(p->a), b = kugel_body_id(q->a);
    if (p->target != q->target) return p->target < q->target ? -1 : 1;
    if (a != b) return a < b ? -1 : 1;
    if (p->index != q->index) return p->index < q->index ? -1 : 1;
    return p->triangle == q->triangle ? 0 : p->triangle < q->triangle ? -1 : 1;
}

/* Number of leading items with this time and this contact (NULL: any contact). */
static size_t count_of(const kugel_touch *items, size_t count, double time,
                       const kugel_touch *contact)
{
    size_t n = 0;
    while (n < count && items[n].time == time &&
           (!contact || compare_contacts(&items[n], contact) == 0))
        ++n;
    return n;
}

/* Remove the first `count` items; an empty list may be NULL. */
static size_t take(const kugel_touch **items, size_t *left, size_t count)
{
    if (count) *items += count;
    *left -= count;
    return count;
}

/* Take the events of the next contact at one time. false: none is left. */
static bool take_contact(touches *all, double time, touches *contact)
{
    bool begins = all->begin_count, ends = all->end_count;
    if (!begins && !ends) return false;
    const kugel_touch *first = begins ? all->begins : all->ends;
    if (begins && ends && compare_contacts(all->ends, first) < 0) first = all->ends;
    *contact = (touches){.begins = all->begins, .ends = all->ends};
    contact->begin_count =
        take(&all->begins, &all->begin_count, count_of(all->begins, all->begin_count, time, first));
    contact->end_count =
        take(&all->ends, &all->end_count, count_of(all->ends, all->end_count, time, first));
    return true;
}

/* Write the events of one contact at one time. Begin and end alternate. The end comes first if the
 * contact rests, else the begin. */
static bool write_contact(event_rows *rows, const touches *contact, const step_span *step)
{
    size_t begins = 0, ends = 0;
    const kugel_touch *any = contact->begin_count ? contact->begins : contact->ends;
    bool rests = resting_has(&rows->resting, any);
    while (begins < contact->begin_count || ends < contact->end_count) {
        bool end = begins == contact->begin_count || (rests && ends < contact->end_count);
        if (end) write_touch(rows, &contact->ends[ends++], "end", step);
        else write_touch(rows, &contact->begins[begins++], "begin", step);
        rests = !end;
    }
    return resting_put(&rows->resting, any, rests);
}

/* Write all begin and end events of one time: first contacts with a begin, then the others. */
static bool write_touches(event_rows *rows, touches *left, double time, const step_span *step)
{
    touches now = *left, contact;
    now.begin_count = take(&left->begins, &left->begin_count,
                           count_of(left->begins, left->begin_count, time, NULL));
    now.end_count =
        take(&left->ends, &left->end_count, count_of(left->ends, left->end_count, time, NULL));
    for (int only_ends = 0; only_ends < 2; ++only_ends) {
        for (touches all = now; take_contact(&all, time, &contact);) {
            if ((contact.begin_count == 0) == only_ends && !write_contact(rows, &contact, step))
                return false;
        }
    }
    return true;
}

static double next_touch(const touches *left)
{
    double begin = left->begin_count ? left->begins->time : INFINITY;
    double end = left->end_count ? left->ends->time : INFINITY;
    return begin < end ? begin : end;
}

bool events_begin(event_rows *rows, const kugel_world *world)
{
    size_t count = 0;
    kugel_world_contacts(world, 0, NULL, &count);
    kugel_resting_contact *contacts = malloc(count * sizeof *contacts + 1);
    bool good = contacts;
    if (good) kugel_world_contacts(world, count, contacts, &count);
    for (size_t i = 0; i < count && good; ++i) {
        const kugel_touch contact = {.target = contacts[i].target,
                                     .index = contacts[i].index,
                                     .a = contacts[i].a,
                                     .triangle = contacts[i].triangle};
        good = resting_put(&rows->resting, &contact, true);
    }
    free(contacts);
    return good;
}

/* At equal times: impacts first, then begin and end, sensors, sleeps, wakes. */
bool write_events(event_rows *rows, const kugel_world *world, const step_span *step)
{
    enum { IMPACT, TOUCH, SENSOR_EVENT, SLEEP, WAKE, KINDS };
    size_t impacts, sensor_events, sleeps, wakes;
    touches touches;
    const kugel_impact *impact = kugel_world_impact_events(world, &impacts);
    touches.begins = kugel_world_begin_events(world, &touches.begin_count);
    touches.ends = kugel_world_end_events(world, &touches.end_count);
    const kugel_sensor_event *sensor_event = kugel_world_sensor_events(world, &sensor_events);
    const kugel_rest *sleep = kugel_world_sleep_events(world, &sleeps),
                     *wake = kugel_world_wake_events(world, &wakes);
    for (;;) {
        const double next[KINDS] = {impacts ? impact->time : INFINITY, next_touch(&touches),
                                    sensor_events ? sensor_event->time : INFINITY,
                                    sleeps ? sleep->time : INFINITY, wakes ? wake->time : INFINITY};
        int first = IMPACT;
        for (int k = 1; k < KINDS; ++k) first = next[k] < next[first] ? k : first;
        if (next[first] == INFINITY) return true;
        if (first == IMPACT) write_impact(rows, impact++, step), --impacts;
        else if (first == SENSOR_EVENT)
            write_sensor_event(rows, sensor_event++, step), --sensor_events;
        else if (first == SLEEP) write_rest(rows->to, sleep++, "sleep", step), --sleeps;
        else if (first == WAKE) write_rest(rows->to, wake++, "wake", step), --wakes;
        else if (!write_touches(rows, &touches, next[TOUCH], step)) return false;
    }
}
