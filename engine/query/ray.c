/* Rays against bodies. Cells say whom to ask; kg_ray_sphere_enter, the first half of kugel_ray_sphere,
 * answers, so a world's hit has the bits of the pure function. */
#include <string.h>

#include "geometry/ray.h"
#include "query/query.h"
#include "query/top.h"
#include "query/walk.h"

typedef struct asker {
    const kg_seen *seen;
    const kugel_ray *ray;
    double to_s; /* s = t * to_s */
    double uu;   /* direction . direction, or 0: the direction is zero or extreme */
    kugel_ray_hit best; /* closest, any: t_enter is all of its hit */
    kg_exact met; /* the best one */
    kg_top top;
} asker;

static bool goes_before(const kugel_ray_hit *a, const kugel_ray_hit *b)
{
    if (a->hit.t_enter != b->hit.t_enter) return a->hit.t_enter < b->hit.t_enter;
    if (a->body != b->body) return kugel_body_id(a->body) < kugel_body_id(b->body);
    for (int k = 0; k < 3; ++k) {
        if (a->image[k] != b->image[k]) return a->image[k] < b->image[k];
    }
    return false;
}

static bool item_before(const void *a, const void *b) { return goes_before(a, b); }

static inline bool asks(const asker *a, const kg_exact *exact, const int32_t image[3], double *t)
{
    const double *length = a->seen->world->query->length;
    double center[3];
    for (int k = 0; k < 3; ++k) center[k] = exact->x[k] + image[k] * length[k];
    const double *o = a->ray->origin, *u = a->ray->direction;
    bool hit = a->uu > 0 ? kg_ray_sphere_plain(center[0] - o[0], center[1] - o[1], center[2] - o[2], u, a->uu, exact->radius, t)
                         : kg_ray_sphere_enter(o, u, center, exact->radius, t);
    return hit && *t <= a->ray->t_max;
}

/* Only what lies before s matters from now on; a little more, for s is rounded. */
static inline double end_at(const asker *a, double t) { return t * a->to_s * (1 + 1e-12); }

static inline double visit_closest(void *context, const kg_exact *exact, const int32_t image[3], double end)
{
    asker *a = context;
    double t;
    if (!asks(a, exact, image, &t)) return end;
    kugel_ray_hit hit = {.body = exact->body, .image = {image[0], image[1], image[2]}, .hit.t_enter = t};
    if ((a->best.body && !goes_before(&hit, &a->best)) || !kg_sees(a->seen, exact->body)) return end;
    a->best = hit;
    a->met = *exact;
    return end_at(a, t);
}

static inline double visit_any(void *context, const kg_exact *exact, const int32_t image[3], double end)
{
    asker *a = context;
    double t;
    if (a->best.body || !asks(a, exact, image, &t) || !kg_sees(a->seen, exact->body)) return end;
    a->best.body = exact->body;
    return -1;
}

static inline double visit_all(void *context, const kg_exact *exact, const int32_t image[3], double end)
{
    asker *a = context;
    double t;
    if (!asks(a, exact, image, &t) || !kg_sees(a->seen, exact->body)) return end;
    kugel_ray_hit hit = {.body = exact->body, .image = {image[0], image[1], image[2]}, .hit.t_enter = t};
    kg_top_offer(&a->top, &hit);
    return end;
}

static kg_line line_of(asker *a)
{
    const kugel_ray *ray = a->ray;
    kg_line line = {.radius = 0};
    double scale = kg_unit_scale(kg_max_abs3(ray->direction));
    double largest = kg_max_abs3(ray->direction);
    a->uu = largest >= KG_PLAIN_LEAST && largest <= KG_PLAIN_MOST ? kg_dot3(ray->direction, ray->direction) : 0;
    kg_copy3(line.origin, ray->origin);
    kg_scale3(line.unit, ray->direction, scale);
    a->to_s = 1 / scale;
    line.end = ray->t_max * a->to_s;
    if (kg_max_abs3(line.unit) == 0) line.end = 0;
    return line;
}

