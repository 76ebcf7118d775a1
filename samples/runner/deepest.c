/* Finds the deepest overlap, and keeps the exemptions of bodies that begin in overlaps. */
#include "deepest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "check.h"
#include "rows.h"

enum { EXEMPT = 1, STILL_OVERLAPS = 2 }; /* of an exemption; the second one in the present state */

typedef struct search {
    const kugel_body_state *bodies; /* only their constant values are used */
    const double *radius;           /* of the bodies, m */
    double limit;                   /* radii: exempt bodies may overlap more */
    exemptions *exempt;
    deepest found;
} search;

/* Overlaps up to this depth change nothing. */
static double least_depth(const search *s)
{
    bool any = s->exempt->count || s->exempt->begins;
    return any && s->limit < s->found.depth ? s->limit : s->found.depth;
}

/* True if the overlap of a dynamic body exceeds the limit and is exempt; in the first state all
 * are. */
static bool exempt(const search *s, const kugel_body_state *b, double depth)
{
    exemptions *e = s->exempt;
    uint32_t id = kugel_body_id(b->body);
    if (b->type != KUGEL_DYNAMIC || depth <= s->limit || id >= e->end) return false;
    if (e->begins && !e->of[id]) e->of[id] = EXEMPT, e->count += 1;
    if (e->of[id]) e->of[id] = STILL_OVERLAPS;
    return e->of[id];
}

/* Note an overlap of body a with body b, or with what `found` names. */
static void note(search *s, const kugel_body_state *a, const kugel_body_state *b, deepest found)
{
    bool left_out = exempt(s, a, found.depth);
    if (b) left_out = exempt(s, b, found.depth) || left_out;
    if (left_out && !s->exempt->begins) return;
    if (found.depth > s->found.depth) s->found = found;
}

static void measure_pair(void *context, uint32_t i, uint32_t j, double d2)
{
    search *s = context;
    double r = s->radius[i], t = s->radius[j], small = r < t ? r : t;
    double least = least_depth(s), reach = r + t - least * small;
    if (d2 > reach * reach) return; /* most pairs end here, without a square root */
    const kugel_body_state *a = &s->bodies[i], *b = &s->bodies[j];
    bool still = a->type != KUGEL_DYNAMIC && b->type != KUGEL_DYNAMIC;
    if (still || a->sensor || b->sensor) return;
    if (!(a->category & b->mask) || !(b->category & a->mask)) return;
    if (a->group && a->group == b->group) return;
    double depth = (r + t - sqrt(d2)) / small;
    uint32_t k = kugel_body_id(a->body), l = kugel_body_id(b->body);
    if (depth > least)
        note(s, a, b, (deepest){depth, KUGEL_TARGET_BODY, k < l ? k : l, k < l ? l : k});
}

static void measure_boundary(search *s, uint32_t body, double height, kugel_target target,
                             size_t index)
{
    const kugel_body_state *b = &s->bodies[body];
    double depth = 1 - height / s->radius[body];
    if (depth <= least_depth(s) || b->type != KUGEL_DYNAMIC || b->sensor) return;
    note(s, b, NULL, (deepest){depth, target, kugel_body_id(b->body), (uint32_t)index});
}

static void measure_walls(search *s, uint32_t body, const double *x, const check_box *walls)
{
    double reach = (1 - least_depth(s)) * s->radius[body]; /* farther boundaries overlap less */
    for (size_t k = 0; k < 3; ++k) {
        double low = x[k] - walls->min[k], high = walls->max[k] - x[k];
        if (low < reach) measure_boundary(s, body, low, KUGEL_TARGET_FACE, 2 * k);
        if (high < reach) measure_boundary(s, body, high, KUGEL_TARGET_FACE, 2 * k + 1);
    }
}

/* Bodies pass a one-sided mesh from behind. */
static bool is_one_sided(const kugel_world *world, uint32_t surface)
{
    kugel_surface_def def;
    kugel_surface_get(world, kugel_world_surface(world, surface), &def, NULL);
    return def.shape == KUGEL_SURFACE_MESH && def.one_sided;
}

/* Test the nearest surface within the radius that is not one-sided.
 * @param found a place for each surface. false: out of memory. */
