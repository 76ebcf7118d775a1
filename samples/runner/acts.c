/* See acts.h. */
#include "acts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "drives.h"
#include "make_world.h"
#include "motions.h"
#include "refusal.h"

#define SCHEDULE(items) schedule_make(items, arrlenu(items), sizeof *(items))

static int refused(const acts *acts, const kugel_world *world, kugel_status status,
                   const char *kind, size_t index)
{
    char where[48];
    snprintf(where, sizeof where, "%s[%zu]", kind, index);
    return complain_refused(acts->name, world, status, where);
}

/* True if the body exists, existed, or may be created by an emitter. Ids of removed bodies stay
 * below id_end. */
static bool may_exist(const acts *acts, uint32_t body)
{
    return arrlenu(acts->scene->emitters) > 0 || body < kugel_world_id_end(acts->world);
}

/* Refuse the first act on an id that can never exist. */
#define CHECK_BODIES(kind, items)                                                                  \
    for (size_t i = 0; i < arrlenu(items); ++i) {                                                  \
        if (!may_exist(acts, (items)[i].body))                                                     \
            return complain(EXIT_USAGE, "%s: %s[%zu].body: body %u does not exist", acts->name,    \
                            kind, i, (items)[i].body);                                             \
    }

static int check_targets_exist(const acts *acts)
{
    const scene *scene = acts->scene;
    CHECK_BODIES("impulses", scene->impulses);
    CHECK_BODIES("forces", scene->forces);
    for (size_t i = 0; i < arrlenu(scene->motions); ++i) {
        const mover *m = &scene->motions[i].mover;
        bool exists = m->kind == MOVES_BODY
                          ? may_exist(acts, m->index)
                          : kugel_surface_is_valid(acts->world, world_moved(acts->world, scene, m));
        const char *what = mover_names[m->kind];
        if (!exists)
            return complain(EXIT_USAGE, "%s: motions[%zu].%s: %s %u does not exist", acts->name, i,
                            what, what, m->index);
    }
    return 0;
}

/* A part of an emitter's box must be inside the closed bounds of the world. After a restart these
 * bounds come from the recording. */
static int check_inside(const acts *acts, size_t index)
{
    const emitter *e = &acts->scene->emitters[index];
    const kugel_bounds *bounds = &acts->scene->world.bounds;
    bool is_point = memcmp(e->min, e->max, sizeof e->min) == 0;
    for (int k = 0; k < 3; ++k) {
        const kugel_face *faces = bounds->faces + 2 * k;
        bool below = faces[0] != KUGEL_FACE_OPEN && e->max[k] < bounds->min[k];
        bool above = faces[1] != KUGEL_FACE_OPEN && e->min[k] > bounds->max[k];
        if (!below && !above) continue;
        return complain(
            EXIT_USAGE,
            "%s: emitters[%zu].%s[%d]: %.10g is outside the closed bounds [%.10g, %.10g]",
            acts->name, index,
            is_point ? "position"
            : below  ? "max"
                     : "min",
            k, below ? e->max[k] : e->min[k], bounds->min[k], bounds->max[k]);
    }
    return 0;
}

static int check_emitters(const acts *acts)
{
    kugel_world *empty = NULL;
    size_t count = arrlenu(acts->scene->emitters);
    kugel_status status = count ? kugel_world_create(&acts->scene->world, &empty) : KUGEL_OK;
    if (status) return complain(EXIT_RESOURCES, "%s: out of memory", acts->name);
    int code = 0;
    for (size_t i = 0; i < count && !code; ++i) {
        code = check_inside(acts, i);
        if (code) break;
        status = emitter_try(&acts->scene->emitters[i], acts->scene, empty);
        if (status) code = refused(acts, empty, status, "emitters", i);
    }
    kugel_world_destroy(empty);
    return code;
}

/* The body of an act that is due; null if it was removed: the act is left out.
 * @return 0, or an exit code after a message if no body has had this id yet. */
static int find_body(acts *acts, const char *kind, size_t index, uint32_t id, kugel_body *body)
{
    unsigned long long tick = kugel_world_tick(acts->world);
    *body = kugel_world_body(acts->world, id);
    if (*body) return 0;
    if (id >= kugel_world_id_end(acts->world))
        return complain(EXIT_USAGE, "%s: %s[%zu].body: body %u does not exist at tick %llu",
                        acts->name, kind, index, id, tick);
    if (acts->left_out++ == 0)
        snprintf(acts->first_left_out, sizeof acts->first_left_out, "%s[%zu], body %u, tick %llu",
                 kind, index, id, tick);
    return 0;
}