/* The whole hit of a body that is known to be hit. */
static void fill(const asker *a, const kg_exact *exact, kugel_ray_hit *hit)
{
    double center[3];
    for (int k = 0; k < 3; ++k) center[k] = exact->x[k] + hit->image[k] * a->seen->world->query->length[k];
    kugel_ray_sphere(a->ray->origin, a->ray->direction, center, exact->radius, &hit->hit);
}

void kg_ray_closest(const kg_seen *seen, const kugel_ray *ray, kugel_ray_hit *hit)
{
    asker a = {.seen = seen, .ray = ray};
    kg_line line = line_of(&a);
    kg_walk_line(seen->world, &line, visit_closest, &a);
    *hit = a.best;
    if (hit->body) fill(&a, &a.met, hit);
}

/* A ray on its way through a batch. */
typedef struct prepared {
    asker asker;
    kg_line line;
    kg_slabs slabs; /* in the first group */
    kg_window window;
    bool meets; /* the first group */
} prepared;

static void prepare(const kg_seen *seen, const kugel_ray *ray, prepared *p)
{
    const kg_query_group *g = &seen->world->query->group[0];
    p->asker = (asker){.seen = seen, .ray = ray};
    p->line = line_of(&p->asker);
    p->meets = kg_line_slabs(g, &p->line, &p->slabs);
    if (!p->meets) return;
    p->window = kg_window_of(g, &p->slabs, 0);
    for (int64_t r = 0; r < p->window.rows; ++r) {
        __builtin_prefetch(p->window.start + r * p->slabs.stride[p->slabs.minor[1]] + p->window.low * p->slabs.stride[p->slabs.minor[0]]);
    }
}

static void finish(prepared *p, kugel_ray_hit *hit)
{
    const kugel_world *world = p->asker.seen->world;
    const kg_query_index *index = world->query;
    double end = kg_walk_changed(world, p->line.end, visit_closest, &p->asker);
    if (p->meets) end = kg_walk_slabs(index, &index->group[0], &p->slabs, p->window, end, visit_closest, &p->asker);
    for (uint32_t g = 1; g < index->group_count; ++g) {
        end = kg_walk_group(index, &index->group[g], &p->line, end, visit_closest, &p->asker);
    }
    *hit = p->asker.best;
    if (hit->body) fill(&p->asker, &p->asker.met, hit);
}

void kg_rays_closest(const kg_seen *seen, size_t count, const kugel_ray *rays, kugel_ray_hit *hits)
{
    enum { LAG = 8, RING = 2 * LAG };
    const kg_query_index *index = seen->world->query;
    if (count < RING || index->periodic || !index->group_count) {
        for (size_t i = 0; i < count; ++i) kg_ray_closest(seen, &rays[i], &hits[i]);
        return;
    }
    prepared ring[RING];
    for (size_t i = 0; i < count + RING - 1; ++i) {
        if (i >= RING - 1) finish(&ring[(i + 1) % RING], &hits[i + 1 - RING]);
        if (i >= LAG && i - LAG < count) {
            const prepared *p = &ring[(i - LAG) % RING];
            if (p->meets) kg_fetch(index, &p->slabs, &p->window);
        }
        if (i < count) prepare(seen, &rays[i], &ring[i % RING]);
    }
}

bool kg_ray_any(const kg_seen *seen, const kugel_ray *ray)
{
    asker a = {.seen = seen, .ray = ray};
    kg_line line = line_of(&a);
    kg_walk_line(seen->world, &line, visit_any, &a);
    return a.best.body != 0;
}

size_t kg_ray_all(const kg_seen *seen, const kugel_ray *ray, size_t capacity, kugel_ray_hit *hits)
{
    asker a = {.seen = seen, .ray = ray};
    a.top = (kg_top){(char *)hits, sizeof *hits, capacity, 0, 0, item_before, false};
    kg_line line = line_of(&a);
    kg_walk_line(seen->world, &line, visit_all, &a);
    kg_top_sort(&a.top);
    for (size_t k = 0; k < a.top.kept; ++k) {
        kg_exact exact = kg_exact_of(seen->world, hits[k].body);
        fill(&a, &exact, &hits[k]);
    }
    return a.top.all;
}