static bool measure_surfaces(search *s, uint32_t body, const double *position,
                             const kugel_world *world, kugel_found *found)
{
    const kugel_body_state *b = &s->bodies[body];
    kugel_filter filter = kugel_filter_default();
    size_t count = 0, surfaces = kugel_world_surface_end(world);
    if (b->type != KUGEL_DYNAMIC || b->sensor) return true;
    filter.targets = KUGEL_TARGETS_SURFACES;
    filter.category = b->category, filter.mask = b->mask, filter.group = b->group;
    if (kugel_world_nearest(world, position, b->radius, &filter, surfaces, found, &count) !=
        KUGEL_OK)
        return false;
    size_t i = 0;
    while (i < count && is_one_sided(world, found[i].index)) ++i;
    if (i < count) measure_boundary(s, body, found[i].gap, KUGEL_TARGET_SURFACE, found[i].index);
    return true;
}

static bool has_walls(const check_box *walls)
{
    bool any = false;
    for (int k = 0; k < 3; ++k) any |= isfinite(walls->min[k]) || isfinite(walls->max[k]);
    return any;
}

static bool find(search *s, checker *checker, const kugel_world *world, uint32_t n)
{
    const double *positions = checker->columns[0];
    check_box walls = check_box_of(&checker->scene->world.bounds, true);
    size_t surfaces = kugel_world_surface_end(world);
    kugel_found *found = malloc(surfaces * sizeof *found + 1);
    bool bounded = has_walls(&walls), good = found;
    for (uint32_t i = 0; i < n && good && (bounded || surfaces); ++i) {
        const double *x = positions + 3 * (size_t)i;
        if (bounded) measure_walls(s, i, x, &walls);
        if (surfaces) good = measure_surfaces(s, i, x, world, found);
    }
    if (good) sphere_pairs_find(&checker->pairs, positions, measure_pair, s);
    free(found);
    return good;
}

/* End the exemptions of bodies whose overlaps have ended. */
static void end_parted(exemptions *e)
{
    for (uint32_t id = 0; id < e->end && e->count; ++id) {
        if (e->of[id] == EXEMPT) e->of[id] = 0, e->count -= 1;
        if (e->of[id] == STILL_OVERLAPS) e->of[id] = EXEMPT;
    }
}

static bool begin(exemptions *e, const kugel_world *world)
{
    e->end = kugel_world_id_end(world);
    e->of = calloc((size_t)e->end + 1, sizeof *e->of);
    e->begins = true;
    return e->of;
}

bool deepest_find(checker *checker, const kugel_world *world, uint32_t n, double limit,
                  deepest *deepest)
{
    exemptions *e = &checker->exempt;
    if (!e->of && !begin(e, world)) return false;
    if (e->count && kugel_world_tick(world) >= e->until) {
        memset(e->of, 0, e->end);
        e->count = 0;
    }
    search s = {.bodies = checker->bodies, .radius = checker->radius, .limit = limit, .exempt = e};
    if (n && !find(&s, checker, world, n)) return false;
    if (e->count) end_parted(e);
    *deepest = s.found;
    if (e->begins) {
        e->ticks = EXEMPT_TICKS * (uint32_t)ceil(fmax(cbrt(e->count), 1));
        e->until = kugel_world_tick(world) + e->ticks;
        if (e->count) e->initial = s.found, deepest->depth = 0;
    }
    e->begins = false;
    return true;
}

/* "bodies[3]" of a listed body, else "body 3". */
static const char *path_of(char text[TARGET_NAME], const scene *scene, uint32_t id)
{
    snprintf(text, TARGET_NAME, id < scene->listed ? "bodies[%u]" : "body %u", id);
    return text;
}

void deepest_report(checker *checker, const char *name)
{
    exemptions *e = &checker->exempt;
    const deepest *d = &e->initial;
    char body[TARGET_NAME], other[TARGET_NAME], more[64] = "";
    if (d->depth == 0 || e->reported) return;
    e->reported = true;
    if (d->target == KUGEL_TARGET_BODY) path_of(other, checker->scene, d->b);
    else target_name(other, checker->scene, d->target, d->b);
    if (e->count > 1) snprintf(more, sizeof more, ", the deepest overlap of %u bodies", e->count);
    complain(EXIT_DONE,
             "%s: note: %s begins inside %s by %.3g radii%s; --check allows %s for at "
             "most %u ticks",
             name, path_of(body, checker->scene, d->a), other, d->depth, more,
             e->count > 1 ? "these" : "this", e->ticks);
}