acts acts_make(const char *name, const scene *scene)
{
    acts made = {.name = name, .scene = scene, .stop_items = motions_make_stops(scene->motions)};
    for (size_t i = 0; i < arrlenu(scene->emitters); ++i) arrput(made.blocked, 0);
    for (size_t i = 0; i < arrlenu(scene->forces); ++i) arrput(made.absent, false);
    made.gravities = SCHEDULE(scene->gravities);
    made.motions = SCHEDULE(scene->motions);
    made.stops = SCHEDULE(made.stop_items);
    made.impulses = SCHEDULE(scene->impulses);
    return made;
}

static void find_absent(acts *acts)
{
    for (size_t i = 0; i < arrlenu(acts->absent); ++i) {
        uint32_t id = acts->scene->forces[i].body;
        acts->absent[i] =
            id < kugel_world_id_end(acts->world) && !kugel_world_body(acts->world, id);
    }
}

int acts_begin(acts *acts, kugel_world *world)
{
    uint64_t tick = kugel_world_tick(world);
    acts->world = world;
    acts->first_tick = tick;
    schedule_skip(&acts->gravities, tick);
    schedule_skip(&acts->motions, tick);
    schedule_skip(&acts->stops, tick);
    schedule_skip(&acts->impulses, tick);
    find_absent(acts);
    int code = check_emitters(acts);
    if (!code) code = check_targets_exist(acts);
    if (!code) code = thermostats_check(acts->name, acts->scene);
    return code ? code : servos_begin(acts->name, acts->scene, world);
}

int acts_drive(const acts *acts, kugel_world *driven)
{
    uint64_t tick = kugel_world_tick(acts->world);
    if (tick == acts->first_tick) return 0;
    return servos_run(acts->name, acts->scene, acts->world, driven, tick);
}

static int set_gravities(acts *acts, uint64_t tick)
{
    for (size_t i; schedule_next(&acts->gravities, tick, &i);) {
        kugel_status status =
            kugel_world_set_gravity(acts->world, acts->scene->gravities[i].gravity);
        if (status) return refused(acts, acts->world, status, "gravity_schedule", i);
        acts->pushed = true;
    }
    return 0;
}

/* End the motions that reach their position or rotation at this tick. */
static int end_motions(acts *acts, uint64_t tick)
{
    for (size_t i; schedule_next(&acts->stops, tick, &i);) {
        const motion_stop *stop = &acts->stop_items[i];
        kugel_status status = motion_end(acts->world, acts->scene, stop);
        if (status) return refused(acts, acts->world, status, "motions", stop->motion);
        acts->pushed = true;
    }
    return 0;
}

static int begin_motion(acts *acts, size_t index)
{
    const motion *m = &acts->scene->motions[index];
    kugel_body body;
    kugel_status status;
    if (m->mover.kind != MOVES_BODY) {
        status = motion_begin_surface(acts->world, acts->scene, m);
    } else {
        int code = find_body(acts, "motions", index, m->mover.index, &body);
        if (code || !body) return code;
        status = motion_begin_body(acts->world, body, m, acts->scene->dt);
    }
    acts->pushed = true;
    return status ? refused(acts, acts->world, status, "motions", index) : 0;
}

static int begin_motions(acts *acts, uint64_t tick)
{
    int code = 0;
    for (size_t i; !code && schedule_next(&acts->motions, tick, &i);) code = begin_motion(acts, i);
    return code;
}

static int run_emitters(acts *acts, uint64_t tick)
{
    const scene *scene = acts->scene;
    for (size_t i = 0; i < arrlenu(scene->emitters) && !acts->cut; ++i) {
        if (!span_is_due(&scene->emitters[i].span, tick)) continue;
        kugel_status status = emitter_run(acts, i, tick);
        if (status) return refused(acts, acts->world, status, "emitters", i);
        acts->changed = true;
    }
    return 0;
}

static int run_drains(acts *acts, uint64_t tick)
{
    kugel_status status = drains_run(acts->scene, acts->world, tick, &acts->changed);
    if (status == KUGEL_ERROR_OUT_OF_MEMORY)
        return complain(EXIT_RESOURCES, "%s: drains: out of memory", acts->name);
    return status ? refused(acts, acts->world, status, "drains", 0) : 0;
}

static int apply_impulses(acts *acts, uint64_t tick)
{
    for (size_t i; schedule_next(&acts->impulses, tick, &i);) {
        const impulse *push = &acts->scene->impulses[i];
        kugel_body body;
        int code = find_body(acts, "impulses", i, push->body, &body);
        if (code) return code;
        if (!body) continue;
        kugel_status status = kugel_body_apply_impulse(acts->world, body, push->impulse, NULL);
        if (status) return refused(acts, acts->world, status, "impulses", i);
        acts->pushed = true;
    }
    return 0;
}

static int apply_forces(acts *acts, uint64_t tick)
{
    for (size_t i = 0; i < arrlenu(acts->scene->forces); ++i) {
        const force *push = &acts->scene->forces[i];
        if (!span_is_due(&push->span, tick)) continue;
        kugel_body body;
        int code = find_body(acts, "forces", i, push->body, &body);
        if (code) return code;
        if (!body) continue;
        kugel_status status = kugel_body_apply_force(acts->world, body, push->force, NULL);
        if (!status) status = kugel_body_apply_torque(acts->world, body, push->torque);
        if (status) return refused(acts, acts->world, status, "forces", i);
        acts->forced = true;
    }
    return 0;
}

bool acts_are_due(const acts *acts, uint64_t tick)
{
    const scene *scene = acts->scene;
    bool due = acts->forced || schedule_is_due(&acts->gravities, tick) ||
               schedule_is_due(&acts->motions, tick) || schedule_is_due(&acts->stops, tick) ||
               schedule_is_due(&acts->impulses, tick) || drains_are_due(scene, tick) ||
               thermostats_are_due(scene, tick);
    for (size_t i = 0; i < arrlenu(scene->emitters); ++i)
        due = due || span_is_due(&scene->emitters[i].span, tick);
    for (size_t i = 0; i < arrlenu(scene->forces); ++i)
        due = due || (span_is_due(&scene->forces[i].span, tick) && !acts->absent[i]);
    return due;
}

int acts_run(acts *acts, uint64_t tick)
{
    acts->pushed = acts->changed = acts->forced = false;
    int code = acts_drive(acts, acts->world);
    if (!code) code = set_gravities(acts, tick);
    if (!code) code = end_motions(acts, tick);
    if (!code) code = begin_motions(acts, tick);
    if (!code) code = run_drains(acts, tick);
    if (!code) code = run_emitters(acts, tick);
    if (code || acts->cut) return code;
    if (acts->changed) find_absent(acts);
    if (thermostats_are_due(acts->scene, tick)) {
        acts->pushed = true;
        code = thermostats_run(acts->name, acts->scene, acts->world, tick);
    }
    if (!code) code = apply_impulses(acts, tick);
    return code ? code : apply_forces(acts, tick);
}

void acts_report(const acts *acts)
{
    for (size_t i = 0; i < arrlenu(acts->blocked); ++i) {
        if (!acts->blocked[i]) continue;
        complain(EXIT_DONE,
                 "%s: note: emitters[%zu]: %llu bodies found no free place and were "
                 "left out",
                 acts->name, i, (unsigned long long)acts->blocked[i]);
    }
    if (acts->cut)
        complain(EXIT_DONE,
                 "%s: note: the run ended while emitters made the bodies of tick %llu; those made "
                 "so far count below",
                 acts->name, (unsigned long long)kugel_world_tick(acts->world));
    if (acts->left_out)
        complain(EXIT_DONE,
                 "%s: note: impulses, forces and motions of removed bodies were left out %llu "
                 "time%s, first: %s",
                 acts->name, (unsigned long long)acts->left_out, acts->left_out == 1 ? "" : "s",
                 acts->first_left_out);
}

void acts_end(acts *acts)
{
    schedule_free(&acts->gravities);
    schedule_free(&acts->motions);
    schedule_free(&acts->stops);
    schedule_free(&acts->impulses);
    arrfree(acts->stop_items);
    arrfree(acts->blocked);
    arrfree(acts->absent);
}
